"""Standard input: a terminal, a pipe or a file, with echo and line editing switched off and on."""

from __future__ import annotations

import os
import sys
from typing import Final

_PIECE: Final = 65_536
LOOK_SECONDS: Final = 0.02
"""Seconds between two looks at an input that does not signal new data."""

if sys.platform == "win32":
    import queue
    import signal
    import threading

    _ENDS: Final = ("\x04", "\x1a")
    _KEYS_OF_TWO: Final = ("\x00", "\xe0")
    """The first byte of a special key; the second one can be a letter, too."""

    class Input:
        """Lines from a console, which are edited here, or data read from elsewhere by a thread.

        No loop of Windows can wait for a console or a pipe, and a thread that waits for a line of a
        console would take text typed after it was given up.
        """

        CAN_BE_WATCHED: Final = False
        """Whether a loop can wait for the descriptor; otherwise look again and again."""

        def __init__(self, descriptor: int) -> None:
            self.descriptor = descriptor
            self._is_console = os.isatty(descriptor)
            self._line = ""
            self._whole: bytes | None = None
            self._is_deaf = False
            self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
            self._reader: threading.Thread | None = None

        def is_ready(self, *, with_any_key: bool = False) -> bool:
            """True if `read` gives something at once, if only the end.

            A console has whole lines, unless they are switched off or `with_any_key` is set.
            """
            if not self._is_console:
                if self._reader is None:
                    self._reader = threading.Thread(target=self._read, name="input", daemon=True)
                    self._reader.start()
                return not self._pieces.empty()
            import msvcrt

            if self._is_deaf or with_any_key:
                return self._whole is not None or msvcrt.kbhit()
            while self._whole is None and msvcrt.kbhit():
                self._take_key(msvcrt.getwch())
            return self._whole is not None

        def read(self) -> bytes:
            """Return the available bytes; empty at the end. Raises OSError."""
            if not self._is_console:
                return self._pieces.get()
            import msvcrt

            if self._is_deaf:
                while msvcrt.kbhit():
                    self._heard(msvcrt.getwch())
                self._line, self._whole = "", None
                return b"\n"
            found, self._whole = self._whole or b"", None
            return found

        def make_deaf(self) -> None:
            """From now on every key is ready at once, and none is shown."""
            self._is_deaf = True

        def give_back(self) -> None:
            """Do nothing: the console is unchanged."""

        def take_again(self) -> None:
            """Do nothing: the console is unchanged."""

        def hear_again(self) -> None:
            """Return to lines; keys typed before that are lost."""
            if self._is_deaf:
                self.read()
            self._is_deaf = False

        def _read(self) -> None:
            while True:
                try:
                    piece = os.read(self.descriptor, _PIECE)
                except OSError:
                    piece = b""
                self._pieces.put(piece)
                if not piece:
                    # A later read gets the end again.
                    self._reader = None
                    return

        def _heard(self, key: str) -> str:
            """A character that was typed; empty for another key. Ctrl-C is a signal."""
            import msvcrt

            if key in _KEYS_OF_TWO and msvcrt.kbhit():
                msvcrt.getwch()
                return ""
            if key == "\x03":
                signal.raise_signal(signal.SIGINT)
                return ""
            return key

        def _take_key(self, key: str) -> None:
            import msvcrt

            key = self._heard(key)
            if key in ("\r", "\n"):
                self._whole, self._line = f"{self._line}\n".encode("utf-8", "replace"), ""
                msvcrt.putwch("\r")
                msvcrt.putwch("\n")
            elif key in _ENDS:
                self._whole, self._line = b"", ""
            elif key in ("\b", "\x7f"):
                if self._line:
                    self._line = self._line[:-1]
                    for sign in "\b \b":
                        msvcrt.putwch(sign)
            elif key and key.isprintable():
                self._line += key
                msvcrt.putwch(key)

else:
    import contextlib
    import errno
    import select
    import stat
    import termios
    from typing import Any

    class Input:
        """Data that can be read from a descriptor, now or later."""

        CAN_BE_WATCHED: Final = True

        def __init__(self, descriptor: int) -> None:
            self.descriptor = descriptor
            self._before: list[Any] | None = None
            """The modes of the terminal before `make_deaf`; None while they are in force."""

        def is_ready(self, *, with_any_key: bool = False) -> bool:
            """True if `read` gives something at once, if only the end."""
            # A file is always ready, and no selector takes one.
            is_file = stat.S_ISREG(os.fstat(self.descriptor).st_mode)
            return is_file or bool(select.select([self.descriptor], [], [], 0)[0])

        def read(self) -> bytes:
            """Return the available bytes; empty at the end. Raises OSError."""
            return os.read(self.descriptor, _PIECE)

        def make_deaf(self) -> None:
            """Make every key available at once, without echo; signals still work.

            Raises OSError if the terminal is gone.
            """
            try:
                self._before = termios.tcgetattr(self.descriptor)
            except termios.error as problem:
                raise OSError(errno.EIO, os.strerror(errno.EIO)) from problem
            self.take_again()

        def give_back(self) -> None:
            """Leave the terminal as it was found: for the shell, while the program is stopped."""
            if self._before is not None:
                with contextlib.suppress(termios.error, OSError):
                    termios.tcsetattr(self.descriptor, termios.TCSANOW, self._before)

        def take_again(self) -> None:
            """Apply the modes of `make_deaf` again, if they were set."""
            if self._before is None:
                return
            deaf = list(self._before)
            deaf[3] &= ~(termios.ICANON | termios.ECHO)
            deaf[6] = [*deaf[6]]
            deaf[6][termios.VMIN], deaf[6][termios.VTIME] = 1, 0
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self.descriptor, termios.TCSADRAIN, deaf)

        def hear_again(self) -> None:
            """Return to lines; keys typed before that are lost."""
            before, self._before = self._before, None
            if before is not None:
                # Where the terminal is gone, so is what was typed. The rest goes with the change.
                with contextlib.suppress(termios.error, OSError):
                    termios.tcsetattr(self.descriptor, termios.TCSAFLUSH, before)
