"""Progress reports of a call, however malformed, and the pace and time left from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.text import cut, seconds, visible
from .findings.findings import Finding, warning

MESSAGE_LIMIT = 500


@frozen
class Progress:
    """The newest progress of a call. `count` is the number of notifications that arrived."""

    value: float | None = None
    total: float | None = None
    message: str = ""
    count: int = 0

    @property
    def fraction(self) -> float | None:
        """0..1 where a total is known, None if a pulse has to do."""
        if self.value is None or self.total is None or self.total <= 0:
            return None
        return min(1.0, max(0.0, self.value / self.total))

    @property
    def words(self) -> str:
        """`9/15`, `9`, or nothing."""
        if self.value is None:
            return ""
        shown = number(self.value)
        return f"{shown}/{number(self.total)}" if self.total is not None else shown

    def as_json(self) -> dict[str, JsonValue]:
        return {"progress": self.value, "total": self.total, "message": self.message}


class ProgressLog(Sequence[Progress]):
    """The newest reports of one call, oldest first; at most 1,000 (`KEPT`) of them.

    Never changes: `later` gives another one, which shares their common part, so that a call that
    reports a thousand times a second can have one at each of its states.
    """

    KEPT = 1_000
    __slots__ = ("_reports", "_start", "_stop")

    def __init__(self, reports: Iterable[Progress] = ()) -> None:
        self._reports = list(reports)
        self._stop = len(self._reports)
        self._start = max(0, self._stop - self.KEPT)

    def later(self, reports: Sequence[Progress]) -> ProgressLog:
        """Return a log with newer reports appended."""
        found = ProgressLog()
        shared = self._reports
        if self._stop < len(shared) or len(shared) >= 2 * self.KEPT:
            # Another one has gone on from here, or most of the shared list is out of date.
            shared = shared[self._start : self._stop]
        shared.extend(reports)
        found._reports, found._stop = shared, len(shared)
        found._start = max(0, found._stop - self.KEPT)
        return found

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, at: int) -> Progress: ...
    @overload
    def __getitem__(self, at: slice) -> ProgressLog: ...
    def __getitem__(self, at: int | slice) -> Progress | ProgressLog:
        kept = self._reports[self._start : self._stop]
        return kept[at] if isinstance(at, int) else ProgressLog(kept[at])

    def __iter__(self) -> Iterator[Progress]:
        return iter(self._reports[self._start : self._stop])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProgressLog) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((len(self), self[-1] if len(self) else None))


def advance(progress: Progress, params: JsonValue) -> tuple[Progress, tuple[Finding, ...]]:
    """Take in the params of one notifications/progress.

    Spec, basic/utilities/progress: the value MUST increase; total and message are optional. A
    violation becomes a finding and never an error; a value that is not a finite number keeps the
    previous one.
    """
    given = params if isinstance(params, dict) else {}
    findings: list[Finding] = []
    value = _finite(given.get("progress"))
    if value is None:
        findings.append(
            warning("progress-unreadable", "a progress value is not a finite number", "$.progress")
        )
        value = progress.value
    elif progress.value is not None and value <= progress.value:
        findings.append(
            warning(
                "progress-not-increasing",
                f"progress went from {number(progress.value)} to {number(value)}",
                "$.progress",
            )
        )
    total = progress.total
    if given.get("total") is not None:
        total = _finite(given["total"])
        if total is None:
            findings.append(
                warning("progress-unreadable", "a progress total is not a finite number", "$.total")
            )
    if value is not None and total is not None and value > total:
        findings.append(
            warning(
                "progress-over-total",
                f"progress {number(value)} is more than its total {number(total)}",
                "$.progress",
            )
        )
    message = given.get("message")
    shown = ""
    if isinstance(message, str):
        is_long = len(message) > MESSAGE_LIMIT
        shown = visible(cut(message, MESSAGE_LIMIT).text if is_long else message)
    return Progress(value, total, shown, progress.count + 1), tuple(findings)


def number(value: float) -> str:
    """A number as people write it: `9`, `0.25`, `1.2e+30`."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}"


def _finite(value: JsonValue) -> float | None:
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


SAMPLES_KEPT = 24
SPACING = 0.25
"""Seconds between two samples: of reports that come faster the newest counts."""
LEAST_SPAN = 0.2
"""Seconds that the samples must span before a rate is shown."""
LONGEST_SILENCE = 2.0
"""Seconds without a report after which nothing is foretold, where reports come often; else three
times what usually lies between two of them."""
_DAY = 86_400.0

Sample = tuple[float, float]
"""When a report came, in seconds of one monotonic clock, and its value."""


@frozen
class Pace:
    """The newest reports of one call, oldest first; at most `SAMPLES_KEPT` of them."""

    samples: tuple[Sample, ...] = ()
    usual_gap: float = 0.0
    """Seconds between two reports, smoothed; 0 while there was one only."""
    heard: float | None = None
    """When the newest report came."""

    def reported(self, reports: Iterable[tuple[float, float | None]]) -> Pace:
        """The pace after these reports, each with its time and the value that it left; a value that
        went back begins the count again.

        Taking them together comes to the same as one after the other, and is much cheaper.
        """
        samples, gap, heard = list(self.samples), self.usual_gap, self.heard
        for at, value in reports:
            if heard is not None:
                since = max(at - heard, 0.0)
                gap = since if not gap else gap + 0.3 * (since - gap)
            heard = at
            if value is None:
                continue
            if samples and (value < samples[-1][1] or at < samples[-1][0]):
                samples, gap = [], 0.0
            elif len(samples) > 1 and at - samples[-2][0] < SPACING:
                samples.pop()
            samples.append((at, value))
        return Pace(tuple(samples[-SAMPLES_KEPT:]), gap, heard)

    def delayed(self, by: float) -> Pace:
        """The pace where the program stood still for so many seconds, which count for nothing."""
        heard = None if self.heard is None else self.heard + by
        samples = tuple((at + by, value) for at, value in self.samples)
        return Pace(samples, self.usual_gap, heard)

    @property
    def rate(self) -> float | None:
        """Units a second over the samples; None if they do not tell."""
        if len(self.samples) < 2:
            return None
        (began, first), (ended, last) = self.samples[0], self.samples[-1]
        span = ended - began
        if span < LEAST_SPAN:
            return None
        rate = (last - first) / span
        return rate if rate > 0 and math.isfinite(rate) else None

    def silence(self, now: float) -> float | None:
        """Seconds since the newest report, if that is longer than usual; else None."""
        if self.heard is None:
            return None
        quiet = now - self.heard
        return quiet if quiet > max(LONGEST_SILENCE, 3 * self.usual_gap) else None

    def left(self, progress: Progress, now: float) -> float | None:
        """Seconds that are left if it goes on so; None if that cannot be known.

        It needs a total that is not reached yet, two reports at least, and no long silence.
        """
        rate, total, value = self.rate, progress.total, progress.value
        if rate is None or total is None or value is None or not 0 <= value < total:
            return None
        if self.heard is None or self.silence(now) is not None:
            return None
        rest = (total - value) / rate
        if not math.isfinite(rest):
            return None
        return max(rest - max(now - self.heard, 0.0), 0.0)


def pace_words(pace: Pace, progress: Progress, now: float) -> tuple[str, ...]:
    """Describe rate and time left, the longest wording first; nothing if both are unknown: `("at
    4.3/s · 1.4 s left", "1.4 s left")`, `("no report for 12.0 s",)`.
    """
    if progress.total is None:
        return ()
    left, rate = pace.left(progress, now), pace.rate
    if left is not None and rate is not None:
        rest = f"{_left_words(left)} left"
        speed = _rate_words(rate)
        return (f"at {speed} · {rest}", rest) if speed else (rest,)
    quiet = pace.silence(now)
    is_done = progress.value is not None and progress.value >= progress.total
    if quiet is None or len(pace.samples) < 2 or is_done:
        return ()
    return (f"no report for {seconds(quiet)}",)


def _left_words(left: float) -> str:
    return seconds(left) if left < _DAY else "more than a day"


def _rate_words(rate: float) -> str:
    """`4.3/s`, `12/min`, `3/h`: the first unit with a rate of 1 or more; empty if none has."""
    for factor, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if rate * factor >= 1:
            return f"{_short(rate * factor)}/{unit}"
    return ""


def _short(value: float) -> str:
    if value >= 1e9:
        return number(value)
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")
