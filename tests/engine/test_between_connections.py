"""A connection that is lost and made again before a question is open: nothing is asked in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine import request_handler
from signoff.app.engine.definitions import Relisted
from signoff.app.engine.events import ServerAnswered
from signoff.app.storage.auditing.chain import read_record
from signoff.app.storage.auditing.rows import row_of
from signoff.app.transport.events import Requested
from tests.approved import approved
from tests.engine.opened import Approves, Opened, opened
from tests.engine.test_asked_by_server import Answers, trusted
from tests.engine.test_between import HeldUp, asking

PROSE = approved("engine-calls")

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
    engine, before = one.engine, one.engine.link
    before.kill()
    await one.watch.until(lambda: engine.can_reconnect)
    assert await engine.reconnect() == ""
    await one.watch.until(lambda: engine.server.is_open)
    assert await engine.definitions.recheck() is Relisted.DONE
    assert engine.link is not before


@pytest.mark.parametrize("step", ["put together", "looked at"])
async def test_what_a_server_asked_on_a_lost_connection_is_void_on_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, step: str
) -> None:
    log = tmp_path / "log"
    async with trusted("--era", "legacy", log=log) as one:
        approver = one.engine.approver = Answers({"sure": True})
        gate = (
            Gate(monkeypatch, request_handler, "judge_arguments_in_worker")
            if step == "put together"
            else Gate(monkeypatch, one.engine, "fingerprint")
        )
        one.engine._connection.take(Requested("their-1", "elicitation/create", FORM))
        async with asyncio.timeout(60):
            await gate.begun.wait()
        await lost_and_made_again(one)
        gate.may_end.set()
        await one.watch.until(lambda: one.watch.of(ServerAnswered))
        (answered,) = one.watch.of(ServerAnswered)
    assert approver.questions == []
    assert answered.decision.answer is DecisionAnswer.WITHDRAWN
    PROSE.holds("not sent: the connection was lost", answered.decision.reason)
    (never,) = (record for record in logged(log) if record["event"].startswith("server-"))
    assert never["event"] == "server-request-unanswered"
    PROSE.holds("not sent: the connection was lost", never["reason"])


async def test_the_next_connection_may_use_an_id_that_the_lost_one_has_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.engine.approver = Answers({})
        gate = Gate(monkeypatch, request_handler, "judge_arguments_in_worker")
        one.engine._connection.take(Requested(1, "elicitation/create", FORM))
        async with asyncio.timeout(60):
            await gate.begun.wait()
        await lost_and_made_again(one)
        told: list[Any] = []
        one.engine.link.answer = lambda request, answer: told.append(answer)
        one.engine._connection.take(Requested(1, "elicitation/create", FORM))
        await one.watch.until(lambda: told)
        gate.may_end.set()
        await one.watch.until(lambda: len(one.watch.of(ServerAnswered)) == 2)
    assert told == [{"action": "accept", "content": {}}]
    assert len(approver.questions) == 1
    assert "request-id-reused" not in [found.code for found in one.engine.findings]


async def test_a_call_of_a_lost_connection_is_not_asked_about_on_the_next() -> None:
    async with opened() as one:
        held = HeldUp(one)
        one.engine.approver = approver = Approves()
        with held.meanwhile():
            number = await asking(one, held, "delete_thing")
            await lost_and_made_again(one)
        call = await one.ended(number)
    assert approver.questions == []
    assert call.outcome is Outcome.NOT_SENT
    PROSE.holds("not sent: the connection was lost", call.reason)


def logged(log: Path) -> list[dict[str, Any]]:
    return [read_record(line) or {} for line in log.read_bytes().splitlines()]


async def test_the_log_tells_of_a_lost_connection_and_of_the_next(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with opened("--with", "all", log=log) as one:
        engine = one.engine
        engine.approver = Approves()
        await one.call("crash")
        await one.watch.until(lambda: engine.can_reconnect)
        assert await engine.reconnect() == ""
        await one.watch.until(lambda: engine.server.is_open)
        runs = await engine.fingerprint()
        await lost_and_made_again(one)
    assert runs is not None
    records = logged(log)
    told = ("opened", "lost", "reopened", "closed")
    first, lost, again, *others = (one for one in records if one["event"] in told)
    # The last connection was left and not lost.
    assert [one["event"] for one in (first, lost, again, *others)] == [
        *("opened", "lost", "reopened"),
        *("lost", "reopened", "closed"),
    ]
    assert (lost["severity"], lost["exit_code"]) == ("warning", 7)
    assert "exit code 7" in row_of(lost).words
    assert lost["server"] == first["server"]
    assert again["server"]["identity"] == first["server"]["identity"]
    assert again["server"]["runs"]["files"][0]["sha256"] == runs.files[0].sha256
    assert (again["trust"], again["policy"]) == (first["trust"], first["policy"])
    assert row_of(again).words == row_of(first).words == "untrusted, policy cautious"


async def test_a_connection_that_is_lost_before_anybody_knows_what_runs_on_it_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    async with opened(log=log) as one:
        engine = one.engine
        engine.link.kill()
        await one.watch.until(lambda: engine.can_reconnect)
        assert await engine.reconnect() == ""
        gate = Gate(monkeypatch, engine.link, "fingerprint")
        await one.watch.until(lambda: engine.server.is_open)
        looking = asyncio.create_task(engine.fingerprint())
        async with asyncio.timeout(60):
            await gate.begun.wait()
        engine.link.kill()
        await one.watch.until(lambda: engine.can_reconnect)
        gate.may_end.set()
        await looking
    events = [record["event"] for record in logged(log)]
    assert [one for one in events if one in ("lost", "reopened")] == ["lost", "reopened", "lost"]
