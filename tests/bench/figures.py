"""Figures: seconds that were measured, their median, and the target they are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured several times. `values` are seconds."""

    name: str
    values: Sequence[float]
    target: str = ""
    """What the median should be, in words."""
    verdict: str = ""
    """What the median is, in the words of the target."""

    @property
    def median(self) -> float:
        return median(self.values)

    def as_line(self) -> str:
        low, high = min(self.values), max(self.values)
        spread = f"{_ms(low)} - {_ms(high)}"
        words = f"{self.name:<52} {_ms(self.median):>9}  {spread:>21}  n={len(self.values):<4}"
        judged = f"{self.verdict} (target {self.target})" if self.target else self.verdict
        return f"{words} {judged}".rstrip()

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "median_ms": round(self.median * 1000, 3),
            "min_ms": round(min(self.values) * 1000, 3),
            "max_ms": round(max(self.values) * 1000, 3),
            "n": len(self.values),
            "target": self.target,
            "verdict": self.verdict,
        }


@dataclass(slots=True)
class Samples:
    """Seconds by name, in the order in which the names first came."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, seconds: float) -> None:
        self.values.setdefault(name, []).append(seconds)

    def median(self, name: str) -> float:
        return median(self.values[name])

    def figure(self, name: str, target: str = "", verdict: str = "") -> Figure:
        return Figure(name, self.values[name], target, verdict)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"
