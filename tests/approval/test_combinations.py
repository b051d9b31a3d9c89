"""What tools take part in, by hints, names and parameters; and tools of the same name."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.approval.combinations import CombinationPart, combine, namesakes, parts_of, tainted
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool

READ_ONLY = {"readOnlyHint": True}
OPEN = {"openWorldHint": True}
CLOSED = {"openWorldHint": False}


def tool(name: str, *parameters: str, index: int = 0, **hints: bool) -> ToolDefinition:
    properties: dict[str, Any] = {one: {"type": "string"} for one in parameters}
    raw: dict[str, Any] = {"name": name, "annotations": hints}
    raw["inputSchema"] = {"type": "object", "properties": properties}
    return read_tool(index, raw)


def parts(one: ToolDefinition) -> set[CombinationPart]:
    return {found.part for found in parts_of(one)}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (tool("read_file", "path", **READ_ONLY), {CombinationPart.PRIVATE}),
        (tool("search_notes", "query"), {CombinationPart.PRIVATE}),
        (tool("query", "sql"), {CombinationPart.PRIVATE}),
        (tool("fetch", "url", **READ_ONLY), {CombinationPart.OUTSIDE, CombinationPart.EXIT}),
        (tool("list_issues", **READ_ONLY), {CombinationPart.OUTSIDE}),
        (tool("lookup", **READ_ONLY, **OPEN), {CombinationPart.OUTSIDE}),
        (tool("lookup", **OPEN), {CombinationPart.EXIT}),
        (tool("send_email", "to", "text"), {CombinationPart.EXIT}),
        (tool("send_email", "to", **CLOSED), {CombinationPart.EXIT}),
        (tool("run_shell", "line"), set(CombinationPart)),
        (tool("readInbox", **READ_ONLY), {CombinationPart.PRIVATE, CombinationPart.OUTSIDE}),
        (tool("add", "a", "b"), set()),
        (tool("calculate_sum", "a", "b", **READ_ONLY), set()),
        # What only writes gives no text to the model, unless it is declared read-only.
        (tool("delete_note", "id"), set()),
        (tool("append_note", "id", **READ_ONLY), {CombinationPart.PRIVATE}),
    ],
    ids=lambda value: value.name if isinstance(value, ToolDefinition) else "",
)
def test_parts_of_a_tool(one: ToolDefinition, expected: set[CombinationPart]) -> None:
    assert parts(one) == expected


def test_reasons_name_what_they_are_from() -> None:
    (reason,) = [
        one.reason
        for one in parts_of(tool("save", "webhook_url"))
        if one.part is CombinationPart.EXIT
    ]
    assert "webhook_url" in reason
    (private,) = parts_of(tool("read_notes", **READ_ONLY))
    assert "notes" in private.reason


def test_a_word_of_the_title_is_said_to_be_of_the_title() -> None:
    one = read_tool(0, {"name": "go", "title": "Read notes", "annotations": {"readOnlyHint": True}})
    (found,) = parts_of(one)
    assert "title" in found.reason


def test_names_of_servers_cannot_write_in_a_reason() -> None:
    (found,) = [
        one for one in parts_of(tool("x", "url\x1b[31m")) if one.part is CombinationPart.EXIT
    ]
    assert "\x1b" not in found.reason


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_all_three_parts_are_needed(lost: int) -> None:
    tools = [tool("read_file", "path", **READ_ONLY), tool("list_issues"), tool("send_email")]
    servers = [(f"server {at}", [one]) for at, one in enumerate(tools)]
    whole = combine(servers)
    assert whole.is_whole
    assert whole.needs_several
    assert not combine(servers[:lost] + servers[lost + 1 :]).is_whole
    alone = combine([("one", tools)])
    assert alone.is_whole
    assert not alone.needs_several


def test_what_asks_after_text_from_outside_is_what_has_a_way_out() -> None:
    found = combine([("a", [tool("send_email"), tool("read_file", "path", **READ_ONLY)])])
    assert [one.tool.name for one in tainted(found)] == ["send_email"]


def test_names_that_several_servers_have() -> None:
    servers = [
        ("a", [tool("read_file"), tool("only_here"), tool("readFile")]),
        ("b", [tool("Read-File"), tool("other")]),
        ("c", [tool("other")]),
    ]
    assert namesakes(servers) == {
        "read_file": ("a", "b"),
        "readFile": ("a", "b"),
        "Read-File": ("a", "b"),
        "other": ("b", "c"),
    }
    assert namesakes([("a", [tool("x"), tool("x")])]) == {}


def test_names_without_a_letter_are_no_namesakes_of_each_other() -> None:
    assert namesakes([("a", [tool("工具")]), ("b", [tool("東京")])]) == {}
    assert namesakes([("a", [tool("工具")]), ("b", [tool("工具")])]) == {"工具": ("a", "b")}
