"""A connection that is lost and made again before a question is open: nothing is asked in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from signoff.app.bench import person
from signoff.app.bench.definitions import Relisted
from signoff.app.bench.events import ServerAnswered
from signoff.app.core.approvals.approval import DecisionAnswer
from signoff.app.core.calls import Outcome
from signoff.app.core.jsonio import JsonValue
from signoff.app.link.events import Requested
from tests.bench_story.opened import Approves, Opened, opened
from tests.bench_story.test_asked_by_server import Answers, trusted
from tests.bench_story.test_between import HeldUp, asking

FORM: JsonValue = {"message": "?", "requestedSchema": {"properties": {}}}


class Gate:
    """Holds up a step, the first time that it is made, before what goes on from it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self._real: Callable[..., Awaitable[Any]] = getattr(owner, name)
        monkeypatch.setattr(owner, name, self._slow)

    async def _slow(self, *args: Any, **more: Any) -> Any:
        found = await self._real(*args, **more)
        if not self.begun.is_set():
            self.begun.set()
            await self.may_end.wait()
        return found


async def lost_and_made_again(one: Opened) -> None:
    bench, before = one.bench, one.bench.link
    before.kill()
    await one.watch.until(lambda: bench.can_reconnect)
    assert await bench.reconnect() == ""
    await one.watch.until(lambda: bench.server.is_open)
    assert await bench.definitions.recheck() is Relisted.DONE
    assert bench.link is not before


@pytest.mark.parametrize("step", ["put together", "looked at"])
async def test_what_a_server_asked_on_a_lost_connection_is_void_on_the_next(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.bench.approver = Answers({"sure": True})
        gate = (
            Gate(monkeypatch, person, "judge_arguments_in_worker")
            if step == "put together"
            else Gate(monkeypatch, one.bench, "what_runs")
        )
        one.bench._connection.take(Requested("their-1", "elicitation/create", FORM))
        async with asyncio.timeout(60):
            await gate.begun.wait()
        await lost_and_made_again(one)
        gate.may_end.set()
        await one.watch.until(lambda: one.watch.of(ServerAnswered))
        (answered,) = one.watch.of(ServerAnswered)
    assert approver.questions == []
    assert answered.decision.answer is DecisionAnswer.WITHDRAWN
    assert answered.decision.reason == "the connection was lost"


async def test_the_next_connection_may_use_an_id_that_the_lost_one_has_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.bench.approver = Answers({})
        gate = Gate(monkeypatch, person, "judge_arguments_in_worker")
        one.bench._connection.take(Requested(1, "elicitation/create", FORM))
        async with asyncio.timeout(60):
            await gate.begun.wait()
        await lost_and_made_again(one)
        told: list[Any] = []
        one.bench.link.answer = lambda request, answer: told.append(answer)
        one.bench._connection.take(Requested(1, "elicitation/create", FORM))
        await one.watch.until(lambda: told)
        gate.may_end.set()
        await one.watch.until(lambda: len(one.watch.of(ServerAnswered)) == 2)
    assert told == [{"action": "accept", "content": {}}]
    assert len(approver.questions) == 1
    assert "request-id-reused" not in [found.code for found in one.bench.findings]


async def test_a_call_of_a_lost_connection_is_not_asked_about_on_the_next() -> None:
    async with opened() as one:
        held = HeldUp(one)
        one.bench.approver = approver = Approves()
        with held.meanwhile():
            number = await asking(one, held, "delete_thing")
            await lost_and_made_again(one)
        call = await one.ended(number)
    assert approver.questions == []
    assert (call.outcome, call.reason) == (Outcome.NOT_SENT, "the connection was lost")
