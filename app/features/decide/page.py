"""Decisions of hosts as Markdown, as a comment on a pull request, as a page and as a badge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from ...presentation.escapes import markdown
from ...presentation.pages import CAUTION
from ...presentation.report_pages import (
    Name,
    ReportEntry,
    ReportPage,
    ReportRow,
    ReportSection,
    Strong,
    page_markdown,
)
from .words import Report, Told, asks_before_harm

MARKER: Final = "signoff-decide"
"""In the first line of a comment: the comment that is kept up to date is found by it."""
LONGEST_COMMENT: Final = 60_000
"""Bytes, as the job that writes the comment reads them; GitHub takes 65,536 characters."""
_KEY: Final = re.compile(r"[^A-Za-z0-9._/-]")


def report_page(report: Report) -> ReportPage:
    """The differences, then all decisions."""
    rows = (
        ReportRow(
            group.tools,
            (
                (group.hints,),
                tuple(f"{words}: {hosts}" for words, hosts in group.decisions),
                (group.advice,) if group.advice else (),
            ),
        )
        for group in report.groups
    )
    heads = ("tools", "declared", "decisions", "one hint more")
    all_decisions = ReportSection("All decisions", heads=heads, rows=tuple(rows))
    return ReportPage(
        f"Who is asked: {report.server}",
        (report.about, Strong(report.summary)),
        (*_differences(report), *_drafts(report), all_decisions),
        CAUTION,
    )


def comment_markdown(report: Report) -> str:
    """The body of the one comment on a pull request; empty if the change changes no decision."""
    if report.difference is None or report.difference.is_empty:
        return ""
    page = ReportPage(
        f"Who is asked: {report.summary}", (), (*_differences(report), *_drafts(report))
    )
    text = page_markdown(page, level=3)
    whole = text.encode("utf-8", "replace")
    if len(whole) > LONGEST_COMMENT - 500:
        text = whole[: LONGEST_COMMENT - 500].rpartition(b"\n")[0].decode()
        text += "\n\nThe rest is in the summary of the job.\n"
    return f"{marker(report.file)}\n{text}\n{markdown(CAUTION)}\n"


def marker(file: str) -> str:
    """The first line of a comment, with the path of the baseline: one comment for each."""
    return f"<!-- {MARKER} {_KEY.sub('-', file)[:100].replace('--', '-')} -->"


def _differences(report: Report) -> Iterator[ReportSection]:
    for kind, found in groupby(report.told, key=lambda one: one.kind):
        yield ReportSection(kind.value, tuple(map(_entry, found)))
    if notes := report.remarks:
        yield ReportSection("Notes", tuple(ReportEntry((words,)) for words in notes))


def _drafts(report: Report) -> Iterator[ReportSection]:
    """A section for each draft that is turned on."""
    for draft in report.decisions.drafts:
        entries = (ReportEntry((one.lead,), report.effect_details(one)) for one in draft.effects)
        yield ReportSection(draft.title, tuple(entries))


def _entry(one: Told) -> ReportEntry:
    name = (Name(one.shown), " ") if one.shown else ()
    sentence = (one.opening, *name, one.lead, Strong(one.strong), one.rest)
    return ReportEntry(sentence, (*one.details, *([one.advice] if one.advice else [])))


def badge_json(report: Report) -> str:
    """A file for the endpoint badges of shields.io: hosts that ask before harm.

    Where more runs without a question than in the baseline, it has that instead.
    """
    decisions, difference = report.decisions, report.difference
    asking, total = len(decisions.asking_hosts), len(decisions.columns)
    words = asks_before_harm(decisions)
    label = "asks before harm"
    if difference is not None and difference.is_worse:
        label, message, colour = "who is asked", report.summary, "red"
    elif not decisions.has_harmful:
        message, colour = "nothing harmful declared", "blue"
    else:
        message = words.partition(": ")[2]
        colour = "brightgreen" if asking == total else "yellow" if asking else "red"
    badge = {
        "schemaVersion": 1,
        "label": label,
        "message": message,
        "color": colour,
    }
    return json.dumps(badge, indent=2) + "\n"
