"""Decisions of hosts, and the effect of a change on them, as JSON."""

from __future__ import annotations

from typing import Any

from ..analysis.decisions.changes import Change
from ..analysis.decisions.decisions import suggestion
from ..analysis.matrix.matrix import Row, column_title
from .decisions import Report, asks_before_harm


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
        "baseline": report.file or None,
        "difference": _difference_json(report),
        "failed": [kind.value for kind in report.failed],
        "exit_status": status,
    }


def _tool_json(report: Report, row: Row) -> dict[str, Any]:
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
        "silent": [report.mask(name) for name in difference.silent],
        "compared": list(difference.compared),
        "only_in_baseline": list(difference.only_in_baseline),
        "only_here": list(difference.only_here),
    }


def _change_json(report: Report, change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "tool": report.mask(change.tool),
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
