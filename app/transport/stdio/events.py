"""Carries events from threads to the event loop; early ones are kept until it is attached."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..events import LinkEvent

if TYPE_CHECKING:
    import asyncio

AT_A_TIME = 64
"""Actions that run before the loop may do something else: a key must not wait for all of them."""
SECONDS_AT_A_TIME = 0.004
"""Nor for so long, where each of them takes its time."""


class LoopBridge:
    """Actions for one loop. A thread waits while so many of its own are not done."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int, seconds: float) -> None:
        """Made on the loop; `seconds`: how long a thread waits for room at most."""
        self._loop = loop
        self._thread = threading.get_ident()
        self._most = most
        self._seconds = seconds
        self._due: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._has_room = threading.Condition(self._lock)
        self._waiting = 0
        """Threads that wait for room."""
        self._is_woken = False

    def put(self, action: Callable[[], None]) -> None:
        """Run it on the loop, after all that was put before; never at once."""
        if self._loop.is_closed():
            return
        is_here = threading.get_ident() == self._thread
        with self._lock:
            if not is_here and len(self._due) >= self._most:
                self._wait_for_room()
            self._due.append(action)
            if self._is_woken:
                return
            self._is_woken = True
        if is_here:
            self._loop.call_soon(self._act)
        else:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._act)

    def _wait_for_room(self) -> None:
        """Until half of them are done: a thread that is woken for each runs in step with the loop,
        and both do little else."""
        self._waiting += 1
        self._has_room.wait_for(lambda: 2 * len(self._due) <= self._most, self._seconds)
        self._waiting -= 1

    def _act(self) -> None:
        until = time.monotonic() + SECONDS_AT_A_TIME
        due = self._due
        try:
            for _ in range(AT_A_TIME):
                # Nobody else takes from it, so that it needs no lock.
                if not due:
                    return
                due.popleft()()
                if time.monotonic() > until:
                    return
        finally:
            # Also after a fault: the others are not to wait for whatever comes next.
            with self._lock:
                if self._waiting and 2 * len(due) <= self._most:
                    self._has_room.notify_all()
                self._is_woken = is_left = bool(due)
            if is_left:
                self._loop.call_soon(self._act)


class EventBuffer:
    """Takes events from any thread; `tell` gets each of them, in order, on the event loop."""

    def __init__(self, tell: Callable[[LinkEvent], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._early: list[LinkEvent] = []
        self._onto_loop: LoopBridge | None = None

    def begin(self, make_way: Callable[[], LoopBridge]) -> None:
        """Deliver the kept events, and later ones as they come. Call it on the loop."""
        with self._lock:
            early, self._early = self._early, []
            self._onto_loop = make_way()
        for event in early:
            self._tell(event)

    def emit(self, event: LinkEvent) -> None:
        """An event came."""
        with self._lock:
            if self._onto_loop is None:
                self._early.append(event)
                return
        self.on_loop(lambda: self._tell(event))

    def on_loop(self, action: Callable[[], None]) -> None:
        """Run it on the loop, in order; from a thread this waits while the loop is far behind."""
        if self._onto_loop is not None:
            self._onto_loop.put(action)
