"""The next page of a result: a cursor of the server, and the parameter that takes it.

The parameter is found by its name, or chosen by the user if no name is known.

No contract describes a page of a tool's result, so `PageWalk` judges only what can be seen: an item
that was on an earlier page, a cursor that leads back, an end that nothing marks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, canonical, digest, parse
from ..content.text import shortened
from ..protocol.answers.content import Answer, TextPart
from ..protocol.answers.cursors import MAX_CURSOR, End, is_frame, plain, said_of_next
from ..protocol.findings.findings import Finding, error, note, warning
from ..protocol.tool import ToolDefinition
from .call import Call

_SHOWN: Final = 24

_PARAMETERS: Final = (
    "cursor",
    "nextcursor",
    "pagecursor",
    "aftercursor",
    "startcursor",
    "pagetoken",
    "nextpagetoken",
    "nexttoken",
    "continuationtoken",
    "continuation",
    "startingafter",
    "after",
    "nextpage",
    "marker",
    "scrollid",
    "bookmark",
    "offset",
)
"""Names of parameters, in small letters without `_` and `-`; the first that a tool has counts."""


@frozen
class NextPageCall:
    """Parameter and cursor of a call for the next page; both are raw."""

    parameter: str
    """Empty if no name of a parameter is known to take a cursor, and a person has to choose."""
    cursor: str
    is_repeated: bool = False
    """It is the cursor that this very page was asked for with: going on would go round."""
    too_long: int = 0
    """Characters of a cursor that is too long to be sent back; `cursor` is empty then."""

    @property
    def can_be_asked_for(self) -> bool:
        return not self.is_repeated and not self.too_long

    @property
    def words(self) -> str:
        """One line for the answer; safe to show."""
        if self.too_long:
            return too_long_words(self.too_long)
        if self.is_repeated:
            return f"no next page: the server gave the same cursor again ({self.cursor_shown})"
        return f"more: next page with > (cursor {self.cursor_shown})"

    @property
    def cursor_shown(self) -> str:
        return cursor_shown(self.cursor)

    def arguments(self, before: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The arguments of the next page, given those of this one."""
        return {**before, self.parameter: self.cursor}


def cursor_shown(cursor: str) -> str:
    """The beginning of a cursor in quotes; safe to show."""
    return f"“{shortened(cursor, _SHOWN)}”"


def too_long_words(length: int) -> str:
    return f"no next page: its cursor has {length:,} characters; the limit is {MAX_CURSOR:,}"


def next_page(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue], answer: Answer, parameter: str = ""
) -> NextPageCall | None:
    """The next page that an answer offers; None if it is the last, or has no exact cursor.

    `parameter`: the one that takes the cursor, as chosen by a person.
    """
    if answer.is_error:
        return None
    parameter = parameter or cursor_parameter(tool) or ""
    used = arguments.get(parameter) if parameter else None
    said = said_of_next(answer, parameter, used)
    if not parameter and not (said.is_explicit and text_parameters(tool)):
        return None
    if said.too_long:
        return NextPageCall(parameter, "", too_long=said.too_long)
    if said.cursor is None:
        return None
    return NextPageCall(parameter, said.cursor, is_repeated=said.cursor == used)


def page_after(call: Call) -> NextPageCall | None:
    """The next page that the answer of an ended call offers."""
    if not call.is_over or call.answer is None or call.tool is None:
        return None
    parameter = call.page.parameter if call.page is not None else ""
    return next_page(call.tool, call.snapshot.arguments(), call.answer, parameter)


def cursor_parameter(tool: ToolDefinition) -> str | None:
    """The string parameter of a tool that takes a cursor by its name; raw."""
    known = {plain(name): name for name in text_parameters(tool)}
    return next((known[name] for name in _PARAMETERS if name in known), None)


def text_parameters(tool: ToolDefinition) -> tuple[str, ...]:
    """The parameters of a tool that take text, raw, in the order of its schema."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ()
    return tuple(name for name, one in properties.items() if _takes_text(one))


def parameters_for(tool: ToolDefinition) -> tuple[str, ...]:
    """The parameters that a cursor may go into, the likeliest first; raw."""
    likely = cursor_parameter(tool)
    others = [name for name in text_parameters(tool) if name != likely]
    return (*([likely] if likely is not None else []), *others)


def _takes_text(schema: JsonValue) -> bool:
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return True
    branches = schema.get("anyOf") or schema.get("oneOf")
    return isinstance(branches, list) and any(
        isinstance(one, dict) and one.get("type") == "string" for one in branches
    )


MAX_FINDINGS: Final = 1_000
MAX_ITEMS: Final = 200_000
"""Items of all pages that are remembered, to find those that come again."""
_MAX_PAGE_TEXT: Final = 4_000_000
"""Characters of a page's texts that are taken apart into items."""
_WORDS_SHOWN: Final = 60
_BULLET: Final = re.compile(r"\s{0,8}(?:[-*•]|\d{1,9}[.)]) +\S")
_WORD: Final = re.compile(r"\w")

Item = tuple[str, str]
"""By what an item is known again, and the item as it is shown, cut and safe to show."""


@frozen
class PageLook:
    """Facts about one page; `cursor` and `next_cursor` are raw."""

    cursor: str | None
    next_cursor: str | None
    items: int
    repeated: int
    """Items that were on an earlier page."""
    end: End


@dataclass
class PageWalk:
    """Takes one page after the other. `parameter` takes the cursor; "" if none is known."""

    parameter: str
    pages: list[PageLook] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _asked: dict[str, int] = field(default_factory=dict)
    """Cursor -> the page that it asked for."""
    _seen: dict[str, int] = field(default_factory=dict)
    """Item -> the page on which it was first."""

    @classmethod
    def of(cls, tool: ToolDefinition, parameter: str = "") -> PageWalk:
        """`parameter`: as chosen by a person; else the one with a name for a cursor."""
        return cls(parameter or cursor_parameter(tool) or "")

    @property
    def count(self) -> int:
        """Items of all pages, those that came again not counted."""
        return sum(page.items - page.repeated for page in self.pages)

    @property
    def is_broken(self) -> bool:
        """True if the pages break the usual promise: each item once, and an end."""
        return any(finding.code in BREAKING for finding in self.findings)

    @property
    def ended(self) -> bool:
        """True if the last page was reached, marked as such or not."""
        return bool(self.pages) and self.pages[-1].end in (End.MARKED, End.ABSENT)

    @property
    def words(self) -> str:
        """One line for all pages; safe to show."""
        pages, items = len(self.pages), self.count
        shown = (
            f"{pages:,} page{'' if pages == 1 else 's'}, {items:,} item{'' if items == 1 else 's'}"
        )
        if not self.pages:
            return "no page received"
        return f"{shown}, {END_WORDS[self.pages[-1].end]}"

    def take(self, arguments: Mapping[str, JsonValue], answer: Answer) -> str | None:
        """Look at the page that these arguments asked for.

        Returns the cursor of the page after it, raw; None if there is none to go to.
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
        if self.pages and self.pages[-1].end is End.MORE and not self._has("page-cursor-loops"):
            words = (
                f"there are more pages after page {len(self.pages)}, but they were not requested"
            )
            self._find(note("pages-not-finished", words))

    def _go_on(self, number: int, cursor: str, is_empty: bool) -> str | None:
        if not self.parameter:
            words = f"page {number} gives the cursor {cursor_shown(cursor)}, but the parameter of"
            words += " the tool for it is not known"
            self._find(warning("cursor-has-no-parameter", words))
            return None
        if cursor in self._asked:
            words = f"page {number} gives the cursor {cursor_shown(cursor)} that requested page "
            words += f"{self._asked[cursor]:,} before: the cursors form a loop"
            self._find(error("page-cursor-loops", words))
            return None
        if is_empty:
            self._find(note("page-empty", f"page {number} has no items but declares more pages"))
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
    "page-cursor-loops",
    "cursor-too-long",
    "cursor-has-no-parameter",
)
"""Findings for which `signoff call --pages` ends as for an answer that breaks its contract."""

END_WORDS: Final = {
    End.MORE: "not the last page",
    End.MARKED: "the end is marked",
    End.ABSENT: "the end is marked by a missing cursor",
    End.UNMARKED: "the end is not marked",
}
UNMARKED: Final = (
    "page {0} has no usable cursor and does not mark the end: it may be the last page, or the "
    "cursor was forgotten"
)


def items_of(answer: Answer) -> list[Item]:
    """The items of a page: those of its longest list of data, else the lines of its texts.

    Of lines, only bullets count if there are any, since the rest is text around them.
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
    return shortened(text, _WORDS_SHOWN)
