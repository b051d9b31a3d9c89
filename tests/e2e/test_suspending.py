"""ctrl+z gives the terminal back to the shell; what `fg` brings back is whole."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import wait_gone
from tests.e2e.program import QUIT, call, is_armed, wait_for_tools
from tests.e2e.program import signoff as argv_of
from tests.e2e.steps import choose, focus_approve, wait_for_start
from tests.e2e.terminal import Terminal
from tests.servers import pids, raw, recorded

PROMPT = "shell> "
SHELL = ["bash", "--norc", "--noprofile", "-i"]


class Scene:
    """A shell with job control that has started Signoff."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self.record = folder / "calls"
        self.pid_file = folder / "pids"
        switches = ("--record", str(self.record), "--pid-file", str(self.pid_file))
        server = raw("--only", "read_thing,delete_thing", *switches)
        terminal.wait_for(PROMPT.strip())
        self.type(shlex.join(argv_of("--", *server)))
        wait_for_start(terminal)

    def type(self, line: str) -> None:
        self.terminal.send(f"{line}\r")

    def suspend(self) -> None:
        self.terminal.press("ctrl+z")
        self.sees_shell()

    def sees_shell(self) -> None:
        self.terminal.wait_for(r"Stopped")
        assert not self.terminal.full_screen

    def resume(self) -> None:
        written = len(self.terminal.raw)
        self.type("fg")
        self.terminal.wait_until(lambda: self.terminal.full_screen)
        self.terminal.wait_until(lambda: b"\x1b[?1049h" in self.terminal.raw[written:])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Terminal(SHELL, env={"PS1": PROMPT}) as terminal:
        yield Scene(terminal, tmp_path)


def test_the_shell_is_usable_and_everything_is_drawn_again(scene: Scene) -> None:
    terminal = scene.terminal
    before = whole_engine(terminal)
    scene.suspend()
    assert b"\x1b[?1003l" in terminal.raw
    # It echoes and edits lines again, and the server runs on.
    scene.type("stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo -e isig")
    terminal.wait_for(r"(?m)^3$")
    scene.resume()
    terminal.wait_for(lambda text: text == before)
    choose(terminal, "read_thing", has_arguments=False)


def test_the_window_may_be_another_by_then(scene: Scene) -> None:
    terminal = scene.terminal
    scene.suspend()
    terminal.resize(80, 24)
    scene.resume()
    terminal.wait_for(r"(?m)^ +Tools 2 +Tool\b")
    terminal.resize(120, 36)
    terminal.wait_for(r"╭─ Tools .*╮╭─ ")


@pytest.mark.parametrize("typed", ["", "\r\x19"])
def test_a_dialog_is_deaf_again(scene: Scene, typed: str) -> None:
    terminal = scene.terminal
    call(terminal, "delete_thing")
    focus_approve(terminal)
    # A press that waits for its stillness does not find it in the shell.
    terminal.send("\r\x1a")
    scene.sees_shell()
    scene.type("fg")
    # What is typed on is for the shell, and finds nobody here.
    terminal.send(typed)
    terminal.wait_until(lambda: terminal.full_screen)
    terminal.wait_for(r"▸ Deny ◂")
    terminal.wait_for(is_armed)
    assert not recorded(scene.record)
    terminal.press("escape")
    terminal.wait_for("denied by you")
    assert not recorded(scene.record)


def test_stopped_by_a_signal_that_nobody_hears(scene: Scene) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    terminal = scene.terminal
    before = whole_engine(terminal)
    (pid,) = [one for one in terminal.remember_processes() if is_signoff(one)]
    os.kill(pid, signal.SIGSTOP)
    terminal.wait_for("Stopped")
    scene.resume()
    terminal.wait_for(lambda text: text == before)


def test_the_terminal_goes_while_it_is_suspended(scene: Scene) -> None:
    terminal = scene.terminal
    scene.suspend()
    below = terminal.remember_processes()
    server = pids(scene.pid_file)["server"][-1]
    terminal.hang_up()
    terminal.wait_exit()
    for pid in (*below, server):
        wait_gone(pid)


def test_without_a_shell_it_says_why_not() -> None:
    with Terminal(argv_of("--", *raw())) as terminal:
        wait_for_tools(terminal)
        terminal.press("ctrl+z")
        terminal.wait_for(r"Not suspended: it was not started .*from a shell that could")
        terminal.press(QUIT)
        assert terminal.wait_exit() == 0


def whole_engine(terminal: Terminal) -> str:
    """The screen's text, once the last of its parts are drawn."""
    terminal.wait_for(r"(?s)◇ closed .* not trusted.*f5 calls it: all 2 ask")
    return terminal.settle(1.0)


def is_signoff(pid: int) -> bool:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return b"signoff.app" in words and b"--" in words
