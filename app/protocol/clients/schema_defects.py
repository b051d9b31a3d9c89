"""Defects of the schemas of a tool, as client libraries read them; nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from ...schemas.habits import habits, subschemas

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue, Path

Place = tuple[str, "Path"]
"""The code of a rule, and the path in the tool."""

_MAX_LOOKED_AT: Final = 2_000
_DEFINED: Final = ("$defs", "definitions")
_ESCAPE: Final = re.compile(r"\\(.)|\(\?<(?![=!])", re.DOTALL)
_OF_PYTHON: Final = frozenset("AbBdDsSwWZafnrtvxuUN")
"""Letters that may follow a backslash in a regular expression of Python."""
_KNOWN: Final = frozenset(
    [f"http://json-schema.org/draft-0{number}/schema" for number in (6, 7)]
    + [f"https://json-schema.org/draft/{one}/schema" for one in ("2019-09", "2020-12")]
)
_DIALECTS: Final = ("http://json-schema.org/", "https://json-schema.org/")


def input_defects(schema: JsonValue) -> Iterator[Place]:
    """What clients refuse in an input schema."""
    at = "inputSchema"
    if not isinstance(schema, dict):
        yield "malformed-member", (at,)
        return
    if schema.get("type") != "object":
        yield "input-not-object", (at, "type")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if isinstance(properties, dict):
        yield from _booleans(at, properties)
        for name, one in properties.items():
            if one is None or isinstance(one, list):
                rule = "property-null" if one is None else "property-list"
                yield rule, (at, "properties", name)
    else:
        rule = "input-properties" if properties is not None else "null-properties"
        yield rule, (at, "properties")
    if required is None:
        yield "null-required", (at, "required")
    elif not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        yield "input-required", (at, "required")


def _booleans(at: str, properties: dict[str, JsonValue]) -> Iterator[Place]:
    for name, one in properties.items():
        if isinstance(one, bool):
            yield "property-true", (at, "properties", name)
            return


def output_defects(schema: dict[str, JsonValue]) -> Iterator[Place]:
    """What clients refuse in an output schema."""
    at = "outputSchema"
    kind, declared = schema.get("type"), schema.get("$schema")
    if "type" not in schema:
        yield "output-without-type", (at,)
    elif kind != "object":
        yield "output-not-object", (at, "type")
    properties = schema.get("properties", {})
    if isinstance(properties, dict):
        yield from _booleans(at, properties)
    else:
        yield "output-properties", (at, "properties")
    if "required" in schema and schema["required"] is None:
        yield "null-output-required", (at, "required")
    if isinstance(declared, str) and declared.rstrip("#") not in _KNOWN:
        yield "output-dialect", (at, "$schema")
    for habit in habits(schema):
        place = (at, *habit.path)
        if habit.is_refused:
            yield ("output-not-compiled" if habit.is_invalid else "output-refused-by-ajv"), place
        elif habit.is_invalid:
            yield "output-tuple", place
    for rule, place in _of_subschemas(schema):
        yield rule, (at, *place)


def _of_subschemas(schema: dict[str, JsonValue]) -> Iterator[Place]:
    """References without a target, and patterns; definitions count if something refers to them."""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    seen: set[int] = set()
    for place, node in level:
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(ref := node.get("$ref"), str):
            target, is_found = _target(schema, ref)
            if not is_found:
                yield "output-ref", (*place, "$ref")
            elif target is not None:
                level.append((place, target))
        if isinstance(node.get("$dynamicRef"), str):
            yield "output-dynamic-ref", (*place, "$dynamicRef")
        if "prefixItems" in node and node.get("items", True) not in (True, {}):
            yield "output-prefix-items", (*place, "prefixItems")
        if isinstance(pattern := node.get("pattern"), str) and not _is_of_python(pattern):
            yield "output-pattern-not-python", (*place, "pattern")
        if len(level) < _MAX_LOOKED_AT:
            # Clients compile what is referred to.
            level += [
                (at, one) for at, one in subschemas(node, place) if at[len(place)] not in _DEFINED
            ]


def _target(schema: dict[str, JsonValue], ref: str) -> tuple[JsonValue, bool]:
    """The subschema that a reference means, None if it is not known; False if there is none."""
    if ref == "#":
        return None, True
    if not ref.startswith("#/"):
        return None, ref.startswith(_DIALECTS) or _has_names(schema)
    node: JsonValue = schema
    for step in ref[2:].split("/"):
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and name in node:
            node = node[name]
        elif isinstance(node, list) and name.isascii() and name.isdigit() and len(name) < 6:
            if int(name) >= len(node):
                return None, _has_names(schema)
            node = node[int(name)]
        else:
            return None, _has_names(schema)
    return node, True


def _has_names(schema: dict[str, JsonValue]) -> bool:
    """Whether a subschema has a name or a base of its own, or too many to look at."""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    for place, node in level:
        if isinstance(node, dict):
            if not {"$id", "id", "$anchor", "$dynamicAnchor"}.isdisjoint(node):
                return True
            level += subschemas(node, place)
        if len(level) > _MAX_LOOKED_AT:
            return True
    return False


def _is_of_python(pattern: str) -> bool:
    """Whether a pattern has no escape and no group that Python does not know."""
    for found in _ESCAPE.finditer(pattern):
        letter = found[1]
        if letter is None or (letter.isascii() and letter.isalpha() and letter not in _OF_PYTHON):
            return False
    return True
