"""A report on findings as Markdown and as a page of HTML, for every command that has findings.

Nothing of a server is a link, a mention or markup in either of them. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ..content import html
from ..content.frozen import frozen
from ..content.text import count
from .escapes import markdown, own_markdown
from .junit import Ending, TestCase, TestSuite

_WORDS: Final = {
    Ending.FAILED: "failed",
    Ending.ERROR: "error",
    Ending.SKIPPED: "skipped",
    Ending.PASSED: "passed",
}
_SHOWN_FIRST: Final = (Ending.ERROR, Ending.FAILED, Ending.SKIPPED, Ending.PASSED)
_STYLE: Final = """
li { overflow-wrap: anywhere; }
pre { margin: .3rem 0; }
"""


@frozen
class ReportEntry:
    """One finding or check: any text."""

    name: str
    words: str
    details: tuple[str, ...] = ()
    mark: str = ""
    """How it ended, before its name; empty for none."""


@frozen
class ReportSection:
    """Entries that belong together, below the facts that all of them share."""

    title: str
    entries: tuple[ReportEntry, ...]
    facts: tuple[tuple[str, str], ...] = ()
    """Paragraphs with a label, or an empty one: words of Signoff, whose addresses stay links."""


@frozen
class ReportPage:
    """The whole report."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[ReportSection, ...]


def page_markdown(page: ReportPage, mask: Callable[[str], str] = str) -> str:
    """A report in Markdown; `mask` hides the secrets of each text."""
    lines = [f"# {markdown(mask(page.title))}"]
    for words in page.lead:
        lines += ["", markdown(mask(words))]
    for section in page.sections:
        lines += ["", f"## {markdown(mask(section.title))}", ""]
        for label, words in section.facts:
            lines += [f"{f'*{label}:* ' if label else ''}{own_markdown(words)}", ""]
        for entry in section.entries:
            lines += _markdown_entry(entry, mask)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_entry(entry: ReportEntry, mask: Callable[[str], str]) -> Iterator[str]:
    mark = f"{entry.mark} " if entry.mark else ""
    words = f": {markdown(mask(entry.words))}" if entry.words else ""
    yield f"- {mark}**{markdown(mask(entry.name))}**{words}"
    for line in entry.details:
        yield f"  - {markdown(mask(line.strip()))}"


def page_html(page: ReportPage, mask: Callable[[str], str] = str) -> str:
    """The same as one page without a script."""
    return html.page(mask(page.title), _STYLE, _body(page, mask))


def _body(page: ReportPage, mask: Callable[[str], str]) -> Iterator[str]:
    yield html.element("h1", html.text(mask(page.title)))
    for words in page.lead:
        yield html.paragraph(mask(words))
    for section in page.sections:
        yield html.element("h2", html.text(mask(section.title)))
        for label, words in section.facts:
            yield html.paragraph(f"{label}: {words}" if label else words)
        items = "\n".join(_html_entry(entry, mask) for entry in section.entries)
        yield html.element("ul", items)


def _html_entry(entry: ReportEntry, mask: Callable[[str], str]) -> str:
    mark = f"{html.text(entry.mark)} " if entry.mark else ""
    words = f": {html.text(mask(entry.words))}" if entry.words else ""
    details = html.quote("\n".join(map(mask, entry.details))) if entry.details else ""
    return html.element("li", f"{mark}<b>{html.text(mask(entry.name))}</b>{words}{details}")


def joined_pages(pages: Iterable[ReportPage]) -> ReportPage:
    """The reports on several servers as one, with the title of each before its sections."""
    listed = list(pages)
    if len(listed) == 1:
        return listed[0]
    sections: list[ReportSection] = []
    for one in listed:
        sections += [ReportSection(one.title, (), tuple(("", words) for words in one.lead))]
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
    return ReportEntry(case.name, words, tuple(details), _WORDS[case.ending])
