from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.verdict_words import (
    Tone,
    claim,
    headline,
    in_order,
    missing_names,
    neighbour,
)
from signoff.app.schemas.schema import Answer, SchemaVerdict, judge

HERO: JsonValue = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "species": {"type": "string"},
        "abilities": {"type": "array"},
        "level": {"$ref": "#/$defs/level"},
    },
    "required": ["name", "species", "abilities"],
    "$defs": {"level": {"type": "integer", "minimum": 1}},
}


def said(schema: JsonValue, value: JsonValue) -> list[str]:
    verdict = judge(schema, value)
    return [claim(one, value, schema).words for one in in_order(verdict.errors, value, schema)]


def test_a_broken_promise_can_be_read_aloud() -> None:
    value: JsonValue = {"name": "x", "abilities": "Vine Whip"}
    spoken = headline(judge(HERO, value), value, HERO)
    assert spoken.tone is Tone.BAD
    assert spoken.sign == "✗"
    assert spoken.words == (
        "structuredContent does not match its output schema in 2 places: "
        "$.species is required, but missing; "
        "$.abilities must be an array, but is the string “Vine Whip”."
    )


def test_more_than_two_are_counted() -> None:
    value: JsonValue = {"level": 0}
    words = headline(judge(HERO, value), value, HERO).words
    assert words.startswith("structuredContent does not match its output schema in 4 places: ")
    assert words.endswith("; and 2 more.")


@pytest.mark.parametrize(
    ("verdict", "tone", "sign", "words"),
    [
        (
            SchemaVerdict(Answer.VALID),
            Tone.GOOD,
            "✓",
            "structuredContent matches its output schema.",
        ),
        (
            SchemaVerdict(Answer.MISSING),
            Tone.BAD,
            "✗",
            "missing: the tool has an output schema but sent no structuredContent",
        ),
        (
            SchemaVerdict(Answer.NOT_VALIDATED, reason="took longer than 3 s"),
            Tone.UNSURE,
            "?",
            "not validated: took longer than 3 s",
        ),
        (
            SchemaVerdict(Answer.NO_SCHEMA),
            Tone.QUIET,
            "·",
            "no output schema to check against",
        ),
        (None, Tone.QUIET, "…", "checking structuredContent against its output schema"),
        (
            SchemaVerdict(Answer.INVALID, more=1),
            Tone.BAD,
            "✗",
            "structuredContent does not match its output schema in 1 place.",
        ),
    ],
)
def test_each_answer_has_its_own_words(
    verdict: SchemaVerdict | None, tone: Tone, sign: str, words: str
) -> None:
    spoken = headline(verdict)
    assert (spoken.tone, spoken.sign, spoken.words) == (tone, sign, words)


def test_only_valid_is_good() -> None:
    good = [one for one in Answer if headline(SchemaVerdict(one)).tone is Tone.GOOD]
    assert good == [Answer.VALID]


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"type": ["integer", "null"]}, "a", "must be an integer or null, but is the string “a”"),
        ({"type": "string"}, 3, "must be a string, but is the number 3"),
        ({"type": "object"}, [1], "must be an object, but is an array of 1 item"),
        ({"type": "boolean"}, None, "must be a boolean, but is null"),
        ({"enum": ["a", 1]}, "b", "must be one of “a”, 1, but is the string “b”"),
        ({"enum": list("abcdefgh")}, 0, "“f” or 2 others, but is the number 0"),
        ({"const": 1}, True, "must be 1, but is true"),
        ({"minimum": 3}, 2, "must be at least 3, but is 2"),
        ({"exclusiveMaximum": 3}, 3, "must be less than 3, but is 3"),
        ({"minLength": 3}, "ab", "must have at least 3 characters, but has 2"),
        ({"maxItems": 1}, [1, 2], "must have at most 1 item, but has 2"),
        ({"uniqueItems": True}, [1, 1], "must not have duplicate items"),
        ({"pattern": "^x"}, "y", 'does not match the pattern "^x": "y"'),
        (False, 1, "must be absent: the schema allows no value, but is the number 1"),
        ({"additionalProperties": False}, {"a": 1}, "is not allowed: the schema does not name"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, 'is required together with "a"'),
        ({"anyOf": [{"type": "null"}, {"minimum": 5}]}, 3, "matches none of the 2 alternatives"),
    ],
)
def test_what_is_wrong_in_plain_words(schema: JsonValue, value: JsonValue, words: str) -> None:
    (only,) = said(schema, value)
    assert words in only


def test_references_are_followed_for_the_rule() -> None:
    value: JsonValue = {"name": "n", "species": "s", "abilities": [], "level": 0}
    assert said(HERO, value) == ["must be at least 1, but is 0"]


def test_a_server_cannot_make_the_words_dangerous() -> None:
    value: JsonValue = {"a\u202e\x1b[31m": "\u200b\x07[/]"}
    schema: JsonValue = {"additionalProperties": {"enum": ["\u202e\x1b]0;x\x07"]}}
    verdict = judge(schema, value)
    assert headline(verdict, value, schema).words.isprintable()
    assert "\u202e" not in headline(verdict, value, schema).words


def test_errors_come_in_the_order_of_the_value() -> None:
    schema: JsonValue = {
        "properties": {
            "z": {"type": "string"},
            "m": {"items": {"type": "integer", "minimum": 0}},
            "gone": {},
            "a": {"type": "string"},
        },
        "required": ["gone", "unlisted"],
    }
    value: JsonValue = {"z": 1, "m": [1, -1, "x", *[0] * 8, -2], "a": 2}
    errors = in_order(judge(schema, value).errors, value, schema)
    assert [one.path for one in errors] == [
        ("z",),
        ("m", 1),
        ("m", 2),
        ("m", 11),
        ("gone",),
        ("a",),
        ("unlisted",),
    ]


@pytest.mark.parametrize(
    ("present", "name", "after"),
    [
        ("ab", "c", "b"),
        ("bd", "c", "b"),
        ("d", "c", None),
        ("xd", "c", "x"),
        ("x", "c", "x"),
        ("ab", "unlisted", "b"),
        ("", "c", None),
    ],
)
def test_where_a_missing_property_belongs(present: str, name: str, after: str | None) -> None:
    assert neighbour(dict.fromkeys(present), name, ("a", "b", "c", "d")) == after


def test_objects_that_lack_properties_are_known_with_all_their_names() -> None:
    value: JsonValue = {"name": 1}
    assert missing_names(judge(HERO, value).errors, value, HERO) == {
        (): ("name", "species", "abilities", "level")
    }
