"""How the tool, the calls and the answer share the rows of their column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FRAME: Final = 2
"""Rows of the border of a pane."""
LEAST_ANSWER: Final = 4
"""An answer that takes as many rows or more has no fewer."""

LOW: Final = 24
"""In fewer rows a third of them would be hardly more than the frame of an answer."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Rows that panes would take, frames included; 0 for one that is not shown."""

    tool: int
    tool_least: int
    """With fewer the field that is typed in would be out of sight."""
    calls: int = 0
    answer: int = 0
    is_of_other: bool = False
    """Whether the answer is that of another tool than the one that is chosen."""
    is_broken: bool = False
    """Whether the answer breaks its schema: where it does is to be seen at once."""
    percent: int = 0
    """Of the rows, for calls and answer where the tool wants more; 0: as many as fit best."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that panes get, frames included."""

    tool: int
    calls: int = 0
    answer: int = 0


def calls_in_sight(count: int, rows: int, *, is_focused: bool) -> int:
    """How many calls stand in a column of so many rows, of `count` that there are."""
    most = 1 if rows < LOW else 2 if rows < 30 else 3 if rows < 40 else 6
    if is_focused:
        most = max(most, rows // 5)
    return max(1, min(count, most))


def answer_least(rows: int, needs: Needs) -> int:
    """Rows of an answer that nobody reads at the moment."""
    if needs.percent:
        return min(needs.answer, max(LEAST_ANSWER, rows * needs.percent // 100 - needs.calls))
    if needs.is_of_other:
        return min(needs.answer, LEAST_ANSWER)
    if needs.is_broken:
        return answer_wanted(rows, needs)
    part = 2 if rows < LOW else 3
    return min(needs.answer, max(LEAST_ANSWER, (rows - needs.calls) // part))


def answer_wanted(rows: int, needs: Needs) -> int:
    """Rows of the answer for which hints and description are folded."""
    least = answer_least(rows, needs) if needs.percent else LEAST_ANSWER
    return min(needs.answer, max(least, (rows - needs.calls) * 2 // 3))


def share(rows: int, needs: Needs, focused: str) -> Rows:
    """Share so many rows; `focused` is the pane with the focus, by its id.

    The tool gets what the answer does not use. Where both want more than there is, the one with
    the focus grows, and the answer keeps a third, or a half where rows are few; two thirds if it
    is broken; or what the person wants. The field that is typed in stays in sight.
    """
    left = rows - needs.calls
    if not needs.answer:
        return Rows(max(0, left), needs.calls)
    spared = left - needs.answer
    if focused == "answer":
        tool = max(min(needs.tool_least, left - LEAST_ANSWER), spared)
    else:
        least = min(needs.tool_least, left - LEAST_ANSWER)
        tool = max(min(needs.tool, left - answer_least(rows, needs)), least, spared)
    return Rows(tool, needs.calls, left - tool)
