"""What a value must be, in a few words of our own; no text of the server's gets into them."""

from __future__ import annotations

import math
from typing import Final

from app.core.jsonio import JsonValue
from app.core.subschemas import Schema, choices_of, is_list, number_of, resolve

MAX_BRANCHES: Final = 4
"""Branches of a union that are named in words."""


def type_words(schema: JsonValue, root: Schema, depth: int = 0) -> str:
    """What a value must be, in a few words of our own; no text of the server's is in them."""
    if not isinstance(schema, dict):
        return "never allowed" if schema is False else "any JSON"
    schema = resolve(schema, root)
    if "const" in schema:
        return "always the same value"
    values = schema.get("enum")
    if isinstance(values, list):
        return f"one of {len(values):,}"
    branches = next((schema[w] for w in ("anyOf", "oneOf") if is_list(schema.get(w))), None)
    if isinstance(branches, list) and branches:
        if choices_of(schema) is not None:
            return f"one of {len(branches):,}"
        return _union(
            [type_words(one, root, depth + 1) for one in branches[:MAX_BRANCHES]]
            if depth < 2
            else [],
            len(branches),
        )
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union(
            [_simple({**schema, "type": one}, root, depth) for one in kind[:MAX_BRANCHES]],
            len(kind),
        )
    return _simple(schema, root, depth)


def _union(words: list[str], count: int) -> str:
    distinct = list(dict.fromkeys(words))
    if count > MAX_BRANCHES or not distinct:
        return f"one of {count:,} types"
    return " or ".join(distinct)


_FORMATS: Final = frozenset(
    {"date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "regex", "uri"}
    | {"uri-reference", "uuid"}
)


def _simple(schema: Schema, root: Schema, depth: int) -> str:
    match schema.get("type"):
        case "string":
            return "string" + _string_words(schema)
        case "integer" | "number" as kind:
            return f"{kind}{_range_words(schema)}"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array":
            items = schema.get("items")
            if depth >= 2 or not isinstance(items, dict):
                return "array"
            return f"array of {type_words(items, root, depth + 1)}"
        case "object":
            properties = schema.get("properties")
            count = len(properties) if isinstance(properties, dict) else 0
            return f"object, {count} propert{'y' if count == 1 else 'ies'}" if count else "object"
        case None:
            return "any JSON"
        case _:
            return "any JSON, of a type unknown to JSON Schema"


def _string_words(schema: Schema) -> str:
    words = ""
    known = schema.get("format")
    if isinstance(known, str) and known in _FORMATS:
        words += f", {known}"
    least, most = number_of(schema.get("minLength")), number_of(schema.get("maxLength"))
    if least and most is not None:
        words += f", {_short(least)}..{_short(most)} characters"
    elif least:
        words += f", at least {_short(least)} characters"
    elif most is not None:
        words += f", at most {_short(most)} characters"
    return words + (", with a pattern" if isinstance(schema.get("pattern"), str) else "")


def _range_words(schema: Schema) -> str:
    least, most = number_of(schema.get("minimum")), number_of(schema.get("maximum"))
    above, below = (
        number_of(schema.get("exclusiveMinimum")),
        number_of(schema.get("exclusiveMaximum")),
    )
    if least is not None and most is not None and above is None and below is None:
        return f" {_short(least)}..{_short(most)}"
    bounds = [("≥", least), (">", above), ("≤", most), ("<", below)]
    words = [f"{sign} {_short(bound)}" for sign, bound in bounds if bound is not None]
    return f" {' and '.join(words)}" if words else ""


def _short(number: int | float) -> str:
    """A number in at most about 20 characters; huge ones in powers of ten."""
    if isinstance(number, int) and abs(number) >= 10**18:
        digits = int(number.bit_length() * math.log10(2))
        return f"{'-' if number < 0 else ''}about 10^{digits}"
    return str(number)
