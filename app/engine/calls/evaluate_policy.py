"""Evaluates the policy for one call, together with grants, denials and trials.

`VerdictPreview` has the verdicts on calls that have not been made.

Under every policy three rules apply: the hints that a person has set for a what-if only make a
verdict stricter; a call with an unknown outcome is not repeated without asking, unless a trusted
server declares it safe to repeat; and no decision uses a definition that has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ...approval.grants import Grant
from ...approval.matrix import Overrides, overridden, strictest
from ...approval.policies.patterns import Trial
from ...approval.policies.verdicts import Case, Verdict, VerdictAnswer, about_reading
from ...approval.snapshot import Snapshot, take_snapshot
from ...calls.call import Call
from ...calls.retries import repeated_denied
from ...content.json.jsonio import JsonValue
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.extensions.denials import STRUCTURED_DENIALS
from ...protocol.requests import Request, ToolCall
from ...protocol.rpc import CALL_METHOD
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...storage.auditing.events import grant as grant_event
from ..definitions import Relisted
from .context import EngineContext
from .server_approval import SENT_BACK, denied_before

RESOLVED_BEFORE: Final = "the server resolves its hints for the arguments before"

if TYPE_CHECKING:
    from ...approval.trusting import TrustEffect
    from ...calls.retries import Advice
    from ...protocol.extensions.tool_resolution import Resolution


def first_verdict(
    engine: EngineContext,
    request: Request,
    arguments: Mapping[str, JsonValue] | None = None,
    problems: Sequence[str] = (),
    resolution: Resolution | None = None,
) -> Verdict:
    """Return the verdict on a request before it is made: no grants looked up, no trials."""
    return _judge(engine, case_of(engine, request, arguments, problems, resolution))


def open_trials(engine: EngineContext, case: Case) -> tuple[Trial, ...]:
    """List trials that a case needs before its verdict is final."""
    wanted = engine.policy.trials(_with_hints(case))
    if overrides := _overrides(engine, case):
        wanted = (*wanted, *engine.policy.trials(_with_hints(case, overrides)))
    return wanted


async def tried(engine: EngineContext, case: Case) -> Case:
    """Return the case with the results of its trials, run where they can be stopped."""
    wanted = open_trials(engine, case)
    if not wanted:
        return case
    return replace(case, tried=await engine.trials.carried_out(wanted))


async def tried_verdict(
    engine: EngineContext,
    request: Request,
    arguments: Mapping[str, JsonValue] | None,
    problems: Sequence[str],
    resolution: Resolution | None = None,
) -> Verdict:
    """`first_verdict`, once everything was tried for it."""
    case = case_of(engine, request, arguments, problems, resolution)
    return _judge(engine, await tried(engine, case))


async def lets_later_calls_run(
    engine: EngineContext,
    request: Request,
    arguments: Mapping[str, JsonValue],
    problems: Sequence[str],
) -> bool:
    """True if an approval would let the policy run later calls of the tool in this session."""
    case = replace(case_of(engine, request, arguments, problems), seen=DefinitionStatus.SAME)
    answers = [
        _judge(engine, await tried(engine, replace(case, approved_before=is_approved))).answer
        for is_approved in (False, True)
    ]
    return answers == [VerdictAnswer.ASK, VerdictAnswer.ALLOW]


def foreseen(
    engine: EngineContext,
    request: Request,
    arguments: Mapping[str, JsonValue] | None,
    problems: Sequence[str],
    verdict: Verdict,
) -> Verdict:
    """Return the verdict on a call not made yet, with remembered approvals applied.

    Valid now only: when the call is made, grants are looked up and definitions listed again.
    """
    runs = verdict.answer is VerdictAnswer.ALLOW
    if arguments is None or problems or not (runs or verdict.answer is VerdictAnswer.ASK):
        return verdict
    if runs and STRUCTURED_DENIALS not in engine.link.capabilities.experimental:
        return verdict
    try:
        snapshot = take_snapshot(engine.server.identity, request, arguments, engine.runs)
    except ValueError:
        return verdict
    if (before := denied_before(engine, snapshot)) is not None:
        return repeated_denied(verdict, SENT_BACK.format(before.id))
    if runs:
        return verdict
    if _is_unknown(engine, request, snapshot) is not None:
        return verdict
    grant = engine.memory.grant_for(snapshot)
    if grant is None:
        return verdict
    return _judge(engine, replace(case_of(engine, request, arguments, problems), grant=grant))


def trust_effect(engine: EngineContext, tools: Sequence[ToolDefinition]) -> TrustEffect:
    """Return the changes that trusting the server makes to verdicts on these tools."""
    from ...approval.trusting import effect_of_trust

    def case(request: Request, trust: Trust) -> Case:
        return replace(case_of(engine, request, None, ()), trust=trust)

    return effect_of_trust(
        tools, engine.policy, lambda request, trust: _judge(engine, case(request, trust)), case
    )


async def judge(
    engine: EngineContext,
    request: Request,
    snapshot: Snapshot,
    problems: Sequence[str],
    counts_after: int | None = None,
    resolution: Resolution | None = None,
) -> Verdict:
    """The verdict on one request. `problems`: how its arguments break the input schema;
    `counts_after`: the earlier call that it repeats, if a second one has an effect, so that the
    approver is asked under any policy.

    A remembered approval counts only after the definitions were listed again. If the rules change
    during the judging, it is judged again by the new ones.
    """
    while True:
        rules = rules_of(engine, request)
        verdict = await _judged(engine, request, snapshot, problems, counts_after, resolution)
        if rules_of(engine, request) == rules:
            return verdict


async def _judged(
    engine: EngineContext,
    request: Request,
    snapshot: Snapshot,
    problems: Sequence[str],
    counts_after: int | None,
    resolution: Resolution | None,
) -> Verdict:
    from ...calls.retries import repeated_counting, repeated_unknown

    await engine.compared()
    engine.ledger.check()
    case = case_of(engine, request, snapshot.arguments(), problems, resolution)
    case = await tried(engine, case)
    verdict = _judge(engine, case)
    unknown = _is_unknown(engine, request, snapshot)
    if unknown is not None:
        return repeated_unknown(verdict, unknown)
    if counts_after is not None:
        return repeated_counting(verdict, counts_after, request.hints.repeating_said)
    if verdict.answer is not VerdictAnswer.ASK:
        return verdict
    grant = engine.memory.grant_for(snapshot)
    if grant is None:
        ended = _why_ended(engine, request, snapshot)
        return replace(verdict, reasons=(ended, *verdict.reasons)) if ended else verdict
    allowed = _judge(engine, replace(case, grant=grant))
    if allowed.answer is not VerdictAnswer.ALLOW:
        return allowed
    return await _honoured(engine, request, snapshot, grant, allowed, verdict)


async def _honoured(
    engine: EngineContext,
    request: Request,
    snapshot: Snapshot,
    grant: Grant,
    allowed: Verdict,
    asked: Verdict,
) -> Verdict:
    """The verdict by a remembered approval, if it is still valid at the last moment."""
    # A read has no definition that could be listed again.
    is_listed, rules = request.tool is not None, rules_of(engine, request)
    if is_listed and await engine.definitions.recheck() is not Relisted.DONE:
        reason = "the remembered approval does not count: the tools could not be listed again"
    elif engine.definitions.digest(request) != snapshot.definition_digest:
        reason = "the remembered approval does not count: the definition has changed since"
    elif rules_of(engine, request) != rules:
        # The caller judges it again; no grant is used up.
        return asked
    elif not engine.memory.use(grant):
        reason = "the remembered approval has ended or was revoked"
    else:
        engine.ledger.write(grant_event("grant-used", grant))
        return replace(allowed, grant_id=grant.id)
    return replace(asked, reasons=(reason, *asked.reasons))


def rules_of(engine: EngineContext, request: Request) -> tuple[object, ...]:
    """Rules that a verdict depends on and a person can change while it is pending."""
    return (
        engine.policy,
        engine.server.trust,
        {} if request.tool is None else dict(engine.overrides(request.tool)),
        engine.memory.is_denied(request),
        engine.labels.results,
    )


def _is_unknown(engine: EngineContext, request: Request, snapshot: Snapshot) -> Call | None:
    """Return an earlier identical request of unknown effect, if a repetition matters."""
    from ...calls.retries import is_repeatable

    if is_repeatable(request.definition, engine.server.trust):
        return None
    return engine.unknown_before(snapshot)


def _why_ended(engine: EngineContext, request: Request, snapshot: Snapshot) -> str:
    """The reason why an earlier approval no longer counts; empty if none was given."""
    from ...approval.questions.server_lines import lapsed_words

    memory = engine.memory
    lapsed = memory.lapsed(snapshot)
    if lapsed is not None:
        return lapsed_words(lapsed, snapshot.runs)
    has_ended = request.tool is not None and request.name in memory.ended
    if has_ended and not memory.approved_before(request, snapshot.runs):
        return "your remembered approval ended, because the definition changed"
    return ""


def case_of(
    engine: EngineContext,
    request: Request,
    arguments: Mapping[str, JsonValue] | None,
    problems: Sequence[str],
    resolution: Resolution | None = None,
) -> Case:
    """Build the policy's input for a request; no grant is looked up."""
    memory = engine.memory
    return Case(
        tool=request.definition,
        trust=engine.server.trust,
        server=engine.server.name,
        method=request.method,
        arguments=arguments,
        argument_problems=tuple(problems),
        seen=seen_of(engine, request),
        approved_before=memory.approved_before(request, engine.runs),
        denied_for_session=memory.is_denied(request),
        tried=engine.trials.known,
        resolved=_resolved(engine, request, resolution),
        unlogged=engine.ledger.problem,
        carried=engine.labels.results,
    )


def _resolved(
    engine: EngineContext, request: Request, resolution: Resolution | None
) -> Mapping[str, bool]:
    """Hints that count for one call: only stricter ones of an untrusted server, or of a failure."""
    if resolution is None or resolution.hints is None:
        return {}
    from ...protocol.extensions.tool_resolution import hints_to_judge

    counts = engine.server.trust is Trust.TRUSTED and resolution.is_resolved
    return hints_to_judge(request.hints, resolution.hints, is_trusted=counts)


def _with_hints(case: Case, overrides: Overrides = MappingProxyType({})) -> Case:
    """The case with the hints of a resolution and of a what-if instead of the static ones."""
    hints = {**case.resolved, **overrides}
    return replace(case, tool=overridden(case.tool, hints)) if hints else case


def _judge(engine: EngineContext, case: Case) -> Verdict:
    verdict = engine.policy.judge(_with_hints(case))
    if case.method != CALL_METHOD:
        supposed = None
        if case.trust is Trust.TRUSTED and verdict.answer is VerdictAnswer.ASK:
            read_only = overridden(case.tool, {"readOnly": True})
            supposed = engine.policy.judge(replace(case, tool=read_only))
        return about_reading(verdict, supposed, case.method)
    overrides = _overrides(engine, case)
    if not overrides:
        return verdict
    other = engine.policy.judge(_with_hints(case, overrides))
    return strictest(verdict, other)


def _overrides(engine: EngineContext, case: Case) -> Overrides:
    """What-if hints that the user has set; none for requests other than tool calls."""
    return {} if case.method != CALL_METHOD else engine.overrides(case.tool)


def seen_of(engine: EngineContext, request: Request) -> DefinitionStatus:
    """Compare the definition of a request with the ones listed before."""
    return DefinitionStatus.UNKNOWN if request.tool is None else engine.memory.seen(request.tool)


def _is_resolved_before(engine: EngineContext, tool: ToolDefinition) -> bool:
    """True if hints are resolved for the arguments of a call before it is judged (a draft)."""
    from ...protocol.extensions.register import not_in_use
    from ...protocol.extensions.tool_resolution import NAME, is_resolvable

    if NAME not in engine.link.capabilities.experimental or not is_resolvable(tool.raw):
        return False
    return not_in_use(NAME, engine.server.capabilities) is None


class VerdictPreview:
    """Verdicts on calls not made yet, mixed into the engine."""

    def trust_effect(self: EngineContext) -> TrustEffect:
        """Return the changes that trusting the server makes to its listed tools."""
        return trust_effect(self, self.definitions.tools)

    def verdict(
        self: EngineContext,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Verdict:
        """Return the verdict on a tool; `problems`: how the arguments break its schema."""
        return first_verdict(self, ToolCall(tool), arguments, problems)

    async def tried_verdict(
        self: EngineContext,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
    ) -> Verdict:
        """`verdict`, once the policy's patterns and schemas were tried on the arguments."""
        return await tried_verdict(self, ToolCall(tool), arguments, problems)

    def foreseen(
        self: EngineContext,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
        verdict: Verdict,
    ) -> Verdict:
        """Return the verdict, with a remembered approval applied."""
        found = foreseen(self, ToolCall(tool), arguments, problems, verdict)
        if not _is_resolved_before(self, tool):
            return found
        return replace(found, reasons=(*found.reasons, RESOLVED_BEFORE))

    def case(
        self: EngineContext,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """Return the policy's input for a call."""
        return case_of(self, ToolCall(tool), arguments, problems)

    def is_tried(
        self: EngineContext, tool: ToolDefinition, arguments: Mapping[str, JsonValue] | None
    ) -> bool:
        """True if the verdict is the last word; `tried` sees to it that it becomes so."""
        if arguments is None:
            return True
        case = case_of(self, ToolCall(tool), arguments, ())
        return self.trials.are_known(open_trials(self, case))

    async def tried(
        self: EngineContext,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """`case`, once the policy's patterns and schemas were tried on the arguments."""
        return await tried(self, case_of(self, ToolCall(tool), arguments, problems))

    def advice(self: EngineContext, call: Call) -> Advice:
        """Decide whether a retry is offered for the call, and why."""
        from ...calls.retries import advise

        request = self.definitions.current(call)
        verdict = first_verdict(self, request, call.snapshot.arguments())
        return advise(call, request.definition, self.server.trust, verdict)

    async def advised(self: EngineContext, call: Call) -> Advice:
        """`advice`, once the policy's patterns and schemas were tried on the arguments."""
        case = case_of(self, self.definitions.current(call), call.snapshot.arguments(), ())
        await tried(self, case)
        return VerdictPreview.advice(self, call)
