"""Things that threads put onto the loop come in order, wake it once, and are no burden to it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import partial
from threading import Thread
from unittest.mock import patch

from signoff.app.transport.stdio.stdio import AT_A_TIME, LoopBridge


async def _all_done(done: list[int], count: int) -> None:
    async with asyncio.timeout(60):
        while len(done) < count:
            await asyncio.sleep(0.001)


def putting(onto: LoopBridge, done: list[int], count: int, together: bool = False) -> Thread:
    """A thread that puts so many numbers onto the loop; it has begun."""

    def put_all() -> None:
        with onto.together() if together else contextlib.nullcontext():
            for number in range(count):
                onto.put(partial(done.append, number))

    thread = Thread(target=put_all)
    thread.start()
    return thread


async def test_what_comes_together_wakes_the_loop_once_and_stays_in_order() -> None:
    loop, done = asyncio.get_running_loop(), list[int]()
    onto = LoopBridge(loop, 1_000, 5)
    with patch.object(loop, "call_soon_threadsafe", wraps=loop.call_soon_threadsafe) as woken:
        # The loop is held up meanwhile, as a busy one is.
        putting(onto, done, 500).join()
        onto.put(partial(done.append, 500))
        assert woken.call_count == 1
        await _all_done(done, 501)
    assert done == list(range(501))


async def test_others_have_their_turn_in_between() -> None:
    loop, done, seen = asyncio.get_running_loop(), list[int](), list[int]()
    onto = LoopBridge(loop, 1_000, 5)
    for number in range(3 * AT_A_TIME):
        onto.put(lambda number=number: done.append(number))  # type: ignore[misc]
    loop.call_soon(lambda: seen.append(len(done)))
    await _all_done(done, 3 * AT_A_TIME)
    assert seen == [AT_A_TIME]


async def test_a_fault_holds_up_nothing_that_comes_after_it() -> None:
    loop, done, told = asyncio.get_running_loop(), list[int](), list[object]()
    loop.set_exception_handler(lambda loop, context: told.append(context["exception"]))
    onto = LoopBridge(loop, 1_000, 5)
    onto.put(lambda: done.append(1 // 0))
    onto.put(lambda: done.append(1))
    await _all_done(done, 1)
    assert [type(one) for one in told] == [ZeroDivisionError]


async def test_a_thread_waits_while_the_loop_is_behind() -> None:
    onto, done = LoopBridge(asyncio.get_running_loop(), 2, 5), list[int]()
    thread = putting(onto, done, 4)
    thread.join(0.2)
    assert thread.is_alive()
    assert done == []
    await _all_done(done, 4)
    thread.join(60)


async def test_what_a_thread_collects_wakes_a_loop_that_sleeps_once() -> None:
    loop, done = asyncio.get_running_loop(), list[int]()
    onto, halfway, go_on = LoopBridge(loop, 1_000, 5), threading.Event(), threading.Event()

    def put_all() -> None:
        with onto.together():
            for number in range(500):
                onto.put(lambda number=number: done.append(number))  # type: ignore[misc]
                if number == 250:
                    halfway.set()
                    go_on.wait(60)

    with patch.object(loop, "call_soon_threadsafe", wraps=loop.call_soon_threadsafe) as woken:
        thread = threading.Thread(target=put_all)
        thread.start()
        halfway.wait(60)
        await asyncio.sleep(0)
        assert not done
        assert not woken.called
        go_on.set()
        await _all_done(done, 500)
        assert woken.call_count == 1
        thread.join(60)
    assert done == list(range(500))


async def test_a_thread_that_collects_more_than_there_is_room_for_wakes_the_loop() -> None:
    onto, done = LoopBridge(asyncio.get_running_loop(), 2, 60), list[int]()
    thread = putting(onto, done, 9, together=True)
    await _all_done(done, 9)
    thread.join(60)
    assert done == list(range(9))


async def test_what_others_put_meanwhile_does_not_wait_for_a_thread_that_collects() -> None:
    onto, done = LoopBridge(asyncio.get_running_loop(), 1_000, 5), list[int]()
    begun, go_on = threading.Event(), threading.Event()

    def collect() -> None:
        with onto.together():
            onto.put(lambda: done.append(1))
            begun.set()
            go_on.wait(60)

    thread = threading.Thread(target=collect)
    thread.start()
    begun.wait(60)
    onto.put(lambda: done.append(2))
    await _all_done(done, 2)
    go_on.set()
    thread.join(60)
    assert done == [1, 2]


async def test_a_fault_of_a_thread_that_collects_loses_nothing() -> None:
    onto, done = LoopBridge(asyncio.get_running_loop(), 1_000, 5), list[int]()

    def fail() -> None:
        with contextlib.suppress(ZeroDivisionError), onto.together():
            onto.put(lambda: done.append(1))
            raise ZeroDivisionError

    thread = threading.Thread(target=fail)
    thread.start()
    await _all_done(done, 1)
    thread.join(60)
