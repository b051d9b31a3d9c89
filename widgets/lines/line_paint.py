"""Paints one row of a text: its pieces, what was found in it, what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.errors import StyleError, StyleSyntaxError
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ...app.content.text import visible
from .line_layout import Layout, Stretch
from .line_source import MARK, Piece

GUTTER = "┃ "
NAMES = ("muted", "accent", "success", "warning", "error", "key")
"""Names of styles that stand for colours of the theme."""


class Matches(Protocol):
    """What a search has found."""

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
        """What was found among the characters drawn from `first` to `last` of a stretch."""
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
