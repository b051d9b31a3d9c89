"""`signoff policy explain --on KIND`: what a policy says of something that a server asks."""

from __future__ import annotations

from typing import Any, Final

from ...approval.policies.policy import Policy, explain_request
from ...approval.policies.request_rules import FORM, RequestCase, case_of_request
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...headless.arguments import read_document
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.policies import labelled, outcome_lines, policy_report, rule_report
from ...headless.printing import say
from ...headless.targets import UsageError
from ...protocol.server_requests.capabilities import ELICITATION, ROOTS
from ...protocol.server_requests.elicitation import (
    Elicitation,
    MalformedRequest,
    read_elicitation,
)
from ...protocol.server_requests.sampling import Sampling, read_sampling

_EMPTY: Final[dict[str, dict[str, JsonValue]]] = {
    "elicitation": {"message": "", "requestedSchema": {"type": "object", "properties": {}}},
    "sampling": {"messages": []},
    "roots": {},
}
"""What is judged where no params are given: a form without fields, a model without tools."""
_HOST_CELLS: Final = 60


def run_explain_request(options: Options, on: str, params: str) -> int:
    """The verdict, the rule that fired, and those that did not. Raises UsageError."""
    asked = read_request(on, read_document(params) if params else _EMPTY[on])
    return run(_explain(options, asked))


def read_request(on: str, params: dict[str, JsonValue]) -> Elicitation | Sampling | None:
    """The request that has these params; None for one of roots. Raises UsageError."""
    try:
        if on == ROOTS:
            return None
        return read_elicitation(params) if on == ELICITATION else read_sampling(params)
    except MalformedRequest as problem:
        raise UsageError(f"--args: it is {problem}") from None


async def _explain(options: Options, asked: Elicitation | Sampling | None) -> int:
    async with opened(options) as bench:
        case = case_of_request(asked, bench.server.name, bench.server.trust)
        policy = bench.policy
    if options.as_json:
        print_json(request_report(policy, case))
    else:
        for line in request_lines(policy, case):
            say(line)
    return ExitStatus.OK


def request_report(policy: Policy, case: RequestCase) -> dict[str, Any]:
    """The verdict on what a server asks, as JSON."""
    explained = explain_request(policy, case)
    return {
        "on": case.asks,
        "server": case.server,
        "policy": policy_report(policy),
        "verdict": {**explained.verdict.as_json(), "source": explained.verdict.source},
        "judged_by": {
            "trust": case.trust.value,
            "mode": case.mode or None,
            "host": case.host or None,
            "asks_for_secret": case.asks_for_secret,
            "gives_tools": case.gives_tools,
        },
        "rules": [rule_report(one) for one in explained.outcomes],
    }


def request_lines(policy: Policy, case: RequestCase) -> list[str]:
    """The verdict, the rule that fired and where it stands, the reasons, and the other rules."""
    explained = explain_request(policy, case)
    verdict = explained.verdict
    return [
        *labelled("asks for", case.asks),
        *labelled("verdict", verdict.words),
        *labelled("policy", verdict.policy),
        *labelled("rule", verdict.rule or "none"),
        *(labelled("source", verdict.source) if verdict.source else ()),
        *labelled("because", *(visible(one) for one in verdict.reasons)),
        *labelled("judged by", " · ".join(_facts(case))),
        *outcome_lines(explained),
    ]


def _facts(case: RequestCase) -> list[str]:
    facts = [case.trust.value]
    if case.mode:
        facts.append(f"mode {case.mode}")
    if case.host is None:
        facts.append("an address without a host to go by")
    elif case.host:
        facts.append(f"host {shortened(case.host, _HOST_CELLS)}")
    if case.mode == FORM:
        facts.append(f"{'a' if case.asks_for_secret else 'no'} field that looks like a secret")
    if case.asks not in (ELICITATION, ROOTS):
        facts.append("tools for the model" if case.gives_tools else "no tools for the model")
    return facts
