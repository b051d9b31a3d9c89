"""Adopts processes whose parents have ended, so that none escapes by a double fork.

Linux alone can have them adopted. Elsewhere nothing is done, and a process that left its session
and cleared its variables stays unknown.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import psutil

_SET: Final = 36
_GET: Final = 37
"""PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of prctl(2)."""


END_SECONDS: Final = 5.0


class Adopted:
    """The children that this process did not have before.

    `is_gone`: False if one of them could not be ended.
    """

    def __init__(self) -> None:
        self._before = {one.pid for one in _children()}
        self.is_gone = True

    def end(self) -> None:
        """Kill them, with all that they started."""
        import psutil

        deadline = time.monotonic() + END_SECONDS
        while True:
            own = [one for one in _children() if one.pid not in self._before]
            left = [one for one in own if not _is_zombie(one)]
            if not left or time.monotonic() > deadline:
                break
            for one in left:
                with contextlib.suppress(psutil.Error):
                    for each in (*one.children(recursive=True), one):
                        with contextlib.suppress(psutil.Error):
                            each.kill()
            time.sleep(0.02)
        self.is_gone = not left
        for one in own:
            _bury(one.pid)


def _children() -> list[psutil.Process]:
    import psutil

    return psutil.Process().children()


def _is_zombie(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def _bury(pid: int) -> None:
    """Ask for the status of a child that has ended, so that the system forgets it."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


@contextlib.contextmanager
def adopting() -> Iterator[Adopted]:
    """Be given the processes that lose their parents, and end all new children with the block.

    Nothing else of this program may start a process during that time.
    """
    before = _control(_GET)
    adopted = Adopted()
    if before is not None:
        _control(_SET, 1)
    try:
        yield adopted
    finally:
        adopted.end()
        if before is not None:
            _control(_SET, before)


def _control(option: int, value: int = 0) -> int | None:
    """The answer to `prctl`; None on a system without it."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        found = ctypes.c_int(value)
        given = ctypes.byref(found) if option == _GET else ctypes.c_ulong(value)
        done: int = library.prctl(option, given, 0, 0, 0)
    except (OSError, AttributeError):
        return None
    return found.value if done == 0 else None
