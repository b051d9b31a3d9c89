"""`signoff agent` in a terminal: a question of an agent, answered by keyboard; nothing stays."""

from __future__ import annotations

import os
import shlex

import pytest

from tests.e2e.processes import wait_gone
from tests.e2e.program import quit_program, signoff
from tests.e2e.steps import be_still
from tests.e2e.terminal import Terminal
from tests.servers import acp_agent, named

DELETE = 'delete_file {"path": "notes/todo.txt"}'
ASKS = "The agent asks for permission"


def opened(*behaviours: str, size: tuple[int, int] = (80, 24)) -> Terminal:
    mcp = shlex.join(named("delete_file=d"))
    words = ("agent", "--mcp", mcp, "--", *acp_agent(*behaviours))
    return Terminal(signoff(*words), *size, env=dict(os.environ))


def ask(terminal: Terminal) -> None:
    terminal.wait_for("1 tools? listed")
    terminal.send(DELETE)
    terminal.wait_for("todo.txt")
    terminal.press("enter")
    terminal.wait_for(ASKS)


def test_escape_rejects_and_leaving_ends_everything() -> None:
    with opened() as terminal:
        ask(terminal)
        started = terminal.remember_processes()
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.press("escape")
        terminal.wait_for("asked: reject once, did not run")
        assert quit_program(terminal) == 0
        assert "0 ran" in terminal.text
    for pid in started:
        wait_gone(pid)


@pytest.mark.slow
def test_a_call_is_allowed_by_the_button_and_runs() -> None:
    with opened(size=(120, 36)) as terminal:
        ask(terminal)
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.press("end")
        terminal.wait_for(lambda text: "moment" not in text and "scroll" not in text)
        for _ in range(3):
            be_still()
            terminal.press("tab")
        terminal.wait_for("▸ Allow once ◂")
        be_still()
        terminal.press("enter")
        terminal.wait_for("asked: allow once, ran, ok")
        assert quit_program(terminal) == 0


@pytest.mark.slow
def test_a_call_that_ran_first_is_an_error_at_the_end() -> None:
    with opened("first") as terminal:
        ask(terminal)
        terminal.wait_for("reached the server already")
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.press("escape")
        terminal.wait_for("asked: reject once, ran")
        assert quit_program(terminal) == 4
