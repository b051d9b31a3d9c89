"""Time limits that stand still while a person is asked: by a clock that leaps."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.call import CallLimits
from signoff.app.engine.timing import CallTimer, TimerGroup
from signoff.app.transport.time_limits import TimeLimits
from tests.tiers import examples


class Leaping(asyncio.SelectorEventLoop):
    """An event loop whose clock leaps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__(_Impatient(self))
        self.clock = 1_000.0

    def time(self) -> float:
        return self.clock


class _Impatient(selectors.SelectSelector):
    def __init__(self, loop: Leaping) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._loop.clock += timeout or 0.0
        return super().select(0)


@contextlib.contextmanager
def leaping() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Run a coroutine on a clock of its own; `time.monotonic` of the limits is the same clock."""
    loop = Leaping()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("signoff.app.transport.time_limits.time.monotonic", loop.time)
        try:
            yield loop.run_until_complete
        finally:
            loop.close()


async def limited(limits: TimeLimits, begin: int, seconds: float) -> float:
    """Wait under a limit that begins at a time; the time at which it ends."""
    await asyncio.sleep(begin)
    with contextlib.suppress(TimeoutError):
        async with limits.within(seconds):
            await asyncio.sleep(10_000)
    return asyncio.get_running_loop().time() - 1_000


async def pause(limits: TimeLimits, begin: float, seconds: int) -> None:
    await asyncio.sleep(begin)
    with limits.paused():
        await asyncio.sleep(seconds)


def ended(begin: int, seconds: float, pauses: list[tuple[float, int]]) -> float:
    """When a limit ends: so many seconds after its begin in which no pause was in force."""
    still = [(one, one + length) for one, length in pauses]
    at, left = float(begin), float(seconds)
    marks = sorted({edge for both in still for edge in both if edge > begin})
    for mark in marks:
        is_still = any(one <= at < end for one, end in still)
        if not is_still and left <= mark - at:
            return at + left
        left -= 0 if is_still else mark - at
        at = mark
    return at + left


# Half seconds, so that no pause begins in the moment in which a limit ends.
PAUSES = st.lists(
    st.tuples(st.integers(0, 30).map(lambda one: one + 0.5), st.integers(1, 20)), max_size=4
)
LIMITS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 20)), min_size=1, max_size=4)


@examples(200)
@given(LIMITS, PAUSES)
def test_a_limit_counts_the_seconds_without_a_pause(
    wanted: list[tuple[int, int]], pauses: list[tuple[float, int]]
) -> None:
    async def all_of_them() -> list[float]:
        limits = TimeLimits()
        holding = [asyncio.create_task(pause(limits, *one)) for one in pauses]
        found = await asyncio.gather(*(limited(limits, *one) for one in wanted))
        for one in holding:
            one.cancel()
        await asyncio.gather(*holding, return_exceptions=True)
        assert not limits._open
        assert not limits._pauses
        return found

    with leaping() as run:
        found = run(all_of_them())
    for (begin, seconds), end in zip(wanted, found, strict=True):
        assert end == pytest.approx(ended(begin, seconds, pauses), abs=0.01)


@examples(100)
@given(PAUSES)
def test_its_clock_stands_still_too(pauses: list[tuple[float, int]]) -> None:
    async def clocked() -> float:
        limits = TimeLimits()
        before = limits.now()
        await asyncio.gather(*(pause(limits, *one) for one in pauses), asyncio.sleep(100))
        return limits.now() - before

    with leaping() as run:
        passed = run(clocked())
    still = {
        half / 2
        for begin, seconds in pauses
        for half in range(int(begin * 2), int((begin + seconds) * 2))
    }
    assert passed == pytest.approx(100 - len(still) / 2, abs=0.01)


def test_a_limit_that_has_passed_is_not_given_back() -> None:
    async def passed() -> None:
        limits = TimeLimits()
        async with limits.within(1):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(5)
            with limits.paused():
                await asyncio.sleep(0)
            # It was cancelled once, and no more.
            await asyncio.sleep(5)

    with leaping() as run:
        run(passed())


def test_no_limit_and_an_exception_leave_nothing() -> None:
    async def raised() -> None:
        limits = TimeLimits()
        with limits.paused():
            async with limits.within(None):
                pass
            with pytest.raises(ValueError, match="x"):
                async with limits.within(1):
                    raise ValueError("x")
        assert not limits._open

    with leaping() as run:
        run(raised())


@examples(200)
@given(st.lists(st.sampled_from(("pause", "go on", "wait", "begin", "hear")), max_size=20))
def test_timers_of_calls_stand_still_together(steps: list[str]) -> None:
    now = [0.0]
    limits = CallLimits()
    group, open_pauses, timers = TimerGroup(), [], []
    counted: list[float] = []
    for step in ["begin", *steps]:
        match step:
            case "begin":
                timers.append(CallTimer(limits, lambda: now[0]))
                group.add(timers[-1])
                counted.append(0.0)
            case "pause":
                stack = contextlib.ExitStack()
                stack.enter_context(group.paused())
                open_pauses.append(stack)
            case "go on" if open_pauses:
                open_pauses.pop().close()
            case "wait":
                now[0] += 1
                counted = [one + (not open_pauses) for one in counted]
    for stack in reversed(open_pauses):
        stack.close()
    for timer, seconds in zip(timers, counted, strict=True):
        assert timer.overdue is None
        now_left = timer._end - now[0]
        assert now_left == pytest.approx(limits.absolute - seconds)
