"""Values of the Agent Client Protocol (ACP): tool calls of an agent, and its permission requests.

Whatever an agent sends is kept as it came; nothing here is safe to show before it is sanitised.
Spec: https://agentclientprotocol.com, protocol version 1, "Tool Calls".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse

PERMISSION: Final = "session/request_permission"
UPDATE: Final = "session/update"
TEXT_LIMIT: Final = 100_000
"""Characters of a text of an agent that are searched for arguments."""
OPTIONS_MOST: Final = 20
UNFINISHED: Final = ("", "pending", "in_progress")
"""The statuses of a tool call that has not ended."""

Fields: TypeAlias = Mapping[str, JsonValue]


class OptionKind(StrEnum):
    """What an answer means, as the agent declares it."""

    ALLOW_ONCE = "allow_once"
    ALLOW_ALWAYS = "allow_always"
    REJECT_ONCE = "reject_once"
    REJECT_ALWAYS = "reject_always"
    OTHER = "other"
    """Any other kind, which the protocol does not have."""


@frozen
class PermissionOption:
    """One of the answers that an agent offers."""

    option_id: str
    name: str
    kind: OptionKind

    @property
    def rejects(self) -> bool:
        return self.kind in (OptionKind.REJECT_ONCE, OptionKind.REJECT_ALWAYS)

    @property
    def lasts(self) -> bool:
        """True if the answer counts for later calls, too."""
        return self.kind in (OptionKind.ALLOW_ALWAYS, OptionKind.REJECT_ALWAYS)


@frozen
class PermissionRequest:
    """One `session/request_permission`.

    `tool_call` is the member `toolCall` as it came, `earlier` the fields of the updates for the
    same `toolCallId` before it.
    """

    number: int
    """Its place among the requests of the session, from 1."""
    tool_call: Fields
    earlier: Fields
    options: tuple[PermissionOption, ...]
    dropped: int = 0
    """Options that were invalid, or had the id of another one."""

    @property
    def call_id(self) -> str:
        return text_of(self.tool_call, "toolCallId")

    @property
    def known(self) -> Fields:
        """The fields of the request over those of earlier updates."""
        return merged(self.earlier, self.tool_call)

    @property
    def title(self) -> str:
        return text_of(self.known, "title")

    @property
    def kind(self) -> str:
        return text_of(self.known, "kind")

    def option(self, option_id: str | None) -> PermissionOption | None:
        """The option with an id, if the agent offers it."""
        return next((one for one in self.options if one.option_id == option_id), None)

    def first(self, *kinds: OptionKind) -> PermissionOption | None:
        """The first option of the first of these kinds that is offered."""
        found = (one for kind in kinds for one in self.options if one.kind is kind)
        return next(found, None)


def read_permission(params: Fields, earlier: Fields, number: int) -> PermissionRequest:
    """Read the params of a request. Raises ValueError if they are not those of one."""
    tool_call = params.get("toolCall")
    listed = params.get("options")
    if not isinstance(tool_call, dict) or not isinstance(tool_call.get("toolCallId"), str):
        raise ValueError("toolCall is not an object with a toolCallId")
    if not isinstance(listed, list):
        raise ValueError("options is not an array")
    options: dict[str, PermissionOption] = {}
    for entry in listed[:OPTIONS_MOST]:
        option_id = entry.get("optionId") if isinstance(entry, dict) else None
        # Of two with one id the agent would not know which was chosen.
        if isinstance(entry, dict) and isinstance(option_id, str) and option_id not in options:
            options[option_id] = PermissionOption(option_id, text_of(entry, "name"), _kind(entry))
    dropped = len(listed) - len(options)
    return PermissionRequest(number, tool_call, earlier, tuple(options.values()), dropped)


def _kind(entry: Fields) -> OptionKind:
    try:
        return OptionKind(text_of(entry, "kind"))
    except ValueError:
        return OptionKind.OTHER


def merged(before: Fields, update: Fields) -> dict[str, JsonValue]:
    """A tool call after an update: a field that the update has replaces the one before."""
    return {**before, **{name: value for name, value in update.items() if value is not None}}


def text_of(fields: Fields, name: str) -> str:
    """The text in a field; empty for any other value."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def texts_of(fields: Fields) -> Iterator[str]:
    """The texts in the content of a tool call or of a message, in order."""
    content = fields.get("content")
    for entry in content if isinstance(content, list) else [content]:
        if not isinstance(entry, dict):
            continue
        inner = entry.get("content")
        for part in (entry, inner if isinstance(inner, dict) else {}):
            if text := text_of(part, "text"):
                yield text


def arguments_of(fields: Fields) -> JsonValue:
    """The arguments that a tool call shows: in `rawInput`, else as JSON in its texts; or None.

    An empty `rawInput` is none: hosts send it before they know the arguments, too.
    """
    raw = fields.get("rawInput")
    if isinstance(raw, dict) and raw:
        return raw
    for text in (text_of(fields, "title"), *texts_of(fields)):
        if (found := _object_in(text)) is not None:
            return found
    return None


def _object_in(text: str) -> JsonValue:
    """The JSON object in a text, from its first brace to its last one."""
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end or len(text) > TEXT_LIMIT:
        return None
    try:
        value = parse(text[start : end + 1]).value
    except JsonError:
        return None
    return value if isinstance(value, dict) and value else None
