"""Many at once go on one after the other, and others have their turn in between."""

from __future__ import annotations

import asyncio

from signoff.app.engine.timing import FairScheduler


async def test_each_has_a_turn_of_its_own_in_their_order() -> None:
    turns, told = FairScheduler(), list[str]()

    async def go(name: str) -> None:
        await turns.wait()
        told.append(name)

    async def look() -> None:
        for _ in range(6):
            told.append("|")
            await asyncio.sleep(0)

    await asyncio.gather(*(go(name) for name in "abc"), look())
    assert [one for one in told if one != "|"] == ["a", "b", "c"]
    assert all("|" in "".join(told).split(one)[1].split(after)[0] for one, after in ("ab", "bc"))


async def test_alone_one_goes_on_at_once_and_who_gives_up_holds_up_nobody() -> None:
    turns = FairScheduler()
    await asyncio.wait_for(turns.wait(), 1)
    gone, kept = (asyncio.create_task(turns.wait()) for _ in range(2))
    gone.cancel()
    await asyncio.wait_for(kept, 60)
    assert gone.cancelled()
