"""The fields of a tool's arguments, read from its input schema.

The schema is the server's word, so reading never raises: whatever is not understood becomes a field
that takes any JSON, or a form that only the JSON editor can fill. Nothing is fetched: only `$ref`s
into the schema's own `$defs` or `definitions` are followed. All strings are kept as they came; who
draws them has to sanitise them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.core.jsonio import JsonValue
from app.core.subschemas import (
    MISSING,
    UNWRITABLE,
    Missing,
    Schema,
    choices_of,
    exact,
    identical,
    number_of,
    resolve,
    without_null,
)
from app.core.typewords import type_words

MAX_FIELDS: Final = 100
"""More properties than this are edited as JSON."""
MAX_DESCRIPTION: Final = 500
"""Characters of a description that a field keeps; the whole is in the definition."""


class Kind(StrEnum):
    """How a field is filled in."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ENUM = "enum"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Field:
    """One property of the arguments.

    `suggestion` is the server's: a `const`, an enum of one value, or a `default`; `fits` is False
    when it breaks the property's own type, choices or range. `choices` is for `Kind.ENUM` only.
    """

    name: str
    kind: Kind
    title: str = ""
    description: str = ""
    required: bool = False
    nullable: bool = False
    suggestion: JsonValue | Missing = MISSING
    fits: bool = True
    choices: tuple[JsonValue, ...] = ()
    type_words: str = ""
    pattern: str = ""
    subschema: JsonValue = True


@dataclass(frozen=True, slots=True)
class Form:
    """The fields in the order of the schema; `raw_only` says why only JSON will do ("" if not)."""

    fields: tuple[Field, ...] = ()
    raw_only: str = ""

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


def build_form(input_schema: JsonValue) -> Form:
    """The form for an `inputSchema`; never raises, never leaves the machine."""
    if not isinstance(input_schema, dict):
        return Form(raw_only="the input schema is not an object")
    root = input_schema
    schema = resolve(root, root)
    kind = schema.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        return Form(raw_only="the input schema is not of type object")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        return Form(raw_only="the properties of the input schema are not an object")
    required = schema.get("required")
    listed = required if isinstance(required, list) else []
    names = [name for name in listed if isinstance(name, str)]
    undeclared = [name for name in dict.fromkeys(names) if name not in properties]
    count = len(properties) + len(undeclared)
    if count > MAX_FIELDS:
        return Form(raw_only=f"{count:,} properties, more than {MAX_FIELDS}")
    if not count and _takes_unnamed(schema):
        return Form(raw_only="the input schema names no properties but takes some")
    wanted = frozenset(names)
    fields = [_field(name, sub, root, name in wanted) for name, sub in properties.items()]
    fields += [
        Field(name, Kind.JSON, required=True, type_words="any JSON, required but not described")
        for name in undeclared
    ]
    return Form(tuple(fields))


def _takes_unnamed(schema: Schema) -> bool:
    if any(key in schema for key in ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")):
        return True
    extra = schema.get("additionalProperties")
    return extra is True or (isinstance(extra, dict))


def _field(name: str, subschema: JsonValue, root: Schema, required: bool) -> Field:
    if not isinstance(subschema, dict):
        words = {True: "any JSON", False: "never allowed"}.get(subschema is not False, "")
        if not isinstance(subschema, bool):
            words = "any JSON, its schema is not an object"
        return Field(name, Kind.JSON, required=required, type_words=words, subschema=subschema)
    schema, nullable = without_null(resolve(subschema, root), root)
    choices = choices_of(schema)
    if choices is not None and nullable and not any(choice is None for choice in choices):
        choices = (*choices, None)
    kind = _kind(schema, choices)
    words = type_words(schema, root)
    if nullable and kind is not Kind.ENUM:
        words += " or null"
    suggestion = _suggestion(schema, choices)
    fits = suggestion is MISSING or _fits(suggestion, schema, kind, choices, nullable)
    if not fits:
        null = " null" if suggestion is None else ""
        words += f"; the server's default{null} does not fit"
    return Field(
        name=name,
        kind=kind,
        title=_string(schema.get("title")),
        description=_string(schema.get("description")),
        required=required,
        nullable=nullable,
        suggestion=suggestion,
        fits=fits,
        choices=choices or () if kind is Kind.ENUM else (),
        type_words=words,
        pattern=_string(schema.get("pattern")),
        subschema=subschema,
    )


def _string(value: JsonValue) -> str:
    if not isinstance(value, str):
        return ""
    if len(value) <= MAX_DESCRIPTION:
        return value
    return f"{value[:MAX_DESCRIPTION]}… (cut: {MAX_DESCRIPTION} of {len(value):,} characters)"


def _kind(schema: Schema, choices: tuple[JsonValue, ...] | None) -> Kind:
    if choices is not None:
        return Kind.ENUM
    if any(word in schema for word in ("enum", "anyOf", "oneOf", "$ref")):
        return Kind.JSON
    match schema.get("type"):
        case "string":
            return Kind.STRING
        case "integer":
            return Kind.INTEGER
        case "number":
            return Kind.NUMBER
        case "boolean":
            return Kind.BOOLEAN
        case _:
            return Kind.JSON


def _suggestion(schema: Schema, choices: tuple[JsonValue, ...] | None) -> JsonValue | Missing:
    if choices is not None and len(choices) == 1:
        return choices[0]
    if "default" not in schema or exact(schema["default"]) == UNWRITABLE:
        return MISSING
    return schema["default"]


def _fits(
    value: JsonValue | Missing,
    schema: Schema,
    kind: Kind,
    choices: tuple[JsonValue, ...] | None,
    nullable: bool,
) -> bool:
    """Whether a suggestion keeps to the type, the choices and the range next to it.

    Only what can be said without a validator: a form must not need one to be drawn.
    """
    if value is None and nullable:
        return True
    match kind:
        case Kind.ENUM:
            return any(identical(value, choice) for choice in choices or ())
        case Kind.STRING:
            return isinstance(value, str) and _in_range(
                len(value), schema, "minLength", "maxLength"
            )
        case Kind.INTEGER | Kind.NUMBER:
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            if kind is Kind.INTEGER and isinstance(value, float) and not value.is_integer():
                return False
            return _in_range(value, schema, "minimum", "maximum")
        case Kind.BOOLEAN:
            return isinstance(value, bool)
        case Kind.JSON:
            wanted: dict[JsonValue, type] = {"array": list, "object": dict}
            named = schema.get("type")
            expected = wanted.get(named) if isinstance(named, str) else None
            return expected is None or isinstance(value, expected)


def _in_range(value: float, schema: Schema, low: str, high: str) -> bool:
    least, most = number_of(schema.get(low)), number_of(schema.get(high))
    return (least is None or value >= least) and (most is None or value <= most)
