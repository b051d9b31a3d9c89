"""Plain mode on a terminal: a read and a prompt wait for the same word as a call."""

from __future__ import annotations

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
