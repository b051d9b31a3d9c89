from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.hints import HINT_KEYS, Effect
from signoff.app.protocol.tool import (
    Grouping,
    ToolDefinition,
    best_match,
    filter_groups,
    filter_tools,
    group_tools,
)
from signoff.app.protocol.tool_reading import read_tool, read_tools
from tests.approved import approved
from tests.content.json_values import json_values, nested

PROSE = approved("protocol")

KEYS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons")
ENTRIES = st.lists(
    st.dictionaries(st.sampled_from(KEYS), json_values(st.sampled_from((*HINT_KEYS, "title"))))
    | json_values(),
    max_size=8,
)
HINTED = st.fixed_dictionaries(
    {
        "name": st.text(max_size=6),
        "title": st.text(max_size=6),
        "description": st.text(max_size=12),
        "annotations": st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans()),
    }
)


def tool(**changes: Any) -> ToolDefinition:
    return read_tool(0, {"name": "a_tool", "inputSchema": {"type": "object"}, **changes})


def codes(shown: ToolDefinition) -> list[str]:
    return [finding.code for finding in shown.findings]


def test_an_orderly_definition_has_no_findings() -> None:
    shown = tool(
        title="A Tool",
        description="Two\nlines.",
        annotations={"readOnlyHint": True},
        outputSchema={"type": "object"},
    )
    assert shown.findings == ()
    assert shown.callable
    assert (shown.display_name, shown.title_shown) == ("a_tool", "A Tool")
    assert shown.has_output_schema
    assert shown.input_schema == {"type": "object"}
    assert shown.effect is Effect.READ_ONLY


def test_the_title_comes_before_that_of_the_annotations_and_the_name_last() -> None:
    assert tool(title="One", annotations={"title": "Two"}).title_shown == "One"
    assert tool(annotations={"title": "Two"}).title_shown == "Two"
    assert tool().title_shown == "a_tool"
    assert codes(tool(title="One", annotations={"title": "Two"})) == ["titles-disagree"]
    assert codes(tool(title="One", annotations={"title": "One"})) == []


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"name": 5}, "malformed-tool", "$.name"),
        ({"title": 5}, "malformed-tool", "$.title"),
        ({"description": []}, "malformed-tool", "$.description"),
        ({"annotations": "readOnly"}, "malformed-tool", "$.annotations"),
        ({"annotations": {"title": 1}}, "malformed-tool", "$.annotations.title"),
        ({"inputSchema": None}, "malformed-schema", "$.inputSchema"),
        ({"inputSchema": {}}, "malformed-schema", "$.inputSchema.type"),
        ({"inputSchema": {"type": "array"}}, "malformed-schema", "$.inputSchema.type"),
        ({"outputSchema": 5}, "malformed-schema", "$.outputSchema"),
        ({"annotations": {"readOnlyHint": "yes"}}, "malformed-hint", "$.annotations.readOnlyHint"),
        (
            {"annotations": {"readOnlyHint": True, "destructiveHint": True}},
            "contradictory-hints",
            "$.annotations",
        ),
        ({"annotations": {"readOnly": True}}, "unknown-annotation", "$.annotations"),
        ({"name": "has blanks"}, "unusual-name", "$.name"),
        ({"name": "x" * 129}, "unusual-name", "$.name"),
        ({"name": "trailing\n"}, "unusual-name", "$.name"),
        ({"name": "a\u202eb"}, "hidden-characters", "$.name"),
        ({"title": "a\u200bb"}, "hidden-characters", "$.title"),
        ({"description": "a\U000e0041b"}, "hidden-characters", "$.description"),
    ],
)
def test_what_breaks_its_shape_is_a_finding(changes: Any, code: str, path: str) -> None:
    assert (code, path) in [(finding.code, finding.path) for finding in tool(**changes).findings]


@pytest.mark.parametrize("raw", [None, 5, "tool", [], {}, {"name": ""}, {"name": None}])
def test_an_entry_without_a_name_is_kept_and_cannot_be_called(raw: Any) -> None:
    shown = read_tool(3, raw)
    assert not shown.callable
    assert shown.display_name == "(no name)"
    assert any(finding.severity is Severity.ERROR for finding in shown.findings)
    assert (shown.index, shown.raw) == (3, raw)


@pytest.mark.slow
@given(ENTRIES)
def test_every_entry_is_kept_in_its_place(entries: list[Any]) -> None:
    tools = read_tools(entries)
    assert [shown.index for shown in tools] == list(range(len(entries)))
    for shown, raw in zip(tools, entries, strict=True):
        assert shown.raw is raw
        if isinstance(raw, dict) and isinstance(raw.get("name"), str):
            assert shown.name == raw["name"]
        assert shown.callable == bool(shown.name)


@given(ENTRIES)
def test_what_is_drawn_is_inert(entries: list[Any]) -> None:
    for shown in read_tools(entries):
        drawn = [shown.display_name, shown.title_shown]
        drawn += [text for finding in shown.findings for text in (finding.message, finding.path)]
        for text in drawn:
            assert text or text in [finding.path for finding in shown.findings]
            assert all(unicodedata.category(char) not in ("Cc", "Cf", "Cs") for char in text)


def test_one_deep_annotation_does_not_hide_the_others() -> None:
    tools = read_tools([{"name": "deep", "annotations": {"readOnlyHint": nested(100_000)}}, {}])
    assert [shown.name for shown in tools] == ["deep", ""]


def test_long_names_and_titles_are_cut_where_they_are_drawn_only() -> None:
    shown = tool(name="n" * 300, title="t" * 300)
    assert shown.display_name == "n" * 128 + "…"
    assert shown.title_shown == "t" * 128 + "…"
    assert shown.name == "n" * 300


def test_equal_names_are_found_and_nameless_entries_are_not_equal() -> None:
    tools = read_tools([{"name": "a"}, {"name": "A"}, {"name": "a"}, {}, {}])
    assert [shown.has_duplicate_name for shown in tools] == [True, False, True, False, False]


def test_the_digest_is_of_the_whole_entry_in_any_order() -> None:
    one = read_tool(0, {"name": "a", "description": "b", "_meta": {"x": 1}})
    same = read_tool(7, {"_meta": {"x": 1}, "description": "b", "name": "a"})
    other = read_tool(0, {"name": "a", "description": "b", "_meta": {"x": 2}})
    assert one.digest == same.digest != other.digest


@given(st.lists(HINTED, max_size=12), st.sampled_from(Grouping))
def test_grouping_is_a_partition_that_keeps_the_order(
    entries: list[Any], grouping: Grouping
) -> None:
    tools = read_tools(entries)
    groups = group_tools(tools, grouping)
    members = [shown for group in groups for shown in group.tools]
    assert sorted(shown.index for shown in members) == list(range(len(tools)))
    assert all(group.tools for group in groups)
    assert len({group.label for group in groups}) == len(groups)
    for group in groups:
        indices = [shown.index for shown in group.tools]
        assert indices == sorted(indices)
        if grouping is Grouping.EFFECT:
            assert {shown.effect.value for shown in group.tools} == {group.label}


def test_groups_come_in_a_fixed_order() -> None:
    entries: list[Any] = [
        {"name": "e", "annotations": {"readOnlyHint": True, "destructiveHint": True}},
        {"name": "d"},
        {"name": "c", "annotations": {"destructiveHint": True, "openWorldHint": False}},
        {"name": "b", "annotations": {"destructiveHint": False, "idempotentHint": True}},
        {"name": "a", "annotations": {"readOnlyHint": True}},
    ]
    tools = read_tools(entries)
    assert [(group.sign, group.label) for group in group_tools(tools, Grouping.EFFECT)] == [
        ("○", "read-only"),
        ("+", "additive"),
        ("!", "destructive"),
        ("?", "undeclared"),
        ("≠", "contradictory"),
    ]
    world = group_tools(tools, Grouping.WORLD)
    assert [(group.label, len(group.tools)) for group in world] == [
        ("open world", 4),
        ("closed world", 1),
    ]
    retry = group_tools(tools, Grouping.RETRY)
    assert [len(group.tools) for group in retry] == [1, 1, 3]
    PROSE.holds("groups: by retry", "\n".join(group.label for group in retry))


def test_the_groupings_follow_each_other_around() -> None:
    assert Grouping.EFFECT.following.following.following is Grouping.EFFECT
    assert {grouping.following for grouping in Grouping} == set(Grouping)


@given(st.lists(HINTED, max_size=8), st.text(max_size=6), st.booleans())
def test_filtering_keeps_the_order_and_whatever_has_every_word(
    entries: list[Any], words: str, read_only: bool
) -> None:
    tools = read_tools(entries)
    kept = filter_tools(tools, words, read_only=read_only)
    expected = [
        shown
        for shown in tools
        if all(
            any(word in text.casefold() for text in (shown.name, shown.title, shown.description))
            for word in words.casefold().split()
        )
        and (not read_only or shown.effect is Effect.READ_ONLY)
    ]
    assert list(kept) == expected


@given(
    st.lists(HINTED, max_size=8),
    st.text("abe ", max_size=3),
    st.booleans(),
    st.sampled_from(Grouping),
)
def test_groups_narrow_to_what_the_narrowed_list_is_grouped_into(
    entries: list[Any], words: str, read_only: bool, grouping: Grouping
) -> None:
    tools = read_tools(entries)
    narrowed = filter_groups(group_tools(tools, grouping), words, read_only=read_only)
    assert narrowed == group_tools(filter_tools(tools, words, read_only=read_only), grouping)


def test_words_match_in_any_case_and_order_across_name_title_and_description() -> None:
    tools = read_tools(
        [
            {"name": "get_weather", "title": "Weather", "description": "Of a CITY."},
            {"name": "other"},
        ]
    )
    assert [shown.name for shown in filter_tools(tools, " city  WEATH ")] == ["get_weather"]
    assert filter_tools(tools, "weather sea") == ()
    assert filter_tools(tools) == tools


def _named(*names: str, **more: JsonValue) -> list[ToolDefinition]:
    return [
        read_tool(at, {"name": name, "inputSchema": {"type": "object"}, **more})
        for at, name in enumerate(names)
    ]


def test_the_name_decides_what_is_meant() -> None:
    tools = _named("shape_file", "change_definition", "definition", "define")
    told: dict[str, JsonValue] = {
        "name": "other",
        "title": "Definition",
        "description": "change_definition",
        "inputSchema": {},
    }
    tools.insert(0, read_tool(9, told))
    for words, name in {
        "definition": "definition",
        "DEF": "definition",
        "defin": "definition",
        "change_definition": "change_definition",
        "tion change": "change_definition",
        "shape": "shape_file",
    }.items():
        found = best_match(filter_tools(tools, words), words)
        assert found is not None
        assert found.name == name, words
    assert best_match([], "x") is None


def test_before_a_description_the_title_decides_and_before_it_a_part_of_the_name() -> None:
    described = _named("one", description="a parcel")
    titled = _named("two", title="Parcel", description="none")
    part = _named("send_parcel", title="x")
    for tools, name in (
        (described + titled + part, "send_parcel"),
        (described + titled, "two"),
        (described, "one"),
    ):
        found = best_match(tools, "parcel")
        assert found is not None
        assert found.name == name


@given(st.lists(st.text("ab_", max_size=4), min_size=1, max_size=8), st.text("ab_ ", max_size=4))
def test_no_better_name_is_passed_over(names: list[str], words: str) -> None:
    tools = _named(*names)
    phrase = " ".join(words.split())
    found = best_match(tools, words)
    assert found in tools
    assert found is not None
    if phrase in names:
        assert found.name == phrase
    elif any(name.startswith(phrase) for name in names):
        assert found.name.startswith(phrase)


@pytest.mark.parametrize(
    ("name", "title", "is_own"),
    [
        ("delete_file", "Delete File", False),
        ("append_note", "Append a Note", False),
        ("appendNote", "append-note", False),
        ("get-sum", "Get Sum Tool", False),
        ("list_tools", "List Tools", False),
        ("delete_file", "Delete Files", True),
        ("delete_file", "List files", True),
        ("delete_file", "Delete\u200b File", True),
        ("delete_file", "dеlete file", True),
        ("fire", "\N{FIRE}", True),
        ("\N{FIRE}", "\N{BOMB}", True),
        ("a", "the", True),
        ("delete_file", "", False),
    ],
)
def test_a_title_is_its_own_if_it_adds_to_the_name(name: str, title: str, is_own: bool) -> None:
    assert tool(name=name, title=title).has_own_title is is_own
