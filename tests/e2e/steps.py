"""What a person does in Signoff, each step waiting for what it shows."""

from __future__ import annotations

import contextlib
import json
import re
import time
from typing import Any

from tests.e2e.program import wait_for_armed_dialog
from tests.e2e.terminal import Terminal

FILTER_CELL = (20, 3)
LONG = 20
"""Letters of a name that the list and its filter have room for in any case."""
OPEN_DIALOG = "Approve this call?"
VOID_DIALOG = "No longer possible"
BUTTON = "Approve once"
ON_REMEMBER = r"▸\(•\)"
"""What shows that the choices of what to remember have the focus."""
STILLNESS = 0.8
"""Seconds without a key; a press that follows them is one that was meant."""


def be_still() -> None:
    """Touch no key for a while. The dialog's countdown goes on, so the screen is never still."""
    time.sleep(STILLNESS)


def wait_for_start(terminal: Terminal) -> None:
    """Wait until the server is connected, its tools take keys and every pane is there."""
    terminal.wait_for("connected, ")
    _wait_for_letters_to_be_keys(terminal)
    terminal.wait_for(r"f1 Help")


def pid_on_screen(terminal: Terminal) -> int:
    """The process id of the server, from the lines at the top."""
    found = re.search(r"pid\s+(\d+)", terminal.text)
    assert found is not None
    return int(found[1])


def choose(terminal: Terminal, name: str, *, has_arguments: bool = True) -> None:
    """By keyboard: filter for a tool, put the cursor on it, go to its first argument."""
    filter_tools(terminal, name)
    # A long one has lost its middle there.
    terminal.wait_for(rf"› .*({name}|{name[:8]}\S*…)")
    terminal.press("enter")
    terminal.wait_for(rf"╭─ {name}\b")
    # The panes take their rows once the tool is laid out.
    terminal.settle()
    if has_arguments:
        terminal.wait_for(r"ctrl\+j JSON")


def choose_by_mouse(terminal: Terminal, name: str) -> None:
    """Click into the filter, type, click the tool that is left."""
    if "/ filter" not in terminal.text:
        terminal.mouse_click(*FILTER_CELL)
        _wait_for_letters_to_be_text(terminal)
        terminal.press("escape")
    terminal.wait_for("/ filter")
    terminal.mouse_click(*FILTER_CELL)
    _wait_for_letters_to_be_text(terminal)
    terminal.send(name)
    terminal.wait_for(rf"│ {name} ")
    terminal.wait_for(rf"› .*{name}")
    x, y = terminal.find("› ")
    terminal.mouse_click(x + 4, y)
    terminal.wait_for(rf"╭─ {name}\b")
    # The panes take their rows once the tool is laid out.
    terminal.settle()


def filter_tools(terminal: Terminal, words: str) -> None:
    """By keyboard: show only some tools, with the cursor on the first of them."""
    if not _letters_are_keys(terminal.text):
        # Seen to work before anything follows: a busy program reads both keys as one of alt.
        terminal.press("escape")
        terminal.wait_for(_letters_are_keys)
    terminal.press("f3")
    _wait_for_letters_to_be_text(terminal)
    if "/ filter" not in terminal.text:
        terminal.press("escape")
        terminal.wait_for(_letters_are_keys)
        terminal.press("f3")
        _wait_for_letters_to_be_text(terminal)
    terminal.send(words)
    # Longer ones are scrolled in their place.
    terminal.wait_for(rf"│ {words} " if len(words) <= LONG else rf"│ ?\S*{words[-LONG:]} ")
    terminal.press("down")
    _wait_for_letters_to_be_keys(terminal)


def type_text(terminal: Terminal, text: str) -> None:
    """Type one line of text into the editor that has the focus."""
    _wait_for_letters_to_be_text(terminal)
    terminal.send(text)
    terminal.wait_for(re.escape(text))


def type_json(terminal: Terminal, document: dict[str, Any]) -> None:
    """Give all arguments of a tool that suggests none as one JSON document."""
    terminal.press("ctrl+j")
    terminal.wait_for(r"│ +\{\} ")
    _press_until(terminal, ("end", "backspace", "backspace"), "not JSON: empty")
    terminal.paste(json.dumps(document, ensure_ascii=False))
    terminal.wait_for("}")


def shown_arguments(terminal: Terminal) -> str:
    """The JSON text of the arguments in the open dialog, its lines joined by line feeds."""
    rows = terminal.text.split("\n")
    start = next(number for number, row in enumerate(rows) if re.search(r"Arguments {2}\d", row))
    lines = []
    for row in rows[start + 1 :]:
        found = re.search(r"┃ {2}┃ (.*?)[ ●◌]*┃", row)
        if found is None:
            break
        lines.append(found[1].rstrip())
    return "\n".join(lines)


def deny(terminal: Terminal) -> None:
    """Answer the open dialog with Esc, once it listens."""
    wait_for_armed_dialog(terminal)
    terminal.press("escape")
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)


def focus_approve(terminal: Terminal) -> None:
    """By keyboard: from Deny to the button that approves, and be still."""
    wait_for_armed_dialog(terminal)
    terminal.wait_for("▸ Deny ◂")
    tab_to(terminal, f"▸ {BUTTON} ◂")
    be_still()


def tab_to(terminal: Terminal, words: str) -> None:
    """In the open dialog, from Deny: tab, each time it has moved on, until it says `words`."""
    stops = ("▸ Deny ◂", "▸ Deny for (this )?session ◂", "▸ Edit ◂", ON_REMEMBER)
    for stop in stops:
        if re.search(words, terminal.text):
            return
        if re.search(stop, terminal.text):
            terminal.press("tab")
            terminal.wait_until(lambda stop=stop: not re.search(stop, terminal.text))  # type: ignore[misc]
    terminal.wait_for(words)


def approve_by_key(terminal: Terminal) -> None:
    """Tab to the button, wait, Enter."""
    focus_approve(terminal)
    terminal.press("enter")
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)


def approve_by_chord(terminal: Terminal) -> None:
    """ctrl+y, a pause, ctrl+y; or ctrl+y alone where that is enough."""
    wait_for_armed_dialog(terminal)
    terminal.press("ctrl+y")
    terminal.wait_for(lambda text: "ctrl+y again" in text or OPEN_DIALOG not in text)
    be_still()
    if OPEN_DIALOG in terminal.text:
        terminal.press("ctrl+y")
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)


def approve_by_mouse(terminal: Terminal) -> None:
    """One click on the button."""
    wait_for_armed_dialog(terminal)
    terminal.click(BUTTON)
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)


def _press_until(terminal: Terminal, keys: tuple[str, ...], wanted: str) -> None:
    """Press keys that do no harm where the focus has not arrived yet, until they work."""
    for _ in range(5):
        terminal.press(*keys)
        with contextlib.suppress(AssertionError):
            terminal.wait_for(wanted, 1.5)
            return
    terminal.wait_for(wanted)


def _letters_are_keys(text: str) -> bool:
    return "g Regroup" in text or "c Calls" in text


def _wait_for_letters_to_be_keys(terminal: Terminal) -> None:
    terminal.wait_for(_letters_are_keys)


def _wait_for_letters_to_be_text(terminal: Terminal) -> None:
    """Wait until the focus is where a letter is typed: the footer then offers no letter.

    Seen twice, because the footer is drawn anew in steps.
    """
    for _ in range(2):
        terminal.wait_for(lambda text: "f5 Call" in text and not _letters_are_keys(text))
        time.sleep(0.1)
