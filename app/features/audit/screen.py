"""Audit log screen: approvals, decisions, calls and results; filtered, read and verified.

`AuditReading` reads the log from its end, page by page, in a thread of its own; `RecordList` draws
a record a row: time, severity, event, server and tool, outcome.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.key_bar import BarKey
from ....widgets.labels import that_fits
from ....widgets.lists.row_list import KeyedList
from ...content.frozen import frozen
from ...content.json.jsonio import pretty_spans
from ...content.text import spans, visible
from ...platforms.files import why
from ...protocol.findings.findings import Severity
from ...storage.audit_files import LogLines
from ...storage.auditing.chain import read_record
from ...storage.auditing.rows import Filters, Row, named, read_query, row_of, unreadable
from ...storage.auditing.verifying import Places, Verification, short_verdict, verify
from ...tui.base.browser_screen import BrowserDialog
from ...tui.base.context import ScreenContext
from ...tui.text.pager import PagerScreen, PagerSection

ENOUGH = 500
"""Records that one reading looks for before it stops."""


@frozen
class Entry:
    """A record, its raw line in the log, and its row."""

    line: bytes
    record: dict[str, Any]
    row: Row


class AuditReading:
    """One snapshot of a log: later records do not show. Opening it raises OSError."""

    def __init__(self, path: Path, filters: Filters, after: AuditReading | None = None) -> None:
        """`after`: only records appended since that snapshot, if they can be separated."""
        self.filters = filters
        self._lines = LogLines(path)
        self._guard = threading.Lock()
        self._names: dict[str, str] = {} if after is None else after._names
        self._since = b"" if after is None else after.newest
        self._is_over = False
        self.newest: bytes = b""
        """The last line of the log, wanted or not; known with the first page."""
        self.has_met = False
        """The line was read with which the other look began."""
        self.looked_at = 0
        """Records that were read, wanted or not."""

    @property
    def has_older(self) -> bool:
        return not self._is_over and self._lines.has_older

    def older(self) -> list[Entry]:
        """The wanted records before the ones already read, oldest first; empty at the beginning.

        Stops early when it is closed.
        """
        found: list[Entry] = []
        with self._guard:
            while len(found) < ENOUGH and self.has_older:
                lines = self._lines.older()
                self.newest = self.newest or (lines[-1] if lines else b"")
                if self._since and self._since in lines:
                    self._is_over = self.has_met = True
                    lines = lines[lines.index(self._since) + 1 :]
                self.looked_at += len(lines)
                found = [*self._wanted(lines), *found]
        return found

    def go_on_from(self, newer: AuditReading) -> None:
        """Add the records of a newer snapshot."""
        self.newest = newer.newest
        self.looked_at += newer.looked_at

    def close(self) -> None:
        """Let the files go; waits for the page that is being read."""
        self._is_over = True
        with self._guard:
            self._lines.close()

    def _wanted(self, lines: list[bytes]) -> list[Entry]:
        records = (read_record(line) or unreadable(line) for line in lines)
        return [
            Entry(line, record, row_of(record))
            for line, record in zip(lines, named(records, self._names), strict=True)
            if self.filters.matches(record)
        ]


def prove(path: Path) -> tuple[Verification, Places]:
    """Verify the whole chain: the result, and its places."""
    with LogLines(path) as lines:
        found = verify(lines)
        return found, lines.places(found)


def now() -> datetime:
    return datetime.now().astimezone()


WIDE = 100
"""From so many cells on a row has the year, and more room for names."""

NARROW = 64
"""Least width for the server and the seconds."""

_MOST = ((13, 9, 14), (19, 16, 24))
"""Cells of event, server and tool at most: narrow, wide."""


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
        # A list that did not scroll before cannot be scrolled until its next layout.
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


SETTLE_SECONDS = 0.15
"""A filter is applied once the typing rests: it may have to read the whole log."""

LOOK_SECONDS = 0.3

HINT = "/ words, server: tool: event: severity: outcome: session: since: until:"


class AuditScreen(BrowserDialog[Entry, None]):
    """Reads a log from its end: the newest record is last, and scrolling up loads older ones.

    Records appended by this and other programs come below.
    """

    FAILED = "The log could not be shown"

    DEFAULT_CSS = """
    AuditScreen #told { border-top: solid $foreground 30%; }
    AuditScreen #told.-broken { color: $text-error; text-style: bold; }
    """

    ENTER_HELP = "Show the whole record."
    HELP = """
# The audit log

What was asked, decided, sent and answered, a line each, of this session and those before. Secrets
are masked. Each line carries the hash of the one before: a change would be found.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("audit")
    BOX_KEYS = (
        BarKey("audit.close"),
        BarKey("enter", "Open"),
        BarKey("audit.filter", "", 1),
        BarKey("audit.verify", "", 1),
        BarKey("audit.reload", "", 2),
    )

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._reading: AuditReading | None = None
        self._settle: Timer | None = None
        self._turn = 0
        self._is_loading = False
        self._is_following = False
        self._tells_count = False
        """The status line shows the number of records again."""
        self._file: tuple[int, int, int] | None = None
        """The log as it was found when it was read last."""

    def compose_list(self) -> ComposeResult:
        yield Input(placeholder=HINT, id="filter", select_on_focus=False)
        yield RecordList()

    def compose_detail(self) -> ComposeResult:
        yield Static(id="told", markup=False)

    def draw_detail(self) -> None:
        """Draw nothing: a record is read once it is opened."""

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw_title)

    def _draw_title(self) -> None:
        """Show the path of the log, shortened at its beginning."""
        parts = self._path.parts
        places = [str(self._path), *(f"…/{'/'.join(parts[at:])}" for at in range(2, len(parts)))]
        box = self.query_one("#box")
        box.border_title = that_fits(
            box, [Content(f"Audit log  {visible(place)}") for place in places]
        )

    def on_mount(self) -> None:
        self.action_reload()
        self.set_interval(LOOK_SECONDS, self._look)

    def on_unmount(self) -> None:
        self._let_go()

    def action_reload(self) -> None:
        """Read the log again, from its end."""
        self._stop_settling()
        self._turn += 1
        try:
            filters = read_query(self.filter_words, now())
        except ValueError as problem:
            self._tell(str(problem), is_broken=True)
            return
        self.run_worker(self._load(filters, self._turn), group="load", exit_on_error=False)

    def action_prove(self) -> None:
        self._tell("checking the chain …")
        self.run_worker(self._prove(), group="prove", exclusive=True, exit_on_error=False)

    def filter_changed(self, words: str) -> None:
        self._stop_settling()
        self._settle = self.set_timer(SETTLE_SECONDS, self.action_reload)

    @on(RecordList.TopReached)
    def _top_reached(self, message: RecordList.TopReached) -> None:
        message.stop()
        if self._reading is not None and self._reading.has_older and not self._is_loading:
            loading = self._load_older(self._reading, self._turn)
            self.run_worker(loading, group="load", exit_on_error=False)

    def choose(self, row: Entry) -> None:
        shown = row.row
        title = Content("  ".join(word for word in (shown.event, shown.tool, shown.time) if word))
        line = row.line.decode("ascii", "backslashreplace")
        sections = [
            PagerSection("record", pretty_spans(row.record)),
            PagerSection("line of the log", [spans(line)]),
        ]
        self.app.push_screen(PagerScreen(title, sections))

    async def _load(self, filters: Filters, turn: int) -> None:
        self._let_go()
        self._file = _file_at(self._path)
        try:
            reading = await asyncio.to_thread(AuditReading, self._path, filters)
        except OSError as problem:
            self._tell(f"it cannot be read: {why(problem)}", is_broken=True)
            return
        if turn != self._turn or not self.is_attached:
            reading.close()
            return
        self._reading = reading
        found = await self._read(reading, turn)
        if found is None:
            return
        empty = "no record passes the filter" if reading.looked_at else "nothing is logged yet"
        listed = self.query_one(RecordList)
        listed.empty = empty
        listed.show_newest(found)
        self._tell_count()

    def _look(self) -> None:
        """Read appended records: calls go on, and other programs write here, too."""
        reading, file = self._reading, _file_at(self._path)
        if reading is None or self._is_following or file == self._file:
            return
        self._file, self._is_following = file, True
        self.run_worker(self._load_newer(reading, self._turn), group="load", exit_on_error=False)

    async def _load_newer(self, reading: AuditReading, turn: int) -> None:
        try:
            newer, found = await asyncio.to_thread(_newer, self._path, reading)
        except OSError as problem:
            self._tell(f"it cannot be read: {why(problem)}", is_broken=True)
            return
        finally:
            self._is_following = False
        if turn != self._turn or not self.is_attached:
            return
        if not newer.has_met:
            # It was empty before, or it is another file, or too much of it is new.
            self.action_reload()
            return
        reading.go_on_from(newer)
        self.query_one(RecordList).append(found)
        if self._tells_count:
            self._tell_count()

    async def _load_older(self, reading: AuditReading, turn: int) -> None:
        found = await self._read(reading, turn)
        if found is None:
            return
        self.query_one(RecordList).prepend(found)
        self._tell_count()

    async def _read(self, reading: AuditReading, turn: int) -> list[Entry] | None:
        """Read older records, in a thread; None if they are no longer needed."""
        self._is_loading = True
        try:
            found = await asyncio.to_thread(reading.older)
        except OSError as problem:
            self._tell(f"it cannot be read: {why(problem)}", is_broken=True)
            return None
        finally:
            self._is_loading = False
        return found if turn == self._turn and self.is_attached else None

    async def _prove(self) -> None:
        try:
            found, places = await asyncio.to_thread(prove, self._path)
        except OSError as problem:
            self._tell(f"it cannot be read: {why(problem)}", is_broken=True)
            return
        is_whole = found.is_intact and places.has_newest
        self._tell(short_verdict(found, places), is_broken=not is_whole)

    def _tell_count(self) -> None:
        reading = self._reading
        assert reading is not None
        listed = self.query_one(RecordList).row_count
        count = f"{listed:,} record{'' if listed == 1 else 's'}"
        if reading.has_older:
            count += ", and older ones above: go up to read them"
        elif reading.looked_at > listed:
            count += f" of {reading.looked_at:,}"
        self._tell(count)
        self._tells_count = True

    def _tell(self, words: str, *, is_broken: bool = False) -> None:
        self._tells_count = False
        told = self.query_one("#told", Static)
        told.set_class(is_broken, "-broken")
        told.update(Content(words))

    def _stop_settling(self) -> None:
        if self._settle is not None:
            self._settle.stop()
            self._settle = None

    def _let_go(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            # Waiting for the page that is being read would hold up the screen.
            asyncio.get_running_loop().run_in_executor(None, reading.close)


def _newer(path: Path, reading: AuditReading) -> tuple[AuditReading, list[Entry]]:
    """Read the records appended since; for a thread. Raises OSError."""
    newer = AuditReading(path, reading.filters, reading)
    try:
        return newer, newer.older()
    finally:
        newer.close()


def _file_at(path: Path) -> tuple[int, int, int] | None:
    """Return identity and size of the file; None if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size


def show(context: ScreenContext) -> None:
    """Show the audit log of this run."""
    place = context.engine.ledger.place
    if place:
        context.screen.app.push_screen(AuditScreen(Path(place)))
    else:
        context.say("This run keeps no audit log.")
