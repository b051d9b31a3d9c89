"""A file that Signoff shares with the probe server, and that a hostile host can reach, too.

Its path is in the command of the server, so a host can write into it, shorten it, remove it or
put a pipe in its place. It is read and written by a descriptor from before the host was started,
which waits for nothing, and what a host did to it is noted: the measurement then proves nothing. A
host that writes entries exactly as the server would, numbers included, is not found out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ...platforms.files import open_file, read_at
from .probe_server import LOG_LINE_MAX, LOG_MAX

READ_MAX: Final = LOG_MAX - LOG_LINE_MAX
"""Bytes that are read; the server ends soon after them."""
_PART: Final = 1_000_000


class SharedFile:
    """An empty file that is made and kept open. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._largest = 0
        self._written = b""
        self.doubt = ""
        """What was done to it, in words; empty as long as nothing was noticed."""

    def close(self) -> None:
        os.close(self._descriptor)

    def look(self) -> None:
        """Notice a file that became shorter, is too long, or is no longer at its path."""
        found = os.fstat(self._descriptor)
        try:
            there = self._path.lstat()
        except OSError:
            self._note("was removed")
        else:
            if (there.st_dev, there.st_ino) != (found.st_dev, found.st_ino):
                self._note("was replaced")
        if found.st_size < self._largest:
            self._note("became shorter")
        if found.st_size > READ_MAX:
            self._note(f"has more than {READ_MAX:,} bytes")
        self._largest = max(self._largest, found.st_size)

    def read(self) -> str:
        """Its text so far, at most `READ_MAX` bytes of it."""
        self.look()
        return self._bytes().decode(errors="replace")

    def append(self, text: str) -> None:
        """Write at its end; no other program is to write into this file."""
        self.compare()
        self._written += text.encode()
        os.write(self._descriptor, text.encode())

    def compare(self) -> None:
        """Notice what somebody else wrote into it."""
        self.look()
        if self._bytes() != self._written:
            self._note("was written by another program")

    def _bytes(self) -> bytes:
        parts = bytearray()
        while len(parts) < READ_MAX and (part := read_at(self._descriptor, _PART, len(parts))):
            parts += part
        return bytes(parts)

    def _note(self, words: str) -> None:
        self.doubt = self.doubt or words
