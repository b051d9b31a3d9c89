"""`signoff policy check`: checks a policy and warns of likely oversights.

`signoff policy explain --on KIND`: the verdict of a policy on a request of a server.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ...approval.policies.argument_rules import ArgumentCondition, Comparison
from ...approval.policies.conditions import METHODS, quoted
from ...approval.policies.patterns import (
    Trial,
    TrialOf,
    glob_ways_out,
    hostile_texts,
    pattern_fault,
    repeats_itself,
    ways_out,
)
from ...approval.policies.policy import Policy, PolicyKind, explain_request
from ...approval.policies.policy_text import PolicyError
from ...approval.policies.request_rules import FORM, RequestCase, RequestRule, case_of_request
from ...approval.policies.rule_text import REQUESTS
from ...approval.policies.rules import Rule, Then
from ...content.json.jsonio import JsonValue
from ...content.text import cut, shortened, visible
from ...engine.calls.trials import PatternCache
from ...headless.arguments import read_document
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.policies import labelled, outcome_lines, policy_report, rule_report
from ...headless.printing import say
from ...headless.targets import UsageError
from ...protocol.server_requests.capabilities import ELICITATION, ROOTS
from ...protocol.server_requests.elicitation import Elicitation, MalformedRequest, read_elicitation
from ...protocol.server_requests.sampling import Sampling, read_sampling
from ...sandbox.worker import shut_down
from ...storage.policy_files import (
    PolicyNotFound,
    find_policy,
    hosts_folder,
    is_path,
    read_policy_file,
)

_SHOWN = 24
_ANYTHING: tuple[JsonValue, ...] = (None, True, 0, "", [], {})


def run_check(path: str) -> int:
    """Check a policy file; every mistake in it goes to standard error.

    Patterns and schemas are tried on hostile values, in a worker and for a second each.
    """
    try:
        file = Path(path)
        if is_path(path) and file.absolute().parent == hosts_folder():
            policy = read_policy_file(file, PolicyKind.HOST)
        else:
            policy = find_policy(path)
    except (PolicyError, PolicyNotFound) as problem:
        print(f"{problem}", file=sys.stderr)
        return ExitStatus.USAGE
    count = len(policy.rules) + len(policy.request_rules)
    print(f"{policy.name}: sound, with {count:,} {'rule' if count == 1 else 'rules'}", flush=True)
    if policy.is_loud:
        print("it lets servers that are not trusted run what may destroy, unasked")
    if not _is_complete(policy.rules, METHODS):
        print("where no rule matches it asks")
    if policy.request_rules and not _is_complete(policy.request_rules, REQUESTS):
        print("where no rule matches what a server asks, you are asked, and roots are told")
    if any(_is_tried(one) for rule in policy.rules for one in rule.arguments):
        try:
            asyncio.run(_print_warnings(policy))
        finally:
            shut_down()
    return ExitStatus.OK


def _is_complete(rules: Iterable[Rule | RequestRule], kinds: Iterable[str]) -> bool:
    """True if there is a rule for whatever comes of each kind."""
    covered = {on for rule in rules if rule.is_unconditional for on in rule.on}
    return covered.issuperset(kinds)


async def _print_warnings(policy: Policy) -> None:
    trials = PatternCache()
    for rule in policy.rules:
        place = f"line {rule.line}, {rule.label}" if rule.line else rule.label
        for test in rule.arguments:
            async for words in _warnings(trials, rule, test):
                print(f"warning: {place}: {words}", flush=True)


def _is_tried(test: ArgumentCondition) -> bool:
    return test.comparison in (Comparison.MATCHES, Comparison.SCHEMA, Comparison.GLOB)


async def _warnings(
    trials: PatternCache, rule: Rule, test: ArgumentCondition
) -> AsyncIterator[str]:
    does = "does not count" if rule.then is Then.ALLOW else "counts as matched"
    slow = await _first_unjudged(trials, _hostile(test))
    if slow:
        yield f"{slow}; the rule then {does}"
    elif test.comparison is Comparison.MATCHES and repeats_itself(str(test.value)):
        words = f"{quoted(str(test.value))} has a repeat right within a repeat"
        yield f"{words}: on some texts it may take too long, and the rule then {does}"
    if rule.then is Then.ALLOW and (way := await _way_out(trials, test)):
        words = f"{test.comparison} {quoted(str(test.value))} also fits {quoted(way)}"
        yield f"{words}, which leads out of the folder"


async def _first_unjudged(trials: PatternCache, hostile: Iterable[tuple[str, Trial]]) -> str:
    """Describe the first trial without a result; empty if all have one."""
    for name, trial in hostile:
        tried = (await trials.carried_out([trial]))[trial.key]
        if tried.held is None:
            return f"{name} {tried.why} on {_described(trial.found)}"
    return ""


def _hostile(test: ArgumentCondition) -> Iterator[tuple[str, Trial]]:
    """Yield trials that may take long, each with its name."""
    if test.comparison is Comparison.MATCHES:
        pattern = str(test.value)
        for text in hostile_texts(pattern):
            yield f"matches {quoted(pattern)}", Trial(TrialOf.PATTERN, pattern, text)
    if test.comparison is Comparison.SCHEMA:
        for value in _ANYTHING:
            yield "its schema", Trial(TrialOf.SCHEMA, test.value, value)
        for pattern in dict.fromkeys(_patterns(test.value)):
            like = _as_python(pattern)
            for text in ("",) if pattern_fault(like) else hostile_texts(like):
                trial = Trial(TrialOf.SCHEMA, {"pattern": pattern}, text)
                yield f"the pattern {quoted(pattern)} of its schema", trial


def _as_python(pattern: str) -> str:
    """A pattern of ECMA-262 as one of Python that repeats the same: texts are made from its parts.

    It is tried as it is written.
    """
    named = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    return re.sub(r"\\[pP]\{[^{}]*\}", r"\\w", named)


def _patterns(schema: JsonValue) -> Iterator[str]:
    """The regular expressions in a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from _patterns(one)
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                yield value
            if key == "patternProperties" and isinstance(value, dict):
                yield from value
            yield from _patterns(value)


async def _way_out(trials: PatternCache, test: ArgumentCondition) -> str:
    """A path out of the folder with which a test begins, if it fits that too."""
    wanted = str(test.value)
    if test.comparison is Comparison.GLOB:
        return next((way for way in glob_ways_out(wanted) if test.fits(way)), "")
    if test.comparison is Comparison.MATCHES:
        for way in ways_out(wanted):
            trial = Trial(TrialOf.PATTERN, wanted, way)
            if (await trials.carried_out([trial]))[trial.key].held:
                return way
    return ""


def _described(value: JsonValue) -> str:
    if not isinstance(value, str):
        return "any value"
    short = cut(value, _SHOWN)
    if not short.is_cut:
        return f'the text "{visible(value)}"'
    return f'a text like "{visible(short.text)}…" ({len(value):,} characters)'


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
    async with opened(options) as engine:
        case = case_of_request(asked, engine.server.name, engine.server.trust)
        policy = engine.policy
    if options.as_json:
        print_json(request_report(policy, case))
    else:
        for line in request_lines(policy, case):
            say(line)
    return ExitStatus.OK


def request_report(policy: Policy, case: RequestCase) -> dict[str, Any]:
    """The verdict on a server's request, as JSON."""
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
