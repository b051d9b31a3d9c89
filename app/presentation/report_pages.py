"""A report on findings as Markdown and as a page of HTML, for every command that has findings.

Nothing of a server is a link, a mention or markup in either of them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from ..content import html
from ..content.frozen import frozen
from ..content.text import count
from .escapes import markdown, markdown_head, markdown_name, own_markdown
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
summary { padding: .25rem .3rem; border-bottom: 1px solid var(--line); }
summary strong { font-weight: inherit; }
b.failed { color: var(--bad); } b.passed { color: var(--good); } b.idle { color: var(--dim); }
details p { color: var(--dim); }
details table { width: 100%; table-layout: fixed; margin: .6rem 0; }
details th, details td { padding: .25rem .5rem; overflow-wrap: anywhere; }
details th:first-child { width: 11rem; }
"""
_ROLES: Final = {
    Ending.FAILED: "failed",
    Ending.ERROR: "failed",
    Ending.SKIPPED: "idle",
    Ending.PASSED: "passed",
}


class Strong(str):
    """Words in bold."""

    __slots__ = ()


class Name(str):
    """The name of a tool or a command, as code."""

    __slots__ = ()


@frozen
class ReportComparison:
    """An expected and an observed value, with its outcome in a word."""

    name: str
    outcome: str
    expected: str
    seen: str
    is_kept: bool


@frozen
class ReportBlock:
    """Proof of an entry: comparisons, or a text as it is, below a label."""

    label: str = ""
    text: str = ""
    comparisons: tuple[ReportComparison, ...] = ()
    """Markdown has those that are not kept."""


@frozen
class ReportEntry:
    """One finding or check: a sentence of any texts, and more about it."""

    sentence: tuple[str, ...]
    """Its parts, some of them `Strong` or a `Name`."""
    details: tuple[str, ...] = ()
    ending: Ending | None = None
    """Of a check that opens on its proof in HTML. Those that failed are open, and in Markdown
    they are first."""
    mark: str = ""
    """The ending in a word."""
    aside: str = ""
    proof: tuple[ReportBlock, ...] = ()
    id: str = ""
    """A name that is the same in every report; its place on the page."""


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
    """Rows below `heads` in place of entries."""
    is_folded: bool = True
    """Whether Markdown folds the rows, as a list; otherwise they are a table there, too."""
    lead: tuple[str, ...] = ()
    """Lines of any text below the title."""
    notes: tuple[str, ...] = ()
    """Lines of any text behind the entries."""


@frozen
class ReportPage:
    """The whole report."""

    title: str
    lead: tuple[str, ...]
    sections: tuple[ReportSection, ...]
    caution: str = ""
    """A small last paragraph; empty for none."""


_Checked = TypeVar("_Checked", TestCase, ReportEntry)


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
        title, is_folded = line(section.title), bool(section.rows) and section.is_folded
        folded = f"<details><summary>{title}</summary>"
        lines += ["", folded if is_folded else f"{'#' * (level + 1)} {title}", ""]
        for label, words in section.facts:
            lines += [f"{f'*{label}:* ' if label else ''}{own_markdown(words)}", ""]
        for words in section.lead:
            lines += [line(words), ""]
        listed = map(_listed, section.rows if is_folded else ())
        for entry in (*_in_order(section.entries), *listed):
            mark, aside = f"{entry.mark} " if entry.mark else "", entry.aside and f": {entry.aside}"
            lines.append(f"- {line(mark, *entry.sentence, aside)}")
            details = [*entry.details, *(words for one in entry.proof for words in _details(one))]
            lines += [f"  - {line(words.strip())}" for words in details if words.strip()]
        if section.rows and not is_folded:
            lines += _markdown_table(section, line)
        lines += ["", "</details>"] if is_folded else []
        lines += ["", *(f"- {line(words)}" for words in section.notes)]
    lines += ["", f"*{line(page.caution)}*"] if page.caution else []
    return re.sub("\n{3,}", "\n\n", "\n".join(lines).rstrip()) + "\n"


def _details(block: ReportBlock) -> Iterator[str]:
    yield block.label
    for one in block.comparisons:
        if not one.is_kept:
            yield f"{one.name}: expected {one.expected}; seen {one.seen}"
    yield from block.text.split("\n")


def _markdown_table(section: ReportSection, line: Callable[..., str]) -> Iterator[str]:
    yield from markdown_head(section.heads)
    for row in section.rows:
        cells = ("<br>".join(map(line, cell)) for cell in row.cells)
        yield f"| {' | '.join((', '.join(line(Name(one)) for one in row.names), *cells))} |"


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
        for words in section.lead:
            yield html.element("p", line(words), role="dim")
        yield _list(
            line(*entry.sentence) + _list(map(line, entry.details))
            for entry in section.entries
            if entry.ending is None
        )
        for entry in section.entries:
            if entry.ending is not None:
                yield _opening(entry, entry.ending, mask)
        if section.rows:
            rows = (
                html.row(
                    ("<br>".join(map(line, cell)) for cell in row.cells),
                    heading=", ".join(line(Name(name)) for name in row.names),
                )
                for row in section.rows
            )
            yield html.table(section.heads, rows, is_wide=True)
        if section.notes:
            yield html.quote("\n".join(map(mask, section.notes)))
    if page.caution:
        yield html.element("p", line(page.caution), role="dim")


def _opening(entry: ReportEntry, ending: Ending, mask: Callable[[str], str]) -> str:
    """An entry that opens on its proof; open from the start if it failed."""
    sentence = "".join(_html_piece(piece, mask) for piece in entry.sentence)
    small = html.element("small", html.text(mask(entry.aside)))
    mark = html.element("b", html.text(entry.mark), role=_ROLES[ending])
    is_open = "open" if ending in (Ending.FAILED, Ending.ERROR) else ""
    inside = (line for block in entry.proof for line in _block(block, mask))
    anchor = html.anchor(entry.id) if entry.id else ""
    return html.details(f"{mark} {sentence} {small}", inside, open=is_open, id=anchor)


def _block(block: ReportBlock, mask: Callable[[str], str]) -> Iterator[str]:
    if block.label:
        yield html.paragraph(f"{mask(block.label)}:" if block.text else mask(block.label))
    if block.comparisons:
        rows = (_comparison(one, mask) for one in block.comparisons)
        yield html.table(("what", "expected", "seen"), rows)
    if block.text:
        yield html.quote(mask(block.text))


def _comparison(one: ReportComparison, mask: Callable[[str], str]) -> str:
    role = _ROLES[Ending.PASSED if one.is_kept else Ending.FAILED]
    name = f"{html.element('b', html.text(one.outcome), role=role)} {html.text(mask(one.name))}"
    return html.row([html.block(mask(one.expected)), html.block(mask(one.seen))], heading=name)


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
    sections = (ReportSection(one.name, tuple(map(_entry, _in_order(one.cases)))) for one in suites)
    return ReportPage(f"signoff {command}", tuple(lead) or (_numbers(suites),), tuple(sections))


def _in_order(cases: Iterable[_Checked]) -> list[_Checked]:
    return sorted(cases, key=lambda one: _SHOWN_FIRST.index(one.ending or Ending.ERROR))


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
