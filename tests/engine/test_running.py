"""What happens to a call that is sent: limits, cancellation, outcomes, verdicts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import approve
from signoff.app.calls.call import CallLimits, Outcome, State
from signoff.app.engine.calls.call_state import ASKED_MAX
from signoff.app.engine.events import CallChanged
from signoff.app.hosts.rules import read_host
from signoff.app.protocol.progress import ProgressLog
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.capabilities import NAMES
from signoff.app.schemas.schema import SchemaAnswer
from signoff.app.transport.events import Requested
from tests.approved import approved
from tests.engine.opened import Approves, Asked, Opened, opened
from tests.servers import recorded
from tests.transport.linked import received

PROSE = approved("engine-calls")


def trusted(*switches: str, limits: CallLimits | None = None, without: Collection[str] = ()) -> Any:
    return opened("--with", "all", *switches, trust=Trust.TRUSTED, limits=limits, without=without)


async def running(one: Opened, name: str, **arguments: Any) -> int:
    call_id = one.begin(name, **arguments)
    await one.watch.call(call_id, lambda call: call.state is State.RUNNING)
    return call_id


@pytest.mark.slow
async def test_a_response_whose_text_differs_is_a_finding_of_the_response() -> None:
    async with trusted() as one:
        differs, same = await one.call("redos"), await one.call("structured")
    code = "model-view-differs"
    assert differs.answer is not None
    # So that a person who reviews a response sees it, too.
    assert code in [finding.code for finding in differs.answer.findings]
    assert [finding.code for finding in differs.findings].count(code) == 1
    assert code not in [finding.code for finding in same.findings]


async def test_a_server_that_asks_for_input_is_not_accused_of_anything() -> None:
    asked = ("asks_elicitation", "asks_sampling", "asks_roots")
    async with trusted("--era", "modern", without=NAMES) as one:
        calls = {name: await one.call(name) for name in asked}
        again = await one.ended(one.engine.call_again(calls["asks_roots"].id))
        retried = one.engine.advice(calls["asks_roots"])
    PROSE.holds("input: not declared", "\n".join(calls[name].reason for name in asked))
    for name in asked:
        call = calls[name]
        assert call.outcome is Outcome.INPUT_REQUIRED, name
        assert isinstance(call.raw, dict)
        assert "inputRequests" in call.raw
        assert call.answer is None
        assert call.schema is None
        assert [finding.code for finding in call.findings] == ["input-not-declared"]
    assert again.comparison is not None
    assert again.comparison.agrees is None
    assert "from the beginning" in retried.reason


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_what_a_server_asks_is_not_shown_where_its_answers_are_asked_about(era: str) -> None:
    reviewing = read_host("vscode")
    async with opened("--with", "all", "--era", era, policy=reviewing, without=NAMES) as one:
        one.engine.approver = Approves()
        call = await one.call("asks_outside")
    assert call.verdict.reviews_result
    found = [call.reason, *(finding.message for finding in call.findings)]
    assert any("elicitation" in words for words in found)
    assert not any("secret" in words for words in found)
    if era == "modern":
        assert call.outcome is Outcome.INPUT_REQUIRED
        assert call.raw is None


@pytest.mark.slow
async def test_a_server_that_asks_for_ever_new_things_fills_no_call(tmp_path: Path) -> None:
    async with trusted("--with", "slow") as one:
        call_id = one.begin("slow", steps=2, seconds=1)
        await one.watch.until(lambda: one.engine.calls[call_id].sent)
        for at in range(1_000):
            one.engine._connection.take(Requested(f"x{at}", f"vendor/{at}", None))
        call = await one.engine.ended(call_id)
    assert call.outcome is Outcome.OK
    assert [finding.code for finding in call.findings] == ["asked-by-server"] * ASKED_MAX


@pytest.mark.usefixtures("_short_judging")
async def test_a_schema_that_takes_too_long_leaves_the_response_unjudged() -> None:
    async with trusted() as one:
        call = await one.call("redos")
    assert call.schema is not None
    assert call.schema.answer is SchemaAnswer.NOT_VALIDATED
    assert "not-validated" in {finding.code for finding in call.findings}
    assert {event.call.outcome for event in one.watch.of(CallChanged)} == {None, Outcome.OK}


async def test_an_answer_is_shown_before_its_verdict_is_there() -> None:
    async with trusted() as one:
        call_id = one.begin("structured")
        await one.watch.call(call_id, lambda call: call.answer is not None and call.schema is None)
        assert (await one.ended(call_id)).schema is not None


@pytest.mark.slow
async def test_progress_resets_the_idle_limit_and_not_the_absolute_one() -> None:
    async with trusted(limits=CallLimits(idle=0.4, absolute=10)) as one:
        call = await one.call("slow", steps=8, seconds=0.8)
        assert call.outcome is Outcome.OK
        one.engine.limits = CallLimits(idle=0.4, absolute=0.9)
        call = await one.call("never_with_progress")
    assert call.outcome is Outcome.TIMEOUT
    PROSE.holds("limit: absolute", call.reason)
    assert call.progress.count > 3


async def test_time_for_asking_does_not_count() -> None:
    async with opened(limits=CallLimits(idle=0.3, absolute=0.3)) as one:
        one.engine.approver = asked = Asked()
        call_id = one.begin("read_thing")
        await asked.question()
        await asyncio.sleep(0.4)
        asked.answer(approve("you"))
        assert (await one.ended(call_id)).outcome is Outcome.OK


async def test_cancelling_before_anything_was_sent_sends_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with trusted("--record", str(record)) as one:
        early = one.begin("read_thing")
        one.engine.cancel(early)
        call = await one.ended(early)
        assert (call.outcome, call.sent) == (Outcome.CANCELLED, False)
        PROSE.holds("cancelled: before it was sent", call.reason)
        one.engine.approver = asked = Asked()
        late = one.begin("delete_thing")
        await asked.question()
        one.engine.cancel(late)
        call = await one.ended(late)
        assert (call.status, call.reason) == ("denied by you", "cancelled")
    assert recorded(record) == []


async def test_cancelling_a_running_call_keeps_what_arrives_late(tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    async with trusted("--received", str(wire)) as one:
        call_id = await running(one, "late_after_cancel")
        one.engine.cancel(call_id)
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
        assert (call.outcome, call.sent) == (Outcome.CANCELLED, True)
        PROSE.holds("cancelled: the server was asked to stop", call.reason)
        await one.watch.call(call_id, lambda call: call.late is not None)
        call = one.engine.calls[call_id]
        PROSE.holds("status: a late response", call.status)
        assert call.outcome is Outcome.CANCELLED
        one.engine.cancel(call_id)
    told = [m for m in received(wire) if m.get("method") == "notifications/cancelled"]
    assert len(told) == 1


@pytest.mark.parametrize("name", ["die_of_cancel", "never"])
async def test_what_was_cancelled_is_not_lost_where_the_connection_breaks(name: str) -> None:
    async with trusted() as one:
        call_id = await running(one, name)
        if name == "never":
            one.engine.link.kill()
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
        await one.watch.until(lambda: not one.engine.server.is_open)
        advice = one.engine.advice(call)
    assert (call.outcome, call.sent) == (Outcome.CANCELLED, True)
    PROSE.holds("cancelled: the connection broke", call.reason)
    assert call.status == "cancelled; cancel sent"
    PROSE.holds("advice: cancelled", advice.reason)
    assert "lost" not in advice.reason


async def test_a_connection_that_breaks_while_it_is_cancelled_is_no_lost_call() -> None:
    """The end of the connection is heard of first, and the cancelling came before it."""
    async with trusted() as one:
        call_id = await running(one, "never")
        # A server that cannot answer costs no other call.
        assert (await one.call("echo")).outcome is Outcome.OK
        assert not one.engine.calls[call_id].is_over
        one.engine._call_manager._call_tasks[call_id]._updates.change(cancel_requested=True)
        one.engine.link.kill()
        call = await one.ended(call_id)
    assert (call.outcome, call.sent) == (Outcome.CANCELLED, True)
    PROSE.holds("cancelled: the connection broke while it was", call.reason)


async def test_closing_while_a_call_runs_cancels_it_on_the_wire(tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    async with trusted("--received", str(wire)) as one:
        call_id = await running(one, "never")
        start = time.monotonic()
    assert time.monotonic() - start < 40
    call = one.engine.calls[call_id]
    assert (call.outcome, call.reason) == (Outcome.CANCELLED, "Signoff is closing")
    assert received(wire)[-1]["method"] == "notifications/cancelled"


@pytest.mark.slow
async def test_ugly_progress_becomes_findings_once_and_the_log_is_bounded() -> None:
    async with trusted() as one:
        call = await one.call("progress_not_a_number")
        assert call.outcome is Outcome.OK
        codes = [finding.code for finding in call.findings]
        assert codes.count("progress-unreadable") == 1
        flood = await one.call("progress_flood")
    assert flood.progress.count == 10_000
    assert len(flood.progress_log) == ProgressLog.KEPT
    assert flood.progress.words == "9999/10000"
    assert flood.progress_log[-1] == flood.progress
    assert one.engine.progress_count < 1_000
    assert len(one.watch.of(CallChanged)) < 100


async def test_calls_run_side_by_side_and_keep_their_answers_apart() -> None:
    async with trusted() as one:
        ids = [one.begin("echo", text=str(number)) for number in range(40)]
        calls = [await one.ended(call_id) for call_id in ids]
    texts = [call.answer.parts[0].text for call in calls if call.answer]
    assert texts == [str(number) for number in range(40)]
    assert len(set(ids)) == 40


async def test_arguments_that_json_cannot_carry_are_refused_at_once() -> None:
    async with trusted() as one:
        with pytest.raises(ValueError, match="JSON"):
            one.begin("echo", number=float("nan"))
        assert one.engine.calls == {}


@pytest.mark.slow
@pytest.mark.parametrize("limits", [CallLimits(idle=1.0), CallLimits(absolute=1.0)])
async def test_no_limit_runs_while_the_whole_program_stands_still(limits: CallLimits) -> None:
    async with trusted(limits=limits) as one:
        call_id = await running(one, "never")
        # What a shell does with the job: the loop runs no more than anything else.
        time.sleep(1.5)
        one.engine.resumed_after(1.5)
        await asyncio.sleep(0.1)
        assert not one.engine.calls[call_id].is_over
        call = await one.engine.ended(call_id)
        assert call.outcome is Outcome.TIMEOUT
