"""Where the schema says that a secret stands, whatever it is called and looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from signoff.app.schemas.secrets.arguments import mask_arguments
from tests.content.json_values import json_values

PASSWORD: Any = {"type": "string", "format": "password"}
MASKED = "[masked: 7 characters]"


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "said",
    [
        PASSWORD,
        {"format": "Password"},
        {"writeOnly": True},
        {"x-secret": True},
        {"sensitive": True},
        {"title": "Contraseña"},
        {"$ref": "#/$defs/hidden"},
        {"$ref": "#hidden"},
        {"allOf": [{}, PASSWORD]},
        {"anyOf": [{"type": "null"}, PASSWORD]},
        {"oneOf": [{"$ref": "#/$defs/hidden"}]},
        {"if": {"minLength": 3}, "then": PASSWORD},
        {"if": {"minLength": 3}, "else": PASSWORD},
    ],
)
def test_every_way_of_saying_that_a_value_is_secret(said: Any) -> None:
    schema = {**of(field=said, other={}), "$defs": {"hidden": {**PASSWORD, "$anchor": "hidden"}}}
    masked = mask_arguments({"field": "hunter2", "other": "hunter2"}, schema)
    assert masked.value == {"field": MASKED, "other": "hunter2"}
    assert masked.places == [("field",)]
    assert masked.found == {"hunter2"}


@pytest.mark.parametrize(
    ("schema", "value", "place"),
    [
        (of(a=of(b=PASSWORD)), {"a": {"b": "hunter2"}}, ("a", "b")),
        (of(a={"items": PASSWORD}), {"a": ["hunter2"]}, ("a", 0)),
        (of(a={"items": [{}, PASSWORD]}), {"a": ["x", "hunter2"]}, ("a", 1)),
        (of(a={"prefixItems": [{}, PASSWORD]}), {"a": ["x", "hunter2"]}, ("a", 1)),
        (of(a={"prefixItems": [{}], "items": PASSWORD}), {"a": ["x", "hunter2"]}, ("a", 1)),
        (of(a={"contains": PASSWORD}), {"a": ["hunter2"]}, ("a", 0)),
        ({"additionalProperties": PASSWORD}, {"a": "hunter2"}, ("a",)),
        ({"unevaluatedProperties": PASSWORD}, {"a": "hunter2"}, ("a",)),
        ({"patternProperties": {"^(a+)+$": PASSWORD}}, {"a": "hunter2"}, ("a",)),
        ({"dependentSchemas": {"x": of(a=PASSWORD)}}, {"a": "hunter2"}, ("a",)),
        (
            {"$ref": "#/$defs/t", "$defs": {"t": of(t={"$ref": "#/$defs/t"}, a=PASSWORD)}},
            {"t": {"t": {"a": "hunter2"}}},
            ("t", "t", "a"),
        ),
    ],
)
def test_every_place_that_a_schema_can_speak_of(
    schema: Any, value: Any, place: tuple[str | int, ...]
) -> None:
    masked = mask_arguments(value, schema)
    assert "hunter2" not in json.dumps(masked.value)
    assert masked.places == [place]


def test_a_whole_object_can_be_secret_and_numbers_too() -> None:
    masked = mask_arguments({"a": {"b": "hunter2", "c": 1234}}, of(a={"writeOnly": True}))
    assert masked.value == {"a": "[masked: 27 characters]"}
    assert masked.found == {"hunter2", "1234"}
    assert mask_arguments({"a": 1234}, of(a={"writeOnly": True})).value == {
        "a": "[masked: 4 characters]"
    }


def test_names_and_looks_count_with_and_without_a_schema() -> None:
    value: Any = {"senha": "hunter2", "note": "gh" + "p_" + "a1B2" * 9}
    schemas: list[Any] = [None, True, of(x=PASSWORD), [], {"properties": 5, "$ref": 7}]
    for schema in schemas:
        masked = mask_arguments(value, schema)
        assert masked.value == {"senha": MASKED, "note": "[masked: 40 characters]"}
        assert masked.places == [("senha",), ("note",)]


@pytest.mark.parametrize(
    "said", [{"writeOnly": False}, {"format": "email"}, {"title": "A" * 60 + " password"}]
)
def test_what_the_schema_does_not_call_secret_stays(said: Any) -> None:
    assert mask_arguments({"a": "hunter2"}, of(a=said)).count == 0


def test_a_schema_that_means_endless_places_hides_everything() -> None:
    """The work is bounded, and what was not looked at counts as secret."""
    wide: Any = {"items": {"anyOf": [{"items": {}} for _ in range(300)]}, "$defs": {"x": PASSWORD}}
    masked = mask_arguments([["hunter2"]] * 1_000, wide)
    assert masked.places == [()]
    assert "hunter2" not in json.dumps(masked.value)


def test_schemas_that_refer_to_each_other_are_each_read_once() -> None:
    every: Any = {"anyOf": [{"$ref": f"#/$defs/s{number}"} for number in range(100)]}
    schema: Any = {
        **every,
        "$defs": {f"s{number}": {**every, "items": every} for number in range(100)},
    }
    schema["$defs"]["s99"]["items"] = PASSWORD
    assert mask_arguments(["hunter2"], schema).places == [(0,)]


@given(value=json_values(), schema=json_values())
def test_any_schema_and_any_value_come_to_an_end(value: Any, schema: Any) -> None:
    masked = mask_arguments(value, schema)
    assert bool(masked.count) == bool(masked.places)
    assert mask_arguments(masked.value, None).value == masked.value


@given(value=json_values())
def test_what_the_whole_schema_calls_secret_is_gone(value: Any) -> None:
    marked: Any = {"here": [value, "Zq-hunter2-qZ"]}
    masked = mask_arguments(marked, of(here={"items": {"writeOnly": True}}))
    assert "hunter2" not in json.dumps(masked.value)
