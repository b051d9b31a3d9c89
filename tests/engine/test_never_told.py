"""An answer that is logged and never goes out is not the last word of the log about it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer, deny
from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.events import ServerAnswered
from signoff.app.protocol.wire.composing import read_written
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.chain import read_record
from signoff.app.storage.auditing.rows import row_of
from signoff.app.transport.events import Requested, Withdrawn
from tests.approved import approved
from tests.engine.opened import Asked, Opened, opened
from tests.engine.test_asked_by_server import Answers, trusted

PROSE = approved("engine")

FORM: JsonValue = {"message": "?", "requestedSchema": {"properties": {}}}


class Slow:
    """A log that takes its time for one kind of event."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, event: str) -> None:
        self.may_go_on = threading.Event()
        self._begun = threading.Event()
        really = AuditLog.append

        def append(log: AuditLog, name: str, *args: Any, **more: Any) -> None:
            if name == event and not self._begun.is_set():
                self._begun.set()
                assert self.may_go_on.wait(60)
            really(log, name, *args, **more)

        monkeypatch.setattr(AuditLog, "append", append)

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 60), "nothing was logged"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    found = Slow(monkeypatch, "server-request-answered")
    yield found
    found.may_go_on.set()


def records(log: Path, prefix: str = "server-") -> list[dict[str, Any]]:
    found = [read_record(line) or {} for line in log.read_bytes().splitlines()]
    return [one for one in found if str(one.get("event")).startswith(prefix)]


async def withdrawn(one: Opened) -> None:
    await one.watch.until(
        lambda: "request-withdrawn" in [found.code for found in one.engine.findings]
    )


def take(one: Opened, event: Any = None) -> None:
    """Let the server ask for a form, or send something else."""
    asked = Requested("their-1", "elicitation/create", FORM)
    one.engine._connection.take(event or asked)


async def lose(one: Opened) -> None:
    one.engine.link.kill()
    await one.watch.until(lambda: not one.engine.server.is_open)


async def test_an_answer_that_was_being_logged_when_it_was_taken_back(
    tmp_path: Path, slow: Slow
) -> None:
    log = tmp_path / "log"
    async with trusted("--era", "legacy", log=log) as one:
        one.engine.approver = Answers({})
        told: list[Any] = []
        one.engine.link.answer = lambda request, answer: told.append(answer)
        take(one)
        await slow.begun()
        take(one, Withdrawn("their-1"))
        # It is cancelled in this turn, and the disk takes its time.
        await asyncio.sleep(0)
        slow.may_go_on.set()
        await withdrawn(one)
    asked, answered, never = records(log)
    assert told == []
    assert answered["decision"]["answer"] == "approve"
    assert (never["event"], never["severity"]) == ("server-request-unanswered", "warning")
    assert never["request"] == answered["request"] == asked["request"]
    assert row_of(never).words.endswith(never["reason"])


@pytest.mark.parametrize("is_taken_back", [True, False])
async def test_a_question_that_is_taken_back_or_lost_has_an_end_in_the_log(
    tmp_path: Path, is_taken_back: bool
) -> None:
    log = tmp_path / "log"
    async with trusted("--era", "legacy", log=log) as one:
        approver = one.engine.approver = Asked()
        take(one)
        await approver.question()
        if is_taken_back:
            take(one, Withdrawn("their-1"))
            await withdrawn(one)
        else:
            one.engine.link.kill()
            await one.watch.until(lambda: one.watch.of(ServerAnswered))
            approver.answer(deny("you"))
    asked, never = records(log)
    assert (asked["event"], never["event"]) == ("server-request", "server-request-unanswered")
    assert never["request"] == asked["request"]
    assert row_of(never).words.endswith(never["reason"])


async def test_a_call_that_is_cancelled_takes_its_logged_answer_along(
    tmp_path: Path, slow: Slow
) -> None:
    log = tmp_path / "log"
    async with trusted("--era", "modern", log=log) as one:
        one.engine.approver = Answers({"sure": True})
        number = one.begin("asks_elicitation")
        await slow.begun()
        one.engine.cancel(number)
        await asyncio.sleep(0)
        slow.may_go_on.set()
        call = await one.ended(number)
    assert call.outcome is Outcome.CANCELLED
    assert records(log)[-1]["event"] == "server-request-unanswered"


@pytest.mark.parametrize(
    "decision", [DecisionAnswer.APPROVE, DecisionAnswer.DENY, DecisionAnswer.WITHDRAWN]
)
async def test_an_answer_that_was_being_logged_when_the_connection_broke(
    tmp_path: Path, slow: Slow, decision: DecisionAnswer
) -> None:
    log = tmp_path / "log"
    async with trusted("--era", "legacy", log=log) as one:
        one.engine.approver = Answers({}, answer=decision)
        take(one)
        await slow.begun()
        await lose(one)
        slow.may_go_on.set()
        await one.watch.until(lambda: one.watch.of(ServerAnswered))
        (answered,) = one.watch.of(ServerAnswered)
    assert answered.decision.answer is DecisionAnswer.WITHDRAWN
    found = records(log)
    assert [record["event"].removeprefix("server-request") for record in found] == [
        *("", "-answered", "-unanswered")
    ]
    if decision is not DecisionAnswer.WITHDRAWN:
        PROSE.holds("server: not answered", found[-1]["reason"])


async def test_a_message_that_was_being_logged_when_the_connection_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, slow = tmp_path / "log", Slow(monkeypatch, "raw-sent")
    async with opened(log=log) as one:
        raw = one.engine.raw_messages
        message = raw.make(read_written('{"method": "notifications/x"}'))
        sending = asyncio.create_task(raw.send(message))
        await slow.begun()
        await lose(one)
        slow.may_go_on.set()
        assert (await sending).startswith("not sent: ")
    assert [row_of(record).words for record in records(log, "raw-")] == [
        "notifications/x",
        "notifications/x: not-sent",
    ]
