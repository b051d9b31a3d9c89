"""A server that asks while nothing is called: the prompt gives way to it, and comes back."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.program import server_pid, signoff
from tests.e2e.terminal import Terminal

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

SERVER = [sys.executable, str(Path(__file__).with_name("asking_server.py")), "--era", "legacy"]
PROMPTED = r"asking_server>\s*\Z"


@pytest.mark.parametrize("typed", ["no\r", "\x03"])
def test_the_prompt_is_there_again_after_the_question(typed: str, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    argv = signoff("--plain", "--no-audit", "--", *SERVER, "--pid-file", str(pids))
    with Terminal(argv, 100, 100) as terminal:
        terminal.wait_for(PROMPTED)
        os.kill(server_pid(terminal, pids), signal.SIGUSR1)
        terminal.wait_for("Type send and Enter")
        terminal.send(typed)
        terminal.wait_for(PROMPTED)
        _find(terminal, "the server asked for data")
        terminal.send("quit\r")
        assert terminal.wait_exit() == 0


def _find(terminal: Terminal, finding: str) -> None:
    """List the findings until one is there: it comes with the reply, the prompt before that."""
    for _ in range(60):
        terminal.send("findings\r")
        with contextlib.suppress(AssertionError):
            terminal.wait_for(finding, timeout=1.0)
            return
    terminal.wait_for(finding, timeout=1.0)


def test_the_prompt_is_there_again_after_a_simulated_person_was_asked(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    argv = signoff("--plain", "--no-audit", "--person", "denies", "--", *SERVER)
    with Terminal([*argv, "--pid-file", str(pids)], 100, 100) as terminal:
        terminal.wait_for(PROMPTED)
        os.kill(server_pid(terminal, pids), signal.SIGUSR1)
        terminal.wait_for("answered   denied by --person denies")
        terminal.wait_for(PROMPTED)
        terminal.send("quit\r")
        assert terminal.wait_exit() == 0
