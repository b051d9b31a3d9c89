"""Items, keys and alternatives: what a person does to the groups of a form."""

from __future__ import annotations

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import arguments_of, draft_from_arguments, initial_draft
from signoff.app.schemas.form.edits import (
    add_item,
    add_key,
    choose_variant,
    key_problem,
    move_item,
    remove_item,
    rename_key,
    send_or_not,
    set_value,
)
from signoff.app.schemas.form.form import FieldKind, build_form, variants
from signoff.app.schemas.form.rows import rows
from tests.schemas.form_filling import all_rows, drawn, form_of, typed

OPTIONS: JsonValue = {
    "type": "object",
    "properties": {"depth": {"type": "integer", "default": 3}, "name": {"type": "string"}},
    "required": ["name"],
}


def test_defaults_of_a_group_are_spread_over_its_fields() -> None:
    form = form_of(
        o={"allOf": [OPTIONS], "default": {"name": "theirs", "odd": 1}},
        l={"type": "array", "items": {"type": "integer"}, "default": [1, 2]},
    )
    draft = initial_draft(form)
    built = arguments_of(form, draft)
    assert built.arguments == {"o": {"name": "theirs", "odd": 1}, "l": [1, 2]}
    assert set(built.origins.values()) == {"default"}
    moved = move_item(form, draft, ("l",), 0, 1)
    assert arguments_of(form, moved).arguments["l"] == [2, 1]
    longer = set_value(form, add_item(form, draft, ("l",)), ("l", 2), 9)
    assert arguments_of(form, longer).arguments["l"] == [1, 2, 9]
    assert arguments_of(form, remove_item(form, longer, ("l",), 0)).arguments["l"] == [2, 9]
    named = typed(draft, ("o", "name"), "mine")
    assert arguments_of(form, named).arguments["o"] == {"name": "mine", "odd": 1}


def test_items() -> None:
    form = form_of(tags={"type": "array", "items": {"type": "string"}})
    draft = add_item(form, add_item(form, initial_draft(form), ("tags",)), ("tags",))
    draft = typed(draft, ("tags", 0), "a")
    assert drawn(form, draft, [("tags",)]) == [
        "group tags +",
        "  field [0] +",
        "  field [1]",
        "  add item tags",
    ]
    built = arguments_of(form, draft)
    assert built.arguments == {"tags": ["a", None]}
    assert built.problems == {("tags", 1): "required"}
    assert arguments_of(form, remove_item(form, draft, ("tags",), 1)).arguments == {"tags": ["a"]}


def test_a_required_array_asks_for_an_item_or_to_be_sent_empty() -> None:
    form = build_form(
        {
            "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
            "required": ["tags"],
        }
    )
    draft = initial_draft(form)
    assert arguments_of(form, draft).problems == {("tags",): "required"}
    sent = send_or_not(form, draft, ("tags",))
    assert arguments_of(form, sent).arguments == {"tags": []}


def test_tuples_have_their_own_field_for_each_item() -> None:
    form = form_of(
        t={"type": "array", "items": [{"type": "string"}, {"enum": [1]}], "additionalItems": False}
    )
    draft = draft_from_arguments(form, {"t": ["a", 1]})
    assert [row.field.kind for row in all_rows(form, draft)] == [
        FieldKind.ARRAY,
        FieldKind.STRING,
        FieldKind.ENUM,
    ]
    assert add_item(form, draft, ("t",)) is draft
    assert arguments_of(form, move_item(form, draft, ("t",), 0, 1)).arguments == {"t": [1, "a"]}


def test_maps_take_keys_of_the_person() -> None:
    form = form_of(
        m={
            "type": "object",
            "properties": {"fixed": {"type": "string"}},
            "patternProperties": {"^x-": {"type": "integer"}},
            "additionalProperties": {"type": "boolean"},
        }
    )
    draft = add_key(form, add_key(form, initial_draft(form), ("m",), "x-a"), ("m",), "b")
    found = {row.field.name: row.field for row in all_rows(form, draft)}
    assert (found["x-a"].kind, found["b"].kind) == (FieldKind.INTEGER, FieldKind.BOOLEAN)
    assert (found["fixed"].is_key_free, found["b"].is_key_free) == (False, True)
    assert key_problem(form, draft, ("m",), "b") == "already there"
    assert arguments_of(form, draft).problems == {("m", "x-a"): "required", ("m", "b"): "required"}
    draft = typed(typed(draft, ("m", "x-a"), "5"), ("m", "b"), "true")
    renamed = rename_key(form, draft, ("m",), "b", "c")
    assert arguments_of(form, renamed).arguments == {"m": {"x-a": 5, "c": True}}


def test_the_names_a_map_may_have_are_its_fields() -> None:
    form = form_of(
        m={
            "type": "object",
            "propertyNames": {"enum": ["p", "q"]},
            "additionalProperties": {"type": "integer"},
        }
    )
    draft = typed(initial_draft(form), ("m", "q"), "1")
    assert drawn(form, draft, [("m",)])[:3] == ["group m +", "  field p", "  field q +"]
    assert arguments_of(form, draft).arguments == {"m": {"q": 1}}


SHAPES: JsonValue = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "name": {"type": "string"}, "r": {}},
            "required": ["kind"],
        },
        {
            "type": "object",
            "properties": {"kind": {"const": "box"}, "name": {"type": "string"}, "w": {}},
            "required": ["kind"],
        },
        {"title": "By name", "type": "string"},
    ]
}


def test_variants_are_labelled_and_keep_what_fits() -> None:
    form = form_of(s=SHAPES)
    draft = initial_draft(form)
    union = rows(form, draft, ())[0].field
    assert [one.label for one in variants(form, union)] == ["circle", "box", "By name"]
    assert arguments_of(form, draft).arguments == {}
    draft = draft_from_arguments(form, {"s": {"kind": "circle", "name": "n", "r": 1}})
    box = choose_variant(form, draft, ("s",), 1)
    assert arguments_of(form, box).arguments == {"s": {"kind": "box", "name": "n"}}
    again = choose_variant(form, box, ("s",), 0)
    assert arguments_of(form, again).arguments == {"s": {"kind": "circle", "name": "n", "r": 1}}
    named = choose_variant(form, draft, ("s",), 2)
    assert [row.field.kind for row in all_rows(form, named)] == [FieldKind.UNION, FieldKind.STRING]
    assert arguments_of(form, named).arguments == {}


def test_a_text_stays_when_it_reads_as_the_other_variant() -> None:
    form = form_of(v={"type": ["string", "integer"]})
    draft = typed(initial_draft(form), ("v",), "5")
    assert arguments_of(form, draft).arguments == {"v": "5"}
    number = choose_variant(form, draft, ("v",), 1)
    assert arguments_of(form, number).arguments == {"v": 5}
    odd = choose_variant(form, typed(draft, ("v",), "abc"), ("v",), 1)
    assert arguments_of(form, odd).arguments == {}


def test_nobody_chose_the_only_value_of_the_first_variant() -> None:
    form = form_of(v={"anyOf": [{"const": "auto"}, {"type": "integer"}]})
    assert arguments_of(form, initial_draft(form)).arguments == {}
    chosen = choose_variant(form, choose_variant(form, initial_draft(form), ("v",), 1), ("v",), 0)
    assert arguments_of(form, chosen).arguments == {"v": "auto"}


def test_a_union_of_whole_forms() -> None:
    form = build_form(
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "anyOf": [
                {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            ],
        }
    )
    draft = initial_draft(form)
    assert drawn(form, draft) == ["group  +", "  field id", "  field a"]
    other = choose_variant(form, draft, (), 1)
    assert drawn(form, other) == ["group  +", "  field id", "  field b"]
    assert arguments_of(form, other).problems == {("b",): "required"}
