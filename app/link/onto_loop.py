"""The way from threads onto an event loop: in order, and waking it once for what comes together."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

AT_A_TIME = 32
"""Actions that run before the loop may do something else: a key must not wait for all of them."""


class OntoLoop:
    """Actions for one loop. A thread waits while so many of its own are not done."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int, seconds: float) -> None:
        """Made on the loop; `seconds`: how long a thread waits for room at most."""
        self._loop = loop
        self._thread = threading.get_ident()
        self._seconds = seconds
        self._room = threading.BoundedSemaphore(most)
        self._due: deque[tuple[Callable[[], None], bool]] = deque()
        """Each with whether it holds room."""
        self._lock = threading.Lock()
        self._is_woken = False

    def put(self, action: Callable[[], None]) -> None:
        """Run it on the loop, after all that was put before; never at once."""
        if self._loop.is_closed():
            return
        is_here = threading.get_ident() == self._thread
        holds_room = not is_here and self._room.acquire(timeout=self._seconds)
        with self._lock:
            self._due.append((action, holds_room))
            if self._is_woken:
                return
            self._is_woken = True
        if is_here:
            self._loop.call_soon(self._act)
        else:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._act)

    def _act(self) -> None:
        try:
            for _ in range(AT_A_TIME):
                with self._lock:
                    if not self._due:
                        return
                    action, holds_room = self._due.popleft()
                if holds_room:
                    self._room.release()
                action()
        finally:
            # Also after a fault: the others are not to wait for whatever comes next.
            with self._lock:
                self._is_woken = is_left = bool(self._due)
            if is_left:
                self._loop.call_soon(self._act)
