"""Accepts plain values of plain schemas at once, since that can cost next to nothing.

They are also of their formats, so that no client rejects them.

A schema is plain if it has a few nodes and only keywords of bounded cost: no pattern, no reference,
no combination, nothing that counts unique items. For anything else, and for a value that breaks its
schema, there is no verdict here: `signoff.app.schemas.schema` judges that, in a worker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .formats import format_fault

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

_DIALECTS = frozenset(
    {"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema"}
)
_SCHEMA_NODES, _SCHEMA_DEPTH = 300, 8
_VALUE_NODES, _VALUE_DEPTH, _VALUE_CHARACTERS = 2_000, 20, 100_000
_LISTED = 100
"""Most items of a list in a schema."""


def plainly_valid(schema: JsonValue, value: JsonValue) -> bool:
    """True if the schema is plain, and the value obeys it; False says nothing of either."""
    return (
        isinstance(schema, dict)
        and _has_known_dialect(schema)
        and _is_plain(schema, [_SCHEMA_NODES], 0)
        and _is_small(value)
        and _obeys(schema, value)
    )


def _has_known_dialect(schema: dict[str, JsonValue]) -> bool:
    if "$schema" not in schema:
        return True
    declared = schema["$schema"]
    return isinstance(declared, str) and declared.removesuffix("#") in _DIALECTS


def _is_plain(schema: JsonValue, budget: list[int], depth: int) -> bool:
    """True if every keyword is known here, and as the metaschema wants it."""
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, dict) or depth > _SCHEMA_DEPTH:
        return False
    budget[0] -= 1 + len(schema)
    if budget[0] < 0:
        return False
    for keyword, rule in schema.items():
        if keyword == "properties":
            if not isinstance(rule, dict):
                return False
            budget[0] -= len(rule)
            if not all(_is_plain(one, budget, depth + 1) for one in rule.values()):
                return False
        elif keyword in ("items", "additionalProperties"):
            if not _is_plain(rule, budget, depth + 1):
                return False
        elif keyword == "$schema":
            if depth:
                return False
        else:
            is_right = _SHAPES.get(keyword)
            if is_right is None or not is_right(rule):
                return False
    return True


def _is_small(value: JsonValue) -> bool:
    nodes, characters, level = 0, 0, [value]
    for _ in range(_VALUE_DEPTH):
        below: list[JsonValue] = []
        for node in level:
            if isinstance(node, str):
                characters += len(node)
            elif isinstance(node, dict):
                characters += sum(map(len, node))
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        nodes += len(level)
        if nodes + len(below) > _VALUE_NODES or characters > _VALUE_CHARACTERS:
            return False
        if not below:
            return True
        level = below
    return False


def _obeys(schema: JsonValue, value: JsonValue) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    for keyword, rule in schema.items():
        obeys = _RULES.get(keyword)
        if obeys is not None and not obeys(rule, value):
            return False
    if isinstance(value, dict):
        return _members_obey(schema, value)
    if isinstance(value, list) and "items" in schema:
        return all(_obeys(schema["items"], item) for item in value)
    return True


def _members_obey(schema: dict[str, JsonValue], value: dict[str, JsonValue]) -> bool:
    named = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    assert isinstance(named, dict)
    return all(_obeys(named.get(name, others), item) for name, item in value.items())


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scalar(value: JsonValue) -> bool:
    return value is None or isinstance(value, str | int | float)


def _are_scalars(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) <= _LISTED and all(map(_is_scalar, value))


def _is_flat(value: JsonValue) -> bool:
    return _is_scalar(value) or _are_scalars(value) or value == {}


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str)


def _is_plain_format(value: JsonValue) -> bool:
    """Reading a pattern is left to the worker."""
    return isinstance(value, str) and value != "regex"


def _is_flag(value: JsonValue) -> bool:
    return isinstance(value, bool)


def _are_names(value: JsonValue) -> bool:
    """Names, each once."""
    if not isinstance(value, list) or len(value) > _LISTED:
        return False
    return all(map(_is_text, value)) and len(set(map(str, value))) == len(value)


def _are_texts(value: JsonValue) -> bool:
    """True for strings, at least one: other values equal each other in odd ways."""
    return _are_names(value) and bool(value)


def _is_type(value: JsonValue) -> bool:
    if isinstance(value, list):
        return _are_names(value) and bool(value) and all(str(one) in _TYPES for one in value)
    return isinstance(value, str) and value in _TYPES


_TYPES: dict[str, Callable[[JsonValue], bool]] = {
    "null": lambda value: value is None,
    "boolean": _is_flag,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _is_number,
    "string": _is_text,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
"""An integer that is written as 1.0 is left to the worker."""

_SHAPES: dict[str, Callable[[JsonValue], bool]] = {
    "type": _is_type,
    "enum": _are_texts,
    "const": _is_text,
    "required": _are_names,
    "minimum": _is_number,
    "maximum": _is_number,
    "exclusiveMinimum": _is_number,
    "exclusiveMaximum": _is_number,
    "minLength": _is_count,
    "maxLength": _is_count,
    "minItems": _is_count,
    "maxItems": _is_count,
    "title": _is_text,
    "description": _is_text,
    "$comment": _is_text,
    "format": _is_plain_format,
    "default": _is_flat,
    "examples": _are_scalars,
    "readOnly": _is_flag,
}
"""What each keyword has to be, for the schema to be plain."""


def _has_type(rule: JsonValue, value: JsonValue) -> bool:
    names = rule if isinstance(rule, list) else [rule]
    return any(_TYPES[str(name)](value) for name in names)


def _fits(is_so: Callable[[float, float], bool]) -> Callable[[JsonValue, JsonValue], bool]:
    def fits(rule: JsonValue, value: JsonValue) -> bool:
        assert isinstance(rule, int | float)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return True
        return is_so(value, rule)

    return fits


def _measured(
    kind: type[str] | type[list[JsonValue]], is_so: Callable[[int, int], bool]
) -> Callable[[JsonValue, JsonValue], bool]:
    def fits(rule: JsonValue, value: JsonValue) -> bool:
        assert isinstance(rule, int)
        return not isinstance(value, kind) or is_so(len(value), rule)

    return fits


def _has_all(rule: JsonValue, value: JsonValue) -> bool:
    assert isinstance(rule, list)
    return not isinstance(value, dict) or all(name in value for name in map(str, rule))


def _is_listed(rule: JsonValue, value: JsonValue) -> bool:
    assert isinstance(rule, list)
    return isinstance(value, str) and value in rule


_RULES: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    "type": _has_type,
    "enum": _is_listed,
    "const": lambda rule, value: isinstance(value, str) and value == rule,
    "required": _has_all,
    "minimum": _fits(lambda value, rule: value >= rule),
    "maximum": _fits(lambda value, rule: value <= rule),
    "exclusiveMinimum": _fits(lambda value, rule: value > rule),
    "exclusiveMaximum": _fits(lambda value, rule: value < rule),
    "minLength": _measured(str, lambda size, rule: size >= rule),
    "maxLength": _measured(str, lambda size, rule: size <= rule),
    "minItems": _measured(list, lambda size, rule: size >= rule),
    "maxItems": _measured(list, lambda size, rule: size <= rule),
    "format": lambda rule, value: not format_fault(rule, value),
}
"""The keywords that forbid something by themselves; members and items are seen to apart."""
