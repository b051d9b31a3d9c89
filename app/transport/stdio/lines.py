"""Splits bytes into lines, bounded, in linear time.

Data too large for memory goes to an unnamed private file that vanishes with the process.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Final

from ...content.frozen import frozen
from ...protocol.rpc import SHOWN, Oversized

SPOOL_LIMIT: Final = 1_000_000_000
"""Bytes of one message that are written to disk."""
_CHUNK: Final = 1_000_000


class Spool:
    """Bytes that are added piece by piece. The file has no name, so that it goes with the process.

    A full disk ends the keeping, not the reading: earlier bytes stay.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="signoff-")  # noqa: SIM115
        self._lock = threading.Lock()
        self._kept = 0
        self._is_full = False

    def add(self, piece: bytes | bytearray) -> None:
        room = SPOOL_LIMIT - self._kept
        if self._is_full or room <= 0:
            return
        try:
            self._kept += self._file.write(piece[:room])
        except OSError:
            self._is_full = True

    def done(self, size: int) -> Oversized:
        """Everything was added; `size` is how much came."""
        try:
            self._file.flush()
        except OSError:
            self._is_full = True
        head = next(self._chunks(SHOWN), b"")
        return Oversized(size, self._kept, head, self._chunks)

    def _chunks(self, step: int = _CHUNK) -> Iterator[bytes]:
        at = 0
        while at < self._kept:
            with self._lock:
                self._file.seek(at)
                piece = self._file.read(min(step, self._kept - at))
            if not piece:
                return
            at += len(piece)
            yield piece


LINE_LIMIT = 64_000_000
LARGE = 1_000_000
"""Bytes from which a line is given out as the buffer it was collected in, without a copy."""
HEAD = 4_096


@frozen
class Overlong:
    """A line over the limit: its size in bytes, its beginning and its end, and its spool file."""

    size: int
    head: bytes
    tail: bytes
    whole: Oversized | None = field(default=None, compare=False)


Line = bytes | bytearray | Overlong


class LineReader:
    """Collects chunks and gives out whole lines.

    A line over `limit` bytes is kept in the spool from `make_spool`, and lost without one.
    """

    def __init__(
        self, limit: int = LINE_LIMIT, make_spool: Callable[[], Spool | None] = lambda: None
    ) -> None:
        self._limit = limit
        self._make_spool = make_spool
        self._spool: Spool | None = None
        self._kept = bytearray()
        self._size = 0
        self._head = b""
        self._tail = b""
        self._is_over = False

    def feed(self, chunk: bytes) -> list[Line]:
        *whole, rest = chunk.split(b"\n")
        lines: list[Line] = []
        for piece in whole:
            self._add(piece)
            lines.append(self._end_line())
        if rest:
            self._add(rest)
        return lines

    def close(self) -> list[Line]:
        """The unfinished last line, if there is one."""
        return [self._end_line()] if self._size else []

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._kept += piece
            return
        if self._kept:
            self._head, self._tail = bytes(self._kept[:HEAD]), bytes(self._kept[-HEAD:])
        if not self._is_over:
            self._is_over = True
            self._spool = self._make_spool()
            if self._spool is not None:
                self._spool.add(self._kept)
            self._kept = bytearray()
        if self._spool is not None:
            self._spool.add(piece)
        if len(self._head) < HEAD:
            self._head += piece[: HEAD - len(self._head)]
        self._tail = (self._tail + piece)[-HEAD:]

    def _end_line(self) -> Line:
        line: Line
        if self._size > self._limit:
            whole = None if self._spool is None else self._spool.done(self._size)
            line = Overlong(self._size, self._head, self._tail, whole)
        elif self._size >= LARGE:
            line = self._kept
        else:
            line = bytes(self._kept)
        self._kept = bytearray()
        self._size, self._head, self._tail = 0, b"", b""
        self._spool, self._is_over = None, False
        return line


def make_spool() -> Spool | None:
    """Make a spool; None where the disk has no place for one."""
    try:
        return Spool()
    except OSError:
        return None
