"""Positions of the rows of a text: the interface for a view, and the layout of lines in memory.

`LinePaint` paints one row: its pieces, matches, selection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from rich.errors import StyleError, StyleSyntaxError
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ...app.content.frozen import frozen
from ...app.content.text import visible
from .line_rows import Rows
from .line_source import MARK, ListSource, Piece


@frozen
class Stretch:
    """A unit of layout, a line or a piece of a long one, and one row of it.

    `start` and `end` are positions in the searched text; `low` and `high` count the drawn
    characters, from the beginning of the stretch; unwrapped, a row is all of it. `goes_on`: the row
    belongs to the same line as the previous one.
    """

    start: int
    end: int
    low: int
    high: int
    goes_on: bool
    is_clean: bool = True
    """Each character is drawn as it is."""


class Layout(ABC):
    """Rows at one width; None: each line is one row. It may grow: `total` counts the known ones."""

    width: int | None

    @property
    @abstractmethod
    def total(self) -> int:
        """The number of rows, as far as they are known."""

    @property
    def is_whole(self) -> bool:
        """True if all rows are known."""
        return True

    @abstractmethod
    def grow(self, seconds: float) -> None:
        """Get to know more rows, for about so long."""

    @abstractmethod
    def widest(self) -> int:
        """Cells of the longest line; more than there are where counting would take long."""

    @abstractmethod
    def stretch(self, row: int) -> Stretch:
        """Return the range of a row."""

    def knows(self, position: int) -> bool:
        """True if the row of a position is known."""
        return True

    @abstractmethod
    def pieces(self, row: int) -> Sequence[Piece]:
        """A wrapped row in pieces."""

    @abstractmethod
    def window(self, row: int, left: int, width: int) -> tuple[Sequence[Piece], int, int]:
        """Return the part of an unwrapped row between two cells: pieces, their offset, cells to
        skip.
        """

    @abstractmethod
    def row_of(self, position: int) -> int:
        """The row on which a position of the text is; the last known one for those beyond."""

    @abstractmethod
    def drawn_offset(self, stretch: Stretch, position: int) -> int:
        """Number of characters drawn in a stretch before a position."""

    @abstractmethod
    def text_of(self, row: int) -> str:
        """The characters drawn in a row, all of them."""


class ListLayout(Layout):
    """Rows of lines that are in memory; the searched text is the drawn one."""

    def __init__(self, source: ListSource, width: int | None, *, words: bool = False) -> None:
        self._source = source
        self._rows = Rows(source.texts, width, words=words)
        self.width = self._rows.width
        self._starts: array[int] | None = None

    @property
    def total(self) -> int:
        return self._rows.total

    def grow(self, seconds: float) -> None:
        """All rows are known from the beginning."""

    def widest(self) -> int:
        return self._rows.widest()

    def stretch(self, row: int) -> Stretch:
        line, low, high = self._rows.locate(row)
        start = self._line_starts()[line]
        end = start + len(self._source.texts[line])
        return Stretch(start, end, low, high, low > 0)

    def pieces(self, row: int) -> Sequence[Piece]:
        return self._source.between(*self._rows.locate(row))

    def window(self, row: int, left: int, width: int) -> tuple[Sequence[Piece], int, int]:
        shown, start, skip = self._rows.window(row, left, width)
        return self._source.between(row, start, start + len(shown)), start, skip

    def row_of(self, position: int) -> int:
        starts = self._line_starts()
        line = max(bisect_right(starts, position, 0, len(starts) - 1) - 1, 0)
        row = self._rows.first_row(line)
        offset = position - starts[line]
        last = self._rows.first_row(line + 1) - 1
        while row < last and self._rows.locate(row)[2] <= offset:
            row += 1
        return row

    def drawn_offset(self, stretch: Stretch, position: int) -> int:
        return min(max(position - stretch.start, 0), stretch.end - stretch.start)

    def text_of(self, row: int) -> str:
        line, low, high = self._rows.locate(row)
        return self._source.texts[line][low:high]

    def _line_starts(self) -> array[int]:
        if self._starts is None:
            lengths = (len(text) + 1 for text in self._source.texts)
            self._starts = array("Q", accumulate(lengths, initial=0))
        return self._starts


GUTTER = "┃ "
NAMES = ("muted", "accent", "success", "warning", "error", "key")
"""Names of styles for colours of the theme."""


class Matches(Protocol):
    """Matches of a search."""

    def between(self, low: int, high: int) -> list[tuple[int, int, bool]]:
        """Beginning, end, whether it is the current one: of those that touch a range."""


class LinePaint:
    """Uses the component styles `line-view--…` of a widget."""

    def __init__(self, view: Widget, *, gutter: bool) -> None:
        self._view = view
        self._gutter = gutter
        self.matches: Matches | None = None

    def row(self, rows: Layout, row: int, left: int, width: int) -> Strip:
        """One row, `width` cells from the cell `left` on; sideways only where lines are whole."""
        base = self._view.rich_style
        stretch = rows.stretch(row)
        pieces: Sequence[Piece]
        if rows.width is not None:
            pieces, origin, skip = rows.pieces(row), 0, 0
            first = stretch.low
        else:
            pieces, origin, skip = rows.window(row, left, width)
            first = origin
        segments = [
            Segment(text if text.isprintable() else visible(text), self._style(style, base))
            for text, style in pieces
        ]
        length = sum(len(text) for text, _ in pieces)
        for low, high, name in self._found_in(rows, stretch, first, first + length):
            style = self._view.get_component_rich_style(f"line-view--{name}")
            segments = _restyled(segments, low - first, high - first, style)
        selection = self._view.text_selection
        selected = None if selection is None else selection.get_span(row)
        # Offsets count the characters of the row, or of the line where lines are not wrapped.
        if selected is not None:
            low, high = selected
            chosen = self._view.screen.get_component_rich_style("screen--selection")
            last = length if high == -1 else high - origin
            segments = _restyled(segments, low - origin, last, chosen)
        strip = Strip(segments)
        gutter = len(GUTTER) if self._gutter else 0
        strip = strip.apply_offsets(origin, row)
        strip = strip.crop_extend(skip, skip + width - gutter, base)
        if gutter:
            bar = Segment(GUTTER, base + self._component("gutter"))
            strip = Strip([bar, *strip], width)
        return strip

    def _found_in(
        self, rows: Layout, stretch: Stretch, first: int, last: int
    ) -> list[tuple[int, int, str]]:
        """Matches among the characters drawn from `first` to `last` of a stretch."""
        if self.matches is None:
            return []
        low, high = stretch.start, stretch.end
        if stretch.is_clean:
            low, high = stretch.start + first, min(stretch.start + last, stretch.end)
        found = []
        for start, end, is_current in self.matches.between(low, high):
            begin, stop = rows.drawn_offset(stretch, start), rows.drawn_offset(stretch, end)
            if begin < last and stop > first:
                found.append((begin, stop, "current" if is_current else "match"))
        return found

    def _style(self, style: str, base: Style) -> Style:
        if not style:
            return base
        if style == MARK:
            return base + Style(reverse=True)
        if style in NAMES:
            return base + self._component(style)
        try:
            return base + Style.parse(style)
        except (StyleError, StyleSyntaxError):
            return base

    def _component(self, name: str) -> Style:
        # The colour alone, worked out against the background: muted text has no colour of its own.
        return Style(color=self._view.get_component_rich_style(f"line-view--{name}").color)


def _restyled(segments: list[Segment], start: int, end: int, style: Style) -> list[Segment]:
    """`style` on top, from one character to another."""
    found: list[Segment] = []
    position = 0
    for text, before, _ in segments:
        low = min(max(start - position, 0), len(text))
        high = min(max(end - position, low), len(text))
        inside = style if before is None else before + style
        parts = ((text[:low], before), (text[low:high], inside), (text[high:], before))
        found += [Segment(part, part_style) for part, part_style in parts if part]
        position += len(text)
    return found
