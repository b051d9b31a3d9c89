"""Each option of a session: the command that repeats it, recent servers, several, and flows.

What an option means for these is declared with it, so they are tried with all of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import NO_LIMIT
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.command_line import CurrentPolicy, call_command
from signoff.app.cli.command import OnServer
from signoff.app.cli.command_line import read_options
from signoff.app.cli.options.meaning import Fits, OptionMeaning, OptionScope, Repeat, session_opt
from signoff.app.cli.options.session import SessionOptions, misplaced, session_options
from signoff.app.cli.targets.adding import more_servers
from signoff.app.cli.targets.recents import words_of
from signoff.app.cli.targets.session import PreparedSession, prepared_session, session_config
from signoff.app.cli.targets.several import prepared_sessions
from signoff.app.cli.targets.targets import UsageError
from signoff.app.engine.session_config import Target
from signoff.app.features.flows.grammar import FLOW
from signoff.app.features.flows.reading import read_flow
from signoff.app.features.flows.yaml_tree import FlowError
from signoff.app.presentation.openings import Opening
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Start, Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.settings.settings import BY_NAME
from tests.approved import approved

PROSE = approved("cli-session-options")
OPTIONS = {name: (one, means) for name, one, means in session_options()}
RULES = CurrentPolicy(Trust.UNTRUSTED, built_in("cautious"))
TOOL = ToolCall(read_tool(0, {"name": "read_thing"}))
SECRET = "hunter2hunter2"
BESIDE_OPTIONS = {"is_bundled", "pasted", "spot", "folder"}
"""What a session has from elsewhere: a word, or a row of the start screen."""


def sample(name: str) -> Any:
    """A value of an option that is not its default."""
    one, means = OPTIONS[name]
    if one.kind == "bool":
        return True
    if means.repeat is Repeat.SOURCE and one.kind == "tuple":
        return ("A=$TOKEN", f"B={SECRET}", f"C=@{os.path.abspath('file')}", "D=-")
    if one.kind.startswith("float"):
        return 7.5
    choices = one.more.get("choices")
    values = tuple(choices[-2:]) if choices else ("x 1", "-y")
    if "type" in one.more:
        values = tuple(map(one.more["type"], values))
    return values if one.kind == "tuple" else values[0]


def as_repeated(name: str, value: Any) -> Any:
    """The value of an option in a command that repeats it."""
    one, means = OPTIONS[name]
    is_source = means.repeat is Repeat.SOURCE and one.kind == "tuple"
    return tuple(one.replace(SECRET, "-") for one in value) if is_source else value


def understood(text: str) -> SessionOptions:
    words = shlex.split(text)[1:]
    read = read_options(words[: words.index("--")] if "--" in words else words)
    assert isinstance(read, OnServer)
    return read.session


def target_for(names: set[str]) -> Target:
    """A server that all of these options are for."""
    if any(OPTIONS[name][1].fits is Fits.URL for name in names):
        return Target("one", url="https://a.example/mcp")
    if "values" in names or "config_host" in names:
        return Target("one", argv=("x",), configured=("/f.json", "one"))
    return Target("one", argv=("./one", "-x"))


def start_of(session: SessionOptions, target: Target) -> Start:
    start = session_config(session, target, {"SIGNOFF_CONFIG": ""})[0].start
    assert start is not None
    return start


REPEATED = {
    name for name, (_, means) in OPTIONS.items() if means.repeat in (Repeat.GIVEN, Repeat.SOURCE)
}


def test_every_option_of_a_session_says_what_it_means() -> None:
    assert set(SessionOptions._fields) - BESIDE_OPTIONS == set(OPTIONS)
    assert all(isinstance(means, OptionMeaning) for _, means in OPTIONS.values())
    with pytest.raises(TypeError):
        session_opt("--new", "an option")  # type: ignore[call-arg]


def test_every_option_is_found_by_the_same_word_everywhere() -> None:
    flags = [one.flags[0] for one, _ in OPTIONS.values()]
    assert len(set(flags)) == len(flags)
    table = [
        f"{one.flags[0]:<20}{means.repeat.name.lower():<8}{means.scope.name.lower():<9}"
        + " ".join(
            word
            for word, is_so in (
                ("kept", means.is_kept),
                ("setting", means.is_setting),
                ("flow", means.flow),
                (f"for {means.fits.name.lower()}", means.fits is not Fits.ANY),
            )
            if is_so
        )
        for one, means in OPTIONS.values()
    ]
    PROSE.holds("what each option means", "\n".join(line.rstrip() for line in table))


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_copied_command_has_it_as_it_was_or_not_at_all(name: str) -> None:
    session = SessionOptions(**{name: sample(name)})
    if name == "policy":
        session = session._replace(policy="cautious")
    if name == "host":
        session = session._replace(host="vscode")
    made = call_command(start_of(session, target_for({name})), RULES, TOOL, {})
    assert SECRET not in made.text
    found = getattr(understood(made.text), name)
    if name in REPEATED:
        assert found == as_repeated(name, sample(name))
    elif OPTIONS[name][1].repeat is Repeat.NEVER:
        assert not found


@given(st.data())
def test_any_options_together_are_repeated_as_they_were(data: st.DataObject) -> None:
    names = data.draw(st.sets(st.sampled_from(sorted(REPEATED))), "names")
    for one, other in (("audit", "no_audit"), ("headers", "values"), ("transport", "config_host")):
        if {one, other} <= names:
            names.discard(other)
    target = target_for(names)
    session = SessionOptions(**{name: sample(name) for name in names})
    if misplaced(session, has_url=bool(target.url)):
        return
    made = call_command(start_of(session, target), RULES, TOOL, {})
    found = understood(made.text)
    assert made.text
    for name in OPTIONS:
        if name not in ("url", "config", "servers"):
            value = sample(name) if name in names else getattr(SessionOptions(), name)
            assert getattr(found, name) == as_repeated(name, value)
    # Once more, it is the same command.
    assert call_command(start_of(found, target), RULES, TOOL, {}).text == made.text


@pytest.mark.parametrize("value", [0.5, 1e-5, 123456.75, 1234567.0, 999999999.0, NO_LIMIT])
def test_seconds_are_repeated_exactly(value: float) -> None:
    session = SessionOptions(timeout=min(value, 999999999.0), decision_seconds=value)
    made = call_command(start_of(session, target_for(set())), RULES, TOOL, {})
    found = understood(made.text)
    assert (found.timeout, found.decision_seconds) == (session.timeout, session.decision_seconds)


SECONDS = sorted(name for name, (_, means) in OPTIONS.items() if means.is_setting)


@pytest.mark.parametrize("name", [one for one in SECONDS if one != "policy"])
def test_a_setting_is_repeated_as_an_option(name: str) -> None:
    written, expected = {"experimental": ("tool-resolution", ("tool-resolution",))}.get(
        name, ("7.5", 7.5)
    )
    environment = {"SIGNOFF_CONFIG": "", f"SIGNOFF_{name.upper()}": written}
    config = session_config(SessionOptions(), target_for(set()), environment)[0]
    assert config.start is not None
    if name == "experimental":
        assert config.target.experimental == {"tool-resolution"}
    assert getattr(understood(call_command(config.start, RULES, TOOL, {}).text), name) == expected


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_recent_server_keeps_what_belongs_to_it(name: str) -> None:
    one, means = OPTIONS[name]
    value: Any = ("A=b",) if name == "env" else sample(name)
    session = SessionOptions(**{name: value})
    session = session._replace(policy=session.policy and "cautious", host=session.host and "vscode")
    words = words_of(start_of(session, target_for({name})))
    assert SECRET not in " ".join(words)
    found = read_options(list(words[: words.index("--")] if "--" in words else words))
    kept = getattr(found.session, name)  # type: ignore[attr-defined]
    if means.is_kept:
        assert kept == as_repeated(name, sample(name))
    elif means.repeat is not Repeat.TARGET:
        assert not kept
        assert one.flags[0] not in words


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_what_is_for_one_server_is_refused_for_several(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {}}), encoding="utf-8")
    session = SessionOptions(is_all=True, config=(str(file),))
    if name in ("url", "is_all", "servers", "config", "config_host"):
        return
    session = session._replace(**{name: sample(name)})
    if name == "described":
        session = session._replace(config=())
    with pytest.raises(UsageError) as raised, prepared_sessions(session, ()):
        pass
    is_of_one = OPTIONS[name][1].scope is OptionScope.SERVER
    words = f"{OPTIONS[name][0].flags[0]} is for one server"
    assert str(raised.value).startswith(words if is_of_one else "no servers were found")


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_what_is_for_an_address_or_a_process_is_refused_for_the_other(name: str) -> None:
    session = SessionOptions(**{name: sample(name)})
    fits = OPTIONS[name][1].fits
    assert bool(misplaced(session, has_url=False)) is (fits is Fits.URL)
    assert bool(misplaced(session, has_url=True)) is (fits is Fits.STARTED)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_setting_is_one_that_the_settings_have(name: str) -> None:
    assert (name in BY_NAME) is OPTIONS[name][1].is_setting


FLOW_VALUES: dict[str, Any] = {"env": {"A": "b"}, "headers": {"A": "b"}, "trust": True}


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_flow_has_the_keys_that_are_declared(name: str) -> None:
    means = OPTIONS[name][1]
    own = {"url", "policy", "host", "timeout", "decision_seconds"}
    assert (name in FLOW.keys) is (bool(means.flow) or name in own)
    if not means.flow:
        return
    value = FLOW_VALUES.get(name, sample(name))
    value = list(value) if isinstance(value, tuple) else value
    target = {"url": "http://h/"} if means.fits is Fits.URL else {"command": "x"}
    whole = {**target, name: value, "steps": [{"call": "a"}]}
    server = read_flow(json.dumps(whole).encode(), "f").server
    found = getattr(server, name) if name in FLOW_VALUES else getattr(server.options, name)
    assert found == (tuple(value) if isinstance(value, list) else value)
    if means.fits is not Fits.ANY:
        other = {"command": "x"} if means.fits is Fits.URL else {"url": "http://h/"}
        wrong = {**other, name: value, "steps": [{"call": "a"}]}
        with pytest.raises(FlowError, match=f"{name} is for a"):
            read_flow(json.dumps(wrong).encode(), "f")


@pytest.mark.parametrize("source", ["key=@key", "key=$THE_KEY", f"key={SECRET}"])
def test_a_configured_server_is_called_again_with_its_values(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THE_KEY", SECRET)
    Path("key").write_text(SECRET, encoding="utf-8")
    entry = {"command": sys.executable, "args": ["-V", "${input:key}"]}
    inputs = [{"type": "promptString", "id": "key", "password": True}]
    file = tmp_path / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"inputs": inputs, "servers": {"v": entry}}), encoding="utf-8")
    session = SessionOptions(
        servers=("v",), config=(str(file),), values=(source,), no_memory=True, config_host="vscode"
    )

    def prepared(session: SessionOptions) -> tuple[Start, tuple[str, ...]]:
        with prepared_session(session, (), ask=lambda start, before: True) as one:
            assert one.config.start is not None
            return one.config.start, one.config.target.argv

    start, argv = prepared(session)
    made = call_command(start, RULES, TOOL, {})
    assert SECRET not in made.text
    assert SECRET not in " ".join(words_of(start))
    again = understood(made.text)
    if SECRET in source:
        # It is asked for, as a header is.
        assert again.values == ("key=-",)
        return
    monkeypatch.chdir("/")
    assert prepared(again)[1] == argv
    assert argv[-1] == SECRET


@pytest.mark.parametrize("options", [{}, {"env": ("A=b",), "name": "other", "roots": ("-r",)}])
def test_what_a_file_describes_is_called_again(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A", "b")
    file = tmp_path / "server.json"
    schema = "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json"
    remote = {"type": "streamable-http", "url": "https://a.example/mcp"}
    package = {"registryType": "npm", "identifier": "some-server", "version": "1.2.3"}
    package["transport"] = {"type": "stdio"}  # type: ignore[assignment]
    one = {"$schema": schema, "name": "io.example/one", "description": "d", "version": "1"}
    file.write_text(json.dumps({**one, "packages": [package], "remotes": [remote]}), "utf-8")
    session = SessionOptions(described=str(file), no_memory=True, **options)

    def target(session: SessionOptions) -> tuple[Start, Target]:
        with prepared_session(session, (), ask=lambda start, before: True) as one:
            assert one.config.start is not None
            return one.config.start, one.config.target

    start, first = target(session)
    assert target(understood(call_command(start, RULES, TOOL, {}).text))[1] == first
    recent = read_options(list(words_of(start))).session  # type: ignore[attr-defined]
    assert target(recent._replace(no_memory=True))[1] == first


@pytest.mark.parametrize("option", ["--value", "--header"])
def test_a_value_is_not_typed_where_the_screen_is(option: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"v": {"command": "x"}}}), encoding="utf-8")

    def opened(session: object) -> Any:
        raise AssertionError

    with contextlib.ExitStack() as ending:
        more = more_servers(SessionOptions(), read_options, opened, ending)
        words = (option, "k=-", "--config", str(file), "--server=v")
        row = Opening("key", "v", "x", words=words)
        with pytest.raises(UsageError) as raised:
            more.prepare(row, [], lambda start, before: True)
    PROSE.holds("a value that is typed", str(raised.value), OPTION=option)


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_a_server_that_is_added_has_the_options_of_every_server(name: str, tmp_path: Path) -> None:
    value = {"policy": "ask-always", "host": "vscode", "audit": str(tmp_path / "log")}.get(
        name, sample(name)
    )
    prepared: list[SessionOptions] = []

    def opened(session: PreparedSession) -> Any:
        prepared.append(session.given)
        raise UsageError("enough")

    with contextlib.ExitStack() as ending:
        given = SessionOptions(**{name: value})
        more = more_servers(given, read_options, opened, ending)
        row = Opening("key", "v", "x", words=("--", "x"))
        with pytest.raises(UsageError, match="enough"):
            more.prepare(row, [], lambda start, before: True)
    is_kept = OPTIONS[name][1].scope is OptionScope.SESSION
    assert getattr(prepared[0], name) == (value if is_kept else getattr(SessionOptions(), name))
