"""Frames of the wire, one a row: time, direction, kind, id, size, latency."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...app.protocol.wire.rows import KIND_CELLS, WireRow
from ..cells import left, right, server_text
from .row_list import RowList

WIDE = 100
"""From so many cells on a row has the number of its call and room for long ids."""
NARROW = 56
"""Least width for sizes and for the seconds' fractions."""
WHAT_LEAST = 8


class WireList(RowList[WireRow | None]):
    """Draws the rows that `row_at` returns, which is called for visible rows only.

    It returns None for a dropped row.
    """

    DEFAULT_CSS = """
    WireList > .wire-list--error { color: $text-error; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"wire-list--error"}

    def __init__(self, row_at: Callable[[int], WireRow | None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._row_at = row_at
        self.empty = "nothing yet"
        """Text of an empty list, in words of our own."""

    @property
    def is_at_end(self) -> bool:
        """True if the cursor is on the newest row."""
        return self._cursor >= self._count - 1

    def empty_text(self) -> str:
        return self.empty

    def row_at(self, index: int) -> WireRow | None:
        return self._row_at(index)

    def row_chosen(self, index: int) -> None:
        self.post_message(self.Chosen(self, self.row_at(index)))

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self.row_at(index)
        sign = "› " if under_cursor else "  "
        if row is None:
            return [Segment(left(f"{sign}not kept any more", width), base)]
        muted, weight = base, base
        if not under_cursor:
            muted = self.get_component_rich_style("row-list--muted")
            if row.is_error:
                weight = self.get_component_rich_style("wire-list--error")
        is_wide, is_narrow = width >= WIDE, width < NARROW
        before = [
            Segment(f"{sign}{row.time[:8] if is_narrow else row.time} ", muted),
            Segment(f"{row.arrow} ", weight),
        ]
        before.append(Segment(f"{left(row.kind, KIND_CELLS)} ", weight))
        after = []
        if is_wide:
            after.append(Segment(f" {left(row.call, 8)}", muted))
        after += server_text(f" {row.id}", 16 if is_wide else 6 if is_narrow else 10, muted)
        if not is_narrow:
            after.append(Segment(right(row.size, 8), base))
        after.append(Segment(right(row.latency, 8), base))
        used = sum(cell_len(one.text) for one in (*before, *after))
        room = width - used
        if room < WHAT_LEAST:
            return [*before, *server_text(row.what, max(0, width - _cells(before)), base)]
        return [*before, *server_text(row.what, room, weight), *after]


def _cells(segments: list[Segment]) -> int:
    return sum(cell_len(one.text) for one in segments)
