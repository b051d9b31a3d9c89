"""Batches changes of calls, so that many are drawn together."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.timer import Timer

    from ...calls.call import Call

DRAWING_SECONDS = 1 / 30
"""Calls are drawn at most so often: a hundred of them may begin, and end, at once."""
MANY, MANY_SECONDS = 10, 1 / 10
"""While so many are open, drawing waits longer: it would cost as much as the calls do."""


class ChangedCalls:
    """Collects new values of calls; `draw` is given them in their order."""

    def __init__(self, screen: Screen[None], draw: Callable[[list[Call]], None]) -> None:
        self._screen = screen
        self._draw = draw
        self._waiting: list[Call] = []
        self._timer: Timer | None = None
        self._drawn_at = 0.0
        self._open: set[int] = set()
        """The ids of calls that are not over."""

    def add(self, call: Call) -> None:
        """Take a new value of a call.

        A single change is drawn at once; changes together with it, or soon after it, are drawn
        together. But arguments returned for editing are in the form before anything else is typed.
        """
        self._waiting.append(call)
        if call.is_over:
            self._open.discard(call.id)
        else:
            self._open.add(call.id)
        wait = self._drawn_at + self._pause - time.monotonic()
        if wait <= 0 or _gives_back(call):
            self.draw_now()
        elif self._timer is None:
            self._timer = self._screen.set_timer(wait, self.draw_now)

    def draw_now(self) -> None:
        """Draw pending changes."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._draw(waiting)
            self._drawn_at = time.monotonic()

    @property
    def _pause(self) -> float:
        """Seconds between two drawings."""
        is_many = len(self._open) >= MANY
        return max(DRAWING_SECONDS, MANY_SECONDS) if is_many else DRAWING_SECONDS


def _gives_back(call: Call) -> bool:
    """True if a call ended because the user wants to edit it."""
    from ...approval.approval import DecisionAnswer

    decision = call.decision
    return call.is_over and decision is not None and decision.answer is DecisionAnswer.EDIT
