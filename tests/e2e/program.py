"""The installed program in a pseudo-terminal, and the moves that every test of it makes."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.servers import pids, raw

QUIT = "ctrl+q"
HEADER_ROWS = 3
"""Rows at the top that repeat the command line, and with it any word of a server's switches."""


def signoff(*arguments: str) -> list[str]:
    """The command line of Signoff under test."""
    return [sys.executable, "-m", "signoff.app", *arguments]


def signoff_with(*switches: str) -> list[str]:
    """Signoff, connected to the scripted server with these switches."""
    return signoff("--", *raw(*switches))


def server_pid(terminal: Terminal, pid_file: Path) -> int:
    """The process id of the server, once it has started; of the newest if there were several."""
    terminal.wait_until(lambda: pids(pid_file)["server"])
    return pids(pid_file)["server"][-1]


def wait_for_tools(terminal: Terminal, name: str = "read_thing") -> None:
    """Wait until the list of tools is on the screen."""
    terminal.wait_for(lambda text: name in "\n".join(text.split("\n")[HEADER_ROWS:]))


def call(terminal: Terminal, tool: str) -> None:
    """Choose a tool in the list and ask for a call of it."""
    wait_for_tools(terminal, tool)
    terminal.click(tool, below=HEADER_ROWS)
    terminal.wait_for(rf"╭─ {tool}\b")
    terminal.press("f5")


def approve(terminal: Terminal) -> None:
    """Approve the open question the way a person does: wait, then press the button."""
    wait_for_armed_dialog(terminal)
    terminal.click("Approve once")


def wait_for_armed_dialog(terminal: Terminal) -> str:
    """Wait until the question is open and takes answers; the screen's text."""
    terminal.wait_for("Approve this call")
    return terminal.wait_for(is_armed)


def is_armed(text: str) -> bool:
    """Whether the screen shows a question that takes answers."""
    return "Approve once" in text and "moment" not in text


def quit_program(terminal: Terminal, timeout: float = 60.0) -> int:
    """Quit by the key; the exit status."""
    terminal.press(QUIT)
    return terminal.wait_exit(timeout)
