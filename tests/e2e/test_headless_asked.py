"""A question of a command that can no longer be answered: it is closed, and says so."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.program import server_pid, signoff
from tests.e2e.terminal import Terminal

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

SERVER = [sys.executable, str(Path(__file__).with_name("changing_server.py"))]
PROMPTED = r"denies by itself after 120 s\):\s*\Z"
CLOSED = r"(?m)^The question is closed: the tool definition changed. Nothing was sent.$"


def test_a_definition_that_changes_closes_the_question_of_a_call(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    argv = signoff("call", "delete_thing", "--no-audit", "--", *SERVER, "--pid-file", str(pids))
    with Terminal(argv, 120, 100) as terminal:
        terminal.wait_for(PROMPTED)
        os.kill(server_pid(terminal, pids), signal.SIGUSR1)
        terminal.wait_for("not sent: the tool definition changed")
        assert terminal.wait_exit() == 5
        terminal.wait_for(CLOSED)


def test_the_next_question_does_not_wait_for_one_that_is_closed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    tools = "delete_thing,undeclared_thing"
    words = ("evidence", "--approve", "ask", "--no-audit", "--tools", tools)
    argv = signoff(*words, "--", *SERVER, "--with", "all", "--pid-file", str(pids))
    with Terminal(argv, 120, 100) as terminal:
        terminal.wait_for(PROMPTED)
        os.kill(server_pid(terminal, pids), signal.SIGUSR1)
        terminal.wait_for(CLOSED)
        terminal.wait_for(rf"(?s)sends +undeclared_thing to .*{PROMPTED}")
        terminal.send("no\r")
        assert terminal.wait_exit() == 0
