"""The steps of the tour, one a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from .cells import left
from .row_list import RowList


@dataclass(frozen=True, slots=True)
class TourRow:
    """`guess`: whether the first guess was right; None where there was none."""

    title: str
    is_done: bool = False
    guess: bool | None = None


class TourList(RowList):
    """The cursor stands on the open step; enter opens another."""

    class Chosen(Message):
        """A step is to be opened."""

        def __init__(self, at: int) -> None:
            super().__init__()
            self.at = at

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[TourRow, ...] = ()

    def show(self, rows: Sequence[TourRow], at: int) -> None:
        self._rows = tuple(rows)
        self.set_rows(len(self._rows), at, 0)

    def row_chosen(self, index: int) -> None:
        self.post_message(self.Chosen(index))

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        mark = "✓ done" if row.is_done else "      "
        guess = {True: "guessed right", False: "guessed wrong", None: ""}[row.guess]
        room = max(width - 4 - 4 - 8 - 15, 8)
        words = f"{'›' if under_cursor else ' '} {index + 1:>3}  {left(row.title, room)}"
        return [Segment(left(f"{words} {mark}  {guess}", width), base)]
