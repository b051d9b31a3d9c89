"""Decisions of hosts as Markdown, as a comment on a pull request, as a page and as a badge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from ...content import html
from ...presentation.escapes import markdown, markdown_name
from ...presentation.pages import CAUTION
from .words import Report, Told, asks_before_harm

MARKER: Final = "signoff-decide"
"""In the first line of a comment: the comment that is kept up to date is found by it."""
LONGEST_COMMENT: Final = 60_000
"""Bytes, as the job that writes the comment reads them; GitHub takes 65,536 characters."""
_KEY: Final = re.compile(r"[^A-Za-z0-9._/-]")
_STYLE: Final = """
.change { margin: 0 0 1rem; }
"""


def report_markdown(report: Report) -> str:
    """The report for a job summary: differences, then all decisions."""
    lines = [f"## {markdown(report.about)}", "", f"**{markdown(report.summary)}**"]
    lines += _told(report)
    lines += ["", *(f"- {markdown(words)}" for words in report.remarks)] if report.remarks else []
    lines += ["", "<details><summary>All decisions</summary>", ""]
    for group in report.groups:
        names = markdown_name(group.names) if len(group.tools) == 1 else markdown(group.names)
        lines += [f"- {names}: {markdown(group.hints)}"]
        lines += [f"  - {markdown(words)}: {markdown(hosts)}" for words, hosts in group.decisions]
        lines += [f"  - {markdown(group.advice)}"] if group.advice else []
    lines += ["", "</details>", "", f"*{markdown(CAUTION)}*"]
    return "\n".join(lines) + "\n"


def comment_markdown(report: Report) -> str:
    """The body of the one comment on a pull request; empty if the change changes no decision."""
    if report.difference is None or report.difference.is_empty:
        return ""
    head = [marker(report.file), f"### Who is asked: {markdown(report.summary)}"]
    tail = ["", markdown(CAUTION)]
    room = LONGEST_COMMENT - sum(map(_bytes, (*head, *tail))) - 500
    lines: list[str] = []
    for line in (*_told(report), "", *(f"- {markdown(words)}" for words in report.remarks)):
        room -= _bytes(line) + 1
        if room < 0:
            lines += ["", "The rest is in the summary of the job."]
            break
        lines.append(line)
    return "\n".join((*head, *lines, *tail)) + "\n"


def _bytes(line: str) -> int:
    return len(line.encode("utf-8", "replace"))


def marker(file: str) -> str:
    """The first line of a comment, with the path of the baseline: one comment for each."""
    return f"<!-- {MARKER} {_KEY.sub('-', file)[:100].replace('--', '-')} -->"


def _told(report: Report) -> Iterator[str]:
    kind = None
    for one in report.told:
        if one.kind is not kind:
            kind = one.kind
            yield ""
            yield f"#### {kind.value}"
            yield ""
        name = f"{markdown_name(one.shown)} " if one.shown else ""
        begins = f"{markdown(one.opening)}{name}{markdown(one.lead)}"
        yield f"- {begins}**{markdown(one.strong)}**{markdown(one.rest)}"
        for words in one.details:
            yield f"  - {markdown(words)}"
        if one.advice:
            yield f"  - {markdown(one.advice)}"


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


def report_html(report: Report) -> str:
    """One page without a script: the differences, then all decisions."""
    title = f"Who is asked: {report.server}"
    return html.page(title, _STYLE, _body(report, title))


def _body(report: Report, title: str) -> Iterator[str]:
    yield html.element("h1", html.text(title))
    yield html.paragraph(report.about)
    yield html.element("p", html.element("strong", html.text(report.summary)))
    kind = None
    for one in report.told:
        if one.kind is not kind:
            kind = one.kind
            yield html.element("h2", html.text(kind.value))
        yield _change(one)
    for words in report.remarks:
        yield html.paragraph(words, "dim")
    yield "<h2>All decisions</h2>"
    rows = [
        html.row(
            (
                html.text(group.hints),
                "<br>".join(html.text(f"{words}: {hosts}") for words, hosts in group.decisions),
                html.text(group.advice),
            ),
            heading=", ".join(html.code(tool) for tool in group.tools),
        )
        for group in report.groups
    ]
    yield html.table(("tools", "declared", "decisions", "one hint more"), rows, is_wide=True)
    yield html.paragraph(CAUTION, "dim")


def _change(one: Told) -> str:
    name = f"{html.code(one.shown)} " if one.shown else ""
    strong = html.element("strong", html.text(one.strong))
    begins = f"{html.text(one.opening)}{name}{html.text(one.lead)}"
    sentence = f"{begins}{strong}{html.text(one.rest)}"
    more = [*one.details, *([one.advice] if one.advice else [])]
    items = "".join(html.element("li", html.text(words)) for words in more)
    listed = html.element("ul", items) if items else ""
    return html.element("div", f"{html.element('p', sentence)}{listed}", role="change")
