"""Reading the audit log from its end, page by page; for a thread of its own."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ...storage.audit_files import LogLines
from ...storage.auditing.chain import read_record
from ...storage.auditing.filters import Filters
from ...storage.auditing.proof import Places, Verification, verify
from ...storage.auditing.rows import Row, named, row_of, unreadable

ENOUGH = 500
"""Records that one reading looks for before it stops."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, its line as it stands in the log, and its row."""

    line: bytes
    record: dict[str, Any]
    row: Row


class AuditReading:
    """One look at a log: what is appended later does not show. Opening it raises OSError."""

    def __init__(self, path: Path, filters: Filters, after: AuditReading | None = None) -> None:
        """`after`: only what was appended since that look began, where that can be told."""
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
        """The wanted records before those that were read, oldest first; empty at the beginning.

        Stops early when it is closed meanwhile.
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
        """What another look found after this one is known as well."""
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
    """Prove the whole chain: what it shows, and where."""
    with LogLines(path) as lines:
        found = verify(lines)
        return found, lines.places(found)


def now() -> datetime:
    return datetime.now().astimezone()
