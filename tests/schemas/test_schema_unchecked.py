"""What cannot be used in one place spoils no other verdict, and is never taken for valid."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.calls.checks import argument_problems
from signoff.app.protocol.answers.verdict_words import Tone, headline
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.approved import approved

PROSE = approved("schemas")

GONE: Any = {"$ref": "#/$defs/gone"}
D7 = "http://json-schema.org/draft-07/schema#"


def paths(schema: Any, value: Any) -> tuple[SchemaAnswer, list[Any], list[Any]]:
    verdict = judge(schema, value)
    return (
        verdict.answer,
        [one.path for one in verdict.errors],
        [one.path for one in verdict.unchecked],
    )


@pytest.mark.parametrize(
    "bad",
    [
        GONE,
        {"$ref": "https://example.com/s"},
        {"pattern": "("},
        {"type": "any"},
        {"type": "string", "minLength": "1"},
        {"minimum": 0, "exclusiveMinimum": True},
        {"required": True},
        {"properties": []},
        5,
    ],
)
def test_one_property_is_not_checked_and_the_rest_is(bad: Any) -> None:
    schema: Any = {"properties": {"a": bad, "b": {"type": "integer"}}}
    assert paths(schema, {"b": 1}) == (SchemaAnswer.VALID, [], [])
    value: Any = {} if bad == {"required": True} else "x"
    assert paths(schema, {"a": value, "b": 1}) == (SchemaAnswer.NOT_VALIDATED, [], [("a",)])
    assert paths(schema, {"a": value, "b": "x"}) == (SchemaAnswer.INVALID, [("b",)], [("a",)])


def test_a_draft_4_keyword_of_draft_4_is_judged() -> None:
    schema: Any = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "minimum": 0,
        "exclusiveMinimum": True,
    }
    assert judge(schema, 0).answer is SchemaAnswer.INVALID


def test_the_reason_says_how_much_was_checked() -> None:
    schema: Any = {"properties": {"a": GONE, "b": {"type": "integer"}, "c": GONE}}
    verdict = judge(schema, {"a": 1, "b": 2, "c": 3})
    PROSE.holds("unchecked: how much was checked", verdict.reason)
    spoken = headline(verdict, {}, schema)
    assert spoken.tone is Tone.UNSURE
    assert verdict.reason in spoken.words
    [problem] = argument_problems(verdict)
    assert problem.endswith(verdict.reason)
    PROSE.holds("unchecked: arguments", problem)
    broken = judge(schema, {"a": 1, "b": "x", "c": 3})
    assert broken.reason in headline(broken, {}, schema).words
    assert broken.reason in argument_problems(broken)[-1]


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"anyOf": [GONE, {"type": "integer"}]}, SchemaAnswer.VALID),
        ({"anyOf": [GONE, {"type": "string"}]}, SchemaAnswer.NOT_VALIDATED),
        (
            {"anyOf": [{"type": "string"}, {"allOf": [GONE, {"type": "null"}]}]},
            SchemaAnswer.INVALID,
        ),
        ({"oneOf": [GONE, {"type": "integer"}]}, SchemaAnswer.NOT_VALIDATED),
        ({"oneOf": [GONE, {"type": "integer"}, {"minimum": 0}]}, SchemaAnswer.INVALID),
        ({"allOf": [GONE, {"type": "string"}]}, SchemaAnswer.INVALID),
        ({"not": GONE}, SchemaAnswer.NOT_VALIDATED),
        ({"not": {"allOf": [GONE, {"type": "string"}]}}, SchemaAnswer.VALID),
        ({"if": GONE, "then": False, "else": False}, SchemaAnswer.NOT_VALIDATED),
        ({"if": {"type": "string"}, "then": GONE}, SchemaAnswer.VALID),
    ],
)
def test_alternatives_weigh_what_is_unknown(schema: Any, answer: SchemaAnswer) -> None:
    assert judge(schema, 1).answer is answer


@pytest.mark.parametrize(
    ("schema", "value", "answer"),
    [
        ({"contains": GONE}, [1], SchemaAnswer.NOT_VALIDATED),
        ({"contains": GONE}, [], SchemaAnswer.INVALID),
        ({"contains": GONE, "maxContains": 0}, [1], SchemaAnswer.NOT_VALIDATED),
        ({"contains": GONE, "minContains": 0}, [1], SchemaAnswer.VALID),
        ({"$schema": D7, "contains": GONE}, [1], SchemaAnswer.NOT_VALIDATED),
        ({"items": GONE}, [1], SchemaAnswer.NOT_VALIDATED),
        ({"anyOf": [GONE], "unevaluatedProperties": False}, {"a": 1}, SchemaAnswer.NOT_VALIDATED),
        ({"properties": {"b": {}}, "unevaluatedProperties": False}, {"a": 1}, SchemaAnswer.INVALID),
        ({"patternProperties": {"(": False}}, {"a": 1}, SchemaAnswer.NOT_VALIDATED),
        (
            {
                "patternProperties": {"(": {}},
                "properties": {"a": {}},
                "additionalProperties": False,
            },
            {"a": 1},
            SchemaAnswer.VALID,
        ),
    ],
)
def test_members_and_items_weigh_what_is_unknown(
    schema: Any, value: Any, answer: SchemaAnswer
) -> None:
    assert judge(schema, value).answer is answer


def test_no_server_can_say_that_something_is_unchecked() -> None:
    assert judge({"unchecked": "by my word", "type": "string"}, 1).answer is SchemaAnswer.INVALID
    assert judge({"unchecked": "by my word"}, 1).answer is SchemaAnswer.VALID


def test_a_dialect_that_is_declared_goes_on_below_a_reference() -> None:
    schema: Any = {
        "$schema": D7,
        "properties": {"next": {"$ref": "#"}, "name": {"pattern": r"^\p{Lu}"}},
    }
    assert judge(schema, {"next": {"next": {"name": "A"}}}).answer is SchemaAnswer.VALID
    assert judge(schema, {"next": {"next": {"name": "a"}}}).answer is SchemaAnswer.INVALID


@pytest.mark.parametrize(
    ("rule", "value", "answer", "in_binary"),
    [
        (0.01, 0.07, SchemaAnswer.VALID, False),
        (0.01, 0.075, SchemaAnswer.INVALID, False),
        (0.1, 0.3, SchemaAnswer.VALID, False),
        (0.5, 1.5, SchemaAnswer.VALID, True),
        (3, 9007199254740993, SchemaAnswer.VALID, False),
        (2, 9007199254740993, SchemaAnswer.INVALID, True),
        (1, 1.0, SchemaAnswer.VALID, True),
        (1e-8, 12391239123, SchemaAnswer.VALID, True),
    ],
)
def test_multiples_are_those_of_decimal_numbers(
    rule: Any, value: Any, answer: SchemaAnswer, in_binary: bool
) -> None:
    verdict = judge({"multipleOf": rule}, value)
    assert verdict.answer is answer
    if answer is SchemaAnswer.VALID:
        assert [one.keyword for one in verdict.rejected_by_clients] == (
            [] if in_binary else ["multipleOf"]
        )


def test_integers_are_exact_and_may_be_written_with_a_point() -> None:
    assert judge({"type": "integer"}, 1.0).answer is SchemaAnswer.VALID
    assert judge({"type": "integer"}, 1.5).answer is SchemaAnswer.INVALID
    assert judge({"maximum": 9007199254740992}, 9007199254740993).answer is SchemaAnswer.INVALID
    assert judge({"const": 9007199254740992}, 9007199254740993).answer is SchemaAnswer.INVALID
