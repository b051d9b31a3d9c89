"""Where the rows of a text are: the face that a view sees, and the one for lines in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from .line_rows import Rows
from .line_source import ListSource, Piece


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is laid out by itself, a line or a piece of a long one, and one row of it.

    `start` and `end` are positions in the text that is searched; `low` and `high` count the
    characters that are drawn, from the beginning of the stretch; unwrapped, a row is all of it.
    `goes_on`: the row belongs to the same line as the row before.
    """

    start: int
    end: int
    low: int
    high: int
    goes_on: bool
    is_clean: bool = True
    """Each character is drawn as it is."""


class Layout(ABC):
    """Rows at one width; None: each line is one row. It may grow: `total` counts what is known."""

    width: int | None

    @property
    @abstractmethod
    def total(self) -> int:
        """The number of rows, as far as they are known."""

    @property
    def is_whole(self) -> bool:
        """Whether all rows are known."""
        return True

    @abstractmethod
    def grow(self, seconds: float) -> None:
        """Get to know more rows, for about so long."""

    @abstractmethod
    def widest(self) -> int:
        """Cells of the longest line; more than there are where counting would take long."""

    @abstractmethod
    def stretch(self, row: int) -> Stretch:
        """Where the characters of a row are."""

    def knows(self, position: int) -> bool:
        """Whether the row of a position is known."""
        return True

    @abstractmethod
    def pieces(self, row: int) -> Sequence[Piece]:
        """A wrapped row in pieces."""

    @abstractmethod
    def window(self, row: int, left: int, width: int) -> tuple[Sequence[Piece], int, int]:
        """What an unwrapped row shows between two cells: pieces, their offset, cells to skip."""

    @abstractmethod
    def row_of(self, position: int) -> int:
        """The row on which a position of the text is; the last known one for those beyond."""

    @abstractmethod
    def drawn_offset(self, stretch: Stretch, position: int) -> int:
        """How many characters are drawn in a stretch before a position."""

    @abstractmethod
    def text_of(self, row: int) -> str:
        """The characters drawn in a row, all of them."""


class ListLayout(Layout):
    """Rows of lines that are in memory; the text that is searched is what is drawn."""

    def __init__(self, source: ListSource, width: int | None) -> None:
        self._source = source
        self._rows = Rows(source.texts, width)
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
