"""The shape of a value, as a JSON Schema that it keeps, and others like it."""

from __future__ import annotations

from typing import Final

from ..content.json.jsonio import JsonValue

_DEEPEST: Final = 3
_MOST_NAMES: Final = 40


def shape_of(value: JsonValue, level: int = 0) -> JsonValue:
    """The types of a value, and the names that stand in it, some levels deep."""
    if not isinstance(value, dict):
        return {"type": type_of(value)}
    names = [name for name in value if "${" not in name][:_MOST_NAMES]
    made: dict[str, JsonValue] = {"type": "object", "required": list(names)}
    if level < _DEEPEST:
        made["properties"] = {name: shape_of(value[name], level + 1) for name in names}
    return made


def type_of(value: JsonValue) -> str:
    """The type as JSON Schema calls it."""
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
    return "null"
