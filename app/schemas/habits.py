"""Finds constructs of OpenAPI 3.0 or of older drafts of JSON Schema. Pure.

Ajv 8, with which the TypeScript SDK 1.x compiles every output schema while it lists the tools,
refuses most of them: one such schema costs its clients the whole list.

Also walks the subschemas and patterns of a schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.text import shortened

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue, Path

SINGLE: Final = frozenset(
    {"additionalProperties", "additionalItems", "items", "not", "if", "then", "else", "contains"}
    | {"propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
)
"""Keywords whose value is a schema."""
LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)


def patterns_in(schema: JsonValue) -> Iterator[tuple[Path, str]]:
    """Each pattern that a schema is judged by, and its place."""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    for place, node in level:
        if not isinstance(node, dict):
            continue
        if isinstance(pattern := node.get("pattern"), str):
            yield (*place, "pattern"), pattern
        if isinstance(named := node.get("patternProperties"), dict):
            yield from (((*place, "patternProperties", one), one) for one in named)
        level += subschemas(node, place)


def subschemas(schema: dict[str, JsonValue], place: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """The schemas directly in a schema, by their places: never a value, as under `default`."""
    for keyword, value in schema.items():
        if keyword in NAMED and isinstance(value, dict):
            yield from (((*place, keyword, name), one) for name, one in value.items())
        elif keyword in LISTED and isinstance(value, list):
            yield from (((*place, keyword, index), one) for index, one in enumerate(value))
        elif keyword in SINGLE:
            yield (*place, keyword), value


_MAX_LOOKED_AT: Final = 2_000
_SHOWN: Final = 40
_NAMED: Final = 4
_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
_MEANT: Final = {
    "any": "",
    "bool": "boolean",
    "date": "string",
    "datetime": "string",
    "dict": "object",
    "double": "number",
    "file": "string",
    "float": "number",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "list": "array",
    "long": "integer",
    "map": "object",
    "str": "string",
    "text": "string",
    "uuid": "string",
}
_BRANCHING: Final = frozenset(
    {"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef"}
    | {"patternProperties", "dependentSchemas", "dependencies"}
)
_OLD: Final = ("http://json-schema.org/draft-03/schema", "http://json-schema.org/draft-04/schema")
_TUPLES: Final = (
    *_OLD,
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
)
LOST: Final = "lost in TypeScript SDK 1.32.2: all tools"
"""By `clients.toml`, which is read only if there is a defect."""


@frozen
class Habit:
    """One place; `words` explain it, `instead` is the correct form. Both are safe to show.

    `is_invalid`: by the metaschema. `is_refused`: ajv does not compile such a schema.
    """

    path: Path
    words: str
    instead: str
    is_invalid: bool = False
    is_refused: bool = False


def habits(schema: JsonValue) -> Iterator[Habit]:
    """Everything of the kind in a schema, in the order in which it is written."""
    if not isinstance(schema, dict):
        return
    declared = schema.get("$schema")
    dialect = declared.rstrip("#") if isinstance(declared, str) else ""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    for place, node in level:
        if isinstance(node, dict):
            yield from (_at(place, one) for one in _of_node(node, dialect))
            if len(level) < _MAX_LOOKED_AT:
                level += subschemas(node, place)


def _at(place: Path, habit: Habit) -> Habit:
    return Habit(
        (*place, *habit.path), habit.words, habit.instead, habit.is_invalid, habit.is_refused
    )


def _of_node(node: dict[str, JsonValue], dialect: str) -> Iterator[Habit]:
    kinds = node.get("type")
    if node.get("nullable") is True and not (isinstance(kinds, list) and "null" in kinds):
        yield _nullable(kinds)
    if dialect not in _OLD:
        for keyword, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(value := node.get(keyword), bool):
                yield _exclusive(keyword, value, limit, node.get(limit))
        if isinstance(node.get("id"), str) and "$id" not in node:
            words = "`id` is from draft 4 and has no effect"
            yield Habit(("id",), words, "write $id, or leave it out", is_refused=True)
        if isinstance(node.get("divisibleBy"), int | float):
            words = "`divisibleBy` is from draft 3 and has no effect"
            yield Habit(("divisibleBy",), words, "write multipleOf")
    if isinstance(value := node.get("required"), bool) and dialect != _OLD[0]:
        instead = "name the property in the `required` list of its object" if value else "drop it"
        words = f"`required: {json.dumps(value)}` is of draft 3; required is a list of names"
        yield Habit(("required",), words, instead, is_invalid=True, is_refused=True)
    if node.get("enum") == []:
        words = "no value is allowed, since `enum` is empty"
        yield Habit(("enum",), words, "list the values, or leave enum out", is_refused=True)
    if isinstance(node.get("items"), list) and dialect not in _TUPLES:
        words = "`items` as a list is of draft 7; since 2020-12 it is one schema"
        yield Habit(("items",), words, "write prefixItems", is_invalid=True)
    for name in kinds if isinstance(kinds, list) else [kinds]:
        if (
            isinstance(name, str)
            and name not in _TYPES
            and not (name == "any" and dialect == _OLD[0])
        ):
            yield _type(name)


def _nullable(kinds: JsonValue) -> Habit:
    kind = kinds if isinstance(kinds, str) else "string"
    words = "`nullable: true` is from OpenAPI 3.0 and has no effect: null is not allowed"
    instead = f'write "type": [{json.dumps(shortened(kind, _SHOWN))}, "null"]'
    return Habit(("nullable",), words, instead, is_refused=kinds is None)


def _exclusive(keyword: str, value: bool, limit: str, number: JsonValue) -> Habit:
    words = f"`{keyword}: {json.dumps(value)}` is from draft 4 and OpenAPI 3.0; now it is a number"
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    shown = shortened(json.dumps(number), _SHOWN) if is_number else "the limit"
    instead = f'write "{keyword}": {shown} in place of {limit}' if value else "leave it out"
    return Habit((keyword,), words, instead, is_invalid=True, is_refused=True)


def _type(name: str) -> Habit:
    meant = _MEANT.get(name.lower(), name.lower() if name.lower() in _TYPES else None)
    if meant is None:
        instead = f"write one of {', '.join(_TYPES)}"
    else:
        instead = f'write "{meant}"' if meant else "leave type out"
    words = f"“{shortened(name, _SHOWN)}” is not a type of JSON Schema"
    return Habit(("type",), words, instead, is_invalid=True, is_refused=True)


def required_unknown(schema: JsonValue) -> Iterator[tuple[Path, str]]:
    """Yield places where `required` has unknown properties, with their names, safe to show.

    Not if alternatives, patterns or references may define them.
    """
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    for place, node in level:
        if not isinstance(node, dict):
            continue
        named, listed = node.get("properties"), node.get("required")
        if _BRANCHING.isdisjoint(node) and isinstance(named, dict) and isinstance(listed, list):
            missing = [one for one in listed if isinstance(one, str) and one not in named]
            if named and missing:
                names = ", ".join(f"“{shortened(one, _SHOWN)}”" for one in missing[:_NAMED])
                yield (*place, "required"), names
        if len(level) < _MAX_LOOKED_AT:
            # A branch lists the properties that it needs, which are defined around it.
            level += [
                (at, one) for at, one in subschemas(node, place) if at[len(place)] not in _BRANCHING
            ]
