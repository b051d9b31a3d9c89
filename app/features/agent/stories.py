"""Tool calls of an agent: asked or not, what was shown, the answer, what reached the server.

A request and a call have no common id: they are matched by the tool and the arguments, in the order
in which both were seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, same
from ...protocol.acp import (
    Fields,
    OptionKind,
    PermissionOption,
    PermissionRequest,
    arguments_of,
    text_of,
    texts_of,
)
from ...protocol.tool import ToolDefinition

SEARCHED: Final = 20_000
"""Characters of one text in which names are looked for."""
DEPTH: Final = 3
"""Levels of `rawInput` in which the arguments of a call may be: hosts wrap them."""
WRAPPERS: Final = ("arguments", "args", "input", "params", "parameters", "tool_input")
_WORD: Final = re.compile(r"[\w.\-]+")


class NamePlace(StrEnum):
    """Where the name of a tool was found, the clearest place first."""

    TITLE = "title"
    TEXT = "text"
    INPUT = "rawInput"
    EARLIER = "earlier update"
    OPTION = "option"
    CALL_ID = "toolCallId"


SHOWN_TO_PERSON: Final = (NamePlace.TITLE, NamePlace.TEXT)
"""The places that every client shows when it asks."""


@frozen
class Naming:
    """The tool that a request is for, the place of its name, and the known arguments."""

    tool: str | None
    """The exact name in `tools/list`; None if no place has one."""
    place: NamePlace | None
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


def _places(request: PermissionRequest) -> Iterator[tuple[NamePlace, str]]:
    yield NamePlace.TITLE, text_of(request.tool_call, "title")
    for text in texts_of(request.tool_call):
        yield NamePlace.TEXT, text
    yield from ((NamePlace.INPUT, text) for text in _input_texts(request.tool_call))
    yield NamePlace.EARLIER, text_of(request.earlier, "title")
    for option in request.options:
        yield NamePlace.OPTION, option.name
    yield NamePlace.CALL_ID, request.call_id


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


class Flaw(StrEnum):
    """A flaw of a question of an agent, or of a call, as a stable code."""

    RAN_UNASKED = "ran-without-asking"
    RAN_REJECTED = "ran-although-rejected"
    RAN_EARLY = "ran-before-the-answer"
    ASKED_LATE = "asked-after-it-ran"
    OTHER_ARGUMENTS = "other-arguments-ran"
    OTHER_TOOL = "another-tool-ran"
    NOT_NAMED = "tool-not-named"
    NO_ARGUMENTS = "arguments-not-shown"
    HARM_UNASKED = "ran-without-asking-not-read-only"
    NO_REFUSAL = "no-way-to-refuse"


_UNASKED: Final = (Flaw.RAN_UNASKED, Flaw.HARM_UNASKED)
CALLS_MOST: Final = 5_000
"""Calls that are kept; further ones are counted."""
LOUD: Final = frozenset(Flaw) - {Flaw.NOT_NAMED, Flaw.NO_ARGUMENTS, Flaw.RAN_UNASKED}
"""The flaws of calls that contradict their question. The others are habits of hosts: many run
read-only tools without asking, and some show too little.
"""


@frozen
class SentCall:
    """A `tools/call` that reached the MCP server."""

    tool: str
    arguments: JsonValue
    process: str
    message_id: JsonValue


@dataclass(slots=True)
class CallStory:
    """One tool call of the agent, from its question or from its arrival at the server."""

    number: int
    turn: int = 0
    """The prompt that it belongs to, counted from 1."""
    request: PermissionRequest | None = None
    naming: Naming | None = None
    is_answered: bool = False
    option: PermissionOption | None = None
    """The answer; None for `cancelled`, and while it is open."""
    sent: SentCall | None = None
    result: str = ""
    """What the server returned: `ok`, `tool error`, `error`; empty if nothing came."""
    covered_by: PermissionOption | None = None
    """The lasting answer of before that covers a call without a question of its own."""
    flaws: list[Flaw] = field(default_factory=list)

    @property
    def tool(self) -> str | None:
        """The exact name; that of the call if one ran."""
        if self.sent is not None:
            return self.sent.tool
        return self.naming.tool if self.naming is not None else None

    @property
    def was_asked(self) -> bool:
        return self.request is not None

    @property
    def was_allowed(self) -> bool:
        """True if the answer is an option that allows it, or one of an unknown kind."""
        return self.is_answered and self.option is not None and not self.option.rejects

    @property
    def loud(self) -> tuple[Flaw, ...]:
        return tuple(one for one in self.flaws if one in LOUD)


class Stories:
    """The first tool calls of a session, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._all: list[CallStory] = []
        self._turn = 0
        self.more = 0
        """Calls after the first `CALLS_MOST`."""

    def __iter__(self) -> Iterator[CallStory]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def begin_turn(self) -> None:
        """Note a new prompt."""
        self._turn += 1

    def ask(self, request: PermissionRequest, tools: Sequence[ToolDefinition]) -> CallStory:
        """Note a permission request; all calls that came before it have to be noted already."""
        naming = read_naming(request, tools)
        story = self._ran_before(naming) or self._begin()
        story.request, story.naming = request, naming
        if story.sent is not None:
            story.flaws = [one for one in story.flaws if one not in _UNASKED]
            story.flaws.append(Flaw.ASKED_LATE)
        if not any(one.rejects for one in request.options):
            story.flaws.append(Flaw.NO_REFUSAL)
        if not naming.is_named:
            story.flaws.append(Flaw.NOT_NAMED)
        if not naming.shows_arguments:
            story.flaws.append(Flaw.NO_ARGUMENTS)
        return story

    def answer(self, story: CallStory, option: PermissionOption | None) -> None:
        """Note the answer to a question; None for `cancelled`."""
        story.is_answered, story.option = True, option

    def send(self, sent: SentCall, *, is_read_only: bool = False) -> CallStory:
        """Note a call that reached the server; `is_read_only` by the hints of its tool."""
        story = self._asked_for(sent)
        if story is None:
            story = self._begin()
            story.covered_by = self._lasting(sent.tool)
            if story.covered_by is None:
                story.flaws.append(Flaw.RAN_UNASKED)
                if not is_read_only:
                    story.flaws.append(Flaw.HARM_UNASKED)
        else:
            story.flaws += _flaws_of(story, sent)
        if not sent.arguments and Flaw.NO_ARGUMENTS in story.flaws:
            story.flaws.remove(Flaw.NO_ARGUMENTS)
        story.sent = sent
        return story

    def end(self, process: str, message_id: JsonValue, result: str) -> CallStory | None:
        """Note the response of the server to a call; None for an unknown one."""
        for story in self._all:
            sent = story.sent
            if sent is None or story.result:
                continue
            # 1 and true, or 1 and "1", are different ids.
            is_it = type(sent.message_id) is type(message_id) and sent.message_id == message_id
            if sent.process == process and is_it:
                story.result = result
                return story
        return None

    def _begin(self) -> CallStory:
        story = CallStory(len(self._all) + self.more + 1, self._turn)
        if len(self._all) < CALLS_MOST:
            self._all.append(story)
        else:
            self.more += 1
        return story

    def _ran_before(self, naming: Naming) -> CallStory | None:
        """The call without a question that a late question is about: that very tool and arguments.

        A call that has its own lasting answer is not asked again.
        """
        for story in reversed(self._all):
            sent = story.sent
            if sent is None or story.was_asked or story.covered_by is not None:
                continue
            if naming.arguments is None:
                if naming.tool == sent.tool and not story.result:
                    return story
            elif naming.tool in (sent.tool, None) and has_arguments(
                naming.arguments, sent.arguments
            ):
                return story
        return None

    def _asked_for(self, sent: SentCall) -> CallStory | None:
        """The question that a call belongs to, the best match first."""
        free = [one for one in self._all if one.was_asked and one.sent is None]
        matches = [(_match(one, sent, self._turn), one) for one in free]
        best = max((score for score, _ in matches), default=0)
        return next((one for score, one in matches if score == best), None) if best else None

    def _lasting(self, tool: str) -> PermissionOption | None:
        """A lasting answer that allows calls of this tool."""
        for story in self._all:
            option = story.option
            if option is not None and option.kind is OptionKind.ALLOW_ALWAYS and story.tool == tool:
                return option
        return None


def _match(story: CallStory, sent: SentCall, turn: int) -> int:
    """How well a question without a call fits a call of this turn; 0 if not at all."""
    naming = story.naming
    assert naming is not None
    is_same_tool = naming.tool == sent.tool
    has_same = naming.arguments is not None and has_arguments(naming.arguments, sent.arguments)
    is_renamed = naming.tool is not None and has_same and bool(sent.arguments)
    # A rejected question that is followed by the call is the worst of all, and must not go
    # unnoticed; an allowed one of the same kind comes first all the same.
    open_or_allowed = 1 if not story.is_answered or story.was_allowed else 0
    if is_same_tool and has_same:
        return 9 + open_or_allowed
    if is_same_tool and naming.arguments is None:
        return 7 + open_or_allowed
    if naming.tool is None and has_same:
        return 5 + open_or_allowed
    if not open_or_allowed:
        # With another argument, or by another tool: only in the turn of the rejection, since later
        # it can be a call of its own.
        return 1 if story.turn == turn and (is_same_tool or is_renamed) else 0
    if is_same_tool:
        return 4
    if is_renamed:
        return 3
    return 2 if naming.tool is None and naming.arguments is None else 0


def _flaws_of(story: CallStory, sent: SentCall) -> Iterator[Flaw]:
    naming = story.naming
    assert naming is not None
    if not story.is_answered:
        yield Flaw.RAN_EARLY
    elif not story.was_allowed:
        yield Flaw.RAN_REJECTED
    if naming.tool is not None and naming.tool != sent.tool:
        yield Flaw.OTHER_TOOL
    if naming.arguments is not None and not has_arguments(naming.arguments, sent.arguments):
        yield Flaw.OTHER_ARGUMENTS
