"""The next page of an answer: a cursor that the server gave, and the parameter that takes it.

Which parameter that is goes by names, and by what a person has said where they are not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..content.json.jsonio import JsonValue
from ..content.text import shortened
from ..protocol.answers.content import Answer
from ..protocol.answers.cursors import MAX_CURSOR, plain, said_of_next
from ..protocol.tools import ToolDefinition
from .calls import Call

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


@dataclass(frozen=True, slots=True)
class NextPage:
    """What a call for the next page sends beside the arguments of this one; both are raw."""

    parameter: str
    """Empty where no name of a parameter is known to take a cursor, and a person has to say."""
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
    return (
        f"no next page: its cursor has {length:,} characters, and at most {MAX_CURSOR:,} are taken"
    )


def next_page(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue], answer: Answer, parameter: str = ""
) -> NextPage | None:
    """The next page that an answer offers; None where it is the last, or nothing exact says so.

    `parameter`: the one that takes the cursor by a person's word.
    """
    if answer.is_error:
        return None
    parameter = parameter or cursor_parameter(tool) or ""
    used = arguments.get(parameter) if parameter else None
    said = said_of_next(answer, parameter, used)
    if not parameter and not (said.is_explicit and text_parameters(tool)):
        return None
    if said.too_long:
        return NextPage(parameter, "", too_long=said.too_long)
    if said.cursor is None:
        return None
    return NextPage(parameter, said.cursor, is_repeated=said.cursor == used)


def page_after(call: Call) -> NextPage | None:
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
