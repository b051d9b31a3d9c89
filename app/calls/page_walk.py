"""Going through the pages of an answer one by one: where to go on, and what is wrong with them.

No contract says what a page of a tool looks like, so this judges only what can be seen: an item
that was on an earlier page, a cursor that leads back, an end that nothing marks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..content.json.jsonio import JsonError, JsonValue, canonical, digest, parse
from ..content.text import shortened
from ..protocol.answers.content import Answer, TextPart
from ..protocol.answers.cursors import End, is_frame, said_of_next
from ..protocol.findings import Finding, error, note, warning
from ..protocol.tools import ToolDefinition
from .paging import (
    cursor_parameter,
    cursor_shown,
    too_long_words,
)

MAX_FINDINGS: Final = 1_000
MAX_ITEMS: Final = 200_000
"""Items of all pages that are remembered, to find those that come again."""
_MAX_PAGE_TEXT: Final = 4_000_000
"""Characters of a page's texts that are taken apart into items."""
_SHOWN: Final = 60
_BULLET: Final = re.compile(r"\s{0,8}(?:[-*•]|\d{1,9}[.)]) +\S")
_WORD: Final = re.compile(r"\w")

Item = tuple[str, str]
"""By what an item is known again, and the item as it is shown, cut and safe to show."""


@dataclass(frozen=True, slots=True)
class PageLook:
    """What was seen of one page; `cursor` and `next_cursor` are raw."""

    cursor: str | None
    next_cursor: str | None
    items: int
    repeated: int
    """Items that were on an earlier page."""
    end: End


@dataclass
class PageWalk:
    """Takes one page after the other. `parameter` takes the cursor; "" where none is known."""

    parameter: str
    pages: list[PageLook] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _asked: dict[str, int] = field(default_factory=dict)
    """Cursor -> the page that it asked for."""
    _seen: dict[str, int] = field(default_factory=dict)
    """Item -> the page on which it was first."""

    @classmethod
    def of(cls, tool: ToolDefinition, parameter: str = "") -> PageWalk:
        """`parameter`: by a person's word; else the one whose name says that it takes a cursor."""
        return cls(parameter or cursor_parameter(tool) or "")

    @property
    def count(self) -> int:
        """Items of all pages, those that came again not counted."""
        return sum(page.items - page.repeated for page in self.pages)

    @property
    def is_broken(self) -> bool:
        """Whether the pages break what pages promise: each item once, and an end."""
        return any(finding.code in BREAKING for finding in self.findings)

    @property
    def ended(self) -> bool:
        """Whether the last page was reached, marked as such or not."""
        return bool(self.pages) and self.pages[-1].end in (End.MARKED, End.ABSENT)

    @property
    def words(self) -> str:
        """One line for all pages; safe to show."""
        pages, items = len(self.pages), self.count
        shown = (
            f"{pages:,} page{'' if pages == 1 else 's'}, {items:,} item{'' if items == 1 else 's'}"
        )
        if not self.pages:
            return "no page was answered"
        return f"{shown}, {END_WORDS[self.pages[-1].end]}"

    def take(self, arguments: Mapping[str, JsonValue], answer: Answer) -> str | None:
        """Look at the page that these arguments asked for.

        Returns the cursor of the page after it, raw; None where there is none to go to.
        """
        number = len(self.pages) + 1
        used = arguments.get(self.parameter) if self.parameter else None
        cursor = used if isinstance(used, str) else None
        if cursor is not None:
            self._asked.setdefault(cursor, number)
        said = said_of_next(answer, self.parameter, used)
        found = items_of(answer)
        repeated = self._look_for_repeats(number, found)
        end = End.UNMARKED if said.too_long else said.end
        self.pages.append(PageLook(cursor, said.cursor, len(found), repeated, end))
        if said.too_long:
            self._find(error("cursor-too-long", f"page {number}: {too_long_words(said.too_long)}"))
            return None
        if said.cursor is None:
            if said.end is End.UNMARKED:
                self._find(warning("page-end-unmarked", UNMARKED.format(number)))
            return None
        return self._go_on(number, said.cursor, not found)

    def stopped(self) -> None:
        """No more pages were asked for, although there are some."""
        if self.pages and self.pages[-1].end is End.MORE and not self._has("cursor-loops"):
            words = f"there is more after page {len(self.pages)}, and no more was asked for"
            self._find(note("pages-not-finished", words))

    def _go_on(self, number: int, cursor: str, is_empty: bool) -> str | None:
        if not self.parameter:
            words = f"page {number} gives the cursor {cursor_shown(cursor)}, and no parameter of"
            words += " the tool is known to take it"
            self._find(warning("cursor-has-no-parameter", words))
            return None
        if cursor in self._asked:
            words = f"page {number} gives the cursor {cursor_shown(cursor)} that asked for page "
            words += f"{self._asked[cursor]:,} before: going on would go round"
            self._find(error("cursor-loops", words))
            return None
        if is_empty:
            self._find(note("page-empty", f"page {number} has no items and says there is more"))
        return cursor

    def _look_for_repeats(self, number: int, found: Sequence[Item]) -> int:
        again: dict[int, list[str]] = {}
        for key, shown in found:
            first = self._seen.get(key)
            if first is not None and first != number:
                again.setdefault(first, []).append(shown)
            elif first is None and len(self._seen) < MAX_ITEMS:
                self._seen[key] = number
        for first, items in again.items():
            count = f"{len(items):,} item{'' if len(items) == 1 else 's'}"
            words = f"page {number} repeats {count} of page {first}, the first of them “{items[0]}”"
            self._find(error("page-repeats", words))
        return sum(map(len, again.values()))

    def _has(self, code: str) -> bool:
        return any(finding.code == code for finding in self.findings)

    def _find(self, finding: Finding) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)


BREAKING: Final = (
    "page-repeats",
    "page-end-unmarked",
    "cursor-loops",
    "cursor-too-long",
    "cursor-has-no-parameter",
)
"""Findings for which `signoff call --pages` ends as for an answer that breaks its contract."""

END_WORDS: Final = {
    End.MORE: "not the last page",
    End.MARKED: "the end is marked",
    End.ABSENT: "the end is marked by the absence of a cursor",
    End.UNMARKED: "the end is not marked",
}
UNMARKED: Final = (
    "page {0} gives no cursor that could be sent and does not say that it is the last: "
    "nobody can tell an end from a cursor that was forgotten"
)


def items_of(answer: Answer) -> list[Item]:
    """The items of a page: those of its longest list of data, else the lines of its texts.

    Of lines, bullets alone count where there are any, since the rest is what stands around them.
    """
    if answer.has_structured:
        return _listed(answer.structured)
    lines: list[str] = []
    room = _MAX_PAGE_TEXT
    for part in answer.parts:
        if not isinstance(part, TextPart) or room <= 0:
            continue
        text, room = part.text[:room], room - len(part.text)
        if text[:200].lstrip()[:1] in ("{", "["):
            try:
                return _listed(parse(text).value)
            except JsonError:
                pass
        lines += [line for line in text.splitlines() if _WORD.search(line[:2_000])]
    lines = [line for line in lines if not is_frame(line[-20_000:])]
    bullets = [line for line in lines if _BULLET.match(line)]
    if not bullets and len(lines) > 1 and lines[0].rstrip().endswith(":"):
        lines = lines[1:]
    return [(f"line {line.strip()}", _short(line.strip())) for line in bullets or lines]


def _listed(value: JsonValue) -> list[Item]:
    """The longest list at the top or one level down; known by an `id` of its own, or by all."""
    lists = [value] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
    rows = max(lists, key=len, default=[])
    name = next((name for name in _IDS if _is_unique(rows, name)), None)
    return [_item(row, name) for row in rows]


_IDS: Final = ("id", "_id", "uuid", "key", "uri", "url", "full_name", "fullName", "path")


def _is_unique(rows: Sequence[JsonValue], name: str) -> bool:
    values = [row.get(name) if isinstance(row, dict) else None for row in rows]
    is_name = all(isinstance(one, str) or type(one) is int for one in values)
    return bool(values) and is_name and len(set(map(repr, values))) == len(values)


def _item(row: JsonValue, name: str | None) -> Item:
    if name is not None and isinstance(row, dict):
        value = row[name]
        return f"{name} {value!r}", _short(str(value))
    try:
        return f"row {digest(row)}", _short(canonical(row))
    except JsonError:
        return f"row {row!r}", _short(repr(row))


def _short(text: str) -> str:
    return shortened(text, _SHOWN)
