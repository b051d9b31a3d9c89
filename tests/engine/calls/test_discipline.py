"""Living by a host's rules, losing an answer, comparing two, and what the audit log says of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import DecisionAnswer, approve, deny
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.approval.questions.questions import AboutAnswer
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.hosts.rules import read_host
from signoff.app.protocol.server import Phase, Trust
from signoff.app.storage.auditing.verifying import verify
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Opened, opened
from tests.servers import unsteady

PROSE = approved("engine-calls")


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., Any]:
    """Opens a bench on a server that loses answers."""
    argv = (sys.executable, "-S", str(Path(unsteady.__file__)), str(tmp_path / "lost"))
    return partial(opened, argv=argv, trust=Trust.TRUSTED)


def records(log: Path) -> list[dict[str, Any]]:
    lines = log.read_bytes().splitlines()
    assert verify(lines).is_intact
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("uses", [True, False], ids=["used", "withheld"])
async def test_a_host_that_asks_about_the_answer(server: Callable[..., Any], uses: bool) -> None:
    async with server(policy=read_host("vscode")) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("look_outside")
        question = await asked.question()
        assert isinstance(question, AboutAnswer)
        held: Call = one.engine.calls[call_id]
        assert (held.state, held.raw, held.answer) == (State.REVIEWING, None, None)
        asked.answer(approve("you") if uses else deny("you"))
        call = await one.ended(call_id)
        assert len(asked.questions) == 1, "it says it is read-only, so the call itself ran"
        assert call.withheld is not uses
        assert ("secret words" in json.dumps(call.raw)) is uses
        assert (call.answer is not None) is uses
        assert call.outcome is Outcome.OK
        assert ("withheld by you" in call.status) is not uses
        (await one.call("look_inside"))
        assert len(asked.questions) == 1, "nothing of it comes from outside"


async def test_tools_that_a_host_hides_are_refused(server: Callable[..., Any]) -> None:
    async with server(policy=read_host("copilot-review")) as one:
        call = await one.call("lose_plain")
        assert call.verdict.answer is VerdictAnswer.HIDE
        assert (call.outcome, call.sent) == (Outcome.DENIED, False)


async def lose(one: Opened, name: str) -> Call:
    """Make a call whose answer is lost, and connect again."""
    one.engine.approver = Approves()
    lost = await one.call(name)
    assert lost.outcome is Outcome.CONNECTION_LOST
    await one.watch.until(lambda: one.engine.can_reconnect)
    await one.engine.reconnect()
    await one.watch.until(lambda: one.engine.server.phase is Phase.CONNECTED)
    return lost


async def test_a_lost_call_that_may_be_repeated_is_offered_for_a_retry(
    server: Callable[..., Any],
) -> None:
    async with server(policy=built_in("allow-all")) as one:
        lost = await lose(one, "lose_repeatable")
        advice = one.engine.advice(lost)
        assert advice.is_offered, advice.reason
        one.engine.approver = approver = Approves()
        again = await one.ended(one.engine.retry(lost.id))
        assert (again.outcome, again.retry_of) == (Outcome.OK, lost.id)
        assert approver.questions == []
        assert again.snapshot == lost.snapshot


@pytest.mark.parametrize("name", ["lose_plain", "lose_repeatable"])
async def test_what_may_count_twice_is_approved_anew(server: Callable[..., Any], name: str) -> None:
    trust = Trust.TRUSTED if name == "lose_plain" else Trust.UNTRUSTED
    async with server(policy=built_in("allow-all"), trust=trust) as one:
        lost = await lose(one, name)
        advice = one.engine.advice(lost)
        assert not advice.is_offered
        assert "needs approval" in advice.reason
        one.engine.approver = approver = Approves()
        again = await one.call(name)
        (question,) = approver.questions
        assert f"outcome of call {lost.id} is unknown" in question.verdict.reasons[0]
        assert question.verdict.strong
        assert again.outcome is Outcome.OK
        assert (await one.call(name)).outcome is Outcome.OK
        assert len(approver.questions) == 1, "by now the outcome is known"


async def test_two_answers_are_compared(server: Callable[..., Any]) -> None:
    async with server(policy=built_in("allow-all")) as one:
        first = await one.call("same")
        second = await one.ended(one.engine.call_again(first.id))
        assert second.comparison is not None
        assert second.comparison.agrees
        first = await one.call("count")
        second = await one.ended(one.engine.call_again(first.id))
        assert second.comparison is not None
        assert not second.comparison.agrees
        PROSE.holds("again: what differs", "\n".join(second.comparison.words))


async def test_the_log_tells_the_story(server: Callable[..., Any], tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    async with server(log=log) as one:
        one.engine.approver = Approves()
        call = await one.call("count", note="hello", api_key="sk-very-secret-1234567890")
    told = [record for record in records(log) if record.get("tool") == "count"]
    assert [record["event"] for record in told] == ["asked", "decided", "sent", "ended"]
    assert {record["arguments"]["sha256"] for record in told if "arguments" in record} == {
        call.snapshot.arguments_digest
    }
    assert told[1]["decision"]["answer"] == "approve"
    assert told[3]["outcome"] == "ok"
    assert "very-secret" not in log.read_text()
    assert "secret words from outside" not in log.read_text()


async def test_the_decision_is_on_disk_before_the_request_leaves(
    server: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    async with server(log=log) as one:
        one.engine.approver = Approves()
        await lose(one, "lose_plain")
        told = [record["event"] for record in records(log) if record.get("tool") == "lose_plain"]
        assert told == ["asked", "decided", "sent", "ended"]


async def test_what_cannot_be_logged_and_may_destroy_is_refused(
    server: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    log.mkdir()
    async with server(log=log) as one:
        one.engine.approver = approver = Approves()
        call = await one.call("lose_plain")
        assert (call.outcome, call.sent) == (Outcome.DENIED, False)
        PROSE.holds("denied: no audit log", call.reason, FILE=log)
        assert approver.questions == []
        asked_about = await one.call("count")
        (question,) = approver.questions
        assert any("audit log" in one for one in question.verdict.reasons)
        assert asked_about.outcome is Outcome.OK
        assert (await one.call("same")).outcome is Outcome.OK
        assert "audit-unwritable" in {finding.code for finding in one.engine.observed.all()}


async def test_a_what_if_never_makes_a_call_milder(server: Callable[..., Any]) -> None:
    async with server() as one:
        one.engine.approver = approver = Approves()
        one.engine.consent.set_what_if("same", {"destructive": True, "readOnly": False})
        call = await one.call("same")
        assert [question.verdict.strong for question in approver.questions] == [True]
        assert call.decision is not None
        assert call.decision.answer is DecisionAnswer.APPROVE
        assert approver.questions[0].overrides == {"destructive": True, "readOnly": False}
        one.engine.consent.set_what_if("same", {})
        await one.call("same")
        assert len(approver.questions) == 1
        one.engine.consent.set_what_if("count", {"readOnly": True})
        await one.call("count")
        assert len(approver.questions) == 2, "the server itself does not say that it only reads"
