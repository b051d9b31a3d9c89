"""The sections of the bundled server's list."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool import Grouping, ToolSection, group_sections, section_of
from signoff.app.protocol.tool_reading import read_tool, read_tools

READS: JsonValue = {"readOnlyHint": True}


def entry(name: str, section: JsonValue, **more: JsonValue) -> JsonValue:
    return {"name": name, "_meta": {"signoff/section": section}, **more}


SAID: list[JsonValue] = ["lessons", "", None, 1, ["gallery"], {}, "Gallery", "Conversation"]


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "a"},
        {"name": "a", "_meta": None},
        {"name": "a", "_meta": ["gallery"]},
        {"name": "a", "_meta": {"section": "gallery"}},
        *(entry("a", said) for said in SAID),
        "gallery",
    ],
)
def test_what_says_no_other_section_is_a_lesson(raw: JsonValue) -> None:
    assert section_of(read_tool(0, raw)) is ToolSection.LESSONS


def test_lessons_come_grouped_and_the_other_sections_folded_behind_them() -> None:
    tools = read_tools(
        [
            entry("c1", "conversation"),
            entry("g1", "gallery"),
            entry("l1", "lessons"),
            entry("g2", "gallery", annotations=READS),
            entry("c2", "conversation", annotations=READS),
            entry("l2", "lessons", annotations=READS),
        ]
    )

    def shape(*, is_filtered: bool) -> list[tuple[str, list[str], bool]]:
        return [
            (group.label, [tool.name for tool in group.tools], group.starts_folded)
            for group in group_sections(tools, Grouping.EFFECT, is_filtered=is_filtered)
        ]

    assert shape(is_filtered=False) == [
        ("read-only", ["l2"], False),
        ("undeclared", ["l1"], False),
        ("Gallery", ["g2", "g1"], True),
        ("Conversation", ["c2", "c1"], True),
    ]
    assert shape(is_filtered=True)[-2:] == [
        ("Gallery", ["g2", "g1"], False),
        ("Conversation", ["c2", "c1"], False),
    ]
    lessons_only = group_sections(tools[2:3], Grouping.WORLD)
    assert [group.label for group in lessons_only] == ["open world"]
