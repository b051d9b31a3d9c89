"""Tools beside the archetypes that their names tell, one a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from .cells import left
from .row_list import RowList

NAME_CELLS, LEAST_NAME = 34, 26
TITLE_CELLS = 12


@dataclass(frozen=True, slots=True)
class ArchetypeRow:
    """A tool in words that are safe to show; `name` is raw and is what is chosen."""

    name: str
    shown: str
    archetype: str
    summary: str
    differs: bool = False


class ArchetypeList(RowList):
    """The word `differs` says what the sign and the colour say."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"archetype-list--differs"}
    DEFAULT_CSS = """
    ArchetypeList {
        background: $background;
        &> .archetype-list--differs { color: $text-warning; }
    }
    """

    class Highlighted(Message):
        """The cursor stands on another tool."""

    class Chosen(Message):
        """A tool is to be gone to: enter, or a double click."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[ArchetypeRow, ...] = ()
        self._empty = "this server has no tools"

    @property
    def highlighted(self) -> ArchetypeRow | None:
        return self._rows[self.cursor] if self.cursor is not None else None

    def show(self, rows: Sequence[ArchetypeRow], at: str | None, empty: str) -> None:
        """Draw these rows with the cursor on the tool of this name, else on the first."""
        self._rows, self._empty = tuple(rows), empty
        places = [place for place, row in enumerate(self._rows) if row.name == at]
        self.set_rows(len(self._rows), (places or [0])[0], 0)
        self.show_cursor()
        self.cursor_moved()

    def cursor_moved(self) -> None:
        self.post_message(self.Highlighted())

    def row_chosen(self, index: int) -> None:
        self.post_message(self.Chosen(self._rows[index].name))

    def empty_text(self) -> str:
        return self._empty

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        style = base
        if row.differs and not under_cursor:
            style = self.get_component_rich_style("archetype-list--differs")
        name_cells = NAME_CELLS if width >= 90 else LEAST_NAME
        head = f"{'› ' if under_cursor else '  '}{'≠ ' if row.differs else '  '}"
        used = len(head) + name_cells + TITLE_CELLS
        return [
            Segment(head, style),
            Segment(left(row.shown, name_cells - 1) + " ", base),
            Segment(left(row.archetype, TITLE_CELLS - 1) + " ", muted),
            Segment(left(row.summary, max(width - used, 0)), style),
        ]
