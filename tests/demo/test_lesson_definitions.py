"""The lessons' definitions, held against the table that they are taught by."""

from __future__ import annotations

from typing import Any

import pytest

from tests.demo.peer import Json
from tests.demo.sdk import Lessons

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
SAID = {"T": True, "F": False}
TEXT = {"type": "string"}
OBJECT = {"type": "object"}
NUMBER = {"type": "number"}
LIMIT = {"type": "integer", "default": 100}

# Hints as read-only, destructive, idempotent, open world: T, F, or - where the key is absent.
TABLE: dict[str, tuple[str, str, Json]] = {
    "launch_confetti": (
        "FTFT",
        "Launch Real-Life Confetti",
        {
            "color": TEXT,
            "intensity?": {"type": "string", "enum": ["low", "medium", "high"]},
            "location": TEXT,
        },
    ),
    "delete_file": ("FTTF", "Delete File", {"path": TEXT}),
    "create_record": ("FFFF", "Create Database Record", {"table": TEXT, "data": OBJECT}),
    "update_user": ("FFT-", "Update User", {"id": TEXT, "changes": OBJECT}),
    "delete_user": ("FTT-", "Delete User", {"id": TEXT}),
    "increment_counter": ("FFF-", "Increment Counter", {"id": TEXT}),
    "calculate_sum": ("T--F", "Calculate Sum", {"a": NUMBER, "b": NUMBER}),
    "calculate_fibonacci": (
        "TFTF",
        "Calculate Fibonacci",
        {"n": {"type": "integer", "minimum": 0, "maximum": 90}},
    ),
    "web_search": ("T--T", "Web Search", {"query": TEXT}),
    "search_files": ("T--F", "Search Files", {"pattern": TEXT}),
    "github_delete_branch": ("FTFT", "Delete GitHub Branch", {"repo": TEXT, "branch": TEXT}),
    "migrate_database": (
        "-TFF",
        "Run Database Migrations",
        {"dryRun?": {"type": "boolean", "default": False}},
    ),
    "bulk_process_files": (
        "FFTF",
        "Process Many Files",
        {"directory": TEXT, "pattern?": {"type": "string", "default": "**/*.ts"}},
    ),
    "slack_send_message": (
        "--F-",
        "Send Slack Message",
        {"channel": TEXT, "text": TEXT, "idempotencyKey?": TEXT},
    ),
    "github_list_repositories": (
        "T--T",
        "List GitHub Repositories",
        {
            "org": TEXT,
            "language?": TEXT,
            "cursor?": TEXT,
            "pageSize?": {"type": "integer", "default": 20, "minimum": 1, "maximum": 100},
        },
    ),
    "github_search_repos": (
        "",
        "Search GitHub Repositories",
        {
            "query": TEXT,
            "limit?": {"type": "integer", "default": 10, "minimum": 1, "maximum": 30},
        },
    ),
    "search": ("T---", "Search (Deprecated)", {"q": TEXT}),
    "db_search": ("T---", "Search the Database", {}),
    "report_between": (
        "T---",
        "Report Between Dates",
        {
            "startDate": {"type": "string", "format": "date"},
            "endDate": {"type": "string", "format": "date"},
            "limit?": LIMIT,
        },
    ),
    "capture_screenshot": ("T--T", "Capture Screenshot", {"url": TEXT}),
    "get_config_file": ("T---", "Get Configuration File", {"path": TEXT}),
    "analyze_pr": (
        "T---",
        "Analyze Pull Request",
        {"owner": TEXT, "repo": TEXT, "pr": {"type": "integer"}},
    ),
    "github_repo_summary": ("T---", "Summarize Repository", {"owner": TEXT, "repo": TEXT}),
    "get_weather": ("T--T", "Get Weather", {"location": TEXT}),
    "generate_fantasy_character": ("", "Generate Fantasy Character", {"theme?": TEXT}),
    "generate_fantasy_character_broken": (
        "",
        "Generate Fantasy Character (Broken)",
        {"theme?": TEXT},
    ),
    "upsert_setting": ("FFTF", "Set a Setting", {"key": TEXT, "value": TEXT}),
    "append_note": ("FFFF", "Append a Note", {"path": TEXT, "text": TEXT}),
    "send_email": ("FFFT", "Send an Email", {"to": TEXT, "subject": TEXT, "body": TEXT}),
    "deploy_release": ("FTTT", "Deploy a Release", {"service": TEXT, "version": TEXT}),
    "read_table": ("T--F", "Read Table", {"table": TEXT, "limit?": LIMIT}),
    "http_get": ("T--T", "Get a Page", {"url": TEXT}),
    "read_settings": ("T---", "Read Settings", {}),
    # Not of the table: the one effect that none of its tools has.
    "contradictory_tool": ("TT--", "Contradictory Tool", {}),
}


@pytest.fixture(scope="module")
def tools(sdk: Lessons) -> dict[str, Json]:
    return {
        name: tool
        for name, tool in sdk.tools().items()
        if tool["_meta"] == {"signoff/section": "lessons"}
    }


def test_the_lessons_are_the_table(tools: dict[str, Json]) -> None:
    assert set(tools) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_hints_and_title_are_exact(tools: dict[str, Json], name: str) -> None:
    letters, title, _ = TABLE[name]
    said = {
        hint: SAID[letter]
        for hint, letter in zip(HINTS, letters or "----", strict=True)
        if letter != "-"
    }
    assert tools[name]["title"] == title
    if letters:
        assert tools[name]["annotations"] == said
    else:
        assert "annotations" not in tools[name]


@pytest.mark.parametrize("name", TABLE)
def test_parameters_are_exact(tools: dict[str, Json], name: str) -> None:
    wanted = TABLE[name][2]
    schema = tools[name]["inputSchema"]
    properties: dict[str, Any] = schema.get("properties", {})
    assert set(properties) == {key.rstrip("?") for key in wanted}
    optional = {key.rstrip("?") for key in wanted if key.endswith("?")}
    assert set(properties) - set(schema.get("required", [])) == optional
    for key, field in wanted.items():
        published = properties[key.rstrip("?")]
        assert {word: published.get(word) for word in field} == field
        assert ("default" in published) is ("default" in field)
        assert "anyOf" not in published


def test_the_search_is_a_union_told_apart_by_type(tools: dict[str, Json]) -> None:
    schema = tools["db_search"]["inputSchema"]
    assert schema["type"] == "object"
    found = {
        choice["properties"]["type"]["const"]: {
            key: field.get("default", "required" if key in choice["required"] else "optional")
            for key, field in choice["properties"].items()
            if key != "type"
        }
        for choice in schema["oneOf"]
    }
    assert found == {
        "text": {"query": "required", "caseSensitive": False},
        "regex": {"pattern": "required", "flags": "optional"},
        "semantic": {"query": "required", "threshold": 0.7, "limit": 10},
    }
    assert all("type" in choice["required"] for choice in schema["oneOf"])


def test_the_deprecated_tool_names_its_successor(tools: dict[str, Json]) -> None:
    assert tools["search"]["description"] == (
        "[DEPRECATED] Use github_search_repos instead. Will be removed in v2.0."
    )


def test_a_path_comes_with_files_to_take_which_exist(sdk: Lessons, tools: dict[str, Json]) -> None:
    assert not sdk.call("search_files", pattern="*").is_error, "the sandbox is made on first use"
    for name, key in (
        ("delete_file", "path"),
        ("append_note", "path"),
        ("get_config_file", "path"),
        ("bulk_process_files", "directory"),
    ):
        examples = tools[name]["inputSchema"]["properties"][key]["examples"]
        assert examples
        assert all((sdk.folder / example).exists() for example in examples)


def test_definitions_are_the_same_after_calls(sdk: Lessons, tools: dict[str, Json]) -> None:
    sdk.call("append_note", path="new/file.txt", text="a file that was not there before")
    assert {name: sdk.tools()[name] for name in tools} == tools


@pytest.mark.slow
def test_the_characters_promise_the_same_shape(tools: dict[str, Json]) -> None:
    good = tools["generate_fantasy_character"]["outputSchema"]
    assert good == tools["generate_fantasy_character_broken"]["outputSchema"]
    assert set(good["required"]) == {"name", "species", "characterClass", "abilities"}
