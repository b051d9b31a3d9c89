"""Limits of a process's resources that hold without help from the interpreter.

On Windows a process has none of the limits that POSIX gives; there only its time is limited from
within. On macOS the system accepts a limit of memory and does not enforce it. On both `watching`
looks from outside at a process's usage, now and again, which is later than a kernel is.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, TypeAlias

Limit: TypeAlias = Literal["memory", "processor", "time"]
IS_WATCHED: Final = sys.platform in ("win32", "darwin")
"""Whether the system keeps too few limits itself, so that a process is looked at from outside."""
LOOK_SECONDS: Final = 0.05

if sys.platform == "win32":
    import faulthandler
    import os

    def file_size_limit() -> int | None:
        """Return the largest size of files written by this process; None without a limit."""
        return None

    @contextlib.contextmanager
    def limited(wall_seconds: float, cpu_seconds: float, memory_bytes: int) -> Iterator[None]:
        """Within it, this process ends when it takes longer than that; nothing else is limited."""
        with open(os.devnull, "w") as nowhere:
            # A thread of its own, which needs no lock that an interpreter could be stuck with.
            faulthandler.dump_traceback_later(wall_seconds, exit=True, file=nowhere)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()

    def limit_reached(status: int) -> Limit | None:
        """Return the limit behind an exit status; not known on Windows."""
        return None

else:
    import math
    import resource
    import signal
    import time

    def file_size_limit() -> int | None:
        """Return the largest size in bytes of its files; None without a limit."""
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        return None if limit in (resource.RLIM_INFINITY, -1) else limit

    @contextlib.contextmanager
    def limited(wall_seconds: float, cpu_seconds: float, memory_bytes: int) -> Iterator[None]:
        """Within it, this process ends when it uses more; too much memory is a MemoryError.

        The kernel sees to it: the default action of SIGXCPU and SIGALRM ends the process.
        """

        def bound(what: int, wanted: int) -> Callable[[], None]:
            soft, hard = resource.getrlimit(what)
            allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(what, (allowed, hard))
            return lambda: resource.setrlimit(what, (soft, hard))

        lift = [
            bound(resource.RLIMIT_CORE, 0),
            bound(resource.RLIMIT_AS, memory_bytes),
            bound(resource.RLIMIT_CPU, math.ceil(time.process_time() + cpu_seconds)),
        ]
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for undo in lift:
                undo()

    def limit_reached(status: int) -> Limit | None:
        """Return the limit behind an exit status; minus the number of a signal."""
        if status == -signal.SIGXCPU:
            return "processor"
        return "time" if status == -signal.SIGALRM else None


class LimitWatch:
    """State of a watched process: the limit that it has reached, if any."""

    def __init__(self) -> None:
        self.reached: Limit | None = None


@contextlib.contextmanager
def watching(
    pid: int,
    cpu_seconds: float,
    memory_bytes: int,
    end: Callable[[], None],
    *,
    is_wanted: bool = IS_WATCHED,
) -> Iterator[LimitWatch]:
    """Within it, `end` is called from a thread once the process uses more; see `IS_WATCHED`."""
    watch, is_over = LimitWatch(), threading.Event()
    if not is_wanted:
        yield watch
        return

    def look() -> None:
        import psutil

        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            before = _seconds(process.cpu_times())
            while not is_over.wait(LOOK_SECONDS):
                memory = process.memory_info()
                # On Windows swapped-out memory is not part of the resident set.
                if getattr(memory, "private", memory.rss) > memory_bytes:
                    watch.reached = "memory"
                elif _seconds(process.cpu_times()) - before > cpu_seconds:
                    watch.reached = "processor"
                if watch.reached:
                    end()
                    return

    thread = threading.Thread(target=look, name="limits", daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        is_over.set()
        thread.join()


def _seconds(times: Any) -> float:
    found: float = times.user + times.system
    return found
