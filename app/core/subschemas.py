"""Reading one JSON Schema of a server's: references, nullable types, choices, and exact equality.

Everything here is total: a schema may be any JSON value, and no `$ref` is followed out of it.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final

from app.core.jsonio import JsonError, JsonValue, canonical

MAX_CHOICES: Final = 1_000
"""A longer enum is typed as JSON instead of chosen from a list."""
MAX_HOPS: Final = 8
"""`$ref` to `$ref` to ...: followed this often."""
UNWRITABLE: Final = ""
"""What `exact` says of a value that JSON has no text for."""

Schema = dict[str, JsonValue]


class Missing(Enum):
    """Nothing there, where `None` would mean the JSON value null."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def is_list(value: JsonValue) -> bool:
    return isinstance(value, list)


def resolve(schema: Schema, root: Schema) -> Schema:
    """The schema with its local `$ref` (or its only `allOf` branch) laid under its own keywords."""
    seen: set[str] = set()
    for _ in range(MAX_HOPS):
        target: JsonValue = None
        ref, every = schema.get("$ref"), schema.get("allOf")
        dropped = "$ref"
        if isinstance(ref, str):
            if ref in seen:
                return schema
            seen.add(ref)
            target = _local(ref, root)
        elif isinstance(every, list) and len(every) == 1:
            dropped, target = "allOf", every[0]
        if not isinstance(target, dict):
            return schema
        own = {key: value for key, value in schema.items() if key != dropped}
        schema = {**target, **own}
    return schema


def _local(ref: str, root: Schema) -> JsonValue:
    for prefix in ("$defs", "definitions"):
        start = f"#/{prefix}/"
        table = root.get(prefix)
        if ref.startswith(start) and isinstance(table, dict):
            name = ref[len(start) :].replace("~1", "/").replace("~0", "~")
            return table.get(name)
    return None


def without_null(schema: Schema, root: Schema) -> tuple[Schema, bool]:
    """A nullable type as the plain one and True; any other schema as it is and False."""
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        rest = [one for one in kind if one != "null"]
        if len(rest) == 1:
            return {**schema, "type": rest[0]}, True
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if not isinstance(branches, list):
            continue
        others = [branch for branch in branches if not _is_null(branch)]
        if len(others) == len(branches) or not others:
            continue
        own = {key: value for key, value in schema.items() if key != word}
        only = others[0]
        if len(others) == 1 and isinstance(only, dict):
            return {**resolve(only, root), **own}, True
        return {**own, word: others}, True
    return schema, False


def _is_null(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") == "null" or ("const" in schema and schema["const"] is None)
    )


def choices_of(schema: Schema) -> tuple[JsonValue, ...] | None:
    """The values to choose from: a `const`, an `enum`, or a union of consts; None without them."""
    if "const" in schema:
        return (schema["const"],)
    values = schema.get("enum")
    if not isinstance(values, list):
        union = next((schema[w] for w in ("oneOf", "anyOf") if is_list(schema.get(w))), None)
        if not isinstance(union, list) or not union:
            return None
        values = []
        for branch in union:
            if not isinstance(branch, dict) or "const" not in branch:
                return None
            values.append(branch["const"])
    return tuple(values) if 0 < len(values) <= MAX_CHOICES else None


def number_of(value: JsonValue) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def identical(left: JsonValue | Missing, right: JsonValue | Missing) -> bool:
    """Equal as JSON texts: `1`, `1.0` and `true` are three values."""
    if left is MISSING or right is MISSING:
        return left is right
    text = exact(left)
    return text == exact(right) and text != UNWRITABLE


def exact(value: JsonValue) -> str:
    """One line of ASCII JSON for exactly this value, keys sorted; `UNWRITABLE` if there is none."""
    try:
        return canonical(value)
    except JsonError:
        return UNWRITABLE
