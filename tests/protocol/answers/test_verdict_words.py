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
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict, judge
from tests.approved import approved

PROSE = approved("answers")

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
    PROSE.holds("headline: two places", spoken.words)
    # More than two are counted.
    level: JsonValue = {"level": 0}
    PROSE.holds("headline: four places", headline(judge(HERO, level), level, HERO).words)
    # References are followed for the rule.
    [words] = said(HERO, {"name": "n", "species": "s", "abilities": [], "level": 0})
    PROSE.holds("broken: by reference", words)


SLOW = SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason="took longer than 3 s")


@pytest.mark.parametrize(
    ("verdict", "tone", "sign", "key"),
    [
        (SchemaVerdict(SchemaAnswer.VALID), Tone.GOOD, "✓", "headline: valid"),
        (SchemaVerdict(SchemaAnswer.MISSING), Tone.BAD, "✗", "headline: missing"),
        (SLOW, Tone.UNSURE, "?", "headline: not validated"),
        (SchemaVerdict(SchemaAnswer.NO_SCHEMA), Tone.QUIET, "·", "headline: no schema"),
        (None, Tone.QUIET, "…", "headline: checking"),
        (SchemaVerdict(SchemaAnswer.INVALID, more=1), Tone.BAD, "✗", "headline: one place"),
    ],
)
def test_each_answer_has_its_own_words(
    verdict: SchemaVerdict | None, tone: Tone, sign: str, key: str
) -> None:
    spoken = headline(verdict)
    assert (spoken.tone, spoken.sign) == (tone, sign)
    PROSE.holds(key, spoken.words)
    good = [one for one in SchemaAnswer if headline(SchemaVerdict(one)).tone is Tone.GOOD]
    assert good == [SchemaAnswer.VALID]


@pytest.mark.parametrize(
    ("schema", "value", "key"),
    [
        ({"type": ["integer", "null"]}, "a", "broken: two types"),
        ({"type": "string"}, 3, "broken: string"),
        ({"type": "object"}, [1], "broken: object"),
        ({"type": "boolean"}, None, "broken: boolean"),
        ({"enum": ["a", 1]}, "b", "broken: enum"),
        ({"enum": list("abcdefgh")}, 0, "broken: a long enum"),
        ({"const": 1}, True, "broken: const"),
        ({"minimum": 3}, 2, "broken: minimum"),
        ({"exclusiveMaximum": 3}, 3, "broken: exclusiveMaximum"),
        ({"minLength": 3}, "ab", "broken: minLength"),
        ({"maxItems": 1}, [1, 2], "broken: maxItems"),
        ({"uniqueItems": True}, [1, 1], "broken: uniqueItems"),
        ({"pattern": "^x"}, "y", "broken: pattern"),
        (False, 1, "broken: false"),
        ({"additionalProperties": False}, {"a": 1}, "broken: additionalProperties"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "broken: dependentRequired"),
        ({"anyOf": [{"type": "null"}, {"minimum": 5}]}, 3, "broken: anyOf"),
    ],
)
def test_what_is_wrong_in_plain_words(schema: JsonValue, value: JsonValue, key: str) -> None:
    (only,) = said(schema, value)
    PROSE.holds(key, only)


def test_a_server_cannot_make_the_words_dangerous() -> None:
    value: JsonValue = {"a\u202e\x1b[31m": "\u200b\x07[/]"}
    schema: JsonValue = {"additionalProperties": {"enum": ["\u202e\x1b]0;x\x07"]}}
    verdict = judge(schema, value)
    assert headline(verdict, value, schema).words.isprintable()
    assert "\u202e" not in headline(verdict, value, schema).words


def test_errors_come_in_the_order_of_the_value() -> None:
    text: JsonValue = {"type": "string"}
    items: JsonValue = {"items": {"type": "integer", "minimum": 0}}
    properties: JsonValue = {"z": text, "m": items, "gone": {}, "a": text}
    schema: JsonValue = {"properties": properties, "required": ["gone", "unlisted"]}
    value: JsonValue = {"z": 1, "m": [1, -1, "x", *[0] * 8, -2], "a": 2}
    errors = in_order(judge(schema, value).errors, value, schema)
    assert [one.path for one in errors] == [
        *(("z",), ("m", 1), ("m", 2), ("m", 11), ("gone",), ("a",), ("unlisted",))
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
