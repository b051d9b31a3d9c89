"""Bytes of any number as a hex dump, formatted row by row as they come into view."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.strip import Strip

from ...app.content.media.base64_bytes import HexDump
from ..quiet_scroll import QuietScroll

GUTTER = "┃ "
LONGEST_ROW = 96


class HexView(QuietScroll, can_focus=True):
    """Offset, hexadecimal, printable ASCII; sixteen bytes a row, however many rows."""

    DEFAULT_CSS = """
    HexView {
        background: $surface;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
    }
    """

    def __init__(self, dump: HexDump, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._dump = dump

    def on_resize(self, event: events.Resize) -> None:
        width = len(GUTTER) + (len(self._dump.row(0)) if self._dump.row_count else 0)
        self.virtual_size = Size(min(width, LONGEST_ROW), self._dump.row_count)

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        width = self.size.width
        base = self.rich_style
        index = top + y
        if index >= self._dump.row_count:
            return Strip.blank(width, base)
        strip = Strip([Segment(GUTTER, base), Segment(self._dump.row(index), base)])
        return strip.crop_extend(left, left + width, base)
