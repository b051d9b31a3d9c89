"""A new user's first walk through `signoff demo`: by keyboard in little room, by mouse in more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.program import quit_program, signoff, wait_for_armed_dialog
from tests.e2e.steps import (
    OPEN_DIALOG,
    approve_by_chord,
    approve_by_key,
    approve_by_mouse,
    be_still,
    choose,
    choose_by_mouse,
    deny,
    pid_on_screen,
    type_json,
    type_text,
    wait_for_start,
)
from tests.e2e.terminal import Terminal, wait_gone

FILE = "notes/todo.txt"
HALF_BLOCKS = "▀{20}"
CALL_BUTTON = "[ f5 Call ]"
IN_TEXT = r"f5 Call ctrl\+j JSON f11 History"
"""The footer while a field of the form has the focus where text is typed."""
MOUSE_OFF, NORMAL_SCREEN = b"\x1b[?1003l", b"\x1b[?1049l"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the demo keeps its files, with one in it."""
    file = tmp_path / "sandbox" / FILE
    file.parent.mkdir(parents=True)
    file.write_text("Buy milk\n", encoding="utf-8")
    return tmp_path / "sandbox"


def _open(folder: Path, columns: int, rows: int, **env: str) -> Terminal:
    env["SIGNOFF_DEMO_DIR"] = str(folder)
    return Terminal(signoff("demo"), columns, rows, env=env)


def _expect_clean_end(terminal: Terminal, pid: int) -> None:
    """The program ended with 0, its server is gone, and the terminal is as it was."""
    assert terminal.wait_exit() == 0
    wait_gone(pid)
    assert not terminal.full_screen
    assert terminal.raw.rindex(NORMAL_SCREEN) > terminal.raw.rindex(b"\x1b[?1049h")
    assert terminal.raw.rindex(MOUSE_OFF) > terminal.raw.rindex(b"\x1b[?1003h")


@pytest.mark.timeout(180)
def test_by_keyboard(folder: Path) -> None:
    with _open(folder, 80, 24) as terminal:
        wait_for_start(terminal)
        pid = pid_on_screen(terminal)

        choose(terminal, "calculate_sum")
        type_json(terminal, {"a": 3, "b": 39})
        terminal.press("f5")
        text = terminal.wait_for(r"calculate_sum +answered .*approved by policy")
        assert OPEN_DIALOG not in text
        terminal.wait_for(r"┃ 42 ")

        choose(terminal, "delete_file")
        type_text(terminal, FILE)
        terminal.press("f5")
        deny(terminal)
        be_still()
        assert (folder / FILE).exists()

        terminal.press("f5")
        approve_by_key(terminal)
        terminal.wait_for(r"delete_file +answered .*approved by you")
        assert not (folder / FILE).exists()

        choose(terminal, "migrate_database")
        terminal.press("f5")
        approve_by_chord(terminal)
        terminal.wait_for(r"▰+▱+ +[2-9]/15")
        terminal.press("ctrl+x")
        terminal.wait_for(r"migrate_database +cancel requested")
        terminal.wait_for("the server was asked to stop")

        choose(terminal, "generate_fantasy_character_broken")
        terminal.wait_for(IN_TEXT)
        terminal.press("f5")
        approve_by_key(terminal)
        terminal.wait_for("✗ structuredContent does not match its output schema in 2 places")
        # The answer has the room that the form had.
        assert "[ f5 Call ]" in terminal.text
        terminal.wait_for(r"2 +\$\.abilities must be an array")

        terminal.press("ctrl+t")
        terminal.wait_for("untrusted")
        terminal.press("ctrl+q")
        _expect_clean_end(terminal, pid)


@pytest.mark.timeout(180)
def test_by_mouse(folder: Path) -> None:
    with _open(folder, 120, 36) as terminal:
        wait_for_start(terminal)
        pid = pid_on_screen(terminal)

        choose_by_mouse(terminal, "show_database")
        terminal.click(CALL_BUTTON)
        terminal.wait_for(r"show_database +answered .*approved by policy")
        terminal.wait_for('state +"old schema"')

        choose_by_mouse(terminal, "delete_file")
        terminal.click(CALL_BUTTON)
        terminal.wait_for("✗ required")
        type_text(terminal, FILE)
        # The error above the button goes, and the button moves.
        terminal.wait_for(lambda text: "✗ required" not in text and "you typed it" in text)
        terminal.settle()
        terminal.click(CALL_BUTTON)
        wait_for_armed_dialog(terminal)
        terminal.click(" Deny ")
        terminal.wait_for("denied by you")
        assert (folder / FILE).exists()

        terminal.click(CALL_BUTTON)
        approve_by_mouse(terminal)
        terminal.wait_for(r"delete_file +answered .*approved by you")
        assert not (folder / FILE).exists()

        choose_by_mouse(terminal, "migrate_database")
        terminal.click(CALL_BUTTON)
        approve_by_mouse(terminal)
        terminal.wait_for(r"▰+▱+ +[2-9]/15")
        terminal.click("ctrl+x Cancel")
        terminal.wait_for("migrate_database +cancelled")

        choose_by_mouse(terminal, "show_image")
        terminal.click(CALL_BUTTON)
        terminal.wait_for(HALF_BLOCKS)

        terminal.click("trusted ctrl+t")
        # Its reason takes more lines: the rows below move down.
        terminal.wait_for("A call asks ")
        terminal.settle()
        terminal.click(CALL_BUTTON)
        wait_for_armed_dialog(terminal)
        terminal.click(" Deny ")
        terminal.wait_for("denied by you")

        terminal.settle()
        terminal.click("ctrl+q Quit")
        _expect_clean_end(terminal, pid)


def test_words_and_signs_are_enough_without_colour(folder: Path) -> None:
    with _open(folder, 120, 80, NO_COLOR="1") as terminal:
        wait_for_start(terminal)
        for group in (r"○ read-only \d+", r"\+ additive", "! destructive", r"\? undeclared"):
            terminal.wait_for(group)
        terminal.wait_for("≠ contradictory")
        choose(terminal, "delete_file")
        terminal.wait_for(r"! destructive +declared")
        type_text(terminal, FILE)
        terminal.press("f5")
        text = wait_for_armed_dialog(terminal)
        assert re.search(r"tool +delete_file .*! destructive", text)
        assert re.search("┏━.*Approve this call", text)
        assert "▸ Deny ◂" in text
        deny(terminal)
        terminal.wait_for("denied by you")
        assert quit_program(terminal) == 0
        assert [colour for colour in _colours(terminal.raw) if len(set(colour)) > 1] == []


def _colours(raw: bytes) -> set[tuple[int, ...]]:
    """Every colour that was set, as red, green, blue; one from a palette as its number twice."""
    found: set[tuple[int, ...]] = set()
    for sequence in re.findall(rb"\x1b\[([\d;]*)m", raw):
        numbers = [int(number or 0) for number in sequence.split(b";")]
        while numbers:
            first = numbers.pop(0)
            if first in (38, 48):
                is_rgb = numbers.pop(0) == 2
                count = 3 if is_rgb else 1
                found.add(tuple(numbers[:count]) if is_rgb else (numbers[0], -1))
                del numbers[:count]
            elif first in (*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)):
                found.add((first, -1))
    return found
