"""Content of a matrix grid: columns, rows, their layout in cells, and words for verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from rich.cells import cell_len

from ...app.approval.policies.verdicts import KnownBy, Verdict, VerdictAnswer
from ...app.content.frozen import frozen
from ...app.protocol.hints import Effect
from ...app.protocol.tool import ToolDefinition
from ..cells import ELLIPSIS, fit

WORD_CELLS: Final = 3
REVIEWS: Final = "*"
"""Mark after a word: the response asks for approval as well."""
MEASURED: Final = "°"
"""Mark after a word: it was measured in the host."""
CONFLICT: Final = "‡"
"""Mark after a word: it was measured, and the host's source was read otherwise."""


class CellWord(NamedTuple):
    """`text` has three cells, `role` names the colour that supports it."""

    text: str
    role: str
    mark: str = ""
    """Signs after the word: `REVIEWS`, `MEASURED` or `CONFLICT`."""

    @property
    def cells(self) -> int:
        return WORD_CELLS + len(self.mark)


class Meaning(NamedTuple):
    """One entry of the legend."""

    text: str
    role: str
    meaning: str


RUN: Final = CellWord("run", "run")
ASK: Final = CellWord("ask", "ask")
ASK_WITH_WARNING: Final = CellWord("ASK", "strong")
REFUSED: Final = CellWord("ref", "refused")
HIDDEN: Final = CellWord("hid", "hidden")
JUDGED: Final = CellWord("mod", "unknown")
UNKNOWN: Final = CellWord(" ? ", "unknown")

LEGEND: Final = (
    Meaning("run", "run", "runs"),
    Meaning("ask", "ask", "asks"),
    Meaning("ASK", "strong", "asks with a warning"),
    Meaning("ref", "refused", "refused"),
    Meaning("hid", "hidden", "hidden"),
    Meaning("mod", "unknown", "runs if its model agrees"),
    Meaning("?", "unknown", "not known"),
)
"""What every word means, but for the star, which is explained where one is to be seen."""


def word(verdict: Verdict) -> CellWord:
    """The word of a verdict: run, ask, ASK, ref, hid or a question mark, and its marks."""
    match verdict.answer:
        case VerdictAnswer.ALLOW:
            found = RUN
        case VerdictAnswer.ASK:
            found = ASK_WITH_WARNING if verdict.strong else ASK
        case VerdictAnswer.REFUSE:
            found = REFUSED
        case VerdictAnswer.HIDE:
            found = HIDDEN
        case VerdictAnswer.JUDGE:
            found = JUDGED
        case _:
            found = UNKNOWN
    mark = REVIEWS if verdict.reviews_result else ""
    if verdict.known_by is KnownBy.CONFLICT:
        mark += CONFLICT
    elif verdict.known_by in (KnownBy.MEASURED, KnownBy.BOTH):
        mark += MEASURED
    return found._replace(mark=mark) if mark else found


HEAD_ROWS = 3
LEAST_HEAD = 5
MOST_HEAD = 20
"""Cells; a word that is longer is cut."""
GAP = 1
"""The cell before each column; it holds the arrow of a changed verdict."""
DIVIDER = "║"

_WORDS = re.compile(r"[^\s-]+-?")


class Sides(StrEnum):
    """Verdicts that a cell shows."""

    BOTH = "untrusted│trusted"
    UNTRUSTED = "untrusted only"
    TRUSTED = "trusted only"

    @property
    def following(self) -> Sides:
        order = list(Sides)
        return order[(order.index(self) + 1) % len(order)]


@frozen
class GridColumn:
    """A policy or the rules of a host, by a name that is safe to show.

    `is_marked`: it is one of those that are compared.
    """

    title: str
    is_host: bool = False
    is_marked: bool = False


class Pair(NamedTuple):
    """The verdicts of one cell."""

    untrusted: Verdict
    trusted: Verdict


@frozen
class GridRow:
    """A tool with a pair for each column.

    `what_if` are the pairs by other hints, with their combined effect. `heading` is above it: words
    of Signoff's own for the rows that begin with this one.
    """

    tool: ToolDefinition
    pairs: tuple[Pair, ...]
    what_if: tuple[Pair, ...] = ()
    what_if_effect: Effect | None = None
    heading: str = ""


class Words(NamedTuple):
    """Content of a cell: one word, or two if trust makes a difference."""

    first: CellWord
    second: CellWord | None = None

    @property
    def cells(self) -> int:
        if self.second is None:
            return self.first.cells
        return 2 * max(self.first.cells, self.second.cells) + 1


def words(pair: Pair, sides: Sides) -> Words:
    """The words of a cell; one word where untrusted and trusted come to the same."""
    if sides is Sides.UNTRUSTED:
        return Words(word(pair.untrusted))
    trusted = word(pair.trusted)
    if sides is Sides.TRUSTED:
        return Words(trusted)
    untrusted = word(pair.untrusted)
    return Words(untrusted) if untrusted == trusted else Words(untrusted, trusted)


def moves(before: Pair, after: Pair, sides: Sides) -> bool:
    """True if the content of a cell differs between two pairs."""
    return words(before, sides) != words(after, sides)


def stacked(title: str, width: int) -> tuple[str, ...]:
    """A title on at most three lines of `width` cells, broken at blanks and after hyphens only.

    A word that is too long, and what three lines do not hold, is cut at the end. An article at the
    beginning is left out.
    """
    lines: list[str] = []
    for part in _parts(title):
        joined = _joined(lines[-1], part) if lines else part
        if lines and (cell_len(joined) <= width or len(lines) == HEAD_ROWS):
            lines[-1] = joined
        else:
            lines.append(part)
    return tuple(fit(line, width) for line in lines)


def head_width(title: str) -> int:
    """The least width from 5 to 20 at which no word is broken and nothing is cut."""
    for width in range(LEAST_HEAD, MOST_HEAD):
        if not any(line.endswith(ELLIPSIS) for line in stacked(title, width)):
            return width
    return MOST_HEAD


def _joined(before: str, part: str) -> str:
    return f"{before}{'' if before.endswith('-') else ' '}{part}"


def _parts(title: str) -> list[str]:
    return _WORDS.findall(title.removeprefix("The ")) or [title]


def widest_words(rows: Iterable[GridRow], count: int, sides: Sides) -> list[int]:
    """For each of `count` columns the cells that its widest pair takes."""
    widest = [WORD_CELLS] * count
    # Many rows share their pairs; each tuple is looked at once.
    different = {id(pairs): pairs for row in rows for pairs in (row.pairs, row.what_if)}
    for pairs in different.values():
        for at, pair in enumerate(pairs):
            widest[at] = max(widest[at], words(pair, sides).cells)
    return widest


def column_widths(columns: Sequence[GridColumn], widest: Sequence[int], room: int) -> list[int]:
    """Widths in which heads and words are readable; wider ones where `room` has space for all."""
    widths = [max(head_width(c.title), w) for c, w in zip(columns, widest, strict=True)]
    # Two words need a middle to meet in.
    widths = [w + (w % 2 == 0 and at_least > 4) for w, at_least in zip(widths, widest, strict=True)]
    spare = room - total_width(columns, widths)
    if columns:
        each = 2 if spare >= 2 * len(columns) else 0
        widths = [width + each for width in widths]
    return widths


def total_width(columns: Sequence[GridColumn], widths: Sequence[int]) -> int:
    """The cells that the columns take with their gaps and the divider before the hosts."""
    dividers = sum(starts_hosts(columns, at) for at in range(len(columns)))
    return sum(widths) + GAP * len(columns) + 2 * dividers


def starts_hosts(columns: Sequence[GridColumn], at: int) -> bool:
    """True if a divider is before this column."""
    return at > 0 and columns[at].is_host is not columns[at - 1].is_host


class Line(NamedTuple):
    """A line of the grid: a row, the heading above it, or its what-if."""

    row: int
    is_what_if: bool = False
    is_heading: bool = False

    @property
    def is_own(self) -> bool:
        """True if it is the row itself."""
        return not self.is_what_if and not self.is_heading


def lines_of(rows: Sequence[GridRow]) -> list[Line]:
    """One line for each row, one before it for a heading, one after it for a what-if."""
    lines: list[Line] = []
    for at, row in enumerate(rows):
        if row.heading:
            lines.append(Line(at, is_heading=True))
        lines.append(Line(at))
        if row.what_if:
            lines.append(Line(at, is_what_if=True))
    return lines
