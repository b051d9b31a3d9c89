"""The segments of a matrix grid, line by line, and the columns in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ..cells import left, right, server_name
from .rows import (
    DIVIDER,
    GAP,
    WORD_CELLS,
    CellWord,
    GridColumn,
    GridRow,
    Sides,
    column_widths,
    moves,
    stacked,
    starts_hosts,
    total_width,
    words,
)

Styles = Callable[[str], Style]
"""The style of a role: "run", "muted", "cursor" and so on; "" is the plain one."""

CHANGED = "Δ"
POLICIES = (" policies ",)
HOSTS = (" host rules ", " hosts ")
WHAT_IF = "what if"


class Painter:
    """Draws for one layout; `sides` selects the verdicts in the cells."""

    def __init__(self, layout: ColumnLayout, style: Styles, sides: Sides) -> None:
        self._layout = layout
        self._style = style
        self._sides = sides
        self._heads = [
            stacked(column.title, width)
            for column, width in zip(layout.columns, layout.widths, strict=True)
        ]
        self.head_rows = max(map(len, self._heads), default=1)
        """The lines that the highest head takes."""

    def groups(self) -> list[Segment]:
        """The line over the heads: whose columns these are, and how many are out of sight."""
        layout = self._layout
        places = list(layout.places())
        muted = self._style("muted")
        if not places:
            return []
        before, after = layout.first, len(layout.columns) - 1 - places[-1].column
        note = f"‹ {before} more " if before else ""
        row = [Segment(" " * (layout.left - cell_len(note)) + note, muted)]
        at = 0
        while at < len(places):
            is_host = layout.columns[places[at].column].is_host
            end = at
            while end < len(places) and layout.columns[places[end].column].is_host is is_host:
                end += 1
            if places[at].divided:
                row.append(Segment(f"{DIVIDER} ", muted))
            start = places[at].x - 1
            width = places[end - 1].x + places[end - 1].width - start
            more = _first_that_fits((f" {after} more ›", f"{after} ›"), width) if after else ""
            more = more if end == len(places) else ""
            room = width - len(more)
            label = _first_that_fits(HOSTS if is_host else POLICIES, room - 4)
            row.append(Segment(f" ──{label}".ljust(room, "─") + more, muted))
            at = end
        return row

    def head(self, index: int, rows: int, cursor: int) -> list[Segment]:
        """One of the lines of the heads, which are at the bottom of `rows` lines."""
        layout = self._layout
        muted = self._style("muted")
        label = f"{self._sides.value} " if index == rows - 1 else ""
        row = [Segment(right(label, layout.left), muted)]
        for place in layout.places():
            if place.divided:
                row.append(Segment(f"{DIVIDER} ", muted))
            lines = self._heads[place.column]
            at = index - (rows - len(lines))
            text = lines[at] if at >= 0 else ""
            is_marked = layout.columns[place.column].is_marked
            style = self._style("current" if place.column == cursor else "head")
            style += Style(underline=is_marked, bold=is_marked or None)
            blank = max(place.width - cell_len(text), 0)
            row.append(Segment(" " * (1 + blank // 2), self._style("")))
            row.append(Segment(text, style))
            row.append(Segment(" " * (blank - blank // 2), self._style("")))
        return row

    def heading(self, row: GridRow) -> list[Segment]:
        return [Segment(f"  {row.heading}", self._style("head"))]

    def own(self, row: GridRow, cursor: int | None) -> list[Segment]:
        """Draw the verdicts by the server's own hints; `cursor` is the column that it is on, if
        any.
        """
        name = self._style("name" if cursor is None else "current")
        sign = self._style(f"effect-{row.tool.effect.name.lower()}")
        mark = "› " if cursor is not None else "  "
        width = self._layout.name_cells
        segments = [
            Segment(mark, self._style("accent")),
            Segment(f"{row.tool.effect.sign} ", sign),
            *server_name(row.tool.name or "(no name)", width - 1, name),
            Segment(" ", name),
        ]
        # Beside a what-if the cursor is on the line below, which is the one that holds.
        on = cursor if not row.what_if else None
        for place in self._layout.places():
            segments += self._cell(row, place, on, is_what_if=False)
        return segments

    def what_if(self, row: GridRow, cursor: int | None) -> list[Segment]:
        """Draw the verdicts by other hints, with a sign before each changed one."""
        style = self._style("what-if")
        room = self._layout.name_cells - 2
        label = WHAT_IF
        sign = row.what_if_effect.sign if row.what_if_effect else " "
        segments = [Segment(f"  ↳ {sign} ", style), Segment(left(label, room), style)]
        for place in self._layout.places():
            segments += self._cell(row, place, cursor, is_what_if=True)
        return segments

    def _cell(
        self, row: GridRow, place: ColumnPlace, cursor: int | None, *, is_what_if: bool
    ) -> Iterator[Segment]:
        column = place.column
        if place.divided:
            yield Segment(f"{DIVIDER} ", self._style("muted"))
        pair = row.what_if[column] if is_what_if else row.pairs[column]
        moved = bool(row.what_if) and moves(row.pairs[column], row.what_if[column], self._sides)
        is_marked = is_what_if and moved
        yield Segment(CHANGED if is_marked else " ", self._style("what-if"))
        faded = (is_what_if and not moved) or (moved and not is_what_if)
        over = self._style("cursor") if column == cursor else None
        first, second = words(pair, self._sides)
        if second is None:
            style = over or self._faded(first, faded)
            yield Segment(_word_in(first, place.width), style)
            return
        half = (place.width - 1) // 2
        yield Segment(_word_in(first, half, to_the_right=True), over or self._faded(first, faded))
        style = over or self._faded(second, faded)
        yield Segment("│", over or style + self._style("divider"))
        yield Segment(_word_in(second, place.width - 1 - half), style)

    def _faded(self, shown: CellWord, faded: bool) -> Style:
        return self._style("faded" if faded else shown.role)


def _first_that_fits(variants: tuple[str, ...], width: int) -> str:
    return next((words for words in variants if cell_len(words) <= width), "")


def _word_in(shown: CellWord, width: int, *, to_the_right: bool = False) -> str:
    """A word in the middle of `width` cells, its marks after it."""
    spare = max(width - shown.cells, 0)
    blank = min((width - WORD_CELLS + to_the_right) // 2, spare)
    text = " " * blank + shown.text + shown.mark
    return text.ljust(width)


MARK = 2
"""Cells before the sign of a tool: the cursor's mark."""
SIGN = 2
LEAST_NAME = 14
USUAL_NAME = 20
MOST_NAME = 40
_PARTS = 3
"""The names of tools take at most a third of the width, if that exceeds the minimum."""


class ColumnPlace(NamedTuple):
    """A column in sight: its index, whether the divider is before it, where its words begin."""

    column: int
    divided: bool
    x: int
    width: int


class ColumnLayout:
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
        """Lay out for so many cells; names grow into the room beside the columns."""
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

    def places(self) -> Iterator[ColumnPlace]:
        """The columns in sight, from the left; always one, however narrow it is."""
        x = self.left
        for at in range(self.first, len(self.columns)):
            divided = at > self.first and starts_hosts(self.columns, at)
            x += GAP + 2 * divided
            if at > self.first and x + self.widths[at] > self.width:
                return
            yield ColumnPlace(at, divided, x, self.widths[at])
            x += self.widths[at]

    def bring_into_sight(self, column: int) -> bool:
        """Scroll by as few columns as show this one; returns whether anything moved."""
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
