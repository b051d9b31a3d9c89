"""What clients of the table make of definitions, greetings and answers."""

from __future__ import annotations

from typing import Any

import mcp.types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from signoff.app.core.answers.content import read_answer
from signoff.app.core.clients.defects import (
    greeting_findings,
    page_findings,
    response_findings,
    tool_findings,
)
from signoff.app.core.clients.table import OUTCOMES, client_table
from signoff.app.core.tool_reading import read_tools

TOOL: dict[str, Any] = {"name": "a", "inputSchema": {"type": "object"}}
OUTPUT: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}
GREETING: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "a", "version": "1"},
}
TEXT: dict[str, Any] = {"type": "text", "text": "a"}
NULLS = ("title", "description", "annotations", "outputSchema", "_meta", "icons", "execution")
LOST: dict[str, tuple[dict[str, Any], set[str]]] = {
    **{key: ({key: None}, {"ts1", "ts2", "ai"}) for key in NULLS[:5]},
    **{key: ({key: None}, {"ts1", "ts2"}) for key in NULLS[5:]},
    "hint": ({"annotations": {"readOnlyHint": None}}, {"ts1", "ts2", "ai"}),
    "hint-title": ({"annotations": {"title": None}}, {"ts1", "ts2", "ai"}),
    "any-of": ({"inputSchema": {"anyOf": [{"type": "object"}]}}, {"ts1", "ts2", "ai", "py2"}),
    "array": ({"outputSchema": {"type": "array"}}, {"ts1", "ts2", "py2"}),
    "true": ({"outputSchema": {"type": "object", "properties": {"a": True}}}, {"ts1"}),
    "ref": ({"outputSchema": OUTPUT}, {"ts1"}),
}
"""By name: members of a tool, and the clients that lose the whole list."""


def lose(message: str) -> set[str]:
    """The clients that a finding names as losing the list."""
    clients = client_table().clients
    said = message.partition("lost in ")[2].partition(":")[0]
    found = set()
    for family in said.split(", "):
        found |= {
            one.id
            for one in clients.values()
            if family.startswith(one.family) and one.version in family.split()
        }
    return found


def test_every_outcome_and_client_of_the_table_is_known() -> None:
    table = client_table()
    for rule in table.rules.values():
        assert set(rule) <= set(table.clients)
        assert set(rule.values()) <= set(OUTCOMES)


@pytest.mark.parametrize("name", LOST)
def test_what_costs_a_server_its_tools(name: str) -> None:
    more, clients = LOST[name]
    found = tool_findings(TOOL | more, 12)
    assert [one.code for one in found] == ["clients-lose-tools"]
    assert lose(found[0].message) == clients
    assert "all 12 tools" in found[0].message
    tools = read_tools([TOOL, TOOL | more | {"name": "b"}])
    assert "clients-lose-tools" not in [one.code for one in tools[0].findings]
    assert "clients-lose-tools" in [one.code for one in tools[1].findings]


@pytest.mark.parametrize("name", LOST)
def test_the_installed_sdk_reads_a_definition_as_the_table_says(name: str) -> None:
    more, clients = LOST[name]
    try:
        types.ListToolsResult.model_validate({"tools": [TOOL | more]}, by_name=False)
    except ValidationError:
        is_lost = True
    else:
        is_lost = False
    # What the root of a schema has to be is checked by the session for its revision.
    assert is_lost == ("py2" in clients) or name in ("any-of", "array")


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "title": st.text(),
            "description": st.text(),
            "annotations": st.dictionaries(st.sampled_from(["readOnlyHint"]), st.booleans()),
            "_meta": st.dictionaries(st.text(), st.integers()),
            "icons": st.just([]),
            "outputSchema": st.just(OUTPUT | {"$defs": {"b": {}}}),
        },
    )
)
def test_an_honest_tool_is_lost_nowhere(more: dict[str, Any]) -> None:
    assert tool_findings(TOOL | more, 3) == []


def test_since_2026_an_output_schema_may_be_of_any_type() -> None:
    assert tool_findings(TOOL | {"outputSchema": {"type": "array"}}, 1, "2026-07-28") == []


def test_a_reference_in_data_is_none_and_escapes_are_read() -> None:
    data = {"type": "object", "properties": {"a": {"const": {"$ref": "#/x"}}}}
    assert tool_findings(TOOL | {"outputSchema": data}, 1) == []
    escaped = {"type": "object", "$defs": {"a/b c": {}}, "allOf": [{"$ref": "#/$defs/a~1b%20c"}]}
    assert tool_findings(TOOL | {"outputSchema": escaped}, 1) == []


@pytest.mark.parametrize(
    ("page", "count"), [({}, 0), ({"nextCursor": "a"}, 0), ({"nextCursor": None}, 1)]
)
def test_a_page_whose_cursor_is_null(page: dict[str, Any], count: int) -> None:
    assert len(page_findings(page)) == count


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({}, []),
        ({"instructions": "read me"}, []),
        ({"instructions": None}, ["/result/instructions"]),
        ({"capabilities": {"tools": None}}, ["/result/capabilities"]),
        ({"capabilities": {"tools": True}}, ["/result/capabilities"]),
        ({"serverInfo": {"name": "a"}}, ["/result/serverInfo/version"]),
        (
            {"serverInfo": {"name": "a", "version": "1", "title": None}},
            ["/result/serverInfo/title"],
        ),
    ],
)
def test_what_keeps_a_client_from_connecting(more: dict[str, Any], paths: list[str]) -> None:
    found = greeting_findings(GREETING | more)
    assert [(one.code, one.path) for one in found] == [("clients-cannot-connect", p) for p in paths]


def test_an_error_that_is_null_beside_a_result() -> None:
    assert response_findings({"id": 1, "result": {}}) == []
    assert response_findings({"id": 1, "error": None}) == []
    (found,) = response_findings({"id": 1, "result": {}, "error": None})
    assert found.code == "clients-miss-response"


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({}, []),
        ({"isError": False, "_meta": {}}, []),
        ({"isError": None}, ["$.isError"]),
        ({"_meta": None}, ["$._meta"]),
        ({"content": [TEXT | {"mimeType": None}]}, ["$.content[0].mimeType"]),
    ],
)
def test_what_makes_a_client_reject_an_answer(more: dict[str, Any], paths: list[str]) -> None:
    answer = read_answer({"content": [TEXT]} | more)
    assert answer is not None
    assert [one.path for one in answer.findings if one.code == "clients-reject-answer"] == paths
