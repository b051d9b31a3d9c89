"""What holds of every form: for schemas as they should be, as they are, and for any JSON at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import (
    Draft,
    arguments_of,
    close_document,
    draft_from_arguments,
    initial_draft,
    open_document,
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
    set_value,
)
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import FieldKind, Form, build_form, variants
from signoff.app.schemas.form.merging import identical
from signoff.app.schemas.form.rows import RowRole, open_at_first, rows
from signoff.app.schemas.schema import SchemaAnswer, judge
from tests.schemas.form_filling import all_rows, fill
from tests.schemas.schema_strategies import (
    ARGUMENTS,
    LOOSE,
    NONSENSE,
    SCHEMAS,
    input_schemas,
    sound_schemas,
)
from tests.tiers import examples

DATA = Path(__file__).parents[1] / "data"
SUITE: list[dict[str, Any]] = json.loads((DATA / "json_schema_test_suite.json").read_text("utf-8"))
REAL: list[dict[str, Any]] = json.loads((DATA / "real_schemas.json").read_text("utf-8"))
many = examples(60, suppress_health_check=[HealthCheck.too_slow])


def check_form(form: Form, arguments: dict[str, JsonValue]) -> None:
    """Opens everything, and takes arguments in and out again."""
    fresh = initial_draft(form)
    built = arguments_of(form, fresh)
    assert set(built.origins) == set(built.arguments)
    assert set(built.origins.values()) <= {Origin.DEFAULT, Origin.FILLED}
    assert open_at_first(form, fresh) <= {row.place for row in all_rows(form, fresh)} | {()}
    for before in (None, fresh):
        draft = draft_from_arguments(form, arguments, before=before)
        loaded = arguments_of(form, draft)
        assert identical(loaded.arguments, arguments)
        assert set(loaded.origins) == set(arguments)
        assert set(loaded.problems.values()) <= {"required"}
        found = all_rows(form, draft)
        keys = [(row.place, row.role) for row in found]
        assert len(set(keys)) == len(keys)
        there = close_document(form, open_document(form, draft))
        assert identical(arguments_of(form, there).arguments, arguments)


@pytest.mark.slow
@many
@given(input_schemas(), ARGUMENTS)
def test_arguments_survive_the_way_through_the_form(
    schema: JsonValue, arguments: dict[str, JsonValue]
) -> None:
    check_form(build_form(schema), arguments)


@pytest.mark.slow
@many
@given(NONSENSE, ARGUMENTS)
def test_no_json_breaks_a_form(schema: JsonValue, arguments: dict[str, JsonValue]) -> None:
    check_form(build_form(schema), arguments)
    check_form(build_form({"properties": schema, "$defs": {"a": schema}}), arguments)
    check_form(build_form({"type": "object", "properties": {"x": schema}}), arguments)


@pytest.mark.slow
@many
@given(sound_schemas(), st.data())
def test_what_is_filled_in_without_a_problem_is_valid(
    schema: JsonValue, data: st.DataObject
) -> None:
    form = build_form(schema)
    assert not form.raw_only
    draft = fill(data.draw, form, initial_draft(form))
    built = arguments_of(form, draft)
    if not built.problems:
        assert judge(schema, built.arguments).answer is SchemaAnswer.VALID


@pytest.mark.slow
@many
@given(input_schemas(), st.data())
def test_no_edit_breaks_a_draft(schema: JsonValue, data: st.DataObject) -> None:
    form = build_form(schema)
    draft = fill(data.draw, form, initial_draft(form))
    built = arguments_of(form, draft)
    again = draft_from_arguments(form, built.arguments, before=draft)
    assert identical(arguments_of(form, again).arguments, built.arguments)
    arguments_of(form, draft, as_typed=True)
    for row in all_rows(form, draft)[:20]:
        all_rows(form, send_or_not(form, draft, row.place))


@pytest.mark.slow
@many
@given(input_schemas(), ARGUMENTS, st.data())
def test_another_variant_and_back(
    schema: JsonValue, arguments: dict[str, JsonValue], data: st.DataObject
) -> None:
    """Going to an alternative and back loses at most what the alternative had another use for."""
    form = build_form(schema)
    draft = draft_from_arguments(form, arguments)
    unions = [row for row in all_rows(form, draft) if row.field.kind is FieldKind.UNION]
    for row in (row for row in unions[:5] if row.role is RowRole.GROUP):
        index = data.draw(st.integers(0, len(variants(form, row.field)) - 1))
        other = choose_variant(form, draft, row.place, index)
        shown = {(one.place, one.role): one.variant for one in all_rows(form, other)}
        assert shown.get((row.place, RowRole.GROUP), index) == index
        arguments_of(form, choose_variant(form, other, row.place, row.variant))


ITEMS = st.lists(LOOSE, min_size=1, max_size=4)


@pytest.mark.slow
@many
@given(SCHEMAS, ITEMS, st.data())
def test_items_come_go_and_move(
    schema: JsonValue, items: list[JsonValue], data: st.DataObject
) -> None:
    form = build_form(
        {"properties": {"x": {"type": "array", "items": {"anyOf": [schema, {"type": "object"}]}}}}
    )
    draft = draft_from_arguments(form, {"x": items})

    def now(draft: Draft) -> JsonValue:
        return arguments_of(form, draft).arguments.get("x")

    if not any(row.role is RowRole.GROUP for row in rows(form, draft, ())):
        return
    at = data.draw(st.integers(0, len(items) - 1))
    by = data.draw(st.integers(-4, 4))
    to = min(max(at + by, 0), len(items) - 1)
    moved = move_item(form, draft, ("x",), at, by)
    order = [*items[:at], *items[at + 1 :]]
    assert identical(now(remove_item(form, draft, ("x",), at)), order)
    assert identical(now(moved), [*order[:to], items[at], *order[to:]])
    assert identical(now(move_item(form, moved, ("x",), to, at - to)), items)
    added = set_value(form, add_item(form, draft, ("x",)), ("x", len(items)), items[0])
    assert identical(now(added), [*items, items[0]])
    assert identical(now(remove_item(form, added, ("x",), len(items))), items)


@pytest.mark.slow
@many
@given(SCHEMAS, st.dictionaries(st.sampled_from("abcd"), LOOSE, max_size=3))
def test_keys_come_go_and_are_renamed(schema: JsonValue, table: dict[str, JsonValue]) -> None:
    extra: JsonValue = {"anyOf": [schema, {"type": "object"}]}
    form = build_form({"properties": {"x": {"type": "object", "additionalProperties": extra}}})
    draft = draft_from_arguments(form, {"x": dict(table)})

    def now(draft: Draft) -> JsonValue:
        return arguments_of(form, draft).arguments.get("x")

    added = set_value(form, add_key(form, draft, ("x",), "new"), ("x", "new"), [1])
    assert identical(now(added), {**table, "new": [1]})
    assert identical(now(remove_key(form, added, ("x",), "new")), table)
    for key in table:
        assert rename_key(form, added, ("x",), key, "new") == added
        renamed = rename_key(form, draft, ("x",), key, "new")
        rest = {name: value for name, value in table.items() if name != key}
        assert identical(now(renamed), {**rest, "new": table[key]})


@pytest.mark.slow
def test_the_schemas_of_the_test_suite_open_as_forms() -> None:
    for case in SUITE:
        whole = build_form(case["schema"])
        inside = build_form({"type": "object", "properties": {"x": case["schema"]}})
        check_form(inside, {"x": case["instances"][0]})
        check_form(whole, {})
        for instance in case["instances"]:
            draft = draft_from_arguments(inside, {"x": instance})
            assert identical(arguments_of(inside, draft).arguments, {"x": instance})
            if isinstance(instance, dict):
                draft = draft_from_arguments(whole, instance)
                assert identical(arguments_of(whole, draft).arguments, instance)


@pytest.mark.parametrize("server", [one["server"] for one in REAL])
def test_the_schemas_of_real_servers_open_as_forms(server: str) -> None:
    tools = next(one["tools"] for one in REAL if one["server"] == server)
    for schema in tools.values():
        form = build_form(schema)
        assert not form.raw_only
        check_form(form, {})
        draft = initial_draft(form)
        for row in all_rows(form, draft):
            if row.role is RowRole.FIELD:
                draft = put_entry(draft, row.place, row.entry)
        assert (
            arguments_of(form, draft).arguments.keys()
            >= arguments_of(form, initial_draft(form)).arguments.keys()
        )
