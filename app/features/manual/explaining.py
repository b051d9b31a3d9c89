"""What a code means: from the registers of findings and exit statuses, and the pages.

A rule of lint is explained by `lint` itself, through the hook `lint rules`. Tables and sentences of
the manual that name the code follow: a fact is written in one place only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from ...hosts.files.problems import GROUP_OF
from ...presentation.exit_status import ExitStatus
from ...presentation.feature import hook
from ...protocol.findings.codes import CODES, GROUPS
from ...protocol.findings.explanations.every import EXPLANATIONS
from ...protocol.findings.spec_sections import SECTIONS
from .pages import for_reading, names

RULES: Final = "lint rules"
"""The hook of lint: its rules by code, each with its title and the lines of its page."""
_STATUSES: Final = "reference/exit-statuses"
_REGISTERS: Final = (
    "reference/findings",
    "reference/finding-explanations",
    "reference/lint-rules",
    "reference/options",
)
"""Pages whose tables are made from registers that are read here themselves, or have no codes."""
_RULE: Final = re.compile(r"^\|(?:-+\|)+$")
_CODE: Final = re.compile(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`")
_SENTENCE: Final = re.compile(r"(?<=[.;])\s+(?=[A-Z`])")
_MOST: Final = 6
"""Sentences of the manual about one code."""


def kinds() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every code with its meaning or its group, by the place that it is seen in."""
    for group, codes in GROUPS.items():
        yield f"findings in {group}", {code: row.meaning for code, row in codes.items()}
    yield "rules of lint", {code: title for code, (title, _) in _rules().items()}
    yield "problems of configuration files", dict(GROUP_OF)
    yield "exit statuses", {str(number): "" for number in sorted({*map(int, ExitStatus)})}


def known() -> set[str]:
    """Everything that can be explained."""
    return {*(code for _, codes in kinds() for code in codes), *_rows()}


def explained(code: str) -> list[str]:
    """What a code means, line by line; nothing if it is not known."""
    if code.isascii() and code.isdecimal():
        return list(_status(int(code)))
    title, page = _rules().get(code, ("", ()))
    lines = list(page) or _named(code)
    for part in (_places(code), _cells(code), _sentences(code)):
        more = list(part)
        lines += ["", *more] if lines and more else more
    return lines if title or code in known() else []


def _named(code: str) -> list[str]:
    """The lines of a finding without a rule of lint, in the order of those of a rule."""
    row = CODES.get(code)
    if row is None:
        return []
    one = EXPLANATIONS[code]
    return [
        f"{code}   {' or '.join(severity.value for severity in row.severities)}",
        "",
        f"What   {row.meaning}",
        f"Why    {one.why}",
        f"Fix    {one.fix}",
        "",
        "Example:",
        f"    {' '.join(one.example.split())}",
    ]


def _places(code: str) -> Iterator[str]:
    """Where a code is seen, and the sections of the specification behind it."""
    for group, codes in GROUPS.items():
        if code in codes:
            yield f"Seen in {group}"
    if code in GROUP_OF:
        yield f"Seen in configuration files ({GROUP_OF[code]}): signoff servers --check has the fix"
    sections = SECTIONS.get(code)
    for one in (sections.modern, sections.legacy) if sections else ():
        if one is not None:
            yield f"Section {one.words}: {one.url}"


@cache
def _rules() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    found = hook(RULES)
    return {} if found is None else found()


def _status(number: int) -> Iterator[str]:
    """The rows of an exit status, each with all its commands."""
    for head, cells in _tables(_STATUSES):
        if head[0] == "exit status" and str(number) in re.findall(r"\d+", cells[0]):
            yield f"{cells[0]}   {cells[1]}"


@cache
def _rows() -> Mapping[str, tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]]:
    """Rows of tables whose first cell has a code: the page, the head and the cells."""
    found: dict[str, list[tuple[str, tuple[str, ...], tuple[str, ...]]]] = {}
    for page in names():
        if page in _REGISTERS:
            continue
        for head, cells in _tables(page):
            for code in _CODE.findall(cells[0]):
                found.setdefault(code, []).append((page, head, cells))
    return {code: tuple(some) for code, some in found.items()}


def _cells(code: str) -> Iterator[str]:
    for page, head, cells in _rows().get(code, ()):
        yield f"In the manual, {page}:"
        for name, cell in zip(head, cells, strict=False):
            if cell:
                yield f"    {name}: {cell}"


def _sentences(code: str) -> Iterator[str]:
    """Sentences of the manual with the code, outside of tables."""
    for page, words in _mentions().get(code, ())[:_MOST]:
        yield f"In the manual, {page}:"
        yield f"    {words}"


@cache
def _mentions() -> Mapping[str, list[tuple[str, str]]]:
    """The sentences of the manual that have a code, each with its page."""
    found: dict[str, list[tuple[str, str]]] = {}
    for page in names():
        if page in _REGISTERS:
            continue
        for block in re.split(r"\n\s*\n", for_reading(page)):
            if block.lstrip().startswith(("|", "```")):
                continue
            for one in _SENTENCE.split(" ".join(block.split())):
                for code in dict.fromkeys(_CODE.findall(one)):
                    found.setdefault(code, []).append((page, one))
    return found


def _tables(page: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each row of each table of a page, with the head of the table."""
    head: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    for line in for_reading(page).splitlines():
        if not line.startswith("|"):
            head = before = ()
        elif _RULE.match(line):
            head = before
        else:
            cells = tuple(cell.strip() for cell in line.strip("|").split(" | "))
            if head:
                yield head, cells
            before = cells
