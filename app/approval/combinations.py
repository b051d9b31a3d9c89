"""What the servers of a session could do together: private data, text from outside, a way out.

A model that reads private data and text from strangers in one session can be made to send the data
away, although each tool alone is harmless ("the lethal trifecta", S. Willison, 2025-06-16). What a
tool takes part in is taken from its hints, its name and its parameters: a suspicion with its
reason, and no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.text import shortened
from ..protocol.hints import Claim, Effect
from ..protocol.tool import ToolDefinition
from .archetypes import ExpectedHint
from .archetypes.holding import hold, words_of

MOST_PARAMETERS: Final = 200


class CombinationPart(StrEnum):
    """A part that a tool can have in such a combination."""

    PRIVATE = "private data"
    OUTSIDE = "text from outside"
    EXIT = "a way out"


@frozen
class ToolPart:
    """A part of one tool, and why it is taken to have it; the reason is safe to show."""

    part: CombinationPart
    reason: str


@frozen
class ServerTool:
    """A tool and the name of its server among all."""

    server: str
    tool: ToolDefinition
    parts: tuple[ToolPart, ...] = ()

    def reason(self, part: CombinationPart) -> str:
        """The reason for a part; empty if the tool has not got it."""
        return next((one.reason for one in self.parts if one.part is part), "")


@frozen
class Combinations:
    """The tools of all servers that have a part, in the order of the servers."""

    tools: tuple[ServerTool, ...]

    def of(self, part: CombinationPart) -> tuple[ServerTool, ...]:
        """The tools with this part."""
        return tuple(one for one in self.tools if one.reason(part))

    @property
    def is_whole(self) -> bool:
        """True if all three parts are there."""
        return all(self.of(part) for part in CombinationPart)

    @property
    def needs_several(self) -> bool:
        """True if all three parts are there, and no server alone has them."""
        servers = [{one.server for one in self.of(part)} for part in CombinationPart]
        return self.is_whole and not set.intersection(*servers)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RUNS: Final = _words("shell bash exec execute eval script terminal powershell subprocess")
_OUTSIDE: Final = _words(
    "fetch browse browser crawl scrape download web website webpage url http internet rss feed "
    "news email emails mail inbox message messages chat thread threads channel comment comments "
    "issue issues pull review reviews ticket tickets tweet tweets forum post posts slack "
    "discord"
)
_PRIVATE: Final = _words(
    "file files directory folder document documents doc docs note notes memory memories email "
    "emails mail inbox message messages chat calendar event events contact contacts database db "
    "sql table record records customer customers user users account accounts secret secrets "
    "password credential credentials token env environment history clipboard screenshot drive "
    "bucket repo repository log logs invoice invoices order orders payment payments patient "
    "wallet knowledge graph entities"
)
_EXIT: Final = _words(
    "send post publish notify email reply forward share tweet invite broadcast upload push "
    "comment fetch webhook curl http navigate browse download submit"
)
_ADDRESSES: Final = _words("url urls uri href link website webhook endpoint")
_PLACES: Final = _words("path paths file filename directory sql")


Words: TypeAlias = tuple[tuple[str, str], ...]
"""Words of a tool, each of them with its place: name or title."""


def combine(servers: Iterable[tuple[str, Sequence[ToolDefinition]]]) -> Combinations:
    """The parts of all tools of these servers."""
    found = (ServerTool(name, tool, parts_of(tool)) for name, tools in servers for tool in tools)
    return Combinations(tuple(one for one in found if one.parts))


def parts_of(tool: ToolDefinition) -> tuple[ToolPart, ...]:
    """The parts of a tool, at most one of each kind, with the strongest reason."""
    words = tuple((word, "name") for word in words_of(tool.name))
    words += tuple((word, "title") for word in words_of(tool.title))
    parameters = _parameters(tool.input_schema)
    if ran := _named(words, _RUNS):
        reason = f"{ran}: it runs whatever it is given"
        return tuple(ToolPart(part, reason) for part in CombinationPart)
    found = {
        CombinationPart.PRIVATE: _private(tool, words, parameters),
        CombinationPart.OUTSIDE: _outside(tool, words, parameters),
        CombinationPart.EXIT: _exit(tool, words, parameters),
    }
    return tuple(ToolPart(part, reason) for part, reason in found.items() if reason)


def _private(tool: ToolDefinition, words: Words, parameters: Sequence[str]) -> str:
    if _only_writes(tool):
        return ""
    return _named(words, _PRIVATE) or _takes(parameters, _PLACES)


def _outside(tool: ToolDefinition, words: Words, parameters: Sequence[str]) -> str:
    if tool.effect is Effect.READ_ONLY and tool.hints.open_world.claim is Claim.TRUE:
        return "openWorldHint: true, read-only"
    if address := _takes(parameters, _ADDRESSES):
        return address
    return "" if _only_writes(tool) else _named(words, _OUTSIDE)


def _exit(tool: ToolDefinition, words: Words, parameters: Sequence[str]) -> str:
    if tool.effect is not Effect.READ_ONLY and tool.hints.open_world.claim is Claim.TRUE:
        return "openWorldHint: true, not read-only"
    return _takes(parameters, _ADDRESSES) or _named(words, _EXIT)


def _only_writes(tool: ToolDefinition) -> bool:
    """True if its name is one of a tool that writes, and it is not declared read-only."""
    archetype = hold(tool).archetype
    is_written = archetype is not None and archetype.hints["readOnly"] is ExpectedHint.FALSE
    return is_written and tool.effect is not Effect.READ_ONLY


def _named(words: Words, known: frozenset[str]) -> str:
    return next((f"“{word}” in its {where}" for word, where in words if word in known), "")


def _takes(parameters: Sequence[str], known: frozenset[str]) -> str:
    for name in parameters:
        if not known.isdisjoint(words_of(name)):
            return f"its parameter “{shortened(name, 30)}”"
    return ""


def _parameters(schema: JsonValue) -> list[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return list(properties)[:MOST_PARAMETERS] if isinstance(properties, dict) else []


def namesakes(
    servers: Sequence[tuple[str, Sequence[ToolDefinition]]],
) -> Mapping[str, tuple[str, ...]]:
    """Names of tools that several servers have, with these servers in order.

    Names that look alike count as one: a tool can be named to be taken for another.
    """
    found: dict[str, dict[str, None]] = {}
    spelled: dict[str, set[str]] = {}
    for server, tools in servers:
        for tool in tools:
            key = "".join(words_of(tool.name)) or tool.name
            found.setdefault(key, {})[server] = None
            spelled.setdefault(key, set()).add(tool.name)
    return {
        name: tuple(where)
        for key, where in found.items()
        if len(where) > 1
        for name in sorted(spelled[key])
    }


def tainted(found: Combinations) -> Iterator[ServerTool]:
    """The tools that ask once a session has text from outside: those with a way out.

    A what-if after SEP-1913, which would let a response carry such a mark.
    """
    yield from found.of(CombinationPart.EXIT)
