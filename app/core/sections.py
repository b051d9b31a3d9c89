"""The sections of the bundled server's list: lessons in sight, the gallery folded behind them.

No other server may say so: what it lists stands where a person sees it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Final

from signoff.app.core.tools import Group, Grouping, ToolDefinition, group_tools

SECTION_KEY: Final = "signoff/section"
"""The key of a tool's `_meta`."""


class Section(StrEnum):
    LESSONS = "lessons"
    GALLERY = "gallery"


def section_of(tool: ToolDefinition) -> Section:
    """Where a tool of the bundled server belongs; what says nothing is a lesson."""
    meta = tool.raw.get("_meta") if isinstance(tool.raw, dict) else None
    said = meta.get(SECTION_KEY) if isinstance(meta, dict) else None
    return Section.GALLERY if said == Section.GALLERY else Section.LESSONS


def group_sections(
    tools: Iterable[ToolDefinition], grouping: Grouping, *, is_filtered: bool = False
) -> tuple[Group, ...]:
    """The groups of the lessons, and after them the gallery as one more, folded at first.

    Of a filtered list all hits are shown: nothing is folded at first.
    """
    sections: dict[Section, list[ToolDefinition]] = {section: [] for section in Section}
    for tool in tools:
        sections[section_of(tool)].append(tool)
    lessons = group_tools(sections[Section.LESSONS], grouping)
    gallery = tuple(sections[Section.GALLERY])
    if not gallery:
        return lessons
    # In the order of the effects, which its rows show as signs.
    ordered = tuple(tool for group in group_tools(gallery, Grouping.EFFECT) for tool in group.tools)
    aside = Group("", "Gallery", ordered)
    return (*lessons, aside if is_filtered else replace(aside, starts_folded=True))
