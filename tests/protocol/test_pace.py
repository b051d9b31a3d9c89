"""Rate and time left of a call, as far as they can be known."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.progress import SAMPLES_KEPT, SPACING, Pace, Progress, advance, pace_words

WORDS = re.compile(
    r"(?:at [\d.,e+-]+/(?:s|min|h) · )?"
    r"(?:\d+\.\d s|\d+ min \d\d s|\d+ h \d\d min|more than a day) left"
    r"|no report for (?:\d+\.\d s|\d+ min \d\d s|\d+ h \d\d min)"
)


def of(*samples: tuple[float, float]) -> Pace:
    return Pace().reported(samples)


def at(value: float, total: float | None = 10) -> Progress:
    return Progress(value, total, "", 1)


STEADY = ((0, 1), (1, 2), (2, 3), (3, 4))
TENTHS: list[tuple[str, Pace, Progress, float, tuple[str, ...]]] = [
    ("steady reports", of(*STEADY), at(4), 3.0, ("at 1/s · 6.0 s left", "6.0 s left")),
    ("between two reports", of(*STEADY[:3]), at(3), 2.5, ("at 1/s · 6.5 s left", "6.5 s left")),
    ("one report", of((0, 1)), at(1), 0.5, ()),
    ("no total", of((0, 1), (1, 2)), at(2, None), 1.0, ()),
    ("at the total", of((0, 9), (1, 10)), at(10), 1.0, ()),
    ("long at the total", of((0, 9), (1, 10)), at(10), 60.0, ()),
    ("a stall", of((0, 1), (0.5, 2), (1, 3)), at(3), 13.0, ("no report for 12.0 s",)),
    (
        "slow reports",
        of((0, 1), (20, 2), (40, 3)),
        at(3),
        60.0,
        ("at 3/min · 2 min 00 s left", "2 min 00 s left"),
    ),
    ("it stands still", of((0, 3), (1, 3), (2, 3)), at(3), 2.0, ()),
    ("it goes back", of((0, 8), (1, 9), (2, 1)), at(1), 2.0, ()),
    (
        "a standstill of the program",
        of((0, 1), (1, 2)).delayed(100.0),
        at(2),
        101.0,
        ("at 1/s · 8.0 s left", "8.0 s left"),
    ),
]


@pytest.mark.parametrize(
    ("pace", "progress", "now", "words"),
    [one[1:] for one in TENTHS],
    ids=[one[0] for one in TENTHS],
)
def test_what_is_said(pace: Pace, progress: Progress, now: float, words: tuple[str, ...]) -> None:
    assert pace_words(pace, progress, now) == words


def test_after_a_stall_the_newest_reports_count_with_it() -> None:
    pace = of((0, 1), (1, 2), (101, 3), (102, 4))
    # Three steps in 102 s, and not one in 1 s.
    assert pace.left(at(4), 102.0) == pytest.approx(6 * 34.0)


def test_old_samples_are_forgotten_and_a_burst_does_not_push_the_past_out() -> None:
    pace = of(*((second, 1000.0 * second) for second in range(100)))
    for second in range(100, 100 + SAMPLES_KEPT):
        pace = pace.reported([(second, 99_000.0 + second)])
    assert pace.rate == pytest.approx(1.0)
    pace = of((0, 0), (10, 10))
    for step in range(1, 1000):
        pace = pace.reported([(10 + step / 10_000, 10 + step / 10_000)])
    assert pace.rate == pytest.approx(1.0)


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(0, 100).map(float),
    st.sampled_from([0.0, -1.0, 1e-300, 1.7e308, -1.7e308]),
)


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(0, 1e5), NUMBERS), max_size=40), NUMBERS, st.floats(0, 1e7))
def test_whatever_is_reported_what_is_said_is_no_nonsense(
    reports: list[tuple[float, float]], total: float, later: float
) -> None:
    pace, progress, now = Pace(), Progress(), 0.0
    for wait, value in reports:
        now += wait
        progress, _ = advance(progress, {"progress": value, "total": total})
        pace = pace.reported([(now, progress.value)])
        assert len(pace.samples) <= SAMPLES_KEPT
        for words in pace_words(pace, progress, now):
            assert WORDS.fullmatch(words), words
    for words in pace_words(pace, progress, now + later):
        assert WORDS.fullmatch(words), words
    left = pace.left(progress, now + later)
    assert left is None or (math.isfinite(left) and left >= 0)


TIMES = st.one_of(st.floats(0, 60), st.sampled_from([0.0, 0.01, SPACING, 2 * SPACING]))
"""Those that are reached by a clock that stands still, or goes back, among them."""
REPORTS = st.lists(st.tuples(TIMES, st.none() | st.integers(0, 9).map(float) | NUMBERS))


def after_one(pace: Pace, at: float, value: float | None) -> Pace:
    """The pace after one more report, as simply as it can be said."""
    gap = pace.usual_gap
    if pace.heard is not None:
        since = max(at - pace.heard, 0.0)
        gap = since if not gap else gap + 0.3 * (since - gap)
    if value is None:
        return replace(pace, usual_gap=gap, heard=at)
    samples = pace.samples
    if samples and (value < samples[-1][1] or at < samples[-1][0]):
        return Pace(((at, value),), 0.0, at)
    if len(samples) > 1 and at - samples[-2][0] < SPACING:
        samples = samples[:-1]
    return Pace((*samples, (at, value))[-SAMPLES_KEPT:], gap, at)


@given(REPORTS, st.integers(1, 9))
def test_reports_taken_together_come_to_the_same_as_one_by_one(
    reports: list[tuple[float, float | None]], most: int
) -> None:
    steady = [(60 + step * SPACING, 1e300 + step * 1e290) for step in range(3 * SAMPLES_KEPT)]
    for given_reports in (reports, [*reports, *steady]):
        one_by_one = reduce(lambda pace, report: after_one(pace, *report), given_reports, Pace())
        in_parts = Pace()
        for start in range(0, len(given_reports), most):
            in_parts = in_parts.reported(given_reports[start : start + most])
        assert one_by_one == in_parts == Pace().reported(given_reports)


@given(st.floats(0.05, 1000), st.integers(2, 60), st.integers(1, 1000))
def test_steady_work_is_foretold(step: float, done: int, rest: int) -> None:
    """Reports in equal steps: what is left is what the rest takes at that pace."""
    pace = of(*((step * count, float(count)) for count in range(done + 1)))
    progress = Progress(float(done), float(done + rest), "", done + 1)
    left = pace.left(progress, step * done)
    if step * done >= 0.2:
        assert left == pytest.approx(step * rest, rel=0.01)


@given(st.lists(st.floats(0.01, 5), min_size=2, max_size=30), st.floats(0, 100))
def test_a_silence_never_shortens_what_is_left_below_nothing(
    waits: list[float], later: float
) -> None:
    pace, now = Pace(), 0.0
    for count, wait in enumerate(waits):
        now += wait
        pace = pace.reported([(now, float(count))])
    progress = Progress(float(len(waits) - 1), 1e6, "", len(waits))
    if later > max(2.0, 3 * max(waits)) + 0.001:
        assert pace.left(progress, now + later) is None
        assert all("left" not in words for words in pace_words(pace, progress, now + later))
