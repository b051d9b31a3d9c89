"""`signoff servers add` and `remove`: the own file, its trust and policy, and no other file's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import raw

if sys.platform != "linux":
    pytest.skip("the folder of settings is that of Linux", allow_module_level=True)

PROSE = approved("cli-servers")


class Own:
    """A home without any file."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.file = folder / "config" / "signoff" / "servers.json"

    def run(self, *words: str, stdin: str = "", **environ: str) -> Ended:
        own = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config")}
        return run(self.home, *words, stdin=stdin, **own, **environ)

    def servers(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.file.read_text("utf-8"))["mcpServers"]
        return found


@pytest.fixture
def own(tmp_path: Path) -> Own:
    return Own(tmp_path)


def test_a_server_is_kept_under_its_name_and_removed(own: Own) -> None:
    words = ("--env", "TOKEN", "--env", "MODE=a=b", "--trust", "--policy", "first-use")
    added = own.run("servers", "add", "mine", *words, "--root", "/r", "--", "npx", "-y", "x")
    assert added.status == 0
    assert own.servers() == {
        "mine": {
            "command": "npx",
            "args": ["-y", "x"],
            "cwd": str(own.home.resolve()),
            "env": {"TOKEN": "${TOKEN}", "MODE": "a=b"},
            "trusted": True,
            "policy": "first-use",
            "roots": ["/r"],
        }
    }
    headers = ("--header", "X-Key=$KEY", "--transport", "sse")
    assert own.run("servers", "add", "api", "--url", "https://a.example/", *headers).status == 0
    assert own.servers()["api"] == {
        "type": "sse",
        "url": "https://a.example/",
        "headers": {"X-Key": "${KEY}"},
    }
    removed = own.run("servers", "remove", "mine")
    assert removed.status == 0
    assert list(own.servers()) == ["api"]
    PROSE.holds("added and removed", added.stdout + removed.stdout, HOME=own.home.resolve())


def test_what_makes_no_sense_changes_nothing(own: Own) -> None:
    own.run("servers", "add", "there", "--", "x")
    before = own.file.read_bytes()
    lines = []
    for words in (
        ("add", "there", "--", "x"),
        ("add", "a/b", "--", "x"),
        ("add", "a\u202e", "--", "x"),
        ("add", "n"),
        ("add", "n", "--url", "https://a.example/", "--", "x"),
        ("add", "n", "--env", "A", "--url", "https://a.example/"),
        ("add", "n", "--header", "A=$B", "--", "x"),
        ("add", "n", "--url", "https://a.example/", "--header", "A=s3cret"),
        ("remove", "n"),
    ):
        ended = own.run("servers", *words)
        assert ended.status == 2, words
        lines.append(ended.stderr.strip())
    assert own.file.read_bytes() == before
    assert "s3cret" not in "".join(lines)
    PROSE.holds("mistakes in add and remove", "\n".join(lines), HOME=own.home.resolve())


def test_a_file_that_is_not_understood_is_left(own: Own) -> None:
    own.file.parent.mkdir(parents=True)
    for text in ("{ // mine\n}", "[]", '{"mcpServers": []}'):
        own.file.write_text(text)
        assert own.run("servers", "add", "n", "--", "x").status == 2
        assert own.file.read_text() == text


def added(own: Own) -> str:
    """Add the scripted server as trusted, under a policy; returns the digest of its start."""
    words = ("add", "mine", "--trust", "--policy", "allow-all", "--", *raw("--with", "all"))
    assert own.run("servers", *words).status == 0
    return str(own.run("servers", "show", "mine", "--json").report["digest"])


def answers(report: dict[str, Any]) -> set[str]:
    """The answers of the policy on all tools."""
    return {str(one["verdict"]["answer"]) for one in report["tools"]}


def test_its_trust_and_policy_count_unless_an_option_says_otherwise(own: Own) -> None:
    start = ("--server", "mine", "--start", added(own), "--json")
    found = own.run("tools", *start).report
    assert found["server"]["trust"] == "trusted"
    assert answers(found) == {"allow"}
    other = own.run("tools", *start, "--no-trust", "--policy", "ask-always").report
    assert other["server"]["trust"] == "untrusted"
    assert answers(other) == {"ask"}


def test_a_file_of_another_place_trusts_nothing(own: Own) -> None:
    added(own)
    copies = [own.home / "repo" / ".config" / "signoff" / "servers.json", own.home / "evil.json"]
    for copy in copies:
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(own.file.read_bytes())
        words = ("--config", str(copy), "--host", "signoff")
        digest = own.run("servers", "show", "mine", "--json", *words).report["digest"]
        found = own.run("tools", *words, "--start", digest, "--json").report
        assert found["server"]["trust"] == "untrusted"
        assert "ask" in answers(found)


def test_a_server_that_is_opened_is_kept_under_a_name(own: Own) -> None:
    words = raw("--only", "read_thing")
    opened = own.run("--plain", "--save-as", "mine", "--trust", "--", *words, stdin="quit\n")
    assert opened.status == 0
    kept = own.servers()["mine"]
    assert isinstance(kept, dict)
    assert [kept["command"], *kept["args"]] == words
    assert kept["trusted"] is True
    again = own.run("--plain", "--save-as", "mine", "--", *words, stdin="quit\n")
    assert again.status == 2
    refused = own.run("--plain", "demo", "--save-as", "other", stdin="quit\n")
    assert refused.status == 2
    PROSE.holds("kept under a name", again.stderr + refused.stderr)
    assert list(own.servers()) == ["mine"]
