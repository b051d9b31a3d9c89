"""Runs one call from draft to response: decide, send, check, record.

The effects of a call are observed too: the server's process is watched, its lists are compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

from ...approval.approval import BY_HOST, Decision, DecisionAnswer, approve
from ...approval.snapshot import Snapshot
from ...calls.call import Call, Outcome, State
from ...calls.checks import (
    as_due,
    asking_findings,
    error_findings,
    explain,
    outcome_of,
    schema_findings,
    verdict_without_checking,
)
from ...calls.effects.claims import of_lost
from ...calls.repeats import compare_answers
from ...calls.retries import Unfinished, read_unfinished
from ...content.json.jsonio import JsonValue
from ...content.text import count
from ...hosts.measured.patience import slow_findings
from ...hosts.model_view.fates import halves_findings
from ...protocol.answers.blocks import MALFORMED_BLOCK
from ...protocol.answers.content import Answer, read_answer, read_contents, read_messages
from ...protocol.answers.copies import CallComparison
from ...protocol.clients.findings import answer_findings
from ...protocol.conformance.results import MODERN
from ...protocol.extensions import display_templates, trust_annotations
from ...protocol.extensions.evidence_digests import (
    DigestAnswer,
    DigestCheck,
    check_digests,
    resource_texts,
)
from ...protocol.extensions.trust_annotations import TrustLabels, label_words
from ...protocol.findings.findings import warning
from ...protocol.requests import CallName, PromptGet, Request, ResourceRead, ToolCall
from ...protocol.server_requests.elicitation import visits_in
from ...sandbox.worker import WorkerStopped, judge_in_worker, run_limited
from ...schemas.form.entries import Origin
from ...storage.auditing.events import decided, ended
from ...storage.fault_log import note_fault
from ...transport.events import Reply
from ...transport.greeting import describe
from .call_state import CallUpdater
from .context import CallContext, EngineContext
from .decide import NOT_JUDGED, Decider, Questions, question_of_answer
from .dispatch import MAYBE_DONE, Dispatcher
from .evaluate_policy import first_verdict
from .server_approval import ServerApproval

NOT_RESUMED: Final = (
    "In 2026-07-28 a broken stream loses its request, and a client makes it again with a new id; "
    "Signoff does so only after another approval"
)


FOLLOWED_BY_HOST: Final = "the host follows the task; its effect is not known"
_ANSWERED: Final = (Outcome.OK, Outcome.TOOL_ERROR)


class CallTask:
    """Runs one call: decided, sent and answered, each step by a module of its own."""

    def __init__(
        self,
        engine: EngineContext,
        name: CallName,
        request: Request,
        snapshot: Snapshot,
        origins: Mapping[str, Origin],
        context: CallContext,
    ) -> None:
        self.origins: Mapping[str, Origin] = dict(origins)
        """Who put each top-level argument there, as far as that is known."""
        self._engine = engine
        call = Call(
            name,
            request,
            snapshot,
            first_verdict(engine, request),
            created=time.monotonic(),
            retry_of=context.retry_of,
            although_invalid=context.although_invalid,
            page=context.page,
        )
        self._updates = CallUpdater(engine, call)
        self._questions = Questions(engine, name)
        self._decider = Decider(engine, self._updates, self._questions, self.origins, context)
        server_approval = ServerApproval(engine, self._updates)
        self._dispatcher = Dispatcher(
            engine,
            self._updates,
            self._decider.remember_approval,
            context.old_input,
            server_approval,
            is_relayed=context.is_relayed,
        )
        self._checker = ResponseChecker(
            engine, self._updates, self._questions, context, server_approval
        )

    async def run(self) -> Call:
        """Run the call to its end and return it. Raises nothing but its own cancellation."""
        try:
            if await self._is_approved():
                reply = await self._send()
                if reply is not None:
                    self._note_slowness()
                    await self._engine.turns.wait()
                    await self._checker.check(reply)
        except asyncio.CancelledError:
            if not self.call.is_over:
                self._end_at_exit()
            raise
        except Exception as problem:
            # A fault of ours must not leave a call that never ends.
            words = note_fault(problem, "while a call ran")
            if not self.call.is_over:
                self._updates.end(Outcome.FAULT, words)
        finally:
            self._engine.ledger.write(lambda: ended(self.call, self._engine.server))
            self._engine.memory.arguments.note(self.call)
        return self.call

    @property
    def call(self) -> Call:
        """Its newest state."""
        return self._updates.call

    @property
    def is_running(self) -> bool:
        """True if the call was sent and waits for its response."""
        return self.call.state is State.RUNNING

    def void(self, reason: str) -> None:
        """Close the open question, if there is one: nothing is sent any more."""
        self._questions.void(reason)

    def cancel(self) -> None:
        """Request the cancellation of the call, whatever its state."""
        if self.call.is_over:
            return
        self.void("cancelled")
        if not self.call.cancel_requested:
            self._updates.change(cancel_requested=True)
            self._decider.cancel()
            self._dispatcher.cancel()

    def resumed_after(self, seconds: float) -> None:
        """The program stood still for so long; that counts for no time limit."""
        self._dispatcher.delay(seconds)
        self._updates.delay(seconds)

    def on_server_request(self, method: str, params: JsonValue, reply: str = "") -> None:
        """Note a request that the server made while the call ran; `reply` is in words."""
        self._updates.on_server_request(method, params, reply)

    def on_forbidden_request(self, method: str) -> None:
        """The server sent a request in a revision in which it must not."""
        self._updates.on_forbidden_request(method)

    def on_request_answered(self, words: str) -> None:
        """Note that such a request was answered; `words` are Signoff's own."""
        self._updates.on_request_answered(words)

    def waiting_for_person(self) -> AbstractContextManager[None]:
        """Pause the time limits while the server waits for a person."""
        return self._dispatcher.waiting_for_person()

    async def _is_approved(self) -> bool:
        """Decide and log the decision; False ends the call, and nothing is sent."""
        decision = await self._decider.decide()
        self._updates.change(decision=decision)
        is_logged = await self._decider.log(decision)
        if decision.answer is not DecisionAnswer.APPROVE:
            self._decider.remember_denial(decision)
            self._end_unsent(decision)
        elif not is_logged and self.call.request.effect.may_destroy:
            self._updates.refuse(f"the audit log failed: {self._engine.ledger.problem}")
        elif self.call.cancel_requested:
            self._updates.end(Outcome.CANCELLED, "before it was sent")
        return not self.call.is_over

    async def _send(self) -> Reply | None:
        """Send the call, watched; returns the reply, or None if the call has ended."""
        async with watched(self._engine, self._updates):
            return await self._dispatcher.exchange(
                was_asked=self._decider.was_asked,
                is_still_approved=self._decider.is_still_approved,
            )

    def _note_slowness(self) -> None:
        """Note that hosts would have given up on the call; a task is asked for again and again."""
        call = self.call
        if isinstance(call.request, ToolCall) and call.sent and call.task is None:
            self._updates.add_findings(*slow_findings(self._dispatcher.spent))

    def _end_unsent(self, decision: Decision) -> None:
        if decision.reason == NOT_JUDGED:
            self._updates.end(Outcome.CANCELLED, "before it was sent")
        elif decision.answer is DecisionAnswer.WITHDRAWN:
            self._updates.end(Outcome.NOT_SENT, decision.reason)
        else:
            self._updates.end(Outcome.DENIED, decision.reason)

    def _end_at_exit(self) -> None:
        if self.call.decision is None:
            self._updates.refuse("Signoff is closing")
        else:
            self._updates.end(Outcome.CANCELLED, "Signoff is closing")


class WatchedCallTask(CallTask):
    """Follows one call that a host has sent already: nothing is decided on it."""

    async def _is_approved(self) -> bool:
        decision = approve(BY_HOST, "sent by the host without a question of Signoff's")
        self._updates.change(decision=decision)
        await self._decider.log(decision)
        return True

    async def _send(self) -> Reply | None:
        async with watched(self._engine, self._updates):
            return await self._dispatcher.wait_for_relayed(self.call.id)


class ResponseChecker:
    """Ends one call by the reply that came for it."""

    def __init__(
        self,
        engine: EngineContext,
        updates: CallUpdater,
        questions: Questions,
        context: CallContext,
        server_approval: ServerApproval,
    ) -> None:
        self._engine = engine
        self._updates = updates
        self._questions = questions
        self._context = context
        self._server_approval = server_approval

    async def check(self, reply: Reply) -> None:
        """Take in the reply; the call is over afterwards."""
        updates = self._updates
        call = updates.call
        if reply.lost and call.cancel_requested:
            # A person who has cancelled waits for no response: that none can come changes nothing.
            why = f": {reply.problem}" if reply.problem else ""
            reason = f"the connection broke{why}; {MAYBE_DONE}"
            updates.end(Outcome.CANCELLED, reason if call.sent else "before it was sent")
        elif reply.lost:
            what = "its effect is not known" if call.sent else "nothing was sent"
            if call.sent and self._is_not_resumed:
                what = f"{what}. {NOT_RESUMED}"
            why = f"{reply.problem}; " if reply.problem else ""
            updates.end(Outcome.CONNECTION_LOST, f"{why}{what}")
        elif reply.error is not None:
            needs_task = call.request.definition.reach.needs_task
            is_plain = call.task is None and not self._engine.server.runs_tasks
            is_modern = self._engine.server.version == MODERN
            declared = self._engine.link.capabilities.as_json(is_modern=is_modern)
            version = self._engine.server.version
            needs_task = needs_task and is_plain
            meaning = explain(reply.error, declared, needs_task=needs_task, version=version)
            updates.add_findings(*error_findings(reply.error, declared, version))
            description = describe(reply.error)
            updates.change(error=reply.error)
            meaning = self._server_approval.take_error(reply.error) or meaning
            reason = f"{meaning}: {description}" if meaning else description
            updates.end(Outcome.PROTOCOL_ERROR, reason)
            if visits := visits_in(reply.error):
                self._engine.offer_url_elicitation(visits, updates.call)
        elif not reply.has_result and not call.sent:
            updates.refuse(f"not sent: {reply.problem}")
        elif reply.ending == "not-taken":
            updates.end(Outcome.NOT_TAKEN, reply.problem)
        elif reply.ending == "server-failed":
            what = "its effect is not known"
            updates.end(Outcome.SERVER_FAILED, f"{reply.problem}; {what}")
        elif not reply.has_result:
            if not call.verdict.reviews_result:
                updates.change(oversized=reply.oversized)
            updates.end(Outcome.UNREADABLE, reply.problem)
        else:
            await self._check_result(reply)

    @property
    def _is_not_resumed(self) -> bool:
        """True if the stream of a response broke, and the server has no way to go on with it."""
        server = self._engine.server
        return server.is_open and server.version == MODERN and not server.is_started_here

    async def _check_result(self, reply: Reply) -> None:
        updates, raw = self._updates, reply.result
        if (unfinished := read_unfinished(raw, self._engine.link.capabilities)) is not None:
            if why := reply.why_unfinished:
                # The request was of a declared kind; the dialog has shown the problems with it.
                unfinished = replace(unfinished, reason=why, summary=why, findings=())
            self._end_unfinished(unfinished, raw)
            return
        answer = self._read(raw)
        if answer is None:
            updates.change(raw=raw)
            updates.end(Outcome.UNREADABLE, "the result is not an object")
            return
        answered_at = time.monotonic()
        outcome, reason = outcome_of(answer)
        if (denied := self._server_approval.take_result(raw)) and outcome in _ANSWERED:
            # A result that reports success is none, if it means that nothing was performed.
            outcome, reason = Outcome.TOOL_ERROR, denied
        if updates.call.verdict.reviews_result and not await self._may_use(answer):
            updates.change(withheld=True)
            updates.end(outcome, "the response was withheld", answered_at)
            return
        updates.add_findings(*answer.findings)
        labels = self._labels(raw)
        updates.change(
            raw=raw,
            answer=answer,
            labels=labels,
            outcome=outcome,
            reason=reason,
            ended_at=answered_at,
        )
        definition = updates.call.request.definition
        verdict = verdict_without_checking(definition, answer)
        if verdict is None:
            verdict = await judge_in_worker(definition.output_schema, answer.structured)
        updates.add_findings(*schema_findings(definition, answer, verdict))
        updates.add_findings(*asking_findings(answer, self._engine.server.version))
        if isinstance(updates.call.request, ToolCall) and not answer.is_of_unknown_kind:
            malformed = {one.path for one in answer.findings if one.code == MALFORMED_BLOCK}
            updates.add_findings(*answer_findings(raw, malformed))
        if labels is not None and labels.evidence:
            labels = await self._with_digests(labels, raw)
            updates.add_findings(*labels.digest_findings)
        verdict = as_due(answer, verdict)
        comparison = self._comparison(updates.call.later(schema=verdict))
        updates.change(labels=labels, schema=verdict, comparison=comparison, state=State.ENDED)

    async def _with_digests(self, labels: TrustLabels, raw: JsonValue) -> TrustLabels:
        """The labels, with digests of evidence compared as far as their records are held."""
        claims = tuple(one.claim for one in labels.evidence)
        if all(one.not_derivable for one in claims):
            return labels.checked(check_digests(claims, None, {}))
        refs = {one.ref for one in claims if one.ref}
        earlier: dict[str, str] = {}
        for call in self._engine.calls.values():
            request = call.request
            if isinstance(request, ResourceRead) and request.uri in refs and not call.withheld:
                earlier.update(resource_texts(call.raw, request.uri))
        try:
            return labels.checked(await run_limited(check_digests, claims, raw, earlier))
        except WorkerStopped as stopped:
            why = DigestCheck(DigestAnswer.NOT_DERIVED, stopped.reason)
            return labels.checked([why] * len(claims))

    def _labels(self, raw: JsonValue) -> TrustLabels | None:
        """The labels of a result, noted for later calls; None if they are not read."""
        engine, call = self._engine, self._updates.call
        if call.tool is None or trust_annotations.NAME not in engine.server.experimental:
            return None
        labels, findings = trust_annotations.read_labels(raw)
        digest = call.snapshot.arguments_digest
        lost = engine.labels.take(engine.server.name, call.tool, digest, labels)
        if lost:
            words = f"the same call was marked {label_words(lost)} earlier, and is not now"
            findings.append(warning("trust-label-vanished", words, "$._meta"))
        self._updates.add_findings(*findings)
        return labels

    def _end_unfinished(self, unfinished: Unfinished, raw: JsonValue) -> None:
        """No answer came, so there is nothing in it to judge, or to ask about."""
        updates = self._updates
        updates.add_findings(*unfinished.findings)
        if self._context.is_relayed and unfinished.outcome is Outcome.TASK_STARTED:
            unfinished = replace(unfinished, reason=FOLLOWED_BY_HOST, summary=FOLLOWED_BY_HOST)
        if updates.call.task is None:
            # The statuses of a task have its denial.
            self._server_approval.take_round(raw)
        is_held_back = updates.call.verdict.reviews_result
        updates.change(
            # It needs no approval, so none of the server's own words are let through.
            raw=None if is_held_back else raw,
            comparison=self._comparison(updates.call.later(outcome=unfinished.outcome)),
        )
        updates.end(unfinished.outcome, unfinished.summary if is_held_back else unfinished.reason)

    def _comparison(self, done: Call) -> CallComparison | None:
        again = self._context.again
        return compare_answers(again, done) if again is not None else None

    def _read(self, raw: JsonValue) -> Answer | None:
        match self._updates.call.request:
            case ResourceRead():
                return read_contents(raw, str(self._updates.call.snapshot.arguments()["uri"]))
            case PromptGet():
                return read_messages(raw)
            case ToolCall():
                answer = read_answer(raw)
                if answer is None or answer.is_of_unknown_kind:
                    return answer
                if display_templates.NAME in self._engine.server.experimental:
                    answer = _with_display_texts(answer, raw)
                halves = halves_findings(raw, answer.copies)
                return replace(answer, findings=(*answer.findings, *halves)) if halves else answer

    async def _may_use(self, answer: Answer) -> bool:
        """Ask for approval of the response, as hosts do that distrust an open world."""
        engine, updates = self._engine, self._updates
        updates.change(state=State.REVIEWING)
        decision = await self._questions.ask(question_of_answer(engine, updates.call, answer))
        updates.change(result_decision=decision)
        engine.ledger.write(lambda: decided(updates.call, decision, engine.server))
        return decision.answer is DecisionAnswer.APPROVE


def _with_display_texts(answer: Answer, raw: JsonValue) -> Answer:
    """The answer with the server's own line on each part that has one (a draft)."""
    texts, findings = display_templates.display_texts(raw)
    parts = tuple(
        replace(part, annotations=replace(part.annotations, summary=texts[at]))
        if at in texts
        else part
        for at, part in enumerate(answer.parts)
    )
    return replace(answer, parts=parts, findings=(*answer.findings, *findings))


LISTS: Final = (("tools", "name"), ("resources", "uri"), ("prompts", "name"))
"""The lists that are compared, before and after: the capability, which is also the key of the list,
and the property by which two entries are the same.
"""
LIST_SECONDS: Final = 5.0

Lists = Mapping[str, frozenset[str]]


@contextlib.asynccontextmanager
async def watched(engine: EngineContext, updates: CallUpdater) -> AsyncIterator[None]:
    """Watch the server's effects during the call, if it is watched; the call gets them."""
    watch = engine.link.watch
    if watch is None or watch.is_resting:
        yield
        return
    before = await _lists(engine)
    watching = await watch.begin()
    try:
        yield
    finally:
        seen = await watch.end(watching)
        if engine.server.is_open:
            seen = replace(seen, lists=_differences(before, await _lists(engine)))
        else:
            seen = of_lost(seen)
        updates.change(evidence=seen)


async def _lists(engine: EngineContext) -> Lists:
    """The first page of each list that the server has."""
    found = {}
    for key, name in LISTS:
        if key in engine.server.capabilities:
            answer = await engine.link.ask(f"{key}/list", {}, LIST_SECONDS)
            entries = answer.get(key) if isinstance(answer, dict) else None
            if isinstance(entries, list):
                found[key] = frozenset(
                    str(entry.get(name)) for entry in entries if isinstance(entry, dict)
                )
    return found


def _differences(before: Lists, after: Lists) -> tuple[str, ...]:
    """In words of our own, without a name of the server's."""
    words = []
    for key in before:
        if key in after:
            added, removed = after[key] - before[key], before[key] - after[key]
            words += [f"{count(len(added), key[:-1])} more listed"] if added else []
            words += [f"{count(len(removed), key[:-1])} no longer listed"] if removed else []
    return tuple(words)
