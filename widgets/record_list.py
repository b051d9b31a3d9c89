"""Records of the audit log, one a row: when, how much it weighs, what, where, and the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from app.core.audit_rows import Row
from app.core.findings import Severity
from widgets.cells import left
from widgets.row_list import RowList

WIDE = 100
"""From so many cells on a row has the year, and more room for names."""

NARROW = 64
"""With fewer there is no room for the server."""


class RecordList(RowList):
    """Draws rows as given, the newest last."""

    DEFAULT_CSS = """
    RecordList > .record-list--warning { color: $text-warning; }
    RecordList > .record-list--error { color: $text-error; text-style: bold; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"record-list--warning", "record-list--error"}

    class Chosen(Message):
        """A row was opened: enter, or a double click."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class TopReached(Message):
        """The cursor came to the first row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[Row, ...] = ()
        self._empty = "nothing here"

    def show(self, rows: Sequence[Row], empty: str) -> None:
        """Draw these rows, with the cursor on the last; `empty` stands there without any."""
        self._rows, self._empty = tuple(rows), empty
        self.set_rows(len(self._rows), len(self._rows) - 1, len(self._rows))

    def prepend(self, rows: Sequence[Row]) -> None:
        """Put older rows before the others; nothing in sight moves."""
        cursor, top = self.cursor or 0, self.scroll_offset.y
        self._rows = (*rows, *self._rows)
        self.set_rows(len(self._rows), cursor + len(rows), top + len(rows))

    def empty_text(self) -> str:
        return self._empty

    def cursor_moved(self) -> None:
        if self.cursor == 0:
            self.post_message(self.TopReached())

    def row_chosen(self, index: int) -> None:
        self.post_message(self.Chosen(index))

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        if chain > 1:
            self.row_chosen(index)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        is_wide = width >= WIDE
        time = row.time if is_wide else row.time[5:]
        cells = [19 if is_wide else 14, 2, 19 if is_wide else 13]
        names = [16 if is_wide else 0 if width < NARROW else 9, 24 if is_wide else 14]
        gaps = 2 + sum(1 for cell in [*cells, *names] if cell)
        words = max(0, width - sum(cells) - sum(names) - gaps)
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        weight = base if under_cursor else self._weight(row.severity, base)
        columns = [
            (time, cells[0], muted),
            (row.sign, cells[1], weight),
            (row.event, cells[2], weight),
            (row.server, names[0], muted),
            (row.tool, names[1], base),
            (row.words, words, base),
        ]
        segments = [Segment("› " if under_cursor else "  ", base)]
        for text, room, style in columns:
            if room:
                segments.append(Segment(f"{left(text, room)} ", style))
        return segments

    def _weight(self, severity: Severity, base: Style) -> Style:
        if severity is Severity.NOTE:
            return base
        return self.get_component_rich_style(f"record-list--{severity.value}")
