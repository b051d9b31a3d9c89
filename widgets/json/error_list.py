"""What a schema has against a value, numbered, one place on each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from ...app.content.json.jsonio import Path
from ..cells import fit
from ..row_list import RowList


@dataclass(frozen=True, slots=True)
class PlacedError:
    """A place and what is wrong there: `where` and `claim` are safe to show, `path` is raw."""

    path: Path
    where: str
    claim: str


class ErrorList(RowList):
    """The errors in the order of their places. Enter on one posts `Picked`.

    `hidden` more are not in it and get a line of their own; enter there posts `AllWanted`.
    """

    DEFAULT_CSS = """
    ErrorList { height: auto; }
    ErrorList > .error-list--place { color: $text-error; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"error-list--place"}

    class Picked(Message):
        """Somebody wants to go to the place of an error."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class AllWanted(Message):
        """Somebody wants to see the errors that are not in the list."""

    def __init__(
        self, errors: Sequence[PlacedError], hidden: int = 0, *, offers_all: bool = True
    ) -> None:
        super().__init__()
        self._errors = tuple(errors)
        self._hidden = hidden
        self._offers_all = offers_all

    def on_mount(self) -> None:
        self.set_rows(len(self._errors) + bool(self._hidden), 0, 0)

    def point_at(self, path: Path) -> None:
        """Put the cursor on the error at a place, if there is one; nothing is posted."""
        for index, error in enumerate(self._errors):
            if error.path == path:
                self.move_cursor(index)
                return

    def row_chosen(self, index: int) -> None:
        if index < len(self._errors):
            self.post_message(self.Picked(self._errors[index].path))
        elif self._offers_all:
            self.post_message(self.AllWanted())

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        self.row_chosen(index)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        if index >= len(self._errors):
            words = f"   and {self._hidden:,} more"
            words += ", enter shows all" if self._offers_all else ""
            return [Segment(fit(words, width), base)]
        error = self._errors[index]
        number = f"{index + 1:>{len(str(len(self._errors)))}}  "
        place = base
        if not under_cursor:
            place += Style(color=self.get_component_rich_style("error-list--place").color)
        # What is wrong must stay in sight beside a long place.
        where = fit(error.where, max(width - len(number) - 30, width // 2))
        room = max(width - len(number) - len(where) - 1, 0)
        return [
            Segment(number, base),
            Segment(where, place),
            Segment(f" {fit(error.claim, room)}", base),
        ]
