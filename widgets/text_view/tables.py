"""A table as lines of text: columns as wide as they need to be, numbers on the right.

Its header scrolls sideways with the rows, and never up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from ...app.content.texts.document import MEASURED, TextTable
from .line_layout import GUTTER

_WIDEST: Final = 32
_GAP: Final = "  "


def table_lines(table: TextTable) -> tuple[str, list[str]]:
    """The header and the rows, laid out; cells that are too long end in an ellipsis."""
    widths, numbers = _widths(table), table.is_number()
    return (
        _laid_out(table.columns, widths, numbers),
        [_laid_out(row, widths, numbers) for row in table.rows],
    )


def _widths(table: TextTable) -> tuple[int, ...]:
    """Cells for each column, by what the first rows need; numbers need no more than others."""
    shown = [table.columns, *table.rows[:MEASURED]]
    return tuple(
        min(max(max((cell_len(row[index]) for row in shown), default=1), 1), _WIDEST)
        for index in range(len(table.columns))
    )


def _laid_out(cells: Iterable[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    found = []
    for text, width, on_the_right in zip(cells, widths, numbers, strict=False):
        if text.isascii():
            if len(text) > width:
                found.append(f"{text[: width - 1]}…")
            else:
                found.append(text.rjust(width) if on_the_right else text.ljust(width))
            continue
        wide = cell_len(text)
        if wide > width:
            found.append(set_cell_size(text, width - 1) + "…")
        else:
            blanks = " " * (width - wide)
            found.append(blanks + text if on_the_right else text + blanks)
    return _GAP.join(found).rstrip()


class TableHead(Widget):
    """One line above a `LineView` with a gutter. Its words are safe to show."""

    DEFAULT_CSS = """
    TableHead { height: 1; background: $surface; color: $foreground; text-style: bold underline; }
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self._left = 0

    def show(self, words: str) -> None:
        self._words = words
        self._left = 0
        self.refresh()

    def slide(self, left: float) -> None:
        """Scroll to this cell."""
        self._left = int(left)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        width = max(self.size.width - len(GUTTER), 0)
        words = Strip([Segment(self._words, base)])
        shown = words.crop_extend(self._left, self._left + width, base)
        return Strip([Segment(GUTTER, self.visual_style.rich_style), *shown])
