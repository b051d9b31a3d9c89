"""A tool as its server defines it, and tools grouped under headings and filtered by words.

A tool is one entry of `tools/list`, with the values read from it. The bundled server's list has
sections: lessons in sight, the others folded behind them. No other server may declare sections: all
of its tools must be in sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field, replace
from enum import StrEnum
from itertools import chain
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, digest
from ..content.text import shortened
from .definitions.deprecation import MARK, Deprecation
from .findings.findings import Finding
from .hints import Effect, Hints, Repeating
from .visibility import LIKE_ANY_OTHER, Visibility

NAME_LIMIT = 128


@frozen
class ToolDefinition:
    """One entry of `tools/list`, kept as the raw JSON it arrived as.

    `index` is its place in the list and identifies it: names may repeat. `name` is exact, code
    point for code point, as a call sends it; everything that is drawn goes through the properties
    that end in `_shown`.
    """

    index: int
    raw: JsonValue
    name: str
    title: str
    description: str
    hints: Hints
    input_schema: JsonValue
    output_schema: JsonValue
    has_output_schema: bool
    findings: tuple[Finding, ...] = ()
    callable: bool = True
    """False where no `tools/call` can be made of it: no name, no object, or not to be read."""
    search_text: str = field(default="", repr=False)
    reach: Visibility = LIKE_ANY_OTHER
    """Whether a plain call reaches it, and for whom it is meant."""
    deprecation: Deprecation | None = None
    """The notice of deprecation in the definition; None for a tool that is not deprecated."""
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """The digest, once it was asked for: canonical JSON of a long list takes a while."""

    @property
    def effect(self) -> Effect:
        return self.hints.effect

    @property
    def digest(self) -> str:
        """SHA-256 of the whole raw entry as canonical JSON: the binding of an approval."""
        if not self._digest:
            self._digest.append(digest(self.raw))
        return self._digest[0]

    @property
    def display_name(self) -> str:
        """The exact name, safe to show, at most 128 characters of it."""
        return shortened_name(self.name) if self.name else "(no name)"

    @property
    def title_shown(self) -> str:
        """The title, or the name if there is none; safe to show, at most 128 characters."""
        return shortened_name(self.title) if self.title else self.display_name

    @property
    def has_own_title(self) -> bool:
        """True if the title has other words than the name, fillers aside."""
        return bool(self.title) and _letters(self.title_shown) != _letters(self.display_name)

    @property
    def mark(self) -> str:
        """Mark beside the tool in a list, up to four cells; empty for a plain tool."""
        return MARK if self.deprecation is not None else self.reach.mark

    @property
    def has_duplicate_name(self) -> bool:
        return any(finding.code == "duplicate-name" for finding in self.findings)


def shortened_name(text: str) -> str:
    """A name or title, safe to show, at most 128 characters of it."""
    return shortened(text, NAME_LIMIT)


FILLERS: Final = frozenset({"a", "an", "the", "tool"})
"""Words of a title that describe no tool."""


def _letters(text: str) -> str:
    """The letters and digits of a name or title, without fillers; all of it if there are none."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return "".join(word for word in words if word not in FILLERS) or text


class Grouping(StrEnum):
    """The three ways in which tools are grouped."""

    EFFECT = "effect"
    WORLD = "world"
    RETRY = "retry safety"

    @property
    def following(self) -> Grouping:
        order = list(Grouping)
        return order[(order.index(self) + 1) % len(order)]


@frozen
class ToolGroup:
    """A heading and the tools under it; `sign` and `label` work without colour."""

    sign: str
    label: str
    tools: tuple[ToolDefinition, ...]
    starts_folded: bool = False
    """Whether only its heading is shown until a person opens it."""


def group_tools(tools: Iterable[ToolDefinition], grouping: Grouping) -> tuple[ToolGroup, ...]:
    """Groups in a fixed order, empty ones left out, tools in the order of the server."""
    headings = _headings(grouping)
    members: dict[str, list[ToolDefinition]] = {label: [] for _, label in headings}
    for tool in tools:
        members[_label(tool, grouping)].append(tool)
    return tuple(
        ToolGroup(sign, label, tuple(members[label])) for sign, label in headings if members[label]
    )


def filter_tools(
    tools: Iterable[ToolDefinition], words: str = "", *, read_only: bool = False
) -> tuple[ToolDefinition, ...]:
    """Tools whose name, title or description has every word, in any case and order."""
    found = tools if not read_only else [one for one in tools if one.effect is Effect.READ_ONLY]
    for word in words.casefold().split():
        found = [tool for tool in found if word in tool.search_text]
    return tuple(found)


def filter_groups(
    groups: Iterable[ToolGroup], words: str = "", *, read_only: bool = False
) -> tuple[ToolGroup, ...]:
    """Apply `filter_tools` to each group and drop the empty ones.

    Narrowing existing groups costs less than making new ones.
    """
    found = (
        replace(group, tools=filter_tools(group.tools, words, read_only=read_only))
        for group in groups
    )
    return tuple(group for group in found if group.tools)


def best_match(tools: Iterable[ToolDefinition], words: str) -> ToolDefinition | None:
    """Return the tool that fits the filter best; the first of equals.

    Exact name, then the beginning of a name, then a part of it, then title, then description.
    """
    of = list(tools)
    wanted = words.casefold().split()
    phrase = " ".join(wanted)
    # In that case the name is the beginning of the text.
    begun = [tool for tool in of if tool.search_text.startswith(phrase)]
    ways = (
        (one for one in begun if one.name.casefold() == phrase),
        begun,
        (one for one in of if _has_all(one.name.casefold(), wanted)),
        (one for one in of if _has_all(one.title.casefold(), wanted)),
        of,
    )
    return next(chain.from_iterable(ways), None)


def _has_all(text: str, words: Iterable[str]) -> bool:
    return all(word in text for word in words)


def _headings(grouping: Grouping) -> list[tuple[str, str]]:
    if grouping is Grouping.EFFECT:
        return [(effect.sign, effect.value) for effect in Effect]
    if grouping is Grouping.WORLD:
        return [("↗", "open world"), ("◇", "closed world")]
    return [(repeating.sign, repeating.value) for repeating in Repeating]


def _label(tool: ToolDefinition, grouping: Grouping) -> str:
    if grouping is Grouping.EFFECT:
        return tool.effect.value
    if grouping is Grouping.WORLD:
        return "open world" if tool.hints.is_open_world else "closed world"
    return tool.hints.repeating.value


SECTION_KEY: Final = "signoff/section"
"""The key of a tool's `_meta`."""


class ToolSection(StrEnum):
    LESSONS = "lessons"
    GALLERY = "gallery"
    CONVERSATION = "conversation"


ASIDE: Final = {ToolSection.GALLERY: "Gallery", ToolSection.CONVERSATION: "Conversation"}
"""The sections behind the lessons in their order, and their headings."""


def section_of(tool: ToolDefinition) -> ToolSection:
    """Section of a tool of the bundled server; a tool without one is a lesson."""
    meta = tool.raw.get("_meta") if isinstance(tool.raw, dict) else None
    said = meta.get(SECTION_KEY) if isinstance(meta, dict) else None
    return next((section for section in ASIDE if section.value == said), ToolSection.LESSONS)


def group_sections(
    tools: Iterable[ToolDefinition], grouping: Grouping, *, is_filtered: bool = False
) -> tuple[ToolGroup, ...]:
    """The groups of the lessons, and after them each other section as one, folded at first.

    Of a filtered list all hits are shown: nothing is folded at first.
    """
    sections: dict[ToolSection, list[ToolDefinition]] = {section: [] for section in ToolSection}
    for tool in tools:
        sections[section_of(tool)].append(tool)
    groups = list(group_tools(sections[ToolSection.LESSONS], grouping))
    for section, heading in ASIDE.items():
        if sections[section]:
            # In the order of the effects, which its rows show as signs.
            by_effect = group_tools(sections[section], Grouping.EFFECT)
            ordered = tuple(tool for group in by_effect for tool in group.tools)
            aside = ToolGroup("", heading, ordered)
            groups.append(aside if is_filtered else replace(aside, starts_folded=True))
    return tuple(groups)
