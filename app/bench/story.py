"""One call from draft to verdict, told the same way whoever decides."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signoff.app.bench.judging import first_verdict, judge, question, question_of_answer
from signoff.app.bench.occasion import Occasion
from signoff.app.bench.patience import Patience
from signoff.app.bench.reports import Reports
from signoff.app.bench.sending import Ears, Sending
from signoff.app.bench.surroundings import Approver, Surroundings
from signoff.app.core.answers.comparison import compare_answers
from signoff.app.core.answers.content import Answer, read_answer
from signoff.app.core.answers.known_errors import explain
from signoff.app.core.answers.resources import read_contents
from signoff.app.core.answers.unfinished import (
    ASKED,
    CANNOT_ANSWER,
    Unfinished,
    read_unfinished,
    words_of_request,
)
from signoff.app.core.approvals.approval import (
    BY_REMEMBERED_APPROVAL,
    BY_REMEMBERED_DENIAL,
    ONCE,
    Decision,
    DecisionAnswer,
    approve,
    deny,
    withdrawn,
)
from signoff.app.core.approvals.grants import Scope
from signoff.app.core.approvals.questions import Question, offers
from signoff.app.core.approvals.snapshot import Snapshot
from signoff.app.core.auditing.asked_events import asked
from signoff.app.core.auditing.audit_events import decided, denied_for_session, ended, sent
from signoff.app.core.auditing.audit_events import grant as grant_event
from signoff.app.core.calls import Call, CallName, Comparison, Outcome, State
from signoff.app.core.checks import (
    although_invalid_words,
    argument_problems,
    outcome_of,
    schema_findings,
    verdict_without_checking,
)
from signoff.app.core.findings import Finding, error, note, warning
from signoff.app.core.forms.entries import Origin
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.policies.policy import Verdict, VerdictAnswer
from signoff.app.core.requests import Request, ResourceRead, ToolCall
from signoff.app.faults import note_fault
from signoff.app.link.events import Reply
from signoff.app.link.greeting import describe
from signoff.app.link.worker import judge_arguments_in_worker, judge_in_worker

FINDINGS_KEPT = 50
ASKED_MAX = 10
"""Methods of a server's own requests that are told of at one call."""
TELLING_SECONDS = 1 / 15
"""Progress is told at most so often; a screen draws it a dozen times a second."""
MAYBE_DONE = "it may have done its work anyway"
NOT_JUDGED = "cancelled before it was judged"


class Story:
    """Tells one call. `call` is its newest state."""

    def __init__(
        self,
        around: Surroundings,
        name: CallName,
        request: Request,
        snapshot: Snapshot,
        origins: Mapping[str, Origin],
        occasion: Occasion,
    ) -> None:
        self._around = around
        self._origins = dict(origins)
        self._voided: asyncio.Future[str] | None = None
        self._judging: asyncio.Task[tuple[Verdict, list[str]]] | None = None
        self._asking: asyncio.Task[Reply] | None = None
        self._patience: Patience | None = None
        self._was_asked = False
        self._asked_for: set[str] = set()
        self._reports: Reports | None = None
        """What came of progress, once something did."""
        self._telling: asyncio.TimerHandle | None = None
        """The next time that the newest progress is told."""
        self._occasion = occasion
        self._although_invalid = ""
        verdict = first_verdict(around, request)
        self.call = Call(
            name,
            request,
            snapshot,
            verdict,
            created=time.monotonic(),
            retry_of=occasion.retry_of,
            although_invalid=occasion.although_invalid,
            page=occasion.page,
        )

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Who put each top-level argument there, as far as that is known."""
        return self._origins

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
            for task in (self._judging, self._asking):
                if task is not None:
                    task.cancel()

    def was_away(self, seconds: float) -> None:
        """The program stood still for so long; that counts for no time limit."""
        if self._patience is not None:
            self._patience.delay(seconds)
        self._tell_progress()
        self.call = replace(self.call, pace=self.call.pace.delayed(seconds))
        self._reports = None

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
            words = note_fault(problem, "while it told the story of a call")
            if not self.call.is_over:
                self._end(Outcome.FAULT, words)
        finally:
            self._around.ledger.write(ended(self.call, self._around.server))
            self._around.memory.arguments.note(self.call)
        return self.call

    async def _tell(self) -> None:
        decision = await self._judge_and_decide()
        self._change(decision=decision)
        is_logged = await self._log_decision(decision)
        if decision.answer is not DecisionAnswer.APPROVE:
            self._remember_denial(decision)
            if decision.reason == NOT_JUDGED:
                outcome, reason = Outcome.CANCELLED, "before it was sent"
            elif decision.answer is DecisionAnswer.WITHDRAWN:
                outcome, reason = Outcome.NOT_SENT, decision.reason
            else:
                outcome, reason = Outcome.DENIED, decision.reason
            self._end(outcome, reason)
            return
        if not is_logged and self.call.request.effect.may_destroy:
            self._refuse(f"it could not be logged: {self._around.ledger.problem}")
            return
        if self.call.cancel_requested:
            self._end(Outcome.CANCELLED, "before it was sent")
            return
        await self._send()

    async def _judge_and_decide(self) -> Decision:
        """Judging can take seconds: it stops at once where the call is cancelled meanwhile."""
        if self.call.cancel_requested:
            return deny("you", NOT_JUDGED)
        self._judging = asyncio.create_task(self._judge())
        try:
            await asyncio.wait({self._judging})
        except asyncio.CancelledError:
            self._judging.cancel()
            await asyncio.wait({self._judging}, timeout=1)
            raise
        if self._judging.cancelled():
            return deny("you", NOT_JUDGED)
        return await self._decide(*self._judging.result())

    async def _log_decision(self, decision: Decision) -> bool:
        """On disk before anything leaves that was asked about, or that may destroy."""
        ledger, event = self._around.ledger, decided(self.call, decision, self._around.server)
        if self._was_asked or self.call.request.effect.may_destroy:
            return await ledger.write_through(event)
        return ledger.write(event)

    async def _judge(self) -> tuple[Verdict, list[str]]:
        """The verdict, and how the arguments break their schema."""
        await self._around.turns.wait()
        await self._around.compared()
        runs = await self._around.what_runs()
        self.call = replace(self.call, snapshot=replace(self.call.snapshot, runs=runs))
        request, snapshot = self.call.request, self.call.snapshot
        schema = request.definition.input_schema
        checked = await judge_arguments_in_worker(schema, snapshot.arguments())
        problems = argument_problems(checked)
        if self.call.although_invalid:
            self._although_invalid = although_invalid_words(checked)
            self._change(although_invalid=bool(self._although_invalid))
        self._find(*(warning("arguments-break-schema", problem) for problem in problems))
        verdict = await judge(
            self._around, request, snapshot, problems, self._occasion.counts_after
        )
        self._change(verdict=verdict)
        return verdict, problems

    async def _decide(self, verdict: Verdict, problems: list[str]) -> Decision:
        around = self._around
        if not around.sends:
            return deny("script", "--approve never")
        if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
            by = BY_REMEMBERED_DENIAL if verdict.denied_before else "policy"
            return deny(by, "; ".join(verdict.reasons))
        if what := around.definitions.change_of(self.call.request):
            return withdrawn(f"the tool {what}: look at it again before you call it")
        if verdict.answer is VerdictAnswer.ALLOW:
            by = "policy" if verdict.grant_id is None else BY_REMEMBERED_APPROVAL
            return approve(by, "; ".join(verdict.reasons))
        if self.call.cancel_requested:
            return deny("you", "cancelled before it was asked")
        if not around.server.is_open:
            return withdrawn("the server is not connected")
        self._change(state=State.ASKING)
        asked_about = await question(
            around,
            self.call,
            verdict,
            self._origins,
            problems,
            although_invalid=self._although_invalid,
        )
        around.ledger.write(asked(asked_about))
        self._was_asked = True
        return await self._ask(asked_about)

    async def _ask(self, asked_about: Question) -> Decision:
        """Ask once. The first of an answer and a voiding counts; what comes later is nothing."""
        around = self._around
        self._voided = asyncio.get_running_loop().create_future()
        asking = asyncio.create_task(_answer_of(around.approver, asked_about))
        either: set[asyncio.Future[Any]] = {asking, self._voided}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            asking.cancel()
            raise
        if self._voided.done():
            reason = self._voided.result()
            around.question_voided(self.call.name, reason)
            return deny("you", reason) if reason == "cancelled" else withdrawn(reason)
        self._voided.cancel()
        return asking.result()

    def _remember_denial(self, decision: Decision) -> None:
        if self._was_asked and decision.by == "you" and decision.for_session:
            self._around.memory.deny_for_session(self.call.request)
            self._around.ledger.write(denied_for_session(self.call, self._around.server))

    def _remember_approval(self) -> None:
        """What a person approved for more than this call, once the call was sent."""
        around, call, decision = self._around, self.call, self.call.decision
        if not self._was_asked or decision is None or decision.by != "you":
            return
        around.memory.approved(call.request, call.snapshot.runs)
        remember = decision.remember if decision.remember in offers(call.request) else ONCE
        grant = around.memory.remember(call.snapshot, remember)
        if grant is not None:
            around.ledger.write(grant_event("grant-given", grant))
        elif decision.remember.scope is not Scope.ONCE:
            runs = call.snapshot.runs
            why = around.memory.problem or (runs.problem if runs else "") or "the store failed"
            if remember is ONCE:
                why = "nothing that wide is remembered of a read"
            self._find(error("not-remembered", f"the approval was not remembered: {why}"))

    async def _send(self) -> None:
        if not self._around.server.is_open:
            self._refuse("the server is not connected")
            return
        ears = Ears(self._on_sent, self._on_progress, self._on_late, self._find)
        sending = Sending(
            self._around, self.call.request, self.call.snapshot, ears, was_asked=self._was_asked
        )
        self._change(state=State.WAITING)
        self._asking = asyncio.create_task(sending.exchange())
        try:
            reply = await self._wait(self._asking)
        except asyncio.CancelledError:
            self._asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({self._asking}, timeout=1)
            raise
        if sending.refused_because and not self.call.sent:
            self._refuse(sending.refused_because, is_too_late=sending.is_too_late)
        elif reply is not None:
            await self._around.turns.wait()
            await self._take(reply)

    async def _wait(self, asking: asyncio.Task[Reply]) -> Reply | None:
        """The reply, or None where a time limit or a cancellation ended the call."""
        patience = self._patience = Patience(self._around.limits)
        while not asking.done():
            overdue = patience.overdue
            if overdue is not None:
                self._change(cancel_requested=True)
                asking.cancel()
                await asyncio.wait({asking}, timeout=5)
                limit = f"{overdue.limit} time limit of {overdue.seconds:g} s"
                self._end(Outcome.TIMEOUT, f"{limit}; cancel requested")
                return None
            await asyncio.wait({asking}, timeout=patience.rest)
        if asking.cancelled():
            told = f"the server was told; {MAYBE_DONE}"
            self._end(Outcome.CANCELLED, told if self.call.sent else "before it was sent")
            return None
        return asking.result()

    async def _take(self, reply: Reply) -> None:
        if reply.lost and self.call.cancel_requested:
            # Whoever cancelled waits for no answer: that none can come any more changes nothing.
            why = f": {reply.problem}" if reply.problem else ""
            told = f"the connection broke after that{why}; {MAYBE_DONE}"
            self._end(Outcome.CANCELLED, told if self.call.sent else "before it was sent")
        elif reply.lost:
            what = "what the call did is not known" if self.call.sent else "nothing was sent"
            why = f"{reply.problem}; " if reply.problem else ""
            self._end(Outcome.CONNECTION_LOST, f"{why}{what}")
        elif reply.error is not None:
            meaning = explain(reply.error, needs_task=self.call.request.definition.reach.needs_task)
            said = describe(reply.error)
            self._change(error=reply.error)
            self._end(Outcome.PROTOCOL_ERROR, f"{meaning}: {said}" if meaning else said)
        elif not reply.has_result and not self.call.sent:
            self._refuse(f"it could not be sent: {reply.problem}")
        elif reply.ending == "not-taken":
            self._end(Outcome.NOT_TAKEN, reply.problem)
        elif reply.ending == "server-failed":
            what = "what the call did is not known"
            self._end(Outcome.SERVER_FAILED, f"{reply.problem}; {what}")
        elif not reply.has_result:
            if not self.call.verdict.reviews_result:
                self._change(oversized=reply.oversized)
            self._end(Outcome.UNREADABLE, reply.problem)
        else:
            await self._check(reply.result)

    async def _check(self, raw: JsonValue) -> None:
        if (unfinished := read_unfinished(raw)) is not None:
            self._end_unfinished(unfinished, raw)
            return
        answer = self._read(raw)
        if answer is None:
            self._change(raw=raw)
            self._end(Outcome.UNREADABLE, "the result is not an object")
            return
        answered_at = time.monotonic()
        if self.call.verdict.reviews_result and not await self._may_use(answer):
            self._change(withheld=True)
            self._end(outcome_of(answer)[0], "the answer was withheld", answered_at)
            return
        self._find(*answer.findings)
        outcome, reason = outcome_of(answer)
        self._change(raw=raw, answer=answer, outcome=outcome, reason=reason, ended_at=answered_at)
        definition = self.call.request.definition
        verdict = verdict_without_checking(definition, answer)
        if verdict is None:
            verdict = await judge_in_worker(definition.output_schema, answer.structured)
        self._find(*schema_findings(definition, answer, verdict))
        done = replace(self.call, schema=verdict)
        comparison = (
            compare_answers(self._occasion.again, done)
            if self._occasion.again is not None
            else None
        )
        self._change(schema=verdict, comparison=comparison, state=State.ENDED)

    def _end_unfinished(self, unfinished: Unfinished, raw: JsonValue) -> None:
        """No answer came, so there is nothing in it to judge, or to ask about."""
        self._find(*unfinished.findings)
        is_held_back = self.call.verdict.reviews_result
        ended = replace(self.call, outcome=unfinished.outcome)
        self._change(
            # Nobody is asked about it, so nothing of the server's own words is let through.
            raw=None if is_held_back else raw,
            comparison=compare_answers(self._occasion.again, ended)
            if self._occasion.again is not None
            else None,
        )
        self._end(unfinished.outcome, unfinished.summary if is_held_back else unfinished.reason)

    def _comparison(self, done: Call) -> Comparison | None:
        again = self._occasion.again
        return compare_answers(again, done) if again is not None else None

    def _read(self, raw: JsonValue) -> Answer | None:
        match self.call.request:
            case ResourceRead():
                return read_contents(raw, str(self.call.snapshot.arguments()["uri"]))
            case ToolCall():
                return read_answer(raw)

    async def _may_use(self, answer: Answer) -> bool:
        """Ask about the answer, as hosts do that do not trust what comes from an open world."""
        around = self._around
        self._change(state=State.REVIEWING)
        asked_about = question_of_answer(around, self.call, answer)
        around.ledger.write(asked(asked_about))
        decision = await self._ask(asked_about)
        self._change(result_decision=decision)
        around.ledger.write(decided(self.call, decision, around.server))
        return decision.answer is DecisionAnswer.APPROVE

    def _refuse(self, reason: str, *, is_too_late: bool = False) -> None:
        """Signoff itself does not send, whatever was decided."""
        if is_too_late:
            self._change(is_too_late=True)
        self._end(Outcome.NOT_SENT, reason)

    def _end_at_exit(self) -> None:
        if self.call.decision is None:
            self._refuse("Signoff is closing")
        else:
            self._end(Outcome.CANCELLED, "Signoff is closing")

    def _on_sent(self) -> None:
        """What was approved leaves in this moment."""
        now = time.monotonic()
        self._hear()
        self._change(state=State.RUNNING, sent_at=now)
        self._around.ledger.write(sent(self.call, self._around.server))
        asyncio.get_running_loop().call_soon(self._remember_approval)

    def _hear(self) -> None:
        if self._patience is not None:
            self._patience.hear()

    def _on_progress(self, params: JsonValue) -> None:
        now = time.monotonic()
        self._hear()
        if self._reports is None:
            self._reports = Reports(self.call)
            # The first one at once; of those that come soon after it the newest is told.
            findings = self._reports.take(now, params)
            self._tell_progress()
        else:
            findings = self._reports.take(now, params)
            if self._telling is None:
                loop = asyncio.get_running_loop()
                self._telling = loop.call_later(TELLING_SECONDS, self._tell_progress)
        self._find(*findings)

    def _tell_progress(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        if self._reports is not None and self._reports.is_news:
            self.call = self._reports.put_into(self.call)
            self._around.publish_progress(self.call)

    @property
    def is_running(self) -> bool:
        """Whether it was sent and waits for its answer."""
        return self.call.state is State.RUNNING

    def hear_request(self, method: str, params: JsonValue) -> None:
        """The server asked for something meanwhile, and was told that nobody answers it.

        Once for each thing that is asked for, and for a few of them: some ask again and again.
        """
        if method in self._asked_for or len(self._asked_for) >= ASKED_MAX:
            return
        self._asked_for.add(method)
        kind = ASKED.get(method, "")
        if self.call.verdict.reviews_result:
            wanted = kind or "something"
        else:
            wanted = words_of_request(method, params)
        words = f"while the call ran, the server asked for {wanted}: {CANNOT_ANSWER}"
        self._find(warning("asked-by-server", words))
        self._around.publish(self.call)

    def _on_late(self, raw: JsonValue) -> None:
        self._find(note("late-answer", "an answer arrived after the call had ended here"))
        if self.call.verdict.reviews_result:
            # Nobody was asked about it, and nobody will be.
            self._change(withheld=True)
        else:
            self._change(late=raw)

    def _find(self, *findings: Finding) -> None:
        if findings:
            self._tell_progress()
            kept = (*self.call.findings, *findings)[:FINDINGS_KEPT]
            self.call = replace(self.call, findings=kept)

    def _change(self, **changes: Any) -> None:
        self._tell_progress()
        self.call = replace(self.call, **changes)
        self._around.publish(self.call)

    def _end(self, outcome: Outcome, reason: str, at: float | None = None) -> None:
        ended_at = time.monotonic() if at is None else at
        self._change(state=State.ENDED, outcome=outcome, reason=reason, ended_at=ended_at)


async def _answer_of(approver: Approver, question: Question) -> Decision:
    """The approver's decision; where it fails to decide, nothing is sent."""
    try:
        return await approver.ask(question)
    except Exception as problem:
        fault = note_fault(problem, "while it asked a question")
        return withdrawn(f"the question could not be asked: {fault}")
