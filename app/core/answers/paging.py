"""The next page of an answer: a cursor that the server gave, and the parameter that takes it.

Pages inside results are a tool's own affair; the protocol pages its lists only (spec 2025-11-25,
server/utilities/pagination). So this goes by names, and says nothing where they are not exact: the
tool must have a string parameter for a cursor, and the answer a member for the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.core.answers.content import Answer, TextPart
from app.core.calls import Call
from app.core.jsonio import JsonError, JsonValue, parse
from app.core.text import cut, visible
from app.core.tools import ToolDefinition

MAX_CURSOR: Final = 8_192
"""Characters of a cursor that is taken; tokens of published services stay below."""
MAX_TEXT: Final = 64_000
"""Characters of a text that are looked through for an echoed cursor: its end."""
MAX_JSON: Final = 1_000_000
"""Characters of all texts together that are read as JSON for the sake of a cursor."""
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


@dataclass(frozen=True, slots=True)
class NextPage:
    """What a call for the next page sends beside the arguments of this one; both are raw."""

    parameter: str
    cursor: str
    is_repeated: bool = False
    """It is the cursor that this very page was asked for with: going on would go round."""

    @property
    def words(self) -> str:
        """One line for the answer; safe to show."""
        if self.is_repeated:
            return f"no next page: the server gave the same cursor again ({self.cursor_shown})"
        return f"more: next page with > (cursor {self.cursor_shown})"

    @property
    def cursor_shown(self) -> str:
        shown = cut(self.cursor, _SHOWN)
        return f"“{visible(shown.text)}{'…' if shown.is_cut else ''}”"

    def arguments(self, before: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The arguments of the next page, given those of this one."""
        return {**before, self.parameter: self.cursor}


def next_page(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue], answer: Answer
) -> NextPage | None:
    """The next page that an answer offers; None where it is the last, or nothing exact says so."""
    parameter = cursor_parameter(tool)
    if parameter is None or answer.is_error:
        return None
    used = arguments.get(parameter)
    cursor = _cursor_of(answer, parameter, used)
    if cursor is None:
        return None
    return NextPage(parameter, cursor, is_repeated=cursor == used)


def page_after(call: Call) -> NextPage | None:
    """The next page that the answer of an ended call offers."""
    if not call.is_over or call.answer is None or call.tool.is_read:
        return None
    return next_page(call.tool, call.snapshot.arguments(), call.answer)


def cursor_parameter(tool: ToolDefinition) -> str | None:
    """The string parameter of a tool that takes a cursor; raw."""
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return None
    known = {_plain(name): name for name, one in properties.items() if _takes_text(one)}
    return next((known[name] for name in _PARAMETERS if name in known), None)


def _cursor_of(answer: Answer, parameter: str, used: JsonValue) -> str | None:
    """The next cursor; None where there is none, or where several are said."""
    if answer.has_structured and (said := _said_in(answer.structured)) is not None:
        return said or None
    texts = [part.text for part in answer.parts if isinstance(part, TextPart)]
    room = MAX_JSON
    for text in texts:
        if len(text) > room:
            continue
        room -= len(text) if _may_be_object(text) else 0
        if (said := _said_in(_read(text))) is not None:
            return said or None
    room = MAX_JSON
    found: dict[str, None] = {}
    for text in reversed(texts):
        end = text[-min(MAX_TEXT, room) :] if room > 0 else ""
        room -= len(end)
        found |= dict.fromkeys(_echoed(end, parameter, used))
    return next(iter(found)) if len(found) == 1 else None


def _said_in(value: JsonValue) -> str | None:
    """The cursor at the top or one level down; "" where it says that there is none."""
    if not isinstance(value, dict):
        return None
    inner = [one for name, one in value.items() if _plain(name) in _AROUND]
    levels = [value, *(one for one in inner if isinstance(one, dict))]
    ended = False
    for level in levels:
        said = _said_on(level)
        if said:
            return said
        ended = ended or said == ""
    return "" if ended else None


def _said_on(level: Mapping[str, JsonValue]) -> str | None:
    members = {_plain(name): value for name, value in level.items()}
    more = [members[name] for name in _MORE if isinstance(members.get(name), bool)]
    if False in more:
        return ""
    names = (*_NEXT, _END) if True in more else _NEXT
    ended = False
    for name in names:
        if name not in members:
            continue
        value = members[name]
        if value is None or value == "":
            ended = True
        elif isinstance(value, str) and _is_cursor(value):
            return value
    return "" if ended else None


def _echoed(text: str, parameter: str, used: JsonValue) -> Iterator[str]:
    """Cursors that a text names: alone on a line after the exact key, or as a quoted member.

    The parameter's own name with the value that was sent is an echo of the question.
    """
    for name, cursor in _named(text):
        if cursor.casefold() in _NOTHING or not _is_cursor(cursor):
            continue
        is_own = name == parameter
        if (is_own and cursor != used) or (not is_own and _plain(name) in _NEXT[:-1]):
            yield cursor


def _named(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        stripped = line.strip()
        if len(stripped) <= MAX_CURSOR and (match := _LINE.fullmatch(stripped)):
            yield match[1], match[2].rstrip(",").strip("\"'`*")
        else:
            for quoted in _QUOTED.finditer(line):
                yield quoted[1], quoted[2] or ""


def _read(text: str) -> JsonValue:
    if not _may_be_object(text):
        return None
    try:
        return parse(text).value
    except JsonError:
        return None


def _may_be_object(text: str) -> bool:
    return text[:200].lstrip()[:1] == "{"


def _is_cursor(value: str) -> bool:
    """A text of some length; an address is a link to follow and no cursor."""
    return 0 < len(value) <= MAX_CURSOR and not value.startswith(("http://", "https://"))


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


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()
