"""Calls that run as tasks of either revision: followed to their result, asked, cancelled."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, approve
from signoff.app.approval.questions.questions import Question
from signoff.app.approval.server_questions import AboutElicitation, filled
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.cli.approving.approvers import again_lines
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import TextPart
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Answered, ConnectionClosed, NoResponse, Reply
from signoff.app.transport.peer import ASK_SECONDS, PendingRequest
from signoff.app.transport.protocol import MODERN
from tests.approved import approved
from tests.engine.bundled import BAKED, BREWED, PAINTED, TURNED, bundled, bundled_over_http
from tests.engine.opened import Asked, opened

PROSE = approved("engine-calls")


WAYS = pytest.mark.parametrize(
    "way",
    [
        pytest.param(
            partial(way, era), marks=[pytest.mark.slow] if way is bundled_over_http else []
        )
        for era in ("legacy", MODERN)
        for way in (bundled, bundled_over_http)
    ],
    ids=["stdio", "http", "stdio, extension", "http, extension"],
)


def text(call: Call) -> str:
    assert call.answer is not None
    (part,) = call.answer.parts
    assert isinstance(part, TextPart)
    return part.text


class Paints:
    """Approves every call, and says which colour."""

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation):
            return approve("you")
        decision = Decision(DecisionAnswer.APPROVE, "you")
        return replace(decision, answer_sent=filled(question, {"colour": "ochre"}, {}).snapshot)


@WAYS
async def test_a_task_is_followed_to_its_result_asks_a_person_and_is_cancelled(way: Any) -> None:
    async with way() as one:
        call = await one.call("brew_beer")
        assert (call.outcome, text(call)) == (Outcome.OK, BREWED)
        assert call.task is not None
        assert call.task.status == "completed"
        spoilt = await one.call("brew_beer", spoil=True)
        assert (spoilt.outcome, text(spoilt)) == (Outcome.TOOL_ERROR, TURNED)
        assert not call.findings
        assert not one.engine.findings
        one.engine.approver = Paints()
        call_id = one.begin("paint_a_wall")
        await one.watch.call(call_id, lambda call: call.status == "input required")
        call = await one.ended(call_id)
        assert (call.outcome, text(call)) == (Outcome.OK, PAINTED)
        assert call.task is not None
        assert call.task.status == "completed"
        assert {one.code for one in call.findings} == {"asked-by-server"}
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
    assert call.outcome is Outcome.CANCELLED
    PROSE.holds("task: cancelled", call.reason)
    assert call.task is not None
    assert call.task.status == "cancelled"


@pytest.mark.slow
async def test_what_may_run_as_a_task_does_where_that_is_wanted() -> None:
    async with bundled(step="0.05") as one:
        plain = await one.call("bake_bread")
        assert (plain.task, text(plain)) == (None, BAKED)
        one.engine.as_task = True
        call = await one.call("bake_bread")
        assert text(call) == BAKED
        assert call.task is not None
        assert any("of 5)" in one.message for one in call.progress_log)
        assert (await one.call("calculate_sum", a=1, b=2)).task is None


async def test_a_call_that_is_cancelled_as_the_task_begins_cancels_it_too() -> None:
    async with bundled() as one:

        def cancel(event: object) -> None:
            call = getattr(event, "call", None)
            if isinstance(call, Call) and call.task is not None and not call.cancel_requested:
                one.engine.cancel(call.id)

        one.engine.subscribe(cancel)
        call = await one.call("wait_for_ever")
    assert call.outcome is Outcome.CANCELLED
    PROSE.holds("task: cancelled", call.reason)


async def test_a_task_is_asked_about_like_any_call_and_sent_as_approved() -> None:
    async with bundled(trust=Trust.UNTRUSTED) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("brew_beer", spoil=False)
        question = await asked.question()
        assert question.snapshot.arguments() == {"spoil": False}
        assert question.snapshot.task == {"ttl": 1_200_000}
        [task] = [line for line in question_lines(question) if "ttl" in line]
        PROSE.holds("question: a task", task)
        PROSE.holds("question: a task again", again_lines(question)[0].partition(", sha256")[0])
        assert one.engine.calls[call_id].state is State.ASKING
        asked.answer(approve("you"))
        assert text(await one.ended(call_id)) == BREWED


@pytest.mark.slow
async def test_many_tasks_at_once_keep_their_own_results() -> None:
    async with bundled_over_http() as one:
        ids = [one.begin("brew_beer", spoil=bool(number % 2)) for number in range(6)]
        calls = await asyncio.gather(*(one.ended(each) for each in ids))
    assert [text(call) for call in calls] == [BREWED, TURNED] * 3
    assert len({call.task.id for call in calls if call.task is not None}) == 6


async def test_a_server_that_has_no_tasks_is_called_plainly() -> None:
    async with opened("--with", "all", "--era", "legacy", trust=Trust.TRUSTED) as one:
        call = await one.call("only_as_task")
    assert call.outcome is Outcome.PROTOCOL_ERROR
    PROSE.holds("task: not declared", call.reason)


async def test_as_a_task_nothing_but_what_was_approved_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bundled() as one:
        really, changes = one.engine.link.request, dict[str, Any]()

        async def other(pending: PendingRequest, params: dict[str, Any]) -> Reply:
            return await really(pending, {**params, **changes})

        monkeypatch.setattr(one.engine.link, "request", other)
        for tool, arguments, change, key in (
            ("brew_beer", {"spoil": False}, {"arguments": {"spoil": True}}, "approved one"),
            ("brew_beer", {}, {"task": {"ttl": 1}}, "approved task"),
            ("calculate_sum", {"a": 1, "b": 2}, {"task": {"ttl": 1}}, "approved task"),
        ):
            changes = change
            call = await one.call(tool, **arguments)
            assert (call.sent, call.task) == (False, None)
            is_one = key == "approved one"
            words = (
                "not sent: not the approved one" if is_one else "not sent: not the approved task"
            )
            PROSE.holds(words, call.reason)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "outcome", "words"),
    [
        ([NoResponse(), RpcError(-32602, "gone")], Outcome.SERVER_FAILED, "gone (code -32602)"),
        ([{"taskId": "other", "status": "completed"}], Outcome.SERVER_FAILED, "cannot be read"),
        ([{"status": "resting"}], Outcome.SERVER_FAILED, "cannot be read"),
        ([ConnectionClosed()] * 9, Outcome.CONNECTION_LOST, "not known"),
    ],
)
async def test_a_task_that_cannot_be_followed_ends_in_words(
    answers: list[Answered], outcome: Outcome, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bundled() as one:
        really, left = one.engine.link.ask, list(answers)

        async def odd(
            method: str, params: dict[str, JsonValue], seconds: float = ASK_SECONDS
        ) -> Answered:
            return left.pop(0) if left else await really(method, params, seconds)

        monkeypatch.setattr(one.engine.link, "ask", odd)
        call = await one.call("wait_for_ever")
    assert call.outcome is outcome
    assert words in call.reason
    assert call.is_unknown
