"""A configured server as it would be started: variables filled, secrets hidden, one digest."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from signoff.app.hosts.files.choosing import NoSuchServer, choose_server
from signoff.app.hosts.files.servers import FileReport, Machine
from signoff.app.hosts.files.starting import CannotStart, ServerStart, prepare_start
from signoff.app.presentation.starts import start_facts, start_json
from tests.approved import approved
from tests.hosts.files.given import ENVIRON, HOME, cases, entry, read

PROSE = approved("starts")
CASES = cases()
FOLDER = f"{HOME}/project"


def machine(**environ: str) -> Machine:
    return Machine(HOME, FOLDER, {**ENVIRON, **environ}, "linux")


def start_of(
    report: FileReport, given: dict[str, str] | None = None, *, root: str = "", **environ: str
) -> ServerStart:
    """The start of the only server of a file."""
    report = replace(report, root=root)
    return prepare_start(report.servers[0], report, machine(**environ), given or {})


def filled(host: str, text: str, given: dict[str, str] | None = None, **environ: str) -> str:
    """A text as an argument of a server of a host."""
    keys: dict[str, Any] = {"command": "run", "args": [text]}
    if host == "opencode":
        keys = {"type": "local", "command": ["run", text]}
    elif host == "crush":
        keys["type"] = "stdio"
    return start_of(entry(host, **keys), given, root=FOLDER, **environ).argv[1]


def refused(report: FileReport, given: dict[str, str] | None = None, **environ: str) -> CannotStart:
    with pytest.raises(CannotStart) as found:
        start_of(report, given, **environ)
    return found.value


@pytest.mark.parametrize(
    ("host", "text", "value"),
    [
        ("claude-code", "a${V}b", "a1b"),
        ("claude-code", "${NONE:-d}", "d"),
        ("claude-code", "${V:-d}", "1"),
        ("claude-code", "${NONE:-a${V}}", "a${V}"),
        ("gemini-cli", "${NONE:-a${V}}", "a1"),
        ("claude-code", "$V", "$V"),
        ("claude-code", "${env:V}", "${env:V}"),
        ("claude-code", "${V%x}", "${V%x}"),
        ("vscode", "${env:V}/${V}", "1/${V}"),
        ("vscode", "${workspaceFolder}/x", f"{FOLDER}/x"),
        ("vscode", "${workspaceFolderBasename}", "project"),
        ("cursor", "${userHome}${/}x", f"{HOME}{os.sep}x"),
        ("gemini-cli", "$V", "1"),
        ("gemini-cli", "x $V", "x 1"),
        ("opencode", "{env:V}", "1"),
        ("claude-desktop", "${V}", "${V}"),
        ("crush", "$V", "1"),
    ],
)
def test_variables_are_filled_as_the_host_does(host: str, text: str, value: str) -> None:
    assert filled(host, text, V="1") == value


def test_a_value_is_not_filled_again() -> None:
    assert filled("claude-code", "${V}", V="${HOME}$(id)") == "${HOME}$(id)"


@drawn(st.text(alphabet="${}:-aV env/%()", max_size=30))
def test_no_text_breaks_the_filling(text: str) -> None:
    for host in ("claude-code", "vscode", "gemini-cli"):
        with contextlib.suppress(CannotStart):
            assert isinstance(filled(host, text, V="1", a="2"), str)


def test_what_is_missing_is_named_all_at_once() -> None:
    unset = refused(entry("vscode", command="x", args=["${env:ONE}"], env={"A": "${env:TWO}"}))
    assert unset.needs == ()
    asked = refused(entry("vscode", command="x", args=["${input:one}", "${input:two}"]))
    assert [one.name for one in asked.needs] == ["one", "two"]
    both = refused(entry("vscode", command="x", args=["${input:one}", "${env:ONE}"]))
    assert both.needs == ()
    PROSE.holds("what is missing", "\n".join(map(str, (unset, asked, both))))


def test_what_was_given_fills_the_needs() -> None:
    report = entry("vscode", command="x", args=["--key", "${input:one}"])
    start = start_of(report, {"one": "of the person"})
    assert start.argv == ("x", "--key", "of the person")


@pytest.mark.parametrize(
    ("host", "keys", "need"),
    [
        (
            "crush",
            {"type": "stdio", "command": "x", "args": ["$(cat ~/.token)"]},
            "$(cat ~/.token)",
        ),
        ("windsurf", {"command": "x", "args": ["${file:/etc/passwd}"]}, "/etc/passwd"),
        ("opencode", {"type": "local", "command": ["x", "{file:/etc/passwd}"]}, "/etc/passwd"),
    ],
)
def test_nothing_is_run_or_read_for_a_value(host: str, keys: dict[str, Any], need: str) -> None:
    report = entry(host, **keys)
    assert [one.name for one in refused(report).needs] == [need]
    assert start_of(report, {need: "typed"}).argv == ("x", "typed")


def test_a_store_of_the_host_is_not_opened() -> None:
    text = "mcpServers:\n  - name: a\n    command: x\n    env:\n      K: ${{ secrets.KEY }}\n"
    report = read(text, "continue", f"{HOME}/.continue/config.yaml")
    assert [one.name for one in refused(report).needs] == ["KEY"]
    goose = "extensions:\n  a:\n    type: stdio\n    cmd: x\n    env_keys: [KEY]\n"
    of_goose = read(goose, "goose", f"{HOME}/.config/goose/config.yaml")
    assert [one.name for one in refused(of_goose).needs] == ["KEY"]
    assert dict(start_of(of_goose, {"KEY": "k"}).env) == {"KEY": "k"}


def test_a_headers_helper_is_not_run() -> None:
    report = entry(type="http", url="https://a.example/mcp", headersHelper="get-headers")
    assert "headersHelper" in str(refused(report))
    start = prepare_start(report.servers[0], report, machine(), {}, [("X-Key", "1")])
    assert dict(start.headers) == {"X-Key": "1"}


def test_an_env_file_is_read_in_its_project_alone(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / ".env").write_text("# no\nA=1\nexport B = 'two words'\nnonsense\n")
    (tmp_path / "outside").write_text("C=3\n")
    (tmp_path / "p" / "link").symlink_to(tmp_path / "outside")
    root = str(tmp_path / "p")
    report = entry("vscode", command="x", envFile="${workspaceFolder}/.env", env={"A": "9"})
    assert dict(start_of(report, root=root).env) == {"A": "9", "B": "two words"}
    for path in ("../outside", "link", "none"):
        with pytest.raises(CannotStart):
            start_of(entry("vscode", command="x", envFile=path), root=root)


def test_the_folder_is_that_of_the_project() -> None:
    assert start_of(entry(command="x"), root="/srv/app").folder == "/srv/app"
    assert start_of(entry(command="x")).folder == FOLDER
    report = entry("vscode", command="x", cwd="${workspaceFolder}/sub/../other")
    assert start_of(report, root="/srv/app").folder == "/srv/app/other"


def test_codex_copies_variables_by_their_names() -> None:
    text = (
        '[mcp_servers.a]\nurl = "https://a.example/mcp"\nbearer_token_env_var = "T"\n'
        'env_http_headers = { "X-Key" = "K" }\n'
    )
    report = read(text, "codex", f"{HOME}/.codex/config.toml")
    plain = read('[mcp_servers.a]\ncommand = "${V}"\n', "codex", f"{HOME}/.codex/config.toml")
    assert start_of(plain, V="1").argv == ("${V}",)
    start = start_of(report, T="tok", K="key")
    assert dict(start.headers) == {"X-Key": "key", "Authorization": "Bearer tok"}
    assert refused(report).needs == ()


def test_headers_of_the_transport_are_left_out_and_broken_ones_stop_it() -> None:
    good = entry(type="http", url="https://a.example/", headers={"Host": "b", "X": "${V}"})
    assert dict(start_of(good, V="1").headers) == {"X": "1"}
    for value in ("a\r\nHost: b", ""):
        assert refused(good, V=value)


def test_given_headers_go_before_those_of_the_file() -> None:
    report = entry(type="http", url="https://a.example/", headers={"authorization": "${NONE}"})
    start = prepare_start(report.servers[0], report, machine(), {}, [("Authorization", "mine")])
    assert dict(start.headers) == {"Authorization": "mine"}


def test_an_odd_address_is_not_opened() -> None:
    for url in ("file:///etc/passwd", "javascript:alert(1)", "https://", "http://[", "ws://a/"):
        assert refused(entry(type="http", url=url))


def base() -> FileReport:
    return entry(command="x", args=["1"], env={"A": "1"})


def test_another_program_argument_folder_variable_or_entry_is_another_start() -> None:
    first = start_of(base())
    others = [
        start_of(entry(command="y", args=["1"], env={"A": "1"})),
        start_of(entry(command="x", args=["2"], env={"A": "1"})),
        start_of(entry(command="x", args=["1"], env={"A": "1", "NODE_OPTIONS": "--require x"})),
        start_of(entry(command="x", args=["1"], env={"A": "2"})),
        start_of(base(), root="/elsewhere"),
    ]
    assert len({first.digest, *(one.digest for one in others)}) == 6
    assert start_of(base()).digest == first.digest


def test_each_part_of_a_start_is_in_its_digest_and_the_digest_is_whole() -> None:
    first = replace(start_of(base()), headers=(("A", "1"),), url="https://a.example/")
    others = [
        replace(first, transport="http"),
        replace(first, argv=("x", "2")),
        replace(first, folder="/elsewhere"),
        replace(first, env=(("B", "1"),)),
        replace(first, url="https://b.example/"),
        replace(first, headers=(("B", "1"),)),
        replace(first, file="/other.json"),
        replace(first, name="other"),
        replace(first, bound_to="other"),
    ]
    assert len({first.digest, *(one.digest for one in others)}) == 10
    assert len(first.digest) == 64
    assert replace(first, headers=(("a", "2"),)).digest == first.digest


def test_in_a_project_another_file_is_another_start() -> None:
    report = base()
    other = replace(report, sha256="0" * 64)
    assert start_of(report).digest == start_of(other).digest
    assert start_of(report, root="/p").digest != start_of(other, root="/p").digest


def test_the_value_of_a_variable_outside_is_not_part_of_the_digest() -> None:
    report = entry(command="x", env={"TOKEN": "${T}"})
    assert start_of(report, T="1").digest == start_of(report, T="2").digest


def test_no_secret_is_shown() -> None:
    report = entry(
        "vscode",
        command="x",
        args=["${input:key}", "--password", "hunter2-hunter2", "${env:MY_TOKEN}"],
        env={"A": "of-the-environment"},
    )
    start = start_of(report, {"key": "typed-by-hand"}, MY_TOKEN="abc-of-env")
    facts = start_facts(start, None, is_for_question=False)
    lines = [f"{one.label}: {one.words}" for one in facts]
    shown = "\n".join((*lines, json.dumps(start_json(start)), repr(start)))
    secrets = ("typed-by-hand", "hunter2", "of-the-environment", "abc-of-env")
    assert not [one for one in secrets if one in shown]
    PROSE.holds("a start with secrets", "\n".join(lines[:-1]))


def test_every_case_starts_or_says_why() -> None:
    started = 0
    for case in CASES.values():
        report = case.read()
        for server in report.servers:
            try:
                start = prepare_start(server, report, machine(), {})
            except CannotStart as problem:
                shown = str(problem)
            else:
                started += 1
                shown = repr(start) + str(start.facts()) + str(start_json(start))
            assert not [one for one in case.secrets if one in shown], case.path
    assert started > 50


def test_a_hostile_entry_puts_no_sign_on_the_terminal() -> None:
    report = entry(command="x\x1b[2J", args=["\u202etxt", "a\nb"], env={"A\x07": "1"})
    start = start_of(report)
    for one in start_facts(start, None):
        assert one.words.isprintable(), one
    PROSE.holds("a hostile start", "\n".join(one.words for one in start_facts(start, None)[:-1]))


def test_a_variable_that_no_process_can_have() -> None:
    for name, value in (("A=B", "1"), ("A", "1\0"), ("", "1")):
        assert refused(entry(command="x", env={name: value}))


def two(*names: str, host: str = "cursor", file: str = "/a.json") -> FileReport:
    whole = {"mcpServers": {name: {"command": name} for name in names}}
    return replace(read(json.dumps(whole), host, file), host=host)


def test_a_server_is_found_by_its_name_or_with_its_host() -> None:
    files = [two("a", "b"), two("b", "io.x/y", host="windsurf", file="/w.json")]
    assert choose_server(files, "a")[0].name == "a"
    assert choose_server(files, "windsurf/b")[1].file == "/w.json"
    assert choose_server(files, "io.x/y")[0].name == "io.x/y"
    assert choose_server(files[:1], "cursor/a")[0].name == "a"
    assert choose_server([two("only")], "")[0].name == "only"


def test_a_name_of_none_or_of_several_lists_what_there_is() -> None:
    files = [two("tracker", "b"), two("b", host="windsurf", file="/w.json"), two("b", file="/c")]
    words = []
    for name in ("trackr", "b", "cursor/b", ""):
        with pytest.raises(NoSuchServer) as found:
            choose_server(files, name)
        words.append(str(found.value))
    PROSE.holds("servers that are not found", "\n".join(words))


def test_a_server_that_its_host_would_load_goes_first() -> None:
    first, second = two("b"), two("b", file="/c.json")
    hidden = replace(first, servers=(replace(first.servers[0], is_effective=False),))
    assert choose_server([hidden, second], "b")[1].file == "/c.json"


def test_the_variables_that_are_filled_in_are_named() -> None:
    report = entry(type="http", url="https://a.example/", headers={"X-Trace": "${AWS_SECRET}"})
    start = start_of(report, AWS_SECRET="s3cret-s3cret")
    facts = {one.label: one.words for one in start_facts(start, None)}
    assert "AWS_SECRET" in facts["uses"]
    assert "s3cret" not in str(facts)


def test_consent_covers_the_env_file_and_the_real_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / ".env").write_text("PATH=/usr/bin\n")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "a")
    report = entry("vscode", command="x", envFile="${workspaceFolder}/.env", cwd="link")
    first = start_of(report, root=str(tmp_path))
    assert first.folder == str((tmp_path / "a").resolve())
    (tmp_path / ".env").write_text("PATH=/evil\n")
    second = start_of(report, root=str(tmp_path))
    link.unlink()
    link.symlink_to(tmp_path / "b")
    third = start_of(report, root=str(tmp_path))
    assert len({first.digest, second.digest, third.digest}) == 3


def test_a_server_named_like_a_server_of_a_host_does_not_take_its_place() -> None:
    files = [two("cursor/b", host="claude-code", file="/p/.mcp.json"), two("b")]
    with pytest.raises(NoSuchServer):
        choose_server(files, "cursor/b")


def test_exactly_the_chosen_entry_is_taken() -> None:
    report = two("a", "b")
    spots = [one.spot for one in report.servers]
    hidden = replace(report, servers=(report.servers[0], replace(report.servers[1], name="a")))
    assert choose_server([hidden], "a", spots[1])[0].spot == spots[1]


def test_entries_of_other_projects_do_not_count() -> None:
    whole = {
        "mcpServers": {"a": {"command": "of-person"}},
        "projects": {
            "/p": {"mcpServers": {"a": {"command": "of-p"}}},
            "/q": {"mcpServers": {"a": {"command": "of-q"}}},
        },
    }
    report = read(json.dumps(whole), "claude-user", f"{HOME}/.claude.json")
    for folder, command in (("/p", "of-p"), ("/q", "of-q"), ("/r", "of-person")):
        assert choose_server([report], "a", folder=folder)[0].command == command
