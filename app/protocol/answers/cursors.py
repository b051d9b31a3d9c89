"""Finds the cursor of a next page inside a result, or a mark of the last page.

Pages inside results are a tool's own affair; the protocol pages its lists only (spec 2025-11-25,
server/utilities/pagination). So this goes by names, and finds nothing unless they are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, parse
from .content import Answer, TextPart

MAX_CURSOR: Final = 8_192
"""Characters of a cursor that is taken; tokens of published services stay below."""
MAX_TEXT: Final = 64_000
"""Characters of a text that are looked through for an echoed cursor: its end."""
MAX_JSON: Final = 1_000_000
"""Characters of all texts together that are read as JSON for the sake of a cursor."""
_MAX_TAIL: Final = 2_000_000
"""Characters of a text that are looked through for a cursor that is too long: its end."""

_NEXT: Final = (
    "nextcursor",
    "nextpagecursor",
    "nextpagetoken",
    "nexttoken",
    "continuationtoken",
    "nextmarker",
    "nextbookmark",
    "nextoffset",
    "nextpage",
    "next",
)
"""Names of members that hold the next cursor, the clearest first."""

_END: Final = "endcursor"
"""Where the page ended (GraphQL connections): the next cursor only if there is a next page."""
_MORE: Final = ("hasmore", "hasnextpage", "hasnext", "more")
_AROUND: Final = (
    "pagination",
    "paging",
    "page",
    "pageinfo",
    "meta",
    "metadata",
    "responsemetadata",
    "cursors",
)
"""Members of an answer whose own members are looked at, too."""

_NOTHING: Final = ("", "null", "none", "nil", "undefined", "-", "n/a", '""', "''")
_LINE: Final = re.compile(r"[-*•]? ?[\"'`*]{0,3}([A-Za-z][\w-]{0,30})[\"'`*]{0,3} ?[:=] ?(\S+)")
_QUOTED: Final = re.compile(r"\"([A-Za-z][\w-]{0,30})\" ?: ?(?:\"([^\"\\\s]*)\"|null)")
_OPENING: Final = re.compile(
    r"\[ ?next[ _-]?(?:page[ _-]?)?(?:cursor|token) ?[:=] ?", re.IGNORECASE
)
_END_MARK: Final = re.compile(
    r"\[ ?(?:end of (?:the )?(?:results|list|pages|data|items)"
    r"|no (?:more|further) (?:results|pages|data|items)|last page) ?\.?\]",
    re.IGNORECASE,
)


class End(StrEnum):
    """Marks of the last page in a result."""

    MORE = "more"
    """It gives a cursor."""
    MARKED = "marked"
    """The page marks its own end: `[End of results]`, null, the empty string, `hasMore: false`."""
    ABSENT = "absent"
    """It is data and has no cursor, which is how the protocol ends its own lists."""
    UNMARKED = "unmarked"
    """The page is text, without a mark of its end."""


@frozen
class NextPage:
    """A result's data on the page after it; `cursor` is raw."""

    cursor: str | None = None
    end: End = End.UNMARKED
    is_explicit: bool = False
    """The cursor has a key that is used for nothing else."""
    too_long: int = 0
    """Characters of a cursor that is too long to be used; 0 without such a cursor."""


def said_of_next(answer: Answer, parameter: str = "", used: JsonValue = None) -> NextPage:
    """Find the next page of a result.

    `parameter` takes the cursor, and `used` is the value sent in it: the parameter's own name with
    that value is an echo of the request.
    """
    is_data = answer.has_structured
    if is_data and (said := _said_in(answer.structured)) is not None:
        return said
    texts = [part.text for part in answer.parts if isinstance(part, TextPart)]
    room = MAX_JSON
    for text in texts:
        if len(text) > room:
            continue
        room -= len(text) if _may_be_object(text) else 0
        value = _read(text)
        is_data = is_data or value is not None
        if (said := _said_in(value)) is not None:
            return said
    found = _said_in_texts(texts, parameter, used)
    if found.end is End.UNMARKED and not found.too_long and is_data:
        return NextPage(end=End.ABSENT)
    return found


def is_frame(line: str) -> bool:
    """True if a line of text is about the next page or the end, rather than an item of the page."""
    return bool(_END_MARK.search(line) or _OPENING.search(line) or any(_sayings(line, "", None)))


def _said_in_texts(texts: list[str], parameter: str, used: JsonValue) -> NextPage:
    room = MAX_JSON
    found: dict[str, bool] = {}
    is_marked = False
    for text in reversed(texts):
        end = text[-min(MAX_TEXT, room) :] if room > 0 else ""
        room -= len(end)
        is_marked = is_marked or _END_MARK.search(end) is not None
        for cursor, is_explicit in _sayings(end, parameter, used):
            if cursor is None:
                is_marked = True
            else:
                found[cursor] = found.get(cursor, False) or is_explicit
    if len(found) == 1:
        cursor, is_explicit = next(iter(found.items()))
        return NextPage(cursor, End.MORE, is_explicit)
    longest = max((_too_long(text) for text in texts[-8:]), default=0)
    if longest:
        return NextPage(too_long=longest, is_explicit=True)
    return NextPage(end=End.MARKED) if is_marked and not found else NextPage()


def _too_long(text: str) -> int:
    """The length of a cursor in brackets that is too long; 0 if there is none."""
    lines = text[-_MAX_TAIL:].splitlines()
    sizes = (len(_bracketed(line) or "") for line in lines if len(line) > MAX_CURSOR)
    return max((size for size in sizes if size > MAX_CURSOR), default=0)


def _bracketed(line: str) -> str | None:
    """The cursor in `[Next page cursor: C]`; None if there is none. It may have a `]` in it."""
    found = _OPENING.search(line)
    if found is None:
        return None
    rest = line[found.end() :].rstrip()
    within, closing, _ = rest.partition("]")
    if rest.endswith("]") and len(rest[:-1].split()) <= 1:
        within = rest[:-1]
    cursor = within.strip()
    return cursor.strip("\"'`") if closing and len(cursor.split()) <= 1 else None


def _said_in(value: JsonValue) -> NextPage | None:
    """Look at the top and one level down; None if there is nothing."""
    if not isinstance(value, dict):
        return None
    inner = [one for name, one in value.items() if plain(name) in _AROUND]
    levels = [value, *(one for one in inner if isinstance(one, dict))]
    ended: NextPage | None = None
    for level in levels:
        said = _said_on(level)
        if said is not None and said.end is not End.MARKED:
            return said
        ended = ended or said
    return ended


def _said_on(level: Mapping[str, JsonValue]) -> NextPage | None:
    members = {plain(name): value for name, value in level.items()}
    more = [members[name] for name in _MORE if isinstance(members.get(name), bool)]
    if False in more:
        return NextPage(end=End.MARKED)
    names = (*_NEXT, _END) if True in more else _NEXT
    ended, is_odd, too_long = False, False, 0
    for name in names:
        if name not in members:
            continue
        value = members[name]
        if value is None or value == "":
            ended = True
        elif isinstance(value, str) and is_cursor(value):
            return NextPage(value, End.MORE, is_explicit=name in _NEXT[:-1])
        elif isinstance(value, str) and len(value) > MAX_CURSOR:
            too_long = len(value)
        elif not isinstance(value, str) and name in _NEXT[:-1]:
            is_odd = True
    if too_long:
        return NextPage(too_long=too_long, is_explicit=True)
    if is_odd and not ended:
        return NextPage()
    return NextPage(end=End.MARKED) if ended else None


def _sayings(text: str, parameter: str, used: JsonValue) -> Iterator[tuple[str | None, bool]]:
    """Cursors that a text names, and whether explicitly: alone on a line after the exact key, as a
    quoted member, in brackets. None for a key with a word for "nothing" as its value.
    """
    for name, cursor in _named(text):
        is_own = bool(name) and name == parameter
        is_next = plain(name) in _NEXT[:-1]
        if cursor.casefold() in _NOTHING:
            if is_next:
                yield None, True
        elif is_cursor(cursor) and ((is_own and cursor != used) or (not is_own and is_next)):
            yield cursor, is_next


def _named(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        stripped = line.strip()
        if len(stripped) <= MAX_CURSOR and (match := _LINE.fullmatch(stripped)):
            yield match[1], match[2].rstrip(",").strip("\"'`*")
            continue
        for quoted in _QUOTED.finditer(line):
            yield quoted[1], quoted[2] or ""
        if (cursor := _bracketed(line)) is not None:
            yield _NEXT[0], cursor


def _read(text: str) -> JsonValue:
    if not _may_be_object(text):
        return None
    try:
        return parse(text).value
    except JsonError:
        return None


def _may_be_object(text: str) -> bool:
    return text[:200].lstrip()[:1] == "{"


def is_cursor(value: str) -> bool:
    """A text of some length; an address is a link to follow and no cursor."""
    return 0 < len(value) <= MAX_CURSOR and not value.startswith(("http://", "https://"))


def plain(name: str) -> str:
    """A name in small letters without `_` and `-`."""
    return name.replace("_", "").replace("-", "").casefold()
