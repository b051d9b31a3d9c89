"""What OpenAPI 3.0 and old drafts write in another way is named, with what to write."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.content.text import visible
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.findings.schema_findings import habit_findings, pattern_findings
from signoff.app.schemas.habits import LOST, habits
from tests.content.json_values import json_values

D4 = "http://json-schema.org/draft-04/schema#"
D7 = "http://json-schema.org/draft-07/schema#"


def found(property_schema: Any, key: str = "inputSchema", **more: Any) -> list[tuple[str, str]]:
    schema = {"type": "object", "properties": {"p": property_schema}, **more}
    return [(one.path, one.severity.value) for one in habit_findings(schema, key)]


@pytest.mark.parametrize(
    ("schema", "keyword", "severity", "in_output", "instead"),
    [
        (
            {"type": "string", "nullable": True},
            "nullable",
            "warning",
            "warning",
            '["string", "null"]',
        ),
        ({"nullable": True}, "nullable", "warning", "error", '"null"]'),
        ({"minimum": 3, "exclusiveMinimum": True}, "exclusiveMinimum", "error", "error", ": 3"),
        ({"exclusiveMaximum": False}, "exclusiveMaximum", "error", "error", "leave it out"),
        ({"enum": []}, "enum", "warning", "error", "list the values"),
        ({"id": "http://x/y"}, "id", "warning", "error", "$id"),
        ({"type": "any"}, "type", "error", "error", "leave type out"),
        ({"type": "int"}, "type", "error", "error", '"integer"'),
        ({"type": ["String", "null"]}, "type", "error", "error", '"string"'),
        ({"type": "string", "required": True}, "required", "error", "error", "list"),
        ({"items": [{}]}, "items", "error", "error", "prefixItems"),
        ({"divisibleBy": 2}, "divisibleBy", "warning", "warning", "multipleOf"),
    ],
)
def test_a_habit_is_named(
    schema: Any, keyword: str, severity: str, in_output: str, instead: str
) -> None:
    assert found(schema) == [(f"$.inputSchema.properties.p.{keyword}", severity)]
    assert found(schema, "outputSchema") == [(f"$.outputSchema.properties.p.{keyword}", in_output)]
    (one,) = habit_findings({"properties": {"p": schema}}, "outputSchema")
    assert instead in one.message
    assert (LOST in one.message) == (in_output == "error" and keyword != "items")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "nullable": True},
        {"type": "string", "nullable": False},
        {"exclusiveMinimum": 3},
        {"type": "object", "properties": {"id": {"type": "string"}, "nullable": {}, "enum": {}}},
        {"default": {"nullable": True, "id": "x", "enum": []}},
        {"const": {"type": "any"}},
        {"enum": [{"type": "any"}]},
        {"type": "object", "properties": {"a": {}}, "required": ["a"]},
        {"type": "object", "required": ["a"]},
        {"properties": {"a": {}}, "patternProperties": {"b": {}}, "required": ["b"]},
        {"properties": {"a": {}, "b": {}}, "anyOf": [{"properties": {"a": {}}, "required": ["b"]}]},
    ],
)
def test_what_is_sound_is_left_alone(schema: Any) -> None:
    assert found(schema) == found(schema, "outputSchema") == []


def test_what_is_right_in_its_own_draft_is_left_alone() -> None:
    old = {"minimum": 3, "exclusiveMinimum": True, "id": "x"}
    assert found(old, **{"$schema": D4}) == []
    assert found({"items": [{}]}, **{"$schema": D7}) == []
    assert found({"exclusiveMinimum": True}, **{"$schema": D7}) != []


def test_required_without_its_property() -> None:
    assert found({"type": "object", "properties": {"a": {}}, "required": ["a", "b"]}) == [
        ("$.inputSchema.properties.p.required", "warning")
    ]


@given(json_values())
def test_any_json_is_looked_at(value: Any) -> None:
    for one in habits(value):
        assert one.words == visible(one.words)
    assert len(habit_findings(value, "inputSchema")) <= 10


@pytest.mark.parametrize(
    ("pattern", "severity", "in_output"),
    [
        (r"^\p{L}+$", None, None),
        ("(?P<a>x)", Severity.ERROR, Severity.ERROR),
        (r"a\_b", Severity.WARNING, Severity.ERROR),
    ],
)
def test_patterns_are_looked_at_where_a_schema_has_them(
    pattern: str, severity: Severity | None, in_output: Severity | None
) -> None:
    schema: Any = {
        "properties": {"p": {"pattern": pattern}, "pattern": {"type": "string"}},
        "patternProperties": {pattern: {}},
        "default": {"pattern": "("},
    }
    for key, wanted in (("inputSchema", severity), ("outputSchema", in_output)):
        found = pattern_findings(schema, key)
        assert [one.severity for one in found] == ([wanted] * 2 if wanted else [])
        if wanted:
            assert found[1].path == f"$.{key}.properties.p.pattern"
