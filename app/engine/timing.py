"""Deadlines of calls, background tasks, and fair turns of the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import time
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

from ..calls.call import CallLimits
from ..content.frozen import frozen
from ..protocol.findings.findings import Finding, error
from ..storage.fault_log import note_fault

UNSENT_SECONDS = 0.2
"""Seconds between two looks at an unsent request: the idle limit begins with the sending."""


@frozen
class Overdue:
    """A limit that has passed, and its seconds."""

    limit: str
    seconds: float


class CallTimer:
    """The two limits of one call (spec 2025-11-25, basic/lifecycle, "Timeouts").

    Any message of the server renews the idle limit, nothing the absolute one. Neither runs while
    the program is suspended or a person is asked. Times are seconds of one monotonic clock.
    """

    def __init__(self, limits: CallLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._end = clock() + limits.absolute
        self._last_sign: float | None = None
        self._paused: list[float] = []
        """The start of each pause that is in force now, one for each reason."""

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
        """Pause both limits while the server waits for a person."""
        self._paused.append(self._clock())
        try:
            yield
        finally:
            since = self._paused.pop()
            if not self._paused:
                self.delay(self._clock() - since)

    @property
    def spent(self) -> float:
        """Seconds so far, without those in which the server waited for a person."""
        return self._clock() - (self._end - self._limits.absolute)

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
        if self._paused:
            return UNSENT_SECONDS
        is_unsent = self._last_sign is None
        return max(min(left, UNSENT_SECONDS) if is_unsent and left > 0 else left, 0.0)

    def _left(self, now: float) -> float:
        ends = [self._end]
        if self._last_sign is not None:
            ends.append(self._last_sign + self._limits.idle)
        return min(ends) - now


class TimerGroup:
    """Timers of calls that are paused together, also those that begin during a pause."""

    def __init__(self) -> None:
        self._timers: weakref.WeakSet[CallTimer] = weakref.WeakSet()
        self._pauses: list[contextlib.ExitStack] = []
        self.count = 0
        """Pauses that have begun."""

    def add(self, timer: CallTimer) -> None:
        """Add the timer of a call that begins."""
        self._timers.add(timer)
        for stack in self._pauses:
            stack.enter_context(timer.paused())

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Pause all of them, as long as this lasts."""
        self.count += 1
        with contextlib.ExitStack() as stack:
            for timer in list(self._timers):
                stack.enter_context(timer.paused())
            self._pauses.append(stack)
            try:
                yield
            finally:
                self._pauses.remove(stack)


T = TypeVar("T")


class Background:
    """Begins tasks and keeps them until they end."""

    def __init__(self, notice: Callable[[Finding], None], doing: str) -> None:
        """`doing`: when it was that something failed, in words."""
        self._notice = notice
        self._doing = doing
        self._open: dict[asyncio.Task[Any], None] = {}

    def begin(self, work: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        """Begin a task; its end is seen to."""
        task = asyncio.create_task(work, name=name)
        self._open[task] = None
        task.add_done_callback(self._done)
        return task

    def cancel(self) -> list[asyncio.Task[Any]]:
        """Cancel all that have not ended, and return these."""
        cancelled = list(self._open)
        for task in cancelled:
            task.cancel()
        return cancelled

    def _done(self, task: asyncio.Task[Any]) -> None:
        del self._open[task]
        problem = None if task.cancelled() else task.exception()
        if problem is not None:
            self._notice(error("fault", note_fault(problem, self._doing)))


class FairScheduler:
    """Lets one waiter run per loop iteration, first come first served; a lone waiter runs at
    once.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_taken = False
        """The turn of now."""

    async def wait(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._is_taken:
            self._is_taken = True
            loop.call_soon(self._next)
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._is_taken = False
