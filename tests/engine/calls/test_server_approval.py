"""Denials and late approvals by a server: how a call ends, what goes out, and what never does."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.calls.call import Call, Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.calls.evaluate_policy import first_verdict
from signoff.app.engine.events import CallChanged
from signoff.app.presentation.calls import facts
from signoff.app.protocol.extensions.denials import CONTEXT_ID, ENVELOPE, Remediation
from signoff.app.protocol.extensions.late_approval import DISPOSITION, Disposition
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import Trust
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.transport.events import Answered, Listing, Reply
from signoff.app.transport.peer import PendingRequest
from signoff.app.transport.protocol import MODERN
from tests.engine.bundled import bundled
from tests.engine.opened import Approves, Opened

ON = frozenset({"tool-approval", "structured-authorization-denials"})
GIVEN = {"to": "Ada", "amount": 500}
PENDING: dict[str, JsonValue] = {
    "reason": "insufficient_authorization",
    "remediation": "available",
    "remediationHints": [{"type": "task"}],
}


@contextlib.asynccontextmanager
async def on(**more: Any) -> AsyncIterator[Opened]:
    """The bundled server with both drafts, and a person who approves at once."""
    async with bundled(MODERN, experimental=ON, **more) as one:
        one.engine.approver = Approves()
        yield one


def codes(call: Call) -> list[str]:
    return [one.code for one in call.findings]


def sent(one: Opened, method: str) -> list[dict[str, Any]]:
    """The params of each request of a method that left."""
    found = []
    for frame in one.engine.link.wire.since(0):
        if frame.sender == CLIENT and frame.raw:
            message = json.loads(frame.raw)
            if message.get("method") == method:
                found.append(message["params"])
    return found


class Scripted:
    """Stands for the server: the reply to each call, then the statuses of a task."""

    def __init__(self, one: Opened, replies: Sequence[Reply], states: Sequence[Answered]) -> None:
        self.calls: list[dict[str, JsonValue]] = []
        self.methods: list[str] = []
        self.at_first_look: Callable[[], None] = lambda: None
        """Called before the first status of a task is returned."""
        self._ask = one.engine.link.ask
        self._link, self._replies, self._states = one.engine.link, list(replies), list(states)

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        pending.gate({"method": pending.method, "params": params})
        self.calls.append(params)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    async def ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None = 30
    ) -> Answered:
        self.methods.append(method)
        if not method.startswith("tasks/"):
            return await self._ask(method, params, seconds)
        if method != "tasks/get":
            return {}
        self.at_first_look()
        self.at_first_look = lambda: None
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]


def play(
    one: Opened, patch: pytest.MonkeyPatch, *replies: Reply, states: Sequence[Answered] = ({},)
) -> Scripted:
    found = Scripted(one, replies, states)
    patch.setattr(one.engine.link, "request", found.request)
    patch.setattr(one.engine.link, "ask", found.ask)
    return found


def status(word: str = "working", envelope: JsonValue = None, **more: Any) -> dict[str, JsonValue]:
    meta: dict[str, JsonValue] = {} if envelope is None else {"_meta": {ENVELOPE: envelope}}
    return {"taskId": "t", "status": word, "ttlMs": None, "pollIntervalMs": 1, **meta, **more}


def created(envelope: JsonValue = None) -> Reply:
    return Reply(result={"resultType": "task", **status(envelope=envelope)}, has_result=True)


def final(*, is_error: bool = True, **meta: JsonValue) -> dict[str, JsonValue]:
    return {
        "resultType": "complete",
        "content": [{"type": "text", "text": "words"}],
        "isError": is_error,
        "_meta": {
            {"envelope": ENVELOPE, "disposition": DISPOSITION}[name]: value
            for name, value in meta.items()
        },
    }


def replied(result: dict[str, JsonValue]) -> Reply:
    return Reply(result=result, has_result=True)


@pytest.fixture
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


async def test_a_late_approval_is_waited_for_and_a_denial_is_no_success() -> None:
    async with on() as one:
        call = await one.call("transfer_after_approval", **GIVEN)
        changes = [each.call for each in one.watch.of(CallChanged)]
        waiting = [each for each in changes if each.task and each.task.awaits_approval]
        assert len(sent(one, "tools/call")) == 1
        denied = await one.call("transfer_after_approval", to="Ada", amount=5_000)
        pending = await one.call("transfer_although_pending", **GIVEN)
    assert (call.outcome, call.disposition) == (Outcome.OK, Disposition.EXECUTED)
    assert call.denial is None
    assert waiting
    for each in waiting:
        # A pending call is no success, and is shown as what it is.
        assert each.outcome is None
        assert "approval" in each.status
        assert each.denial is not None
    assert (denied.outcome, denied.disposition) == (Outcome.TOOL_ERROR, Disposition.NOT_EXECUTED)
    assert denied.denial is not None
    assert denied.denial.remediation is Remediation.UNAVAILABLE
    assert codes(call) == codes(denied) == []
    assert {"denial", "approval"} <= {fact.label for fact in facts(denied)}
    # Nor is a success that means pending.
    assert pending.outcome is Outcome.TOOL_ERROR
    assert not pending.is_fine
    assert codes(pending).count("denial-contradicts") == 2


async def test_hints_lead_nowhere_and_the_log_has_no_word_of_the_server(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    async with on(log=log) as one:
        one.engine.approver = approver = Approves()
        elsewhere = await one.call("read_payroll_elsewhere")
        hidden = await one.call("read_payroll_hidden")
        assert [each["name"] for each in sent(one, "tools/call")] == [
            "read_payroll_elsewhere",
            "read_payroll_hidden",
        ]
        assert approver.questions == []
    assert codes(elsewhere) == ["denial-leads-elsewhere"] * 2
    assert codes(hidden) == ["hidden-characters"]
    shown = " ".join(each.words for each in facts(hidden))
    assert "\u202e" not in shown
    assert "U+202E" in shown
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    event = next(each for each in records if each["event"] == "ended")
    assert event["denial"] == {"remediation": "available", "hints": ["authorization_remediation"]}
    assert elsewhere.denial is not None
    written = json.dumps(event)
    assert elsewhere.denial.handle not in written
    assert "login.example.net" not in written


async def test_a_call_after_a_denial_is_asked_about_and_carries_its_handle() -> None:
    async with on() as one:
        one.engine.approver = approver = Approves()
        first = await one.call("read_payroll")
        # Read-only by a trusted server: without the denial before it would run unasked.
        assert approver.questions == []
        tool = one.tool("read_payroll")
        verdict = first_verdict(one.engine, ToolCall(tool), {}, ())
        assert verdict.answer is VerdictAnswer.ALLOW
        foreseen = one.engine.foreseen(tool, {}, (), verdict)
        assert foreseen.answer is VerdictAnswer.ASK
        second = await one.call("read_payroll")
        assert len(approver.questions) == 1
        assert first.denial is not None
        assert "handle" in second.verdict.reasons[0]
        metas = [each["_meta"].get(CONTEXT_ID) for each in sent(one, "tools/call")]
        assert metas == [None, first.denial.handle]
        one.engine.sends = False
        await one.call("read_payroll")
        assert len(sent(one, "tools/call")) == 2, "denied here, it sends no handle"


async def test_the_visit_of_a_denial_is_the_usual_question_and_the_handle_goes_along() -> None:
    async with on() as one:
        one.engine.approver = approver = Approves()
        call = await one.call("open_folder")
        assert len(approver.questions) == 1
        first, second = sent(one, "tools/call")
        assert second["_meta"][CONTEXT_ID].startswith("authzctx_")
        assert CONTEXT_ID not in first["_meta"]
    assert (call.outcome, call.denial, call.rounds) == (Outcome.OK, None, 2)
    # The server compares it with the handle of its denial.
    assert "came back" in json.dumps(call.raw)


async def test_the_handle_goes_along_only_where_its_draft_is_turned_on(
    patch: pytest.MonkeyPatch,
) -> None:
    envelope: JsonValue = {
        **PENDING,
        "authorizationContextId": "h",
        "remediationHints": [{"type": "url"}],
    }
    asks: dict[str, JsonValue] = {"resultType": "input_required", "requestState": "s"}
    first = replied({**asks, "_meta": {ENVELOPE: envelope}})
    last = replied(final(is_error=False))
    for names, wanted in (({"tool-approval"}, [None, None]), (ON, [None, {CONTEXT_ID: "h"}])):
        async with bundled(MODERN, experimental=names) as one:
            server = play(one, patch, first, last)
            await one.call("fail_politely")
            assert [each.get("_meta") for each in server.calls] == wanted


async def test_without_the_drafts_nothing_of_them_is_offered_sent_or_read(
    patch: pytest.MonkeyPatch,
) -> None:
    raw = final(is_error=False, envelope=PENDING, disposition="denied-not-executed")
    async with bundled(MODERN) as one:
        names = {each.name for each in one.engine.tools}
        assert not names & {"transfer_after_approval", "read_payroll", "open_folder"}
        written = json.dumps(one.engine.server.capabilities)
        assert "approval" not in written
        assert "denials" not in written
        play(one, patch, replied(raw))
        call = await one.call("fail_politely")
    assert (call.outcome, call.denial, call.disposition) == (Outcome.OK, None, None)
    assert codes(call) == []


async def test_a_disposition_that_is_unknown_makes_the_next_call_a_question(
    patch: pytest.MonkeyPatch,
) -> None:
    async with on(trust=Trust.UNTRUSTED) as one:
        server = play(one, patch, replied(final(is_error=False, disposition="done")))
        call = await one.call("delete_file", path="notes/a.txt")
        assert call.disposition is Disposition.UNRECOGNISED
        assert codes(call) == ["disposition-unknown"]
        assert call.outcome is Outcome.TOOL_ERROR
        assert call.is_unknown
        assert len(server.calls) == 1
        again = await one.call("delete_file", path="notes/a.txt")
        assert again.verdict.strong
        assert "unknown" in again.verdict.reasons[0]


@pytest.mark.slow
async def test_a_pending_task_that_changes_its_story_is_found_once(
    patch: pytest.MonkeyPatch,
) -> None:
    one_handle = {**PENDING, "authorizationContextId": "one"}
    two_handle = {**PENDING, "authorizationContextId": "two"}
    done = status("completed", result=final(is_error=False))
    states = [status(envelope=two_handle)] * 3 + [status(), done]
    async with on() as one:
        server = play(one, patch, created(one_handle), states=states)
        call = await one.call("delete_file", path="notes/a.txt")
        assert len(server.calls) == 1
    assert codes(call) == ["denial-not-repeated", "denial-not-repeated", "disposition-missing"]
    assert call.outcome is Outcome.OK


@pytest.mark.slow
async def test_a_definition_that_changes_while_a_call_waits_is_shown(
    patch: pytest.MonkeyPatch,
) -> None:
    done = status("completed", result=final(is_error=False, disposition="approved-executed"))
    async with on() as one:
        states = [status(envelope=PENDING)] * 2 + [done]
        server = play(one, patch, created(PENDING), states=states)

        def publish_another() -> None:
            raw = [tool.raw for tool in one.engine.tools]
            others = ({**each, "title": "Other"} for each in raw if isinstance(each, dict))
            one.engine.definitions.take(Listing(tuple(others)))

        server.at_first_look = publish_another
        call = await one.call("delete_file", path="notes/a.txt")
        assert len(server.calls) == 1
    assert codes(call) == ["approval-definition-changed"]
    assert call.outcome is Outcome.OK


async def test_cancelling_a_pending_call_cancels_its_task() -> None:
    async with on(step="5") as one:
        call_id = one.begin("transfer_after_approval", **GIVEN)
        await one.watch.call(call_id, lambda call: call.task and call.task.awaits_approval)
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
        assert len(sent(one, "tasks/cancel")) == 1
    assert call.outcome is Outcome.CANCELLED
    assert call.is_cancel_confirmed
    assert call.denial is None


async def test_a_denial_in_an_error_is_read_and_sends_nothing_back(
    patch: pytest.MonkeyPatch,
) -> None:
    data: JsonValue = {
        "authorization": {"reason": "insufficient_authorization", "authorizationContextId": "h"}
    }
    async with on() as one:
        server = play(one, patch, Reply(error=RpcError(-32098, "no", data)))
        call = await one.call("delete_file", path="notes/a.txt")
        assert call.outcome is Outcome.PROTOCOL_ERROR
        assert call.denial is not None
        assert codes(call) == ["malformed-denial"]
        await one.call("delete_file", path="notes/a.txt")
        assert all("_meta" not in each for each in server.calls)
