"""The effect of trusting a server: calls that would run without asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..content.frozen import frozen
from ..content.labels import some_named
from ..protocol.findings.findings import Finding, Severity
from ..protocol.requests import Request, ResourceRead, ToolCall
from ..protocol.server import Trust
from ..protocol.tool import ToolDefinition
from ..protocol.tool_reading import CONTRADICTS_READ_ONLY
from .policies.policy import Policy, RuleState
from .policies.rules import Then
from .policies.verdicts import Case, Verdict, VerdictAnswer

_RANKS: Final = {
    VerdictAnswer.ALLOW: 0,
    VerdictAnswer.ASK: 1,
    VerdictAnswer.JUDGE: 3,
    VerdictAnswer.UNKNOWN: 3,
    VerdictAnswer.REFUSE: 4,
    VerdictAnswer.HIDE: 4,
}
_STRONG: Final = 2
_NAMED: Final = 12


@frozen
class TrustEffect:
    """Changes for the tools that are listed now, by the rules that decide now.

    Tools in reading order: those with a warning, then those that may destroy, then the rest as the
    server lists it.
    """

    policy: str
    """Whose rules decide: `cautious`, or `as VS Code`."""
    total: int
    runs: tuple[ToolDefinition, ...] = ()
    """Tools that ask, or are refused, and would run without asking."""
    sometimes: tuple[ToolDefinition, ...] = ()
    """They would run without asking for some arguments."""
    milder: tuple[ToolDefinition, ...] = ()
    """Tools that would still not run without asking, but under milder verdicts."""
    already: int = 0
    """Number of tools that run without asking already."""
    reads: bool = False
    """True if reads that ask now would run without asking."""

    @property
    def is_nothing(self) -> bool:
        return not (self.runs or self.sometimes or self.milder or self.reads)

    @property
    def key(self) -> object:
        """Equal for effects to which one agreement applies."""
        tools = (self.runs, self.sometimes, self.milder)
        return (
            *(self.policy, self.total, self.already, self.reads),
            *(tuple((one.index, one.digest) for one in group) for group in tools),
        )


def effect_of_trust(
    tools: Sequence[ToolDefinition],
    policy: Policy,
    judge: Callable[[Request, Trust], Verdict],
    case: Callable[[Request, Trust], Case],
) -> TrustEffect:
    """Compute the effect. `judge` returns the verdict on a request with unknown arguments, on
    either side of trust, and `case` the policy's input for it.
    """
    runs, sometimes, milder, already = [], [], [], 0
    for tool in tools:
        call = ToolCall(tool)
        before, after = (judge(call, trust) for trust in (Trust.UNTRUSTED, Trust.TRUSTED))
        if _runs(after):
            if not _runs(before):
                runs.append(tool)
                continue
            already += 1
        elif _open_rules(policy, case, call, after, Trust.TRUSTED) - _open_rules(
            policy, case, call, before, Trust.UNTRUSTED
        ):
            sometimes.append(tool)
            continue
        if _rank(after) < _rank(before):
            milder.append(tool)
    read = ResourceRead("")
    before, after = (judge(read, trust) for trust in (Trust.UNTRUSTED, Trust.TRUSTED))
    return TrustEffect(
        policy.shown_name,
        len(tools),
        tuple(_in_order(runs)),
        tuple(_in_order(sometimes)),
        tuple(_in_order(milder)),
        already,
        reads=_runs(after) and not _runs(before),
    )


def warnings_of(tool: ToolDefinition) -> tuple[Finding, ...]:
    """List findings to check before the tool's hints are believed, contradicting names first."""
    found = [one for one in tool.findings if one.severity is not Severity.NOTE]
    return tuple(sorted(found, key=lambda one: one.code != CONTRADICTS_READ_ONLY))


def told_in_a_line(effect: TrustEffect) -> str:
    """Summarize the calls that trust lets run, for runs without dialogs.

    `4 of 9 tools run without asking (cautious): a, b, c, d`, with a mark on contradicting names.
    """
    if effect.is_nothing:
        return f"trust changes nothing here ({effect.policy})"
    parts = []
    if effect.runs:
        run = f"run{'s' * (len(effect.runs) == 1)} without asking ({effect.policy})"
        if effect.total == 1:
            parts.append(f"{_named(effect.runs)} {run}")
        else:
            count = f"{len(effect.runs):,} of {effect.total:,} tools"
            parts.append(f"{count} {run}: {_named(effect.runs)}")
    if effect.sometimes:
        run = f"run{'s' * (len(effect.sometimes) == 1)} without asking for some arguments"
        parts.append(f"{_named(effect.sometimes)} {run} ({effect.policy})")
    if effect.reads:
        parts.append(f"resources are read without asking ({effect.policy})")
    if not parts:
        parts.append(f"still asks for every call ({effect.policy}), but with fewer warnings")
    return f"trusted, so {'; '.join(parts)}"


def _named(tools: Sequence[ToolDefinition]) -> str:
    return some_named(tools, _NAMED, _marked)


def _marked(tool: ToolDefinition) -> str:
    contradicted = next((one for one in tool.findings if one.code == CONTRADICTS_READ_ONLY), None)
    return f"{tool.display_name} (! {contradicted.message})" if contradicted else tool.display_name


def _runs(verdict: Verdict) -> bool:
    return verdict.answer is VerdictAnswer.ALLOW


def _rank(verdict: Verdict) -> tuple[int, bool]:
    rank = _STRONG if verdict.strong else _RANKS[verdict.answer]
    return rank, verdict.reviews_result


def _open_rules(
    policy: Policy,
    case: Callable[[Request, Trust], Case],
    call: ToolCall,
    verdict: Verdict,
    trust: Trust,
) -> set[int]:
    """The rules that would let it run, if only the arguments were so."""
    if not verdict.depends:
        return set()
    return {
        one.rule.number
        for one in policy.explain(case(call, trust)).outcomes
        if one.outcome is RuleState.SKIPPED and one.rule.then is Then.ALLOW
    }


def _in_order(tools: Sequence[ToolDefinition]) -> Iterator[ToolDefinition]:
    yield from sorted(tools, key=lambda one: (not warnings_of(one), not one.effect.may_destroy))
