"""The evaluator in this process: right, or silent; at once is said what the worker would say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.dialects import DEFAULT, base_of, named_dialect
from signoff.app.schemas.evaluator import holds, is_cheap, is_valid_at_once, obeys
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.content.json_values import json_values
from tests.schemas.form.test_form_properties import SUITE
from tests.schemas.schema_strategies import LOOSE, NONSENSE, input_schemas, sound_schemas
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
        ({"type": "integer"}, 1.0, True),
        ({"type": "boolean"}, 1, False),
        ({"format": "date"}, "2026-02-28", True),
        ({"format": "date"}, "2026-02-30", False),
        ({"minLength": -1}, "a", False),
        ({"const": 1}, 1, False),
        ({}, [[0] * 1000] * 3, False),
        ({}, "x" * 200_000, False),
        (True, "a", False),
        (None, "a", False),
    ],
)
def test_what_is_told_at_once(schema: Any, value: Any, is_told: bool) -> None:
    assert is_valid_at_once(schema, value) is is_told


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
    assert is_valid_at_once({keyword: limit}, held)
    assert not is_valid_at_once({keyword: limit}, broken)
    assert judge({keyword: limit}, broken).answer is SchemaAnswer.INVALID


def test_depth_is_bounded() -> None:
    schema: Any = {"type": "string"}
    value: Any = "a"
    for _ in range(60):
        schema, value = {"items": schema}, [value]
    assert not is_valid_at_once(schema, value)
    assert not is_valid_at_once({}, value)


def test_a_default_that_makes_a_schema_too_deep_is_not_overlooked() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    assert judge({"default": deep}, 1).answer is SchemaAnswer.NOT_VALIDATED
    assert not is_valid_at_once({"default": deep}, 1)


@pytest.mark.slow
@examples(400)
@given(_LIKE_PLAIN, _VALUES)
def test_what_is_told_of_plain_schemas_is_what_the_worker_says(schema: Any, value: Any) -> None:
    if is_valid_at_once(schema, value):
        assert judge(schema, value).answer is SchemaAnswer.VALID


@pytest.mark.slow
@given(input_schemas() | sound_schemas() | json_values(), json_values())
def test_what_is_told_of_any_schema_is_what_the_worker_says(schema: Any, value: Any) -> None:
    if is_valid_at_once(schema, value):
        assert judge(schema, value).answer is SchemaAnswer.VALID


@pytest.mark.slow
@examples(50)
@given(_LIKE_PLAIN | input_schemas() | sound_schemas())
def test_a_cheap_schema_is_what_its_metaschema_wants(schema: Any) -> None:
    if is_cheap(schema):
        base = base_of(named_dialect(schema.get("$schema", DEFAULT)) or "")
        assert list(base(base.META_SCHEMA).iter_errors(schema)) == []


@examples(100)
@given(_LIKE_PLAIN, _VALUES)
def test_of_a_cheap_schema_the_evaluator_says_what_jsonschema_says(schema: Any, value: Any) -> None:
    if is_cheap(schema):
        assert holds(schema, value) is (judge(schema, value).answer is SchemaAnswer.VALID)


def agree(schema: JsonValue, value: JsonValue) -> bool | None:
    """The answer, after a look at what the validator says."""
    answer = holds(schema, value, schema)
    if answer is not None:
        verdict = judge(schema, value).answer
        if verdict in (SchemaAnswer.VALID, SchemaAnswer.INVALID):
            assert answer is (verdict is SchemaAnswer.VALID)
    return answer


@pytest.mark.slow
@settings(deadline=None)
@given(input_schemas(), LOOSE)
def test_it_never_contradicts_the_validator(schema: JsonValue, value: JsonValue) -> None:
    agree(schema, value)


@given(NONSENSE, LOOSE)
def test_it_never_raises(schema: JsonValue, value: JsonValue) -> None:
    holds(schema, value, schema)


@pytest.mark.slow
def test_it_knows_most_of_the_test_suite() -> None:
    # Base addresses that change inside a schema are not followed.
    left_out = ("is not a real identifier", "$id and $anchor and $ref", "a sibling $id")
    answers = [
        agree(case["schema"], instance)
        for case in SUITE
        if not any(words in case["from"] for words in left_out)
        for instance in case["instances"]
    ]
    assert len(answers) > 3_000
    assert answers.count(None) < len(answers) / 4


@pytest.mark.parametrize(
    ("pattern", "text", "answer"),
    [
        ("", "a", True),
        ("^.*$", "a", True),
        ("^x-", "x-a", True),
        ("^x-", "ax-", False),
        ("^x-.*$", "x-", True),
        ("^x-.+$", "x-", False),
        ("b$", "ab", True),
        ("^a\\.b$", "a.b", True),
        ("^a\\.b$", "aXb", False),
        ("lit", "a literal", True),
        ("^a\\d$", "a1", None),
        ("(a+)+$", "aaaa", None),
        ("[a-z]+", "a", None),
        ("a|b", "a", None),
    ],
)
def test_patterns_that_are_only_texts(pattern: str, text: str, answer: bool | None) -> None:
    assert obeys(pattern, text) is answer
