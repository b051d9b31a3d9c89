"""Which forms a revision allows, and how the faults of the others are described."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.protocol.server_requests.elicitation import Elicitation
from signoff.app.protocol.server_requests.form_rules import fault_words, form_faults, form_findings

NEWER = ("2025-11-25", "2026-07-28")
CHOICES = {"type": "array", "items": {"type": "string", "enum": ["a"]}}
FORBIDDEN: dict[str, Any] = {
    "is an object": {"type": "object", "properties": {"first": {"type": "string"}}},
    "is an array without choices (`enum` or `anyOf` in `items`)": {
        "type": "array",
        "items": {"type": "string"},
    },
    "is an array whose `items` are not of type string": {"type": "array", "items": {"enum": ["a"]}},
    "is an array whose choices lack a `const` or a `title`": {
        "type": "array",
        "items": {"anyOf": [{"const": "a"}]},
    },
    "is an array with choices that are not strings": {
        "type": "array",
        "items": {"type": "string", "enum": [1]},
    },
    "has a `minLength` that is “3”, not a number": {"type": "string", "minLength": "3"},
    "has a `maxLength` that is null, not a number": {"type": "string", "maxLength": None},
    "has a `minimum` that is “0”, not a number": {"type": "integer", "minimum": "0"},
    "has a `maximum` that is true, not a number": {"type": "number", "maximum": True},
    "has a `minItems` that is “1”, not a number": {**CHOICES, "minItems": "1"},
    "has a `maxItems` that is an array, not a number": {**CHOICES, "maxItems": [1]},
    "has a `title` that is 5, not a string": {"type": "boolean", "title": 5},
    "has a `title` that is null, not a string": {"type": "string", "enum": ["a"], "title": None},
    "has a `description` that is an array, not a string": {"type": "number", "description": ["x"]},
    "has several types": {"type": ["integer", "null"]},
    "has `anyOf` without `type`": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "has `oneOf` without `type`": {"oneOf": [{"const": "lo", "title": "Low"}]},
    "has `$ref` without `type`": {"$ref": "#/$defs/P"},
    "has no `type`": {},
    "is not a schema that is an object": True,
    "has a type “null” that is not primitive": {"type": "null"},
    "has the format “uuid”; allowed are email, uri, date, date-time": {
        "type": "string",
        "format": "uuid",
    },
}
ALLOWED: list[Any] = [
    {"type": "string", "format": "date", "minLength": 1, "default": "2026-01-01"},
    {"type": "string", "enum": ["a"], "enumNames": ["A"]},
    {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
    {"type": "integer", "enum": [1, 2], "default": 1},
    {"type": "number", "default": 0.5},
    {"type": "integer", "minLength": "not read"},
    {"type": "string", "minLength": 1.5, "maxLength": 10**40, "title": "", "description": ""},
    {"type": "boolean", "default": False},
]


def form(field: Any, **more: Any) -> Elicitation:
    schema = {"type": "object", "properties": {"f": field}, **more}
    return Elicitation("please", schema=schema)


@pytest.mark.parametrize("version", ["2025-06-18", *NEWER])
@pytest.mark.parametrize("fault", FORBIDDEN)
def test_a_forbidden_field_is_named_with_the_clause_and_the_clients(
    fault: str, version: str
) -> None:
    faults = form_faults(form(FORBIDDEN[fault]), version)
    assert fault_words(faults) == (
        f"the form is not allowed (client/elicitation, “Requested Schema”): “f” {fault}. "
        "TypeScript SDK 1.32.2 and 2.4.0 reject it"
    )
    (finding,) = form_findings(faults)
    assert (finding.code, finding.path) == ("form-not-allowed", "$.requestedSchema.properties.f")


@pytest.mark.parametrize("version", ["2025-06-18", *NEWER])
@pytest.mark.parametrize("field", ALLOWED)
def test_what_is_primitive_is_allowed(field: Any, version: str) -> None:
    assert form_faults(form(field), version) == ()
    assert not list(form_findings(()))


def test_several_choices_are_allowed_since_the_revision_that_has_them() -> None:
    titled = {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}
    for field in (CHOICES, titled):
        assert [form_faults(form(field), version) for version in NEWER] == [(), ()]
        words = fault_words(form_faults(form(field), "2025-06-18"))
        assert words.endswith("“f” is an array, which is allowed since 2025-11-25")


@pytest.mark.parametrize("default", ["three", None, True])
def test_a_default_has_the_type_of_its_field(default: Any) -> None:
    field = {"type": "integer", "default": default}
    (fault,) = form_faults(form(field), NEWER[0])
    assert fault.words == "“f” has a default that is not of the type integer"
    assert form_faults(form(field), "2025-06-18") == ()


def test_no_form_is_judged_before_elicitation_came_and_no_visit_ever() -> None:
    assert form_faults(form(True), "2025-03-26") == ()
    assert form_faults(Elicitation("open", "url", url="https://x.example"), NEWER[0]) == ()


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        (
            {"type": "string", "enum": ["a"], "minLength": "3"},
            "has a `minLength` that is “3”, not a number",
        ),
        ({"type": "string", "enum": "a"}, "has an `enum` that is not an array of strings"),
        ({"type": "string", "enum": [1]}, "has an `enum` that is not an array of strings"),
        (
            {"type": "string", "enum": ["a"], "enumNames": "A"},
            "has an `enumNames` that is not an array of strings",
        ),
    ],
)
def test_what_clients_accept_although_it_is_forbidden_names_none(field: Any, fault: str) -> None:
    (found,) = form_faults(form(field), NEWER[0])
    assert (found.words, found.is_rejected) == (f"“f” {fault}", False)
    assert "TypeScript" not in fault_words((found,))


@pytest.mark.parametrize("required", ["f", [1], None, {}])
def test_the_required_fields_are_an_array_of_names(required: Any) -> None:
    (found,) = form_faults(form({"type": "string"}, required=required), NEWER[0])
    assert found.words == "the form's `required` is not an array of strings"
    assert (found.path, found.is_rejected) == (("required",), True)


def test_the_default_of_several_choices_has_strings() -> None:
    (fault,) = form_faults(form({**CHOICES, "default": [1]}), NEWER[0])
    assert fault.words == "“f” has a default that is not of the type array"


def test_many_faults_are_one_finding() -> None:
    schema: Any = {"properties": {f"f{number}": True for number in range(9)}}
    (finding,) = form_findings(form_faults(Elicitation("?", schema=schema), NEWER[1]))
    assert "the form's `type` is not “object”; “f0” is not" in finding.message
    assert "; and 5 more. TypeScript" in finding.message


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["type", "items", "format", "default", "anyOf", "enum", "$ref", "title", "minLength", "oneOf"]
)
FIELDS = st.dictionaries(KEYS, JSON | st.sampled_from(["string", "array", "object"])) | JSON


@given(st.dictionaries(st.text(), FIELDS), st.sampled_from(["2025-06-18", *NEWER]))
def test_any_form_is_judged_in_words_that_are_safe(fields: Any, version: str) -> None:
    schema = {"type": "object", "properties": fields}
    words = fault_words(form_faults(Elicitation("?", schema=schema), version))
    assert words == visible(words)
