"""Where the columns of a matrix stand, and which of them are in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .rows import GAP, GridColumn, column_widths, starts_hosts, total_width

MARK = 2
"""Cells before the sign of a tool: the cursor's mark."""
SIGN = 2
LEAST_NAME = 14
USUAL_NAME = 20
MOST_NAME = 40
_PARTS = 3
"""The names of tools take at most a third of the width where that is more than the least."""


class Place(NamedTuple):
    """A column in sight: its index, whether the divider stands before it, where its words begin."""

    column: int
    divided: bool
    x: int
    width: int


class Layout:
    """Columns beside a first column of names; whole columns only, the first one by its index."""

    def __init__(self) -> None:
        self.columns: tuple[GridColumn, ...] = ()
        self.widths: list[int] = []
        self.name_cells = LEAST_NAME
        self.width = 0
        self.first = 0

    @property
    def left(self) -> int:
        """The cells of the first column: mark, sign, name and a blank."""
        return MARK + SIGN + self.name_cells

    def arrange(
        self, columns: Sequence[GridColumn], widest: Sequence[int], longest_name: int, width: int
    ) -> None:
        """Lay out for so many cells; names grow into what the columns leave."""
        self.columns = tuple(columns)
        self.width = width
        usual = max(LEAST_NAME, min(USUAL_NAME, width // _PARTS - MARK - SIGN))
        self.name_cells = min(max(longest_name, LEAST_NAME), usual)
        narrow = column_widths(self.columns, widest, 0)
        spare = width - self.left - total_width(self.columns, narrow)
        if spare > 0:
            self.name_cells += min(spare, max(min(longest_name, MOST_NAME) - self.name_cells, 0))
        self.widths = column_widths(self.columns, widest, width - self.left)
        self.first = min(self.first, self.last_first)

    @property
    def last_first(self) -> int:
        """The first column in sight when the last one is."""
        room = self.width - self.left
        for at in range(len(self.columns) - 1, -1, -1):
            room -= GAP + self.widths[at]
            if room < 0:
                return min(at + 1, len(self.columns) - 1)
            room -= 2 * starts_hosts(self.columns, at)
        return 0

    def places(self) -> Iterator[Place]:
        """The columns in sight, from the left; always one, however narrow it is."""
        x = self.left
        for at in range(self.first, len(self.columns)):
            divided = at > self.first and starts_hosts(self.columns, at)
            x += GAP + 2 * divided
            if at > self.first and x + self.widths[at] > self.width:
                return
            yield Place(at, divided, x, self.widths[at])
            x += self.widths[at]

    def bring_into_sight(self, column: int) -> bool:
        """Scroll by as few columns as show this one; says whether anything moved."""
        before = self.first
        self.first = min(self.first, column)
        while self.first < column and all(place.column != column for place in self.places()):
            self.first += 1
        return self.first != before

    def column_at(self, x: int) -> int | None:
        """The column drawn at a cell, its gap included."""
        for place in self.places():
            if place.x - GAP <= x < place.x + place.width:
                return place.column
        return None
