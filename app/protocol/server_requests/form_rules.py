"""The forms that the specification allows: flat objects whose properties are primitive.

Spec 2025-06-18, client/elicitation, "Requested Schema" and schema `PrimitiveSchemaDefinition`: an
object with properties that are strings, numbers, integers or booleans. Since 2025-11-25 a property
may also be an array, for several choices of an enum, and have a default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path, pointer
from ...content.json.quoting import quoted
from ...content.labels import some_listed
from ...content.text import shortened
from ..clients.table import client_words, clients
from ..findings.findings import Finding, error
from .elicitation import FORMATS, Elicitation

CLAUSE: Final = "client/elicitation, “Requested Schema”"
_FIRST, _WITH_CHOICES = "2025-06-18", "2025-11-25"
_REJECTING: Final = ("ts1", "ts2")
"""By the table of client libraries: both answer with an error, -32602 or -32603."""
_NAME_CELLS: Final = 40
_SHOWN: Final = 5
_DEFAULTS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "number": (int, float),
    "integer": (int, float),
    "boolean": bool,
    "array": list,
}

_LIMITS: Final[Mapping[str, tuple[str, ...]]] = {
    "string": ("minLength", "maxLength"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


@frozen
class FormFault:
    """A part of a form that is not allowed; `words` are safe to show."""

    words: str
    path: Path
    is_rejected: bool
    """True if client libraries reject the form for it."""


def form_faults(elicitation: Elicitation, version: str) -> tuple[FormFault, ...]:
    """List the parts of a form that this revision does not allow."""
    schema = elicitation.schema
    if elicitation.mode != "form" or version < _FIRST or not isinstance(schema, dict):
        return ()
    found: list[FormFault] = []
    if schema.get("type") != "object":
        found.append(FormFault("the form's `type` is not “object”", ("type",), is_rejected=True))
    if "required" in schema and not _are_texts(schema["required"]):
        words = "the form's `required` is not an array of strings"
        found.append(FormFault(words, ("required",), is_rejected=True))
    properties = schema.get("properties")
    for name, field in (properties if isinstance(properties, dict) else {}).items():
        fault = _fault(field, has_defaults=version >= _WITH_CHOICES)
        is_early = not fault and version < _WITH_CHOICES and _type(field) == "array"
        if is_early:
            fault = f"is an array, which is allowed since {_WITH_CHOICES}"
        tolerated = "" if fault else _tolerated_fault(field)
        if words := fault or tolerated:
            shown = f"“{shortened(name, _NAME_CELLS)}” {words}"
            is_rejected = not is_early and not tolerated
            found.append(FormFault(shown, ("properties", name), is_rejected=is_rejected))
    return tuple(found)


def fault_words(faults: tuple[FormFault, ...]) -> str:
    """Describe them with the clause and the clients; empty without a fault."""
    if not faults:
        return ""
    said = "; ".join(some_listed(faults, _SHOWN, lambda one: one.words))
    words = f"the form is not allowed ({CLAUSE}): {said}"
    if any(one.is_rejected for one in faults):
        words += f". {client_words(clients()[one] for one in _REJECTING)} reject it"
    return words


def form_findings(faults: tuple[FormFault, ...]) -> Iterator[Finding]:
    """One finding for all of them, at the place of the first."""
    if faults:
        path = pointer(("requestedSchema", *faults[0].path))
        yield error("form-not-allowed", fault_words(faults), path)


def _type(field: JsonValue) -> JsonValue:
    return field.get("type") if isinstance(field, dict) else None


def _fault(field: JsonValue, *, has_defaults: bool) -> str:
    """The reason why a property is not primitive; empty if it is."""
    if not isinstance(field, dict):
        return "is not a schema that is an object"
    kind = field.get("type")
    if "type" not in field:
        instead = next((one for one in ("$ref", "oneOf", "anyOf", "allOf") if one in field), "")
        return f"has `{instead}` without `type`" if instead else "has no `type`"
    if isinstance(kind, list):
        return "has several types"
    if not isinstance(kind, str) or kind not in _DEFAULTS:
        shown = f" “{shortened(kind, _NAME_CELLS)}”" if isinstance(kind, str) else ""
        return "is an object" if kind == "object" else f"has a type{shown} that is not primitive"
    if fault := _about_keywords(field, kind):
        return fault
    if kind == "array" and (fault := _about_items(field.get("items"))):
        return fault
    text_format = field.get("format")
    if kind == "string" and "format" in field and text_format not in FORMATS:
        shown = shortened(text_format, _NAME_CELLS) if isinstance(text_format, str) else "no text"
        return f"has the format “{shown}”; allowed are {', '.join(FORMATS)}"
    if has_defaults and "default" in field and not _is_default(field["default"], kind):
        return f"has a default that is not of the type {kind}"
    return ""


def _about_keywords(field: Mapping[str, JsonValue], kind: str) -> str:
    """The reason why a text or a limit of a field is of another type; empty without one."""
    for key in ("title", "description"):
        if key in field and not isinstance(field[key], str):
            return f"has a `{key}` that is {quoted(field[key])}, not a string"
    return "" if kind == "string" and _is_choice(field) else _about_limits(field, kind)


def _about_limits(field: Mapping[str, JsonValue], kind: str) -> str:
    for key in _LIMITS.get(kind, ()):
        value = field.get(key)
        if key in field and (isinstance(value, bool) or not isinstance(value, int | float)):
            return f"has a `{key}` that is {quoted(value)}, not a number"
    return ""


def _tolerated_fault(field: JsonValue) -> str:
    """The reason why a field is not allowed although client libraries accept it."""
    if not isinstance(field, dict) or field.get("type") != "string":
        return ""
    for key in ("enum", "enumNames"):
        if key in field and not _are_texts(field[key]):
            return f"has an `{key}` that is not an array of strings"
    return _about_limits(field, "string")


def _is_choice(field: Mapping[str, JsonValue]) -> bool:
    """True for one choice: clients do not read the limits of its text."""
    return _are_texts(field.get("enum")) or _are_titled(field.get("oneOf"))


def _are_texts(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_titled(value: JsonValue) -> bool:
    """True for choices with a value and a title each."""
    return isinstance(value, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(key), str) for key in _CHOICE)
        for one in value
    )


def _about_items(items: JsonValue) -> str:
    """The reason why an array is not a choice of several; empty if it is."""
    given = items if isinstance(items, dict) else {}
    if isinstance(titled := given.get("anyOf"), list):
        return (
            "" if _are_titled(titled) else "is an array whose choices lack a `const` or a `title`"
        )
    if not isinstance(given.get("enum"), list):
        return "is an array without choices (`enum` or `anyOf` in `items`)"
    if not _are_texts(given["enum"]):
        return "is an array with choices that are not strings"
    return (
        "" if given.get("type") == "string" else "is an array whose `items` are not of type string"
    )


_CHOICE: Final = ("const", "title")


def _is_default(value: JsonValue, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return _are_texts(value) if kind == "array" else isinstance(value, _DEFAULTS[kind])
