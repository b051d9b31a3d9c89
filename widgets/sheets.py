"""A sheet: labelled lines that wrap and scroll as one page, and notice when their end was seen.

Nothing on a sheet is ever cut at its edge: a line that is too wide goes on in the next row. Texts
of others are behind a gutter that only this widget draws.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.dom import NoScreen
from textual.errors import NoWidget
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..app.content.texts.sheet_line import GLUE, GUTTER, ROLES, Piece, SheetLine
from .text_view.line_rows import is_single


class SheetView(ScrollView):
    """Draws `SheetLine`s; it takes no focus, its owner scrolls it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"sheet--{role}" for role in ROLES}
    DEFAULT_CSS = """
    SheetView {
        height: 1fr;
        scrollbar-size: 0 0;
        overflow-x: hidden;
        overflow-y: auto;
        &> .sheet--label { color: $foreground 60%; }
        &> .sheet--strong { text-style: bold; }
        &> .sheet--dim { color: $foreground 60%; }
        &> .sheet--mark { text-style: reverse; }
        &> .sheet--error { color: $text-error; text-style: bold; }
        &> .sheet--warning { color: $text-warning; text-style: bold; }
        &> .sheet--success { color: $text-success; text-style: bold; }
        &> .sheet--primary { color: $text-primary; text-style: bold; }
        &> .sheet--noticed { color: $text-warning; }
        &> .sheet--typed { color: $text-primary; }
        &> .sheet--malformed { text-style: underline; }
        &> .sheet--gutter { color: $foreground 35%; }
    }
    """

    class Moved(Message):
        """The visible part changed; `below` is the number of rows under it."""

        def __init__(self, sheet: SheetView, below: int) -> None:
            super().__init__()
            self.sheet = sheet
            self.below = below

        @property
        def control(self) -> SheetView:
            return self.sheet

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self.is_deaf = False
        """While set, the mouse wheel does nothing here."""
        self.end_seen = False
        """Whether the last row has been on the screen since the lines were set."""
        self._lines: Sequence[SheetLine] = ()
        self._rows: list[SheetRow] = []
        self._width = 0
        self._strips: dict[int, Strip] = {}
        self._offsets: dict[int, list[int]] = {}

    def set_lines(self, lines: Sequence[SheetLine], width: int, *, keep_seen: bool = False) -> int:
        """Show other lines, laid out for so many columns; returns the number of rows they take.

        `keep_seen`: it is the same content as before, arranged differently.
        """
        self._lines = lines
        self._offsets.clear()
        self.end_seen = self.end_seen and keep_seen
        self._arrange(width)
        return len(self._rows)

    def row_of(self, line: int) -> int:
        """The first row of a line; the last row of all for a line without rows."""
        rows = (at for at, row in enumerate(self._rows) if row.line >= line)
        return next(rows, max(len(self._rows) - 1, 0))

    @property
    def below(self) -> int:
        """Rows under the visible part; all of them while nothing is visible."""
        height = self.size.height
        if not height:
            return len(self._rows)
        return max(len(self._rows) - self.scroll_offset.y - height, 0)

    @property
    def is_visible(self) -> bool:
        """True if any row can be seen at all."""
        try:
            return bool(self.screen.find_widget(self).visible_region)
        except (NoScreen, NoWidget):
            return False

    def check_end(self) -> None:
        """Look whether the end is on the screen now, and tell."""
        if self._rows and not self.below and self.is_visible:
            self.end_seen = True
        self.post_message(self.Moved(self, self.below))

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.size.width
        base = self.rich_style
        if index >= len(self._rows):
            return Strip.blank(width, base)
        if (strip := self._strips.get(index)) is None:
            strip = Strip(list(self._segments(self._rows[index], width)))
            strip = strip.adjust_cell_length(width, base).apply_style(base)
            if len(self._strips) > 500:
                self._strips.clear()
            self._strips[index] = strip
        return strip

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.call_after_refresh(self.check_end)

    @property
    def room(self) -> int:
        """Columns for lines: without padding, and without the scroll bar, shown or not."""
        return max(self.content_region.width - self.styles.scrollbar_size_vertical, 1)

    def on_resize(self, event: events.Resize) -> None:
        if self.room != self._width:
            self._arrange(self.room)
        else:
            self.call_after_refresh(self.check_end)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if self.is_deaf:
            event.prevent_default()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if self.is_deaf:
            event.prevent_default()

    def _arrange(self, width: int) -> None:
        self._width = width
        self._rows = list(layout(self._lines, width))
        self._strips.clear()
        self.virtual_size = Size(width, len(self._rows))
        self.refresh()
        self.call_after_refresh(self.check_end)

    def _segments(self, row: SheetRow, width: int) -> Iterator[Segment]:
        line = self._lines[row.line]
        is_first = row.start == 0 and not row.is_aside
        if line.indent:
            label = line.label if is_first else ""
            yield Segment(label.ljust(line.indent), self._style("label"))
        if line.gutter:
            yield Segment(GUTTER, self._style("gutter"))
        if row.is_aside:
            yield from self._plain_segments(line.aside)
            return
        used = line.indent + (len(GUTTER) if line.gutter else 0)
        for text, role in self._cut_out(row):
            used += cell_len(text)
            yield Segment(text.replace(GLUE, " "), self._style(role))
        space = width - used - cells(line.aside)
        if is_first and line.aside and shares_row(line, width):
            yield Segment(" " * space)
            yield from self._plain_segments(line.aside)

    def _plain_segments(self, pieces: Sequence[Piece]) -> Iterator[Segment]:
        for text, role in pieces:
            yield Segment(text.replace(GLUE, " "), self._style(role))

    def _cut_out(self, row: SheetRow) -> Iterator[Piece]:
        """The pieces of one row."""
        pieces = self._lines[row.line].pieces
        if row.line not in self._offsets:
            starts = accumulate((len(text) for text, _ in pieces), initial=0)
            self._offsets[row.line] = list(starts)
        offsets = self._offsets[row.line]
        at = max(bisect_right(offsets, row.start) - 1, 0)
        while at < len(pieces) and offsets[at] < row.end:
            text, role = pieces[at]
            begin = offsets[at]
            shown = text[max(row.start - begin, 0) : row.end - begin]
            yield shown.replace(GLUE, " "), role
            at += 1

    def _style(self, role: str) -> Style | None:
        return self.get_component_rich_style(f"sheet--{role}") if role else None


_GAP: Final = 2
_MEASURED_MAX: Final = 4_096
"""Longer texts with wide characters are broken at half the width, without measuring each."""
_WORD = re.compile("[^ ]* *")


class SheetRow(NamedTuple):
    line: int
    start: int
    end: int
    is_aside: bool


def layout(lines: Sequence[SheetLine], width: int) -> Iterator[SheetRow]:
    if width < 1:
        return
    for index, line in enumerate(lines):
        room = _room(line, width)
        start = 0
        plain = line.plain
        for end in _breaks(plain, room, line.exact):
            yield SheetRow(index, start, end, False)
            start = end
        if line.aside and not shares_row(line, width):
            yield SheetRow(index, 0, 0, True)


def shortened(line: SheetLine, width: int, rows: int, mark: str) -> SheetLine:
    """The line in at most so many rows; a longer one ends with `mark`."""
    taken = list(layout([line], width))
    if len(taken) <= rows:
        return line
    room = _room(line, width)
    last = taken[rows - 1]
    end = last.end
    if not last.is_aside:
        while end > last.start and cell_len(line.plain[last.start : end]) + len(mark) > room:
            end -= 1
    pieces: list[Piece] = []
    for text, role in line.pieces:
        if end > 0:
            pieces.append((text[:end], role))
        end -= len(text)
    return replace(line, pieces=(*pieces, (mark, "noticed")), aside=())


def _room(line: SheetLine, width: int) -> int:
    return max(width - line.indent - (len(GUTTER) if line.gutter else 0) - line.reserve, 1)


def shares_row(line: SheetLine, width: int) -> bool:
    """True if the aside is in the line's first row."""
    if line.reserve:
        return True
    return cell_len(line.plain) + _GAP + cells(line.aside) <= _room(line, width)


def cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _breaks(plain: str, width: int, exact: bool) -> Iterator[int]:
    """Yield the end of each row of a text."""
    if len(plain) * 2 <= width or (len(plain) <= width * 4 and cell_len(plain) <= width):
        yield len(plain)
        return
    if exact:
        yield from _exact_breaks(plain, width, 0)
        return
    used = end = 0
    for match in _WORD.finditer(plain):
        word = match.group()
        if not word:
            break
        cells = cell_len(word.rstrip())
        if used and used + cells > width:
            yield end
            used = 0
        if cells > width:
            *full, rest = _exact_breaks(word, width, end)
            yield from full
            used = cell_len(word[(full[-1] if full else end) - end :])
            end = rest
        else:
            used += cell_len(word)
            end = match.end()
    yield end


def _exact_breaks(plain: str, width: int, offset: int) -> Iterator[int]:
    end = offset + len(plain)
    if is_single(plain):
        yield from range(offset + width, end, width)
    elif len(plain) > _MEASURED_MAX:
        half = max(width // 2, 1)
        yield from range(offset + half, end, half)
    else:
        at = offset
        for chunk in chop_cells(plain, width)[:-1]:
            at += len(chunk)
            yield at
    yield end
