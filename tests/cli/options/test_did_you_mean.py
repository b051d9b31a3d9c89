"""Names that there are not: the command line says what was probably meant, and ends with 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run
from tests.tiers import first_quick

PROSE = approved("headless")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["tols", "demo"], "tools"),
        (["tools", "dmeo"], "demo"),
        (["policy", "lst"], "list"),
        (["audit", "shwo"], "show"),
        (["call", "x", "demo", "--aprove", "always"], "--approve"),
        (["call", "x", "demo", "--approve", "alwyas"], "always"),
        (["--grphics", "off", "demo"], "--graphics"),
        (["tools", "demo", "--protocol", "leagcy"], "legacy"),
        (["tools", "demo", "--policy", "cautios"], "cautious"),
        (["tools", "demo", "--as", "VS Cod"], "vscode"),
        (["policy", "show", "frist-use"], "first-use"),
        (["matrix", "demo", "--hosts", "cautious,codxe"], "codex"),
    ],
)
def test_a_name_that_there_is_not(words: list[str], meant: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert (found.status, found.stdout) == (2, "")
    assert f"did you mean {meant}?" in found.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["call", "x", "demo", "--xyzzy\x1b[31m"],
        ["nothing-of-the-kind", "demo"],
        ["tools", "demo", "--as", "\x1b[31m\u202e" * 9],
        ["tools", "demo", "--policy", "\x1b[31m\u202e" * 9],
    ],
)
def test_what_is_like_nothing_gets_no_suggestion(words: list[str], tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert found.status == 2
    assert "did you mean" not in found.stderr
    assert "\x1b" not in found.stderr
    assert "\u202e" not in found.stderr


def test_a_secret_in_an_unknown_option_is_not_repeated(tmp_path: Path) -> None:
    found = run(tmp_path, "call", "x", "demo", "--api-key=sk-hunter2hunter2hunter2")
    assert found.status == 2
    assert "hunter2" not in found.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["call", "demo", "delete_file"], "signoff call delete_file demo"),
        (["call", "demo", "odd name", "-a", "x=1"], "signoff call 'odd name' demo -a x=1"),
        (["read", "demo", "demo://a"], "signoff read demo://a demo"),
        (["policy", "explain", "demo", "echo"], "signoff policy explain echo demo"),
    ],
)
def test_a_server_before_its_tool(words: list[str], meant: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert (found.status, found.stdout) == (2, "")
    assert f"did you mean `{meant}`?" in found.stderr


def test_what_stands_in_the_wrong_place_is_shown_safely(tmp_path: Path) -> None:
    found = run(tmp_path, "call", "demo", "\x1b[31m\u202e")
    assert found.status == 2
    assert "did you mean" in found.stderr
    assert "\x1b" not in found.stderr
    assert "\u202e" not in found.stderr


SERVERS = """{"mcpServers": {
  "one": {"command": "uvx", "args": ["some-git", "--token=hunter2hunter2"], "env": {"A": "x"}},
  "two": {"url": "https://example.org/mcp"}, "odd": 3}}"""


@pytest.mark.parametrize(
    ("words", "meant"),
    first_quick(
        [
            (["server.py"], "signoff -- python server.py"),
            (["python", "server.py", "--port", "1"], "signoff -- python server.py --port 1"),
            (["python server.py"], "signoff -- python server.py"),
            (["./my server.js"], "signoff -- node './my server.js'"),
            (["tools", "npx", "some-server"], "signoff tools -- npx some-server"),
            (["https://example.org/mcp"], "signoff --url https://example.org/mcp"),
            (["call", "echo", "http://a.test/"], "signoff call echo --url http://a.test/"),
            (["nowhere.json"], "signoff -- COMMAND [ARG...]"),
            (["mcp.json"], "signoff --config mcp.json --server two"),
            (["lint", "demo", "--strict"], ""),
        ],
        4,
        several=True,
    ),
)
def test_a_server_in_the_place_of_a_command(words: list[str], meant: str, tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text(SERVERS, encoding="utf-8")
    (tmp_path / "my server.js").touch()
    found = run(tmp_path, *words)
    assert (found.status == 2) == bool(meant)
    assert meant in found.stderr
    assert len(found.stderr.splitlines()) < 8


def test_a_file_of_servers_is_told_without_its_secrets(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text(SERVERS, encoding="utf-8")
    found = run(tmp_path, "tools", "mcp.json")
    PROSE.holds("servers: a file as server", found.stderr)
    assert "hunter2" not in found.stderr


def test_a_file_of_servers_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    odd = "\\u001b[31m\\u202e\\n"
    text = '{"mcpServers": {"aODD": {"command": "ODD", "args": ["ODD"]}}}'.replace("ODD", odd)
    (tmp_path / "mcp.json").write_text(text, encoding="utf-8")
    found = run(tmp_path, "mcp.json")
    assert "\x1b" not in found.stderr
    assert "\u202e" not in found.stderr
    assert len(found.stderr.splitlines()) == 4


@pytest.mark.parametrize(
    ("words", "usage"),
    [(["help"], "usage: signoff [OPTIONS]"), (["help", "tools"], "usage: signoff tools")],
)
def test_help_is_the_help(words: list[str], usage: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout.startswith(usage)


def test_a_mistake_is_told_in_two_lines(tmp_path: Path) -> None:
    found = run(tmp_path, "call")
    PROSE.holds("usage: no tool", found.stderr)


def test_a_mistake_leads_to_the_help_of_the_inner_command(tmp_path: Path) -> None:
    found = run(tmp_path, "policy", "explain", "--on", "sampling", "delete_file", "demo")
    PROSE.holds("usage: an inner command", found.stderr)


def test_words_that_may_be_missing_are_not_called_required(tmp_path: Path) -> None:
    found = run(tmp_path, "wire", "--html", "x.html")
    PROSE.holds("usage: no capture", found.stderr)


def test_a_command_without_its_verb_names_the_verbs(tmp_path: Path) -> None:
    found = run(tmp_path, "audit")
    PROSE.holds("usage: no verb", found.stderr)
