"""Writes to the terminal from a thread, so that a slow one holds up as little as possible."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

WAITING_MAX: Final = 30
"""Texts that may wait; whoever writes more than that waits with them, as fast as they are drawn."""
_LOOK_SECONDS = 0.2
_STOP_SECONDS = 1.0


class TerminalWriter:
    """Writes texts in their order, as UTF-8 whatever the locale is.

    A terminal that is gone takes nothing more, and what is written then is lost. `is_leaving` says
    whether the program is about to end: then nobody waits for a terminal that does not take it.
    """

    def __init__(self, descriptor: int, is_leaving: Callable[[], bool]) -> None:
        self._descriptor = descriptor
        self._is_leaving = is_leaving
        self._texts: deque[str] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._takes = False

    def start(self) -> None:
        """Begin to write, also again after `stop`."""
        self._takes = True
        self._thread = threading.Thread(target=self._write_on, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have it written; lost where the writer was not started, or the terminal is gone."""
        with self._changed:
            while self._takes and len(self._texts) >= WAITING_MAX:
                if self._is_leaving():
                    return
                # In slices: a signal that is heard meanwhile changes what `is_leaving` says.
                self._changed.wait(_LOOK_SECONDS)
            if self._takes:
                self._texts.append(text)
                self._changed.notify_all()

    def stop(self) -> None:
        """Write what waits, and end the thread; one whose terminal takes nothing is left behind."""
        with self._changed:
            self._takes = False
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)
            self._thread = None

    def _write_on(self) -> None:
        while True:
            with self._changed:
                while not self._texts:
                    if not self._takes:
                        return
                    self._changed.wait()
                data = "".join(self._texts).encode("utf-8", "backslashreplace")
                self._texts.clear()
                self._changed.notify_all()
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                # Gone. That this ends the program is for whoever watches the terminal to see to.
                with self._changed:
                    self._takes = False
                    self._texts.clear()
                    self._changed.notify_all()
                return
