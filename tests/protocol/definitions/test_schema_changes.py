from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from signoff.app.content.json.jsonio import canonical
from signoff.app.protocol.definitions.changes import DefinitionDiff, Weight, compare_definitions
from signoff.app.protocol.definitions.schema_changes import schema_changes
from tests.protocol.definitions_made import (
    ROOTS,
    WORDS,
    check_exact,
    edited,
    nested_schema,
    only,
    schema_pairs,
)
from tests.tiers import examples

SAFE, REWORDED, BREAKING = Weight.SAFE, Weight.REWORDED, Weight.BREAKING


def schema_diff(old: Any, new: Any) -> DefinitionDiff:
    return compare_definitions({"inputSchema": old}, {"inputSchema": new})


STRING: Any = {"type": "string"}


def parameters(required: list[str] | None = None, **properties: Any) -> Any:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema if required is None else {**schema, "required": required}


PARAMETER: list[tuple[Any, Any, Weight, str]] = [
    (STRING, {"type": "integer"}, BREAKING, "type-changed"),
    ({"type": "integer"}, {"type": "number"}, SAFE, "type-widened"),
    (STRING, {"type": ["null", "string"]}, SAFE, "type-widened"),
    (STRING, {}, SAFE, "type-widened"),
    (STRING, {"type": ["string"]}, SAFE, "restated"),
    (STRING, {"type": "text"}, BREAKING, "type-changed"),
    (STRING, {"type": "string", "description": "x"}, REWORDED, "schema-reworded"),
    ({"default": 1}, {"default": 1.0}, REWORDED, "default-changed"),
    ({"enum": [1, 2]}, {"enum": [2, 1, 3]}, SAFE, "enum-widened"),
    ({"enum": [1, 2]}, {"enum": [1]}, BREAKING, "enum-narrowed"),
    ({"enum": [1, 2]}, {"enum": [2, 1.0]}, SAFE, "restated"),
    ({"enum": [1]}, {"enum": [True]}, BREAKING, "enum-narrowed"),
    ({"minimum": 1}, {"minimum": 0}, SAFE, "constraint-loosened"),
    ({"minimum": 1}, {"minimum": 1.0}, SAFE, "restated"),
    ({"minimum": 1}, {"minimum": 2}, BREAKING, "constraint-tightened"),
    ({"maximum": 1}, {"maximum": 0}, BREAKING, "constraint-tightened"),
    ({}, {"minLength": 0}, SAFE, "restated"),
    ({}, {"pattern": "x"}, BREAKING, "constraint-tightened"),
    ({"pattern": "x"}, {}, SAFE, "constraint-loosened"),
    ({"items": STRING}, {"items": {}}, SAFE, "type-widened"),
    ({"items": {}}, {"items": STRING}, BREAKING, "type-changed"),
    (parameters(), parameters(b=STRING), SAFE, "parameter-added"),
    ({"anyOf": [STRING]}, {"anyOf": [{}, STRING]}, SAFE, "alternative-added"),
    ({"anyOf": [{}, STRING]}, {"anyOf": [STRING, {}]}, SAFE, "restated"),
    ({"oneOf": [{"const": 1}]}, {"oneOf": [{"const": 1}, {"const": 2}]}, SAFE, "alternative-added"),
    (
        {"oneOf": [{"enum": [1, 2]}, {"const": 3}]},
        *({"oneOf": [{"enum": [1, 2, 3]}, {"const": 3}]}, BREAKING, "not-understood"),
    ),
    ({"not": STRING}, {"not": {}}, BREAKING, "not-understood"),
    ({}, {"unheardOf": 1}, BREAKING, "not-understood"),
]
"""Schemas of one parameter before and after, and the codes."""
WHOLE: list[tuple[Any, Any, Weight, str]] = [
    (parameters(), parameters(a=STRING), SAFE, "parameter-added"),
    (parameters(), parameters(["a"], a=STRING), BREAKING, "newly-required parameter-added"),
    (parameters(), parameters(a={"type": "string", "default": "/"}), REWORDED, "parameter-added"),
    (parameters(), parameters(a=5), BREAKING, "not-understood"),
    (parameters(a=STRING), parameters(), BREAKING, "parameter-removed"),
    (parameters(a=STRING), parameters(["a"], a=STRING), BREAKING, "newly-required"),
    (parameters(["a"], a=STRING), parameters([], a=STRING), SAFE, "no-longer-required"),
    (parameters(["a", "b"]), parameters(["b", "a"]), SAFE, "restated"),
    (
        parameters(),
        {**parameters(), "additionalProperties": False},
        BREAKING,
        "constraint-tightened",
    ),
    (parameters(), {**parameters(), "additionalProperties": True}, SAFE, "restated"),
    (
        {"unevaluatedProperties": False, "additionalProperties": STRING},
        {"unevaluatedProperties": False},
        BREAKING,
        "not-understood",
    ),
    ({}, {"$schema": "https://json-schema.org/draft/2020-12/schema"}, SAFE, "restated"),
    ({}, {"$schema": "http://json-schema.org/draft-07/schema#"}, BREAKING, "dialect-changed"),
    ({}, {"type": "object"}, SAFE, "restated"),
    (parameters(), {**parameters(), "$defs": {"x": {}}}, SAFE, "definition-added"),
    (
        *({"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x", "$defs": {"x": False}}, BREAKING),
        "not-understood",
    ),
    (
        {"$ref": "#/$defs/x", "$defs": {"x": {"maximum": 2}}},
        {"$ref": "#/$defs/x", "$defs": {"x": {"maximum": 3}}},
        SAFE,
        "constraint-loosened",
    ),
    (
        {"not": {"$ref": "#/$defs/x"}, "$defs": {"x": {"maximum": 2}}},
        {"not": {"$ref": "#/$defs/x"}, "$defs": {"x": {"maximum": 3}}},
        BREAKING,
        "not-understood",
    ),
]
"""Likewise, of whole schemas."""


@pytest.mark.parametrize(
    ("old", "new", "weight", "codes"),
    [*WHOLE, *((parameters(a=old), parameters(a=new), *more) for old, new, *more in PARAMETER)],
)
def test_an_input_schema(old: Any, new: Any, weight: Weight, codes: str) -> None:
    diff = check_exact({"inputSchema": old}, {"inputSchema": new})
    assert ({change.code for change in diff.changes}, diff.weight) == ({*codes.split()}, weight)


def test_names_in_words_are_quoted_and_counted() -> None:
    names = [f'p"{n}\u202e' for n in range(7)]
    diff = schema_diff({}, {"required": names})
    start = 'newly required: "p\\"0<U+202E>", "p\\"1<U+202E>"'
    assert only(diff).words.startswith(start)
    assert only(diff).words.endswith(" and 2 more")


VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 4, 5, 6, 1.5, -1, "", "a", "bb", "ab", "aaab", "baa"),
    *([], [1], [1, 1], [None], ["a", 2, {}], {}, {"a": 1}, {"b": "a"}, {"a": 1, "b": 2, "c": 3}),
]
INSTANCES = [
    *VALUES,
    *[one for value in VALUES for one in ([value], {"a": value}, {"path": value}, [value, "a"])],
    *[one for value in VALUES for one in ([[value]], {"a": {"a": value}}, {"a": [value]})],
]
META = Draft202012Validator(Draft202012Validator.META_SCHEMA)


def check_sound(old: Any, new: Any) -> None:
    """What was accepted, and is refused now, is breaking."""
    changes = schema_changes(old, new)
    if any(one.weight is BREAKING or one.code == "parameter-added" for one in changes):
        # A new parameter is typed, and before it anything could be sent under its name.
        return
    before, after = Draft202012Validator(old), Draft202012Validator(new)
    try:
        for instance in INSTANCES:
            if before.is_valid(instance):
                assert after.is_valid(instance), (instance, changes)
    except Unresolvable:
        reject()


@pytest.mark.slow
@examples(300)
@given(schema_pairs())
def test_one_keyword_by_which_anything_is_refused_is_breaking(pair: tuple[Any, Any]) -> None:
    check_sound(*pair)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data(), ROOTS)
def test_what_is_refused_now_and_was_not_before_is_breaking(data: st.DataObject, old: Any) -> None:
    new = data.draw(edited(old))
    assume(isinstance(new, dict) and META.is_valid(new))
    # No circles: the validator would go round in them.
    assume(not any("$ref" in canonical(one.get("$defs", {})) for one in (old, new)))
    check_sound(old, new)


@settings(deadline=None)
@given(st.data(), ROOTS, WORDS)
def test_another_text_in_a_schema_is_only_reworded(
    data: st.DataObject, schema: Any, text: str
) -> None:
    old, new = {**schema, "description": text}, {**schema, "description": text + "!"}
    change = only(schema_diff(old, new))
    assert (change.weight, change.path) == (REWORDED, "$.inputSchema.description")


@pytest.mark.parametrize(
    "key", ["not", "items", "additionalProperties", "anyOf", "oneOf", "properties", "unheardOf"]
)
def test_deep_schemas_are_compared_without_deep_recursion(key: str) -> None:
    null = {"type": "null"}
    for depth in (40, 90, 300):
        old, new = ({"inputSchema": nested_schema(key, depth, one)} for one in (STRING, null))
        assert only(compare_definitions(old, new)).weight is BREAKING
