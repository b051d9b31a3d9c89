"""Decides whether a call is sent: verdict, approval request, log and memory.

Builds the approval requests for calls, reads and responses; each is answered or voided once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from ...approval.approval import (
    BY_REMEMBERED_APPROVAL,
    BY_REMEMBERED_DENIAL,
    ONCE,
    TAKEN_BACK,
    Decision,
    approve,
    deny,
    withdrawn,
)
from ...approval.grants import Scope
from ...approval.matrix import is_milder
from ...approval.policies.verdicts import Verdict, VerdictAnswer, grant_obstacle
from ...approval.questions.questions import (
    AboutAnswer,
    AboutCall,
    AboutRead,
    Question,
    QuestionName,
    offers,
)
from ...approval.server_questions import AboutElicitation, AboutSampling
from ...approval.sign_in import AboutSignIn
from ...approval.snapshot import Snapshot
from ...calls.call import Call, State
from ...calls.checks import although_invalid_words, argument_problems
from ...calls.retries import repeated_denied
from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...protocol.answers.content import Answer
from ...protocol.clients.findings import argument_rejections
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.extensions import display_templates
from ...protocol.extensions.display_templates import (
    DisplayTemplate,
    branches,
    first_matching,
    tool_template,
)
from ...protocol.extensions.tool_resolution import ResolutionStatus
from ...protocol.findings.findings import error, warning
from ...protocol.requests import CallName, PromptGet, ResourceRead, ToolCall
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import WorkerStopped, judge_arguments_in_worker, run_limited
from ...schemas.form.entries import Origin
from ...storage.auditing.events import Event, asked, decided, denied_for_session
from ...storage.auditing.events import grant as grant_event
from ...storage.auditing.server_events import server_asked
from ...storage.fault_log import note_fault
from .call_state import CallUpdater
from .context import NOT_CONNECTED, Approver, CallContext, EngineContext, task_ttl
from .evaluate_policy import (
    case_of,
    first_verdict,
    judge,
    lets_later_calls_run,
    rules_of,
    seen_of,
    tried_verdict,
)
from .resolving import resolve_call
from .server_approval import MADE_AGAIN, SENT_BACK, denied_before

NOT_JUDGED = "cancelled before it was judged"
REFUSED_BY_SERVER = "tools/resolve refused the arguments"


class Decider:
    """Decides on one call, once."""

    def __init__(
        self,
        engine: EngineContext,
        updates: CallUpdater,
        questions: Questions,
        origins: Mapping[str, Origin],
        context: CallContext,
    ) -> None:
        self.was_asked = False
        """True once the approver was asked to decide on the call."""
        self._engine = engine
        self._updates = updates
        self._questions = questions
        self._origins = origins
        self._context = context
        self._judge_task: asyncio.Task[tuple[Verdict, list[str]]] | None = None
        self._rules: tuple[object, ...] = ()
        """By which it was judged."""
        self._problems: list[str] = []
        self._is_milder = False
        """Resolved hints made the verdict milder."""
        self._although_invalid = ""

    def cancel(self) -> None:
        """Judging can take seconds: it stops at once."""
        if self._judge_task is not None:
            self._judge_task.cancel()

    async def decide(self) -> Decision:
        """Return the decision of the policy or of the approver."""
        if self._updates.call.cancel_requested:
            return deny("you", NOT_JUDGED)
        self._judge_task = asyncio.create_task(self._judge())
        try:
            await asyncio.wait({self._judge_task})
        except asyncio.CancelledError:
            self._judge_task.cancel()
            await asyncio.wait({self._judge_task}, timeout=1)
            raise
        if self._judge_task.cancelled():
            return deny("you", NOT_JUDGED)
        return await self._decide(*self._judge_task.result())

    def is_still_approved(self) -> bool:
        """True if a call sent without approval would still be sent by the current rules.

        A decision that resolved hints made milder ends with the next change of the tools.
        """
        engine, call = self._engine, self._updates.call
        is_stale = self._is_milder and self._is_stale
        if is_stale and self.was_asked:
            return False
        if self.was_asked or (rules_of(engine, call.request) == self._rules and not is_stale):
            return True
        arguments, resolution = call.snapshot.arguments(), None if is_stale else call.resolution
        verdict = first_verdict(engine, call.request, arguments, self._problems, resolution)
        return verdict.answer is VerdictAnswer.ALLOW

    async def log(self, decision: Decision) -> bool:
        """Log the decision: on disk first if a person decided or the tool may destroy."""
        call, ledger = self._updates.call, self._engine.ledger

        def event() -> Event:
            return decided(call, decision, self._engine.server)

        if self.was_asked or call.request.effect.may_destroy:
            return await ledger.write_through(event)
        return ledger.write(event)

    def remember_denial(self, decision: Decision) -> None:
        """Remember a denial that the user gave for more than this call."""
        call = self._updates.call
        if self.was_asked and decision.by == "you" and decision.for_session:
            self._engine.memory.deny_for_session(call.request)
            self._engine.ledger.write(denied_for_session(call, self._engine.server))

    def remember_approval(self) -> None:
        """Remember an approval for more than this call, once the call was sent."""
        engine, call = self._engine, self._updates.call
        decision = call.decision
        if not self.was_asked or decision is None or decision.by != "you":
            return
        engine.memory.approved(call.request, call.snapshot.runs)
        remember = decision.remember if decision.remember in offers(call.request) else ONCE
        grant = engine.memory.remember(call.snapshot, remember)
        if grant is not None:
            engine.ledger.write(grant_event("grant-given", grant))
        elif decision.remember.scope is not Scope.ONCE:
            runs = call.snapshot.runs
            why = engine.memory.problem or (runs.problem if runs else "") or "the store failed"
            if remember is ONCE:
                why = "approvals of a read cannot be remembered that broadly"
            self._updates.add_findings(
                error("not-remembered", f"the approval was not remembered: {why}")
            )

    async def _judge(self) -> tuple[Verdict, list[str]]:
        """The verdict, and how the arguments break their schema."""
        engine, updates = self._engine, self._updates
        await engine.turns.wait()
        await engine.compared()
        runs = await engine.fingerprint()
        ttl = None if self._context.is_relayed else task_ttl(engine, updates.call.request)
        snapshot = updates.call.snapshot
        if runs is not snapshot.runs or ttl != snapshot.task_ttl:
            snapshot = replace(snapshot, runs=runs, task_ttl=ttl)
            updates.call = updates.call.later(snapshot=snapshot)
        request, snapshot = updates.call.request, updates.call.snapshot
        schema = request.definition.input_schema
        checked = await judge_arguments_in_worker(schema, snapshot.arguments())
        problems = argument_problems(checked)
        if updates.call.although_invalid:
            self._although_invalid = although_invalid_words(checked)
            updates.change(although_invalid=bool(self._although_invalid))
        updates.add_findings(*(warning("arguments-break-schema", problem) for problem in problems))
        updates.add_findings(*argument_rejections(checked))
        template = None
        if request.tool is not None and display_templates.NAME in engine.server.experimental:
            template = await template_of(request.tool, snapshot.arguments())
        resolution = await resolve_call(engine, updates, problems)
        if resolution is not None and resolution.status is ResolutionStatus.REFUSED:
            return updates.call.verdict, problems
        after = self._context.counts_after
        verdict = await judge(engine, request, snapshot, problems, after, resolution)
        if resolution is not None and resolution.hints is not None:
            static = await tried_verdict(engine, request, snapshot.arguments(), problems)
            self._is_milder = is_milder(verdict, static) and verdict.grant_id is None
            if engine.server.trust is Trust.TRUSTED or not resolution.is_resolved:
                told = resolution.as_reason(request.hints)
                verdict = replace(verdict, reasons=(told, *verdict.reasons))
        if (before := denied_before(engine, snapshot)) is not None:
            words = MADE_AGAIN if self._context.is_relayed else SENT_BACK
            verdict = repeated_denied(verdict, words.format(before.id))
        self._rules, self._problems = rules_of(engine, request), problems
        updates.change(verdict=verdict, template=template)
        return verdict, problems

    async def _decide(self, verdict: Verdict, problems: list[str]) -> Decision:
        engine, updates = self._engine, self._updates
        if not engine.sends:
            return deny("script", "--approve never")
        if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
            by = BY_REMEMBERED_DENIAL if verdict.denied_before else "policy"
            return deny(by, "; ".join(verdict.reasons))
        resolution = updates.call.resolution
        if resolution is not None and resolution.status is ResolutionStatus.REFUSED:
            return withdrawn(f"{REFUSED_BY_SERVER}: {resolution.reason}")
        if (changed := self._definition_change()) is not None:
            return changed
        if verdict.answer is VerdictAnswer.ALLOW:
            by = "policy" if verdict.grant_id is None else BY_REMEMBERED_APPROVAL
            return approve(by, "; ".join(verdict.reasons))
        if (obstacle := self._obstacle()) is not None:
            return obstacle
        updates.change(state=State.ASKING)
        asked_about = await question(
            engine,
            updates.call,
            verdict,
            self._origins,
            problems,
            although_invalid=self._although_invalid,
        )
        # What came while it was put together has closed no question: none was open.
        if (obstacle := self._obstacle()) is not None:
            return obstacle
        self.was_asked = True
        return await self._questions.ask(asked_about)

    @property
    def _is_stale(self) -> bool:
        """True if the server announced a change of its tools since the hints were resolved."""
        resolution = self._updates.call.resolution
        return resolution is not None and resolution.announced != self._engine.definitions.announced

    def _obstacle(self) -> Decision | None:
        """The decision where no answer could make it be sent any more."""
        engine, call = self._engine, self._updates.call
        if call.cancel_requested:
            return deny("you", "cancelled before it was asked")
        if not engine.server.is_open:
            return withdrawn(NOT_CONNECTED)
        if (changed := self._definition_change()) is not None:
            return changed
        # Also where all is again as it was, as after a new connection.
        closed = self._questions.closed_because
        return withdrawn(closed) if closed else None

    def _definition_change(self) -> Decision | None:
        what = self._engine.definitions.change_of(self._updates.call.request)
        return withdrawn(f"the tool {what}: review it before you call it") if what else None


async def template_of(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue]
) -> DisplayTemplate | None:
    """The template of the first branch that the arguments match, or else that of the tool.

    Without one of a branch nothing is validated. If that takes too long, it is the tool's.
    """
    found = branches(tool.input_schema)
    if any(one.template is not None for one in found):
        schemas = [one.schema for one in found]
        try:
            at = await run_limited(first_matching, schemas, dict(arguments))
        except WorkerStopped:
            at = None
        if at is not None and found[at].template is not None:
            return found[at].template
    return tool_template(tool)


async def question(
    engine: EngineContext,
    call: Call,
    verdict: Verdict,
    origins: Mapping[str, Origin],
    problems: Sequence[str] = (),
    although_invalid: str = "",
) -> Question:
    """Everything that a person needs to decide on a request.

    `problems`: how the arguments break the input schema; `although_invalid`: the sentence about
    them where a person chose to send them so.
    """
    memory = engine.memory
    why_not = memory.problem
    if not why_not and not engine.policy.honours_grants:
        why_not = f"the policy {engine.policy.shown_name} ignores remembered approvals"
    if not why_not and call.snapshot.runs is not None:
        why_not = call.snapshot.runs.problem
    if not why_not:
        # A definition that is approved now no longer counts as changed.
        case = case_of(engine, call.request, call.snapshot.arguments(), problems)
        why_not = grant_obstacle(replace(case, seen=DefinitionStatus.SAME))
    match call.request:
        case ResourceRead() | PromptGet() as read:
            return AboutRead(
                **_common_fields(engine, call, verdict),
                request=read,
                can_remember=not why_not,
                why_not_remembered=why_not,
            )
        case ToolCall(tool) as call_of_tool:
            diff, since = None, ""
            if memory.knows_earlier(tool):
                # Off the loop: both definitions can be large.
                diff, since = await asyncio.to_thread(memory.changes_since_approval, tool)
            return AboutCall(
                **_common_fields(engine, call, verdict),
                request=call_of_tool,
                origins=origins,
                diff=diff,
                diff_since=since,
                seen=memory.seen(tool),
                can_remember=not why_not,
                why_not_remembered=why_not,
                overrides=engine.overrides(tool),
                template=call.template,
                although_invalid=although_invalid,
                resolution=call.resolution,
                argument_problems=tuple(visible(one) for one in problems),
                lets_later_calls_run=await lets_later_calls_run(
                    engine, call_of_tool, call.snapshot.arguments(), problems
                ),
            )


def question_of_answer(engine: EngineContext, call: Call, answer: Answer) -> AboutAnswer:
    """Everything that a person needs to decide on an answer."""
    request = call.request
    return AboutAnswer(
        **_common_fields(engine, call, call.verdict),
        request=request,
        answer=answer,
        seen=seen_of(engine, request),
        overrides={} if request.tool is None else engine.overrides(request.tool),
    )


class _CommonFields(TypedDict):
    """Fields that every approval request has."""

    call: CallName
    server_name: str
    server_command: str
    server_calls_itself: str
    trust: Trust
    snapshot: Snapshot
    verdict: Verdict


def _common_fields(engine: EngineContext, call: Call, verdict: Verdict) -> _CommonFields:
    server = engine.server
    return {
        "call": call.name,
        "server_name": server.name,
        "server_command": server.command,
        "server_calls_itself": server.calls_itself,
        "trust": server.trust,
        "snapshot": call.snapshot,
        "verdict": verdict,
    }


class Questions:
    """Those of one call, or of one request of the server; one is open at a time."""

    def __init__(self, engine: EngineContext, name: QuestionName) -> None:
        self._engine = engine
        self._name = name
        self._voided: asyncio.Future[str] | None = None
        self.closed_because = ""
        """Why nothing was to be asked any more, whether a question was open just then or not."""

    def void(self, reason: str) -> None:
        """Close the open question, if there is one: nothing is sent any more."""
        self.closed_because = reason
        if self._voided is not None and not self._voided.done():
            self._voided.set_result(reason)

    async def ask(self, question: Question) -> Decision:
        """Ask once. The first of an answer and a voiding counts; later ones are ignored."""
        if isinstance(question, AboutElicitation | AboutSampling | AboutSignIn):
            self._engine.ledger.write(lambda: server_asked(question))
        else:
            self._engine.ledger.write(lambda: asked(question))
        self._voided = asyncio.get_running_loop().create_future()
        asking = asyncio.create_task(_answer_of(self._engine.approver, question))
        either: set[asyncio.Future[Any]] = {asking, self._voided}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            asking.cancel()
            reason = self._voided.result() if self._voided.done() else TAKEN_BACK
            self._engine.question_voided(self._name, reason)
            raise
        if self._voided.done():
            reason = self._voided.result()
            self._engine.question_voided(self._name, reason)
            return deny("you", reason) if reason == "cancelled" else withdrawn(reason)
        self._voided.cancel()
        return asking.result()


async def _answer_of(approver: Approver, question: Question) -> Decision:
    """The approver's decision; if it fails to decide, nothing is sent."""
    try:
        return await approver.ask(question)
    except Exception as problem:
        fault = note_fault(problem, "while it asked a question")
        return withdrawn(f"the approval dialog could not be opened: {fault}")
