"""What the server says about itself and its tools."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from signoff.app import __version__
from signoff.app.demo import constant
from tests.demo.peer import Json, Peer

WRITES = {"readOnlyHint": False}
READS = {"readOnlyHint": True}
ADDS = {**WRITES, "destructiveHint": False}
DESTROYS = {**WRITES, "destructiveHint": True}
CLOSED = {"openWorldHint": False}
OPEN = {"openWorldHint": True}
REPEATABLE = {"idempotentHint": True}
NOT_REPEATABLE = {"idempotentHint": False}

GALLERY: dict[str, dict[str, bool] | None] = {
    "order_pizza": {**ADDS, **REPEATABLE, **CLOSED},
    "send_message": {**ADDS, **NOT_REPEATABLE, **OPEN},
    "list_repositories": {**READS, **OPEN},
    "show_database": {**READS, **CLOSED},
    "wait_without_total": {**READS, **CLOSED},
    "progress_backwards": {**READS, **CLOSED},
    "repo_summary": {**READS, **OPEN},
    "show_resource_link": READS,
    "play_audio": {**READS, **CLOSED},
    "show_binary": {**READS, **CLOSED},
    "show_markdown": {**READS, **CLOSED},
    "show_text": {**READS, **CLOSED},
    "show_image": {**READS, **CLOSED},
    "speak_to_two": {**READS, **CLOSED},
    "show_many_parts": {**READS, **CLOSED},
    "show_links": READS,
    "large_text": {**READS, **CLOSED},
    "read_book": {**READS, **CLOSED},
    "show_broken_image": {**READS, **CLOSED},
    "show_broken_audio": {**READS, **CLOSED},
    "count_stock": {**READS, **CLOSED},
    "order_something": {**READS, **CLOSED},
    "grow_tree": {**READS, **CLOSED},
    "take_anything": {**READS, **CLOSED},
    "undeclared_tool": None,
    "fail_politely": {**READS, **CLOSED},
    "fail_in_protocol": {**READS, **CLOSED},
    "crash_server": {**DESTROYS, **CLOSED},
    "print_noise": READS,
    "strange_content": {**READS, **CLOSED},
    "hidden_characters": {**READS, **CLOSED},
    "shape_shifter": {**DESTROYS, **CLOSED},
    "change_definition": {**ADDS, **REPEATABLE, **CLOSED},
}

CONVERSATION: dict[str, dict[str, bool] | None] = {
    "ask_every_field": {**READS, **CLOSED},
    "ask_two_questions": {**READS, **CLOSED},
    "ask_for_password": {**READS, **CLOSED},
    "imitate_approval": {**READS, **CLOSED},
    "open_page": {**READS, **OPEN},
    "sign_in_first": {**READS, **OPEN},
    "plan_a_trip": {**READS, **CLOSED},
    "send_after_asking": {**ADDS, **NOT_REPEATABLE, **CLOSED},
    "send_before_asking": {**ADDS, **NOT_REPEATABLE, **CLOSED},
    "send_at_each_answer": {**ADDS, **NOT_REPEATABLE, **CLOSED},
    "ask_the_model": {**READS, **OPEN},
    "let_the_model_use_tools": {**READS, **OPEN},
    "list_roots": {**READS, **CLOSED},
    "ping_client": {**READS, **CLOSED},
    "log_every_level": {**READS, **CLOSED},
    "flood_the_log": {**READS, **CLOSED},
    "pin_notice": {**DESTROYS, **REPEATABLE, **CLOSED},
    "add_prompt": {**ADDS, **REPEATABLE, **CLOSED},
    "bake_bread": {**READS, **CLOSED},
    "brew_beer": {**READS, **CLOSED},
    "paint_a_wall": {**READS, **CLOSED},
    "wait_for_ever": {**READS, **CLOSED},
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


@pytest.mark.parametrize(
    ("section", "wanted"), [("gallery", GALLERY), ("conversation", CONVERSATION)]
)
def test_the_tools_of_a_section_claim_exactly_these_hints(
    tools: dict[str, Json], section: str, wanted: dict[str, dict[str, bool] | None]
) -> None:
    claims = {
        name: tool.get("annotations")
        for name, tool in tools.items()
        if tool["_meta"]["signoff/section"] == section
    }
    assert claims == wanted


def test_the_lessons_come_first_and_every_tool_is_in_a_section(tools: dict[str, Json]) -> None:
    sections = [tool["_meta"]["signoff/section"] for tool in tools.values()]
    assert list(dict.fromkeys(sections)) == ["lessons", "gallery", "conversation"]
    assert sections == sorted(sections, reverse=True)


def test_every_tool_is_titled_and_described_crisply(tools: dict[str, Json]) -> None:
    for name, tool in tools.items():
        assert tool["title"] not in ("", name)
        assert 40 < len(tool["description"]) < 240, name
        assert "\n" not in tool["description"]


def test_no_tool_of_a_constant_answer_is_left_over(tools: dict[str, Json]) -> None:
    held = tomllib.loads(Path(constant.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    assert set(held["tools"]) <= set(tools)
    assert set(held["texts"]) == set(
        tools["show_text"]["inputSchema"]["properties"]["kind"]["enum"]
    )


HARD_FORMS = ("order_something", "grow_tree", "take_anything", "db_search")


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


def test_the_schemas_cover_what_a_form_must_draw(tools: dict[str, Json]) -> None:
    def field(tool: str, name: str) -> Any:
        return tools[tool]["inputSchema"]["properties"][name]

    assert field("launch_confetti", "intensity")["enum"] == ["low", "medium", "high"]
    assert field("migrate_database", "dryRun") == {
        "type": "boolean",
        "default": False,
        "description": "Go through the steps without changing anything",
    }
    steps = field("progress_backwards", "stepSeconds")
    assert (steps["type"], steps["default"]) == ("number", 0.3)
    assert (steps["minimum"], steps["maximum"]) == (0, 2)
    assert field("create_record", "data")["type"] == "object"
    parts = field("repo_summary", "failParts")
    assert parts["items"]["enum"] == ["languages", "contributors", "activity", "security"]


GOOD_CALLS: dict[str, Json] = {
    "create_record": {"table": "tasks", "data": {"title": "Test"}},
    "update_user": {"id": "grace", "changes": {"role": "viewer"}},
    "increment_counter": {"id": "listing"},
    "order_pizza": {"idempotencyKey": "listing"},
    "send_message": {"to": "ada", "text": "hello"},
    "list_repositories": {},
    "show_database": {},
    "generate_fantasy_character": {},
    "count_stock": {"mistakes": 0},
}
BROKEN = "generate_fantasy_character_broken"


def test_every_promised_shape_is_kept(peer: Peer, tools: dict[str, Json]) -> None:
    promising = {name for name, tool in tools.items() if "outputSchema" in tool}
    assert promising == {*GOOD_CALLS, BROKEN}
    for name, arguments in GOOD_CALLS.items():
        schema = tools[name]["outputSchema"]
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(peer.call(name, **arguments).data)
