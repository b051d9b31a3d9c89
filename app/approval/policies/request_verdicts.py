"""What a policy says of a request of a server, and what became of its rules on such requests."""

from __future__ import annotations

from typing import Final

from ...protocol.server_requests.capabilities import ROOTS
from .explanations import Explanation, Outcome, RuleOutcome
from .policy import Policy
from .request_rules import RequestCase
from .rules import Then
from .verdicts import Verdict, VerdictAnswer

ANSWERED_BY_PERSON: Final = "what a server asks for is answered by a person"
ROOTS_ARE_TOLD: Final = "roots are told to every server that asks for them"
_SAYS: Final = {
    Then.ALLOW: VerdictAnswer.ALLOW,
    Then.ASK: VerdictAnswer.ASK,
    Then.REFUSE: VerdictAnswer.REFUSE,
}


def judge_request(policy: Policy, case: RequestCase) -> Verdict:
    """The verdict on one request. Where no rule matches, roots are told and the rest is asked."""
    rule = next((one for one in policy.request_rules if one.matches(case)), None)
    if rule is None:
        is_told = case.asks == ROOTS
        answer = VerdictAnswer.ALLOW if is_told else VerdictAnswer.ASK
        reason = ROOTS_ARE_TOLD if is_told else ANSWERED_BY_PERSON
        return Verdict(answer, (reason,), policy=policy.shown_name)
    return Verdict(
        _SAYS[rule.then],
        (rule.reason or _says_so(rule.label),),
        policy=policy.shown_name,
        rule=rule.label,
        source=policy.place_of(rule),
    )


def explain_request(policy: Policy, case: RequestCase) -> Explanation:
    """The verdict with what became of every rule on requests of a server."""
    verdict = judge_request(policy, case)
    outcomes: list[RuleOutcome] = []
    has_fired = False
    for rule in policy.request_rules:
        if has_fired:
            outcomes.append(RuleOutcome(rule, Outcome.NOT_REACHED))
        elif why := rule.why_not(case):
            outcomes.append(RuleOutcome(rule, Outcome.PASSED_OVER, why))
        else:
            has_fired = True
            outcomes.append(RuleOutcome(rule, Outcome.FIRED))
    return Explanation(verdict, tuple(outcomes))


def refusal_words(verdict: Verdict) -> str:
    """By which rule something is refused: `rule 2: no secrets (mine.toml line 9): why`."""
    place = f" ({verdict.source})" if verdict.source else ""
    reason = "; ".join(one for one in verdict.reasons if one != _says_so(verdict.rule))
    return f"{verdict.rule}{place}{f': {reason}' if reason else ''}"


def _says_so(label: str) -> str:
    return f"{label} says so"
