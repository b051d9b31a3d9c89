"""Action metadata of tools: read leniently, and held against the hints."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.protocol.extensions.action_metadata import KEY, action_findings
from signoff.app.protocol.extensions.on_tools import with_drafts
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.content.json_values import json_values


def tool(held: object, holder: str = "_meta", **annotations: Any) -> ToolDefinition:
    entry: dict[str, Any] = {"name": "a", "inputSchema": {"type": "object"}}
    entry["annotations"] = dict(annotations)
    entry.setdefault(holder, {})[KEY] = held
    return read_tool(0, entry)


def codes(held: object, **annotations: Any) -> list[str]:
    return [one.code for one in action_findings(tool(held, **annotations))]


@pytest.mark.parametrize(
    ("held", "words"),
    [
        # As servers in the field send it.
        ({"inputMetadata": {"destination": "external", "sensitivity": "sensitive"},
          "returnMetadata": {"source": "first-party", "sensitivity": "sensitive"},
          "outcome": "research execution", "requiresReview": False},
         ("external", "sensitive", "first-party", "research execution")),
        # As the Python SDK of the draft's repository writes it.
        ({"inputMetadata": {"destination": ["internal", "public"], "outcomes": "benign",
                            "sensitivity": {"regulated": {"scopes": ["HIPAA"]}}}},
         ("“internal” or “public”", "benign", "regulated: HIPAA")),
    ],
)  # fmt: skip
def test_what_is_declared_is_told(held: object, words: tuple[str, ...]) -> None:
    (found,) = action_findings(tool(held))
    assert found.code == "action-metadata"
    assert all(one in found.message for one in words)


def test_it_may_be_among_the_annotations() -> None:
    (found,) = action_findings(tool({"outcome": "benign"}, "annotations"))
    assert found.path.startswith("$.annotations")


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ({"requiresReview": True}, True),
        ({"requiresReview": False}, False),
        ({"requiresReview": None}, False),
        ({"requiresReview": "no"}, True),
        ({"outcome": "requires_review"}, True),
        ({}, False),
    ],
)
def test_only_a_claim_of_a_review_asks(held: object, asked: bool) -> None:
    assert ("requires-review" in codes(held)) == asked


@pytest.mark.parametrize(
    ("held", "hints", "count"),
    [
        ({"outcome": "irreversible"}, {"readOnlyHint": True}, 1),
        ({"outcome": "consequential"}, {"readOnlyHint": True}, 1),
        ({"outcome": "benign"}, {"readOnlyHint": True}, 0),
        ({"outcome": "irreversible"}, {"destructiveHint": False}, 1),
        ({"outcome": "benign"}, {"destructiveHint": True}, 1),
        ({"inputMetadata": {"destination": "public"}}, {"openWorldHint": False}, 1),
        ({"inputMetadata": {"destination": "external"}}, {"openWorldHint": False}, 1),
        ({"inputMetadata": {"destination": "public"}}, {"openWorldHint": True}, 0),
        ({"returnMetadata": {"source": "untrustedPublic"}}, {"openWorldHint": False}, 1),
        ({"outcome": "irreversible"}, {}, 0),
    ],
)
def test_contradictions_with_the_hints_are_found(
    held: object, hints: dict[str, bool], count: int
) -> None:
    assert codes(held, **hints).count("action-contradicts-hints") == count


@pytest.mark.parametrize("held", [1, "benign", {"outcome": 1}, {"inputMetadata": []}])
def test_what_is_malformed_is_found(held: object) -> None:
    assert "malformed-action-metadata" in codes(held)


@given(json_values())
def test_anything_is_read_and_told_safely(value: Any) -> None:
    for held in (value, {"inputMetadata": value}, {"outcome": [value], "requiresReview": value}):
        for one in action_findings(tool(held)):
            assert one.message.isprintable()
            assert len(one.message) < 5_000


def test_nothing_is_found_unless_the_draft_is_on() -> None:
    plain = (tool({"requiresReview": True}),)
    assert with_drafts(plain, ()) == plain
    assert with_drafts(plain, ("trust-annotations",)) == plain
    assert with_drafts(plain, ("action-metadata",)) != plain
