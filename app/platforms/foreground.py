"""Runs a program that takes over the terminal for a while, such as an editor."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence

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
