"""Lists that report their rows by the same two messages, and recognise a row by its key."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from ...app.content.frozen import frozen
from ..cells import left
from .painted_list import PaintedList

T = TypeVar("T")
R = TypeVar("R")


class RowList(PaintedList, Generic[T]):
    """Rows of one kind, wherever they come from; a subclass finds the one at a place."""

    class Highlighted(Message, Generic[R]):
        """The cursor is on another row, or the rows changed; `row` is None on a heading or without
        rows."""

        def __init__(self, control: RowList[R], row: R | None) -> None:
            super().__init__()
            self._control = control
            self.row = row

        @property
        def control(self) -> RowList[R]:
            """The list, for handlers that select by it."""
            return self._control

    class Chosen(Message, Generic[R]):
        """A row was opened: enter, or a double click."""

        def __init__(self, control: RowList[R], row: R) -> None:
            super().__init__()
            self._control = control
            self.row = row

        @property
        def control(self) -> RowList[R]:
            """The list, for handlers that select by it."""
            return self._control

    def row_at(self, index: int) -> T | None:
        """The row at this place; None for a heading."""
        raise NotImplementedError

    @property
    def highlighted(self) -> T | None:
        """The row under the cursor; None on a heading and in an empty list."""
        return self.row_at(self.cursor) if self.cursor is not None else None

    def cursor_moved(self) -> None:
        self.post_message(self.Highlighted(self, self.highlighted))

    def row_chosen(self, index: int) -> None:
        row = self.row_at(index)
        if row is not None:
            self.post_message(self.Chosen(self, row))


@frozen
class Heading:
    """A line over the rows that follow, in words of our own."""

    label: str


class KeyedList(RowList[T]):
    """Holds its rows, and keeps the cursor on the one of the same key while they change around it.

    The cursor skips headings. A subclass draws a row, and returns its key.
    """

    empty = "nothing here"
    """Text of an empty list, in words of our own."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--heading"}
    DEFAULT_CSS = """
    KeyedList > .row-list--heading { color: $foreground 60%; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[T | Heading, ...] = ()

    def key(self, row: T) -> Hashable:
        """Return what a row is known again by; by None it is not: the cursor keeps its place."""
        return None

    def paint(self, row: T, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        """The segments of one row, at most `width` cells; `base` is the style of the whole row."""
        raise NotImplementedError

    def rows_changed(self) -> None:
        """Other rows are about to be drawn."""

    @property
    def rows(self) -> tuple[T, ...]:
        """All rows without the headings."""
        return tuple(row for row in self._rows if not isinstance(row, Heading))

    def show(self, rows: Sequence[T | Heading]) -> None:
        """Draw these rows. The cursor keeps its row and the row its place, else its own place."""
        row = self.highlighted
        self.show_at(rows, self.key(row) if row is not None else None)

    def show_at(self, rows: Sequence[T | Heading], key: Hashable) -> None:
        """Draw these rows, with the cursor on the row of this key, else at its place.

        Of several rows with the key it is the one nearest to the old cursor, on the same line of
        the screen.
        """
        before, top = self._cursor, self.scroll_offset.y
        self._take(rows)
        places = self._places(key)
        at = min(places, key=lambda place: abs(place - before), default=before)
        self.set_rows(len(self._rows), self._beside_heading(at), top + at - before)
        self.cursor_moved()

    def show_anew(self, rows: Sequence[T | Heading], key: Hashable = None) -> None:
        """Draw these rows from the first one on, with the cursor on that of this key if any is."""
        self._take(rows)
        self.set_rows(len(self._rows), next(self._places(key), self._beside_heading(0)), 0)
        self.show_cursor()
        self.cursor_moved()

    def row_at(self, index: int) -> T | None:
        row = self._rows[index]
        return None if isinstance(row, Heading) else row

    def move_cursor(self, index: int) -> None:
        """Put the cursor on a row: a heading is passed over in the direction of the move."""
        super().move_cursor(self._beside_heading(index, 1 if index > self._cursor else -1))

    def show_cursor(self) -> None:
        # A heading above all rows is brought into sight with the first one.
        if self._cursor == 1 and self._count and isinstance(self._rows[0], Heading):
            self.scroll_to(y=0, animate=False)
        else:
            super().show_cursor()

    def empty_text(self) -> str:
        return self.empty

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        if isinstance(row, Heading):
            style = self.get_component_rich_style("row-list--heading")
            return [Segment(left(f"  {row.label}", width), style)]
        return self.paint(row, width, base, under_cursor)

    def _take(self, rows: Sequence[T | Heading]) -> None:
        self._rows = tuple(rows)
        self.rows_changed()

    def _places(self, key: Hashable) -> Iterator[int]:
        """Where the rows of this key are."""
        if key is not None:
            for place, row in enumerate(self._rows):
                if not isinstance(row, Heading) and self.key(row) == key:
                    yield place

    def _beside_heading(self, index: int, step: int = 1) -> int:
        """This place, or that of a row beside it if it is a heading's; `step`: first to seek in."""
        last = len(self._rows) - 1
        index = max(0, min(index, last))
        onward = range(index, last + 1 if step > 0 else -1, step)
        back = range(index, -1 if step > 0 else last + 1, -step)
        rows = (at for at in chain(onward, back) if not isinstance(self._rows[at], Heading))
        return next(rows, index) if self._rows else 0
