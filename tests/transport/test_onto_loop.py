"""Things that threads put onto the loop come in order, wake it once, and are no burden to it."""

from __future__ import annotations

import asyncio
import threading
from unittest.mock import patch

from signoff.app.transport.stdio.stdio import AT_A_TIME, LoopBridge


async def _all_done(done: list[int], count: int) -> None:
    async with asyncio.timeout(60):
        while len(done) < count:
            await asyncio.sleep(0.001)


async def test_what_comes_together_wakes_the_loop_once_and_stays_in_order() -> None:
    loop, done = asyncio.get_running_loop(), list[int]()
    onto = LoopBridge(loop, 1_000, 5)

    def put_all() -> None:
        for number in range(500):
            onto.put(lambda number=number: done.append(number))  # type: ignore[misc]

    with patch.object(loop, "call_soon_threadsafe", wraps=loop.call_soon_threadsafe) as woken:
        thread = threading.Thread(target=put_all)
        thread.start()
        # The loop is held up meanwhile, as a busy one is.
        thread.join()
        onto.put(lambda: done.append(500))
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

    def put_all() -> None:
        for number in range(4):
            onto.put(lambda number=number: done.append(number))  # type: ignore[misc]

    thread = threading.Thread(target=put_all)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert done == []
    await _all_done(done, 4)
    thread.join(60)
