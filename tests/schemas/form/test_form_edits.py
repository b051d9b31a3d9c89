"""What each edit of a form does to the arguments, compared with plain JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import (
    Draft,
    arguments_of,
    close_document,
    draft_from_arguments,
    field_at,
    initial_draft,
    open_document,
    set_document,
)
from signoff.app.schemas.form.edits import (
    add_item,
    add_key,
    choose_variant,
    move_item,
    put_entry,
    remove_item,
    remove_key,
    rename_key,
    send_or_not,
    set_group_present,
    set_value,
)
from signoff.app.schemas.form.entries import NOT_SENT, FieldEntry, Origin
from signoff.app.schemas.form.fields import FieldKind, Place
from signoff.app.schemas.form.form import build_form, variants
from signoff.app.schemas.form.merging import identical
from signoff.app.schemas.form.rows import FieldRow, RowRole
from signoff.app.schemas.schema import SchemaAnswer, judge
from signoff.app.schemas.secrets.arguments import mask_arguments
from tests.schemas.form_filling import all_rows
from tests.schemas.rich_form import RICH, VALUES, at, cut_out, missing, places, put, rich_arguments
from tests.tiers import examples

FORM = build_form(RICH)
KINDS = set(FieldKind)
many = examples(100)


def loaded(arguments: dict[str, Any]) -> Draft:
    return draft_from_arguments(FORM, arguments)


def sent(draft: Draft) -> dict[str, Any]:
    return arguments_of(FORM, draft).arguments


def rows_of(draft: Draft) -> list[FieldRow]:
    return list(all_rows(FORM, draft))


def draw_row(data: st.DataObject, draft: Draft, *roles: RowRole, sent: bool = True) -> FieldRow:
    found = [
        row
        for row in rows_of(draft)
        if row.role in roles and row.place and (row.is_sent or not sent)
    ]
    return data.draw(st.sampled_from(found))


def test_the_rich_schema_has_every_kind_of_field() -> None:
    given: dict[str, JsonValue] = {"name": "n", "mode": "auto", "home": {"street": "s", "zip": 1}}
    given |= {"shape": "s", "tags": ["t"]}
    assert {row.field.kind for row in rows_of(loaded(given))} == KINDS


@many
@given(rich_arguments())
def test_arguments_come_out_as_they_went_in(arguments: dict[str, Any]) -> None:
    assert judge(RICH, arguments).answer is SchemaAnswer.VALID
    built = arguments_of(FORM, loaded(arguments))
    assert identical(built.arguments, arguments)
    assert built.problems == {}
    assert built.origins == dict.fromkeys(arguments, Origin.TYPED)
    assert list(built.arguments) == [name for name in (*VALUES, "reason") if name in arguments]


@many
@given(rich_arguments(), st.data())
def test_a_value_is_put_at_its_place_and_nowhere_else(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    draft = loaded(arguments)
    place: Any = data.draw(st.sampled_from([one for one in places(arguments) if one]))
    value = at(arguments, place)
    name = data.draw(st.sampled_from(sorted(VALUES)))
    other = data.draw(VALUES[name])
    whole = set_value(FORM, draft, (name,), other)
    if "flag" not in (name, place[0]):
        assert identical(sent(whole), put(arguments, (name,), other))
        assert identical(
            sent(set_value(FORM, whole, place[:1], arguments[place[0]])),
            {**put(arguments, (name,), other), place[0]: arguments[place[0]]},
        )
    assert identical(sent(set_value(FORM, draft, place, value)), arguments)


@many
@given(rich_arguments(), st.data())
def test_what_is_left_out_comes_back_as_it_was(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    draft = loaded(arguments)
    row = draw_row(data, draft, RowRole.FIELD, RowRole.GROUP)
    is_item = isinstance(row.place[-1], int)
    before = at(arguments, row.place)
    out = put_entry(draft, row.place, NOT_SENT)
    left = put(arguments, row.place, None) if is_item else cut_out(arguments, row.place)
    if row.place != ("flag",):
        assert identical(sent(out), left)
        expected = {*missing(left), *([row.place] if row.field.required else [])}
        if row.place != ("shape", "kind"):
            assert set(arguments_of(FORM, out).problems) == expected
    if row.field.is_group and not is_item and isinstance(before, dict | list):
        assert identical(sent(set_group_present(FORM, out, row.place, True)), arguments)
    round_trip = draft
    for _ in range(3):
        round_trip = send_or_not(FORM, round_trip, row.place)
        if identical(sent(round_trip), arguments):
            break
    if before not in (None, "", {}, []):
        assert identical(sent(round_trip), arguments)


@many
@given(rich_arguments(), st.data())
def test_a_broken_text_is_a_problem_at_its_place_and_is_lost_nowhere(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    draft = loaded(arguments)
    texts = (FieldKind.INTEGER, FieldKind.NUMBER, FieldKind.JSON, FieldKind.BOOLEAN)
    found = [row for row in rows_of(draft) if row.field.kind in texts and row.place != ("flag",)]
    # A tuple that is not sent requires all of its items as soon as it has one.
    row = data.draw(st.sampled_from([row for row in found if row.is_sent or len(row.place) == 1]))
    broken = put_entry(draft, row.place, FieldEntry("{no"))
    built = arguments_of(FORM, broken)
    assert set(built.problems) == {row.place}
    as_typed = arguments_of(FORM, broken, as_typed=True).arguments
    assert at(as_typed, row.place) == "{no"
    if row.is_sent:
        is_item = isinstance(row.place[-1], int)
        left = put(arguments, row.place, None) if is_item else cut_out(arguments, row.place)
        assert identical(built.arguments, left)
    back = close_document(FORM, open_document(FORM, broken))
    assert arguments_of(FORM, back).problems == built.problems
    assert arguments_of(FORM, back, as_typed=True).arguments == as_typed


@many
@given(rich_arguments())
def test_only_values_that_were_edited_in_the_document_are_typed(arguments: dict[str, Any]) -> None:
    fresh = initial_draft(FORM)
    assert sent(fresh) == {"count": 3, "mode": "auto", "spot": {"x": 1, "y": 2}}
    draft = draft_from_arguments(FORM, {**sent(fresh), **arguments}, before=fresh)
    built = arguments_of(FORM, draft)
    assert identical(built.arguments, {**sent(fresh), **arguments})
    for name, origin in built.origins.items():
        kept = name in sent(fresh) and identical(sent(fresh)[name], built.arguments[name])
        ours = Origin.FILLED if name == "mode" else Origin.DEFAULT
        assert origin is (ours if kept else Origin.TYPED)
    document = open_document(FORM, draft)
    assert close_document(FORM, document) == draft
    edited = set_document(document, '{"count": 3, "spot": [1]}')
    after = close_document(FORM, edited)
    assert sent(after) == sent(edited) == {"count": 3, "spot": [1]}
    count = Origin.DEFAULT if built.arguments["count"] == 3 else Origin.TYPED
    for one in (edited, after):
        assert arguments_of(FORM, one).origins == {"count": count, "spot": Origin.TYPED}
    assert set(arguments_of(FORM, after).problems) == missing(sent(after))


@many
@given(rich_arguments(), st.data())
def test_items_at_any_depth_come_go_and_move(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    arguments = {**arguments, "tags": ["a", "b", "c"]}
    draft = loaded(arguments)
    lists = [
        row.place
        for row in rows_of(draft)
        if row.role is RowRole.GROUP and row.field.kind is FieldKind.ARRAY and row.inside
    ]
    place: Place = data.draw(st.sampled_from(lists))
    items: list[Any] = at(arguments, place)
    index = data.draw(st.integers(0, len(items) - 1))
    to = data.draw(st.integers(0, len(items) - 1))
    rest = [*items[:index], *items[index + 1 :]]
    out = remove_item(FORM, draft, place, index)
    assert identical(sent(out), put(arguments, place, rest))
    moved = move_item(FORM, draft, place, index, to - index)
    if place != ("pair",):
        order = [*rest[:to], items[index], *rest[to:]]
        assert identical(sent(moved), put(arguments, place, order))
        more = add_item(FORM, draft, place)
        # No item was given a value yet, and an item of a list cannot be left out.
        assert len(at(sent(more), place)) == len(items) + 1
        full = set_value(FORM, more, (*place, len(items)), items[0])
        assert identical(sent(full), put(arguments, place, [*items, items[0]]))
        assert identical(sent(remove_item(FORM, full, place, len(items))), arguments)
    assert identical(sent(move_item(FORM, moved, place, to, index - to)), arguments)


@many
@given(rich_arguments(), st.sampled_from(["A", "b", "", "new"]), st.sampled_from(["A", "other"]))
def test_entries_of_a_map_come_go_and_are_renamed(
    arguments: dict[str, Any], key: str, other: str
) -> None:
    draft, table = loaded(arguments), arguments.get("env", {})
    added = add_key(FORM, draft, ("env",), key)
    if key in table:
        assert added is draft
        out = remove_key(FORM, draft, ("env",), key)
        assert identical(sent(out), cut_out(arguments, ("env", key)))
    else:
        assert arguments_of(FORM, added).problems == {("env", key): "required"}
    full = set_value(FORM, added, ("env", key), "v")
    table = {**table, key: "v"}
    assert identical(sent(full), {**arguments, "env": table})
    named = rename_key(FORM, full, ("env",), key, other)
    if other in table:
        assert named is full
        return
    renamed = {other if one == key else one: value for one, value in table.items()}
    assert identical(sent(named), {**arguments, "env": renamed})
    assert list(sent(named)["env"]) == list(renamed)


@many
@given(rich_arguments(), st.integers(0, 2))
def test_another_alternative_keeps_what_fits_and_the_way_back(
    arguments: dict[str, Any], index: int
) -> None:
    draft = loaded(arguments)
    union = field_at(FORM, draft, ("shape",))
    assert union is not None
    assert [one.label for one in variants(FORM, union)] == ["circle", "box", "string"]
    was = next(row.variant for row in rows_of(draft) if row.place == ("shape",))
    other = choose_variant(FORM, draft, ("shape",), index)
    shown = next(row for row in rows_of(other) if row.place == ("shape",))
    assert shown.variant == index
    shape = arguments.get("shape")
    if index == 2:
        assert sent(other).get("shape", "") == (shape if isinstance(shape, str) else "")
    else:
        kind = ("circle", "box")[index]
        name = shape if isinstance(shape, dict) else {}
        kept = {one: name[one] for one in ("name",) if one in name}
        found = sent(other)["shape"]
        assert found["kind"] == kind
        assert kept.items() <= found.items()
        assert set(arguments_of(FORM, other).problems) == missing(sent(other))
    if isinstance(shape, dict) and index < 2:
        assert identical(sent(choose_variant(FORM, other, ("shape",), was)), arguments)


@many
@given(rich_arguments())
def test_what_a_condition_hides_is_not_sent_and_comes_back(arguments: dict[str, Any]) -> None:
    draft = loaded({**arguments, "flag": True, "reason": "r"})
    off = set_value(FORM, draft, ("flag",), False)
    assert "reason" not in sent(off)
    assert ("reason",) not in [row.place for row in rows_of(off)]
    on = set_value(FORM, off, ("flag",), True)
    assert sent(on)["reason"] == "r"
    new = set_value(FORM, loaded({"name": "n", "mode": "auto"}), ("flag",), True)
    assert arguments_of(FORM, new).problems == {("reason",): "required"}


@many
@given(rich_arguments())
def test_secrets_are_sent_as_typed_and_their_places_are_fields(arguments: dict[str, Any]) -> None:
    arguments = {**arguments, "token": "t0ken", "home": {"street": "s", "pin": "1234"}}
    masked = mask_arguments(arguments, RICH)
    secret = [one for one in [("token",), ("home", "pin")] if one in masked.places]
    assert secret == [("token",), ("home", "pin")]
    draft = loaded(arguments)
    assert set(secret) <= {row.place for row in rows_of(draft)}
    for place in secret:
        draft = put_entry(draft, place, NOT_SENT)
    for place in secret:
        draft = set_value(FORM, draft, place, at(arguments, place))
    assert identical(sent(draft), arguments)


@pytest.mark.parametrize("depth", [1, 5, 18])
def test_a_recursive_schema_is_read_as_deep_as_it_is_filled_in(depth: int) -> None:
    draft = initial_draft(FORM)
    place: Place = ("tree",)
    value: Any = {"label": "leaf"}
    for _ in range(depth):
        draft = set_value(FORM, draft, (*place, "label"), "x")
        place = (*place, "next")
        value = {"label": "x", "next": value}
    draft = set_value(FORM, draft, (*place, "label"), "leaf")
    assert identical(sent(draft)["tree"], value)
    shown = all_rows(FORM, draft, levels=2)
    assert max(len(row.place) for row in shown) <= 3
