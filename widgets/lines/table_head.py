"""The header of a table: it scrolls sideways with the rows, and never up."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from .line_paint import GUTTER


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
        """Show what stands from this cell on."""
        self._left = int(left)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        width = max(self.size.width - len(GUTTER), 0)
        words = Strip([Segment(self._words, base)])
        shown = words.crop_extend(self._left, self._left + width, base)
        return Strip([Segment(GUTTER, self.visual_style.rich_style), *shown])
