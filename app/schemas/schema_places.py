"""Where in a schema its subschemas are, and its patterns. Pure; nothing is judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

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
