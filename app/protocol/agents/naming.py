"""Whether a permission request of an agent names the tool, and shows its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ..tool import ToolDefinition
from .acp import Fields, PermissionRequest, arguments_of, text_of, texts_of

SEARCHED: Final = 20_000
"""Characters of one text in which names are looked for."""
DEPTH: Final = 3
"""Levels of `rawInput` in which the arguments of a call may be: hosts wrap them."""
WRAPPERS: Final = ("arguments", "args", "input", "params", "parameters", "tool_input")
_WORD: Final = re.compile(r"[\w.\-]+")


class Place(StrEnum):
    """Where the name of a tool was found, the clearest place first."""

    TITLE = "title"
    TEXT = "text"
    INPUT = "rawInput"
    EARLIER = "earlier update"
    OPTION = "option"
    CALL_ID = "toolCallId"


SHOWN_TO_PERSON: Final = (Place.TITLE, Place.TEXT)
"""The places that every client shows when it asks."""


@frozen
class Naming:
    """The tool that a request is for, the place of its name, and the known arguments."""

    tool: str | None
    """The exact name in `tools/list`; None if no place has one."""
    place: Place | None
    arguments: JsonValue
    """None if neither the request nor earlier updates have any."""
    shows_arguments: bool
    """True if the request itself has the arguments, not only earlier updates."""

    @property
    def is_named(self) -> bool:
        """True if the request names the tool in a text that a person sees."""
        return self.place in SHOWN_TO_PERSON


def read_naming(request: PermissionRequest, tools: Sequence[ToolDefinition]) -> Naming:
    """Look for the name of a listed tool, place by place."""
    names = {tool.name for tool in tools if tool.name}
    own = arguments_of(request.tool_call)
    known = own if own is not None else arguments_of(request.earlier)
    for place, text in _places(request):
        if (name := name_in(text, names)) is not None:
            return Naming(name, place, known, own is not None)
    return Naming(None, None, known, own is not None)


def _places(request: PermissionRequest) -> Iterator[tuple[Place, str]]:
    yield Place.TITLE, text_of(request.tool_call, "title")
    for text in texts_of(request.tool_call):
        yield Place.TEXT, text
    yield from ((Place.INPUT, text) for text in _input_texts(request.tool_call))
    yield Place.EARLIER, text_of(request.earlier, "title")
    for option in request.options:
        yield Place.OPTION, option.name
    yield Place.CALL_ID, request.call_id


def _input_texts(fields: Fields) -> Iterator[str]:
    """The texts of `rawInput` that a host may name the tool in: not those of the arguments."""
    raw = fields.get("rawInput")
    for key, value in raw.items() if isinstance(raw, dict) else ():
        if isinstance(value, str) and "tool" in key.casefold():
            yield value


def name_in(text: str, names: set[str]) -> str | None:
    """The name that a text has, alone or behind the prefix of a host: `mcp__demo__delete_file`.

    The longest one counts, since a name can be the end of another one.
    """
    found = {
        name
        for word in _WORD.findall(text[:SEARCHED])
        for name in names
        if word == name or (word.endswith(name) and word[-len(name) - 1] in "_.-")
    }
    plain = {name for name in names if not _WORD.fullmatch(name) and name in text[:SEARCHED]}
    return max(found | plain, key=len, default=None)


def has_arguments(known: JsonValue, sent: JsonValue, depth: int = DEPTH) -> bool:
    """True if the arguments that were sent are those that were shown, or a part of them.

    Hosts wrap arguments: `{"server": ..., "arguments": {...}}`. Only members with such names count:
    an agent could hide the arguments that it sends beside those that it shows.
    """
    if same(known, sent):
        return True
    if not isinstance(known, dict) or not depth:
        return False
    inner = (value for key, value in known.items() if key.casefold() in WRAPPERS)
    return any(has_arguments(one, sent, depth - 1) for one in inner)
