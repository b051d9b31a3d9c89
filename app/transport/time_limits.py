"""Time limits of requests that are paused while a person is asked."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator


class TimeLimits:
    """The limits of one connection, all on its event loop."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Timeout, float | None] = {}
        """Each with the seconds that it has left, if it is paused."""
        self._pauses = 0
        self._since = self._paused = 0.0

    @contextlib.asynccontextmanager
    async def within(self, seconds: float | None) -> AsyncIterator[None]:
        """Raise TimeoutError after so many seconds, without those in which a person was asked."""
        async with asyncio.timeout(None if self._pauses else seconds) as limit:
            if seconds is not None:
                self._open[limit] = seconds if self._pauses else None
            try:
                yield
            finally:
                self._open.pop(limit, None)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Pause every limit, as long as this lasts."""
        self._pauses += 1
        if self._pauses == 1:
            self._pause()
        try:
            yield
        finally:
            self._pauses -= 1
            if not self._pauses:
                self._go_on()

    def now(self) -> float:
        """Seconds of a clock that is paused with the limits."""
        current = self._since if self._pauses else time.monotonic()
        return current - self._paused

    def _pause(self) -> None:
        self._since = time.monotonic()
        now = asyncio.get_running_loop().time()
        for limit in self._open:
            if (when := limit.when()) is not None and not limit.expired():
                self._open[limit] = when - now
                limit.reschedule(None)

    def _go_on(self) -> None:
        self._paused += time.monotonic() - self._since
        now = asyncio.get_running_loop().time()
        for limit, left in self._open.items():
            if left is not None and not limit.expired():
                self._open[limit] = None
                limit.reschedule(now + max(left, 0.0))
