"""The terminal: facts from the system, input, a program that takes it over, pseudo-terminals."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence

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

        def has_input(self, descriptor: int, seconds: float | None) -> bool:
            """Wait so long (None: without end) for something to read there, or for the event;
            whether there is."""
            ready, _, _ = select.select([descriptor, self._woken_by], [], [], seconds)
            return descriptor in ready

    def has_input(descriptor: int) -> bool:
        """True if something can be read there now, if only the end."""
        return bool(select.select([descriptor], [], [], 0)[0])


SAVING_SECONDS = 1.0
"""How long a program that is to end may take to save what it has."""

if sys.platform == "win32":

    class ForegroundProgram:
        """Runs a program in this console; it gets Ctrl-C as Signoff does. Raises OSError."""

        def __init__(self, command: Sequence[str]) -> None:
            self._process = subprocess.Popen(list(command))

        def look(self) -> int | None:
            """Its exit status, once it has ended."""
            return self._process.poll()

        def close(self) -> None:
            """End the program if it still runs, without asking: a console has no other way."""
            if self._process.poll() is None:
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    self._process.terminate()
                    self._process.wait(SAVING_SECONDS)

else:
    import os
    import signal

    class ForegroundProgram:
        """Runs a program in the foreground of the terminal. Raises OSError.

        It is a process group of its own, so that ctrl+c in it is not for Signoff; no shell could
        continue it after ctrl+z, so it is always continued here.
        """

        def __init__(self, command: Sequence[str]) -> None:
            self._process = subprocess.Popen(list(command), process_group=0)
            self._terminal = _own_terminal()
            if self._terminal >= 0:
                _set_foreground(self._terminal, self._process.pid)

        def look(self) -> int | None:
            """Its exit status once it has ended, negative for a signal."""
            process = self._process
            found, status = os.waitpid(process.pid, os.WNOHANG | os.WUNTRACED)
            if found and os.WIFSTOPPED(status):
                os.killpg(process.pid, signal.SIGCONT)
            elif found:
                process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode

        def close(self) -> None:
            """End the program if it still runs, and take the terminal back."""
            try:
                if self._process.returncode is None:
                    self._end()
            finally:
                if self._terminal >= 0:
                    _set_foreground(self._terminal, os.getpgrp())
                    os.close(self._terminal)

        def _end(self) -> None:
            # An editor may save what it has.
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                os.killpg(self._process.pid, signal.SIGHUP)
                self._process.wait(SAVING_SECONDS)
            # One that does not listen would hold a terminal that is no longer its own.
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(SAVING_SECONDS)

    def _own_terminal() -> int:
        """The terminal, if it listens to the process group of this process; -1 if there is none."""
        try:
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return -1
        with contextlib.suppress(OSError):
            if os.tcgetpgrp(terminal) == os.getpgrp():
                return terminal
        os.close(terminal)
        return -1

    def _set_foreground(terminal: int, group: int) -> None:
        # Who is in the background is stopped for this, unless the signal is blocked.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(terminal, group)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


if sys.platform == "win32":

    def open_pair(columns: int, rows: int) -> tuple[int, int]:
        """Fail: this system has no pseudo-terminals of this kind. Raises OSError."""
        raise OSError("Windows has no pseudo-terminal")

    def set_size(descriptor: int, columns: int, rows: int, group: int = 0) -> None:
        """Do nothing: no pseudo-terminal was opened."""

    def reads_lines(descriptor: int) -> bool:
        """True: no pseudo-terminal was opened."""
        return True

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

    def reads_lines(descriptor: int) -> bool:
        """True if the program in a pseudo-terminal reads whole lines, not single keys."""
        try:
            return bool(termios.tcgetattr(descriptor)[3] & termios.ICANON)
        except termios.error:
            return True
