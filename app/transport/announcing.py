"""Events of a link on their way to whoever listens: those from before there was anybody first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from .events import LinkEvent

if TYPE_CHECKING:
    from .onto_loop import OntoLoop


class Announcing:
    """Takes events from any thread; `tell` is given each of them, in order, on the event loop."""

    def __init__(self, tell: Callable[[LinkEvent], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._early: list[LinkEvent] = []
        self._onto_loop: OntoLoop | None = None

    def begin(self, make_way: Callable[[], OntoLoop]) -> None:
        """Tell what came so far, and from now on whatever comes. Call it on the loop."""
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
