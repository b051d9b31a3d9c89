"""A look at the files that run as the server: which of them changed on disk since its start."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ...transport import Link

LOOK_SECONDS: Final = 0.9
"""Shortest time between two looks: the screen wakes once a second while nothing happens."""


class ProgramLook:
    """Looks in a thread of its own, since a disk of the network can hang.

    The thread sleeps until the screen, which is awake, gives it a look to do; the result is read at
    the next one. So it wakes nothing by itself, and a look that hangs is the last one.
    """

    def __init__(self, link: Callable[[], Link]) -> None:
        self._link = link
        self._wanted = threading.Event()
        self._is_ended = False
        self._begun_at = 0.0
        self._found: tuple[Link, tuple[str, ...]] | None = None
        self._thread: threading.Thread | None = None

    def changed(self) -> Sequence[str]:
        """Names of the changed files, as of the look before; begins another look if it is time."""
        now = time.monotonic()
        if not self._wanted.is_set() and now - self._begun_at >= LOOK_SECONDS:
            self._begun_at = now
            self._wanted.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="program", daemon=True)
                self._thread.start()
        found = self._found
        # The files of an earlier start have nothing to do with those of the newest one.
        return found[1] if found is not None and found[0] is self._link() else ()

    def end(self) -> None:
        """Let the thread end, which may take as long as a look."""
        self._is_ended = True
        self._wanted.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            if self._is_ended:
                return
            link = self._link()
            self._found = link, link.changed_files()
            self._wanted.clear()
