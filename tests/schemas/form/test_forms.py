"""Fields from input schemas, drafts of arguments, and the way back from JSON."""

from __future__ import annotations

import json
import string
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import (
    Draft,
    arguments_of,
    close_document,
    draft_from_arguments,
    entry_at,
    initial_draft,
    open_document,
    set_document,
)
from signoff.app.schemas.form.edits import next_entry, put_entry, set_value
from signoff.app.schemas.form.entries import (
    NOT_SENT,
    Entry,
    Origin,
    escaped,
    is_plain,
    marked,
    value_of,
)
from signoff.app.schemas.form.form import MAX_FIELDS, Field, Form, Kind, build_form
from signoff.app.schemas.form.rows import open_at_first, rows
from signoff.app.schemas.form.subschemas import MAX_CHOICES, MISSING, identical
from tests.schemas.form_filling import form_of
from tests.schemas.form_filling import typed as filled_in

HIDDEN = [
    "\u202e",
    "\u200b",
    "\x1b",
    "\x07",
    "\r",
    "\x85",
    "\u2028",
    "\U000e0041",
    "\ud800",
    "\xa0",
]
texts = st.text(
    st.sampled_from([*string.ascii_letters, '"', "\\", "\n", " ", "é", "\u0301", *HIDDEN])
)
values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def field_of(schema: JsonValue) -> Field:
    return form_of(x=schema).fields[0]


@pytest.mark.parametrize(
    ("schema", "kind", "words"),
    [
        ({"type": "string"}, Kind.STRING, "string"),
        ({"type": "string", "format": "date"}, Kind.STRING, "string, date"),
        ({"type": "string", "format": "[red]"}, Kind.STRING, "string"),
        (
            {"type": "string", "minLength": 1, "maxLength": 9},
            Kind.STRING,
            "string, 1..9 characters",
        ),
        ({"type": "string", "minLength": 1}, Kind.STRING, "string, at least 1 character"),
        (
            {"type": "string", "minLength": 2, "maxLength": 2},
            Kind.STRING,
            "string, exactly 2 characters",
        ),
        (
            {"type": "array", "items": {"type": "string", "minLength": 3}, "maxItems": 1},
            Kind.ARRAY,
            "array of strings (at least 3 characters), at most 1 item",
        ),
        ({"type": "string", "pattern": "^a+$"}, Kind.STRING, "string, with a pattern"),
        ({"type": "integer", "minimum": 0, "maximum": 100}, Kind.INTEGER, "integer 0..100"),
        ({"type": "number", "exclusiveMinimum": 0.5}, Kind.NUMBER, "number > 0.5"),
        ({"type": "integer", "maximum": 10**400}, Kind.INTEGER, "integer ≤ about 10^400"),
        ({"type": "boolean"}, Kind.BOOLEAN, "boolean"),
        ({"enum": ["a", "b"]}, Kind.ENUM, "one of 2 values"),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, Kind.ENUM, "one of 2 values"),
        ({"const": 5}, Kind.ENUM, "always the same value"),
        ({"type": "array", "items": {"type": "string"}}, Kind.ARRAY, "array of strings"),
        ({"type": "object", "properties": {"a": {}}}, Kind.OBJECT, "object with 1 property"),
        ({"type": ["string", "integer"]}, Kind.UNION, "string or integer"),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, Kind.UNION, "string or object"),
        ({"type": "array", "items": {"enum": [1, 2]}}, Kind.CHOICES, "array of any of 2 values"),
        ({"type": "array"}, Kind.JSON, "array"),
        ({"type": "object"}, Kind.JSON, "object"),
        ({"properties": {"a": {}, "b": {}}}, Kind.OBJECT, "object with 2 properties"),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            Kind.OBJECT,
            "map of keys to integers",
        ),
        (
            {"type": "array", "items": {"type": "object"}, "minItems": 1},
            Kind.ARRAY,
            "array of objects, at least 1 item",
        ),
        ({"type": "array", "prefixItems": [{}, {}]}, Kind.ARRAY, "array of 2 items or more"),
        (
            {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
            Kind.ARRAY,
            "array of 1 item",
        ),
        ({"type": "null"}, Kind.ENUM, "null"),
        (
            {"allOf": [{"type": "string"}, {"type": "integer"}]},
            Kind.JSON,
            "contradictory: no value can match both rules for type",
        ),
        (
            {"anyOf": [{"type": "integer", "maximum": number} for number in range(60)]},
            Kind.JSON,
            "any JSON, of too many types",
        ),
        ({"type": "wat"}, Kind.JSON, "any JSON, of a type unknown to JSON Schema"),
        ({}, Kind.JSON, "any JSON"),
        (True, Kind.JSON, "any JSON"),
        (False, Kind.JSON, "never allowed"),
        (17, Kind.JSON, "any JSON, its schema is not an object"),
        ({"enum": []}, Kind.JSON, "one of 0 values"),
        ({"enum": list(range(MAX_CHOICES + 1))}, Kind.JSON, "one of 1,001 values"),
    ],
)
def test_kinds_and_words(schema: JsonValue, kind: Kind, words: str) -> None:
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
        Kind.STRING,
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
    assert (a.kind, a.description, a.choices) == (Kind.ENUM, "own", ("red", "blue"))
    assert (b.kind, b.suggestion) == (Kind.INTEGER, 3)
    assert c.kind is Kind.JSON
    assert d.kind is Kind.JSON
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


@given(values, st.sampled_from(["string", "integer", "number", "boolean", "array", None]))
def test_any_value_fits_into_any_field(value: JsonValue, kind: JsonValue) -> None:
    form = form_of(x={"type": kind})
    draft = set_value(form, initial_draft(form), ("x",), value)
    assert identical(arguments_of(form, draft).arguments["x"], value)
    assert all(is_plain(entry.text) for entry in draft.entries.values())


def test_hidden_characters_are_edited_as_escapes() -> None:
    form = form_of(x={"type": "string", "default": "a\u202eb\x1b[2J\U000e0041"})
    entry = entry_at(form, initial_draft(form), ("x",))
    assert entry.text == r'"a\u202eb\u001b[2J\udb40\udc41"'
    assert entry.as_json
    assert arguments_of(form, Draft({("x",): entry})).arguments == {
        "x": "a\u202eb\x1b[2J\U000e0041"
    }


@given(texts)
def test_marks_keep_positions_and_show_everything(text: str) -> None:
    assert len(marked(text, lambda _: "?")) == len(text)
    assert is_plain(marked(text, lambda _: "?"))


@given(values)
def test_escaped_json_means_the_same(value: JsonValue) -> None:
    assert identical(json.loads(escaped(json.dumps(value, ensure_ascii=False))), value)


@pytest.mark.parametrize("text", ["[@click=app.quit]x[/]", " a ", "[/]", "1e5", "null", "a\nb\n"])
def test_strings_are_literal(text: str) -> None:
    form = form_of(x={"type": "string"})
    built = arguments_of(form, filled_in(initial_draft(form), ("x",), text))
    assert built.arguments == {"x": text}
    assert built.origins == {"x": Origin.TYPED}


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("integer", "5", 5),
        ("integer", " -12 ", -12),
        ("integer", "9" * 300, int("9" * 300)),
        ("integer", "5.0", "not an integer"),
        ("integer", "1e3", "not an integer"),
        ("integer", "+5", "not an integer"),
        ("integer", "05", "not an integer"),
        ("integer", "٣", "not an integer"),
        ("integer", "1_000", "not an integer"),
        ("integer", "9" * 1001, "more than 1,000 digits"),
        ("number", "5", 5),
        ("number", "-0.5e-3", -0.0005),
        ("number", "1e400", "too large a number"),
        ("number", "1e-400", "too small a number"),
        ("number", "0e-400", 0.0),
        ("number", "NaN", "not a number"),
        ("number", "Infinity", "not a number"),
        ("number", ".5", "not a number"),
        ("number", "0x10", "not a number"),
        ("boolean", "true", True),
        ("boolean", "True", "not one of the choices"),
        ("array", '["a"]', ["a"]),
        ("array", "5", 5),
    ],
)
def test_reading_a_text(kind: str, text: str, expected: JsonValue) -> None:
    field = field_of({"type": kind})
    value, problem = value_of(field, Entry(text))
    if problem:
        assert (value, problem) == (MISSING, expected)
    else:
        assert identical(value, expected)


@pytest.mark.parametrize(
    ("text", "is_right"), [('["b", "a"]', True), ('["a", "a"]', False), ('["c"]', False)]
)
def test_choices_are_taken_once_each(text: str, is_right: bool) -> None:
    value, problem = value_of(
        field_of({"type": "array", "items": {"enum": ["a", "b"]}}), Entry(text)
    )
    assert (value is not MISSING) is is_right
    assert problem == ("" if is_right else "not a list of the choices, each at most once")


def test_broken_json_says_where() -> None:
    form = form_of(x={"type": "array"})
    built = arguments_of(form, filled_in(initial_draft(form), ("x",), '[1,\n "a" b]'))
    assert built.arguments == {}
    assert built.problems[("x",)].startswith("not JSON: ")
    assert "line 2, column 6" in built.problems[("x",)]


def test_keys_given_twice_are_a_problem() -> None:
    form = form_of(x={"type": "object"})
    draft = filled_in(initial_draft(form), ("x",), '{"a\u202e": 1, "a\u202e": 2}')
    assert arguments_of(form, draft).problems == {("x",): "key given twice: a<U+202E>"}


def test_empty_is_not_sent_unless_asked_for() -> None:
    form = build_form(
        {
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}},
            "required": ["c"],
        }
    )
    draft = filled_in(filled_in(initial_draft(form), ("a",), ""), ("b",), "  ")
    assert arguments_of(form, draft).arguments == {}
    assert arguments_of(form, draft).problems == {("c",): "required"}
    assert arguments_of(form, filled_in(draft, ("a",), "", present=True)).arguments == {"a": ""}
    assert (
        arguments_of(form, put_entry(filled_in(draft, ("a",), "x"), ("a",), NOT_SENT)).arguments
        == {}
    )


@pytest.mark.parametrize(
    ("schema", "start", "states"),
    [
        ({"type": "string"}, "", ["", MISSING, ""]),
        ({"type": ["string", "null"]}, "", ["", None, MISSING, ""]),
        ({"type": "string"}, "ab", [MISSING, "ab", MISSING]),
        ({"type": ["integer", "null"]}, "", [None, MISSING, None]),
        ({"type": "integer"}, "", [MISSING, MISSING]),
        ({"type": "boolean"}, "true", [MISSING, True]),
    ],
)
def test_sending_or_not(schema: JsonValue, start: str, states: list[JsonValue]) -> None:
    field = field_of(schema)
    entry = Entry(start, present=bool(start))
    seen = []
    for _ in states:
        entry = next_entry(field, entry)
        seen.append(value_of(field, entry)[0])
    assert seen == states


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
    assert form.fields[0].type_words.endswith("the server's default does not fit")
    assert identical(arguments_of(form, initial_draft(form)).arguments["x"], schema["default"])


def test_a_null_default_means_not_sent() -> None:
    form = form_of(
        a={"type": "string", "default": None},
        b={"anyOf": [{"type": "array"}, {"type": "null"}], "default": None},
        c={"enum": ["a", "b"], "default": None},
    )
    assert initial_draft(form) == Draft()
    assert [one.fits for one in form.fields] == [False, True, False]


def test_the_document_keeps_origins_unknown_names_and_broken_texts() -> None:
    form = form_of(
        d={"type": "string", "default": "theirs"}, n={"type": "integer"}, s={"type": "string"}
    )
    draft = filled_in(filled_in(initial_draft(form), ("n",), "abc"), ("s",), "mine")
    opened = open_document(form, draft)
    assert json.loads(opened.document or "") == {"d": "theirs", "s": "mine"}
    edited = set_document(opened, '{"s": null, "d": "theirs", "more": [1]}')
    built = arguments_of(form, edited)
    assert built.arguments == {"s": None, "d": "theirs", "more": [1]}
    assert built.origins == {"s": Origin.TYPED, "d": Origin.DEFAULT, "more": Origin.TYPED}
    closed = close_document(form, edited)
    assert closed.document is None
    assert closed.entry(("n",)) == Entry("abc")
    assert entry_at(form, closed, ("d",)).origin is Origin.DEFAULT
    assert arguments_of(form, closed).arguments == built.arguments
    gone = close_document(form, set_document(opened, "{}"))
    assert gone.entry(("d",)) == NOT_SENT


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON: empty"),
        ("[1]", "arguments must be a JSON object, {...}"),
        ('{"a": 1, "a": 2}', "key given twice: a"),
        ('{"a": 1e999}', "not JSON: a number is too large for a double"),
    ],
)
def test_a_broken_document_stays_open(text: str, problem: str) -> None:
    form = form_of(a={"type": "integer"})
    draft = set_document(open_document(form, initial_draft(form)), text)
    assert arguments_of(form, draft).problems == {(): problem}
    assert close_document(form, draft) is draft


def test_the_document_may_hold_what_no_field_would() -> None:
    form = build_form({"properties": {"a": {"type": "integer"}}, "required": ["a"]})
    draft = replace(initial_draft(form), document='{"a": "x"}')
    assert arguments_of(form, draft).problems == {}
    assert arguments_of(form, replace(draft, document="{}")).problems == {}


def test_a_form_without_fields_stays_json() -> None:
    form = build_form({"anyOf": [{}]})
    draft = set_document(initial_draft(form), '{"a": [1]}')
    assert arguments_of(form, draft).arguments == {"a": [1]}
    assert close_document(form, draft) is draft
    assert arguments_of(form, draft_from_arguments(form, {"b": 1})).arguments == {"b": 1}


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
    assert "too large to be filled in" in form.fields[0].type_words
