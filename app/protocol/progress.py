"""Progress as it is reported, however badly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from ..content.json.jsonio import JsonValue
from ..content.text import cut, visible
from .findings import Finding, warning

MESSAGE_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Progress:
    """The newest progress of a call. `count` is the number of notifications that arrived."""

    value: float | None = None
    total: float | None = None
    message: str = ""
    count: int = 0

    @property
    def fraction(self) -> float | None:
        """0..1 where a total is known, None where a pulse has to do."""
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

    Never changes: `later` gives another one, which shares what they have in common, so that a call
    that reports a thousand times a second can have one at each of its states.
    """

    KEPT = 1_000
    __slots__ = ("_reports", "_start", "_stop")

    def __init__(self, reports: Iterable[Progress] = ()) -> None:
        self._reports = list(reports)
        self._stop = len(self._reports)
        self._start = max(0, self._stop - self.KEPT)

    def later(self, reports: Sequence[Progress]) -> ProgressLog:
        """This one and what came after it."""
        found = ProgressLog()
        shared = self._reports
        if self._stop < len(shared) or len(shared) >= 2 * self.KEPT:
            # Another one has gone on from here, or most of what is shared is out of date.
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

    Spec, basic/utilities/progress: the value MUST increase; total and message are optional. What
    breaks that becomes a finding and never an error; a value that is no finite number keeps the
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
    shown = visible(cut(message, MESSAGE_LIMIT).text) if isinstance(message, str) else ""
    return Progress(value, total, shown, progress.count + 1), tuple(findings)


def number(value: float) -> str:
    """A number as people write it: `9`, `0.25`, `1.2e+30`."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}"


def _finite(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None
