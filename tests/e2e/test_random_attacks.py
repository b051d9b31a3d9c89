"""Random keys, pastes, clicks and wheel turns at the dialog of the real program, with no rest.

Each of the acts that approve needs stillness: whoever never gives it approves nothing. The
server writes down what it really receives. The marker `thorough` makes it 2,000 deeds.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.e2e.program import signoff
from tests.e2e.steps import BUTTON, OPEN_DIALOG, wait_for_start
from tests.e2e.terminal import Terminal
from tests.servers import raw, recorded

TOOLS = ("delete_thing", "read_thing")
"""One whose call may destroy, and one that a single press of the key approves."""
THOROUGH = [pytest.mark.thorough, pytest.mark.timeout(900)]
DEEDS = pytest.mark.parametrize("deeds", [60, pytest.param(2_000, marks=THOROUGH)])
PAUSES = (0.0, 0.01, 0.03, 0.08, 0.15)
REST = 0.7
"""Seconds after which the dialog hears again; never after what might approve."""
KEYS = (
    *(
        "enter",
        "ctrl+y",
        "ctrl+y",
        "tab",
        "tab",
        "tab",
        "right",
        "right",
        "right",
        "right",
        "space",
    ),
    *("left", "shift+tab", "a", "y", "1", "end", "pagedown", "up", "down", "home", "v", "x"),
)
DENIED = "denial"
"""A word that the bench has only for a call that is asked about no more: "your denial for ..."."""
WHEEL_UP, WHEEL_DOWN = 64, 65


class Attacker:
    """Opens the dialog and does one random thing after the other at it."""

    opens, words, button = "f5", OPEN_DIALOG, BUTTON

    def __init__(self, terminal: Terminal, seed: int) -> None:
        self.terminal = terminal
        self.dice = random.Random(seed)
        self.asked = 0

    def do(self) -> bool:
        """False where no dialog opens any more: the tool was denied for the session, say."""
        if self.words not in self.terminal.text:
            self.terminal.press(self.opens)
            try:
                text = self.terminal.wait_for(lambda text: self.is_armed(text) or DENIED in text)
            except AssertionError:
                return False
            if not self.is_armed(text):
                return False
            self.asked += 1
        roll, may_rest = self.dice.random(), True
        if roll < 0.7:
            key = self.dice.choice(KEYS)
            may_rest = key not in ("enter", "ctrl+y")
            self.terminal.press(key)
        elif roll < 0.8:
            self.terminal.paste(self.dice.choice(["\n", "yes\n", "y"]))
        elif roll < 0.9:
            self._wheel()
        else:
            may_rest = False
            self._click()
        is_resting = may_rest and self.dice.random() < 0.3
        time.sleep(REST if is_resting else self.dice.choice(PAUSES))
        return True

    def is_armed(self, text: str) -> bool:
        """Whether the dialog is open and listens."""
        return self.words in text and self.button in text and "moment" not in text

    def _wheel(self) -> None:
        self.terminal.mouse_down(60, 14, self.dice.choice((WHEEL_UP, WHEEL_DOWN)))

    def _click(self) -> None:
        """On Approve, in the same breath as a turn of the wheel; or down and up elsewhere."""
        try:
            x, y = self.terminal.find(self.button)
        except (AssertionError, ValueError):
            return
        if self.dice.random() < 0.5:
            self._wheel()
            self.terminal.mouse_click(x + 3, y)
        else:
            self.terminal.mouse_down(x - 30, y)
            self.terminal.mouse_up(x + 3, y)


class OnTrust(Attacker):
    """The same at the question whether to trust the server."""

    opens, words, button = "ctrl+t", "Trust this server?", "Trust this server "


@DEEDS
@pytest.mark.parametrize("tool", TOOLS)
def test_whoever_is_never_still_approves_nothing(tmp_path: Path, tool: str, deeds: int) -> None:
    record = tmp_path / "calls"
    server = raw("--only", tool, "--record", str(record))
    done = asked = 0
    while done < deeds:
        with Terminal(signoff("--no-audit", "--", *server), rows=36) as terminal:
            wait_for_start(terminal)
            terminal.wait_for(rf"╭─ {tool}\b")
            attacker = Attacker(terminal, seed=done)
            while done < deeds and attacker.do():
                done += 1
            asked += attacker.asked
            assert recorded(record) == []
            assert terminal.running
    assert asked > 1


@DEEDS
def test_whoever_is_never_still_trusts_nothing(deeds: int) -> None:
    with Terminal(signoff("--no-audit", "--", *raw("--only", "read_thing")), rows=36) as terminal:
        wait_for_start(terminal)
        attacker = OnTrust(terminal, seed=7)
        for _ in range(deeds):
            assert attacker.do()
            assert " trusted ctrl+t" not in terminal.text
        assert attacker.asked
        assert "untrusted ctrl+t" in terminal.text
        assert terminal.running
