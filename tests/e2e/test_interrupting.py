"""A server that asks while an approval is open: keys meant for one never answer the other.

The server writes down every line that it receives; what is not there was not sent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import server_pid, signoff, wait_for_armed_dialog
from tests.e2e.steps import OPEN_DIALOG, be_still, wait_for_start
from tests.e2e.terminal import Terminal

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

TOOL = "delete_thing"
ASKED = "The server asks you for data"
SERVER = [sys.executable, str(Path(__file__).with_name("asking_server.py"))]


class Interrupted:
    """Signoff with an approval open, and a server that asked meanwhile."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self._received = folder / "received"
        wait_for_start(terminal)
        terminal.wait_for(rf"╭─ {TOOL}\b")
        terminal.press("f5")
        terminal.wait_for(lambda text: OPEN_DIALOG in text)
        wait_for_armed_dialog(terminal)
        os.kill(server_pid(terminal, folder / "pids"), signal.SIGUSR1)
        terminal.wait_for("1 more waiting")

    @property
    def answers(self) -> list[Any]:
        """What the server was told, in order."""
        lines = self._received.read_text(encoding="utf-8").splitlines()
        return [one["result"] for one in map(json.loads, lines) if one.get("id") == "server-1"]

    @property
    def calls(self) -> int:
        return self._received.read_text(encoding="utf-8").count('"tools/call"')


def argv(folder: Path) -> list[str]:
    switches = ["--only", TOOL, "--era", "legacy", "--received", str(folder / "received")]
    command = [*SERVER, *switches, "--pid-file", str(folder / "pids")]
    return signoff("--no-audit", "--", *command)


def test_what_is_typed_on_answers_only_the_first(tmp_path: Path) -> None:
    with Terminal(argv(tmp_path), rows=36) as terminal:
        seen = Interrupted(terminal, tmp_path)
        # The first of these denies the call; the others fall on the question that comes then.
        for key in ("enter", "tab", "tab", "tab", "end", "enter", "ctrl+y", "ctrl+y", "space"):
            terminal.press(key)
            time.sleep(0.02)
        terminal.wait_for(lambda text: ASKED in text)
        assert seen.answers == []
        terminal.wait_for("f5 Done")
        be_still()
        assert seen.answers == []
        terminal.press("escape")
        terminal.wait_for(lambda text: ASKED not in text)
        be_still()
        assert seen.answers == [{"action": "cancel"}]
        assert seen.calls == 0


def test_holding_the_key_that_approves_sends_no_data(tmp_path: Path) -> None:
    with Terminal(argv(tmp_path), rows=36) as terminal:
        seen = Interrupted(terminal, tmp_path)
        terminal.press("escape")
        # What follows an escape at once makes one key of both, with alt.
        terminal.wait_for(lambda text: OPEN_DIALOG not in text)
        with terminal.holding("ctrl+y"):
            time.sleep(1.5)
        terminal.wait_for(lambda text: ASKED in text)
        be_still()
        assert seen.answers == []
        assert seen.calls == 0
