"""Records of the audit log, one a row: time, severity, event, server and tool, outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from ....widgets.cells import left
from ....widgets.lists.row_list import KeyedList
from ...protocol.findings.findings import Severity
from ...storage.auditing.rows import Row

WIDE = 100
"""From so many cells on a row has the year, and more room for names."""

NARROW = 64
"""With fewer there is no room for the server and the seconds."""

_MOST = ((13, 9, 14), (19, 16, 24))
"""Cells of event, server and tool at most: narrow, wide."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, its raw line in the log, and its row."""

    line: bytes
    record: dict[str, Any]
    row: Row


class RecordList(KeyedList[Entry]):
    """Draws entries as given, the newest last."""

    tells_whole = True
    DEFAULT_CSS = """
    RecordList > .record-list--warning { color: $text-warning; }
    RecordList > .record-list--error { color: $text-error; text-style: bold; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"record-list--warning", "record-list--error"}

    class TopReached(Message):
        """The cursor came to the first row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cells: tuple[int, ...] = (0, 0, 0)

    def show_newest(self, rows: Sequence[Entry]) -> None:
        """Draw these rows, with the cursor on the last."""
        self._rows = tuple(rows)
        self._cells = _needed(rows)
        self.set_rows(len(self._rows), len(self._rows) - 1, len(self._rows))
        # A list that did not scroll before cannot be scrolled until it is laid out anew.
        self.call_after_refresh(self.show_cursor)

    def prepend(self, rows: Sequence[Entry]) -> None:
        """Put older rows before the others; nothing in sight moves."""
        cursor, top = self.cursor or 0, self.scroll_offset.y
        self._rows = (*rows, *self._rows)
        self._cells = tuple(map(max, self._cells, _needed(rows)))
        self.set_rows(len(self._rows), cursor + len(rows), top + len(rows))
        self.call_after_refresh(self.scroll_to, y=top + len(rows), animate=False)

    def append(self, rows: Sequence[Entry]) -> None:
        """Put newer rows behind the others; a cursor on the last one goes along."""
        cursor, top = self.cursor, self.scroll_offset.y
        is_last = cursor is None or cursor == len(self._rows) - 1
        self._rows = (*self._rows, *rows)
        self._cells = tuple(map(max, self._cells, _needed(rows)))
        self.set_rows(len(self._rows), len(self._rows) - 1 if is_last else cursor or 0, top)
        if is_last:
            self.call_after_refresh(self.show_cursor)

    def cursor_moved(self) -> None:
        super().cursor_moved()
        if self.cursor == 0:
            self.post_message(self.TopReached())

    def paint(self, entry: Entry, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = entry.row
        is_wide, is_narrow = width >= WIDE, width < NARROW
        time = row.time if is_wide else row.time[5:16] if is_narrow else row.time[5:]
        event, server, tool = map(min, self._cells, _MOST[is_wide])
        if is_narrow:
            server = 0
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        weight = base if under_cursor else self._weight(row.severity, base)
        columns = [
            (time, 19 if is_wide else 11 if is_narrow else 14, muted),
            (row.sign, 1, weight),
            (row.event, event, weight),
            (row.server, server, muted),
            (row.tool, tool, base),
        ]
        segments = [Segment("› " if under_cursor else "  ", base)]
        for text, room, style in columns:
            if room:
                segments.append(Segment(f"{left(text, room)}  ", style))
        used = sum(cell_len(segment.text) for segment in segments)
        segments.append(Segment(left(row.words, max(0, width - used)), base))
        return segments

    def _weight(self, severity: Severity, base: Style) -> Style:
        if severity is Severity.NOTE:
            return base
        return self.get_component_rich_style(f"record-list--{severity.value}")


def _needed(entries: Sequence[Entry]) -> tuple[int, ...]:
    """Cells that events, servers and tools would take whole."""
    columns = (
        {entry.row.event for entry in entries},
        {entry.row.server for entry in entries},
        {entry.row.tool for entry in entries},
    )
    return tuple(max(map(cell_len, column), default=0) for column in columns)
