"""The rows of forms: nested, conditional, recursive; and what of them is sent."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import (
    arguments_of,
    draft_from_arguments,
    entry_at,
    initial_draft,
)
from signoff.app.schemas.form.edits import put_entry, send_or_not, set_value
from signoff.app.schemas.form.entries import FieldEntry, FieldState, state_of
from signoff.app.schemas.form.form import FieldKind, build_form
from signoff.app.schemas.form.rows import RowRole, open_at_first, rows
from tests.approved import approved
from tests.schemas.form_filling import drawn, form_of, typed

PROSE = approved("schemas")

OPTIONS: JsonValue = {
    "type": "object",
    "properties": {"depth": {"type": "integer", "default": 3}, "name": {"type": "string"}},
    "required": ["name"],
}


def test_an_optional_object_is_sent_when_something_in_it_is_set() -> None:
    form = form_of(options=OPTIONS)
    draft = initial_draft(form)
    assert drawn(form, draft) == ["group options"]
    assert drawn(form, draft, [("options",)]) == ["group options", "  field depth", "  field name"]
    assert arguments_of(form, draft).arguments == {}
    assert arguments_of(form, draft).problems == {}
    draft = typed(draft, ("options", "name"), "n")
    assert arguments_of(form, draft).arguments == {"options": {"depth": 3, "name": "n"}}
    assert drawn(form, draft, [("options",)]) == [
        "group options +",
        "  field depth +",
        "  field name +",
    ]
    assert rows(form, draft, ())[0].inside == 2


def test_a_required_object_is_sent_empty_and_asks_for_what_it_needs() -> None:
    form = build_form({"properties": {"options": OPTIONS}, "required": ["options"]})
    built = arguments_of(form, initial_draft(form))
    assert built.arguments == {"options": {"depth": 3}}
    assert built.problems == {("options", "name"): "required"}
    assert open_at_first(form, initial_draft(form)) == {(), ("options",)}


def test_an_object_goes_round_sent_null_and_not_sent() -> None:
    form = form_of(o={"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "null"}]})
    draft = initial_draft(form)
    seen = []
    for _ in range(4):
        draft = send_or_not(form, draft, ("o",))
        seen.append(arguments_of(form, draft).arguments)
    assert seen == [{"o": {}}, {"o": None}, {}, {"o": {}}]


def test_what_is_left_out_stays_and_typing_brings_it_back() -> None:
    form = form_of(options=OPTIONS)
    draft = typed(initial_draft(form), ("options", "name"), "n")
    out = send_or_not(form, draft, ("options",))
    assert arguments_of(form, out).arguments == {}
    assert entry_at(form, out, ("options", "name")) == FieldEntry("n")
    back = typed(out, ("options", "depth"), "5")
    assert arguments_of(form, back).arguments == {"options": {"depth": 5, "name": "n"}}


def test_names_that_the_schema_does_not_know_are_rows_and_are_sent() -> None:
    form = form_of(a={"type": "string"})
    draft = draft_from_arguments(form, {"zz": [1]})
    row = rows(form, draft, ())[-1]
    assert row.field.name == "zz"
    PROSE.holds("field: not in the schema", row.field.type_words)
    assert (row.field.is_key_free, row.is_sent) == (True, True)


def test_which_properties_go_together_is_not_a_choice() -> None:
    form = build_form(
        {
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        }
    )
    assert drawn(form, initial_draft(form)) == ["field a", "field b"]


def test_conditions_bring_fields_and_take_them_away() -> None:
    form = build_form(
        {
            "properties": {"mode": {"enum": ["plain", "fine"]}, "a": {"type": "string"}},
            "if": {"properties": {"mode": {"const": "fine"}}, "required": ["mode"]},
            "then": {"properties": {"grain": {"type": "integer"}}, "required": ["grain"]},
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"a": {"properties": {"c": {"type": "boolean"}}}},
        }
    )
    draft = initial_draft(form)
    assert drawn(form, draft) == ["field mode", "field a"]
    fine = typed(set_value(form, draft, ("mode",), "fine"), ("grain",), "7")
    assert arguments_of(form, fine).arguments == {"mode": "fine", "grain": 7}
    plain = set_value(form, fine, ("mode",), "plain")
    assert arguments_of(form, plain).arguments == {"mode": "plain"}
    assert drawn(form, typed(draft, ("a",), "x")) == [
        "field mode",
        "field a +",
        "field c",
        "field b",
    ]
    assert arguments_of(form, typed(draft, ("a",), "x")).problems == {("b",): "required"}


def test_recursion_opens_as_far_as_somebody_goes() -> None:
    form = build_form(
        {
            "properties": {"v": {"type": "string"}, "next": {"$ref": "#"}, "to": {"$ref": "#/x"}},
            "x": {"type": "object", "properties": {"back": {"$ref": "#/x"}}, "required": ["back"]},
            "required": ["to"],
        }
    )
    draft = initial_draft(form)
    assert drawn(form, draft) == ["field v", "group next", "group to +"]
    deep = ("next",) * 12
    opened = [deep[:size] for size in range(13)]
    assert len(rows(form, draft, opened)) == 3 * 13
    filled = typed(draft, (*deep, "v"), "x")
    value = arguments_of(form, filled).arguments
    for _ in range(12):
        inner = value["next"]
        assert isinstance(inner, dict)
        value = inner
    assert value["v"] == "x"
    assert ("to", "back", "back") in arguments_of(form, draft).problems


def test_json_that_is_no_such_group_is_a_field() -> None:
    form = form_of(o=OPTIONS)
    draft = draft_from_arguments(form, {"o": [1]})
    row = rows(form, draft, [("o",)])[0]
    assert (row.role, row.entry.text, row.entry.as_json) == (RowRole.FIELD, "[1]", True)
    fields = put_entry(draft, ("o",), FieldEntry("", present=False))
    assert rows(form, fields, ())[0].role is RowRole.GROUP
    assert arguments_of(form, fields).arguments == {}


def test_more_than_can_be_shown_is_one_json_text() -> None:
    form = form_of(a={}, l={"type": "array", "items": {"type": "integer"}})
    many: dict[str, JsonValue] = {f"k{at}": at for at in range(150)}
    draft = draft_from_arguments(form, many)
    assert [(row.place, row.role) for row in rows(form, draft, ())] == [((), RowRole.FIELD)]
    assert arguments_of(form, draft).arguments == many
    long: dict[str, JsonValue] = {"l": [*range(150)]}
    draft = draft_from_arguments(form, long)
    assert drawn(form, draft, [("l",)]) == ["field a", "field l +"]
    assert arguments_of(form, draft).arguments == long


def test_although_invalid() -> None:
    form = form_of(n={"type": "integer"}, o=OPTIONS, j={})
    draft = typed(initial_draft(form), ("n",), "abc")
    draft = typed(typed(draft, ("o", "depth"), "x"), ("j",), "{")
    assert set(arguments_of(form, draft).problems) == {
        ("n",),
        ("o", "depth"),
        ("o", "name"),
        ("j",),
    }
    sent = arguments_of(form, draft, as_typed=True).arguments
    assert sent == {"n": "abc", "o": {"depth": "x"}, "j": "{"}


def test_formats_are_noted_and_not_in_the_way() -> None:
    form = form_of(d={"type": "string", "format": "date", "examples": ["2026-01-01"]})
    assert form.fields[0].shape == "2026-11-21"
    assert form.fields[0].examples == ("2026-01-01",)
    built = arguments_of(form, typed(initial_draft(form), ("d",), "today"))
    assert built.arguments == {"d": "today"}
    assert built.problems == {}
    assert built.notes == {("d",): "not a date: 2026-11-21 expected"}


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (FieldEntry("", present=False), FieldState.NOT_SENT),
        (FieldEntry(""), FieldState.EMPTY),
        (FieldEntry('""', as_json=True), FieldState.EMPTY),
        (FieldEntry("null", as_json=True), FieldState.NULL),
        (FieldEntry("null"), FieldState.TYPED),
        (FieldEntry("x"), FieldState.TYPED),
    ],
)
def test_four_things_that_may_be_sent(entry: FieldEntry, state: FieldState) -> None:
    assert state_of(form_of(a={"type": "string"}).fields[0], entry) is state


def test_a_default_is_a_state_of_its_own() -> None:
    form = form_of(a={"type": "string", "default": "x"})
    assert (
        state_of(form.fields[0], entry_at(form, initial_draft(form), ("a",))) is FieldState.DEFAULT
    )


def test_choices_come_with_the_words_of_the_server() -> None:
    form = form_of(
        one={"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]},
        many={"type": "array", "items": {"enum": ["a", "b"]}},
    )
    one, many = form.fields
    assert (one.kind, one.choices, one.labels) == (FieldKind.ENUM, (1, 2), ("One", "Two"))
    assert (many.kind, many.choices) == (FieldKind.CHOICES, ("a", "b"))
    draft = set_value(form, initial_draft(form), ("many",), ["b", "a"])
    assert draft.entry(("many",)) == FieldEntry('["b","a"]')
    assert set_value(form, draft, ("many",), ["c"]).entry(("many",)).as_json


def nested(levels: int, width: int) -> dict[str, JsonValue]:
    table: dict[str, JsonValue] = {
        f"p{at}": {"type": "string", "description": "words", "default": "x"}
        for at in range(width - 1)
    }
    if levels:
        table["inner"] = nested(levels - 1, width)
    return {"type": "object", "properties": table, "required": ["inner"] if levels else []}


@pytest.mark.parametrize(
    ("schema", "count"),
    [
        (nested(9, 4), 12),
        ({"properties": {f"p{at}": {"$ref": "#"} for at in range(40)}}, 40),
        (
            {
                "properties": {f"p{at}": {"$ref": "#"} for at in range(40)},
                "required": [f"p{at}" for at in range(40)],
            },
            40,
        ),
    ],
    ids=["40 properties over ten levels", "recursion", "endless requirements"],
)
def test_a_form_that_is_opened_builds_only_the_rows_in_sight(schema: JsonValue, count: int) -> None:
    form = build_form(schema)
    draft = initial_draft(form)
    assert len(rows(form, draft, open_at_first(form, draft))) == count
