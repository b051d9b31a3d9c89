"""A server compared with itself behind a gateway: names, parts, hosts, calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.features.through.gateway import (
    VARIES,
    ComparedPart,
    Fate,
    GatewayCall,
    GatewayComparison,
    GatewaySide,
    compare,
    compare_calls,
)
from signoff.app.features.through.names import pair_tools, renaming_words
from signoff.app.features.through.words import comparison_json, comparison_lines, total_words
from signoff.app.hosts.rules import read_host
from signoff.app.protocol.tool_reading import read_tools

TOOL: dict[str, Any] = {
    "name": "read_row",
    "title": "Read a Row",
    "description": "Reads one row.",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True, "openWorldHint": False, "audience": "staff"},
    "_meta": {"x": 1},
}
SEEN = GatewayCall("answered", None, ("text",), "a", "b", 3, 1, is_task=True)


def side(*tools: dict[str, Any], **more: Any) -> GatewaySide:
    given = {"version": "2025-11-25", "capabilities": {}, "instructions": "", "offers": {}}
    return GatewaySide(read_tools(list(tools)), **{**given, **more})


def fates(found: GatewayComparison) -> dict[tuple[str, str], int]:
    counted: dict[tuple[str, str], int] = {}
    for one in found.differences:
        if one.fate is not Fate.SAME:
            key = one.part.value, one.fate.value
            counted[key] = counted.get(key, 0) + 1
    return counted


def test_the_same_server_comes_through_as_a_whole() -> None:
    found = compare(side(TOOL), side(TOOL))
    assert fates(found) == {}
    assert total_words(found) == (
        "all tools and hints came through; no call was compared (--tools)"
    )
    assert {one.part for one in found.differences} >= {
        *(
            ComparedPart.TOOLS,
            ComparedPart.NAMES,
            ComparedPart.TITLES,
            ComparedPart.HINTS,
            ComparedPart.INPUT,
            ComparedPart.OUTPUT,
            ComparedPart.OTHER,
        )
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"title": "Read"}, ("titles", "changed")),
        ({"description": None}, ("descriptions", "lost")),
        ({"inputSchema": {"type": "object", "properties": {}}}, ("input schemas", "changed")),
        ({"outputSchema": None}, ("output schemas", "lost")),
        ({"_meta": None}, ("other keys of tools", "lost")),
        ({"icons": []}, ("other keys of tools", "added")),
    ],
)
def test_each_part_of_a_definition_is_compared(
    change: dict[str, Any], expected: tuple[str, str]
) -> None:
    other = {key: one for key, one in {**TOOL, **change}.items() if one is not None}
    assert fates(compare(side(TOOL), side(other))) == {expected: 1}


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ({}, {("hints", "lost"): 2}),
        ({"readOnlyHint": False, "openWorldHint": False}, {("hints", "changed"): 1}),
        ({"readOnlyHint": "true", "openWorldHint": False}, {("hints", "changed"): 1}),
        (
            {"readOnlyHint": True, "openWorldHint": False, "idempotentHint": True},
            {("hints", "added"): 1},
        ),
    ],
)
def test_hints_are_compared_one_by_one(
    hints: dict[str, Any], expected: dict[tuple[str, str], int]
) -> None:
    other = {**TOOL, "annotations": {**hints, "audience": "staff"}}
    found = compare(side(TOOL), side(other))
    assert fates(found) == expected
    matters = [one for one in found.differences if one.matters]
    assert bool(matters) is (("hints", "added") not in expected)


def test_a_host_that_decides_otherwise_is_named() -> None:
    other = {key: one for key, one in TOOL.items() if key != "annotations"}
    found = compare(side(TOOL), side(other), [read_host("vscode"), read_host("cline")])
    (one,) = found.hosts
    assert (one.tool, one.host, one.directly, one.through) == ("read_row", "VS Code", "run", "ask")


SEPARATORS = st.sampled_from(["_", "__", "-", ".", "/", ":"])
NAMES = st.text(st.sampled_from("abc_"), min_size=1, max_size=6).filter(lambda one: one.strip("_"))


@given(names=st.lists(NAMES, unique=True, max_size=6), separator=SEPARATORS, prefix=NAMES)
def test_tools_with_a_prefix_are_paired_one_to_one(
    names: list[str], separator: str, prefix: str
) -> None:
    tools = side(*({**TOOL, "name": name} for name in names)).tools
    renamed = side(*({**TOOL, "name": f"{prefix}{separator}{name}"} for name in names)).tools
    pairs, added = pair_tools(tools, renamed)
    found = [other for _, other in pairs if other is not None]
    assert len({id(one) for one in found}) == len(found)
    assert len(found) + len(added) == len(renamed)
    assert len(pairs) == len(tools)
    same, rest = pair_tools(tools, tools)
    assert all(own is other for own, other in same)
    assert rest == []


def test_a_name_within_another_word_is_no_pair() -> None:
    pairs, added = pair_tools(side({**TOOL, "name": "read"}).tools, side(TOOL).tools)
    # The sign between tells them apart: `read_row` is the tool `read` with something after it.
    assert pairs[0][1] is not None
    other = {"name": "reader", "description": "Turns pages.", "inputSchema": {"type": "object"}}
    pairs, added = pair_tools(side({**TOOL, "name": "read"}).tools, side(other).tools)
    assert pairs[0][1] is None
    assert len(added) == 1


LONG = "purge_everything_in_the_archive_for_good"


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        ("get_row", "get_row@rows", "now NAME@rows"),
        ("get_row", "rows~get_row", "now rows~NAME"),
        (LONG, LONG[:30], "cut to 30 characters"),
        (LONG, f"{LONG[:24]}_9f3ac1", "cut to 24 characters, with “_9f3ac1” in place of the rest"),
        (LONG, f"rows_{LONG[:20]}", "now rows_NAME, cut to 25 characters"),
        ("get_row", "rows_get-row", "now rows_NAME in other signs or letters"),
        ("get_row", "GetRow", "now NAME in other signs or letters"),
        ("get_row", "t\u202e17", "renamed: now “t<U+202E>17”"),
    ],
)
def test_a_tool_under_another_name_is_known_by_its_definition(
    own: str, other: str, words: str
) -> None:
    row = {**TOOL, "name": own}
    found = compare(side(row, {**TOOL, "name": "x", "title": "?"}), side({**row, "name": other}))
    (changed,) = found.of(ComparedPart.NAMES, Fate.CHANGED)
    assert (changed.about, changed.words) == (own, words)
    assert [one.about for one in found.of(ComparedPart.TOOLS, Fate.LOST)] == ["x"]
    assert found.of(ComparedPart.TOOLS, Fate.ADDED) == []


def test_lost_tools_of_later_pages_are_named_with_the_cursor() -> None:
    tools = [{**TOOL, "name": name, "description": name * 9} for name in ("a", "b", "c", "d")]
    cause = "not on the first page of the list: the gateway does not follow its cursor"
    for first_page, kept, words in ((2, 2, cause), (2, 3, ""), (0, 2, "")):
        found = compare(side(*tools, first_page=first_page), side(*tools[:kept]))
        lost = found.of(ComparedPart.TOOLS, Fate.LOST)
        assert [one.words for one in lost] == [words] * (4 - kept)


def test_hints_that_a_gateway_makes_stale_are_found_under_another_name() -> None:
    stale = {**TOOL, "name": "x17", "annotations": {**TOOL["annotations"], "readOnlyHint": False}}
    found = compare(side(TOOL), side(stale))
    assert [one.words for one in found.differences if one.matters] == ["readOnlyHint: true → false"]


@given(own=st.text(max_size=40), other=st.text(max_size=40))
def test_any_two_names_have_words_that_are_safe(own: str, other: str) -> None:
    words = renaming_words(own, other)
    assert words
    assert visible(words) == words


@pytest.mark.parametrize("key", ["name", "tool_name", "toolId"])
def test_tools_behind_one_that_calls_them_by_name_are_named_with_it(key: str) -> None:
    schema = {"type": "object", "properties": {key: {"type": "string"}, "args": {}}}
    found = compare(side(TOOL), side({"name": "call_tool", "inputSchema": schema}))
    (lost,) = found.of(ComparedPart.TOOLS, Fate.LOST)
    assert (lost.about, lost.words) == ("read_row", "may be behind call_tool")


def test_tools_behind_one_that_executes_them_share_its_hints() -> None:
    schema = {"type": "object", "properties": {"tool_name": {"type": "string"}}}
    executor = {"name": "execute_tool", "inputSchema": schema}
    found = compare(side(TOOL, {**TOOL, "name": "delete_row"}), side(executor))
    assert found.hidden == ("read_row", "delete_row")
    assert [one.name for one in found.executors] == ["execute_tool"]
    text = "\n".join(line.plain for line in comparison_lines(found))
    assert "2 tools may be behind execute_tool" in text
    # A tool that was merely left out is behind none.
    assert compare(side(TOOL), side()).hidden == ()


def test_capabilities_offers_and_instructions_are_compared() -> None:
    before = side(
        TOOL,
        capabilities={"resources": {"subscribe": True}, "logging": {}},
        instructions="Read first.",
        offers={"resources": ("a:1", "a:2"), "prompts": ("plan",)},
    )
    after = side(
        TOOL,
        version="2024-11-05",
        capabilities={"resources": {"subscribe": False}},
        offers={"resources": ("a:1", "a:3"), "prompts": ("files_plan",)},
    )
    assert fates(compare(before, after)) == {
        ("capabilities", "lost"): 2,
        ("capabilities", "changed"): 1,
        ("resources and prompts", "lost"): 1,
        ("resources and prompts", "added"): 1,
        ("instructions", "lost"): 1,
    }


@pytest.mark.parametrize(
    ("again", "fate", "words"),
    [
        ("b", Fate.CHANGED, "structuredContent has other values"),
        ("c", Fate.SAME, f"structuredContent: {VARIES}"),
    ],
)
def test_another_direct_call_tells_a_changed_value_from_one_that_varies(
    again: str, fate: Fate, words: str
) -> None:
    through = replace(SEEN, structured_digest="of the gateway")
    second = replace(SEEN, structured_digest=again)
    (one,) = compare_calls("a", SEEN, through, second)
    assert (one.fate, one.words) == (fate, words)
    found = replace(compare(side(TOOL), side(TOOL)), differences=(one,))
    is_varying = fate is Fate.SAME
    last = "nothing else of tools, hints and calls was lost or changed"
    assert total_words(found).startswith(last) is is_varying
    listed = [item["words"] for item in comparison_json(found, [])["differences"]]
    assert listed == [words]
    assert any(words in line.plain for line in comparison_lines(found))


def test_a_denied_second_call_shows_nothing_about_the_values() -> None:
    denied = replace(SEEN, outcome="denied", contents=(), structured_digest="", was_sent=False)
    through = replace(SEEN, content_digest="of the gateway")
    (one,) = compare_calls("a", SEEN, through, denied)
    assert one.fate is Fate.CHANGED
    assert one.words == "the content has other values; no second direct call was made"
    assert not list(compare_calls("a", denied, denied))


@pytest.mark.parametrize(
    ("change", "fate"),
    [
        ({}, Fate.SAME),
        ({"progress": 1}, Fate.SAME),
        ({"progress": 0}, Fate.LOST),
        ({"questions": 0}, Fate.LOST),
        ({"is_task": False}, Fate.LOST),
        ({"structured_digest": ""}, Fate.LOST),
        ({"contents": ()}, Fate.LOST),
        ({"contents": ("text", "image")}, Fate.CHANGED),
        ({"outcome": "tool error (isError)"}, Fate.CHANGED),
        ({"outcome": "protocol error", "code": -32001}, Fate.CHANGED),
        ({"content_digest": "other"}, Fate.CHANGED),
        ({"structured_digest": "other"}, Fate.CHANGED),
    ],
)
def test_a_call_is_compared_fact_by_fact(change: dict[str, Any], fate: Fate) -> None:
    through = replace(SEEN, **change)
    found = [one.fate for one in compare_calls("a", SEEN, through)]
    assert (found or [Fate.SAME]) == [fate]
    back = [one.fate for one in compare_calls("a", through, SEEN)]
    assert (back or [Fate.SAME]) == [Fate.ADDED if fate is Fate.LOST else fate]


@given(name=st.text(max_size=30))
def test_names_of_servers_are_safe_in_lines_and_json(name: str) -> None:
    hostile = {**TOOL, "name": f"{name}\x1b[31m\u202e"}
    found = compare(side(hostile), side({**hostile, "title": "\x1b]0;x\x07", "\x1b": 1}))
    text = "\n".join(line.plain for line in comparison_lines(found))
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    report = str(comparison_json(found, []))
    assert "\x1b" not in report
    assert "\u202e" not in report
