"""How soon changes of calls are drawn, and how many of them together."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from signoff.app.calls.call import Call
from signoff.app.tui.main import changed_calls
from signoff.app.tui.main.changed_calls import (
    BUSY_SECONDS,
    DRAWING_SECONDS,
    IDLE_TICKS_A_SECOND,
    MANY,
    MANY_SECONDS,
    TICKS_A_SECOND,
    ChangedCalls,
    Ticker,
)
from tests.widgets.call_samples import ended, running


class Drawing:
    """A clock that stands still, the timers that were set, and what was drawn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.waits: list[float] = []
        self.drawn: list[list[Call]] = []
        self.calls = ChangedCalls(cast(Any, self), self.drawn.append)
        monkeypatch.setattr(changed_calls, "time", SimpleNamespace(monotonic=lambda: self.now))

    def set_timer(self, wait: float, then: Callable[[], None]) -> Drawing:
        self.waits.append(wait)
        return self

    def set_interval(self, wait: float, then: Callable[[], None]) -> Drawing:
        self.waits.append(wait)
        self.tick = then
        return self

    def stop(self) -> None:
        """Nothing comes of a timer here."""


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Drawing:
    return Drawing(monkeypatch)


def test_a_single_change_is_drawn_at_once_and_the_next_soon(drawing: Drawing) -> None:
    first, second = running(1), ended(1)
    drawing.calls.add(first)
    drawing.calls.add(second)
    assert drawing.drawn == [[first]]
    assert drawing.waits == [pytest.approx(DRAWING_SECONDS)]
    drawing.calls.draw_now()
    assert drawing.drawn == [[first], [second]]


def test_while_many_are_open_they_are_drawn_less_often(drawing: Drawing) -> None:
    many = [running(number) for number in range(1, MANY + 1)]
    for call in many:
        drawing.calls.add(call)
    drawing.calls.draw_now()
    assert drawing.drawn == [many[:1], many[1:]]
    drawing.calls.add(many[0])
    assert drawing.waits[-1] == pytest.approx(MANY_SECONDS)
    drawing.calls.draw_now()
    drawing.now += 1
    for number in range(1, MANY):
        drawing.calls.add(ended(number))
        drawing.calls.draw_now()
    drawing.calls.add(many[-1])
    assert drawing.waits[-1] == pytest.approx(DRAWING_SECONDS)


def test_it_ticks_fast_while_there_is_work_and_slowly_without(drawing: Drawing) -> None:
    work = [True]
    ticker = Ticker(cast(Any, drawing), lambda: work[0])
    fast, slow = pytest.approx(1 / TICKS_A_SECOND), pytest.approx(1 / IDLE_TICKS_A_SECOND)
    drawing.now += 10 * BUSY_SECONDS
    drawing.tick()
    assert drawing.waits == [fast]
    work[0] = False
    drawing.now += BUSY_SECONDS / 2
    drawing.tick()
    assert drawing.waits == [fast], "the last change may not be drawn yet"
    drawing.now += BUSY_SECONDS
    drawing.tick()
    drawing.tick()
    assert drawing.waits == [fast, slow]
    ticker.speed_up()
    ticker.speed_up()
    assert drawing.waits == [fast, slow, fast]
    drawing.tick()
    assert drawing.waits == [fast, slow, fast], "it was just told of a change"
    drawing.now += 2 * BUSY_SECONDS
    drawing.tick()
    work[0] = True
    drawing.tick()
    assert drawing.waits == [fast, slow, fast, slow, fast]
