"""Resources, templates or prompts, one a row: a mark, the title, the address, the type."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...app.content.frozen import frozen
from ..cells import left, server_text
from .row_list import Heading, KeyedList

WIDE = 70
"""In fewer columns the type is left out."""
MEASURED = 500
"""Rows from the top that the columns are made for."""


T = TypeVar("T")


@frozen
class OfferRow(Generic[T]):
    """One offer, `item`; `key`, `title`, `about` and `kind` are raw."""

    item: T
    key: str
    title: str
    about: str
    kind: str = ""
    mark: str = ""
    """In words of our own: `updated`, `follows`."""


class OfferList(KeyedList[OfferRow[T]]):
    """Keeps the cursor on the same offer while the list changes around it."""

    tells_whole = True
    mark_cells: ClassVar[int] = 12
    kind_cells: ClassVar[int] = 18

    DEFAULT_CSS = """
    OfferList { background: $background; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._has_kinds = self._has_marks = False
        self._longest = (0, 0)
        """Cells of the longest title and of the longest address."""

    def key(self, row: OfferRow[T]) -> Hashable:
        return row.key

    def rows_changed(self) -> None:
        rows = self.rows
        self._has_kinds = any(one.kind for one in rows)
        self._has_marks = any(one.mark for one in rows)
        measured = rows[:MEASURED]
        self._longest = (
            max((cell_len(row.title) for row in measured), default=0),
            max((cell_len(row.about) for row in measured), default=0),
        )

    def show_at(self, rows: Sequence[OfferRow[T] | Heading], key: Hashable) -> None:
        top, height = self.scroll_offset.y, self.size.height
        is_in_sight = not self._rows or top <= self._cursor < top + height
        super().show_at(rows, key)
        # A list that was scrolled away from it by the wheel stays there.
        if is_in_sight:
            self.show_cursor()

    def paint(self, row: OfferRow[T], width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        kinds = self.kind_cells if width >= WIDE and self._has_kinds else 0
        marks = self.mark_cells if self._has_marks else 0
        room = max(2, width - 2 - kinds - marks)
        titles = self._title_cells(room) if row.about else room
        return [
            Segment("› " if under_cursor else "  ", base),
            *([Segment(left(row.mark, marks), base)] if marks else ()),
            *server_text(row.title, titles - 1, base),
            Segment(" ", base),
            *(server_text(row.about, room - titles - 1, muted) if room > titles + 1 else ()),
            *([Segment(" ", base)] if room > titles else ()),
            *(server_text(row.kind, kinds, muted) if kinds else ()),
        ]

    def _title_cells(self, room: int) -> int:
        """Width of the column of titles: two fifths, or the rest of the addresses, or less if
        enough.
        """
        title, about = self._longest[0] + 1, self._longest[1] + 1
        share = max(room * 2 // 5, 12)
        wanted = max(share, min(title, room - about))
        if about > room - wanted:
            wanted = min(wanted, max(title, 12))
        return max(1, min(room - 1, wanted))
