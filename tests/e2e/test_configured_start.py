"""A configured server on a terminal: asked for once, and again for anything else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from signoff.app.approval.approval import QUIET_SECONDS
from signoff.app.tui.approving.guarded_dialog import STILL_BEFORE
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import raw

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

PROMPT = r"anything\s+else\s+starts\s+nothing:\s*\Z"  # folded where the path is long


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with one server."""
    return written(tmp_path / "servers.json")


def written(file: Path, *switches: str) -> Path:
    words = raw(*switches)
    entry = {"command": words[0], "args": words[1:], "env": {"SOME_TOKEN": "s3cret"}}
    file.write_text(json.dumps({"mcpServers": {"one": entry}}), encoding="utf-8")
    return file


def opened(file: Path, home: Path, *words: str) -> Terminal:
    argv = signoff(*words, "--config", str(file), "--no-audit")
    return Terminal(argv, 100, 40, env={"XDG_STATE_HOME": str(home)}, cwd=file.parent)


def test_consent_is_given_once_and_a_changed_command_is_asked_for_again(
    file: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with opened(file, home, "tools") as terminal:
        terminal.wait_for(PROMPT)
        assert "s3cret" not in terminal.text
        terminal.send("start\r")
        assert terminal.wait_exit() == 0
        assert "connected" in terminal.text or "tools" in terminal.text
    with opened(file, home, "tools") as terminal:
        assert terminal.wait_exit() == 0
        assert "Type start" not in terminal.text
    written(file, "--with", "all")
    with opened(file, home, "tools") as terminal:
        terminal.wait_for(PROMPT)
        assert "changed" in terminal.text
        terminal.send("\r")
        assert terminal.wait_exit() == 3
    with opened(file, home, "tools") as terminal:
        terminal.wait_for(PROMPT)
        terminal.send("\x03")
        assert terminal.wait_exit() == 130


@pytest.mark.parametrize("typed", ["", "y", "yes", "Start", "start it", "\x04"])
def test_anything_else_starts_nothing(file: Path, tmp_path: Path, typed: str) -> None:
    with opened(file, tmp_path, "tools", "--no-memory") as terminal:
        terminal.wait_for(PROMPT)
        terminal.send(typed if typed == "\x04" else f"{typed}\r")
        assert terminal.wait_exit() == 3


def test_what_is_typed_ahead_or_pasted_starts_nothing(file: Path, tmp_path: Path) -> None:
    with opened(file, tmp_path, "tools", "--no-memory") as terminal:
        terminal.send("start\r")
        terminal.wait_for(PROMPT)
        terminal.send("start\rstart\r")
        assert terminal.wait_exit() == 3


def agree(terminal: Terminal, title: str = r"Start one\?") -> None:
    """Press the last button of the dialog, as what is meant is pressed."""
    terminal.wait_for(title)
    terminal.wait_for(lambda text: "moment" not in text)
    terminal.press("end")
    terminal.wait_for(lambda text: "scroll to" not in text and "scroll down" not in text)
    terminal.press("tab")
    terminal.settle(STILL_BEFORE + 0.2)
    terminal.press("enter")


def test_the_screen_opens_after_consent_in_a_dialog(file: Path, tmp_path: Path) -> None:
    with opened(file, tmp_path) as terminal:
        terminal.wait_for(r"Start one\?")
        assert "s3cret" not in terminal.text
        assert "▸ Do not start it ◂" in terminal.text
        agree(terminal)
        terminal.wait_for("Choose a tool")
        assert "one · connected" in terminal.text
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0


@pytest.mark.parametrize("typed", ["start\r", "y", "\x1b", "\x03"])
def test_what_is_typed_into_the_dialog_starts_nothing_and_lands_nowhere(
    file: Path, tmp_path: Path, typed: str
) -> None:
    with opened(file, tmp_path, "--no-memory") as terminal:
        terminal.send(typed.replace("\x1b", "").replace("\x03", ""))
        terminal.wait_for(r"Start one\?")
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.send(typed)
        if typed == "y":
            terminal.settle(STILL_BEFORE)
            terminal.press("escape")
        assert terminal.wait_exit() == 3
    assert "was not started" in terminal.text


def test_several_servers_are_asked_about_at_once(file: Path, tmp_path: Path) -> None:
    words = raw()
    servers = {name: {"command": words[0], "args": words[1:]} for name in ("one", "two", "three")}
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    with opened(file, tmp_path, "--all") as terminal:
        terminal.wait_for("Start 3 servers")
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.press("down")
        terminal.wait_for(r"› \[x\] two")
        terminal.press("x")
        terminal.wait_for("Start 2 of 3")
        terminal.press("end")
        agree(terminal, "Start 3 servers")
        terminal.wait_for("two was not started|not started +two|two +not started")
        terminal.wait_for(r"● one +\d+ tools")
        terminal.wait_for(r"● three +\d+ tools")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
    with opened(file, tmp_path, "--all") as terminal:
        terminal.wait_for(r"Start two\?")
        terminal.press("escape")
        terminal.wait_for(r"● three +\d+ tools")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0


def test_without_a_server_one_is_chosen_and_known_the_next_time(file: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    file.rename(project / ".mcp.json")
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    argv = signoff("--no-audit")
    with Terminal(argv, 80, 24, env=state, cwd=project) as terminal:
        terminal.wait_for(r"(?s)Learn.*one +\S")
        terminal.settle(QUIET_SECONDS + 0.2)
        terminal.send("claude one\r")
        terminal.wait_for(r"Start one\?")
        terminal.wait_for(lambda text: "moment" not in text)
        # The word of the question in lines: it starts nothing, and enter leaves.
        terminal.send("start\r")
        terminal.wait_for("one was not started")
        assert "start" not in terminal.text.split("\n")[2]
        terminal.settle(QUIET_SECONDS + 0.2)
        terminal.send("claude one\r")
        agree(terminal)
        terminal.wait_for("Choose a tool")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
    with Terminal(argv, 80, 24, env=state, cwd=project) as terminal:
        terminal.wait_for(r"(?s)Recent\s+› one .*closed.*Learn")
        terminal.settle(QUIET_SECONDS + 0.2)
        terminal.press("enter")
        terminal.wait_for("Choose a tool")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
    with Terminal(argv, 80, 24, env=state, cwd=project) as terminal:
        terminal.wait_for("Recent")
        terminal.press("escape")
        assert terminal.wait_exit() == 0
