"""The sections of the bundled server's list: lessons in sight, the others folded behind them.

No other server may say so: what it lists stands where a person sees it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Final

from .tool_groups import Group, Grouping, group_tools
from .tools import ToolDefinition

SECTION_KEY: Final = "signoff/section"
"""The key of a tool's `_meta`."""


class Section(StrEnum):
    LESSONS = "lessons"
    GALLERY = "gallery"
    CONVERSATION = "conversation"


ASIDE: Final = {Section.GALLERY: "Gallery", Section.CONVERSATION: "Conversation"}
"""The sections behind the lessons in their order, and their headings."""


def section_of(tool: ToolDefinition) -> Section:
    """Where a tool of the bundled server belongs; what says nothing is a lesson."""
    meta = tool.raw.get("_meta") if isinstance(tool.raw, dict) else None
    said = meta.get(SECTION_KEY) if isinstance(meta, dict) else None
    return next((section for section in ASIDE if section.value == said), Section.LESSONS)


def group_sections(
    tools: Iterable[ToolDefinition], grouping: Grouping, *, is_filtered: bool = False
) -> tuple[Group, ...]:
    """The groups of the lessons, and after them each other section as one, folded at first.

    Of a filtered list all hits are shown: nothing is folded at first.
    """
    sections: dict[Section, list[ToolDefinition]] = {section: [] for section in Section}
    for tool in tools:
        sections[section_of(tool)].append(tool)
    groups = list(group_tools(sections[Section.LESSONS], grouping))
    for section, heading in ASIDE.items():
        if sections[section]:
            # In the order of the effects, which its rows show as signs.
            by_effect = group_tools(sections[section], Grouping.EFFECT)
            ordered = tuple(tool for group in by_effect for tool in group.tools)
            aside = Group("", heading, ordered)
            groups.append(aside if is_filtered else replace(aside, starts_folded=True))
    return tuple(groups)
