"""The terminal harness itself, tried on a small program of its own."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.keys import encode_key
from tests.e2e.screen import VirtualScreen
from tests.e2e.terminal import Terminal, processes_alive, wait_gone

PROBE = [sys.executable, str(Path(__file__).with_name("probe_app.py"))]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal(PROBE, columns=60, rows=12) as terminal:
        terminal.wait_for("(?s)ready 60x12.*Press here")
        yield terminal


def test_keys_arrive_under_their_names(terminal: Terminal) -> None:
    for key in ("a", "enter", "escape", "f1", "ctrl+y", "shift+tab", "ctrl+enter", "pagedown"):
        terminal.press(key)
        terminal.wait_for(rf"key {key.replace('+', '.')}\b")


def test_a_paste_is_bracketed_unless_told_otherwise(terminal: Terminal) -> None:
    terminal.paste("one\ntwo")
    terminal.wait_for("paste 'one.*two'")
    terminal.paste("xy", bracketed=False)
    terminal.wait_for("key y")


def test_a_click_lands_on_the_button_that_was_found(terminal: Terminal) -> None:
    terminal.click("Press here")
    terminal.wait_for("pressed 1")


def test_two_quick_clicks_are_a_double_click(terminal: Terminal) -> None:
    terminal.click("ready", count=2)
    terminal.wait_for("click 2")


def test_a_held_key_repeats_until_it_is_released(terminal: Terminal) -> None:
    with terminal.holding("b", rate=60):
        terminal.wait_for(r"count ([5-9]|\d\d)")
    terminal.press("z")
    terminal.wait_for("key z")
    assert "key z" in terminal.settle()


def test_the_program_learns_of_a_new_size(terminal: Terminal) -> None:
    terminal.resize(40, 8)
    terminal.wait_for("ready 40x8")
    assert len(terminal.text.split("\n")) == 8


def test_hanging_up_sends_sighup(terminal: Terminal) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    terminal.hang_up()
    assert terminal.wait_exit() == -signal.SIGHUP


def test_the_normal_screen_comes_back_at_the_end(terminal: Terminal) -> None:
    assert terminal.full_screen
    terminal.press("ctrl+q")
    assert terminal.wait_exit() == 0
    assert not terminal.full_screen
    assert "ready" not in terminal.text
    assert "last words" in terminal.text


def test_a_wait_in_vain_shows_the_screen(terminal: Terminal) -> None:
    with pytest.raises(AssertionError, match=r"(?s)waited for 'unicorn'.*\|ready 60x12"):
        terminal.wait_for("unicorn", timeout=0.2)


def test_closing_kills_what_the_program_left_behind() -> None:
    code = (
        "import subprocess,sys;"
        "child=subprocess.Popen(['sleep','60'],start_new_session=True);"
        "print('child',child.pid,'.',flush=True);input()"
    )
    with Terminal([sys.executable, "-c", code], columns=40, rows=5) as terminal:
        child = int(terminal.wait_for(r"child \d+ \.").split()[1])
        assert processes_alive([child]) == [child]
        terminal.press("enter")
        assert terminal.wait_exit() == 0
        assert processes_alive([child]) == [child]
    wait_gone(child)


def test_private_sequences_leave_nothing_on_the_screen() -> None:
    screen = VirtualScreen(20, 2)
    for piece in (b"\x1b[?1049h\x1b[>25u\x1b[?20", b"26$p\x1b[<u\x1b[4:3mab\x1bPq#1\x1b\\c"):
        screen.feed(piece)
    assert screen.lines() == ["abc", ""]
    assert screen.alternate


def test_a_frame_shows_only_when_it_is_whole() -> None:
    screen = VirtualScreen(20, 2)
    screen.feed(b"old\x1b[?2026h\r")
    screen.feed(b"new")
    assert screen.lines() == ["old", ""]
    screen.feed(b"\x1b[?2026l")
    assert screen.lines() == ["new", ""]


def test_textual_is_told_that_frames_are_synchronised(terminal: Terminal) -> None:
    terminal.press("a")
    terminal.wait_for("key a")
    assert b"\x1b[?2026h" in terminal.raw


def test_wide_characters_take_two_columns() -> None:
    screen = VirtualScreen(20, 2)
    screen.feed("日本 x".encode())
    assert screen.lines()[0] == "日本 x"
    assert screen.find("x") == (5, 0)


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such key"):
        encode_key("hyper+enter")


def test_what_is_drawn_is_read_anew_and_colours_end_where_they_are_ended() -> None:
    screen = VirtualScreen(10, 2)
    screen.feed(b"\x1b[1;38;2;255;0;128mab\x1b[mc")
    assert screen.lines() == ["abc", ""]
    first, second = screen.cells()[0][0], screen.cells()[0][2]
    assert (first.bold, first.fg, second.bold, second.fg) == (True, "ff0080", False, "default")
    screen.feed(b"\x1b[4:3md\x1b[?4me\x1b[0m")
    assert screen.lines() == ["abcde", ""]
    assert [cell.underscore for cell in screen.cells()[0][2:5]] == [False, True, True]
    screen.resize(4, 2)
    assert screen.lines() == ["abcd", ""]
    screen.feed(b"\x1b[?1049h")
    assert screen.lines() == ["", ""]
    screen.feed(b"\x1b[?1049l")
    assert screen.lines() == ["abcd", ""]
