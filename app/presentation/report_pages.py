"""A report on findings as Markdown and as a page of HTML, for every command that has findings.

Nothing of a server is a link, a mention or markup in either of them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ..content import html
from ..content.frozen import frozen
from ..content.text import count
from .escapes import markdown, markdown_name, own_markdown
from .junit import Ending, TestCase, TestSuite

_WORDS: Final = {
    Ending.FAILED: "failed",
    Ending.ERROR: "error",
    Ending.SKIPPED: "skipped",
    Ending.PASSED: "passed",
}
_SHOWN_FIRST: Final = (Ending.ERROR, Ending.FAILED, Ending.SKIPPED, Ending.PASSED)
_STYLE: Final = """
li { overflow-wrap: anywhere; margin: .3rem 0; }
"""


class Strong(str):
    """Words in bold."""

    __slots__ = ()


class Name(str):
    """The name of a tool or a command, as code."""

    __slots__ = ()


@frozen
class ReportEntry:
    """One finding or check: a sentence of any texts, and more about it."""

    sentence: tuple[str, ...]
    """Its parts, some of them `Strong` or a `Name`."""
    details: tuple[str, ...] = ()


@frozen
class ReportRow:
    """Things of the same values: a row of a table in HTML, an entry of a list in Markdown."""

    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    """The lines of each cell; the first cell has one."""


@frozen
class ReportSection:
    """Entries that belong together, below the facts that all of them share."""

    title: str
    entries: tuple[ReportEntry, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Paragraphs with a label, or an empty one: words of Signoff, whose addresses stay links."""
    heads: tuple[str, ...] = ()
    rows: tuple[ReportRow, ...] = ()
    """Rows below `heads` in place of entries; Markdown folds them."""


@frozen
class ReportPage:
    """The whole report."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[ReportSection, ...]
    caution: str = ""
    """A small last paragraph; empty for none."""


def named_entry(name: str, words: str, details: Sequence[str] = (), mark: str = "") -> ReportEntry:
    """`mark **name**: words`; `mark` is how it ended, before its name."""
    pieces = (f"{mark} " if mark else "", Strong(name), f": {words}" if words else "")
    return ReportEntry(pieces, tuple(details))


def page_markdown(page: ReportPage, mask: Callable[[str], str] = str, level: int = 1) -> str:
    """A report in Markdown; `mask` hides the secrets of each text. `level` is that of its title."""

    def line(*pieces: str) -> str:
        return "".join(_markdown_piece(piece, mask) for piece in pieces)

    lines = [f"{'#' * level} {line(page.title)}"]
    for words in page.lead:
        lines += ["", line(words)]
    for section in page.sections:
        title, entries = line(section.title), [*section.entries, *map(_listed, section.rows)]
        folded = f"<details><summary>{title}</summary>"
        lines += ["", folded if section.rows else f"{'#' * (level + 1)} {title}", ""]
        for label, words in section.facts:
            lines += [f"{f'*{label}:* ' if label else ''}{own_markdown(words)}", ""]
        for entry in entries:
            lines.append(f"- {line(*entry.sentence)}")
            lines += [f"  - {line(words.strip())}" for words in entry.details]
        lines += ["", "</details>"] if section.rows else []
    lines += ["", f"*{line(page.caution)}*"] if page.caution else []
    return re.sub("\n{3,}", "\n\n", "\n".join(lines).rstrip()) + "\n"


def _listed(row: ReportRow) -> ReportEntry:
    names: list[str] = [Name(row.names[0])]
    for name in row.names[1:]:
        names += [", ", Name(name)]
    first, *more = [line for cell in row.cells for line in cell]
    return ReportEntry((*names, f": {first}"), tuple(more))


def _markdown_piece(piece: str, mask: Callable[[str], str]) -> str:
    if isinstance(piece, Name):
        return markdown_name(mask(piece))
    words = markdown(mask(piece))
    return f"**{words}**" if isinstance(piece, Strong) else words


def page_html(page: ReportPage, mask: Callable[[str], str] = str) -> str:
    """The same as one page without a script."""
    return html.page(mask(page.title), _STYLE, _body(page, mask))


def _body(page: ReportPage, mask: Callable[[str], str]) -> Iterator[str]:
    def line(*pieces: str) -> str:
        return "".join(_html_piece(piece, mask) for piece in pieces)

    yield html.element("h1", line(page.title))
    for words in page.lead:
        yield html.element("p", line(words))
    for section in page.sections:
        yield html.element("h2", line(section.title))
        for label, words in section.facts:
            yield html.paragraph(f"{label}: {words}" if label else words)
        if section.entries:
            yield _list(
                line(*entry.sentence) + _list(map(line, entry.details)) for entry in section.entries
            )
        if section.rows:
            rows = (
                html.row(
                    ("<br>".join(map(line, cell)) for cell in row.cells),
                    heading=", ".join(line(Name(name)) for name in row.names),
                )
                for row in section.rows
            )
            yield html.table(section.heads, rows, is_wide=True)
    if page.caution:
        yield html.element("p", line(page.caution), role="dim")


def _list(items: Iterable[str]) -> str:
    inside = "\n".join(html.element("li", one) for one in items)
    return html.element("ul", inside) if inside else ""


def _html_piece(piece: str, mask: Callable[[str], str]) -> str:
    if isinstance(piece, Name):
        return html.code(mask(piece))
    words = html.text(mask(piece))
    return html.element("strong", words) if isinstance(piece, Strong) else words


def joined_pages(pages: Iterable[ReportPage]) -> ReportPage:
    """The reports on several servers as one, with the title of each before its sections."""
    listed = list(pages)
    if len(listed) == 1:
        return listed[0]
    sections: list[ReportSection] = []
    for one in listed:
        sections += [ReportSection(one.title, facts=tuple(("", words) for words in one.lead))]
        sections += one.sections
    return ReportPage(f"signoff: {count(len(listed), 'server')}", (), tuple(sections))


def page_of_suites(
    command: str, suites: Sequence[TestSuite], lead: Sequence[str] = ()
) -> ReportPage:
    """The report on the same cases that JUnit has; those that failed are first.

    The lines of `lead` are in place of the number of cases.
    """
    sections = (ReportSection(one.name, tuple(map(_entry, _in_order(one)))) for one in suites)
    return ReportPage(f"signoff {command}", tuple(lead) or (_numbers(suites),), tuple(sections))


def _in_order(suite: TestSuite) -> list[TestCase]:
    return sorted(suite.cases, key=lambda case: _SHOWN_FIRST.index(case.ending))


def _numbers(suites: Sequence[TestSuite]) -> str:
    total = sum(len(suite.cases) for suite in suites)
    numbers = {end: sum(suite.count(end) for suite in suites) for end in _SHOWN_FIRST}
    told = [f"{number:,} {_WORDS[end]}" for end, number in numbers.items() if number]
    return ": ".join(filter(None, (count(total, "check"), ", ".join(told))))


def _entry(case: TestCase) -> ReportEntry:
    lines = [one for one in f"{case.words}\n{case.output}".split("\n") if one.strip()]
    details = [one for one in lines if one != case.message]
    words = case.message or (details.pop(0) if details else "")
    return named_entry(case.name, words, details, _WORDS[case.ending])
