"""What a server asks of a person: put, answered once, logged, and told on the wire."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, approve, deny
from signoff.app.approval.questions.questions import Question
from signoff.app.approval.server_questions import (
    AboutElicitation,
    AboutSampling,
    ServerQuestion,
    filled,
)
from signoff.app.calls.call import Call, CallLimits, Outcome
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.events import QuestionVoided, ServerAnswered
from signoff.app.engine.server_requests import WAITING_MAX
from signoff.app.protocol.answers.content import TextPart
from signoff.app.protocol.answers.task_states import ROUNDS_MAX
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Requested, Withdrawn
from tests.engine.opened import Asked, opened
from tests.tiers import first_quick

SERVERS = Path(__file__).parents[1] / "servers"
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def trusted(
    *switches: str, limits: CallLimits | None = None, log: Path | None = None, **more: Any
) -> Any:
    return opened("--with", "all", *switches, trust=Trust.TRUSTED, limits=limits, log=log, **more)


def text(call: Call) -> str:
    assert call.answer is not None
    (part,) = call.answer.parts
    assert isinstance(part, TextPart)
    return part.text


class Answers:
    """Approves every call, and answers every request of the server alike."""

    def __init__(self, given: dict[str, JsonValue] | None = None, **decision: Any) -> None:
        self.questions: list[ServerQuestion] = []
        self._given = given
        self._decision = Decision(**{"answer": DecisionAnswer.APPROVE, "by": "you", **decision})

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation | AboutSampling):
            return approve("you")
        self.questions.append(question)
        if self._given is None or self._decision.answer is not DecisionAnswer.APPROVE:
            return self._decision
        written = filled(question, self._given, {})
        return replace(self._decision, answer_sent=written.snapshot)


@ERAS
@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (DecisionAnswer.APPROVE, ["accept", "'content': {'sure': True}"]),
        (DecisionAnswer.DENY, ["decline"]),
        (DecisionAnswer.CANCEL, ["cancel"]),
        (DecisionAnswer.WITHDRAWN, ["cancel"]),
    ],
)
async def test_accept_decline_and_cancel_are_three_answers(
    era: str, decision: DecisionAnswer, words: list[str]
) -> None:
    async with trusted("--era", era) as one:
        approver = one.engine.approver = Answers({"sure": True}, answer=decision)
        call = await one.call("asks_elicitation")
        (answered,) = one.watch.of(ServerAnswered)
    (question,) = approver.questions
    assert call.outcome is Outcome.OK
    assert all(word in text(call) for word in words), text(call)
    assert ("content" in text(call)) is (decision is DecisionAnswer.APPROVE)
    assert question.during == (f"call {call.id}, asks_elicitation",)
    assert answered.decision.answer is decision
    assert call.rounds == (2 if era == "modern" else 1)
    assert any(one.code == "asked-by-server" for one in call.findings)


@ERAS
async def test_an_approval_by_script_covers_no_data(era: str) -> None:
    from signoff.app.cli.approving.approvers import ScriptApproves

    async with trusted("--era", era) as one:
        one.engine.approver = ScriptApproves()
        assert "decline" in text(await one.call("asks_elicitation"))


@ERAS
async def test_what_breaks_the_form_is_asked_about_again(era: str) -> None:
    """Whatever an approver lets through: the schema is looked at before anything is sent."""

    class FirstWrong(Answers):
        async def ask(self, question: Question) -> Decision:
            decision = await super().ask(question)
            if isinstance(question, AboutElicitation) and question.problems:
                return replace(decision, answer_sent=filled(question, {"sure": True}, {}).snapshot)
            return decision

    async with trusted("--era", era) as one:
        approver = one.engine.approver = FirstWrong({"sure": "very"})
        call = await one.call("asks_elicitation")
    first, second = approver.questions
    assert first.problems == ()
    assert "$.sure" in second.problems[0]
    assert "True" in text(call)


@ERAS
async def test_a_person_answers_in_a_models_place(era: str) -> None:
    async with trusted("--era", era) as one:
        approver = one.engine.approver = Answers({"text": "yes [b]", "model": "me"})
        call = await one.call("asks_sampling")
    (question,) = approver.questions
    assert isinstance(question, AboutSampling)
    assert question.sampling.settings == {"maxTokens": 10}
    assert "yes [b]" in text(call)
    assert "assistant" in text(call)


@pytest.mark.slow
@ERAS
async def test_no_time_limit_runs_while_a_person_is_asked(era: str) -> None:
    limits = CallLimits(idle=0.5, absolute=1.0)
    async with trusted("--era", era, limits=limits) as one:
        approver = one.engine.approver = Asked()
        call_id = one.begin("asks_elicitation")
        question = await approver.question()
        await asyncio.sleep(1.5)
        approver.answer(deny("you"))
        call = await one.ended(call_id)
    assert isinstance(question, AboutElicitation)
    assert call.outcome is Outcome.OK


@ERAS
async def test_a_cancelled_call_takes_its_question_along(era: str) -> None:
    async with trusted("--era", era) as one:
        approver = one.engine.approver = Asked()
        call_id = one.begin("asks_elicitation")
        question = await approver.question()
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
        if era == "modern":
            await one.watch.until(lambda: one.watch.of(QuestionVoided))
            assert one.watch.of(QuestionVoided)[0].call == question.call
    assert call.outcome is Outcome.CANCELLED


async def test_what_the_server_takes_back_is_closed_and_not_answered() -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.engine.approver = Asked()
        told: list[object] = []
        one.engine.link.answer = lambda request, answer: told.append(answer)
        params: JsonValue = {"message": "?", "requestedSchema": {"properties": {}}}
        one.engine._connection.take(Requested("their-1", "elicitation/create", params))
        await approver.question()
        one.engine._connection.take(Withdrawn("their-1"))
        await one.watch.until(lambda: one.watch.of(QuestionVoided))
        assert approver._answers[-1].cancelled()
        await one.watch.until(
            lambda: any(found.code == "request-withdrawn" for found in one.engine.findings)
        )
        assert told == []


async def test_a_server_that_asks_a_thousand_times_gets_an_answer_each_time() -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.engine.approver = Asked()
        told: dict[object, Any] = {}
        one.engine.link.answer = lambda request, answer: told.__setitem__(request.id, answer)
        params: JsonValue = {"message": "?", "requestedSchema": {"properties": {}}}
        for at in range(1_000):
            one.engine._connection.take(Requested(f"their-{at}", "elicitation/create", params))
        await one.watch.until(lambda: len(told) == 1_000 - WAITING_MAX)
        assert all(answer == {"action": "decline"} for answer in told.values())
        # Muted, the rest are declined, too.
        for _ in range(WAITING_MAX):
            await asyncio.sleep(0)
        while len(told) < 1_000:
            for waiting in approver._answers:
                if not waiting.done():
                    waiting.set_result(replace(deny("you"), for_session=True))
            await asyncio.sleep(0.01)
    assert sum(one.code == "asks-too-much" for one in one.engine.findings) == 1


@pytest.mark.parametrize(
    "params",
    first_quick(
        [
            *(None, {}, {"message": 1, "requestedSchema": {"properties": {}}}),
            *({"message": "?", "requestedSchema": {}}, {"message": "?", "mode": "telepathy"}),
            {"message": "?", "mode": "url"},
            {"message": "?", "requestedSchema": {"properties": {str(n): {} for n in range(501)}}},
        ],
        2,
    ),
)
async def test_what_nobody_can_read_gets_an_error_and_no_dialog(params: JsonValue) -> None:
    async with trusted("--era", "legacy") as one:
        approver = one.engine.approver = Answers()
        told: list[Any] = []
        one.engine.link.answer = lambda request, answer: told.append(answer)
        one.engine._connection.take(Requested("their-1", "elicitation/create", params))
        await one.watch.until(lambda: told)
    assert told[0].code == -32602
    assert approver.questions == []
    assert "malformed-request" in [found.code for found in one.engine.findings]


@pytest.mark.parametrize("without", [["elicitation"], ["elicitation.form"]])
async def test_what_is_not_declared_is_not_asked(without: Collection[str]) -> None:
    async with trusted("--era", "legacy", without=without) as one:
        approver = one.engine.approver = Answers()
        call = await one.call("asks_elicitation")
    assert approver.questions == []
    assert "error" in text(call)


async def test_a_server_that_asks_for_ever_is_not_called_for_ever() -> None:
    async with trusted("--era", "modern") as one:
        approver = one.engine.approver = Answers({"sure": True})
        call = await one.call("asks_without_end")
    assert call.outcome is Outcome.INPUT_REQUIRED
    assert call.rounds == ROUNDS_MAX
    assert len(approver.questions) == ROUNDS_MAX - 1
    assert f"{ROUNDS_MAX} times" in call.reason


@ERAS
async def test_the_answer_is_in_the_log_before_it_is_sent(era: str, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    logged: list[list[str]] = []

    def events() -> list[dict[str, Any]]:
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    async with trusted("--era", era, log=log) as one:
        one.engine.approver = Answers({"sure": True})
        if era == "legacy":
            send = one.engine.link.answer

            def watched(request: Requested, answer: Any) -> None:
                logged.append([one["event"] for one in events()])
                send(request, answer)

            one.engine.link.answer = watched
        await one.call("asks_elicitation")
    names = [one["event"] for one in events()]
    asked, answered = names.index("server-request"), names.index("server-request-answered")
    assert asked < answered
    assert all("server-request-answered" in before for before in logged)
    record = events()[answered]
    assert record["decision"]["answer"] == "approve"
    assert "sure" not in json.dumps(record)
    assert names.count("sent") == (2 if era == "modern" else 1)


async def test_what_cannot_be_logged_is_not_given_away(tmp_path: Path) -> None:
    async with trusted("--era", "legacy", log=tmp_path / "audit.jsonl") as one:
        one.engine.approver = Answers({"sure": True})
        write = one.engine.ledger.write_through

        async def fails(event: Any) -> bool:
            return False if event[0] == "server-request-answered" else await write(event)

        one.engine.ledger.write_through = fails
        call = await one.call("asks_elicitation")
    assert "cancel" in text(call)
    assert "content" not in text(call)


async def test_a_request_in_a_revision_without_them_gets_no_response_and_is_a_finding() -> None:
    argv = (sys.executable, str(SERVERS / "asks_for.py"), "{}", "modern")
    async with opened(argv=argv, trust=Trust.TRUSTED) as one:
        one.engine.approver = Answers({})
        calls = [await one.engine.ended(one.engine.call(one.tool("ask"), {})) for _ in range(2)]
    assert [text(call) for call in calls] == ["[]", "[]"]
    codes = [finding.code for finding in calls[0].findings]
    assert codes.count("request-of-server") == 2
    assert "asked-by-server" not in codes


async def test_a_form_that_is_not_allowed_is_found_and_named_in_the_dialog() -> None:
    schema = {"type": "object", "properties": {"who": {"type": "object", "properties": {}}}}
    argv = (sys.executable, str(SERVERS / "asks_for.py"), json.dumps(schema))
    async with opened(argv=argv, trust=Trust.TRUSTED) as one:
        approver = one.engine.approver = Answers({"who": {}})
        call = await one.call("ask")
    assert call.outcome is Outcome.OK
    (question,) = approver.questions
    words = "the form is not allowed (client/elicitation, “Requested Schema”): “who” is an object"
    assert any(words in line for line in question_lines(question))
    (finding,) = [found for found in one.engine.findings if found.code == "form-not-allowed"]
    assert finding.message == f"{words}. TypeScript SDK 1.32.2 and 2.4.0 reject it"
