"""The tasks that a server keeps, in plain lines, over a real terminal."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.engine.bundled import served_over_http


def test_tasks_are_listed_opened_and_cancelled_by_their_ids() -> None:
    with served_over_http() as url:
        where = ("--url", url, "--protocol", "legacy", "--trust", "--no-audit", "--no-memory")
        with Terminal(signoff("--plain", "--name", "raw", *where), 120, 40) as terminal:
            terminal.wait_for(r"connected  \d+ tools")
            terminal.send("call brew_beer !{}\r")
            terminal.wait_for("The beer is brewed")
            terminal.send("tasks\r")
            terminal.wait_for(
                r"(?s)begun by +.*brew_beer.*status +completed.*The work is done\.*.* left"
            )
            terminal.send("tasks result zzz\r")
            terminal.wait_for("Name one task by its id")
            terminal.send("tasks look\r")
            terminal.wait_for("tasks: error: unrecognized arguments: look")
            identity = next(
                line.split()[-1] for line in terminal.text.splitlines() if line.count("-") == 4
            )
            terminal.send(f"tasks cancel {identity[:8]}\r")
            terminal.wait_for("Not cancelled: The task has ended already")
            terminal.send(f"tasks result {identity[:8]}\r")
            terminal.wait_for(r'┃ +"text": "The beer is brewed."')
            terminal.send("quit\r")
            assert terminal.wait_exit() == 0
