"""Fields from input schemas: kinds, words, references, defaults, and what is too large."""

from __future__ import annotations

import time

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import Draft, arguments_of, initial_draft
from signoff.app.schemas.form.edits import set_value
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import MAX_FIELDS, FieldKind, Form, build_form
from signoff.app.schemas.form.merging import MAX_CHOICES, identical
from signoff.app.schemas.form.rows import open_at_first, rows
from tests.approved import approved
from tests.schemas.form_filling import field_of, form_of

PROSE = approved("schemas")


@pytest.mark.parametrize(
    ("schema", "kind", "words"),
    [
        ({"type": "string"}, FieldKind.STRING, "string"),
        ({"type": "string", "format": "date"}, FieldKind.STRING, "string, date"),
        ({"type": "string", "format": "[red]"}, FieldKind.STRING, "string"),
        (
            {"type": "string", "minLength": 1, "maxLength": 9},
            FieldKind.STRING,
            "string, 1..9 characters",
        ),
        ({"type": "string", "minLength": 1}, FieldKind.STRING, "string, at least 1 character"),
        (
            {"type": "string", "minLength": 2, "maxLength": 2},
            FieldKind.STRING,
            "string, exactly 2 characters",
        ),
        (
            {"type": "array", "items": {"type": "string", "minLength": 3}, "maxItems": 1},
            FieldKind.ARRAY,
            "array of strings (at least 3 characters), at most 1 item",
        ),
        ({"type": "string", "pattern": "^a+$"}, FieldKind.STRING, "string, with a pattern"),
        ({"type": "integer", "minimum": 0, "maximum": 100}, FieldKind.INTEGER, "integer 0..100"),
        ({"type": "number", "exclusiveMinimum": 0.5}, FieldKind.NUMBER, "number > 0.5"),
        ({"type": "integer", "maximum": 10**400}, FieldKind.INTEGER, "integer ≤ about 10^400"),
        ({"type": "boolean"}, FieldKind.BOOLEAN, "boolean"),
        ({"enum": ["a", "b"]}, FieldKind.ENUM, "one of 2 values"),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, FieldKind.ENUM, "one of 2 values"),
        ({"const": 5}, FieldKind.ENUM, "always the same value"),
        ({"type": "array", "items": {"type": "string"}}, FieldKind.ARRAY, "array of strings"),
        ({"type": "object", "properties": {"a": {}}}, FieldKind.OBJECT, "object with 1 property"),
        ({"type": ["string", "integer"]}, FieldKind.UNION, "string or integer"),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, FieldKind.UNION, "string or object"),
        (
            {"type": "array", "items": {"enum": [1, 2]}},
            FieldKind.CHOICES,
            "array of any of 2 values",
        ),
        ({"type": "array"}, FieldKind.JSON, "array"),
        ({"type": "object"}, FieldKind.JSON, "object"),
        ({"properties": {"a": {}, "b": {}}}, FieldKind.OBJECT, "object with 2 properties"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            FieldKind.OBJECT,
            "map of keys to integers",
        ),
        (
            {"type": "array", "items": {"type": "object"}, "minItems": 1},
            FieldKind.ARRAY,
            "array of objects, at least 1 item",
        ),
        ({"type": "array", "prefixItems": [{}, {}]}, FieldKind.ARRAY, "array of 2 items or more"),
        (
            {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
            FieldKind.ARRAY,
            "array of 1 item",
        ),
        ({"type": "null"}, FieldKind.ENUM, "null"),
        (
            {"allOf": [{"type": "string"}, {"type": "integer"}]},
            FieldKind.JSON,
            "contradictory: no value can match both rules for type",
        ),
        (
            {"anyOf": [{"type": "integer", "maximum": number} for number in range(60)]},
            FieldKind.JSON,
            "any JSON, of too many types",
        ),
        ({"type": "wat"}, FieldKind.JSON, "any JSON, of a type unknown to JSON Schema"),
        ({}, FieldKind.JSON, "any JSON"),
        (True, FieldKind.JSON, "any JSON"),
        (False, FieldKind.JSON, "never allowed"),
        (17, FieldKind.JSON, "any JSON, its schema is not an object"),
        ({"enum": []}, FieldKind.JSON, "one of 0 values"),
        ({"enum": list(range(MAX_CHOICES + 1))}, FieldKind.JSON, "one of 1,001 values"),
    ],
)
def test_kinds_and_words(schema: JsonValue, kind: FieldKind, words: str) -> None:
    field = field_of(schema)
    assert (field.kind, field.type_words) == (kind, words)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "title": "T"},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T"},
        {"oneOf": [{"type": "null"}, {"type": "string", "title": "inner"}], "title": "T"},
    ],
)
def test_nullable_is_the_plain_kind(schema: JsonValue) -> None:
    field = field_of(schema)
    assert (field.kind, field.nullable, field.type_words, field.title) == (
        FieldKind.STRING,
        True,
        "string or null",
        "T",
    )


def test_nullable_enum_can_choose_null() -> None:
    assert field_of({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}).choices == ("a", None)


def test_order_titles_and_marks_are_kept() -> None:
    form = build_form(
        {
            "type": "object",
            "properties": {"b": {"type": "string", "description": "x" * 600}, "a": {}},
            "required": ["a", "elsewhere", 7],
        }
    )
    assert [(one.name, one.required) for one in form.fields] == [
        ("b", False),
        ("a", True),
        ("elsewhere", True),
    ]
    assert form.fields[0].description.endswith("(cut: 500 of 600 characters)")


def test_local_references_are_followed_and_cycles_end() -> None:
    form = build_form(
        {
            "properties": {
                "a": {"$ref": "#/$defs/Color", "description": "own"},
                "b": {"allOf": [{"$ref": "#/definitions/N"}], "default": 3},
                "c": {"$ref": "#/$defs/Loop"},
                "d": {"$ref": "https://example.com/schema.json"},
                "e": {"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}]},
            },
            "$defs": {
                "Color": {"enum": ["red", "blue"], "description": "theirs"},
                "Loop": {"$ref": "#/$defs/Loop"},
            },
            "definitions": {"N": {"type": "integer"}},
        }
    )
    a, b, c, d, e = form.fields
    assert (a.kind, a.description, a.choices) == (FieldKind.ENUM, "own", ("red", "blue"))
    assert (b.kind, b.suggestion) == (FieldKind.INTEGER, 3)
    assert c.kind is FieldKind.JSON
    assert d.kind is FieldKind.JSON
    assert e.choices == ("red", "blue", None)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "the input schema is not an object"),
        ([], "the input schema is not an object"),
        ({"type": "string"}, "the input schema is not of type object"),
        ({"properties": ["a"]}, "the properties of the input schema are not an object"),
        ({"anyOf": [{}]}, "the input schema lists no properties but allows some"),
        ({"additionalProperties": True}, "the input schema lists no properties but allows some"),
        (
            {"properties": {str(n): {} for n in range(MAX_FIELDS + 1)}},
            "101 properties, more than 100",
        ),
    ],
)
def test_json_only(schema: JsonValue, reason: str) -> None:
    form = build_form(schema)
    assert form == Form(raw_only=reason)
    assert arguments_of(form, initial_draft(form)).arguments == {}


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"additionalProperties": False}])
def test_no_arguments(schema: JsonValue) -> None:
    assert build_form(schema) == Form()


@pytest.mark.parametrize(
    ("schema", "suggested"),
    [
        ({"type": "string", "default": "a"}, "a"),
        ({"type": "string", "default": ""}, ""),
        ({"enum": ["only"], "default": "only"}, "only"),
        ({"enum": ["a", "b"], "default": "b"}, "b"),
        ({"type": "boolean", "default": False}, False),
        ({"type": "array", "default": [1, {"a": []}]}, [1, {"a": []}]),
        ({"type": "number", "default": 5.0}, 5.0),
    ],
)
def test_suggestions_are_filled_in_and_marked(schema: JsonValue, suggested: JsonValue) -> None:
    form = form_of(x=schema)
    built = arguments_of(form, initial_draft(form))
    assert identical(built.arguments["x"], suggested)
    assert built.origins == {"x": Origin.DEFAULT}
    assert form.fields[0].fits
    typed = arguments_of(form, set_value(form, initial_draft(form), ("x",), suggested))
    assert typed.origins == {"x": Origin.TYPED}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "default": "x"},
        {"type": "integer", "default": True},
        {"type": "integer", "maximum": 3, "default": 4},
        {"type": "string", "default": 5},
        {"enum": [1, 2], "default": True},
        {"type": "array", "default": {}},
    ],
)
def test_a_default_that_does_not_fit_is_shown_and_said(schema: dict[str, JsonValue]) -> None:
    form = form_of(x=schema)
    assert not form.fields[0].fits
    assert form.fields[0].type_words.endswith("does not fit")
    assert identical(arguments_of(form, initial_draft(form)).arguments["x"], schema["default"])


def test_a_null_default_means_not_sent() -> None:
    form = form_of(
        a={"type": "string", "default": None},
        b={"anyOf": [{"type": "array"}, {"type": "null"}], "default": None},
        c={"enum": ["a", "b"], "default": None},
    )
    assert initial_draft(form) == Draft()
    assert [one.fits for one in form.fields] == [False, True, False]


UNION: dict[str, JsonValue] = {
    "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a", "title": "b"}]
}


LARGE: dict[str, JsonValue] = {
    "defaults": {
        "properties": {
            "text": {"type": "string", "default": "d" * 3_000_000},
            "list": {"type": "array", "default": [1] * 200_000, "items": {"type": "integer"}},
            "map": {"type": "object", "default": {"a": [[1] * 100_000]}},
        },
        "required": ["text", "list", "map"],
    },
    "required": {
        "allOf": [{"required": [f"{one}{at}" for at in range(15_000)]} for one in "abcdef"]
    },
    "enum": {
        "properties": {
            "e": {"allOf": [{"enum": [f"{at}" for at in range(first, 80_000)]} for first in (0, 9)]}
        }
    },
    "types": {
        "properties": {"t": {"allOf": [{"type": [f"{a}{b}" for b in range(9_000)]} for a in "xy"]}}
    },
    "unions": {
        "properties": {f"u{at}": dict(UNION) for at in range(60)},
        "$defs": {
            **{
                "abcdef"[at]: {"anyOf": [{"$ref": f"#/$defs/{'bcdefg'[at]}"}] * 2}
                for at in range(6)
            },
            "g": {"type": "string"},
        },
    },
}


@pytest.mark.parametrize("name", LARGE)
def test_no_schema_takes_long(name: str) -> None:
    schema = LARGE[name]
    assert isinstance(schema, dict)
    started = time.process_time()
    form = build_form({"type": "object", **schema})
    draft = initial_draft(form)
    rows(form, draft, open_at_first(form, draft))
    arguments_of(form, draft)
    assert time.process_time() - started < 3


def test_a_default_that_is_too_large_is_said_and_not_filled_in() -> None:
    form = build_form(
        {
            "type": "object",
            "properties": {
                "large": {"type": "string", "default": "d" * 3_000_000},
                "small": {"type": "string", "default": "d"},
            },
        }
    )
    assert arguments_of(form, initial_draft(form)).arguments == {"small": "d"}
    PROSE.holds("field: the default is too large", form.fields[0].type_words)
