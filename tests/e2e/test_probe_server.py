"""`signoff probe-server`: the checklist in a terminal, with the log of the server beside it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal

pytestmark = pytest.mark.slow


def call(log: Path, name: str) -> None:
    """Do what a host does that calls one tool of the server."""
    command = signoff("probe-server", "--log", str(log))
    messages = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name}},
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for message in messages:
            run.stdin.write(json.dumps(message) + "\n")
            run.stdin.flush()
            run.stdout.readline()


def test_the_log_has_the_last_word(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = (
        "probe-server",
        "--checklist",
        "--host-version",
        "mine 1.0",
        "--log",
        str(log),
        "--save",
    )
    home = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    with Terminal(signoff(*words), 100, 40, env=home) as terminal:
        terminal.wait_for("Call the tool probe_h01")
        assert "mcpServers" in terminal.text
        call(log, "probe_h01")
        terminal.send("f\r")
        terminal.wait_for("Call the tool probe_h02")
        call(log, "probe_h02")
        terminal.send("r\r")
        terminal.wait_for("Call the tool probe_h03")
        terminal.send("x\r")
        terminal.send("a\r")
        terminal.wait_for("Call the tool probe_h04")
        terminal.send("\x04")
        terminal.wait_for("saved as")
        assert "but the call came to the server" in terminal.text
        assert "1 ran, 1 asked, 1 unknown" in terminal.text
        terminal.wait_exit()
    (saved,) = (tmp_path / "data" / "signoff" / "measured").iterdir()
    assert saved.name == "mine-1.0-default-by-hand.json"
