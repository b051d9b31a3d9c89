"""Commands on a server of a configuration file: nothing starts without consent to exactly that."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import raw
from tests.transport.webbed import scripted

PROSE = approved("cli-servers")
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


class Project:
    """A home, and in it a project with a file of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        (self.work / ".git").mkdir()
        self.started = folder / "started"
        self.command(f"open({str(self.started)!r}, 'w')")

    def command(self, code: str) -> None:
        """Make `a` a server that runs this code first, then answers as the scripted one."""
        words = raw()
        text = f"import runpy, sys; {code}; sys.argv = {words[1:]!r}; "
        text += f"runpy.run_path({words[1]!r}, run_name='__main__')"
        self.write({"command": sys.executable, "args": ["-c", text]})

    def write(self, entry: dict[str, Any], name: str = "a") -> None:
        whole = {"mcpServers": {name: entry}}
        (self.work / ".mcp.json").write_text(json.dumps(whole), encoding="utf-8")

    def run(self, *words: str, **environ: str) -> Ended:
        home = str(self.home)
        return run(self.work, *words, HOME=home, USERPROFILE=home, **environ)

    def digest(self) -> str:
        return str(self.run("servers", "show", "a", "--json").report["digest"])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_without_a_person_nothing_starts_and_the_digest_is_given(project: Project) -> None:
    ended = project.run("tools", "--server", "a", "--no-trust")
    assert ended.status == 3
    assert ended.stdout == ""
    assert not project.started.exists()
    digests = set(DIGEST.findall(ended.stderr))
    assert digests == {project.digest()}
    project.write({"command": "no-such-npx", "args": ["-y", "server"], "env": {"TOKEN": "s3cret"}})
    shown = project.run("tools", "--server", "a").stderr
    assert "s3cret" not in shown
    named = {"DIGEST": DIGEST.findall(shown)[0], "WORK": project.work.resolve()}
    PROSE.holds("a start that nobody agreed to", shown, **named)


def test_the_digest_starts_exactly_this(project: Project) -> None:
    digest = project.digest()
    wrong = project.run("tools", "--server", "a", "--start", "0" * 16)
    assert (wrong.status, project.started.exists()) == (3, False)
    ended = project.run("tools", "--server", "claude-code/a", "--start", digest, "--json")
    assert ended.status == 0
    assert ended.report["tools"]
    assert project.started.exists()
    assert project.run("servers", "consents", "--json").report["consents"] == []


@pytest.mark.parametrize("change", ["command", "variable", "other entry"])
def test_a_pulled_file_needs_another_digest(project: Project, change: str) -> None:
    digest = project.digest()
    if change == "command":
        project.command("print('other', file=sys.stderr)")
    else:
        file = project.work / ".mcp.json"
        value = json.loads(file.read_text("utf-8"))
        if change == "variable":
            value["mcpServers"]["a"]["env"] = {"NODE_OPTIONS": "--require ./evil.js"}
        else:
            value["mcpServers"]["b"] = {"command": "x"}
        file.write_text(json.dumps(value), encoding="utf-8")
    assert project.run("tools", "--server", "a", "--start", digest).status == 3
    assert not project.started.exists()


def test_what_makes_no_sense(project: Project) -> None:
    lines = []
    for words in (
        ("tools", "--server", "b"),
        ("tools", "demo", "--server", "a"),
        ("tools", "demo", "--host", "cursor"),
        ("tools", "demo", "--start", "1"),
        ("tools", "--config", "none.json"),
        ("tools", "--server", "a", "--host", "nix"),
        ("tools", "--server", "a", "--header", "X=$HOME", "--start", project.digest()),
        ("servers", "forget"),
        ("servers", "forget", "nix"),
    ):
        ended = project.run(*words)
        assert ended.status == 2, words
        lines.append(ended.stderr.strip())
    assert not project.started.exists()
    PROSE.holds("mistakes with --server", "\n".join(lines))


def test_a_value_that_is_asked_for_is_given_or_named(project: Project) -> None:
    whole = {
        "inputs": [{"type": "promptString", "id": "key"}],
        "servers": {"v": {"command": "x", "args": ["${input:key}", "${env:NONE}"]}},
    }
    (project.work / ".vscode").mkdir()
    (project.work / ".vscode" / "mcp.json").write_text(json.dumps(whole), encoding="utf-8")
    first = project.run("tools", "--server", "v")
    second = project.run("servers", "show", "v", NONE="1")
    named = {"WORK": project.work.resolve()}
    assert (first.status, second.status) == (2, 2)
    PROSE.holds("values that are missing", first.stderr + second.stderr, **named)
    shown = project.run("servers", "show", "v", "--value", "key=$HOME", "--json", NONE="1")
    assert shown.report["argv"][0] == "x"
    assert str(project.home) not in shown.report["argv"][1]


def test_an_address_is_opened_with_its_headers(project: Project) -> None:
    with scripted() as (url, _):
        headers = {"Authorization": "Bearer ${API_TOKEN}"}
        project.write({"type": "http", "url": url, "headers": headers})
        shown = project.run("servers", "show", "a", "--json", API_TOKEN="s3cret-token")
        assert shown.report["headers"] == ["Authorization"]
        words = ("--server", "a", "--start", shown.report["digest"])
        capture = project.folder / "capture"
        ended = project.run(
            "tools", *words, "--json", "--capture", str(capture), API_TOKEN="s3cret-token"
        )
        assert ended.status == 0
        assert "s3cret" not in ended.stdout + ended.stderr + shown.stdout
        assert b"s3cret" not in capture.read_bytes()


def test_a_hostile_repository_starts_and_reads_nothing(project: Project) -> None:
    outside = project.folder / "outside.json"
    outside.write_text('{"mcpServers": {"o": {"command": "x"}}}')
    (project.work / ".mcp.json").unlink()
    (project.work / ".mcp.json").symlink_to(outside)
    assert "o" not in project.run("servers").stdout.split()
    assert project.run("tools", "--server", "o").status == 2
    (project.work / ".mcp.json").unlink()
    (project.work / ".mcp.json").write_bytes(b" " * 100_000_000)
    assert project.run("tools", "--server", "a").status == 2
    evil = {"command": "x\x1b]0;pwned\x07", "args": ["a" * 5_000]}
    project.write(evil, "a\u202e")
    ended = project.run("tools", "--config", ".mcp.json")
    assert ended.status == 3
    assert "\x1b" not in ended.stderr
    assert "\u202e" not in ended.stderr


def test_an_entry_is_printed_for_another_host_and_written_nowhere(project: Project) -> None:
    project.write({"command": "npx", "args": ["x"], "env": {"API_KEY": "s3cret-s3cret"}})
    before = sorted(project.home.rglob("*"))
    ended = project.run("servers", "export", "a", "--for", "vscode")
    assert ended.status == 0
    value = json.loads(ended.stdout)["servers"]["a"]
    assert value["command"] == "npx"
    assert value["env"] == {"API_KEY": "${env:API_KEY}"}
    assert "s3cret" not in ended.stdout + ended.stderr
    PROSE.holds("notes of an export", ended.stderr)
    shown = project.run("servers", "export", "a", "--for", "vscode", "--show-secrets", "--json")
    assert "s3cret-s3cret" in shown.report["text"]
    assert sorted(project.home.rglob("*")) == before
    for words in (("a", "--for", "nix"), ("b", "--for", "cursor"), ("a", "--for", "mcpb")):
        assert project.run("servers", "export", *words).status == 2
