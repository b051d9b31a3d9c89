from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from signoff.app.schemas.messages import MAX_MESSAGE, brief
from signoff.app.schemas.schema import SchemaAnswer, judge, judge_arguments
from tests.approved import approved
from tests.tiers import examples

PROSE = approved("schemas")

D7 = "http://json-schema.org/draft-07/schema#"


def errors(schema: Any, value: Any) -> list[tuple[tuple[str | int, ...], str]]:
    verdict = judge(schema, value)
    assert verdict.answer is SchemaAnswer.INVALID, verdict
    return [(error.path, error.keyword) for error in verdict.errors]


@pytest.mark.parametrize(
    ("schema", "value", "answer"),
    [
        ({"type": "object"}, {}, SchemaAnswer.VALID),
        ({"type": "object"}, [], SchemaAnswer.INVALID),
        (True, {"any": 1}, SchemaAnswer.VALID),
        (False, None, SchemaAnswer.INVALID),
        ({}, None, SchemaAnswer.VALID),
        ({"format": "email"}, "not an address", SchemaAnswer.VALID),
        ({"type": "nonsense"}, 1, SchemaAnswer.NOT_VALIDATED),
        (None, 1, SchemaAnswer.NOT_VALIDATED),
        ([], 1, SchemaAnswer.NOT_VALIDATED),
    ],
)
def test_the_answer(schema: Any, value: Any, answer: SchemaAnswer) -> None:
    assert judge(schema, value).answer is answer


def test_each_missing_property_is_reported_at_its_own_path() -> None:
    schema: Any = {"properties": {"a": {"required": ["x", "y", "z"]}}}
    assert errors(schema, {"a": {"y": 1}}) == [(("a", "x"), "required"), (("a", "z"), "required")]


def test_each_unexpected_property_is_reported_at_its_own_path() -> None:
    schema: Any = {
        "properties": {"a": {}},
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
    }
    assert errors(schema, {"a": 1, "x-1": 1, "c": 1, "b": 1}) == [
        (("b",), "additionalProperties"),
        (("c",), "additionalProperties"),
    ]


def test_dependent_properties_are_reported_where_they_are_missing() -> None:
    rule: Any = {"card": ["name", "city"]}
    value: Any = {"card": 1, "city": "x"}
    assert errors({"dependentRequired": rule}, value) == [(("name",), "dependentRequired")]
    assert errors({"$schema": D7, "dependencies": rule}, value) == [(("name",), "dependencies")]


def test_the_rules_place_is_kept() -> None:
    schema: Any = {
        "properties": {"a": {"items": {"$ref": "#/$defs/n"}}},
        "$defs": {"n": {"minimum": 3}},
    }
    (error,) = judge(schema, {"a": [5, 1]}).errors
    assert error.path == ("a", 1)
    assert error.schema_path[:3] == ("properties", "a", "items")
    assert error.schema_path[-1] == "minimum"
    PROSE.holds("error: a minimum", error.message)


def test_alternatives_give_one_mismatch_that_explains_the_nearest() -> None:
    cat: Any = {"required": ["kind", "lives"], "properties": {"kind": {"const": "cat"}}}
    dog: Any = {"required": ["kind"], "properties": {"kind": {"const": "dog"}, "age": {}}}
    for keyword in ("anyOf", "oneOf"):
        (error,) = judge({"properties": {"pet": {keyword: [cat, dog]}}}, {"pet": {}}).errors
        assert error.path == ("pet",)
        PROSE.holds("error: no alternative", error.message)


def test_one_of_that_fits_twice_says_so() -> None:
    (error,) = judge({"oneOf": [{}, True]}, 1).errors
    PROSE.holds("error: two alternatives", error.message)


def test_only_the_first_hundred_errors_are_kept_and_the_rest_counted() -> None:
    verdict = judge({"items": {"type": "string"}}, list(range(250)))
    assert len(verdict.errors) == 100
    assert verdict.more == 150


@pytest.mark.parametrize(
    ("dialect", "known"),
    [
        ("http://json-schema.org/draft-03/schema#", True),
        ("http://json-schema.org/draft-04/schema#", True),
        ("http://json-schema.org/draft-06/schema#", True),
        ("http://json-schema.org/draft-07/schema", True),
        ("https://json-schema.org/draft/2019-09/schema", True),
        ("https://json-schema.org/draft/2020-12/schema", True),
        ("https://example.com/mine", False),
        ("", False),
        (7, False),
    ],
)
def test_only_known_dialects_are_used(dialect: Any, known: bool) -> None:
    verdict = judge({"$schema": dialect, "type": "string"}, 1)
    assert verdict.answer is (SchemaAnswer.INVALID if known else SchemaAnswer.NOT_VALIDATED)
    assert known or verdict.reason.startswith("unsupported dialect")


def test_the_declared_dialect_decides() -> None:
    tuple_items: Any = {"items": [{"type": "string"}]}
    assert judge({"$schema": D7, **tuple_items}, [1]).answer is SchemaAnswer.INVALID
    assert "itself is invalid" in judge(tuple_items, [1]).reason


def test_draft_3_reports_a_missing_property_at_its_path() -> None:
    schema: Any = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "properties": {"a": {"required": True}},
    }
    assert errors(schema, {}) == [(("a",), "required")]


@pytest.mark.parametrize(
    ("ref", "named"),
    [
        ("https://example.com/x.json", "https://example.com/x.json"),
        ("other.json", "other.json"),
        ("#/$defs/gone", "/$defs/gone"),
    ],
)
def test_a_reference_out_of_the_schema_is_named_and_not_followed(ref: str, named: str) -> None:
    verdict = judge({"$ref": ref}, 1)
    assert verdict.answer is SchemaAnswer.NOT_VALIDATED
    assert named in verdict.reason


def test_the_metaschemas_are_known_without_fetching() -> None:
    schema: Any = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert judge(schema, {"type": "object"}).answer is SchemaAnswer.VALID
    assert judge(schema, {"type": 7}).answer is SchemaAnswer.INVALID


def test_a_schema_that_refers_to_itself_for_ever_is_not_validated() -> None:
    assert judge({"$ref": "#"}, 1).answer is SchemaAnswer.NOT_VALIDATED


def test_a_pattern_is_read_as_ecma_262() -> None:
    assert errors({"pattern": r"^\p{Lu}"}, "x") == [((), "pattern")]
    assert judge({"pattern": r"^\p{Lu}"}, "X").answer is SchemaAnswer.VALID


def test_a_number_of_any_size_is_judged() -> None:
    assert judge({"multipleOf": 0.1}, 10**400).answer is SchemaAnswer.VALID
    assert errors({"multipleOf": 0.3}, 10**400) == [((), "multipleOf")]


@pytest.mark.parametrize(
    ("levels", "answer"), [(63, SchemaAnswer.VALID), (64, SchemaAnswer.NOT_VALIDATED)]
)
def test_the_depth_of_a_schema_is_limited(levels: int, answer: SchemaAnswer) -> None:
    schema: Any = True
    for _ in range(levels):
        schema = {"not_a_keyword": schema}
    assert judge(schema, 1).answer is answer


@pytest.mark.parametrize(
    ("nodes", "answer"), [(9_998, SchemaAnswer.VALID), (9_999, SchemaAnswer.NOT_VALIDATED)]
)
def test_the_number_of_nodes_of_a_schema_is_limited(nodes: int, answer: SchemaAnswer) -> None:
    assert judge({"examples": [1] * nodes}, 1).answer is answer


def test_messages_stay_short_and_clean_whatever_the_value() -> None:
    big = "x\x1b[2J\u202e" * 200_000
    schemas: list[Any] = [
        {"type": "null"},
        {"enum": [big, 1]},
        {"const": 1},
        {"pattern": "^y"},
        False,
    ]
    values: list[Any] = [big, [big], {big: big}]
    for schema in schemas:
        for value in values:
            for error in judge(schema, value).errors:
                assert len(error.message) <= MAX_MESSAGE
                assert "\x1b" not in error.message
                assert "\u202e" not in error.message


def test_reasons_are_clean() -> None:
    verdict = judge({"$ref": "https://e.com/\x1b[2J" + "a" * 5_000}, 1)
    assert "\x1b" not in verdict.reason
    assert len(verdict.reason) <= MAX_MESSAGE


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (10**500, "a very large integer"),
        ("a", '"a"'),
        ("a" * 100, f'"{"a" * 60}…" (100 characters)'),
        ({}, "an object with 0 properties"),
        ([1], "an array of 1 item"),
    ],
)
def test_values_in_a_few_words(value: object, words: str) -> None:
    assert brief(value) == words


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
names = st.sampled_from(["a", "b", "c"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", "integer", "null"]),
            "properties": st.dictionaries(names, inner, max_size=3),
            "required": st.lists(names, unique=True),
            "additionalProperties": inner,
            "dependentRequired": st.dictionaries(names, st.lists(names, unique=True), max_size=2),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "not": inner,
            "minimum": st.integers(),
            "maxLength": st.integers(0, 9),
            "enum": st.lists(json_values, min_size=1, max_size=3),
        },
    )


some_schemas = st.recursive(st.booleans(), _schemas, max_leaves=6)


@pytest.mark.slow
@examples(150)
@given(schema=json_values, value=json_values)
def test_any_json_as_a_schema_gets_an_answer(schema: Any, value: Any) -> None:
    verdict = judge(schema, value)
    assert verdict.reason or verdict.answer is not SchemaAnswer.NOT_VALIDATED
    assert bool(verdict.reason) or not verdict.unchecked


@pytest.mark.slow
@examples(150)
@given(
    schema=some_schemas,
    value=st.dictionaries(names, json_values) | st.lists(json_values, max_size=3) | json_values,
)
def test_the_answer_agrees_with_the_library(schema: Any, value: Any) -> None:
    verdict = judge(schema, value)
    expected = (
        SchemaAnswer.VALID if Draft202012Validator(schema).is_valid(value) else SchemaAnswer.INVALID
    )
    assert verdict.answer is expected
    assert bool(verdict.errors) == (expected is SchemaAnswer.INVALID)
    for error in verdict.errors:
        json.dumps([error.path, error.schema_path])
        assert error.keyword
        assert 0 < len(error.message) <= MAX_MESSAGE


SECRET = "hunter2-" + "and-more"
RULES: list[dict[str, object]] = [
    {"minLength": 99},
    {"maxLength": 1},
    {"pattern": "^x"},
    {"type": "integer"},
    {"enum": ["a", "b"]},
    {"const": "a"},
    {"not": {"type": "string"}},
    {"anyOf": [{"type": "integer"}, {"minLength": 99}]},
    {"oneOf": [{"type": "integer"}, {"type": "null"}]},
    {"allOf": [{"minLength": 99}]},
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("place", ["password", "field"])
def test_no_message_about_arguments_repeats_a_secret(rule: dict[str, Any], place: str) -> None:
    said: dict[str, Any] = {**rule, "format": "password"} if place == "field" else rule
    schema: dict[str, Any] = {"properties": {place: said}}
    told = judge(schema, {place: SECRET})
    kept = judge_arguments(schema, {place: SECRET})
    assert [one.path for one in kept.errors] == [one.path for one in told.errors] == [(place,)]
    assert "hunter2" not in repr(kept)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ({"contains": {"const": 1}}, {"token": [SECRET]}),
        ({"properties": {"a": {"contains": {"const": 1}}}}, {"a": [{"token": SECRET}]}),
        ({"minProperties": 9}, {"token": SECRET}),
        (
            {"properties": {"a": {"uniqueItems": True}}},
            {"a": [{"token": SECRET}, {"token": SECRET}]},
        ),
        ({"additionalProperties": {"type": "null"}}, {"token": SECRET}),
        ({"unevaluatedProperties": {"type": "null"}}, {"token": SECRET}),
        ({"propertyNames": {"maxLength": 3}}, {"gh" + "p_" + "a1B2" * 9: 1}),
        ({"properties": {"text": {"maxLength": 1}}}, {"text": f"password={SECRET}"}),
        ({"anyOf": [{"properties": {"pin": {"maximum": 1}}}, False]}, {"pin": 123456}),
        ({"properties": {"token": {"pattern": "x"}}}, {"token": f'"{SECRET}\\\u200b'}),
    ],
)
def test_no_message_about_what_holds_a_secret_repeats_it(rule: Any, value: Any) -> None:
    kept = judge_arguments(rule, value)
    assert kept.answer is not SchemaAnswer.NOT_VALIDATED
    told = " ".join(one.message for one in kept.errors)
    for piece in ("hunter2", "a1B2", "123456"):
        assert piece not in told


def test_messages_about_other_arguments_and_about_answers_stay() -> None:
    schema: Any = {"properties": {"path": {"maxLength": 3}, "token": {"maxLength": 3}}}
    value: Any = {"path": "long path", "token": SECRET}
    path, token = judge_arguments(schema, value).errors
    PROSE.holds("error: a long text", path.message)
    PROSE.holds("error: a long secret", token.message)
    assert SECRET in judge(schema, value).errors[1].message
