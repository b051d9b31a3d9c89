"""Values that mean yes, values that a form refuses, and changed arguments."""

from __future__ import annotations

import pytest

from signoff.app.analysis.consent.values import (
    MISFIT,
    accepting_values,
    changed_arguments,
    leaf_values,
    misfitting_values,
)
from signoff.app.content.json.jsonio import JsonValue


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
