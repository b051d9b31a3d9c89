"""A server compared with itself behind a gateway: what came through, was changed or was lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ...approval.archetypes.executing import operation_parameters
from ...approval.matrix import cell_word, column_title
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, digest
from ...content.labels import some_named
from ...content.text import shortened, visible
from ...protocol.hints import Claim, Hint
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from .names import has_longer_name, pair_tools, renaming_words

_SHOWN: Final = 60
_LISTED: Final = 5
TOOLS: Final = "tools"
"""The list of tools, among those of a side."""
_HINT_KEYS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class Fate(StrEnum):
    """What a gateway made of one thing."""

    SAME = "came through"
    CHANGED = "changed"
    LOST = "lost"
    ADDED = "added"


class ComparedPart(StrEnum):
    """The parts of a server that are compared, in the order of the table."""

    TOOLS = "tools"
    NAMES = "names"
    TITLES = "titles"
    DESCRIPTIONS = "descriptions"
    HINTS = "hints"
    INPUT = "input schemas"
    OUTPUT = "output schemas"
    OTHER = "other keys of tools"
    OFFERS = "resources and prompts"
    CAPABILITIES = "capabilities"
    INSTRUCTIONS = "instructions"
    CALLS = "calls"

    @property
    def decides(self) -> bool:
        """True if a difference can change who is asked, or what a call does."""
        return self in (ComparedPart.TOOLS, ComparedPart.HINTS, ComparedPart.CALLS)


@frozen
class GatewaySide:
    """A server as one of two clients sees it."""

    tools: tuple[ToolDefinition, ...]
    version: str
    """The revision of the protocol."""
    capabilities: Mapping[str, JsonValue]
    instructions: str
    offers: Mapping[str, tuple[str, ...]]
    """The kinds of offers, such as resources, with the URIs or names of each."""
    cut: frozenset[str] = frozenset()
    """Lists that are not whole: `tools`, or a kind of offers."""
    first_page: int = 0
    """The number of tools on the first page of the list; 0 if it is the only one."""


@frozen
class Difference:
    """One thing, and what became of it. `words` are safe to show."""

    part: ComparedPart
    fate: Fate
    about: str
    """The name of the tool or of another thing, exact; empty for the whole server."""
    words: str = ""

    @property
    def matters(self) -> bool:
        """True for a loss or a change of what decides."""
        return self.part.decides and self.fate in (Fate.CHANGED, Fate.LOST)


@frozen
class HostChange:
    """A host that decides otherwise behind the gateway, in the words of the matrix."""

    tool: str
    host: str
    directly: str
    through: str


@frozen
class GatewayComparison:
    """A server directly and through a gateway."""

    differences: tuple[Difference, ...]
    """Those that came through included."""
    hosts: tuple[HostChange, ...]
    hidden: tuple[str, ...]
    """Tools that are not listed behind the gateway while it has a tool that may run them."""
    executors: tuple[ToolDefinition, ...]
    """Tools of the gateway that run an operation by its name."""
    denied: tuple[str, ...] = ()
    """Tools that are listed behind the gateway, and that a policy denies."""
    policy: str = ""
    """The name of that policy; empty if none was given."""
    not_compared: tuple[str, ...] = ()
    """Tools of one side that the other, whose list is not whole, may have as well."""
    is_cut: bool = False
    """True if the list of tools of a side is not whole."""
    wants_calls: bool = False
    """True if calls were to be compared."""

    @property
    def has_calls(self) -> bool:
        """True if a call was compared."""
        return any(one.part is ComparedPart.CALLS for one in self.differences)

    @property
    def varying(self) -> tuple[Difference, ...]:
        """Values of calls that vary by themselves, so that they are not compared."""
        return tuple(one for one in self.differences if one.words.endswith(VARIES))

    def of(self, part: ComparedPart, fate: Fate) -> list[Difference]:
        return [one for one in self.differences if (one.part, one.fate) == (part, fate)]


@frozen
class GatewayCall:
    """What was seen of one call."""

    outcome: str
    """In words."""
    code: int | None
    """Of a protocol error."""
    contents: tuple[str, ...]
    """The types of the parts of its content."""
    content_digest: str
    structured_digest: str
    """Empty without structuredContent."""
    progress: int
    questions: int
    """Questions of the server during the call: elicitation, sampling, input required."""
    is_task: bool
    was_sent: bool = True

    @property
    def values(self) -> tuple[str, str]:
        """The digests of all that was answered: exact, but for the order of keys."""
        return self.content_digest, self.structured_digest


def compare(
    direct: GatewaySide, gateway: GatewaySide, hosts: Sequence[Policy] = ()
) -> GatewayComparison:
    """Compare two sides; `hosts` are host rules whose decisions are compared, too."""
    pairs, added = pair_tools(direct.tools, gateway.tools)
    missing = [own for own, other in pairs if other is None]
    lost = [] if TOOLS in gateway.cut else missing
    unknown = [*(missing if not lost else ()), *(added if TOOLS in direct.cut else ())]
    executors = tuple(one for one in gateway.tools if any(operation_parameters(one)))
    cause = _cause(direct, lost, executors)
    found: list[Difference] = []
    changes: list[HostChange] = []
    for own, other in pairs:
        if other is None:
            continue
        found.append(Difference(ComparedPart.TOOLS, Fate.SAME, own.name))
        found += _of_pair(own, other)
        changes += _host_changes(own, other, hosts)
    found += [Difference(ComparedPart.TOOLS, Fate.LOST, one.name, cause) for one in lost]
    if TOOLS not in direct.cut:
        found += [Difference(ComparedPart.TOOLS, Fate.ADDED, one.name) for one in added]
    found += _of_server(direct, gateway)
    hidden = tuple(one.name for one in lost) if executors else ()
    not_compared = tuple(one.name for one in unknown)
    return GatewayComparison(
        tuple(found),
        tuple(changes),
        hidden,
        executors,
        not_compared=not_compared,
        is_cut=TOOLS in direct.cut | gateway.cut,
    )


def _cause(
    direct: GatewaySide, lost: Sequence[ToolDefinition], executors: Sequence[ToolDefinition]
) -> str:
    """Why tools are lost, in words that are safe to show; empty if that is not known."""
    if direct.first_page and [*map(id, lost)] == [*map(id, direct.tools[direct.first_page :])]:
        return "not on the first page of the list: the gateway does not follow its cursor"
    return f"may be behind {names_words(one.name for one in executors)}" if executors else ""


def _of_pair(own: ToolDefinition, other: ToolDefinition) -> Iterator[Difference]:
    name = own.name
    fate = Fate.SAME if name == other.name else Fate.CHANGED
    words = "" if fate is Fate.SAME else renaming_words(name, other.name)
    yield Difference(ComparedPart.NAMES, fate, name, words)
    before, after = _members(own), _members(other)
    for part, key in ((ComparedPart.TITLES, "title"), (ComparedPart.DESCRIPTIONS, "description")):
        yield from _of_key(part, name, before.get(key), after.get(key))
    notes, others = _annotations(before), _annotations(after)
    yield from _of_key(ComparedPart.TITLES, name, notes.get("title"), others.get("title"))
    for was, now in zip(own.hints, other.hints, strict=True):
        yield from _of_hint(name, was, now)
    yield from _of_key(
        ComparedPart.INPUT, name, before.get("inputSchema"), after.get("inputSchema")
    )
    yield from _of_key(
        ComparedPart.OUTPUT, name, before.get("outputSchema"), after.get("outputSchema")
    )
    known = {"name", "title", "description", "annotations", "inputSchema", "outputSchema"}
    for key in sorted((before.keys() | after.keys()) - known):
        yield from _of_key(ComparedPart.OTHER, name, before.get(key), after.get(key), key)
    for key in sorted((notes.keys() | others.keys()) - {"title", *_HINT_KEYS}):
        yield from _of_key(
            ComparedPart.OTHER, name, notes.get(key), others.get(key), f"annotations.{key}"
        )


def _members(tool: ToolDefinition) -> Mapping[str, JsonValue]:
    return tool.raw if isinstance(tool.raw, dict) else {}


def _annotations(raw: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    found = raw.get("annotations")
    return found if isinstance(found, dict) else {}


def _of_key(
    part: ComparedPart, name: str, before: JsonValue, after: JsonValue, key: str = ""
) -> Iterator[Difference]:
    if before is None and after is None:
        return
    shown = shortened(visible(key), _SHOWN)
    if before is None:
        yield Difference(part, Fate.ADDED, name, shown)
    elif after is None:
        yield Difference(part, Fate.LOST, name, shown)
    elif digest(before) == digest(after):
        yield Difference(part, Fate.SAME, name, shown)
    else:
        yield Difference(part, Fate.CHANGED, name, shown)


def _of_hint(name: str, was: Hint, now: Hint) -> Iterator[Difference]:
    if was.claim is now.claim is Claim.NOT_SET:
        return
    words = f"{was.name}Hint: {was.claim.value} → {now.claim.value}"
    if was.claim is now.claim:
        yield Difference(ComparedPart.HINTS, Fate.SAME, name, f"{was.name}Hint")
    elif was.claim is Claim.NOT_SET:
        yield Difference(ComparedPart.HINTS, Fate.ADDED, name, words)
    elif now.claim is Claim.NOT_SET:
        yield Difference(ComparedPart.HINTS, Fate.LOST, name, words)
    else:
        yield Difference(ComparedPart.HINTS, Fate.CHANGED, name, words)


def _host_changes(
    own: ToolDefinition, other: ToolDefinition, hosts: Sequence[Policy]
) -> Iterator[HostChange]:
    for host in hosts:
        before = cell_word(host.judge(Case(own, Trust.TRUSTED)))
        after = cell_word(host.judge(Case(other, Trust.TRUSTED)))
        if before != after:
            yield HostChange(own.name, visible(column_title(host)), before, after)


def _of_server(direct: GatewaySide, gateway: GatewaySide) -> Iterator[Difference]:
    for kind in sorted(direct.offers.keys() | gateway.offers.keys()):
        own, others = direct.offers.get(kind, ()), gateway.offers.get(kind, ())
        for name in own:
            is_there = any(name == one or has_longer_name(name, one) for one in others)
            if is_there or kind not in gateway.cut:
                yield Difference(
                    ComparedPart.OFFERS, Fate.SAME if is_there else Fate.LOST, name, kind
                )
        for one in others if kind not in direct.cut else ():
            if not any(name == one or has_longer_name(name, one) for name in own):
                yield Difference(ComparedPart.OFFERS, Fate.ADDED, one, kind)
    before, after = _flags(direct.capabilities), _flags(gateway.capabilities)
    for flag in sorted(before | after):
        fate = Fate.SAME if flag in before & after else Fate.LOST if flag in before else Fate.ADDED
        yield Difference(ComparedPart.CAPABILITIES, fate, flag)
    if direct.version != gateway.version:
        words = f"revision {visible(direct.version)} → {visible(gateway.version)}"
        yield Difference(ComparedPart.CAPABILITIES, Fate.CHANGED, "", words)
    own_text, other_text = direct.instructions or None, gateway.instructions or None
    yield from _of_key(ComparedPart.INSTRUCTIONS, "", own_text, other_text)


def _flags(capabilities: Mapping[str, JsonValue]) -> set[str]:
    """The declared capabilities, and their parts that are true: `resources.subscribe`."""
    found: set[str] = set()
    for name, value in capabilities.items():
        found.add(name)
        if isinstance(value, dict):
            found |= {f"{name}.{key}" for key, one in value.items() if one not in (False, None)}
    return found


VARIES: Final = "two direct calls differ in their values, too: these are not compared"


def has_other_values(directly: GatewayCall, through: GatewayCall) -> bool:
    """True if the same kinds of content came back with other values.

    Another direct call shows then whether the values vary by themselves.
    """
    kinds = [
        (one.outcome, one.code, one.contents, bool(one.structured_digest))
        for one in (directly, through)
    ]
    return kinds[0] == kinds[1] and directly.values != through.values


def compare_calls(
    tool: str, directly: GatewayCall, through: GatewayCall, again: GatewayCall | None = None
) -> Iterator[Difference]:
    """What differs between two calls of a tool with the same arguments.

    `again` is one more direct call; None if there is none. Calls of which none was sent are not
    compared.
    """
    if not directly.was_sent and not through.was_sent:
        return
    if _but_for_progress(directly) == _but_for_progress(through):
        yield Difference(ComparedPart.CALLS, Fate.SAME, tool)
        return
    before, after = _outcome(directly), _outcome(through)
    if before != after:
        yield Difference(ComparedPart.CALLS, Fate.CHANGED, tool, f"{before} → {after}")
    if directly.contents != through.contents:
        fate = Fate.CHANGED if through.contents else Fate.LOST
        words = f"content: {_kinds(directly)} → {_kinds(through)}"
        yield Difference(ComparedPart.CALLS, fate if directly.contents else Fate.ADDED, tool, words)
    had_data, has_data = bool(directly.structured_digest), bool(through.structured_digest)
    for noun, had, has in (
        ("structuredContent", had_data, has_data),
        ("progress", directly.progress, through.progress),
        ("questions", directly.questions, through.questions),
        ("task", directly.is_task, through.is_task),
    ):
        if bool(had) is not bool(has):
            yield Difference(ComparedPart.CALLS, Fate.LOST if had else Fate.ADDED, tool, noun)
    if has_other_values(directly, through):
        yield from _of_values(tool, directly, through, again)


def _but_for_progress(seen: GatewayCall) -> GatewayCall:
    """The same with whether there was progress: how often depends on the time."""
    return replace(seen, progress=min(seen.progress, 1), questions=min(seen.questions, 1))


def _of_values(
    tool: str, directly: GatewayCall, through: GatewayCall, again: GatewayCall | None
) -> Iterator[Difference]:
    second = again if again is not None and again.was_sent else None
    unsure = "" if second is not None else "; no second direct call was made"
    for noun, own, other, repeated in zip(
        ("the content", "structuredContent"),
        directly.values,
        through.values,
        (second or directly).values,
        strict=True,
    ):
        if own != other and own != repeated:
            yield Difference(ComparedPart.CALLS, Fate.SAME, tool, f"{noun}: {VARIES}")
        elif own != other:
            yield Difference(
                ComparedPart.CALLS, Fate.CHANGED, tool, f"{noun} has other values{unsure}"
            )


def _outcome(seen: GatewayCall) -> str:
    return seen.outcome if seen.code is None else f"{seen.outcome} {seen.code}"


def _kinds(seen: GatewayCall) -> str:
    return ", ".join(seen.contents[:_LISTED]) or "none"


def names_words(names: Iterable[str]) -> str:
    """The first names, and how many more there are; safe to show."""
    return some_named(
        list(names), _LISTED, lambda one: shortened(visible(one), _SHOWN) or "(no name)"
    )
