"""How long a call may take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..calls.call import CallLimits

UNSENT_SECONDS = 0.2
"""The idle limit begins with the sending, which nobody waits for: how often to look for it."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """A limit that has passed, and its seconds."""

    limit: str
    seconds: float


class Patience:
    """The two limits of one call (spec 2025-11-25, basic/lifecycle, "Timeouts").

    What comes from the server renews the idle one, nothing the absolute one. Neither runs while
    the program stood still, nor while a person is asked. Times are seconds of one monotonic clock.
    """

    def __init__(self, limits: CallLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._end = clock() + limits.absolute
        self._last_sign: float | None = None
        self._paused: list[float] = []
        """Since when it stands still, once for each reason."""

    def hear(self) -> None:
        """The request was sent, or something came for it."""
        self._last_sign = self._clock()

    def delay(self, seconds: float) -> None:
        """So many seconds count for nothing."""
        self._end += seconds
        if self._last_sign is not None:
            self._last_sign += seconds
        self._paused = [since + seconds for since in self._paused]

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Neither limit runs meanwhile: the server waits for a person."""
        self._paused.append(self._clock())
        try:
            yield
        finally:
            since = self._paused.pop()
            if not self._paused:
                self.delay(self._clock() - since)

    @property
    def overdue(self) -> Overdue | None:
        """The limit that has passed; None while there is time."""
        now = self._clock()
        if self._paused or self._left(now) > 0:
            return None
        if now >= self._end:
            return Overdue("absolute", self._limits.absolute)
        return Overdue("idle", self._limits.idle)

    @property
    def rest(self) -> float:
        """Seconds until it is to be looked at again."""
        left = self._left(self._clock())
        is_open = self._last_sign is None or bool(self._paused)
        return max(min(left, UNSENT_SECONDS) if is_open and left > 0 else left, 0.0)

    def _left(self, now: float) -> float:
        ends = [self._end]
        if self._last_sign is not None:
            ends.append(self._last_sign + self._limits.idle)
        return min(ends) - now
