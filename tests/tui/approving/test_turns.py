"""One queue of questions over all servers: in order, and no server holds another's question up."""

from __future__ import annotations

import asyncio
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.tui.approving.asker import DialogTurns


class Owner:
    """An approver with a number of waiting questions."""

    def __init__(self, waiting: int = 0) -> None:
        self.own_waiting = waiting
        self.shown: list[int] = []

    def show_waiting(self, number: int) -> None:
        self.shown.append(number)


async def served(arrivals: list[Owner]) -> list[Owner]:
    """The owners in the order of their turns, if all ask before the first turn ends."""
    turns, order = DialogTurns(), []
    first_may_end = asyncio.Event()

    async def ask(owner: Owner) -> None:
        await turns.take(owner)
        order.append(owner)
        await first_may_end.wait()
        turns.give()

    tasks = []
    for owner in arrivals:
        tasks.append(asyncio.create_task(ask(owner)))
        await asyncio.sleep(0)
    first_may_end.set()
    await asyncio.gather(*tasks)
    return order


async def test_questions_of_one_server_keep_their_order_and_only_one_has_its_turn() -> None:
    turns, owner, order, now = DialogTurns(), Owner(), [], 0

    async def ask(number: int) -> None:
        nonlocal now
        await turns.take(owner)
        now += 1
        assert now == 1
        order.append(number)
        await asyncio.sleep(0)
        now -= 1
        turns.give()

    await asyncio.gather(*(ask(number) for number in range(20)))
    assert order == list(range(20))


async def test_a_flood_of_one_server_holds_no_question_of_another_up() -> None:
    flood, other = Owner(), Owner()
    order = await served([flood] * 100 + [other])
    assert order.index(other) == 1


async def test_servers_that_ask_alternately_are_asked_in_the_order_of_arrival() -> None:
    one, two, three = Owner(), Owner(), Owner()
    arrivals = [two, one, three, one, three, two]
    assert await served(arrivals) == arrivals


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_each_question_has_one_turn_and_waits_for_its_share_alone(arrivals: list[int]) -> None:
    owners = [Owner() for _ in range(5)]
    order = asyncio.run(served([owners[number] for number in arrivals]))
    assert Counter(order) == Counter(owners[number] for number in arrivals)
    # Before the n-th question of one server, each other one has had at most n turns.
    for at, owner in enumerate(order):
        before = Counter(order[:at])
        assert all(before[other] <= before[owner] + 1 for other in owners), order


async def test_a_question_that_is_taken_back_leaves_the_queue() -> None:
    turns, one, two = DialogTurns(), Owner(), Owner()
    await turns.take(one)
    waiting = asyncio.create_task(turns.take(two))
    last = asyncio.create_task(turns.take(one))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    turns.give()
    await asyncio.wait_for(last, 10)


async def test_a_turn_that_comes_as_its_question_is_taken_back_goes_to_the_next() -> None:
    turns, one, two = DialogTurns(), Owner(), Owner()
    await turns.take(one)
    waiting = asyncio.create_task(turns.take(two))
    last = asyncio.create_task(turns.take(one))
    await asyncio.sleep(0)
    turns.give()
    waiting.cancel()
    await asyncio.wait_for(last, 10)
    assert waiting.cancelled()


def test_waiting_questions_are_counted_over_all_servers() -> None:
    turns, one, two = DialogTurns(), Owner(2), Owner(3)
    turns.add(one)
    turns.add(two)
    turns.tell_waiting()
    assert (turns.waiting, one.shown, two.shown) == (5, [5], [5])
