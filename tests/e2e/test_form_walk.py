"""A nested form filled by keyboard: the dialog shows, and the server gets, exactly what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.program import quit_program, signoff, wait_for_armed_dialog
from tests.e2e.steps import approve_by_chord, choose, wait_for_start
from tests.e2e.terminal import Terminal

ORDER = {
    "address": {"street": "Main Street 1", "post-code": "10115", "country": "CH"},
    "items": [
        {"article": "bread", "count": 2, "gift": True},
        {"article": "eggs", "count": 1},
    ],
    "payment": {"by": "invoice", "email": "ann@example.org"},
    "extras": ["tracked"],
    "note": None,
    "labels": {"for": "Ann"},
    "place": [52.5, 13.4],
    "pickUp": True,
    "shop": "Mitte",
}


class Walker:
    """Presses a key only when the row that it is for has the focus: its name is bold then."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def press(self, *keys: str, at: str = "", sees: str = "") -> None:
        """Press keys, see what they do, and wait until the row `at` has the focus."""
        self.terminal.press(*keys)
        if sees:
            self.terminal.wait_for(sees)
        if at:
            self.terminal.wait_until(lambda: self._is_focused(at))

    def tab_to(self, name: str) -> None:
        self.press("tab", at=name)

    def type(self, text: str, sees: str = "") -> None:
        self.terminal.send(text)
        self.terminal.wait_for(sees or re.escape(text))

    def _is_focused(self, name: str) -> bool:
        for y, row in enumerate(self.terminal.text.split("\n")):
            found = re.search(rf"││ [│▾▸ ]*({re.escape(name)})(?: |$)", row)
            if found is not None and self.terminal.cell(found.start(1), y).bold:
                return True
        return False


@pytest.mark.timeout(240)
def test_a_nested_form_is_filled_by_keyboard(tmp_path: Path) -> None:
    env = {"SIGNOFF_DEMO_DIR": str(tmp_path / "sandbox")}
    with Terminal(signoff("demo"), 120, 100, env=env) as terminal:
        wait_for_start(terminal)
        walker = Walker(terminal)
        walker.press("ctrl+t", sees="untrusted")
        choose(terminal, "order_something")
        fill_order(walker)

        walker.press("f5")
        wait_for_armed_dialog(terminal)
        assert json.loads(arguments_in_dialog(terminal.text)) == ORDER
        approve_by_chord(terminal)
        terminal.wait_for(r"order_something +answered .*approved by you")
        # The focus has gone from the form to the answer.
        terminal.settle()
        walker.press("s", sees="Save structuredContent")
        walker.press("enter", sees="[Ss]aved")
        saved = terminal.home / "signoff-response-1-order_something-structured.json"
        assert json.loads(saved.read_text(encoding="utf-8")) == ORDER
        assert quit_program(terminal) == 0


def arguments_in_dialog(text: str) -> str:
    """The JSON text in the open question, without the marks at its lines."""
    below = re.split(r"Arguments {2}\d", text)[1].split("\n")
    found = [re.search(r"[│┃] {2}┃ (.*?)[ ●◌]*[│┃]", row) for row in below]
    return "\n".join(one[1] for one in found if one is not None)


def fill_order(walker: Walker) -> None:
    """Every kind of row once: groups, items, a union, choices, null, a map, a pair, a condition."""
    walker.press(at="address")
    walker.tab_to("street")
    walker.type("Main Street 1")
    walker.tab_to("post-code")
    walker.type("10115", sees=r"post-code +10115")
    walker.tab_to("country")
    walker.type("ch", sees="1 of 193")
    walker.press("enter", sees=r"country \* +CH")

    walker.tab_to("items")
    walker.tab_to("[0]")
    walker.press("enter", sees=r"▾ \[0\]")
    walker.tab_to("article")
    walker.type("bread")
    walker.tab_to("count")
    # The server's default was selected, so it is replaced.
    walker.type("2", sees=r"count \* +2 ")
    walker.tab_to("gift")
    walker.type("t", sees="● true")
    walker.tab_to("+ add item")
    walker.press("enter", at="article", sees=r"▾ \[1\]")
    walker.type("milk")
    walker.tab_to("count")
    walker.tab_to("gift")
    walker.tab_to("+ add item")
    walker.press("enter", at="article", sees=r"▾ \[2\]")
    walker.type("eggs")
    walker.press("alt+up", at="article", sees=r"(?s)eggs.*milk")
    walker.tab_to("count")
    walker.tab_to("gift")
    walker.tab_to("[2]")
    walker.press("delete", at="[1]", sees="2 items")
    walker.press("left", sees=r"▸ \[1\] +2 of 3 set · article: \"eggs\", count: 1")

    walker.tab_to("+ add item")
    walker.tab_to("payment")
    # Its rows have to be there, too, before the focus can go on to them.
    walker.press("tab", "right", "right", sees=r"(?s)● Invoice.*│ email")
    walker.tab_to("by")
    walker.tab_to("email")
    walker.type("ann@example.org")
    walker.tab_to("extras")
    walker.press("down", "space", sees=r"\[x\] tracked")
    walker.tab_to("note")
    walker.press("ctrl+d", sees="default: null")
    walker.tab_to("deliverAt")
    walker.tab_to("labels")
    walker.press("enter", sees="▾ labels")
    walker.tab_to("+ add key")
    # A letter on the row that adds a key begins the key.
    walker.type("for", sees=r"│ +for +")
    walker.press("enter", at="for", sees=r"for +required")
    walker.type("Ann")
    walker.tab_to("+ add key")
    walker.tab_to("place")
    walker.press("enter", sees="▾ place")
    walker.tab_to("[0]")
    walker.type("52.5")
    walker.tab_to("[1]")
    walker.type("13.4")
    walker.tab_to("pickUp")
    walker.type("t", sees=r"pickUp.*● true")
    walker.press(sees=r"shop \*")
    walker.tab_to("shop")
    walker.type("Mitte")
