"""Tools that say that they are deprecated, and the successor that they name."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.definitions.deprecation import Successor, deprecation_json, successor_of
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.content.json_values import json_values

NAMES = ("search", "github_search_repos", "echo", "list")


def tool(description: str = "", **more: JsonValue) -> ToolDefinition:
    raw: JsonValue = {
        "name": "search",
        "description": description,
        "inputSchema": {"type": "object"},
        **more,
    }
    return read_tool(0, raw)


def successor(one: ToolDefinition) -> Successor:
    assert one.deprecation is not None
    return successor_of(one.name, one.deprecation, NAMES)


SAYS_SO = (
    "[DEPRECATED] Use github_search_repos instead. Will be removed in v2.0.",
    "Searches. [Deprecated: since 1.2]",
    *("Searches (deprecated).", "DEPRECATED use echo", "**Deprecated:** use `echo`"),
    "⚠ Deprecated - use echo",
)
PLACES: list[tuple[dict[str, Any], str]] = [
    *(({"description": one}, "$.description") for one in SAYS_SO),
    ({"title": "[DEPRECATED] Search"}, "$.title"),
    ({"annotations": {"title": "Search (deprecated)"}}, "$.annotations.title"),
    ({"_meta": {"deprecated": True}}, "$._meta.deprecated"),
    ({"_meta": {"deprecated": "use echo"}}, "$._meta.deprecated"),
    ({"_meta": {"example.com/deprecated": True}}, "$._meta.example.com/deprecated"),
]
OTHERS: list[Any] = [
    *({"_meta": {"deprecated": one}} for one in (False, None, 1, "", "false")),
    {"_meta": {"notdeprecated": True}},
    {"_meta": {"example.com/deprecated": []}},
    {"_meta": "deprecated"},
    *({"description": one} for one in ("Searches.", "Lists what is deprecated.", "")),
    {"description": "Marks an API as deprecated: it stays callable."},
    {"description": "Deprecated tools are listed by this one"},
]


@pytest.mark.parametrize(("more", "place"), PLACES)
def test_what_says_so(more: dict[str, Any], place: str) -> None:
    one = tool(**more)
    assert one.deprecation is not None
    assert one.deprecation.place == place
    assert one.mark == "depr"
    assert [finding.code for finding in one.findings] == ["deprecated"]


@pytest.mark.parametrize("more", OTHERS)
def test_what_speaks_of_something_else(more: dict[str, Any]) -> None:
    assert tool(**more).deprecation is None


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("[DEPRECATED] Use github_search_repos instead.", Successor("github_search_repos")),
        ("[DEPRECATED] Please use the new tool `echo`.", Successor("echo")),
        ("[DEPRECATED] Replaced by echo. Formerly list.", Successor("echo")),
        ("[DEPRECATED] in favour of “echo”", Successor("echo")),
        ("[DEPRECATED] `search` is slow, see `list`", Successor("list")),
        ("[DEPRECATED] Use other_search instead.", Successor(unknown="other_search")),
        ("[DEPRECATED] Use otherSearch, or echo.", Successor(unknown="otherSearch")),
        ("[DEPRECATED] Use something else.", Successor()),
        ("[DEPRECATED] Use search with care.", Successor()),
        # A name in the text is no successor by itself.
        ("[DEPRECATED] Does what echo does.", Successor()),
        ("[DEPRECATED]", Successor()),
    ],
)
def test_the_successor(description: str, expected: Successor) -> None:
    assert successor(tool(description)) == expected


def test_what_meta_says_comes_first() -> None:
    one = tool("[DEPRECATED] Use list.", _meta={"deprecated": "use echo"})
    assert successor(one) == Successor("echo")
    assert successor(tool("Use list.", _meta={"deprecated": True})) == Successor("list")


def test_the_json() -> None:
    one = tool("[DEPRECATED] Use other_search \x1b[31m instead.")
    assert deprecation_json("search", one.deprecation, NAMES) == {
        "place": "$.description",
        "words": "[DEPRECATED] Use other_search ␛[31m instead.",
        "successor": None,
        "unknown": "other_search",
    }
    assert deprecation_json("echo", None, NAMES) is None


@pytest.mark.slow
def test_long_and_hostile_texts_take_no_time() -> None:
    started = time.process_time()
    for text in ("[deprecated" * 100_000, "use " * 300_000, "`a" * 500_000, " " * 1_000_000):
        one = tool(f"[DEPRECATED] {text}")
        successor(one)
    meta: JsonValue = {f"x{at}/deprecated": False for at in range(50_000)}
    assert tool("", _meta=meta).deprecation is None
    assert time.process_time() - started < 10


@given(st.text(), json_values(st.sampled_from(["deprecated", "a/deprecated"])))
def test_total_and_safe_to_show(description: str, meta: JsonValue) -> None:
    one = tool(description, _meta=meta)
    if one.deprecation is not None:
        found = successor(one)
        assert not found.name or found.name in NAMES
        assert (
            f"{one.deprecation.words}{found.words}{one.deprecation.finding.message}".isprintable()
        )
