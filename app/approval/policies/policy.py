"""Policies: ordered rules that turn the facts of a call into a verdict, with its reasons.

Also explains a verdict rule by rule, and judges requests of a server.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ...content.frozen import frozen
from ...content.text import visible
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from ...protocol.server import Trust
from ...protocol.server_requests.capabilities import ROOTS
from ...protocol.tool_reading import NO_NAME, UNREADABLE, read_tool
from .patterns import Trial
from .request_rules import RequestCase
from .rules import NameCondition, Rule, RuleMatch, Then
from .verdicts import (
    CONTRADICTORY,
    Case,
    Verdict,
    VerdictAnswer,
    definition_doubts,
    doubts_of,
    grant_obstacle,
    says_meaning,
    with_meaning,
)

if TYPE_CHECKING:
    from .measured import Measured
    from .request_rules import RequestRule


class RuleState(StrEnum):
    """Outcome of one rule in one case."""

    FIRED = "fired"
    PASSED_OVER = "passed over"
    SKIPPED = "depends on the arguments"
    NOT_REACHED = "not reached"


@frozen
class RuleOutcome:
    """One rule in one case. `why`: each condition that kept it from firing, in words."""

    rule: Rule | RequestRule
    outcome: RuleState
    why: tuple[str, ...] = ()


@frozen
class Explanation:
    """A verdict, and the outcome of every rule on the way to it."""

    verdict: Verdict
    outcomes: tuple[RuleOutcome, ...]
    """In the order of the rules; empty where none was asked."""

    @property
    def fired(self) -> RuleOutcome | None:
        return next((one for one in self.outcomes if one.outcome is RuleState.FIRED), None)


BUILT_IN_NAMES = (
    "cautious",
    "first-use",
    "confirm-destructive",
    "read-only-loop",
    "ask-always",
    "allow-all",
)
"""The policies that come with the program, the default first; no other policy may have the name."""

_REMEMBERED = 20_000
"""Verdicts that one policy keeps at most."""


class Basis(StrEnum):
    """How the rules of a host are known."""

    READ = "read"
    """From its source or its documents."""
    MEASURED = "measured"
    """The host was run with a scripted model."""


class PolicyKind(StrEnum):
    """Origin of a policy."""

    BUILT_IN = "built-in"
    HOST = "host"
    """The rules of a known host."""
    OWN = "own"


@frozen
class Policy:
    """Ordered rules; the first that matches counts, and if none does the policy asks.

    Whatever the rules: a tool that cannot be called, or was denied for the session, is refused; a
    tool that may destroy is refused while the audit log cannot be written.
    """

    name: str
    rules: tuple[Rule, ...]
    """Rules on the client's requests: calls, reads, prompts."""
    kind: PolicyKind = PolicyKind.OWN
    title: str = ""
    """The name of a host as people write it; empty for others."""
    summary: str = ""
    """One sentence."""
    like: str = ""
    """Which kind of host behaves so."""
    honours_grants: bool = True
    """Whether a remembered approval lets run what would be asked."""
    heeds_doubts: bool = True
    """True if a doubt about a call makes "ask" of the "allow" of a rule."""
    source: str = ""
    """Its source: a URL for a host, else the name of its file."""
    source_file: str = ""
    """The file of the host's sources, or the page, with its rule."""
    date: datetime.date | None = None
    """When a host's rules were read."""
    version: str = ""
    """Of the host."""
    basis: Basis | None = None
    """How a host's rules are known; None for other policies."""
    notes: str = ""
    edits_arguments: bool | None = None
    """Whether the host lets one edit arguments in its dialog; None: not known."""
    remembers: tuple[str, ...] = ()
    """For how long the host offers to remember an approval, shortest first."""
    request_rules: tuple[RequestRule, ...] = ()
    """On what a server asks; `request_verdicts` goes by them."""
    mode: str = ""
    """The mode of a host that the rules are of; empty if the host has only one."""
    modes: tuple[Policy, ...] = ()
    """The other modes of a host, each a policy called `HOST:MODE`."""
    has_person: bool = True
    """False if no person is there: it refuses what would ask."""
    measured: Measured | None = field(default=None, repr=False, compare=False)
    """Finds what was measured of a host; None for other policies, and for the user's host rules."""
    is_own: bool = field(default=False, compare=False)
    """Whether a file of the person's has the rules of a host."""
    is_loud: bool = field(init=False, compare=False)
    """True if an untrusted server may run destructive tools under it; the screen warns of that."""
    _names: tuple[NameCondition, ...] = field(init=False, repr=False, compare=False)
    _by_arguments: bool = field(init=False, repr=False, compare=False)
    _known: dict[Hashable, Verdict] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        names = [
            one for rule in self.rules for one in rule.conditions if isinstance(one, NameCondition)
        ]
        object.__setattr__(self, "_names", tuple(names))
        object.__setattr__(self, "_by_arguments", any(rule.arguments for rule in self.rules))
        object.__setattr__(self, "is_loud", self._is_loud())

    @property
    def shown_name(self) -> str:
        """The name, or `as VS Code` for the rules of a host."""
        return f"as {self.title or self.name}" if self.kind is PolicyKind.HOST else self.name

    @property
    def measured_version(self) -> str:
        """The newest version of a host that was measured, if it is not that of the rules."""
        found = self.measured.version(self.name) if self.measured is not None else ""
        return "" if found == self.version else found

    @property
    def variants(self) -> tuple[Policy, ...]:
        """The policy itself, and the other modes of its host."""
        return (self, *self.modes)

    @property
    def is_constant(self) -> bool:
        """True if its rules have one verdict for every tool, with or without a warning."""
        says: set[tuple[VerdictAnswer, bool]] = set()
        for rule in self.rules:
            says.add((_SAYS[rule.then][0], rule.reviews_result))
            if rule.is_catch_all:
                break
        else:
            says.add((VerdictAnswer.ASK, False))
        if not self.has_person:
            refused = (VerdictAnswer.REFUSE, False)
            says = {
                refused if answer is VerdictAnswer.ASK else (answer, is_reviewed)
                for answer, is_reviewed in says
            }
        # A doubt makes a question of what would run.
        return len(says) == 1 and not (self.heeds_doubts and (VerdictAnswer.ALLOW, False) in says)

    @property
    def judges_by_name(self) -> bool:
        """True if tools with the same hints may have different verdicts without a rule on names."""
        return False

    def judge(self, case: Case) -> Verdict:
        """The verdict on one call, or on a tool whose arguments are not known yet."""
        if (
            case.grant is not None
            or case.unlogged
            or case.argument_problems
            or (self._by_arguments and case.arguments is not None)
        ):
            return self._judge(case)
        tool = case.tool
        hints = tool.hints
        # No other facts of a case can change the verdict.
        key = (
            hints.read_only.claim,
            hints.destructive.claim,
            hints.idempotent.claim,
            hints.open_world.claim,
            case.trust,
            case.seen,
            case.approved_before,
            case.denied_for_session,
            case.method,
            case.carried,
            case.server if case.carried else "",
            tool.callable,
            definition_doubts(case) if tool.findings else (),
            tuple([one.matches(case) for one in self._names]) if self._names else None,
        )
        known = self._known.get(key)
        if known is not None:
            return known
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        verdict = self._known[key] = self._judge(case)
        return verdict

    def trials(self, case: Case) -> tuple[Trial, ...]:
        """List trials that the verdict needs: patterns and schemas of rules on arguments.

        Without their results some rules cannot be judged.
        """
        if not self._by_arguments or case.arguments is None or _never(case):
            return ()
        wanted: dict[str, Trial] = {}
        for rule in self.rules:
            trials = rule.trials(case)
            wanted |= {trial.key: trial for trial in trials}
            if not trials and rule.match(case) is RuleMatch.YES:
                break
        return tuple(wanted.values())

    def explain(self, case: Case) -> Explanation:
        """Return the verdict with the outcome of every rule."""
        verdict = self.judge(case)
        if _never(case):
            return Explanation(verdict, ())
        fired, _ = self._first(case)
        outcomes = []
        for rule in self.rules:
            if fired is not None and rule.number > fired.number:
                outcomes.append(RuleOutcome(rule, RuleState.NOT_REACHED))
            elif rule is fired:
                outcomes.append(RuleOutcome(rule, RuleState.FIRED))
            else:
                is_open = rule.match(case) is RuleMatch.ARGUMENTS_UNKNOWN
                outcome = RuleState.SKIPPED if is_open else RuleState.PASSED_OVER
                outcomes.append(RuleOutcome(rule, outcome, rule.why_not(case)))
        return Explanation(verdict, tuple(outcomes))

    def place_of(self, rule: Rule | RequestRule) -> str:
        """Cite the place of a rule, or source and date of a host's rule."""
        if isinstance(rule, Rule) and rule.place:
            return rule.place
        if self.kind is PolicyKind.HOST:
            return f"{self.source}, {self.basis} on {self.date}" if self.date else self.source
        return f"{self.source} line {rule.line}" if rule.line else self.source

    def _judge(self, case: Case) -> Verdict:
        if reason := _never(case):
            return Verdict(
                VerdictAnswer.REFUSE,
                (reason,),
                policy=self.shown_name,
                denied_before=case.tool.callable,
            )
        rule, skipped = self._first(case)
        verdict = self._settled(rule, case)
        if unjudged := self._unjudged(rule, case):
            # First, since the verdict hangs on it.
            reasons = (*unjudged, *verdict.reasons)
            verdict = replace(verdict, reasons=reasons, unjudged=unjudged)
        others = [one for one in skipped if _differs(self._settled(one, case), verdict)]
        if not others:
            return verdict
        words = ", ".join(one.label for one in others)
        reasons = (*verdict.reasons, f"other arguments may change this: {words}")
        return replace(verdict, reasons=reasons, depends=True)

    def _first(self, case: Case) -> tuple[Rule | None, list[Rule]]:
        """The rule that fires, and those before it that only the arguments can decide."""
        skipped: list[Rule] = []
        for rule in self.rules:
            match = rule.match(case)
            if match is RuleMatch.YES:
                return rule, skipped
            if match is RuleMatch.ARGUMENTS_UNKNOWN:
                skipped.append(rule)
        return None, skipped

    def _unjudged(self, fired: Rule | None, case: Case) -> tuple[str, ...]:
        """Describe conditions that could not be judged, up to the rule that fires."""
        found: list[str] = []
        for rule in self.rules:
            if words := rule.unjudged(case):
                # The one by which it is decided comes first.
                found.insert(0 if rule is fired else len(found), words)
            if rule is fired:
                break
        return tuple(found)

    def _settled(self, rule: Rule | None, case: Case) -> Verdict:
        """Turn a rule, or none, into a verdict, after doubts, grants and the audit log."""
        effect = case.tool.hints.effect
        answer, strong = _SAYS[rule.then] if rule else (VerdictAnswer.ASK, effect.may_destroy)
        reason = NO_RULE
        if rule is not None:
            reason = rule.reason or f"{rule.label} applies"
        reasons = [reason]
        if self.kind is not PolicyKind.HOST or rule is None or rule.looks_at_hints:
            reasons = [*with_meaning(reason, effect)]
        doubts = doubts_of(case)
        if self.heeds_doubts or answer is VerdictAnswer.ASK:
            # The meaning of the effect includes the contradiction, and may be among the reasons.
            is_said = says_meaning(reasons, effect)
            reasons += [one for one in doubts if not (is_said and one == CONTRADICTORY)]
        grant_id = None
        if answer is VerdictAnswer.ALLOW and doubts and self.heeds_doubts:
            answer, strong = VerdictAnswer.ASK, effect.may_destroy
            reasons.append("without that the policy would run it")
        if case.grant is not None and answer is VerdictAnswer.ASK and self.honours_grants:
            obstacle = grant_obstacle(case)
            if obstacle and any(obstacle in one for one in reasons):
                reasons.append("so the remembered approval does not count")
            elif obstacle:
                reasons.append(f"the remembered approval does not count: {obstacle}")
            elif case.unlogged:
                reasons.append("the remembered approval does not count without a log")
            else:
                answer, strong, grant_id = VerdictAnswer.ALLOW, False, case.grant.id
                reasons.insert(0, "remembered approval")
        if case.unlogged and answer not in (VerdictAnswer.HIDE, VerdictAnswer.REFUSE):
            words = unlogged_words(visible(case.unlogged))
            if effect.may_destroy:
                answer, strong, grant_id = VerdictAnswer.REFUSE, False, None
                why = "a destructive call is not sent without a log"
                reasons.insert(0, f"{words}, and {why}")
            else:
                reasons.append(words)
        if answer is VerdictAnswer.ASK and not self.has_person:
            answer, strong = VerdictAnswer.REFUSE, False
            reasons.append(NO_PERSON)
        return Verdict(
            answer,
            tuple(dict.fromkeys(reasons)),
            strong,
            self.shown_name,
            rule.label if rule else "",
            self.place_of(rule) if rule else "",
            bool(rule and rule.reviews_result),
            grant_id,
        )

    def _is_loud(self) -> bool:
        return any(
            self._judge(Case(tool, Trust.UNTRUSTED, seen=seen)).answer is VerdictAnswer.ALLOW
            for tool in _DANGEROUS
            for seen in DefinitionStatus
        )


_SAYS = {
    Then.ALLOW: (VerdictAnswer.ALLOW, False),
    Then.ASK: (VerdictAnswer.ASK, False),
    Then.ASK_WITH_WARNING: (VerdictAnswer.ASK, True),
    Then.REFUSE: (VerdictAnswer.REFUSE, False),
    Then.HIDE: (VerdictAnswer.HIDE, False),
    Then.JUDGE: (VerdictAnswer.JUDGE, False),
    Then.UNKNOWN: (VerdictAnswer.UNKNOWN, False),
}

_DENIED = {CALL_METHOD: "this tool", READ_METHOD: "reading resources", PROMPT_METHOD: "prompts"}

# A name that only a glob for every name matches; with and without hints on its effect.
_DANGEROUS = (
    read_tool(0, {"name": "\x00", "inputSchema": {"type": "object"}}),
    read_tool(
        0,
        {
            "name": "\x00",
            "inputSchema": {"type": "object"},
            "annotations": {"destructiveHint": True},
        },
    ),
)


NO_RULE: Final = "no rule matches, so it asks"
NO_PERSON: Final = "no person is there to ask, so it is refused"


def unlogged_words(problem: str) -> str:
    """Explain that the audit log cannot be written; `problem` is safe to show."""
    return f"the audit log cannot be written ({problem})"


def _never(case: Case) -> str:
    """The reason why no rule can allow the call; empty if rules decide."""
    if not case.tool.callable:
        return UNREADABLE if case.tool.name else NO_NAME
    if case.denied_for_session:
        return f"you denied {_DENIED[case.method]} for the rest of the session"
    return ""


def _differs(one: Verdict, other: Verdict) -> bool:
    return (one.answer, one.strong, one.reviews_result) != (
        other.answer,
        other.strong,
        other.reviews_result,
    )


ANSWERED_BY_PERSON: Final = "requests of a server are answered by a person"
ROOTS_ARE_TOLD: Final = "every server that requests roots gets them"
_SAID_OF_VERDICT: Final = {
    Then.ALLOW: VerdictAnswer.ALLOW,
    Then.ASK: VerdictAnswer.ASK,
    Then.REFUSE: VerdictAnswer.REFUSE,
}


def judge_request(policy: Policy, case: RequestCase) -> Verdict:
    """The verdict on one request. Without a matching rule, roots are sent and all else asks."""
    rule = next((one for one in policy.request_rules if one.matches(case)), None)
    if rule is None:
        is_told = case.asks == ROOTS
        answer = VerdictAnswer.ALLOW if is_told else VerdictAnswer.ASK
        reason = ROOTS_ARE_TOLD if is_told else ANSWERED_BY_PERSON
        return Verdict(answer, (reason,), policy=policy.shown_name)
    return Verdict(
        _SAID_OF_VERDICT[rule.then],
        (rule.reason or _says_so(rule.label),),
        policy=policy.shown_name,
        rule=rule.label,
        source=policy.place_of(rule),
    )


def explain_request(policy: Policy, case: RequestCase) -> Explanation:
    """Return the verdict with the outcome of every rule on requests of a server."""
    verdict = judge_request(policy, case)
    outcomes: list[RuleOutcome] = []
    has_fired = False
    for rule in policy.request_rules:
        if has_fired:
            outcomes.append(RuleOutcome(rule, RuleState.NOT_REACHED))
        elif why := rule.why_not(case):
            outcomes.append(RuleOutcome(rule, RuleState.PASSED_OVER, why))
        else:
            has_fired = True
            outcomes.append(RuleOutcome(rule, RuleState.FIRED))
    return Explanation(verdict, tuple(outcomes))


def refusal_words(verdict: Verdict) -> str:
    """By which rule something is refused: `rule 2: no secrets (mine.toml line 9): why`."""
    place = f" ({verdict.source})" if verdict.source else ""
    reason = "; ".join(one for one in verdict.reasons if one != _says_so(verdict.rule))
    return f"{verdict.rule}{place}{f': {reason}' if reason else ''}"


def _says_so(label: str) -> str:
    return f"{label} applies"
