"""Times drawing: changes of calls are drawn together, and what runs is drawn again and again."""

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
MANY, MANY_SECONDS = 10, 0.15
"""While so many are open, drawing waits longer: it would cost as much as the calls do."""

TICKS_A_SECOND, IDLE_TICKS_A_SECOND = 12, 1
BUSY_SECONDS = 1.0
"""The faster ticks go on for so long after the last sign of work."""


class Ticker:
    """Runs `tick` a dozen times a second while there is work, once a second otherwise.

    `tick` returns True while there is work, such as a call that runs. An idle program that wakes
    often keeps a laptop's processor from sleeping.
    """

    def __init__(self, screen: Screen[None], tick: Callable[[], bool]) -> None:
        self._screen = screen
        self._tick = tick
        self._is_fast = True
        self._busy_at = time.monotonic()
        self._timer = screen.set_interval(1 / TICKS_A_SECOND, self._run)

    def speed_up(self) -> None:
        """Tick fast from now on: something has changed."""
        self._busy_at = time.monotonic()
        if not self._is_fast:
            self._set_pace(is_fast=True)

    def _run(self) -> None:
        if self._tick():
            self.speed_up()
        elif self._is_fast and time.monotonic() - self._busy_at > BUSY_SECONDS:
            self._set_pace(is_fast=False)

    def _set_pace(self, *, is_fast: bool) -> None:
        self._is_fast = is_fast
        self._timer.stop()
        pace = TICKS_A_SECOND if is_fast else IDLE_TICKS_A_SECOND
        self._timer = self._screen.set_interval(1 / pace, self._run)


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
        return MANY_SECONDS if is_many else DRAWING_SECONDS


def _gives_back(call: Call) -> bool:
    """True if a call ended because the user wants to edit it."""
    from ...approval.approval import DecisionAnswer

    decision = call.decision
    return call.is_over and decision is not None and decision.answer is DecisionAnswer.EDIT
