"""Values that mean yes, values that a form refuses, and changed arguments."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.sample_answers import (
    MISFIT,
    accepting_values,
    changed_arguments,
    leaf_values,
    misfitting_values,
    refusing_values,
)


def form(**properties: JsonValue) -> JsonValue:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "boolean"}, True),
        ({"type": "boolean", "default": False}, True),
        ({"type": "boolean", "const": False}, False),
        ({"type": "string", "enum": ["no", "Yes"]}, "Yes"),
        ({"type": "string", "oneOf": [{"const": "deny"}, {"const": "approve"}]}, "approve"),
        ({"type": "string", "enum": ["red", "green"]}, "red"),
        ({"type": "string", "default": "Ada"}, "Ada"),
        ({"type": "integer", "minimum": 3}, 3),
    ],
)
def test_an_accepted_form_means_yes(field: JsonValue, value: JsonValue) -> None:
    assert accepting_values(form(it=field)) == {"it": value}


def test_given_values_come_first() -> None:
    assert accepting_values(form(it={"type": "boolean"}), {"it": False}) == {"it": False}


BOOLEAN: JsonValue = {"type": "boolean"}
HOW: JsonValue = {"type": "string", "enum": ["yes", "no"]}


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        (form(it=BOOLEAN), {"it": False}),
        (form(it={"type": "boolean", "default": True}), {"it": False}),
        (form(confirm=BOOLEAN, backup=BOOLEAN), {"confirm": False, "backup": True}),
        (form(a={"type": "boolean", "title": "Are you sure?"}, b=BOOLEAN), {"a": False, "b": True}),
        (form(confirm=BOOLEAN, how=HOW), {"confirm": False, "how": "no"}),
        (form(how={"oneOf": [{"const": "n"}, {"const": "y"}]}), {"how": "n"}),
        (form(it=BOOLEAN, who={"type": "string", "default": "Ada"}), {"it": False, "who": "Ada"}),
    ],
)
def test_an_accepted_form_can_mean_no(schema: JsonValue, values: JsonValue) -> None:
    assert refusing_values(schema) == values


@pytest.mark.parametrize(
    "schema",
    [
        *(None, form(), form(backup=BOOLEAN, dry_run=BOOLEAN), form(name={"type": "string"})),
        *(form(it={"type": "boolean", "const": True}), form(to={"enum": ["red", "keep"]})),
    ],
)
def test_a_form_without_a_field_that_can_mean_no_has_no_such_values(schema: JsonValue) -> None:
    assert refusing_values(schema) is None


def test_given_values_do_not_turn_a_no_into_a_yes() -> None:
    given: dict[str, JsonValue] = {"confirm": True, "name": "x"}
    values = refusing_values(form(confirm=BOOLEAN, name={"type": "string"}), given)
    assert values == {"confirm": False, "name": "x"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "boolean"}, MISFIT),
        ({"type": "string", "enum": ["yes", "no"]}, MISFIT),
        ({"type": "number"}, MISFIT),
        ({"type": "string"}, 7),
    ],
)
def test_other_values_break_the_schema(field: JsonValue, value: JsonValue) -> None:
    assert misfitting_values(form(it=field)) == {"it": value}


@pytest.mark.parametrize("schema", [None, {}, form(), form(it={}), True])
def test_a_form_that_allows_everything_has_no_other_values(schema: JsonValue) -> None:
    assert misfitting_values(schema) is None


def test_one_argument_is_changed_at_a_time() -> None:
    found = list(changed_arguments({"path": "notes/a.txt", "how": [{"deep": 3}], "yes": True}))
    assert found[0] == {"path": "notes/a-changed.txt", "how": [{"deep": 3}], "yes": True}
    assert {"path": "notes/a.txt", "how": [{"deep": 4}], "yes": True} in found
    assert found[-1]["yes"] is False
    assert list(changed_arguments({})) == []


def test_texts_and_numbers_are_the_values_of_a_call() -> None:
    found = dict(leaf_values({"a": "x", "b": [1, None, ""], "c": True}))
    assert found == {"a": "x", "b": 1}
