"""Samples of schemas: they fit where that is easy, and no schema makes one costly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.samples import LENGTH_MAX, WEIGHT_MAX, sample_arguments
from signoff.app.schemas.schema import SchemaAnswer, judge_arguments

HUGE = 10**400
NUMBERS = st.integers() | st.floats(allow_nan=False) | st.sampled_from([HUGE, -HUGE, 5e-324, 1e308])
NUMERIC = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional=dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], NUMBERS
    ),
)
SCHEMAS = st.recursive(
    NUMERIC
    | st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={"minLength": NUMBERS, "maxLength": NUMBERS, "format": st.just("date")},
    )
    | st.sampled_from([{"$ref": "#"}, {"$ref": "#/properties/a"}, {"const": "x" * 5_000}, 3, None]),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner, "minItems": NUMBERS})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=2)})
        | st.dictionaries(st.sampled_from("ab"), inner).map(
            lambda known: {"type": "object", "properties": known, "required": [*known, "c"]}
        )
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": 5, "multipleOf": 5},
                "f": {"type": "number", "exclusiveMaximum": 0},
                "e": {"enum": ["x", "y"]},
                "l": {"type": "array", "items": {"type": "boolean"}, "minItems": 2},
                "d": {"type": "string", "format": "date"},
                "o": {"$ref": "#/$defs/o"},
                "u": {"anyOf": [{"type": "null"}, {"type": "string"}]},
                "t": {"type": ["null", "string"], "minLength": 20},
                "c": {"const": 7},
            },
            "required": ["n", "f", "e", "l", "d", "o", "u", "t", "c"],
            "$defs": {
                "o": {"type": "object", "properties": {"x": {"default": 3}}, "required": ["x"]}
            },
        },
    ],
)
def test_sample_arguments_fit_their_schema(schema: dict[str, Any]) -> None:
    sample = sample_arguments(schema)
    assert judge_arguments(schema, sample).answer is SchemaAnswer.VALID, json.dumps(sample)


@pytest.mark.parametrize(
    "schema",
    [None, True, {"$ref": "#"}, {"type": "object", "required": 3}, {"required": [1, None]}, []],
)
def test_no_schema_is_too_odd_to_make_a_sample_of(schema: Any) -> None:
    sample_arguments(schema)


@given(SCHEMAS)
def test_a_sample_of_any_schema_is_small(schema: Any) -> None:
    inside: dict[str, Any] = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    assert len(json.dumps(sample_arguments(inside))) < 10 * WEIGHT_MAX


@given(st.integers(-50, 50), st.integers(0, 20), st.integers(1, 10), st.booleans())
def test_a_number_in_a_range_is_found(low: int, span: int, step: int, exclusive: bool) -> None:
    name = "exclusiveMinimum" if exclusive else "minimum"
    number = {"type": "integer", name: low, "maximum": low + span, "multipleOf": step}
    inside = [n for n in range(low + exclusive, low + span + 1) if n % step == 0]
    schema: dict[str, Any] = {"type": "object", "properties": {"n": number}, "required": ["n"]}
    found = sample_arguments(schema)["n"]
    assert not inside or found in inside


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "array", "minItems": 1_000, "items": {"$ref": "#/$defs/a"}},
        {"type": "array", "minItems": HUGE, "items": {"type": "string", "minLength": LENGTH_MAX}},
        {"type": "array", "minItems": 1_000, "items": {"const": "x" * WEIGHT_MAX}},
        {"type": "array", "minItems": 1_000_000, "items": {"type": "integer", "minimum": HUGE}},
        {"type": "object", "required": [str(n) for n in range(500_000)]},
        {"type": "number", "multipleOf": 5e-324, "minimum": HUGE},
        {"type": "number", "minimum": HUGE, "multipleOf": 0.3},
    ],
)
def test_a_hostile_schema_ends_soon(inner: dict[str, Any]) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "required": ["a"],
        "$defs": {"a": inner},
    }
    sample = sample_arguments(schema)
    assert "a" in sample
    assert len(json.dumps(sample)) < 10 * WEIGHT_MAX
