"""Texts of the policy screen: the rows, and the reasons for a policy's decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....widgets.lists.policy_list import PolicyRow
from ....widgets.lists.row_list import Heading
from ....widgets.matrix.rows import in_words
from ...analysis.matrix.matrix import column_title, is_host
from ...approval.policies.policy import Outcome, Policy, PolicyKind, RuleOutcome
from ...approval.policies.verdicts import Case
from ...content.text import visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled

INDENT = 9
CAUTION = "a model is a claim about a version, never the last word"
LOUD = "What may destroy runs unasked, even from a server that you do not trust."
_HEADINGS = {
    PolicyKind.BUILT_IN: "built in",
    PolicyKind.OWN: "your own",
    PolicyKind.HOST: "models of known hosts: live by their rules",
}
_SIGNS = {
    Outcome.FIRED: ("› ", "strong"),
    Outcome.PASSED_OVER: ("  ", "dim"),
    Outcome.SKIPPED: ("~ ", "noticed"),
    Outcome.NOT_REACHED: ("  ", "dim"),
}


def policy_rows(
    policies: Sequence[Policy], current: str, case: Case | None
) -> list[PolicyRow | Heading]:
    """Built-in policies, own ones and hosts, each kind under its heading."""
    rows: list[PolicyRow | Heading] = []
    for kind, label in _HEADINGS.items():
        members = [policy for policy in policies if policy.kind is kind]
        if members:
            rows.append(Heading(label))
        rows += [_row(policy, current, case) for policy in members]
    return rows


def _row(policy: Policy, current: str, case: Case | None) -> PolicyRow:
    note = ""
    if policy.kind is PolicyKind.HOST and policy.date is not None:
        note = f"read {policy.date}"
    elif policy.kind is PolicyKind.OWN:
        note = visible(policy.source)
    if policy.is_loud:
        note = "RUNS UNASKED"
    return PolicyRow(
        policy,
        visible(column_title(policy)),
        note=note,
        verdict=policy.judge(case) if case else None,
        is_current=policy.name == current,
    )


def policy_lines(policy: Policy, case: Case | None) -> list[SheetLine]:
    """Describe a policy, its verdict on a call, and the outcome of each of its rules."""
    lines: list[SheetLine] = []
    if policy.is_loud:
        lines.append(labelled("!", INDENT, (LOUD, "error")))
    if case is not None:
        lines += _decision(policy, case)
    lines += _on_requests(policy)
    lines += _about(policy)
    return lines


def _decision(policy: Policy, case: Case) -> Iterator[SheetLine]:
    explanation = policy.explain(case)
    verdict = explanation.verdict
    reasons = "; ".join(visible(reason) for reason in verdict.reasons)
    yield labelled("verdict", INDENT, (in_words(verdict), "strong"), (f" · {reasons}", ""))
    for at, outcome in enumerate(explanation.outcomes):
        yield labelled("" if at else "rules", INDENT, *_rule(outcome))
    if explanation.outcomes and explanation.fired is None:
        yield labelled("", INDENT, ("› ", "strong"), ("no rule matches, so it asks", ""))


def _rule(outcome: RuleOutcome) -> Iterator[Piece]:
    rule = outcome.rule
    yield _SIGNS[outcome.outcome]
    faded = "" if outcome.outcome in (Outcome.FIRED, Outcome.SKIPPED) else "dim"
    yield rule.label, "strong" if outcome.outcome is Outcome.FIRED else faded
    then = f"{rule.then.value}, and about the result" if rule.reviews_result else rule.then.value
    yield f" → {then}", faded
    match outcome.outcome:
        case Outcome.FIRED:
            yield f"   this one: {rule.words}", ""
        case Outcome.NOT_REACHED:
            yield "   not reached", "dim"
        case _:
            yield f"   {'; '.join(outcome.why)}", faded


def _on_requests(policy: Policy) -> Iterator[SheetLine]:
    """List the rules on requests of a server, which do not apply to calls."""
    for at, rule in enumerate(policy.request_rules):
        reason = f" · {rule.reason}" if rule.reason else ""
        yield labelled(
            "" if at else "it asks",
            INDENT,
            ("  ", ""),
            (rule.label, "strong"),
            (f" → {rule.then.value}   {rule.words}{reason}", ""),
        )


def _about(policy: Policy) -> Iterator[SheetLine]:
    yield labelled("about", INDENT, (visible(policy.summary), ""))
    if policy.like:
        yield labelled("like", INDENT, (visible(policy.like), ""))
    for note in policy.notes.strip().splitlines():
        yield labelled("", INDENT, (visible(note), "dim"))
    grants = "count" if policy.honours_grants else "do not count"
    yield labelled("", INDENT, (f"Remembered approvals {grants}.", "dim"))
    yield from origin_lines(policy, INDENT)


def origin_lines(policy: Policy, indent: int) -> Iterator[SheetLine]:
    """Cite the source and date of the rules, and the confidence in a host model."""
    if not is_host(policy):
        if policy.kind is PolicyKind.OWN and policy.source:
            yield labelled("source", indent, (visible(policy.source), "dim"))
        return
    version = f"version {visible(policy.version)}, " if policy.version else ""
    read = f"read {policy.date}" if policy.date else "date not known"
    places = [visible(place) for place in (policy.source_file, policy.source) if place]
    yield labelled("source", indent, (f"{version}{read}: {', '.join(places)}", "dim"))
    yield labelled("", indent, (CAUTION, "dim"))
