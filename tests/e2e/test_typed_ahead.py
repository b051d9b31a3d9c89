"""What is typed while a slow server starts ends where it was meant to."""

from __future__ import annotations

from tests.e2e.program import QUIT, signoff_with
from tests.e2e.terminal import Terminal

SLOW = ("--start-delay", "2", "--only", "echo,read_thing,slow")
WAITING = "Starting the server"
FILTERED = r"╭─ Tools 1 of 3"


def _filter_line(terminal: Terminal) -> str:
    lines = terminal.text.split("\n")
    return lines[next(y for y, line in enumerate(lines) if "╭─ Tools" in line) + 1]


def test_a_filter_typed_before_the_tools_are_listed() -> None:
    with Terminal(signoff_with(*SLOW)) as terminal:
        terminal.wait_for(WAITING)
        terminal.press("f3", *"read_t?")
        assert WAITING in terminal.text
        terminal.press("backspace", *"hi")
        terminal.wait_for(FILTERED)
        terminal.wait_until(lambda: "read_thi" in _filter_line(terminal))
        terminal.press("n")
        terminal.wait_until(lambda: "read_thin" in _filter_line(terminal))
        terminal.press("enter")
        terminal.wait_for("╭─ read_thing")


def test_a_filter_typed_before_the_first_paint() -> None:
    with Terminal(signoff_with(*SLOW)) as terminal:
        terminal.wait_until(lambda: terminal.full_screen)
        terminal.press("/", *"read")
        terminal.wait_for(FILTERED)


def test_no_tool_is_called_that_nobody_has_seen() -> None:
    with Terminal(signoff_with(*SLOW)) as terminal:
        terminal.wait_for(WAITING)
        terminal.press("f5", "down", "f5")
        terminal.wait_for("╭─ Tools 3")
        terminal.settle()
        assert "Calls 1" not in terminal.text
        assert "Approve" not in terminal.text


def test_what_works_while_the_server_starts_works_in_between() -> None:
    with Terminal(signoff_with(*SLOW)) as terminal:
        terminal.wait_for(WAITING)
        terminal.press("f3", *"read", "f9")
        terminal.wait_for("╭─ server ")
        terminal.press("escape")
        terminal.wait_for(FILTERED)
        terminal.press(QUIT)
        terminal.wait_exit()
