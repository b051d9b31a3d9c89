"""Processes of a watched server that still run after a response, and their end."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TypeAlias

from ...content.frozen import frozen
from ...platforms.processes import family, in_session, wait_gone
from ...platforms.tracing import traced_by
from .deeds import ProcessEnd, SeenLeft

Key: TypeAlias = tuple[int, float]
"""A process: its number, and when it was started."""
GRACE_SECONDS = 1.0
"""How long a helper may take to end once the server has."""
POLL_SECONDS = 0.02


@frozen
class RunningProcess:
    """A process as it was met."""

    argv: tuple[str, ...]
    is_apart: bool
    """Whether it is in another session than the server: daemons and detached processes are."""


class LeftRunning:
    """Processes that one server started and left running, from its start to its end.

    Blocks; for threads.
    """

    def __init__(self, pid: int, mark: tuple[str, str], *, is_traced: bool) -> None:
        """`pid` is the started process: the server, or the tracer above it."""
        self._pid = pid
        self._mark = mark
        self._is_traced = is_traced
        self._left: set[Key] = set()
        self._met: set[Key] = set()
        """All that `end_all` is to end."""
        self._fates: dict[Key, ProcessEnd] = {}
        self._is_closing = False
        self._lock = threading.Lock()
        """Held to decide whether the server ended by itself or was signalled."""
        self.has_ended = False
        """Whether `note_ended` judges, or has judged."""
        self._is_forced = False
        """Whether all were signalled before the server had ended: their fates are not known."""
        self._is_judged = threading.Event()

    def running(self) -> dict[Key, RunningProcess]:
        """All that belongs to the server and lives."""
        import psutil

        found: dict[Key, RunningProcess] = {}
        pids = set(traced_by(self._pid)) if self._is_traced else set()
        with contextlib.suppress(psutil.Error, OSError):
            pids |= {one.pid for one in family(self._pid, self._mark)}
        with contextlib.suppress(psutil.Error, OSError):
            # One that was started without the variable, in a session of its own.
            pids |= {one.pid for one in psutil.Process(self._pid).children(recursive=True)}
        for pid in pids - {self._pid}:
            with contextlib.suppress(psutil.Error, OSError):
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    key = (pid, process.create_time())
                    is_apart = not in_session(pid, self._pid)
                    found[key] = RunningProcess(tuple(process.cmdline()), is_apart)
        return found

    def meet(self) -> dict[Key, RunningProcess]:
        """Likewise; `end_all` ends these, too."""
        living = self.running()
        self._met |= {*living}
        return living

    def note_left(self, key: Key, running: RunningProcess, seconds: float) -> SeenLeft:
        """A process was running so long after an answer."""
        self._left.add(key)
        self._met.add(key)
        fate = ProcessEnd.APART if running.is_apart else ProcessEnd.UNKNOWN
        return SeenLeft(key, running.argv, seconds, fate)

    def fate(self, left: SeenLeft) -> ProcessEnd:
        """Return its fate, once the server has ended."""
        return self._fates.get(left.key, left.fate)

    def begin_to_close(self) -> None:
        """Watch which processes end before, with and after the server that is about to end."""
        self._is_closing = True
        living = self.meet()
        self._fates = dict.fromkeys(self._left - {*living}, ProcessEnd.ENDED)
        if self._is_traced:
            # The tracer itself lives on, as long as anything that it traces.
            threading.Thread(target=self._wait_for_server, name="end", daemon=True).start()

    def _wait_for_server(self) -> None:
        import psutil

        server = None
        with contextlib.suppress(psutil.Error, IndexError):
            server = psutil.Process(self._pid).children()[0]
        while server is not None and is_alive((server.pid, server.create_time())):
            time.sleep(POLL_SECONDS)
        self.note_ended()

    def note_ended(self) -> None:
        """The server has ended; returns when its helpers had time to do so, too."""
        with self._lock:
            if not self._is_closing or self.has_ended:
                return
            self.has_ended = True
            is_forced = self._is_forced
        waiting = self._left - {*self._fates}
        deadline = time.monotonic() + GRACE_SECONDS
        while not is_forced and any(map(is_alive, waiting)) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        if not is_forced:
            for key in waiting:
                self._fates[key] = ProcessEnd.OUTLIVED if is_alive(key) else ProcessEnd.WITH_SERVER
        self._is_judged.set()

    def before_signals(self) -> None:
        """Wait for the fates, if the server has ended; all are about to be signalled."""
        with self._lock:
            if not self.has_ended:
                self._is_forced = True
                return
        self._is_judged.wait(2 * GRACE_SECONDS)

    def end_all(self) -> None:
        """End the processes that the server left running."""
        import psutil

        ended = []
        for key in self._met:
            with contextlib.suppress(psutil.Error, OSError):
                if is_alive(key):
                    process = psutil.Process(key[0])
                    process.kill()
                    ended.append(process)
        wait_gone(ended, GRACE_SECONDS)

    def wait_judged(self) -> None:
        """Wait until that is known, within its limits."""
        if self._is_closing:
            self._is_judged.wait(GRACE_SECONDS)


def is_alive(key: Key) -> bool:
    """True if this very process lives; a zombie does not."""
    import psutil

    try:
        process = psutil.Process(key[0])
        is_zombie = process.status() == psutil.STATUS_ZOMBIE
        return process.create_time() == key[1] and not is_zombie
    except psutil.Error:
        return False
