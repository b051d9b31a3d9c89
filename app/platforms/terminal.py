"""Facts of a terminal from the system, and waiting for its input."""

from __future__ import annotations

import sys

if sys.platform == "win32":

    def pixel_size(descriptor: int) -> tuple[int, int, int, int] | None:
        """Rows and columns of a terminal, width and height in pixels; None for a console."""
        return None

else:
    import contextlib
    import fcntl
    import os
    import select
    import struct
    import termios
    import threading

    _PIECE = 4096

    def pixel_size(descriptor: int) -> tuple[int, int, int, int] | None:
        """Rows and columns of a terminal, width and height in pixels (tty_ioctl(4)).

        None without a terminal.
        """
        try:
            answer = fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8))
        except OSError:
            return None
        rows, columns, width, height = struct.unpack("HHHH", answer)
        return rows, columns, width, height

    class Waking(threading.Event):
        """An event that also wakes who waits for a descriptor."""

        def __init__(self) -> None:
            super().__init__()
            self._woken_by, self._wakes = os.pipe()
            for end in (self._woken_by, self._wakes):
                os.set_blocking(end, False)

        def set(self) -> None:
            super().set()
            with contextlib.suppress(OSError):
                os.write(self._wakes, b"\0")

        def clear(self) -> None:
            super().clear()
            with contextlib.suppress(OSError):
                os.read(self._woken_by, _PIECE)

        def has_input(self, descriptor: int, seconds: float) -> bool:
            """Wait so long for something to read there, or for the event; whether there is."""
            ready, _, _ = select.select([descriptor, self._woken_by], [], [], seconds)
            return descriptor in ready

    def has_input(descriptor: int) -> bool:
        """True if something can be read there now, if only the end."""
        return bool(select.select([descriptor], [], [], 0)[0])
