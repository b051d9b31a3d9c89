"""What the server says about itself and its tools."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from app import __version__
from tests.demo.peer import Json, Peer

WRITES = {"readOnlyHint": False}
READS = {"readOnlyHint": True}
ADDS = {**WRITES, "destructiveHint": False}
DESTROYS = {**WRITES, "destructiveHint": True}
CLOSED = {"openWorldHint": False}
OPEN = {"openWorldHint": True}
REPEATABLE = {"idempotentHint": True}
NOT_REPEATABLE = {"idempotentHint": False}

ANNOTATIONS: dict[str, dict[str, bool] | None] = {
    "launch_confetti": {**DESTROYS, **OPEN},
    "delete_file": {**DESTROYS, **REPEATABLE, **CLOSED},
    "search_files": {**READS, **CLOSED},
    "search": {**READS, **CLOSED},
    "bulk_process_files": {**ADDS, **REPEATABLE, **CLOSED},
    "create_record": {**ADDS, **CLOSED},
    "update_user": {**ADDS, **REPEATABLE, **CLOSED},
    "increment_counter": {**ADDS, **NOT_REPEATABLE, **CLOSED},
    "order_pizza": {**ADDS, **REPEATABLE, **CLOSED},
    "db_search": {**READS, **CLOSED},
    "calculate_sum": {**READS, **REPEATABLE, **CLOSED},
    "calculate_fibonacci": {**READS, **REPEATABLE, **CLOSED},
    "web_search": {**READS, **OPEN},
    "send_message": {**ADDS, **NOT_REPEATABLE, **OPEN},
    "github_delete_branch": {**DESTROYS, **NOT_REPEATABLE, **OPEN},
    "list_repositories": {**READS, **OPEN},
    "migrate_database": {**DESTROYS, **CLOSED},
    "show_database": {**READS, **CLOSED},
    "wait_without_total": {**READS, **CLOSED},
    "progress_backwards": {**READS, **CLOSED},
    "capture_screenshot": {**READS, **CLOSED},
    "get_config_file": {**READS, **CLOSED},
    "analyze_pr": {**READS, **OPEN},
    "repo_summary": {**READS, **OPEN},
    "show_resource_link": READS,
    "play_sound": {**READS, **CLOSED},
    "show_binary": {**READS, **CLOSED},
    "show_markdown": {**READS, **CLOSED},
    "show_text": {**READS, **CLOSED},
    "show_picture": {**READS, **CLOSED},
    "speak_to_two": {**READS, **CLOSED},
    "show_many_parts": {**READS, **CLOSED},
    "show_links": READS,
    "large_text": {**READS, **CLOSED},
    "read_book": {**READS, **CLOSED},
    "show_broken_picture": {**READS, **CLOSED},
    "show_broken_sound": {**READS, **CLOSED},
    "count_stock": {**READS, **CLOSED},
    "order_something": {**READS, **CLOSED},
    "grow_tree": {**READS, **CLOSED},
    "take_anything": {**READS, **CLOSED},
    "generate_fantasy_character": {**READS, **CLOSED},
    "undeclared_tool": None,
    "contradictory_tool": {**READS, "destructiveHint": True},
    "fail_politely": {**READS, **CLOSED},
    "fail_in_protocol": {**READS, **CLOSED},
    "crash_server": {**DESTROYS, **CLOSED},
    "print_noise": READS,
    "strange_content": {**READS, **CLOSED},
    "hidden_characters": {**READS, **CLOSED},
    "shape_shifter": {**DESTROYS, **CLOSED},
    "change_definition": {**ADDS, **REPEATABLE, **CLOSED},
}


@pytest.fixture(scope="module")
def tools(peer: Peer) -> dict[str, Json]:
    result = peer.request("tools/list", {}).result
    assert "nextCursor" not in result
    return {tool["name"]: tool for tool in result["tools"]}


def test_it_introduces_itself(peer: Peer) -> None:
    said = peer.greeting
    who = said.get("serverInfo") or said["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert (who["name"], who["version"]) == ("Signoff demo", __version__)
    assert said["instructions"].count(".") == 2
    if peer.era == "legacy":
        assert said["protocolVersion"] == "2025-11-25"
    else:
        assert said["supportedVersions"] == ["2026-07-28"]


def test_every_tool_claims_exactly_these_hints(tools: dict[str, Json]) -> None:
    assert {name: tool.get("annotations") for name, tool in tools.items()} == ANNOTATIONS


def test_every_tool_is_titled_and_described_crisply(tools: dict[str, Json]) -> None:
    for name, tool in tools.items():
        assert tool["title"] not in ("", name)
        assert 40 < len(tool["description"]) < 240, name
        assert "\n" not in tool["description"]
    assert "deprecated" in tools["search"]["title"].lower()
    assert "search_files" in tools["search"]["description"]


HARD_FORMS = ("order_something", "grow_tree", "take_anything")


def test_every_argument_is_described_and_no_schema_needs_definitions(
    tools: dict[str, Json],
) -> None:
    for tool in tools.values():
        schema = tool["inputSchema"]
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
        assert schema["type"] == "object"
        if tool["name"] in HARD_FORMS:
            continue
        assert "$ref" not in str(schema)
        for name, field in schema["properties"].items():
            assert field["description"], name
            assert "title" not in field
            assert name in schema.get("required", []) or "default" in field


def test_the_schemas_cover_what_a_form_must_draw(tools: dict[str, Json]) -> None:
    def field(tool: str, name: str) -> Any:
        return tools[tool]["inputSchema"]["properties"][name]

    assert field("update_user", "role")["enum"] == ["viewer", "editor", "admin"]
    assert field("update_user", "active") == {
        "type": "boolean",
        "default": True,
        "description": "May sign in",
    }
    steps = field("migrate_database", "stepSeconds")
    assert (steps["type"], steps["default"]) == ("number", 0.4)
    assert (steps["minimum"], steps["maximum"]) == (0, 5)
    assert field("calculate_sum", "numbers")["items"] == {"type": "number"}
    nested = field("create_record", "fields")
    assert (nested["type"], nested["required"]) == ("object", ["title"])
    assert nested["properties"]["tags"]["items"] == {"type": "string"}
    parts = field("repo_summary", "failParts")
    assert parts["items"]["enum"] == ["languages", "contributors", "activity", "security"]


def test_db_search_takes_a_union_told_apart_by_a_constant(tools: dict[str, Json]) -> None:
    query = tools["db_search"]["inputSchema"]["properties"]["query"]
    modes = [choice["properties"]["mode"]["const"] for choice in query["oneOf"]]
    assert modes == ["text", "regex", "semantic"]
    assert all("mode" in choice["required"] for choice in query["oneOf"])
    assert [choice["title"] for choice in query["oneOf"]] == [
        "Text",
        "Regular expression",
        "Meaning",
    ]


GOOD_CALLS: dict[str, Json] = {
    "delete_file": {"path": "never/was.txt"},
    "search_files": {"query": "the"},
    "search": {"query": "the"},
    "create_record": {"kind": "task", "fields": {"title": "Test"}},
    "update_user": {"userId": "grace", "name": "Grace"},
    "increment_counter": {"counter": "listing"},
    "order_pizza": {"idempotencyKey": "listing"},
    "db_search": {"query": {"mode": "semantic", "meaning": "rocket"}},
    "calculate_sum": {"numbers": [1, 2.5]},
    "calculate_fibonacci": {},
    "send_message": {"to": "ada", "text": "hello"},
    "list_repositories": {},
    "show_database": {},
    "generate_fantasy_character": {},
    "count_stock": {"mistakes": 0},
}


def test_every_promised_shape_is_kept(peer: Peer, tools: dict[str, Json]) -> None:
    promising = {name for name, tool in tools.items() if "outputSchema" in tool}
    assert promising == set(GOOD_CALLS)
    for name, arguments in GOOD_CALLS.items():
        schema = tools[name]["outputSchema"]
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(peer.call(name, **arguments).data)
