"""When a dialog hears: never what was typed ahead, never at the first look at the clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.tui.approving.guarded_dialog import InputSettle

GAPS = st.lists(st.floats(0.0, 2.0), max_size=30)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def hears(attention: InputSettle) -> bool:
    """Whether it hears once it has looked at the clock as often as it may want to."""
    for _ in range(3):
        attention.look(can_hear=True)
    return attention.is_armed


@given(GAPS, st.floats(0.1, 1.0))
def test_typing_ahead_never_gets_through_without_a_pause(gaps: list[float], quiet: float) -> None:
    clock = Clock()
    attention = InputSettle(clock, quiet)
    attention.restart()
    paused = False
    for gap in gaps:
        before, clock.now = clock.now, clock.now + gap
        paused = paused or clock.now - before >= quiet
        assert hears(attention) is paused
        attention.swallow()


def test_before_the_first_paint_it_is_deaf_however_long_that_takes() -> None:
    clock = Clock()
    attention = InputSettle(clock)
    clock.now = 1_000.0
    assert not hears(attention)


def test_it_takes_three_looks_in_a_row_after_the_last_key() -> None:
    clock = Clock()
    attention = InputSettle(clock, 0.5)
    attention.restart()
    clock.now = 1.0
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=True)
    attention.swallow()
    clock.now = 2.0
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=True)
    assert not attention.look(can_hear=False)
    assert attention.look(can_hear=True)
    attention.restart()
    assert not attention.is_armed
