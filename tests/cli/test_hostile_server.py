"""No string of a server acts on a terminal, a report or a page, on any surface of the commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run
from tests.servers.hostile_server import HOSTILE

SERVER = str(ROOT / "tests" / "servers" / "hostile_server.py")
ERAS = ("legacy", "2026-07-28")
FORGED = ("turn ended: ok", "fake line", "::error::")
"""Beginnings of lines that only a line break of a server could have made."""
COMMANDS = (
    *("tools", "tools --json"),
    *("lint", "lint --json", "lint --markdown", "lint --sarif -", "lint --junit -"),
    *("doctor", "doctor --json", "doctor --junit -"),
    *("decide", "decide --json", "decide --markdown", "decide --junit -", "decide --sarif -"),
    *("matrix", "matrix --json", "matrix --markdown"),
    *("archetypes", "archetypes --json", "archetypes --markdown"),
    *("resources", "resources --json", "compat", "compat --json"),
    *("call plain --approve always", "call plain --approve always --json"),
    *("call plain --approve always --model-view all", "call plain --approve always --twice"),
    "prompt HOSTILE --approve always --although-invalid",
)
PAGES = ("decide --html FILE", "matrix --html FILE")


def acts_on_terminal(text: str) -> list[str]:
    """What is wrong with a text for a terminal or a log."""
    found = sorted({repr(char) for char in text if not char.isprintable()} - {repr("\n")})
    lines = [line.strip() for line in text.splitlines()]
    return [*found, *(line for line in lines if line.startswith(FORGED))]


def acts_on_page(text: str) -> list[str]:
    """What is wrong with Markdown or HTML."""
    return re.findall(r"<b>@|(?<![\\`\w])@someone|!\[x\]\(http|\]\(https://evil", text)


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_string_of_a_server_acts(tmp_path: Path, command: str, era: str) -> None:
    name, *words = [HOSTILE if one == "HOSTILE" else one for one in command.split()]
    modes = ("result", "error", "asks") if name == "call" else ("result",)
    for mode in modes:
        target = ("--protocol", era, "--", sys.executable, SERVER, mode)
        ended = run(tmp_path, name, *words, *target)
        assert ended.stdout
        assert not acts_on_terminal(ended.stdout)
        assert not acts_on_terminal(ended.stderr)
        if "--markdown" in words:
            assert not acts_on_page(ended.stdout)
        assert "signoff has a fault" not in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_no_string_of_a_server_acts_through_a_record(tmp_path: Path, era: str) -> None:
    capture, page = str(tmp_path / "session.jsonl"), tmp_path / "wire.html"
    target = ("--protocol", era, "--", sys.executable, SERVER, "asks")
    run(tmp_path, "call", "plain", "--approve", "always", "--capture", capture, *target)
    for words in (
        ("wire", capture),
        ("wire", capture, "--json"),
        ("wire", capture, "--html", str(page)),
        ("compat", "--capture-file", capture),
        ("audit", "show"),
        ("diff", *target),
        ("grants", "list"),
    ):
        ended = run(tmp_path, *words)
        assert not acts_on_terminal(ended.stdout), words
        assert not acts_on_terminal(ended.stderr), words
    assert "HOSTILE" in page.read_text()
    assert not acts_on_terminal(page.read_text())
    assert "<b>@" not in page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_no_string_of_a_server_acts_on_a_page(tmp_path: Path, command: str) -> None:
    page = tmp_path / "page.html"
    name, *words = [str(page) if one == "FILE" else one for one in command.split()]
    run(tmp_path, name, *words, "--", sys.executable, SERVER)
    text = page.read_text()
    assert not acts_on_terminal(text)
    assert "<b>@" not in text
