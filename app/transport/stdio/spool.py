"""Keeps what is too large for memory in a file that nobody else sees and that leaves nothing."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from typing import Final

from ...protocol.rpc import SHOWN, Oversized

SPOOL_LIMIT: Final = 1_000_000_000
"""Bytes of one message that are written to disk."""
_CHUNK: Final = 1_000_000


class Spool:
    """Bytes that are added piece by piece. The file has no name, so that it goes with the process.

    A full disk ends the keeping, not the reading: what came until then stays.
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
