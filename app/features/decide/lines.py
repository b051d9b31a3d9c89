"""Decisions of hosts as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from .words import Report


def report_lines(report: Report) -> Iterator[tuple[str, str]]:
    """The report for people: each line with `strong`, `dim` or no style."""
    yield report.about, "strong"
    if report.difference is None:
        for group in report.groups:
            yield "", ""
            yield group.names, "strong"
            yield f"  {group.hints}", "dim"
            yield from ((f"  {words}: {hosts}", "") for words, hosts in group.decisions)
            if group.advice:
                yield f"  → {group.advice}", "dim"
    kind = None
    for one in report.told:
        if one.kind is not kind:
            kind = one.kind
            yield "", ""
            failed = "  (--fail-on)" if kind in report.failing else ""
            yield f"{kind}{failed}", "strong"
        yield f"  {one.whole}", ""
        yield from ((f"    {words}", "dim") for words in one.details)
        if one.advice:
            yield f"    → {one.advice}", ""
    yield "", ""
    yield report.summary, "strong"
    yield from ((words, "dim") for words in report.remarks)
    for draft in report.decisions.drafts:
        yield "", ""
        yield draft.title, "strong"
        for effect in draft.effects:
            yield f"  {effect.lead}", ""
            yield from ((f"    {words}", "dim") for words in report.effect_details(effect))
