"""Pseudo-terminals, for programs whose screens are read."""

from __future__ import annotations

import sys

if sys.platform == "win32":

    def open_pair(columns: int, rows: int) -> tuple[int, int]:
        """Fail: this system has no pseudo-terminals of this kind. Raises OSError."""
        raise OSError("Windows has no pseudo-terminal")

    def set_size(descriptor: int, columns: int, rows: int, group: int = 0) -> None:
        """Do nothing: no pseudo-terminal was opened."""

else:
    import contextlib
    import fcntl
    import os
    import pty
    import signal
    import struct
    import termios

    def open_pair(columns: int, rows: int) -> tuple[int, int]:
        """Descriptors of our end, which does not wait, and of the program's end. Raises OSError."""
        ours, other = pty.openpty()
        set_size(other, columns, rows)
        os.set_blocking(ours, False)
        return ours, other

    def set_size(descriptor: int, columns: int, rows: int, group: int = 0) -> None:
        """Give the window a size in cells, and signal a process group. Raises OSError.

        The system signals only the programs whose controlling terminal it is.
        """
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, size)
        if group:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGWINCH)
