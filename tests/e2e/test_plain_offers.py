"""Plain mode on a terminal: a read and a prompt wait for the same word as a call."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.e2e.plain_stage import ARMED, ROWS, Scene, is_plain
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal


def test_a_read_and_a_prompt_are_asked_about_and_only_the_word_sends_them() -> None:
    with Terminal(signoff("--plain", "demo"), 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1, "demo")
        scene.type("resources the view")
        scene.wait(r"number      3\n +address     demo://kitchen/view.png")
        scene.type("read 1")
        scene.wait(ARMED)
        scene.type("yes")
        scene.wait("denied by you")
        scene.type('prompt 2 !{"language": "French"}')
        terminal.wait_for(lambda text: text.count(ARMED) == 2)
        scene.type("approve")
        scene.wait("┃ Write a friendly greeting in French.")
        scene.type("quit")
        assert terminal.wait_exit() == 0
        assert is_plain(terminal.raw)


SILENT = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    found = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "n", "version": "1"},
        },
        "tools/list": {"tools": []},
    }
    if asked.get("method") in found:
        said = {"jsonrpc": "2.0", "id": asked["id"], "result": found[asked["method"]]}
        print(json.dumps(said), flush=True)
"""
"""A server that never answers `resources/list`."""


def test_ctrl_c_cancels_a_command_that_waits_and_twice_quits() -> None:
    argv = signoff(
        *("--plain", "--protocol", "legacy", "--name", "raw", "--"), sys.executable, "-c", SILENT
    )
    with Terminal(argv, 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1)
        scene.type("resources")
        time.sleep(0.3)
        terminal.press("ctrl+c")
        scene.wait("Cancelled. Ctrl\\+C again: quit.")
        scene.at_prompt(2)
        scene.type("calls")
        scene.wait("No calls yet")
        scene.type("doctor")
        time.sleep(0.3)
        terminal.press("ctrl+c")
        scene.at_prompt(4)
        terminal.press("ctrl+c")
        assert terminal.wait_exit() == 130
