"""Texts that are typed into fields, what they mean, and the way to JSON and back."""

from __future__ import annotations

import json
import string
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
    FieldEntry,
    Origin,
    escaped,
    is_plain,
    marked,
    value_of,
)
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.form.merging import MISSING, identical
from tests.approved import approved
from tests.schemas.form_filling import field_of, form_of
from tests.schemas.form_filling import typed as filled_in

PROSE = approved("schemas")


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
    value, problem = value_of(field, FieldEntry(text))
    if problem:
        assert (value, problem) == (MISSING, expected)
    else:
        assert identical(value, expected)


@pytest.mark.parametrize(
    ("text", "is_right"), [('["b", "a"]', True), ('["a", "a"]', False), ('["c"]', False)]
)
def test_choices_are_taken_once_each(text: str, is_right: bool) -> None:
    value, problem = value_of(
        field_of({"type": "array", "items": {"enum": ["a", "b"]}}), FieldEntry(text)
    )
    assert (value is not MISSING) is is_right
    assert bool(problem) is not is_right
    if problem:
        PROSE.holds("field: not a list of the choices", problem)


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
    entry = FieldEntry(start, present=bool(start))
    seen = []
    for _ in states:
        entry = next_entry(field, entry)
        seen.append(value_of(field, entry)[0])
    assert seen == states


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
    assert closed.entry(("n",)) == FieldEntry("abc")
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
