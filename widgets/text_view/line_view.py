"""Text of any size, painted row by row; also bytes as a hex dump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from ...app.content.media.base64_bytes import HexDump
from ...app.content.text import Span, spans
from ...app.content.texts.document import raw_pieces
from .line_layout import GUTTER, NAMES, Layout, LinePaint, ListLayout, Matches
from .line_rows import Rows
from .line_source import (
    Dress,
    ListSource,
    Piece,
    PlainSource,
    Source,
    SpanSource,
    StyledSource,
    TextSource,
    split_lines,
)
from .line_text import TextLayout
from .search_bar import QuietScroll

_ANY_NUMBER = 10_000
_SMALL = 64_000
"""Characters up to which runs of empty lines are looked for in the whole."""

_FIRST_SECONDS = 0.03
_MORE_SECONDS = 0.012
_PAUSE = 0.002


class LineView(QuietScroll, can_focus=True):
    """Lines that scroll, wrapped at the edge or not.

    A row costs when it is drawn. The rows of a large text are computed while it is already shown,
    from the beginning; the scrollbar grows with them. Styles of pieces are rich style strings, or
    one of the names muted, accent, success, warning, error, key (theme colours) and mark (inverse).
    Whatever is given, no control character is ever painted.

    Args:
        text: Shown at first, as by `show_text`.
        gutter: Draw a line before each row, as a sign that the text is a server's.
        max_rows: Be as tall as the content, up to this many rows; None to keep the given height.
    """

    ALLOW_SELECT = True

    DEFAULT_CSS = """
    LineView {
        background: $surface;
        color: $foreground;
        overflow-x: auto;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
    }
    LineView:focus { background-tint: $foreground 5%; }
    LineView.-auto { height: auto; }
    LineView.-wrap { overflow-x: hidden; }
    LineView > .line-view--gutter { color: $text-muted; }
    LineView > .line-view--muted { color: $text-muted; }
    LineView > .line-view--accent { color: $text-accent; }
    LineView > .line-view--success { color: $text-success; }
    LineView > .line-view--warning { color: $text-warning; }
    LineView > .line-view--error { color: $text-error; }
    LineView > .line-view--key { color: $text-primary; }
    LineView > .line-view--match {
        background: $warning 35%; color: $foreground; text-style: underline;
    }
    LineView > .line-view--current {
        background: $warning; color: $background; text-style: bold underline;
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--gutter",
        "line-view--match",
        "line-view--current",
        *(f"line-view--{name}" for name in NAMES),
    }

    def __init__(
        self,
        text: str = "",
        *,
        wrap: bool = True,
        gutter: bool = False,
        words: bool = False,
        max_rows: int | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._gutter = gutter
        self._words = words
        self._max_rows = max_rows
        self._wrap = wrap
        self._source: Source = _source(text, _ANY_NUMBER, _ANY_NUMBER)
        self._rows: Layout | None = None
        self._fitted: Layout | None = None
        self._growing: Timer | None = None
        self._wanted: int | None = None
        self._paint = LinePaint(self, gutter=gutter)
        self._strips: LRUCache[tuple[int, int, int], Strip] = LRUCache(256)
        self.set_class(max_rows is not None, "-auto")
        self.set_class(wrap, "-wrap")

    # Display

    def show_text(self, text: str, *, wrap: bool = True) -> None:
        """Show text that has been sanitised, or that is our own, as it is."""
        self._lay_out(_source(text, _ANY_NUMBER, _ANY_NUMBER), wrap)

    def show_untrusted(
        self, text: str, *, wrap: bool = True, max_blanks: int = 3, max_newlines: int = 3
    ) -> None:
        """Show raw text of a server: sanitised, hidden characters drawn inverse.

        Runs of blanks become counted marks; runs of empty lines do in texts up to 64,000
        characters.
        """
        if len(text) <= _SMALL:
            self._lay_out(_source(text, max_blanks, max_newlines), wrap)
        else:
            self._lay_out(TextSource(text, max_blanks=max_blanks), wrap)

    def show_plain(self, text: str, *, wrap: bool = True) -> None:
        """Show raw text of a server, of any size, sanitised; all its blanks are kept."""
        self._lay_out(TextSource(text), wrap)

    def show_dressed(self, text: str, dress: Dress, *, wrap: bool = True) -> None:
        """Show raw text in the colours that `dress` gives to each of its lines."""
        self._lay_out(TextSource(text, dress), wrap)

    def show_raw(self, text: str, *, wrap: bool = True) -> None:
        """Show raw text as the inside of a JSON string, whatever is invisible as an escape."""
        self._lay_out(TextSource(text, raw_pieces, literal=True), wrap)

    def show_lines(self, lines: Sequence[Sequence[Piece]], *, wrap: bool = True) -> None:
        """Show lines of (text, style)."""
        self._lay_out(StyledSource(lines), wrap)

    def show_spans(self, lines: Sequence[Sequence[Span]], *, wrap: bool = True) -> None:
        """Show lines of sanitised spans."""
        self._lay_out(SpanSource(lines), wrap)

    def set_wrap(self, wrap: bool) -> None:
        """Wrap lines at the edge or not; the first visible line keeps its place."""
        if wrap == self._wrap:
            return
        position = self.top_position
        self._wrap = wrap
        self.set_class(wrap, "-wrap")
        self.scroll_to(x=0, animate=False)
        self._fit()
        self.refresh(layout=self._max_rows is not None)
        if position:
            self.go_to(position, at_top=True)

    @property
    def wraps(self) -> bool:
        return self._wrap

    @property
    def plain(self) -> str:
        """The text that positions refer to: the raw text, or the drawn one if given in pieces."""
        return self._source.plain

    @property
    def top_position(self) -> int:
        """The position of the first character in sight."""
        rows = self._rows_now()
        if not rows.total:
            return 0
        found = rows.stretch(min(self.scroll_offset.y, rows.total - 1))
        return min(found.start + found.low, found.end)

    def go_to(self, position: int, *, at_top: bool = False) -> None:
        """Bring a position into sight, now or once its place is known."""
        rows = self._rows_now()
        if not rows.knows(position):
            self._wanted = position
            self._grow_soon()
            return
        self._wanted = None
        row = rows.row_of(position)
        height = max(self.scrollable_content_region.height, 1)
        top = self.scroll_offset.y
        if at_top:
            self.scroll_to(y=row, animate=False)
        elif not top <= row < top + height:
            self.scroll_to(y=max(row - height // 3, 0), animate=False)
        if not self._wrap and not at_top:
            offset = rows.drawn_offset(rows.stretch(row), position)
            room = max(self.scrollable_content_region.width - len(GUTTER) - 4, 1)
            left = self.scroll_offset.x
            if not left <= offset < left + room:
                self.scroll_to(x=max(offset - room // 3, 0), animate=False)

    def show_matches(self, matches: Matches | None) -> None:
        """Draw matches; call it again when they have changed."""
        self._paint.matches = matches
        self._strips.clear()
        self.refresh()

    @property
    def row_count(self) -> int:
        """Rows at the present width, as far as they are known."""
        return self._rows_now().total

    @property
    def is_laid_out(self) -> bool:
        """True if all rows are known."""
        return self._rows_now().is_whole

    def action_scroll_end(self) -> None:
        if not self.is_laid_out:
            self.go_to(len(self.plain))
        super().action_scroll_end()

    # Textual's side

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        rows = self._rows_at(self._text_width(width))
        while not rows.is_whole and (self._max_rows is None or rows.total < self._max_rows):
            rows.grow(_FIRST_SECONDS)
        total = rows.total
        return max(total if self._max_rows is None else min(total, self._max_rows), 1)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self, event: events.Resize) -> None:
        before = self._fitted
        position = 0
        if before is not None and before.total and self.scroll_offset.y:
            position = before.stretch(min(self.scroll_offset.y, before.total - 1)).start
        rows = self._fit()
        if before is not None and rows is not before and position:
            self.go_to(position, at_top=True)

    def selection_updated(self, selection: Selection | None) -> None:
        self._strips.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = self._rows_now()
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else rows.total - 1
        parts: list[str] = []
        for row in range(max(first, 0), min(last, rows.total - 1) + 1):
            text = rows.text_of(row)
            low, high = selection.get_span(row) or (0, 0)
            # A wrapped line is one line again.
            parts.append("" if not parts or rows.stretch(row).goes_on else "\n")
            parts.append(text[low : None if high == -1 else high])
        return "".join(parts), "\n"

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        width = self.size.width
        rows = self._rows_now()
        row = top + y
        base = self.rich_style
        if row >= rows.total:
            return Strip.blank(width, base)
        key = (row, left, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint.row(rows, row, left, width)
        return strip

    # Inside

    def _lay_out(self, source: Source, wrap: bool) -> None:
        self._source = source
        self._wrap = wrap
        self._rows = self._fitted = None
        self._wanted = None
        self._paint.matches = None
        self._strips.clear()
        self.set_class(wrap, "-wrap")
        if self.is_mounted:
            self.scroll_to(0, 0, animate=False, force=True)
            if self.region.width:
                self._fit()
            self.refresh(layout=self._max_rows is not None)

    def _text_width(self, content_width: int) -> int:
        """Cells for text; the scrollbar's cell is kept free, so that it never changes the wrap."""
        taken = self.styles.scrollbar_size_vertical + (len(GUTTER) if self._gutter else 0)
        return max(content_width - taken, 1)

    def _rows_now(self) -> Layout:
        return self._rows_at(self._text_width(self.region.shrink(self.styles.gutter).width))

    def _rows_at(self, width: int) -> Layout:
        rows = self._rows
        wanted = Rows.width_for(width) if self._wrap else None
        if rows is None or rows.width != wanted:
            rows = self._rows = layout_of(self._source, wanted, words=self._words)
            rows.grow(_FIRST_SECONDS)
            self._strips.clear()
        return rows

    def _fit(self) -> Layout:
        rows = self._rows_now()
        across = 0 if self._wrap else rows.widest() + (len(GUTTER) if self._gutter else 0)
        size = Size(across, rows.total)
        if size != self.virtual_size:
            self.virtual_size = size
        self._fitted = rows
        if not rows.is_whole:
            self._grow_soon()
        return rows

    def _grow_soon(self) -> None:
        if self._growing is None and self.is_mounted:
            self._growing = self.set_timer(_PAUSE, self._grow)

    def _grow(self) -> None:
        self._growing = None
        rows = self._rows_now()
        rows.grow(_MORE_SECONDS)
        self._fit()
        if self._wanted is not None and rows.knows(self._wanted):
            self.go_to(self._wanted)


def layout_of(source: Source, width: int | None, *, words: bool = False) -> Layout:
    """The rows of a text at a width; None: lines are not wrapped. `words`: wrap lines between
    words, which a text can be whose blanks need not be seen.
    """
    if isinstance(source, TextSource):
        return TextLayout(source, width)
    assert isinstance(source, ListSource)
    return ListLayout(source, width, words=words)


def _source(text: str, max_blanks: int, max_newlines: int) -> Source:
    found = spans(text, multiline=True, max_blanks=max_blanks, max_newlines=max_newlines)
    return SpanSource(split_lines(found)) if any(s.mark for s in found) else PlainSource(text)


HEX_GUTTER = "┃ "
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
        width = len(HEX_GUTTER) + (len(self._dump.row(0)) if self._dump.row_count else 0)
        self.virtual_size = Size(min(width, LONGEST_ROW), self._dump.row_count)

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        width = self.size.width
        base = self.rich_style
        index = top + y
        if index >= self._dump.row_count:
            return Strip.blank(width, base)
        strip = Strip([Segment(HEX_GUTTER, base), Segment(self._dump.row(index), base)])
        return strip.crop_extend(left, left + width, base)
