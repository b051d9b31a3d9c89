"""`signoff proxy` before a command and away again, in every format, case and form of an entry."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from signoff.app.hosts.files.documents import read_document
from signoff.app.hosts.files.reading import format_as_read
from signoff.app.hosts.wrapping.difference import masked_difference
from signoff.app.hosts.wrapping.wrapping import CannotWrap, EntryText, unwrapped, wrapped
from tests.hosts.files.given import HOME, cases
from tests.hosts.wrapping.wrapped import PROXY, again, as_loaded, entry, there_and_back
from tests.tiers import first_quick

CASES: Final = cases()
CURSOR: Final = f"{HOME}/.cursor/mcp.json"
CODE: Final = f"{HOME}/.config/Code/User/mcp.json"
CODEX: Final = f"{HOME}/.codex/config.toml"
GOOSE: Final = f"{HOME}/.config/goose/config.yaml"
CONTINUE: Final = f"{HOME}/.continue/config.yaml"
ZED: Final = f"{HOME}/.config/zed/settings.json"
OPENCODE: Final = f"{HOME}/.config/opencode/opencode.json"
CLAUDE: Final = f"{HOME}/project/.mcp.json"


def entries_of_case(file: str) -> list[EntryText]:
    case = CASES[file]
    report = case.read()
    return [as_loaded(EntryText(case.data, report, one)) for one in report.servers]


def writable(file: str) -> list[EntryText]:
    """The entries with a command that can be wrapped."""
    found = []
    for one in entries_of_case(file):
        if one.server.command is None:
            continue
        try:
            wrapped(one, PROXY)
        except CannotWrap:
            continue
        found.append(one)
    return found


def plain(one: EntryText, data: bytes) -> Any:
    tree = read_document(data, format_as_read(one.file)).tree
    assert tree is not None
    return tree.plain()


def without_command(one: EntryText, data: bytes) -> Any:
    """All values of a file, without the command and the arguments of the entry."""
    tree = read_document(data, format_as_read(one.file)).tree
    assert tree is not None
    report = again(one, data)
    mine = report.server.entry.tree
    assert report.file.tree is not None

    def values(at: Any) -> Any:
        if at is mine:
            rest = {"command", "cmd", "args"}
            return {key: values(each) for key, each in at.members.items() if key not in rest}
        if at.members:
            return {key: values(each) for key, each in at.members.items()}
        return [values(each) for each in at.items] if at.items else at.plain()

    return values(report.file.tree)


def test_most_entries_with_a_command_can_be_wrapped() -> None:
    count = sum(len(writable(file)) for file in CASES)
    assert count > 60


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_an_entry_of_a_case_comes_back_to_the_byte(file: str) -> None:
    for one in writable(file):
        data, back = there_and_back(one)
        assert data != one.data
        assert back == one.data
        assert without_command(one, data) == without_command(one, one.data)


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_an_entry_of_a_case_comes_back_without_its_backup(file: str) -> None:
    for one in writable(file):
        _, back = there_and_back(one, has_backup=False)
        assert again(one, back).server.entry.words == one.server.entry.words
        assert without_command(one, back) == without_command(one, one.data)


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_all_entries_of_a_case_come_back_in_any_order(file: str) -> None:
    chosen = writable(file)
    data, before = CASES[file].data, []
    for one in chosen:
        now = as_loaded(again(one, data))
        before.append(now)
        data = wrapped(now, PROXY)
    for one in before:
        data = unwrapped(again(one, data), one)
    assert data == CASES[file].data


@pytest.mark.parametrize("file", first_quick(CASES, 12))
def test_the_difference_has_no_secret(file: str) -> None:
    case = CASES[file]
    for one in writable(file):
        shown = "\n".join(masked_difference(one.file, one.data, wrapped(one, PROXY)))
        assert shown
        assert not [secret for secret in case.secrets if secret in shown]


SECRETS: Final = (
    (
        '{"mcpServers": {"notes": {"command": "npx", "env": {"A": "s\\u0065cret"}}}}',
        "cursor",
        CURSOR,
    ),
    (
        '{"mcpServers": {"notes": {"command": "docker", "args": ["run", "-e", "A=secret", "i"]}}}',
        "cursor",
        CURSOR,
    ),
    (
        "[mcp_servers.notes]\ncommand = 'npx'\nenv.A = '''\nsecret\nsecret\n'''\n",
        "codex",
        CODEX,
    ),
    (
        "extensions:\n  notes:\n    cmd: npx\n    type: stdio\n    envs:\n      A: |\n"
        "        secret\n",
        "goose",
        GOOSE,
    ),
    (
        '{"mcpServers": {"notes": {"command": "npx", "args": ["--token", "secret"]}}}',
        "cursor",
        CURSOR,
    ),
)


@pytest.mark.parametrize(("text", "host", "path"), SECRETS)
def test_a_secret_is_masked_however_it_is_written(text: str, host: str, path: str) -> None:
    one = entry(text, host, path)
    shown = "\n".join(masked_difference(one.file, one.data, wrapped(one, PROXY)))
    assert shown
    assert "secret" not in shown.replace("has a secret", "")
    assert "u0065" not in shown


JSON_FORMS: Final = (
    '{"mcpServers": {"notes": {"command": "npx"}}}',
    '{"mcpServers": {"notes": {"command": "npx", "args": []}}}',
    '{"mcpServers": {"notes": {"command": "npx", "args": null, "env": {"A": "1"}}}}',
    '{"mcpServers":{"notes":{"args":["-y","n"],"command":"npx"}}}',
    '\ufeff{"mcpServers": {"notes": {"command": "n\\u0070x", "args": ["\\/x"]}}}\n',
    '{\r\n\t"mcpServers": {\r\n\t\t"notes": {\r\n'
    '\t\t\t"command": "C:\\\\a b\\\\x.exe"\r\n\t\t}\r\n\t}\r\n}',
    '{"mcpServers": {"notes": {"command": "npx", "args": ["-p", 8080, true]}}}',
    '{"mcpServers": {"notes": {"command": "npx -y notes", "args": ["--x"]}}}',
    '{"mcpServers": {"notes": {"command": "npx -y notes"}, "b": {"command": "b"}}}',
    '{"mcpServers": {"notes": {"command": "npx",\n "args": [\n  "${env:X}",\n  "--"\n ]}}}',
    '{"mcpServers": {"\\u006eotes": {"command": "npx", "disabled": true, "autoApprove": ["a"]}}}',
)


@pytest.mark.parametrize("text", JSON_FORMS)
def test_forms_of_json_come_back_to_the_byte(text: str) -> None:
    one = entry(text, "cursor", CURSOR)
    data, back = there_and_back(one)
    assert back == one.data
    assert data.startswith(b"\xef\xbb\xbf") is one.data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == data.count(b"\n") * ("\r" in text)


OTHER_FORMS: Final = (
    (
        '{ // all\n "servers": { /* a */ "notes": { "command": /* b */ "npx", // c\n "args": '
        '[ // d\n "-y", "n", ], }, }, }',
        "vscode",
        CODE,
    ),
    (
        '{"servers": {"notes": {"type": "stdio", "command": "npx" /* c */ , "env": {}}}}',
        "vscode",
        CODE,
    ),
    ('{"context_servers": {"notes": {"command": {"path": "npx", "args": ["-y"]}}}}', "zed", ZED),
    ('{"context_servers": {"notes": {"command": {"path": "npx", "env": {"A": "b"}}}}}', "zed", ZED),
    ('{"mcp": {"notes": {"type": "local", "command": ["npx", "-y", "n"]}}}', "opencode", OPENCODE),
    (
        '{"mcp": {"notes": {"type": "local", "command": [\n  "npx", // one\n  "-y"\n]}}}',
        "opencode",
        OPENCODE,
    ),
    ('[mcp_servers.notes]\ncommand = "npx"', "codex", CODEX),
    ('[mcp_servers.notes]\r\ncommand = "npx" # c\r\nenabled = false\r\n', "codex", CODEX),
    (
        "[mcp_servers]\nnotes = { command = 'np\"x', args = [ '-y', ], enabled = true }\n",
        "codex",
        CODEX,
    ),
    ('[mcp_servers]\nnotes = { command = "npx" }\n', "codex", CODEX),
    ('mcp_servers.notes.command = "npx"\nmodel = "x"\n', "codex", CODEX),
    ('mcp_servers."notes".command = "npx"\nmcp_servers."notes".args = []\n', "codex", CODEX),
    (
        '[mcp_servers.notes.env]\nA = "b"\n[mcp_servers.notes]\nargs = [\n  # why\n  "-y",\n]\n'
        "command = '''npx'''\nx = nan\n",
        "codex",
        CODEX,
    ),
    (
        "extensions:\n  notes:\n    type: stdio\n    cmd: npx # c\n    enabled: true\n",
        "goose",
        GOOSE,
    ),
    ("extensions:\n  notes: {type: stdio, cmd: npx, args: [-y, n]}\n", "goose", GOOSE),
    ("extensions:\n  notes: {type: stdio, cmd: npx}", "goose", GOOSE),
    (
        "extensions:\r\n  notes:\r\n    args:\r\n    - -y\r\n    - n\r\n    cmd: npx\r\n"
        "    type: stdio\r\n",
        "goose",
        GOOSE,
    ),
    ("mcpServers:\n- command: npx\n  name: notes\n", "continue", CONTINUE),
    (
        "mcpServers:\n  - name: notes\n    command: 'npx'\n    args:\n      - \"-y\"\n      # c\n"
        "      - a: b\n",
        "continue",
        CONTINUE,
    ),
    ("mcpServers:\n  - name: notes\n    args:\n      - -y\n    command: npx", "continue", CONTINUE),
)


@pytest.mark.parametrize(("text", "host", "path"), OTHER_FORMS)
def test_forms_of_other_formats_come_back_to_the_byte(text: str, host: str, path: str) -> None:
    one = entry(text, host, path)
    _, back = there_and_back(one)
    assert back == one.data
    _, back = there_and_back(one, has_backup=False)
    assert again(one, back).server.entry.words == one.server.entry.words


def test_the_entry_keeps_all_but_its_command_and_arguments() -> None:
    keys: dict[str, Any] = {
        "command": "npx",
        "args": ["-y", "${env:X}"],
        "env": {"A": "b"},
        "cwd": "/w",
    }
    keys |= {"type": "stdio", "disabled": True, "autoApprove": ["x"]}
    one = entry(json.dumps({"mcpServers": {"notes": keys}}), "cursor", CURSOR)
    data = wrapped(one, PROXY)
    assert json.loads(data)["mcpServers"]["notes"] == keys | {
        "command": PROXY[0],
        "args": [*PROXY[1:], "npx", "-y", "${env:X}"],
    }


REWRITTEN: Final[tuple[dict[str, Any], ...]] = (
    {"command": "npx"},
    {"command": "npx", "args": ["-y", "n"], "env": {"A": "b"}},
    {"command": "npx -y n"},
    {"args": None, "command": "npx"},
)


@pytest.mark.parametrize("keys", REWRITTEN)
@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_only_the_entry_comes_back_in_a_file_that_its_host_wrote_again(
    keys: dict[str, Any], indent: Any
) -> None:
    whole = {"mcpServers": {"a": {"command": "a"}, "notes": keys}}
    one = entry(json.dumps(whole, indent=4), "cursor", CURSOR)
    now = json.loads(wrapped(one, PROXY))
    servers = {"notes": dict(sorted(now["mcpServers"]["notes"].items())), "z": {"command": "z"}}
    text = json.dumps({"new": 1, "mcpServers": servers}, indent=indent)
    for before in (one, None):
        back = json.loads(unwrapped(again(one, text.encode()), before))
        entry_now = back["mcpServers"].pop("notes")
        assert back == {"new": 1, "mcpServers": {"z": {"command": "z"}}}
        if before is not None:
            assert entry_now == keys
        else:
            words = again(one, json.dumps({"mcpServers": {"notes": entry_now}}).encode())
            assert words.server.entry.words == one.server.entry.words


def test_an_argument_that_was_added_to_a_wrapped_entry_stays() -> None:
    text = '{"mcpServers": {"notes": {"command": "npx -y n", "args": ["a"]}}}'
    one = entry(text, "cursor", CURSOR)
    later = wrapped(one, PROXY).replace(b'"a"', b'"a", "--more"')
    back = json.loads(unwrapped(again(one, later), one))
    assert back["mcpServers"]["notes"] == {"command": "npx", "args": ["-y", "n", "a", "--more"]}


def test_the_lines_of_an_entry_stay_lines() -> None:
    """What is added to a list with a line for each item has a line of its own."""
    text = (
        '{\n\t"mcpServers": {\n\t\t"notes": {\n\t\t\t"command": "npx",\n\t\t\t"args": [\n'
        '\t\t\t\t"-y"\n\t\t\t]\n\t\t}\n\t}\n}\n'
    )
    data = wrapped(entry(text, "cursor", CURSOR), PROXY).decode()
    words = ", ".join(f'"{one}"' for one in PROXY[1:])
    program = text.replace('"npx"', f'"{PROXY[0]}"')
    assert data == program.replace('\t"-y"', f'\t{words}, "npx",\n\t\t\t\t"-y"')
    lines = wrapped(entry(OTHER_FORMS[6][0], "codex", CODEX), PROXY).decode().split("\n")
    assert lines[1:] == [f'command = "{PROXY[0]}"', f'args = [{words}, "npx"]']


def test_a_block_that_its_host_wrote_again_comes_back() -> None:
    one = entry(OTHER_FORMS[13][0], "goose", GOOSE)
    lines = ["extensions:", "  notes:", "    args:", *(f"    - '{each}'" for each in PROXY[1:])]
    text = "\n".join([*lines, "    - npx", f"    cmd: {PROXY[0]}", "    type: stdio", ""])
    back = unwrapped(again(one, text.encode()), None)
    assert back == b"extensions:\n  notes:\n    args: []\n    cmd: npx\n    type: stdio\n"


REFUSED: Final = (
    ('{"mcpServers": {"notes": {"url": "ws://a.example/mcp"}}}', "cursor", CURSOR),
    ('{"mcpServers": {"notes": {"command": "cd x && npx n"}}}', "cursor", CURSOR),
    ('{"mcpServers": {"notes": {"command": "npx", "args": "-y n"}}}', "cursor", CURSOR),
    ('{"mcpServers": {"notes": {"command": "a"}, "notes": {"command": "b"}}}', "cursor", CURSOR),
    ('{"mcpServers": {"notes": {"command": "a", "command": "b"}}}', "cursor", CURSOR),
    ('{"servers": {"notes": {"command": "npx"}}}', "cursor", CURSOR),
    (
        '{"mcpServers": {"notes": {"command": "signoff", "args": ["proxy", "--", "npx"]}}}',
        "cursor",
        CURSOR,
    ),
    (
        '{"mcpServers": {"notes": {"command": "npx"}}}',
        "claude-code",
        "/etc/claude-code/managed-mcp.json",
    ),
    (
        '{"mcpServers": {"notes": {"command": "npx"}}}',
        "signoff",
        f"{HOME}/.config/signoff/servers.json",
    ),
    (
        "extensions:\n  a: {type: stdio, cmd: a, args: &x [b]}\n"
        "  notes: {type: stdio, cmd: npx, args: *x}\n",
        "goose",
        GOOSE,
    ),
    (
        "extensions:\n  a: &x {type: stdio, cmd: npx}\n  notes:\n    <<: *x\n    enabled: true\n",
        "goose",
        GOOSE,
    ),
    (
        "extensions:\n  a: &x {type: stdio, cmd: npx, args: [a]}\n  notes: *x\n",
        "goose",
        GOOSE,
    ),
)


@pytest.mark.parametrize(("text", "host", "path"), REFUSED)
def test_what_cannot_be_wrapped_has_a_reason_with_its_place(
    text: str, host: str, path: str
) -> None:
    with pytest.raises(CannotWrap, match=r"^notes \(/.*:\d+\) (is|has|belongs)"):
        wrapped(entry(text, host, path), PROXY)


def test_an_entry_that_is_not_wrapped_is_not_unwrapped() -> None:
    with pytest.raises(CannotWrap, match="is not wrapped"):
        unwrapped(entry(JSON_FORMS[0], "cursor", CURSOR), None)


@pytest.mark.parametrize(
    "words",
    [
        ["signoff", "proxy", "--", "npx", "-y"],
        ["/opt/x/signoff", "proxy", "--as", "codex", "--", "npx", "-y"],
        ["C:\\x\\signoff.exe", "proxy", "--policy", "p", "--", "npx", "-y"],
        ["/usr/bin/python3", "-m", "signoff.app", "proxy", "--", "npx", "-y"],
        ["python", "-P", "-m", "signoff", "proxy", "--", "npx", "-y"],
        ["uvx", "--from", "git+https://x.example/s", "signoff", "proxy", "--", "npx", "-y"],
        ["signoff", "proxy", "--", "signoff", "proxy", "--", "npx", "-y"],
    ],
)
def test_the_real_command_is_read_behind_every_way_to_start_the_proxy(words: list[str]) -> None:
    keys = {"command": words[0], "args": words[1:]}
    one = entry(json.dumps({"mcpServers": {"notes": keys}}), "cursor", CURSOR)
    assert (one.server.command, one.server.args) == ("npx", ("-y",))
    assert one.server.details["through"] == "signoff proxy"


@pytest.mark.parametrize(
    "words",
    [
        ["signoff", "proxy", "npx"],
        ["signoff", "proxy", "--"],
        ["signoff", "demo", "proxy", "--", "npx"],
        ["proxy", "--", "npx"],
        ["node", "signoff", "proxy", "--", "npx"],
        ["python", "signoff", "proxy", "--", "npx"],
    ],
)
def test_another_command_is_no_proxy(words: list[str]) -> None:
    keys = {"command": words[0], "args": words[1:]}
    one = entry(json.dumps({"mcpServers": {"notes": keys}}), "cursor", CURSOR)
    assert not one.server.entry.proxy
    assert one.server.entry.words == words
