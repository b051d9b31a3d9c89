from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.app.protocol.answers.values import at, found
from signoff.app.protocol.answers.verdict_words import (
    MAX_PLACES,
    governing,
    listed_names,
    rule_place,
)
from signoff.app.schemas.schema import judge
from tests.content.json_values import json_values

SCHEMA: JsonValue = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "hero": {"$ref": "#/$defs/hero"},
        "pair": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
        "old": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
        "map": {"additionalProperties": {"$ref": "#/$defs/a~1b%25"}},
        "any": {"anyOf": [{"properties": {"x": {"minimum": 1}}}, {"$ref": "#/$defs/hero"}]},
        "anchored": {"$ref": "#here"},
        "outside": {"$ref": "https://example.com/schema"},
    },
    "required": ["name", "unlisted"],
    "$defs": {
        "hero": {
            "properties": {"friend": {"$ref": "#/$defs/hero"}, "x": {"maximum": 5}},
            "required": ["friend"],
        },
        "a/b%": {"type": "null"},
        "anchored": {"$anchor": "here", "properties": {"y": {}}},
        "loop": {"$ref": "#/$defs/loop"},
    },
}


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ((), [()]),
        (("name",), [("properties", "name")]),
        (("hero",), [("$defs", "hero"), ("properties", "hero")]),
        (
            ("hero", "friend", "friend"),
            [("$defs", "hero"), ("$defs", "hero", "properties", "friend")],
        ),
        (("pair", 0), [("properties", "pair", "prefixItems", 0)]),
        (("pair", 1), [("properties", "pair", "items")]),
        (("old", 0), [("properties", "old", "items", 0)]),
        (("old", 1), [("properties", "old", "additionalItems")]),
        (("map", "k"), [("$defs", "a/b%"), ("properties", "map", "additionalProperties")]),
        (
            ("any", "x"),
            [
                ("properties", "any", "anyOf", 0, "properties", "x"),
                ("$defs", "hero", "properties", "x"),
            ],
        ),
        (("anchored", "y"), [("$defs", "anchored", "properties", "y")]),
        (("outside", "y"), []),
        (("nobody",), []),
        (("name", "deeper", 3), []),
    ],
)
def test_the_places_that_speak_of_a_place(path: Path, places: list[Path]) -> None:
    assert list(governing(SCHEMA, path)) == places


def test_names_come_in_the_order_of_the_schema() -> None:
    names = listed_names(SCHEMA, ())
    assert names[:3] == ("name", "hero", "pair")
    assert names[-1] == "unlisted"
    assert listed_names(SCHEMA, ("hero", "friend")) == ("friend", "x")
    assert listed_names(True, ()) == ()


def test_rules_are_found_through_references() -> None:
    schema: JsonValue = {
        "properties": {"hero": {"$ref": "#/$defs/hero"}, "name": {"type": "string"}},
        "if": {"required": ["hero"]},
        "then": {"required": ["gone"]},
        "$defs": {
            "hero": {"properties": {"friend": {"$ref": "#/$defs/hero"}, "x": {"maximum": 5}}}
        },
    }
    value: JsonValue = {"hero": {"friend": {"x": 9, "friend": {}}}, "name": 1}
    assert {rule_place(schema, one.schema_path) for one in judge(schema, value).errors} == {
        ("$defs", "hero", "properties", "x", "maximum"),
        ("properties", "name", "type"),
        ("then", "required"),
    }
    named = ("properties", "hero", "$ref", "properties", "x", "maximum")
    assert rule_place(schema, named) == ("$defs", "hero", "properties", "x", "maximum")
    assert rule_place(schema, ("nowhere", 3)) is None
    assert rule_place({"$ref": "#"}, ("x",)) is None


def test_loops_and_crowds_end() -> None:
    assert governing({"$ref": "#"}, ("a", "b")) == ()
    assert governing({"$ref": "#/$defs/loop", "$defs": {"loop": {"$ref": "#/$defs/loop"}}}, ())
    crowd: JsonValue = {"anyOf": [{"additionalProperties": {"$ref": "#"}} for _ in range(500)]}
    assert 0 < len(governing(crowd, ("a", "b", "c"))) <= MAX_PLACES


PATHS = st.lists(st.sampled_from(["a", "$ref", "0"]) | st.integers(0, 3), max_size=5).map(tuple)
KEYWORDS = st.sampled_from(
    ["$ref", "properties", "items", "anyOf", "allOf", "a", "$defs", "required", "prefixItems"]
)


@pytest.mark.slow
@given(json_values(KEYWORDS), PATHS)
def test_total_and_every_place_is_there(schema: JsonValue, path: Path) -> None:
    for place in governing(schema, path):
        assert found(schema, place)
    listed_names(schema, path)
    rule = rule_place(schema, path)
    assert rule is None or found(schema, rule)


def test_at_is_none_where_nothing_is() -> None:
    assert at({"a": [1, {"b": 2}]}, ("a", 1, "b")) == 2
    assert at({"a": [1]}, ("a", 1)) is None
    assert at({"a": [1]}, ("a", "0")) is None
    assert found({"a": None}, ("a",)) == (None,)
    assert found({"a": None}, ("b",)) == ()
