"""Held keys never count; single presses do."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.tui.approving.guarded_dialog import (
    CHORD_SECONDS,
    HELD_AFTER,
    STILL_AFTER,
    STILL_BEFORE,
    KeypressGuard,
)

DELAYS = st.floats(0.15, 1.5)
"""Seconds until a held key begins to repeat."""
PERIODS = st.floats(0.01, STILL_AFTER - 0.01)


def _times(start: float, delay: float, period: float, repeats: int) -> list[float]:
    return [start, *(start + delay + period * index for index in range(repeats))]


@given(DELAYS, PERIODS, st.integers(2, 40))
def test_a_held_chord_never_counts(delay: float, period: float, repeats: int) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in zip(times, [*times[1:], 100], strict=True):
        keys.hear(now)
        keys.press_chord()
        assert not keys.is_settled(following)


@given(st.floats(0.15, HELD_AFTER - 0.01), PERIODS, st.integers(1, 40))
def test_a_held_key_on_a_button_never_counts(delay: float, period: float, repeats: int) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in pairwise(times):
        keys.hear(now)
        keys.press(focused_since=0)
        assert not keys.is_settled(following)


@given(DELAYS, PERIODS, st.integers(2, 40), st.floats(0, STILL_BEFORE - 0.01))
def test_a_held_key_on_a_button_never_counts_if_its_first_press_did_not(
    delay: float, period: float, repeats: int, after_focus: float
) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in zip(times, [*times[1:], 100], strict=True):
        keys.hear(now)
        keys.press(focused_since=10 - after_focus)
        assert not keys.is_settled(following)


@given(st.floats(STILL_BEFORE + 0.01, CHORD_SECONDS - 0.01))
def test_two_separate_presses_count(gap: float) -> None:
    keys = KeypressGuard()
    keys.hear(10)
    assert not keys.press_chord()
    assert keys.is_chord_open(10 + gap)
    keys.hear(10 + gap)
    assert keys.press_chord()
    assert not keys.is_settled(10 + gap + STILL_AFTER / 2)
    assert keys.is_settled(10 + gap + STILL_AFTER * 1.01)


@given(st.floats(0.15, HELD_AFTER - 0.01), PERIODS, st.integers(2, 40))
def test_a_held_key_that_approves_alone_never_counts(
    delay: float, period: float, repeats: int
) -> None:
    keys = KeypressGuard()
    times = _times(10, delay, period, repeats)
    for now, following in pairwise(times):
        keys.hear(now)
        keys.press_once()
        assert not keys.is_settled(following)
    keys.hear(times[-1])
    assert not keys.press_once(), "the last repeat comes too soon after the one before"
    assert not keys.is_settled(100)


@given(st.floats(0, STILL_BEFORE - 0.01), st.floats(0, HELD_AFTER - 0.01))
def test_a_key_right_before_or_after_one_that_approves_alone_takes_it_back(
    before: float, after: float
) -> None:
    keys = KeypressGuard()
    keys.hear(10 - before)
    keys.hear(10)
    assert not keys.press_once()
    keys.hear(20)
    assert keys.press_once()
    assert keys.share(20 + after) is not None
    keys.hear(20 + after)
    assert not keys.is_settled(100)
    assert keys.share(100) is None


@given(st.floats(STILL_BEFORE + 0.01, HELD_AFTER - 0.01))
def test_the_chord_works_where_one_press_would_do(gap: float) -> None:
    keys = KeypressGuard()
    keys.hear(10)
    assert keys.press_once()
    keys.hear(10 + gap)
    assert keys.press_once()
    assert keys.is_settled(10 + gap + STILL_AFTER * 1.01)


def test_a_press_on_a_button_counts_after_stillness() -> None:
    keys = KeypressGuard()
    keys.hear(10)
    keys.hear(11)
    assert keys.press(focused_since=10)
    assert keys.is_waiting()
    assert not keys.is_settled(11 + HELD_AFTER * 0.99)
    assert keys.is_settled(11 + HELD_AFTER * 1.01)


def test_reset_forgets() -> None:
    keys = KeypressGuard()
    keys.hear(10)
    keys.press_chord()
    keys.reset()
    assert not keys.is_chord_open(10)
    keys.hear(11)
    assert not keys.press_chord()
