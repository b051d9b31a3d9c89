"""Policies, and why one decides as it does, in lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..approval.matrix import is_host
from ..approval.policies.modes import modes_in_words as modes
from ..approval.policies.policy import (
    NO_RULE,
    Basis,
    Explanation,
    Policy,
    PolicyKind,
    RuleOutcome,
    RuleState,
    explain_request,
)
from ..approval.policies.request_rules import FORM, RequestCase, SecretCondition
from ..approval.policies.verdicts import Case, in_words
from ..content.json.jsonio import JsonValue, canonical
from ..content.text import shortened, visible
from ..content.texts.facts import Fact, FactPlace, lines
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..protocol.server_requests.capabilities import ELICITATION, ROOTS

INDENT: Final = 11
"""Columns of the labels in an explanation."""
CAUTIONS: Final = {
    Basis.READ: "based on these sources; later versions may differ",
    Basis.MEASURED: "measured with that version; later versions may differ",
}
KINDS: Final = {
    PolicyKind.BUILT_IN: "built in",
    PolicyKind.OWN: "your own",
    PolicyKind.HOST: "host rules: decide as a known host does",
}
LOUD: Final = "Destructive tools run without asking, even on untrusted servers."
_ARGUMENTS_CELLS: Final = 60
_HOST_CELLS: Final = 60
_SIGNS: Final = {
    RuleState.FIRED: ("› ", "strong"),
    RuleState.PASSED_OVER: ("  ", "dim"),
    RuleState.SKIPPED: ("~ ", "noticed"),
    RuleState.NOT_REACHED: ("  ", "dim"),
}


def policy_lines(policy: Policy, case: Case | None, indent: int) -> Iterator[SheetLine]:
    """Describe a policy, its verdict on a call, and the outcome of each of its rules."""
    if policy.is_loud:
        yield labelled("!", indent, (LOUD, "error"))
    if case is not None:
        explanation = policy.explain(case)
        yield _verdict_line(explanation, indent)
        yield from _outcome_lines(explanation, indent)
    for at, rule in enumerate(policy.request_rules):
        reason = f" · {rule.reason}" if rule.reason else ""
        yield labelled(
            "" if at else "it asks",
            indent,
            ("  ", ""),
            (rule.label, "strong"),
            (f" → {rule.then.value}   {rule.words}{reason}", ""),
        )
    yield from lines(facts(policy), indent)
    yield from origin_lines(policy, indent)


def facts(policy: Policy) -> Iterator[Fact]:
    """The facts on a policy beside its rules and their origin; a list has some of them."""
    said = (("about", policy.summary), ("similar to", policy.like), ("modes", modes(policy)))
    for label, words in said:
        if words:
            yield Fact(label, visible(words), FactPlace.BELOW)
    grants = "count" if policy.honours_grants else "do not count"
    for note in (*policy.notes.strip().splitlines(), f"Remembered approvals {grants}."):
        yield Fact("", visible(note), FactPlace.DETAIL, "dim")


def mark(policy: Policy) -> str:
    """The note beside a policy in a list: a warning, the date of its rules, or its file."""
    if policy.is_loud:
        return "NEVER ASKS"
    if policy.date is not None:
        return f"{policy.basis or 'read'} on {policy.date}"
    return visible(policy.source) if policy.kind is PolicyKind.OWN else ""


def explain_lines(policy: Policy, case: Case, arguments: JsonValue) -> Iterator[SheetLine]:
    """Explain the verdict on a call: the rule that fired, its place, and the other rules.

    `arguments` are those of the case as they may be shown.
    """
    yield labelled("tool", INDENT, (case.tool.display_name, "strong"))
    explanation = policy.explain(case)
    yield from _explanation_lines(explanation)
    tool, given = case.tool, case.arguments
    world = "open world" if tool.hints.is_open_world else "closed world"
    not_yet = "" if case.approved_before else "not yet "
    written = shortened(canonical(arguments), _ARGUMENTS_CELLS)
    facts = (
        f"{tool.effect.value} · {world} · {case.trust.value}",
        f"definition {case.seen.value} · {not_yet}approved in this session",
        "arguments not known" if given is None else f"arguments {written}",
    )
    for at, fact in enumerate(facts):
        yield labelled("" if at else "given", INDENT, (fact, ""))
    yield from _outcome_lines(explanation, INDENT)


def explain_request_lines(policy: Policy, case: RequestCase) -> Iterator[SheetLine]:
    """Explain the verdict on a server's request, as `explain_lines` does."""
    yield labelled("asks for", INDENT, (case.asks, "strong"))
    explanation = explain_request(policy, case)
    yield from _explanation_lines(explanation)
    yield labelled("given", INDENT, (" · ".join(_request_facts(case)), ""))
    yield from _outcome_lines(explanation, INDENT)


def origin_lines(policy: Policy, indent: int) -> Iterator[SheetLine]:
    """Cite the source and date of the rules, and the confidence in those of a host."""
    if not is_host(policy):
        if policy.kind is PolicyKind.OWN and policy.source:
            yield labelled("source", indent, (visible(policy.source), "dim"))
        return
    version = f"{_version(policy.version)}, " if policy.version else ""
    version = f"yours, {version}" if policy.is_own else version
    read = f"as of {policy.date}" if policy.date else "unknown date"
    places = [visible(place) for place in (policy.source_file, policy.source) if place]
    yield labelled("source", indent, (f"{version}{read}: {', '.join(places)}", "dim"))
    if policy.measured_version:
        words = f"cells of the matrix were measured on {_version(policy.measured_version)}"
        yield labelled("", indent, (words, "dim"))
    yield labelled("", indent, (CAUTIONS[policy.basis or Basis.READ], "dim"))


def _version(version: str) -> str:
    """A version with its noun, which a commit has already."""
    shown = visible(version)
    return shown if shown.startswith("commit ") else f"version {shown}"


def policy_json(policy: Policy) -> dict[str, Any]:
    """Return a policy as JSON, without its rules."""
    return {
        "name": policy.name,
        "title": policy.title or None,
        "kind": policy.kind.value,
        "summary": policy.summary,
        "like": policy.like or None,
        "loud": policy.is_loud,
        "grants": policy.honours_grants,
        "doubts": "ask" if policy.heeds_doubts else "ignore",
        "rules": len(policy.rules),
        "request_rules": len(policy.request_rules),
        "source": policy.source,
        "source_file": policy.source_file or None,
        "version": policy.version or None,
        "date": policy.date.isoformat() if policy.date else None,
        "basis": policy.basis,
        "mode": policy.mode or None,
        "modes": [_mode_json(one) for one in policy.modes],
        "edits_arguments": policy.edits_arguments,
        "remembers": list(policy.remembers),
        "notes": policy.notes or None,
        "yours": policy.is_own or policy.kind is PolicyKind.OWN,
    }


def _mode_json(mode: Policy) -> dict[str, Any]:
    return {
        "name": mode.name,
        "title": mode.title,
        "summary": mode.summary,
        "loud": mode.is_loud,
        "basis": mode.basis,
        "version": mode.version or None,
        "date": mode.date.isoformat() if mode.date else None,
        "notes": mode.notes or None,
    }


def explain_json(policy: Policy, case: Case) -> dict[str, Any]:
    """Return the verdict on a call, and why, as JSON; arguments in it are as they are."""
    explained = policy.explain(case)
    verdict = explained.verdict
    return {
        "tool": case.tool.name,
        "server": case.server,
        "policy": policy_json(policy),
        "verdict": {**verdict.as_json(), "source": verdict.source, "depends": verdict.depends},
        "judged_by": {
            "trust": case.trust.value,
            "effect": case.tool.effect.value,
            "hints": case.tool.hints.as_json(),
            "definition": case.seen.value,
            "approved": case.approved_before,
            "arguments": case.arguments,
            "argument_problems": list(case.argument_problems),
        },
        "rules": [_outcome_json(one) for one in explained.outcomes],
    }


def explain_request_json(policy: Policy, case: RequestCase) -> dict[str, Any]:
    """Return the verdict on a server's request, and why, as JSON."""
    explained = explain_request(policy, case)
    return {
        "on": case.asks,
        "server": case.server,
        "policy": policy_json(policy),
        "verdict": {**explained.verdict.as_json(), "source": explained.verdict.source},
        "judged_by": {
            "trust": case.trust.value,
            "mode": case.mode or None,
            "host": case.host or None,
            "asks_for_secret": case.asks_for_secret,
            "gives_tools": case.gives_tools,
        },
        "rules": [_outcome_json(one) for one in explained.outcomes],
    }


def _verdict_line(explanation: Explanation, indent: int) -> SheetLine:
    verdict = explanation.verdict
    reasons = "; ".join(visible(reason) for reason in verdict.reasons)
    return labelled("decision", indent, (in_words(verdict), "strong"), (f" · {reasons}", ""))


def _explanation_lines(explanation: Explanation) -> Iterator[SheetLine]:
    yield _verdict_line(explanation, INDENT)
    verdict = explanation.verdict
    yield labelled("policy", INDENT, (verdict.policy, ""))
    yield labelled("rule", INDENT, (verdict.rule or "none", ""))
    if verdict.source:
        yield labelled("source", INDENT, (verdict.source, ""))


def _outcome_lines(explanation: Explanation, indent: int) -> Iterator[SheetLine]:
    """List the outcome of each rule; the first that matches counts."""
    for at, outcome in enumerate(explanation.outcomes):
        yield labelled("" if at else "rules", indent, *_outcome_pieces(outcome))
    if explanation.outcomes and explanation.fired is None:
        yield labelled("", indent, ("› ", "strong"), (NO_RULE, ""))


def _outcome_pieces(outcome: RuleOutcome) -> Iterator[Piece]:
    rule = outcome.rule
    yield _SIGNS[outcome.outcome]
    faded = "" if outcome.outcome in (RuleState.FIRED, RuleState.SKIPPED) else "dim"
    yield rule.label, "strong" if outcome.outcome is RuleState.FIRED else faded
    then = (
        f"{rule.then.value}, then ask about the result" if rule.reviews_result else rule.then.value
    )
    yield f" → {then}", faded
    match outcome.outcome:
        case RuleState.FIRED:
            yield f"   applies: {rule.words}", ""
        case RuleState.NOT_REACHED:
            yield "   not reached", "dim"
        case _:
            yield f"   no match: {'; '.join(outcome.why)}", faded


def _outcome_json(one: RuleOutcome) -> dict[str, Any]:
    rule = one.rule
    return {
        "number": rule.number,
        "name": rule.name or None,
        "then": rule.then.value,
        "result": "ask" if rule.reviews_result else None,
        "demands": rule.words,
        "line": rule.line or None,
        "outcome": one.outcome.value,
        "why": list(one.why),
    }


def _request_facts(case: RequestCase) -> Iterator[str]:
    yield case.trust.value
    if case.mode:
        yield f"mode {case.mode}"
    if case.host is None:
        yield "an address without a host to go by"
    elif case.host:
        yield f"host {shortened(case.host, _HOST_CELLS)}"
    if case.mode == FORM:
        yield SecretCondition(case.asks_for_secret).words
    if case.asks not in (ELICITATION, ROOTS):
        yield "tools for the model" if case.gives_tools else "no tools for the model"
