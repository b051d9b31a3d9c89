"""Text of any size, painted row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.errors import StyleError, StyleSyntaxError
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from app.core.text import Span, spans, visible
from widgets.line_rows import Rows
from widgets.line_source import (
    MARK,
    Piece,
    PlainSource,
    Source,
    SpanSource,
    StyledSource,
    split_lines,
)
from widgets.quiet_scroll import QuietScroll

GUTTER = "┃ "

_ANY_NUMBER = 10_000
_NAMES = ("muted", "accent", "success", "warning", "error")


class LineView(QuietScroll, can_focus=True):
    """Lines that scroll, wrapped at the edge or not.

    A row costs when it is drawn; setting 20 MB takes tens of milliseconds. Styles of pieces are
    rich style strings, or one of the names muted, accent, success, warning, error (theme colours)
    and mark (inverse). Whatever is given, no control character is ever painted.

    Args:
        text: Shown at first, as by `show_text`.
        gutter: Draw a line before each row, as a sign that the text is a server's.
        max_rows: Be as tall as the content, up to this many rows; None to be as tall as told.
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
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--gutter",
        *(f"line-view--{name}" for name in _NAMES),
    }

    class EndSeen(Message):
        """The last row of the content has been painted for the first time."""

        def __init__(self, view: LineView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> LineView:
            return self.view

    def __init__(
        self,
        text: str = "",
        *,
        wrap: bool = True,
        gutter: bool = False,
        max_rows: int | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._gutter = gutter
        self._max_rows = max_rows
        self._wrap = wrap
        self._source = _source(text, _ANY_NUMBER, _ANY_NUMBER)
        self._rows: Rows | None = None
        self._fitted: Rows | None = None
        self._strips: LRUCache[tuple[int, int, int], Strip] = LRUCache(256)
        self._end_seen = False
        self.set_class(max_rows is not None, "-auto")
        self.set_class(wrap, "-wrap")

    # What is shown

    def show_text(self, text: str, *, wrap: bool = True) -> None:
        """Show text that has been sanitised, or that is our own, as it is."""
        self._show(_source(text, _ANY_NUMBER, _ANY_NUMBER), wrap)

    def show_untrusted(
        self, text: str, *, wrap: bool = True, max_blanks: int = 3, max_newlines: int = 3
    ) -> None:
        """Show raw text of a server: sanitised, with what was hidden drawn inverse."""
        self._show(_source(text, max_blanks, max_newlines), wrap)

    def show_lines(self, lines: Sequence[Sequence[Piece]], *, wrap: bool = True) -> None:
        """Show lines of (text, style)."""
        self._show(StyledSource(lines), wrap)

    def show_spans(self, lines: Sequence[Sequence[Span]], *, wrap: bool = True) -> None:
        """Show lines of sanitised spans."""
        self._show(SpanSource(lines), wrap)

    @property
    def line_count(self) -> int:
        return len(self._source.texts)

    @property
    def row_count(self) -> int:
        """Rows at the present width; what does not fit is this less the height."""
        return self._rows_now().total

    @property
    def rows_below(self) -> int:
        """How many rows follow the last one in sight."""
        return max(self.row_count - self.scroll_offset.y - self.size.height, 0)

    @property
    def end_seen(self) -> bool:
        """Whether the last row has been painted at least once since the content was set."""
        return self._end_seen

    # Textual's side

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        rows = self._rows_at(self._text_width(width)).total
        return max(rows if self._max_rows is None else min(rows, self._max_rows), 1)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self, event: events.Resize) -> None:
        before = self._fitted
        line = 0
        if before is not None and before.total:
            line = before.locate(min(self.scroll_offset.y, before.total - 1))[0]
        rows = self._fit()
        if before is not None and rows is not before and line:
            self.scroll_to(y=rows.first_row(line), animate=False)

    def selection_updated(self, selection: Selection | None) -> None:
        self._strips.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = self._rows_now()
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else rows.total - 1
        parts: list[str] = []
        previous: int | None = None
        for row in range(max(first, 0), min(last, rows.total - 1) + 1):
            line, start, end = rows.locate(row)
            text = self._source.texts[line][start:end]
            low, high = selection.get_span(row) or (0, 0)
            # A wrapped line is one line again.
            parts.append("" if previous in (None, line) else "\n")
            parts.append(text[low : None if high == -1 else high])
            previous = line
        return "".join(parts), "\n"

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        width = self.size.width
        rows = self._rows_now()
        row = top + y
        if row >= rows.total - 1:
            self._note_end()
        base = self.rich_style
        if row >= rows.total:
            return Strip.blank(width, base)
        key = (row, left, width)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._draw(rows, row, left, width, base)
        return strip

    # Inside

    def _show(self, source: Source, wrap: bool) -> None:
        self._source = source
        self._wrap = wrap
        self._rows = self._fitted = None
        self._end_seen = False
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

    def _rows_now(self) -> Rows:
        return self._rows_at(self._text_width(self.region.shrink(self.styles.gutter).width))

    def _rows_at(self, width: int) -> Rows:
        rows = self._rows
        wanted = Rows.width_for(width) if self._wrap else None
        if rows is None or rows.width != wanted:
            rows = self._rows = Rows(self._source.texts, wanted)
            self._strips.clear()
        return rows

    def _fit(self) -> Rows:
        rows = self._rows_now()
        across = 0 if self._wrap else rows.widest() + (len(GUTTER) if self._gutter else 0)
        size = Size(across, rows.total)
        if size != self.virtual_size:
            self.virtual_size = size
        self._fitted = rows
        return rows

    def _note_end(self) -> None:
        if not self._end_seen:
            self._end_seen = True
            # Painting is the screen's doing; a message made there would not bubble past it.
            self.call_later(self._tell_end)

    def _tell_end(self) -> None:
        self.post_message(self.EndSeen(self))

    def _draw(self, rows: Rows, row: int, left: int, width: int, base: Style) -> Strip:
        line, start, end = rows.locate(row)
        skip = 0
        if not self._wrap:
            shown, start, skip = rows.window(line, left, width)
            end = start + len(shown)
        segments = [
            Segment(text if text.isprintable() else visible(text), self._style(style, base))
            for text, style in self._source.between(line, start, end)
        ]
        selection = self.text_selection
        selected = None if selection is None else selection.get_span(row)
        # Offsets count the characters of the row, or of the line where lines are not wrapped.
        origin = 0 if self._wrap else start
        if selected is not None:
            low, high = selected
            chosen = self.screen.get_component_rich_style("screen--selection")
            last = end - start if high == -1 else high - origin
            segments = _restyled(segments, low - origin, last, chosen)
        strip = Strip(segments)
        gutter = len(GUTTER) if self._gutter else 0
        strip = strip.apply_offsets(origin, row)
        strip = strip.crop_extend(skip, skip + width - gutter, base)
        if gutter:
            bar = Segment(GUTTER, base + self._component("gutter"))
            strip = Strip([bar, *strip], width)
        return strip

    def _style(self, style: str, base: Style) -> Style:
        if not style:
            return base
        if style == MARK:
            return base + Style(reverse=True)
        if style in _NAMES:
            return base + self._component(style)
        try:
            return base + Style.parse(style)
        except (StyleError, StyleSyntaxError):
            return base

    def _component(self, name: str) -> Style:
        # The colour alone, worked out against the background: muted text has no colour of its own.
        return Style(color=self.get_component_rich_style(f"line-view--{name}").color)


def _source(text: str, max_blanks: int, max_newlines: int) -> Source:
    found = spans(text, multiline=True, max_blanks=max_blanks, max_newlines=max_newlines)
    return SpanSource(split_lines(found)) if any(s.mark for s in found) else PlainSource(text)


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
