"""Why a host treats a tool as it does here: each setting and rule that is looked at, in order.

The decision is that of the column of `signoff matrix --here`; a trace has only the way to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from ...approval.matrix import claims_of
from ...approval.policies.measured import MeasuredDecision
from ...approval.policies.policy import Policy, RuleState
from ...approval.policies.rules import Rule
from ...approval.policies.verdicts import Case, Verdict
from ...content.frozen import frozen
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .as_configured import Assembled, ConfiguredColumn, RunsUnasked, runs_here
from .deciding import DecidingSetting, Rank

NO_RULE_OF_MODE: Final = "no rule of this mode looks at it"
OTHER_MODE: Final = "another setting chooses the mode"


class StepOutcome(StrEnum):
    """What became of one setting or rule."""

    DECIDES = "decides"
    PASSED_OVER = "looked at"
    NOT_REACHED = "not reached"


@frozen
class TraceStep:
    """One setting or rule. `why`: the reasons why it does not decide, in words."""

    outcome: StepOutcome
    setting: DecidingSetting | None
    """The setting that it is, or that makes the rule of the host count; None for a rule alone."""
    rule: Rule | None
    """The rule of the policy; None for a setting that makes no rule."""
    why: tuple[str, ...] = ()

    @property
    def is_of_host(self) -> bool:
        """Whether it is a rule of the host, or of its mode, in place of one from a file."""
        return self.rule is not None and (self.setting is None or self.setting.then is None)


@frozen
class HostTrace:
    """The decision of a host about one tool, and every step on the way to it."""

    verdict: Verdict
    steps: tuple[TraceStep, ...]
    run: RunsUnasked | None
    """How to be asked, if the tool runs without a question."""
    otherwise: Verdict | None
    """The verdict without the setting that decides; None if no setting does."""
    measured: MeasuredDecision | None
    """What the host was seen to do in this mode, if one of its own rules decides."""

    @property
    def deciding(self) -> TraceStep | None:
        return next((one for one in self.steps if one.outcome is StepOutcome.DECIDES), None)


def trace_of(column: ConfiguredColumn, tool: ToolDefinition) -> HostTrace:
    """The decision of a column about a tool, with its steps."""
    case = Case(tool, Trust.UNTRUSTED, column.server.name)
    explained = column.policy.explain(case)
    outcomes = {one.rule.label: (one.outcome, one.why) for one in explained.outcomes}
    steps = []
    for rule, one in zip(column.policy.rules, column.rules, strict=True):
        outcome, why = outcomes.get(rule.label, (RuleState.NOT_REACHED, ()))
        steps.append(TraceStep(_OUTCOMES[outcome], one.setting, rule, why))
    whole = tuple(_with_others(steps, column.rules, column.looked_at()))
    deciding = next((one for one in steps if one.outcome is StepOutcome.DECIDES), None)
    setting = deciding.setting if deciding is not None else None
    otherwise = None
    if setting is not None:
        otherwise = column.without(frozenset((setting,)))[0].judge(case)
    of_host = deciding is None or deciding.is_of_host
    measured = _measured(column.policy, column.mode, tool) if of_host else None
    run = next(iter(runs_here((tool,), (column,))), None)
    return HostTrace(explained.verdict, whole, run, otherwise, measured)


def default_trace(host: Policy, tool: ToolDefinition, server: str) -> HostTrace:
    """The decision by the rules of a host alone, such as one that has no entry of the server."""
    explained = host.explain(Case(tool, Trust.UNTRUSTED, server))
    steps = [
        TraceStep(_OUTCOMES[one.outcome], None, one.rule, one.why)
        for one in explained.outcomes
        if isinstance(one.rule, Rule)
    ]
    measured = _measured(host, host.name, tool)
    return HostTrace(explained.verdict, tuple(steps), None, None, measured)


_OUTCOMES: Final = {
    RuleState.FIRED: StepOutcome.DECIDES,
    RuleState.PASSED_OVER: StepOutcome.PASSED_OVER,
    RuleState.SKIPPED: StepOutcome.PASSED_OVER,
    RuleState.NOT_REACHED: StepOutcome.NOT_REACHED,
}


def _measured(policy: Policy, name: str, tool: ToolDefinition) -> MeasuredDecision | None:
    claims = claims_of(tool)
    if claims is None or not tool.callable or policy.measured is None:
        return None
    return policy.measured.find(name, claims)


def _with_others(
    steps: Sequence[TraceStep], rules: Sequence[Assembled], looked: Sequence[DecidingSetting]
) -> Iterator[TraceStep]:
    """The steps, with the settings that make no rule in their places among them."""
    behind = {one.setting for one in rules if one.setting is not None}
    has_mode = any(one.mode_of_all for one in behind)
    places: dict[DecidingSetting, int] = {}
    for at, one in enumerate(looked):
        places.setdefault(one, at)
    others = [(at, one) for at, one in enumerate(looked) if one not in behind]
    is_decided = False
    for step, rule in zip(steps, rules, strict=True):
        end = _end(rule, places, looked)
        while others and others[0][0] < end:
            yield _other(others.pop(0)[1], is_decided=is_decided, has_mode=has_mode)
        is_decided = is_decided or step.outcome is StepOutcome.DECIDES
        yield step
    for _, one in others:
        yield _other(one, is_decided=is_decided, has_mode=has_mode)


def _end(
    rule: Assembled, places: dict[DecidingSetting, int], looked: Sequence[DecidingSetting]
) -> int:
    """The place in the settings before which all are looked at before a rule."""
    setting = rule.setting
    if setting in places and (setting.then or (setting.mode and not setting.mode_of_all)):
        return places[setting]
    if rule.is_ahead:
        return sum(one.rank < Rank.TOOL for one in looked)
    return len(looked)


def _other(setting: DecidingSetting, *, is_decided: bool, has_mode: bool) -> TraceStep:
    """The step of a setting that makes no rule."""
    if setting.is_passed_over:
        why = setting.reason
    else:
        why = OTHER_MODE if setting.mode_of_all and has_mode else NO_RULE_OF_MODE
    outcome = StepOutcome.NOT_REACHED if is_decided else StepOutcome.PASSED_OVER
    return TraceStep(outcome, setting, None, (why,))


def edits_of(run: RunsUnasked) -> Iterator[tuple[str, str, int]]:
    """The edits after which the host asks, in their order: words, file and line."""
    setting, server = run.setting, run.column.server
    if setting is not None and run.fix:
        yield run.fix, setting.file, setting.spot.line
    elif run.fix:
        yield run.fix, server.file, server.spot.line
    for one in run.further:
        told = one.setting
        yield one.words or (f"remove {told.key}" if told else ""), one.file, one.line
