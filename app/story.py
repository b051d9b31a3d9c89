"""One call from draft to verdict, told the same way whoever decides."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from app.core.approval import (
    Approvals,
    Decision,
    DecisionAnswer,
    Question,
    Snapshot,
    approve,
    deny,
)
from app.core.calls import Call, CallLimits, Outcome, State
from app.core.checks import (
    argument_problems,
    outcome_of,
    schema_findings,
    verdict_without_checking,
)
from app.core.content import read_answer
from app.core.entries import Origin
from app.core.findings import Finding, error, note, warning
from app.core.jsonio import JsonValue
from app.core.policy import Verdict, VerdictAnswer, cautious
from app.core.progress import advance
from app.core.server import Server
from app.core.tools import ToolDefinition
from app.link import Link
from app.link.calls import PendingCall, SendRefused
from app.link.events import Reply
from app.link.greeting import describe
from app.link.worker import judge_in_worker

FINDINGS_KEPT = 50
PROGRESS_KEPT = 1_000


class Approver(Protocol):
    """Whoever answers questions: the dialog, a line on a terminal, the policy, a script."""

    async def ask(self, question: Question) -> Decision:
        """Answer one question. Anything but a decision to approve sends nothing."""


class Surroundings(Protocol):
    """What a story needs of the bench."""

    server: Server
    link: Link
    approver: Approver
    approvals: Approvals
    limits: CallLimits
    sends: bool

    async def refresh_definitions(self) -> bool:
        """List the tools again if the server has said that they changed; False where it failed."""

    def definition_digest(self, tool: ToolDefinition) -> str | None:
        """The digest of the tool as the server lists it now; None when it is gone."""

    def publish(self, call: Call) -> None:
        """The call changed."""

    def publish_progress(self, call: Call) -> None:
        """Only the progress of the call changed."""

    def question_voided(self, call_id: int, reason: str) -> None:
        """A question is closed without an answer of its approver."""


class Story:
    """Tells one call. `call` is its newest state."""

    def __init__(
        self,
        around: Surroundings,
        call_id: int,
        tool: ToolDefinition,
        snapshot: Snapshot,
        origins: Mapping[str, Origin],
    ) -> None:
        self._around = around
        self._origins = dict(origins)
        self._voided: asyncio.Future[str] | None = None
        self._sending: asyncio.Task[Reply] | None = None
        self._last_sign = 0.0
        self._token = ""
        self._refused_because = ""
        verdict = cautious(tool, around.server.trust)
        self.call = Call(call_id, tool, snapshot, verdict, created=time.monotonic())

    def void(self, reason: str) -> None:
        """Close the open question, if there is one: nothing is sent any more."""
        if self._voided is not None and not self._voided.done():
            self._voided.set_result(reason)

    def cancel(self) -> None:
        """Request the cancellation of the call, wherever it stands."""
        if self.call.is_over:
            return
        self.void("cancelled")
        if not self.call.cancel_requested:
            self._change(cancel_requested=True)
            if self._sending is not None:
                self._sending.cancel()

    async def run(self) -> Call:
        """The whole story; returns the ended call. Never raises but for its own cancellation."""
        try:
            await self._tell()
        except asyncio.CancelledError:
            if not self.call.is_over:
                self._end_at_exit()
            raise
        except Exception as problem:
            # A fault of ours must not leave a call that never ends.
            what = f"Signoff failed: {type(problem).__name__}"
            self._end(Outcome.UNREADABLE if self.call.sent else Outcome.DENIED, what)
        return self.call

    async def _tell(self) -> None:
        verdict = await self._judge()
        decision = await self._decide(verdict)
        self._change(decision=decision)
        if decision.answer is not DecisionAnswer.APPROVE:
            self._end(Outcome.DENIED, decision.reason)
            return
        if self.call.cancel_requested:
            self._end(Outcome.CANCELLED, "before it was sent")
            return
        token = self._around.approvals.issue(self.call.snapshot)
        await self._send(token)

    async def _judge(self) -> Verdict:
        tool, snapshot = self.call.tool, self.call.snapshot
        checked = await judge_in_worker(tool.input_schema, snapshot.arguments())
        problems = argument_problems(checked)
        self._find(*(warning("arguments-break-schema", problem) for problem in problems))
        verdict = cautious(tool, self._around.server.trust, problems)
        self._change(verdict=verdict)
        return verdict

    async def _decide(self, verdict: Verdict) -> Decision:
        if not self._around.sends:
            return deny("script", "--approve never")
        if verdict.answer is VerdictAnswer.ALLOW:
            return approve("policy", "; ".join(verdict.reasons))
        if verdict.answer is VerdictAnswer.REFUSE:
            return deny("policy", "; ".join(verdict.reasons))
        if self.call.cancel_requested:
            return deny("you", "cancelled before it was asked")
        if not self._around.server.is_open:
            return deny("signoff", "the server is not connected")
        self._change(state=State.ASKING)
        return await self._ask(verdict)

    async def _ask(self, verdict: Verdict) -> Decision:
        """Ask once. The first of an answer and a voiding counts; what comes later is nothing."""
        around = self._around
        question = Question(
            call_id=self.call.id,
            server_name=around.server.name,
            server_command=around.server.command,
            server_calls_itself=around.server.calls_itself,
            trust=around.server.trust,
            tool=self.call.tool,
            snapshot=self.call.snapshot,
            verdict=verdict,
            origins=self._origins,
        )
        self._voided = asyncio.get_running_loop().create_future()
        asking = asyncio.create_task(_answer_of(around.approver, question))
        either: set[asyncio.Future[Any]] = {asking, self._voided}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            asking.cancel()
            raise
        if self._voided.done():
            reason = self._voided.result()
            around.question_voided(self.call.id, reason)
            return deny("you" if reason == "cancelled" else "signoff", reason)
        self._voided.cancel()
        return asking.result()

    async def _send(self, token: str) -> None:
        if not self._around.server.is_open:
            self._refuse("the server is not connected")
            return
        self._token = token
        self._change(state=State.WAITING)
        self._sending = asyncio.create_task(self._exchange())
        try:
            reply = await self._wait(self._sending)
        except asyncio.CancelledError:
            self._sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({self._sending}, timeout=1)
            raise
        if self._refused_because and not self.call.sent:
            self._refuse(self._refused_because)
        elif reply is not None:
            await self._take(reply)

    async def _exchange(self) -> Reply:
        """Send what was approved and wait for what comes; cancelled as a whole."""
        if not await self._around.refresh_definitions():
            self._refused_because = "the tools changed, and the server does not list them again"
            return Reply(problem=self._refused_because)
        pending = PendingCall(self._on_sending, self._on_progress, self._on_late)
        snapshot = self.call.snapshot
        return await self._around.link.call(pending, snapshot.tool, snapshot.arguments())

    async def _wait(self, sending: asyncio.Task[Reply]) -> Reply | None:
        """The reply, or None where a time limit or a cancellation ended the call."""
        limits = self._around.limits
        end = time.monotonic() + limits.absolute
        while not sending.done():
            now = time.monotonic()
            idle_end = self._last_sign + limits.idle if self.call.sent else end
            rest = min(end, idle_end) - now
            if rest <= 0:
                which = "absolute" if now >= end else "idle"
                seconds = limits.absolute if now >= end else limits.idle
                self._change(cancel_requested=True)
                sending.cancel()
                await asyncio.wait({sending}, timeout=5)
                self._end(Outcome.TIMEOUT, f"{which} time limit of {seconds:g} s; cancel requested")
                return None
            # The idle clock starts with the sending, which may happen at any time from here.
            await asyncio.wait({sending}, timeout=rest if self.call.sent else min(rest, 0.2))
        if sending.cancelled():
            told = "the server was told; it may have done its work anyway"
            self._end(Outcome.CANCELLED, told if self.call.sent else "before it was sent")
            return None
        return sending.result()

    async def _take(self, reply: Reply) -> None:
        if reply.lost:
            self._end(Outcome.CONNECTION_LOST, "what the call did is not known")
        elif reply.error is not None:
            self._change(error=reply.error)
            self._end(Outcome.PROTOCOL_ERROR, describe(reply.error))
        elif not reply.has_result:
            self._end(Outcome.UNREADABLE, reply.problem)
        else:
            await self._check(reply.result)

    async def _check(self, raw: JsonValue) -> None:
        answer = read_answer(raw)
        if answer is None:
            self._change(raw=raw)
            self._end(Outcome.UNREADABLE, "the result is not an object")
            return
        self._find(*answer.findings)
        outcome, reason = outcome_of(answer)
        self._change(
            raw=raw, answer=answer, outcome=outcome, reason=reason, ended_at=time.monotonic()
        )
        verdict = verdict_without_checking(self.call.tool, answer)
        if verdict is None:
            verdict = await judge_in_worker(self.call.tool.output_schema, answer.structured)
        self._find(*schema_findings(self.call.tool, answer, verdict))
        self._change(schema=verdict, state=State.ENDED)

    def _refuse(self, reason: str) -> None:
        """Signoff itself does not send, whatever was decided."""
        self._change(decision=deny("signoff", reason))
        self._end(Outcome.DENIED, reason)

    def _end_at_exit(self) -> None:
        if self.call.decision is None:
            self._refuse("Signoff is closing")
        else:
            self._end(Outcome.CANCELLED, "Signoff is closing")

    def _on_sending(self, params: JsonValue) -> None:
        """The last gate: what is written is what was approved, once, under the same definition."""
        around, snapshot = self._around, self.call.snapshot
        given = params if isinstance(params, dict) else {}
        token, self._token = self._token, ""
        current = around.definition_digest(self.call.tool)
        if not around.approvals.redeem(token, snapshot, current):
            self._stop_sending(
                "the tool definition changed since it was approved"
                if current != snapshot.definition_digest
                else "one approval covers one sending"
            )
        if given.get("name") != snapshot.tool or not snapshot.same_arguments(
            given.get("arguments")
        ):
            self._stop_sending("what was about to be sent is not what was approved")
        self._last_sign = time.monotonic()
        self._change(state=State.RUNNING, sent_at=self._last_sign)

    def _stop_sending(self, reason: str) -> NoReturn:
        self._refused_because = reason
        self._find(error("sending-refused", reason))
        raise SendRefused(reason)

    def _on_progress(self, params: JsonValue) -> None:
        self._last_sign = time.monotonic()
        progress, findings = advance(self.call.progress, params)
        known = {finding.code for finding in self.call.findings}
        self._find(*(finding for finding in findings if finding.code not in known))
        log = (*self.call.progress_log[-PROGRESS_KEPT + 1 :], progress)
        self.call = replace(self.call, progress=progress, progress_log=log)
        self._around.publish_progress(self.call)

    def _on_late(self, raw: JsonValue) -> None:
        self._find(note("late-answer", "an answer arrived after the call had ended here"))
        self._change(late=raw)

    def _find(self, *findings: Finding) -> None:
        if findings:
            kept = (*self.call.findings, *findings)[:FINDINGS_KEPT]
            self.call = replace(self.call, findings=kept)

    def _change(self, **changes: Any) -> None:
        self.call = replace(self.call, **changes)
        self._around.publish(self.call)

    def _end(self, outcome: Outcome, reason: str) -> None:
        self._change(state=State.ENDED, outcome=outcome, reason=reason, ended_at=time.monotonic())


async def _answer_of(approver: Approver, question: Question) -> Decision:
    """The approver's decision; a failure to decide is a denial."""
    try:
        return await approver.ask(question)
    except Exception as problem:
        return deny("signoff", f"the question could not be asked: {type(problem).__name__}")
