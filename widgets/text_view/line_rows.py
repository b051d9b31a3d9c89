"""Rows of cells that the lines of a text take, for texts of any size.

Nothing is measured before it is needed, apart from the number of rows of each line, and that is one
division for all but short lines with wide characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len, chop_cells

_EXACT_MAX = 4_096
"""Longer lines with wide characters are broken by characters, at half the width, not by cells."""

_MIN_WIDTH = 2

# Anything but what every terminal draws in one cell: the first plane's Latin, Greek, Cyrillic,
# punctuation and symbols below the CJK blocks, less what may be wide, combining or nothing.
_NOT_SINGLE = re.compile(
    "[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u2193\u2400-\u2426"
    "\u2500-\u25fc]"
)


class Rows:
    """Rows of `texts` (one line each, without line breaks) hard-wrapped at `width` cells.

    Without a width each line is one row. An empty line takes one row. `exact`: break short lines
    with wide characters by cells. `words`: break lines of a few thousand characters after a blank,
    if there is one in the second half of a row.
    """

    def __init__(
        self,
        texts: Sequence[str],
        width: int | None,
        *,
        exact: bool = True,
        words: bool = False,
    ) -> None:
        self.width = None if width is None else self.width_for(width)
        self._texts = texts
        self._is_exact = exact
        self._is_by_words = words
        self._ends: list[int] | None = None
        self._pieces: dict[int, list[int]] = {}
        if self.width is not None:
            count = self._count
            self._ends = list(
                accumulate(count(index, text, self.width) for index, text in enumerate(texts))
            )

    @staticmethod
    def width_for(width: int) -> int:
        """The width really used: a wide character must fit."""
        return max(width, _MIN_WIDTH)

    @property
    def total(self) -> int:
        """The number of rows."""
        if self._ends is None:
            return len(self._texts)
        return self._ends[-1] if self._ends else 0

    def ends(self) -> list[int]:
        """For each line the row after its last one."""
        return list(range(1, len(self._texts) + 1)) if self._ends is None else self._ends

    def first_row(self, line: int) -> int:
        """The row on which a line begins."""
        if self._ends is None or line <= 0:
            return max(line, 0)
        return self._ends[min(line, len(self._ends)) - 1]

    def locate(self, row: int) -> tuple[int, int, int]:
        """(line, start, end): the characters of the line on a row."""
        if self._ends is None or self.width is None:
            return row, 0, len(self._texts[row])
        line = bisect_right(self._ends, row)
        part = row - self.first_row(line)
        text = self._texts[line]
        if line in self._pieces:
            bounds = self._pieces[line]
            return line, bounds[part], bounds[part + 1]
        step = self._step(text, self.width)
        return line, part * step, min((part + 1) * step, len(text))

    def widest(self) -> int:
        """Cells of the longest line; more than there are where counting would take long."""
        return max(map(self._cells, self._texts), default=0)

    def window(self, line: int, left: int, width: int) -> tuple[str, int, int]:
        """Return the part of an unwrapped line between two cells: (text, its offset, cells to
        skip).
        """
        text = self._texts[line]
        if is_single(text):
            return text[left : left + width], left, 0
        if len(text) > _EXACT_MAX:
            return text[left // 2 : left // 2 + width], left // 2, 0
        return text, 0, left

    @staticmethod
    def _cells(text: str) -> int:
        if is_single(text):
            return len(text)
        return 2 * len(text) if len(text) > _EXACT_MAX else cell_len(text)

    @staticmethod
    def _step(text: str, width: int) -> int:
        return width if is_single(text) else max(width // 2, 1)

    def _count(self, index: int, text: str, width: int) -> int:
        length = len(text)
        if length <= width and text.isascii():
            return 1
        if 2 * length <= width:
            return 1
        if self._is_by_words and length <= _EXACT_MAX and is_single(text):
            bounds = _between_words(text, width)
            self._pieces[index] = bounds
            return len(bounds) - 1
        if not self._is_exact or length > _EXACT_MAX or is_single(text):
            return max(-(-length // self._step(text, width)), 1)
        pieces = chop_cells(text, width) or [""]
        # What has no width at all may be left out at the end; it belongs to the last row.
        bounds = [0, *accumulate(map(len, pieces))]
        bounds[-1] = length
        self._pieces[index] = bounds
        return len(pieces)


def _between_words(text: str, width: int) -> list[int]:
    """Where the rows of a line of single cells begin, and its end."""
    bounds = [0]
    while len(text) - bounds[-1] > width:
        start = bounds[-1]
        # A blank may be the last character of a full row.
        blank = text.rfind(" ", start + width // 2, start + width)
        bounds.append(blank + 1 if blank >= 0 else start + width)
    return [*bounds, len(text)]


def is_single(text: str) -> bool:
    """True if each character takes one cell, for sure."""
    return text.isascii() or _NOT_SINGLE.search(text) is None
