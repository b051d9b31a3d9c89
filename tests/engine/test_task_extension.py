"""The tasks extension of 2026-07-28: what is declared, sent and taken, and servers that are odd."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, approve
from signoff.app.approval.questions.questions import Question
from signoff.app.approval.server_questions import AboutElicitation
from signoff.app.calls.call import CallLimits, Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.wire.rows import WireBook
from signoff.app.transport.events import Answered, Reply
from signoff.app.transport.peer import PendingRequest
from signoff.app.transport.protocol import MODERN
from tests.approved import approved
from tests.engine.bundled import BREWED, bundled, bundled_over_http
from tests.engine.opened import Asked, Opened
from tests.engine.test_task_following import text
from tests.tiers import first_quick

PROSE = approved("engine-calls")

EXTENSION = "io.modelcontextprotocol/tasks"
ASKS = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "?",
        "requestedSchema": {"type": "object", "properties": {"one": {"type": "string"}}},
    },
}


class Answers:
    """Stands for the server where it is asked about a task: one state after the other."""

    def __init__(self, one: Opened, *states: dict[str, Any] | Answered) -> None:
        self.asked: list[tuple[str, dict[str, JsonValue]]] = []
        self._states = list(states)
        self._link = one.engine.link
        self.told: Answered = {"resultType": "complete"}

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        pending.gate({"method": pending.method, "params": params})
        return Reply(result={"resultType": "task", **state()}, has_result=True)

    async def ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None = 30
    ) -> Answered:
        if not method.startswith("tasks/"):
            return {}
        self.asked.append((method, params))
        if method != "tasks/get":
            return self.told
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    def of(self, method: str) -> list[dict[str, JsonValue]]:
        return [params for asked, params in self.asked if asked == method]


def state(status: str = "working", **more: Any) -> dict[str, JsonValue]:
    return {"taskId": "t-1", "status": status, "ttlMs": None, "pollIntervalMs": 1, **more}


def stand_in(one: Opened, monkeypatch: pytest.MonkeyPatch, *states: Any) -> Answers:
    answers = Answers(one, *states)
    monkeypatch.setattr(one.engine.link, "ask", answers.ask)
    monkeypatch.setattr(one.engine.link, "request", answers.request)
    return answers


def named(one: Opened) -> set[tuple[str, ...]]:
    """By which headers the requests about tasks were told over HTTP."""
    book = WireBook(one.engine.link.wire)
    book.update()
    headers = [dict(frame.http.headers) for frame in book.frames if frame.http is not None]
    about = [one for one in headers if one.get("mcp-method", "").startswith("tasks/")]
    return {(one["mcp-method"], one.get("mcp-name", "")) for one in about}


async def test_a_server_is_told_that_tasks_are_known_and_which_is_meant() -> None:
    async with bundled_over_http(MODERN) as one:
        call = await one.call("brew_beer")
        assert text(call) == BREWED
        assert call.task is not None
        assert named(one) == {("tasks/get", call.task.id)}
        assert one.engine.link.capabilities.as_json(is_modern=True)["extensions"] == {EXTENSION: {}}
        assert "extensions" not in one.engine.link.capabilities.as_json(is_modern=False)


async def test_without_the_extension_a_task_is_refused_and_never_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bundled(MODERN, without=("tasks",)) as one:
        call = await one.call("brew_beer")
        assert (call.outcome, call.task) == (Outcome.PROTOCOL_ERROR, None)
        assert call.error is not None
        assert call.error.code == -32021
        answers = stand_in(one, monkeypatch, state("completed", result={"content": []}))
        call = await one.call("brew_beer")
    assert call.outcome is Outcome.TASK_STARTED
    assert not answers.asked


async def test_what_a_task_asks_for_is_asked_once_given_under_its_key_and_has_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bundled(MODERN) as one:
        asks = state("input_required", inputRequests={"a": ASKS, "b": ASKS})
        done = state("completed", result={"content": [{"type": "text", "text": "yes"}]})
        answers = stand_in(one, monkeypatch, asks, asks, asks, asks, done)
        one.engine.approver = approver = Declines()
        call = await one.call("paint_a_wall")
        assert text(call) == "yes"
        assert approver.count == 2
        given = [params["inputResponses"] for params in answers.of("tasks/update")]
        assert sorted(json.dumps(one) for one in given) == [
            '{"a": {"action": "decline"}}',
            '{"b": {"action": "decline"}}',
        ]
        states = [state("input_required", inputRequests={f"k{n}": ASKS}) for n in range(60)]
        answers = stand_in(one, monkeypatch, *states)
        one.engine.approver = approver = Declines()
        call = await one.call("paint_a_wall")
    assert (call.outcome, call.rounds) == (Outcome.INPUT_REQUIRED, 1)
    assert "50 times" in call.reason
    assert approver.count <= 50
    assert answers.of("tasks/cancel") == [{"taskId": "t-1"}]


async def test_a_question_closes_where_the_task_ends_or_takes_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bundled(MODERN) as one:
        asks = state("input_required", inputRequests={"a": ASKS})
        answers = stand_in(one, monkeypatch, asks, asks, state("cancelled", statusMessage="enough"))
        one.engine.approver = AsksForEver()
        call = await one.call("paint_a_wall")
        assert call.outcome is Outcome.SERVER_FAILED
        PROSE.holds("task: cancelled by the server", call.reason)
        assert not answers.of("tasks/update")
        answers = stand_in(one, monkeypatch, asks)
        answers.told = RpcError(-32602, "no such key")
        one.engine.approver = Declines()
        call = await one.call("paint_a_wall")
    assert call.outcome is Outcome.SERVER_FAILED
    PROSE.holds("task: input rejected", call.reason)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("last", "outcome", "words"),
    first_quick(
        [
            (state("failed", error={"code": -7, "message": "no"}), Outcome.PROTOCOL_ERROR, "no"),
            (state("failed", statusMessage="oh"), Outcome.SERVER_FAILED, "sent no error: oh"),
            (state("completed"), Outcome.SERVER_FAILED, "sent no result"),
            (state("completed", result=7), Outcome.UNREADABLE, "not an object"),
            (state("input_required", inputRequests={"a": 1}), Outcome.INPUT_REQUIRED, ""),
            (state("input_required", inputRequests=[1]), Outcome.INPUT_REQUIRED, ""),
            (
                state("input_required", inputRequests={"a": {"method": "tools/list"}}),
                Outcome.INPUT_REQUIRED,
                "",
            ),
            (RpcError(-32602, "none"), Outcome.SERVER_FAILED, "cannot return it: none"),
        ],
        3,
        several=True,
    ),
)
async def test_what_is_odd_ends_in_words(
    last: Any, outcome: Outcome, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bundled(MODERN) as one:
        stand_in(one, monkeypatch, state(), last)
        call = await one.call("paint_a_wall")
    assert call.outcome is outcome
    assert words in call.reason


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", MODERN])
async def test_the_time_limits_end_what_never_ends_and_tell_the_server(era: str) -> None:
    async with bundled(era, limits=CallLimits(idle=0.8, absolute=2.0)) as one:
        call = await one.call("wait_for_ever")
    assert (call.outcome, "absolute" in call.reason) == (Outcome.TIMEOUT, True)
    assert call.task is not None
    assert call.task.status == "cancelled"


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", MODERN])
async def test_leaving_cancels_a_task_that_never_ends(era: str) -> None:
    async with bundled(era) as one:
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        async with asyncio.timeout(60):
            await one.engine.close()
        call = one.engine.calls[call_id]
        assert (call.outcome, call.reason) == (Outcome.CANCELLED, "Signoff is closing")


class Declines:
    """Approves calls, and declines what a server asks for."""

    def __init__(self) -> None:
        self.count = 0

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation):
            return approve("you")
        self.count += 1
        return Decision(DecisionAnswer.DENY, "you")


class AsksForEver(Asked):
    """Approves calls, and never answers what a server asks for."""

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation):
            return approve("you")
        return await super().ask(question)
