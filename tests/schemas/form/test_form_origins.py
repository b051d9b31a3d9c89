"""Who put a value there: a person, the server, or Signoff; and what is sent unasked at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import arguments_of, draft_from_arguments, initial_draft
from signoff.app.schemas.form.edits import (
    add_item,
    choose_variant,
    filled_by_signoff,
    put_entry,
    send_or_not,
    set_value,
)
from signoff.app.schemas.form.entries import NOT_SENT, FieldState, Origin, state_of
from signoff.app.schemas.form.form import Form, build_form
from signoff.app.schemas.form.reading import DraftReading
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.schemas.form_filling import form_of
from tests.schemas.schema_strategies import sound_schemas
from tests.tiers import examples

ONLY: list[JsonValue] = [{"const": "v1"}, {"enum": ["v1"]}, {"type": "string", "enum": ["v1"]}]
CAT: JsonValue = {
    "type": "object",
    "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
}
DOG: JsonValue = {
    "type": "object",
    "properties": {"kind": {"const": "dog"}, "tricks": {"type": "integer"}},
}


def required(**properties: JsonValue) -> Form:
    names: list[JsonValue] = list(properties)
    return build_form({"type": "object", "properties": dict(properties), "required": names})


def fresh(form: Form) -> tuple[dict[str, JsonValue], dict[str, Origin]]:
    built = arguments_of(form, initial_draft(form))
    assert not built.problems
    return built.arguments, built.origins


@pytest.mark.parametrize("schema", ONLY)
def test_what_is_optional_is_not_sent_because_there_is_only_one_value(schema: JsonValue) -> None:
    assert fresh(form_of(x=schema)) == ({}, {})
    assert fresh(form_of(x={"const": None})) == ({}, {})
    assert fresh(form_of(x={"enum": [False]})) == ({}, {})


@pytest.mark.parametrize("schema", ONLY)
def test_what_is_required_is_filled_in_by_signoff_and_no_default(schema: JsonValue) -> None:
    form = required(x=schema)
    assert fresh(form) == ({"x": "v1"}, {"x": Origin.FILLED})
    reading = DraftReading(form, initial_draft(form))
    assert state_of(form.fields[0], reading.entry(form.fields[0])) is FieldState.FILLED
    assert fresh(required(x={"const": None})) == ({"x": None}, {"x": Origin.FILLED})


def test_a_default_that_says_the_only_value_is_a_default() -> None:
    assert fresh(form_of(x={"const": "v1", "default": "v1"})) == (
        {"x": "v1"},
        {"x": Origin.DEFAULT},
    )
    # One that says something else is no value that may stand there.
    assert fresh(form_of(x={"const": "v1", "default": "v2"})) == ({}, {})
    assert fresh(required(x={"const": "v1", "default": "v2"})) == (
        {"x": "v1"},
        {"x": Origin.FILLED},
    )


def test_one_value_or_null_are_two_values() -> None:
    schemas: list[JsonValue] = [
        {"anyOf": [{"const": "auto"}, {"type": "null"}]},
        {"enum": ["auto", None]},
        {"const": "auto", "type": ["string", "null"]},
    ]
    for schema in schemas[:2]:
        form = required(x=schema)
        assert Origin.FILLED not in arguments_of(form, initial_draft(form)).origins.values(), schema
        assert fresh(form_of(x=schema)) == ({}, {})
    assert fresh(required(x=schemas[2])) == ({"x": "auto"}, {"x": Origin.FILLED})


@pytest.mark.parametrize("schema", ONLY)
def test_a_person_can_have_it_sent_and_left_out(schema: JsonValue) -> None:
    form = form_of(x=schema)
    sent = send_or_not(form, initial_draft(form), ("x",))
    built = arguments_of(form, sent)
    assert (built.arguments, built.origins) == ({"x": "v1"}, {"x": Origin.FILLED})
    assert arguments_of(form, send_or_not(form, sent, ("x",))).arguments == {}
    chosen = arguments_of(form, set_value(form, initial_draft(form), ("x",), "v1"))
    assert chosen.origins == {"x": Origin.TYPED}


def test_inside_of_groups_the_same_holds() -> None:
    inner: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"must": {"const": 1}, "may": {"const": 2}},
        "required": ["must"],
    }
    assert fresh(form_of(o=inner)) == ({}, {})
    assert fresh(required(o=inner)) == ({"o": {"must": 1}}, {"o": Origin.FILLED})
    form = form_of(l={"type": "array", "items": inner})
    assert fresh(form) == ({}, {})
    grown = add_item(form, initial_draft(form), ("l",))
    assert arguments_of(form, grown).arguments == {"l": [{"must": 1}]}
    with_default = form_of(o={**inner, "default": {"must": 1}})
    assert fresh(with_default) == ({"o": {"must": 1}}, {"o": Origin.DEFAULT})


def test_an_empty_group_that_is_required_is_nobodys_default() -> None:
    text: JsonValue = {"a": {"type": "string"}}
    inner: dict[str, JsonValue] = {"type": "object", "properties": text}
    assert fresh(required(o=inner)) == ({"o": {}}, {"o": Origin.FILLED})
    assert fresh(required(o={**inner, "default": {}})) == ({"o": {}}, {"o": Origin.DEFAULT})
    limited: JsonValue = {"type": "object", "properties": {"a": {"type": "string", "default": "b"}}}
    assert fresh(required(o=limited)) == ({"o": {"a": "b"}}, {"o": Origin.DEFAULT})


def test_of_defaults_and_what_signoff_filled_in_the_second_is_said() -> None:
    inner: JsonValue = {
        "type": "object",
        "properties": {"must": {"const": 1}, "limit": {"default": 5, "type": "integer"}},
        "required": ["must"],
    }
    form = required(o=inner)
    assert fresh(form) == ({"o": {"must": 1, "limit": 5}}, {"o": Origin.FILLED})
    typed = set_value(form, initial_draft(form), ("o", "limit"), 6)
    assert arguments_of(form, typed).origins == {"o": Origin.TYPED}


def test_the_chosen_alternative_of_a_union_is_told_by_its_only_values() -> None:
    form = form_of(pet={"oneOf": [CAT, DOG]})
    assert fresh(form) == ({}, {})
    chosen = choose_variant(form, initial_draft(form), ("pet",), 1)
    assert arguments_of(form, chosen).arguments == {"pet": {"kind": "dog"}}
    back = choose_variant(form, chosen, ("pet",), 0)
    assert arguments_of(form, back).arguments == {"pet": {"kind": "cat"}}
    # It can still be left out, and what never had it comes back without it.
    bare = put_entry(back, ("pet", "kind"), NOT_SENT)
    assert arguments_of(form, bare).arguments == {"pet": {}}
    loaded = draft_from_arguments(form, {"pet": {"lives": 9}})
    assert arguments_of(form, loaded).arguments == {"pet": {"lives": 9}}
    assert fresh(required(pet={"oneOf": [CAT, DOG]})) == (
        {"pet": {"kind": "cat"}},
        {"pet": Origin.FILLED},
    )


def test_a_union_as_the_whole_is_told_the_same_way() -> None:
    form = build_form({"type": "object", "anyOf": [CAT, DOG]})
    assert fresh(form) == ({"kind": "cat"}, {"kind": Origin.FILLED})
    chosen = choose_variant(form, initial_draft(form), (), 1)
    assert arguments_of(form, chosen).arguments == {"kind": "dog"}


def test_an_only_value_that_tells_nothing_apart_is_not_sent_with_an_alternative() -> None:
    versioned: list[Any] = [
        {"type": "object", "properties": {"v": {"const": 1}, "a": {"type": "string"}}},
        {"type": "object", "properties": {"v": {"const": 1}, "b": {"type": "string"}}},
    ]
    form = form_of(x={"anyOf": versioned})
    chosen = choose_variant(form, initial_draft(form), ("x",), 1)
    assert arguments_of(form, chosen).arguments == {"x": {}}


def test_what_signoff_was_asked_to_put_there_is_not_called_typed() -> None:
    form = form_of(key={"type": "string"})
    typed = set_value(form, initial_draft(form), ("key",), "0d1e")
    filled = arguments_of(form, filled_by_signoff(typed, ("key",)))
    assert (filled.arguments, filled.origins) == ({"key": "0d1e"}, {"key": Origin.FILLED})
    assert filled_by_signoff(initial_draft(form), ("key",)) == initial_draft(form)


@pytest.mark.slow
@examples(60)
@given(sound_schemas(), st.data())
def test_a_fresh_form_claims_no_default_that_the_schema_does_not_have(
    schema: JsonValue, data: st.DataObject
) -> None:
    form = build_form(schema)
    built = arguments_of(form, initial_draft(form))
    assert Origin.TYPED not in built.origins.values()
    if '"default"' not in str(schema).replace("'", '"'):
        assert Origin.DEFAULT not in built.origins.values()
    if not built.problems:
        assert judge(schema, built.arguments).answer is SchemaAnswer.VALID
