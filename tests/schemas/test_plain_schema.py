"""What is said at once of a value is what the worker would say of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.plain_schema import plainly_valid
from signoff.app.schemas.schema import Answer, judge
from tests.content.json_values import json_values
from tests.schemas.schema_strategies import input_schemas, sound_schemas
from tests.tiers import examples

_ECHO = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}, "number": {"type": "number"}},
    "required": ["text"],
    "additionalProperties": False,
}
_LISTS: Any = [["string", "null"], ["string", "string"], []]
_DIALECTS = ("draft-07/schema#", "draft-04/schema", "draft/2020-12/schema")
_RULES: Any = {
    "type": [
        "string",
        "number",
        "integer",
        "boolean",
        "null",
        "array",
        "object",
        "odd",
        1,
        *_LISTS,
    ],
    "enum": [["a", "b"], ["a", "a"], [], [1, "a"], "a"],
    "const": ["a", 1, True],
    "required": [["a"], ["a", "b"], ["a", "a"], "a"],
    "minimum": [0, 1.5, True, "1"],
    "maximum": [3, -1.0],
    "exclusiveMinimum": [0, True],
    "exclusiveMaximum": [3],
    "minLength": [0, 1, -1, 1.0],
    "maxLength": [1, True],
    "minItems": [1],
    "maxItems": [2, "2"],
    "title": ["T", 1],
    "default": [1, None, [1], {"a": [1]}],
    "examples": [["a"], "a"],
    "format": ["date", 1],
    "readOnly": [True, 1],
    "additionalProperties": [True, False, 0],
    "items": [True, False, [True]],
    "pattern": ["^a$", "("],
    "$ref": ["#"],
    "$schema": [*(f"http://json-schema.org/{one}" for one in _DIALECTS), 1],
    "odd": [1],
}
_LEAVES = st.none() | st.booleans() | st.sampled_from(["", "a", "ab", 1.0, 0, 2, -1])
_VALUES = st.recursive(
    _LEAVES,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), below, max_size=3)
    ),
    max_leaves=6,
)


def _schemas(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    optional = {key: st.sampled_from(rules) for key, rules in _RULES.items()}
    optional["properties"] = st.dictionaries(st.sampled_from(["a", "b"]), below, max_size=2)
    optional["additionalProperties"] |= below
    optional["items"] |= below
    some = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)
    return some.flatmap(lambda keys: st.fixed_dictionaries({key: optional[key] for key in keys}))


_LIKE_PLAIN = st.recursive(st.booleans(), _schemas, max_leaves=4)


@pytest.mark.parametrize(
    ("schema", "value", "is_told"),
    [
        (_ECHO, {"text": "hello", "number": 7}, True),
        (_ECHO, {"text": "hello", "number": 7.5}, True),
        (_ECHO, {"text": ""}, False),
        (_ECHO, {"number": 7}, False),
        (_ECHO, {"text": "a", "more": 1}, False),
        ({"type": "object"}, {"any": [1, {"deep": None}]}, True),
        ({"type": "array", "items": {"type": "integer"}}, [1, 2], True),
        ({"type": "array", "items": {"type": "integer"}}, [1, True], False),
        ({"type": "string", "pattern": "a"}, "a", False),
        ({"$ref": "#/x"}, "a", False),
        ({"type": "array", "uniqueItems": True}, [1], False),
        ({}, [[0] * 1000] * 3, False),
        ({}, "x" * 200_000, False),
        (True, "a", False),
        (None, "a", False),
    ],
)
def test_what_is_told_at_once(schema: Any, value: Any, is_told: bool) -> None:
    assert plainly_valid(schema, value) is is_told


@pytest.mark.parametrize(
    ("keyword", "limit", "held", "broken"),
    [
        ("minimum", 3, 3, 2),
        ("maximum", 3, 3, 4),
        ("exclusiveMinimum", 3, 4, 3),
        ("exclusiveMaximum", 3, 2, 3),
        ("minLength", 2, "ab", "a"),
        ("maxLength", 2, "ab", "abc"),
        ("minItems", 2, [1, 2], [1]),
        ("maxItems", 2, [1, 2], [1, 2, 3]),
    ],
)
def test_a_limit_is_kept_to_the_last_value(
    keyword: str, limit: int, held: Any, broken: Any
) -> None:
    assert plainly_valid({keyword: limit}, held)
    assert not plainly_valid({keyword: limit}, broken)
    assert judge({keyword: limit}, broken).answer is Answer.INVALID


def test_depth_is_bounded() -> None:
    schema: Any = {"type": "string"}
    value: Any = "a"
    for _ in range(60):
        schema, value = {"items": schema}, [value]
    assert not plainly_valid(schema, value)
    assert not plainly_valid({}, value)


def test_a_default_that_makes_a_schema_too_deep_is_not_overlooked() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    assert judge({"default": deep}, 1).answer is Answer.NOT_VALIDATED
    assert not plainly_valid({"default": deep}, 1)


@pytest.mark.slow
@examples(400)
@given(_LIKE_PLAIN, _VALUES)
def test_what_is_told_of_plain_schemas_is_what_the_worker_says(schema: Any, value: Any) -> None:
    if plainly_valid(schema, value):
        assert judge(schema, value).answer is Answer.VALID


@pytest.mark.slow
@given(input_schemas() | sound_schemas() | json_values(), json_values())
def test_what_is_told_of_any_schema_is_what_the_worker_says(schema: Any, value: Any) -> None:
    if plainly_valid(schema, value):
        assert judge(schema, value).answer is Answer.VALID
