"""Writes into a pipe whose reader may be blocked: at once or not at all, or in a thread."""

from __future__ import annotations

import os
import select
import sys

if sys.platform == "win32":

    def let_no_write_wait(descriptor: int) -> None:
        """Do nothing: the mode does not exist here."""

    def write_at_once(descriptor: int, data: bytes) -> bool:
        """Return False: blocking cannot be predicted, so a thread has to write."""
        return False

    def write_all(descriptor: int, data: bytes) -> None:
        """Write it, however long that takes. Raises OSError if the reader is gone."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    def read_some(descriptor: int, most: int) -> bytes:
        """Wait for bytes, and return them; none at the end. Raises OSError."""
        return os.read(descriptor, most)

    def is_reader_gone(descriptor: int) -> bool:
        """Return False: only a write tells."""
        return False

else:

    def let_no_write_wait(descriptor: int) -> None:
        """Make writes non-blocking, once, since the reader may shrink the pipe at any moment."""
        os.set_blocking(descriptor, False)

    def write_at_once(descriptor: int, data: bytes) -> bool:
        """True if all of it could be written now; else nothing of it was. PIPE_BUF bytes are
        written as a whole or not at all (POSIX, write). Raises OSError."""
        if len(data) > select.PIPE_BUF:
            return False
        try:
            os.write(descriptor, data)
        except BlockingIOError:
            return False
        return True

    def write_all(descriptor: int, data: bytes) -> None:
        """Write it, however long that takes. Raises OSError if no reader is left."""
        rest = memoryview(data)
        room = select.poll()
        room.register(descriptor, select.POLLOUT)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                room.poll()

    def read_some(descriptor: int, most: int) -> bytes:
        """Wait for bytes, and return them; none at the end. Raises OSError.

        The mode of the descriptor may be that of the process which gave it.
        """
        while True:
            try:
                return os.read(descriptor, most)
            except BlockingIOError:
                room = select.poll()
                room.register(descriptor, select.POLLIN)
                room.poll()

    def is_reader_gone(descriptor: int) -> bool:
        """True if the pipe has no reader."""
        asked = select.poll()
        asked.register(descriptor, 0)
        return any(found & (select.POLLERR | select.POLLHUP) for _, found in asked.poll(0))
