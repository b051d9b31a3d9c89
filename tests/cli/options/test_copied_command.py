"""The copied command means the same call: read by a shell, and by Signoff's own options."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.command_line import CurrentPolicy, call_command
from signoff.app.cli.command import OnServer
from signoff.app.cli.command_line import read_options
from signoff.app.cli.commands.call import CallOptions
from signoff.app.cli.options.arguments import assign, read_document
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.session import read_session_target, session_config
from signoff.app.cli.targets.targets import demo_command
from signoff.app.content.json.jsonio import JsonValue, canonical
from signoff.app.hosts.rules import read_host
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Start, Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved

PROSE = approved("copied-commands")

CAUTIOUS = built_in("cautious")
UNTRUSTED = CurrentPolicy(Trust.UNTRUSTED, CAUTIOUS)
TRUSTED = CurrentPolicy(Trust.TRUSTED, CAUTIOUS)
SERVER = Start(argv=("./server",))
KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object"},
    {"enum": ["a", "1", 1, True, None]},
    {},
]


def tool(name: str = "delete_file", **properties: Any) -> ToolDefinition:
    schema: JsonValue = {"type": "object", "properties": properties}
    return read_tool(0, {"name": name, "inputSchema": schema})


def understood(
    text: str, one: ToolDefinition
) -> tuple[str, SessionOptions, tuple[str, ...], dict[str, JsonValue]]:
    """The tool, the server by options or by command, and the arguments that a command means."""
    words = shlex.split(text)
    assert words[0] == "signoff"
    words = words[1:]
    command: tuple[str, ...] = ()
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], tuple(words[at + 1 :])
    read = read_options(words)
    assert isinstance(read, OnServer)
    assert isinstance(read.own, CallOptions)
    given = read.own.arguments
    arguments = read_document(given.args) if given.args else {}
    return given.tool, read.session, command, assign(one, arguments, given.assign)


def test_a_plain_call_is_a_plain_command() -> None:
    one = tool(path={"type": "string"}, times={"type": "integer"})
    made = call_command(
        Start(bundled=True), TRUSTED, ToolCall(one), {"path": "notes/todo.txt", "times": 2}
    )
    assert made.notes == ()
    PROSE.holds("plain arguments", made.text)


def test_arguments_that_are_not_plain_are_one_document() -> None:
    one = tool(path={"type": "string"}, deep={"type": "object"})
    made = call_command(SERVER, UNTRUSTED, ToolCall(one), {"path": "a'b", "deep": {"x": [1, None]}})
    PROSE.holds("arguments as one document", made.text)


@pytest.mark.parametrize(
    ("key", "start", "rules"),
    [
        ("the bundled server", Start(bundled=True), UNTRUSTED),
        ("a URL", Start(url="https://x.org/mcp"), TRUSTED),
        (
            "options and a policy",
            Start(url="http://h:1/m", options=(("--protocol", "legacy"), ("--no-memory",))),
            CurrentPolicy(Trust.UNTRUSTED, built_in("allow-all")),
        ),
    ],
)
def test_target_and_what_it_is_judged_by_are_in_it(
    key: str, start: Start, rules: CurrentPolicy
) -> None:
    PROSE.holds(key, call_command(start, rules, ToolCall(tool()), {}).text)


def test_the_policy_of_now_is_in_it_and_a_file_by_its_path() -> None:
    start = Start(argv=("x",), policy=("--policy", "-mine.toml"))
    own = built_in("ask-always")
    same = call_command(start, CurrentPolicy(Trust.UNTRUSTED, own, own), ToolCall(tool()), {})
    PROSE.holds("the policy of a file", same.text)
    host = read_host("vscode")
    now = call_command(start, CurrentPolicy(Trust.UNTRUSTED, host, own), ToolCall(tool()), {})
    PROSE.holds("the rules of a host", now.text)
    mode = CurrentPolicy(Trust.UNTRUSTED, read_host("codex").modes[0], own)
    by_mode = call_command(start, mode, ToolCall(tool()), {})
    PROSE.holds("the rules of a mode", by_mode.text)
    back = call_command(start, CurrentPolicy(Trust.UNTRUSTED, CAUTIOUS, own), ToolCall(tool()), {})
    PROSE.holds("the usual policy", back.text)


def test_variables_are_named_and_their_values_are_not_there() -> None:
    start = Start(argv=("x",), env=("REGION", "TOKEN=hunter2"))
    made = call_command(start, UNTRUSTED, ToolCall(tool()), {})
    PROSE.holds("variables", "\n".join((made.text, *made.notes)))


@pytest.mark.parametrize(
    ("start", "arguments", "secret", "what"),
    [
        (SERVER, {"password": "hunter2hunter2"}, "hunter2", "the arguments"),
        (Start(argv=("x", "--api-key", "hunter2hunter2")), {}, "hunter2", "the server's command"),
        (Start(url="https://me:hunter2hunter2@x.org/"), {}, "hunter2", "the URL"),
    ],
)
def test_secrets_are_left_out_and_that_is_said(
    start: Start, arguments: dict[str, Any], secret: str, what: str
) -> None:
    made = call_command(start, UNTRUSTED, ToolCall(tool(password={"type": "string"})), arguments)
    assert secret not in made.text
    assert "[masked: " in made.text
    PROSE.holds("note: a secret", "\n".join(made.notes), PLACE=what)


@pytest.mark.parametrize("name", ["-x", "--", "--json", "-a"])
def test_a_name_that_looks_like_an_option_is_given_as_one(name: str) -> None:
    for start in (Start(bundled=True), SERVER):
        one = tool(name)
        called, server, _, _ = understood(call_command(start, TRUSTED, ToolCall(one), {}).text, one)
        assert called == name
        assert server.is_bundled is start.bundled


def test_a_tool_called_demo_is_not_the_bundled_server() -> None:
    one = tool("demo")
    called, server, command, _ = understood(
        call_command(SERVER, UNTRUSTED, ToolCall(one), {}).text, one
    )
    assert (called, server.is_bundled, command) == ("demo", False, ("./server",))


@pytest.mark.parametrize("char", ["\x1b", "\x00", "\x07", "\r", "\x7f", "\x9b", "\ud800"])
def test_what_a_shell_takes_for_keys_becomes_no_command(char: str) -> None:
    """ESC [ 201 ~ would end a bracketed paste, and what follows would be typed."""
    made = call_command(SERVER, UNTRUSTED, ToolCall(tool(f"a{char}[201~")), {})
    assert made.text == ""
    assert "control characters" in made.notes[0]


def test_in_arguments_such_characters_are_escaped() -> None:
    one = tool(path={"type": "string"})
    value = "\x1b[201~\n\u202e\ud800\x00"
    made = call_command(SERVER, UNTRUSTED, ToolCall(one), {"path": value})
    assert made.text.isprintable()
    assert made.text.isascii()
    assert understood(made.text, one)[3] == {"path": value}


def test_a_tool_without_a_name_and_a_dashed_address_are_refused() -> None:
    assert call_command(SERVER, UNTRUSTED, ToolCall(tool("")), {}).text == ""


@pytest.mark.parametrize(
    "words",
    [
        ["call", "x", "--tool", "y", "demo"],
        ["call", "--tool", "y", "z"],
        ["call"],
    ],
)
def test_a_tool_is_named_once(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(words)
    assert ended.value.code == 2
    assert "TOOL" in capsys.readouterr().err


HOSTILE = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.text("\n\t'\"\\$`!;|&<>()*?[]{}~#=%- \u202e\u200b\U000e0041é", max_size=12),
    st.sampled_from(
        ["-", "--", "-a", "--args", "--url", "$(reboot)", "`x`", "!!", "demo", "'", ""]
    ),
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=12),
        HOSTILE,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.data())
def test_the_command_means_the_same_target_tool_and_arguments(data: st.DataObject) -> None:
    name = data.draw(HOSTILE.filter(bool), "tool")
    arguments = data.draw(st.dictionaries(HOSTILE, VALUES, max_size=4), "arguments")
    properties = {
        one: data.draw(st.sampled_from(KINDS)) for one in arguments if data.draw(st.booleans())
    }
    one = tool(name, **properties)
    argv = tuple(data.draw(st.lists(HOSTILE, min_size=1, max_size=4), "argv"))
    start = data.draw(
        st.sampled_from([Start(bundled=True), Start(url="https://x.org/mcp?a=b"), Start(argv=argv)])
    )
    trust = data.draw(st.sampled_from(list(Trust)))
    made = call_command(start, CurrentPolicy(trust, CAUTIOUS), ToolCall(one), arguments)
    if not made.text:
        assert CONTROLS.search("".join((name, *start.argv)))
        return
    assume(not made.notes)
    called, server, command, meant = understood(made.text, one)
    assert called == name
    assert canonical(meant) == canonical(arguments)
    target = read_session_target(server, command)
    assert target.url == start.url
    assert target.argv == (demo_command() if start.bundled else start.argv)
    assert session_config(server, target, {})[0].trust is trust


@pytest.mark.parametrize("value", ["$(exit 3)", "`x`", "a'b\"c", "!!", "-n", "\\", "*", "~", "#"])
def test_a_real_shell_reads_the_same_words(value: str) -> None:
    one = tool(f"t{value}", path={"type": "string"})
    made = call_command(Start(argv=(value,)), UNTRUSTED, ToolCall(one), {"path": value})
    script = f"signoff() {{ printf '%s\\0' \"$@\"; }}; {made.text}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\0")[:-1] == shlex.split(made.text)[1:]


def test_the_document_is_what_json_reads() -> None:
    made = call_command(SERVER, UNTRUSTED, ToolCall(tool()), {"a": "ü", "b": "\u200b"})
    document = shlex.split(made.text)[4]
    assert document == '{"a": "ü", "b": "\\u200b"}'
    assert json.loads(document) == {"a": "ü", "b": "\u200b"}
