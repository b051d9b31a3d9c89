"""`signoff servers`: files of several hosts, as lines and as JSON, with the statuses of CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.servers.command import server_lines
from signoff.app.hosts.files.problems import ERROR, ConfigProblem
from signoff.app.hosts.files.servers import FileReport
from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import Ended, run
from tests.storage.stored import FILE

PROSE = approved("cli-servers")
WRONG = ConfigProblem("too-large", ERROR, "the file is too large")
SECRET = "3f9a1c7e5b2d8046" * 2

CURSOR = """{
  // comments are not read
  "mcpServers": {
    "api": { "url": "https://api.example/mcp", "headers": { "X-Key": "${API_KEY}" } }
  }
}
"""
CODEX = """approval_policy = "on-request"
[mcp_servers.tracker]
command = "node"
args = ["/srv/tracker.js", "--token", "SECRET"]
default_tools_approval_mode = "writes"
"""
GOOSE = """extensions:
  notes:
    type: stdio
    cmd: uvx
    args: [notes-mcp==1.2.0]
    enabled: true
"""


class Desk:
    """A home with files of hosts, and a project in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        (self.work / ".git").mkdir()

    def write(self, path: str, text: str) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.replace("SECRET", SECRET).encode())
        return file

    def run(self, *words: str) -> Ended:
        home = str(self.home)
        ended = run(self.work, "servers", *words, HOME=home, USERPROFILE=home, APPDATA=home)
        assert SECRET not in ended.stdout + ended.stderr
        return ended


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path)
    monkeypatch.chdir(made.work)
    return made


def several(desk: Desk) -> None:
    desk.write(".cursor/mcp.json", CURSOR)
    desk.write(".codex/config.toml", CODEX)
    desk.write(".config/goose/config.yaml", GOOSE)
    desk.write("work/.mcp.json", '\ufeff{"mcpServers": {"web": {"url": "https://web.example"}}}')
    desk.write("work/.vscode/mcp.json", '{"servers": {"fn": {"command": "fn-mcp"}},}')
    desk.write(".codeium/windsurf/mcp_config.json", '{"mcpServers": {"a": {}\n')


@pytest.mark.parametrize(("words", "key"), [((), "six hosts"), (("--check",), "six hosts: check")])
def test_files_of_six_hosts_and_their_problems_are_listed(
    desk: Desk, words: tuple[str, ...], key: str
) -> None:
    several(desk)
    ended = desk.run(*words)
    assert ended.status == 4
    PROSE.holds(key, ended.stdout)


def test_json_has_the_shape_of_the_manual(desk: Desk) -> None:
    several(desk)
    report = desk.run("--json").report
    servers = {one["name"]: one for one in report["servers"]}
    assert servers.keys() == {"api", "tracker", "notes", "web", "fn"}
    tracker = servers["tracker"]
    assert (tracker["host"], tracker["scope"], tracker["line"]) == ("codex", "user", 2)
    assert tracker["command"] == "node"
    assert tracker["args"][-1] == "[masked: 32 characters]"
    assert tracker["switches"] == {"mode": "writes"}
    assert servers["api"]["effective"] is False
    assert [one["code"] for one in report["problems"] if one["level"] == "error"] == [
        *("comments", "parse-error"),
    ]
    problem = tracker["problems"][0]
    assert problem.keys() == {
        *("code", "group", "level", "message", "line", "column", "suggestion"),
    }


@pytest.mark.parametrize(
    ("entry", "words", "status"),
    [
        ({"command": "a-mcp"}, (), 0),
        ({"command": "a-mcp"}, ("--strict",), 0),
        ({"command": "a-mcp", "env": {"A": "${NOT_SET_HERE}"}}, (), 0),
        ({"command": "a-mcp", "env": {"A": "${NOT_SET_HERE}"}}, ("--strict", "--check"), 1),
        ({"url": "https://a.example"}, ("--json",), 4),
    ],
)
def test_the_status_is_that_of_the_worst_problem(
    desk: Desk, entry: dict[str, Any], words: tuple[str, ...], status: int
) -> None:
    file = desk.write("work/.mcp.json", json.dumps({"mcpServers": {"a": entry}}, indent=1))
    assert desk.run("--config", str(file), *words).status == status


def test_a_file_is_read_as_the_host_that_is_given(desk: Desk) -> None:
    file = desk.write("work/any.json", '{"mcpServers": {"a": {"url": "https://a.example"}}}')
    as_roo = desk.run("--config", str(file), "--host", "roo", "--json").report
    as_cursor = desk.run("--config", "any.json", "--host", "Cursor", "--json").report
    assert as_roo["servers"][0]["transport"] == "unknown"
    assert as_cursor["servers"][0]["transport"] == "http"
    assert as_cursor["files"][0]["read_as"] == "Cursor"


def test_one_host_alone_is_looked_at_and_wrong_words_are_refused(desk: Desk) -> None:
    PROSE.holds("nothing", desk.run("--host", "goose").stdout)
    several(desk)
    report = desk.run("--host", "goose", "--json").report
    assert {one["host"] for one in report["files"]} == {"goose"}
    missing = desk.run("--config", "nothing\u001b.json")
    strange = desk.run("--host", "cursr")
    assert (missing.status, strange.status) == (2, 2)
    PROSE.holds("wrong words", missing.stderr + strange.stderr)


def test_hostile_names_reach_no_terminal(desk: Desk) -> None:
    name = "a\u001b]52;c;x\u0007\u202e\nb"
    text = json.dumps({"mcpServers": {name: {"command": "\u001b[2J", "\u009b1m": name}}})
    file = desk.write("work/.mcp.json", text)
    for words in ((), ("--check",), ("--json",)):
        ended = desk.run("--config", str(file), *words)
        assert not {"\u001b", "\u0007", "\u202e", "\u009b"} & {*ended.stdout, *ended.stderr}


def test_a_path_is_relative_to_the_nearer_of_the_two_folders() -> None:
    report = FileReport("/home/ada/.cursor/mcp.json", "cursor", "Cursor", "user", (), (WRONG,), {})
    heads = [
        next(server_lines([report], "/home/ada", folder)).partition(":")[0]
        for folder in ("/", "/home", "/home/ada/project", "/home/ada/.cursor")
    ]
    assert heads == ["~/.cursor/mcp.json"] * 3 + ["mcp.json"]


def test_what_is_auto_approved_is_listed_and_counts_under_strict(desk: Desk) -> None:
    desk.write(".codex/config.toml", CODEX.replace("writes", "approve"))
    desk.write(".config/goose/config.yaml", GOOSE)
    listed, strict = desk.run("--auto-approved"), desk.run("--auto-approved", "--strict")
    assert (listed.status, strict.status) == (0, 1)
    assert listed.stdout == strict.stdout
    PROSE.holds("auto-approved tools", listed.stdout)
    one, _ = json.loads(desk.run("--auto-approved", "--json").stdout)["auto_approved"]
    assert (one["host"], one["server"], one["tools"], one["line"]) == ("codex", "tracker", ["*"], 5)
    assert desk.run("--auto-approved", "--strict", "--host", "goose").status == 1
    assert desk.run("--auto-approved", "--strict", "--host", "zed").status == 0
    assert desk.run("--auto-approved", "--check").status == 2


@pytest.mark.parametrize("words", [("consents",), ("recent",), ("forget", "x")])
def test_a_damaged_store_is_named_and_nothing_is_claimed(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    state = tmp_path / "state"
    (state / "signoff").mkdir(parents=True, mode=0o700)
    (state / "signoff" / FILE).write_bytes(b"no database " * 400)
    ended = run(tmp_path, "servers", *words, XDG_STATE_HOME=str(state))
    assert ended.status == ExitStatus.STORE_UNUSABLE
    assert "is damaged" in ended.stderr
    assert "forgotten" not in ended.stdout


@pytest.mark.parametrize("number", ["abc", "٣", "-1", "9" * 19, ""])
def test_an_id_that_is_no_number_revokes_nothing(tmp_path: Path, number: str) -> None:
    assert run(tmp_path, "grants", "revoke", "--", number).status == ExitStatus.USAGE
