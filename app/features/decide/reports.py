"""Decisions of hosts, and the effect of a change on them, as JSON, SARIF 2.1.0 and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.draft_effects import (
    ADVICE,
    DraftEffect,
    DraftEffects,
    balance_code,
    balance_title,
)
from ...approval.matrix import MatrixRow, column_title
from ...presentation.junit import Ending, TestCase, TestSuite, junit_text
from ...presentation.sarif import SarifResult, SarifRule, file_uri, sarif_log, sarif_run
from .changes import ChangeKind, DecisionChange
from .decisions import suggestion
from .words import Report, Told, asks_before_harm

KIND_WORDS: Final = {
    ChangeKind.STOPS_ASKING: "A tool runs without a question, and did not before",
    ChangeKind.STARTS_ASKING: "A tool asks, and did not before",
    ChangeKind.HIDDEN: "A tool is hidden from the model now",
    ChangeKind.REFUSED: "A tool is refused now",
    ChangeKind.LOST: "A client library loses the list of tools now",
    ChangeKind.NEW_RUNS: "A new tool runs without a question",
    ChangeKind.NEW: "A tool is new",
    ChangeKind.RENAMED: "A tool has another name",
    ChangeKind.GONE: "A tool is gone",
    ChangeKind.OTHER: "A decision changed in another way",
}

HELP: Final = (
    "If the change is intended, write the baseline again with --write-baseline. "
    "If it is not, restore the hint."
)


def report_sarif(report: Report, status: int) -> dict[str, Any]:
    """A log with one run. A difference has its place in the baseline."""
    run = sarif_run(
        "decide",
        [
            *(_result(report, one) for one in report.told),
            *(_effect_result(report, *one) for one in _effects(report)),
        ],
        source=report.server,
        tools=len(report.decisions.rows),
        status=status,
    )
    return sarif_log([run])


def _result(report: Report, one: Told) -> SarifResult:
    level = "error" if one.kind in report.failing else "note"
    title = KIND_WORDS[one.kind]
    return SarifResult(
        SarifRule(one.kind.value, title, f"{title}.", HELP, level),
        level,
        f"{one.whole} {one.advice}".rstrip(),
        one.shown,
        file=file_uri(report.file),
        line=max(one.line, 1),
        same=(one.name or "", one.whole),
    )


def _effects(report: Report) -> Iterator[tuple[DraftEffects, DraftEffect]]:
    for draft in report.decisions.drafts:
        yield from ((draft, one) for one in draft.effects)


def _effect_result(report: Report, draft: DraftEffects, one: DraftEffect) -> SarifResult:
    """A note without a place, since no file has the tools."""
    title = balance_title(draft.draft)
    title, words, code = title[0].upper() + title[1:], report.effect(one), balance_code(draft.draft)
    return SarifResult(
        SarifRule(code, title, f"{title}.", ADVICE, "note"), "note", words, same=(code, words)
    )


def report_junit(report: Report) -> str:
    """One test case for each difference; it fails if `--fail-on` has its kind.

    Without differences there is one case that passes. So does one for each effect of a draft.
    """
    cases = [_case(report, one) for one in report.told]
    if not cases:
        cases = [TestCase("signoff.decide", "decisions", words=report.summary)]
    for draft, one in _effects(report):
        words = report.effect(one)
        cases.append(TestCase(f"signoff.decide.{balance_code(draft.draft)}", words, words=words))
    return junit_text("decide", [TestSuite(report.server, tuple(cases))])


def _case(report: Report, one: Told) -> TestCase:
    return TestCase(
        f"signoff.decide.{one.kind}",
        one.shown or "the list",
        Ending.FAILED if one.kind in report.failing else Ending.PASSED,
        one.kind,
        one.whole,
        "\n".join((one.whole, *one.details, one.advice)).strip(),
        report.file,
        one.line,
    )


def report_json(report: Report, status: int) -> dict[str, Any]:
    """`signoff decide --json`."""
    decisions = report.decisions
    return {
        "server": report.server,
        "trust": decisions.trust.value,
        "hosts": [
            {
                "name": one.name,
                "title": column_title(one),
                "kind": one.kind.value,
                "mode": one.mode or None,
                "has_person": one.has_person,
            }
            for one in decisions.columns
        ],
        "tools": [_tool_json(report, row) for row in decisions.rows],
        "libraries": [
            {"id": one.id, "name": one.name, "takes_list": one.takes} for one in decisions.libraries
        ],
        "asks_before_harm": {
            "hosts": list(decisions.asking_hosts) if decisions.has_harmful else None,
            "words": asks_before_harm(decisions),
        },
        "if_resolved": {
            "tools": [row.own_tool.name for row in decisions.resolvable],
            "hosts_that_could_run": list(decisions.milder_if_resolved),
        }
        if decisions.is_resolving
        else None,
        **(
            {"drafts": [one.as_json(report.mask) for one in decisions.drafts]}
            if decisions.drafts
            else {}
        ),
        "baseline": report.file or None,
        "difference": _difference_json(report),
        "failed": [kind.value for kind in report.failed],
        "exit_status": status,
    }


def _tool_json(report: Report, row: MatrixRow) -> dict[str, Any]:
    decisions, tool = report.decisions, row.own_tool
    found = suggestion(decisions, row)
    cells = []
    for at, column in enumerate(decisions.columns):
        verdict = decisions.verdict(row, at)
        decision = decisions.decisions(row)[at]
        cells.append(
            {
                "host": column.name,
                "decision": decision.outcome.value,
                "asks_about_response": decision.asks_about_response,
                "rule": verdict.rule or None,
                "reasons": list(verdict.reasons),
                "source": verdict.source or None,
            }
        )
    return {
        "name": report.mask(tool.name),
        "digest": tool.digest,
        "effect": tool.effect.value,
        "hints": {f"{hint.name}Hint": hint.claim.as_json() for hint in tool.hints},
        "decisions": cells,
        "suggestion": None
        if found is None
        else {
            "hint": f"{found.hint}Hint",
            "value": found.value,
            "runs_in": [decisions.hosts[at] for at in found.columns],
        },
    }


def _difference_json(report: Report) -> dict[str, Any] | None:
    difference = report.difference
    if difference is None:
        return None
    return {
        "counts": {kind.value: number for kind, number in difference.counts.items()},
        "changes": [_change_json(report, one) for one in difference.changes],
        "contradictions": [
            {
                "tool": report.mask(one.tool),
                "hosts": list(one.titles),
                "baseline": one.written.word,
                "own_hints": one.given.word,
            }
            for one in difference.contradictions
        ],
        "sentences": [
            {
                "kind": one.kind.value,
                "tool": None if one.name is None else report.mask(one.name),
                "sentence": one.whole,
                "details": list(one.details),
                "advice": one.advice or None,
            }
            for one in report.told
        ],
        "renamed": [
            {"old": report.mask(one.old.name), "new": report.mask(one.tool)}
            for one in difference.renamed
        ],
        "silent": [report.mask(name) for name in difference.silent],
        "compared": list(difference.compared),
        "only_in_baseline": list(difference.only_in_baseline),
        "only_here": list(difference.only_here),
    }


def _change_json(report: Report, change: DecisionChange) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "tool": report.mask(change.tool),
        "new_name": report.mask(change.new_name) or None,
        "hosts": list(change.hosts),
        "before": change.before.word,
        "after": change.after.word,
        "cause": change.cause.value,
        "hints": {
            f"{hint}Hint": {"before": old.as_json(), "after": new.as_json()}
            for hint, old, new in change.claims
        },
        "ways_back": [
            {f"{hint}Hint": claim.as_json() for hint, claim in way} for way in change.ways_back
        ],
    }
