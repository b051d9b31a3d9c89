"""Writing into a pipe whose other end may not read: at once or not at all, or in a thread."""

from __future__ import annotations

import os
import select
import sys

if sys.platform == "win32":

    def let_no_write_wait(descriptor: int) -> None:
        """Nothing of the kind there."""

    def write_at_once(descriptor: int, data: bytes) -> bool:
        """Nothing tells whether it would wait: a thread has to do it."""
        return False

    def write_all(descriptor: int, data: bytes) -> None:
        """Write it, however long that takes. Raises OSError where nobody can read it any more."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]

else:

    def let_no_write_wait(descriptor: int) -> None:
        """To be done once, for whoever reads may make the pipe smaller at any moment."""
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
        """Write it, however long that takes. Raises OSError where nobody can read it any more."""
        rest = memoryview(data)
        room = select.poll()
        room.register(descriptor, select.POLLOUT)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                room.poll()
