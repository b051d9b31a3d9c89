"""The value of one JSON Schema keyword that has to do for two schemas."""

from __future__ import annotations

from typing import Final

from ...content.json.jsonio import JsonValue
from .subschemas import MISSING, Missing, Schema, exact, number_of

MAX_MERGED: Final = 10_000
"""Names or values of one keyword that are put together; the rest is left to the validator."""
MAX_TYPES: Final = 50
"""Entries of a list of types that are looked at; JSON Schema knows seven."""


def both_words(key: str, left: JsonValue, right: JsonValue) -> JsonValue | Missing:
    """The value of a keyword that has to do for two schemas; MISSING if there is none."""
    if left is right:
        return left
    match key:
        case "type":
            return _types(left, right)
        case "required" if isinstance(left, list) and isinstance(right, list):
            if len(left) > MAX_MERGED:
                return left
            names = (name for name in (*left, *right[:MAX_MERGED]) if isinstance(name, str))
            return list(dict.fromkeys(names))
        case "properties" | "patternProperties":
            if not isinstance(left, dict) or not isinstance(right, dict):
                return right
            if len(left) > MAX_MERGED:
                return left
            shared = {
                name: every(left[name], one) if name in left else one for name, one in right.items()
            }
            return {**left, **shared}
        case "items" | "additionalProperties" | "propertyNames":
            return every(left, right)
        case "prefixItems" if isinstance(left, list) and isinstance(right, list):
            pairs = zip(left, right, strict=False)
            longer = left if len(left) > len(right) else right
            shorter = min(len(left), len(right))
            return [*(every(*pair) for pair in pairs), *longer[shorter:]]
        case "enum" if isinstance(left, list) and isinstance(right, list):
            if max(len(left), len(right)) > MAX_MERGED:
                return min(left, right, key=len)
            allowed = {exact(value) for value in right}
            return [value for value in left if exact(value) in allowed] or MISSING
        case "const":
            return right if exact(left) == exact(right) else MISSING
        case "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties":
            return _limit(left, right, 1)
        case "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties":
            return _limit(left, right, -1)
        case "uniqueItems":
            return left is True or right is True
        case _:
            return right


def every(left: JsonValue, right: JsonValue) -> JsonValue:
    """A schema for what obeys both."""
    if left is False or right is False:
        return False
    if left is True or left == {}:
        return right
    return left if right is True or right == {} else {"allOf": [left, right]}


def _types(left: JsonValue, right: JsonValue) -> JsonValue | Missing:
    lefts = left if isinstance(left, list) else [left]
    rights = right if isinstance(right, list) else [right]
    shared: list[JsonValue] = [one for one in lefts[:MAX_TYPES] if one in rights[:MAX_TYPES]]
    if "integer" not in shared and (
        ("number" in lefts and "integer" in rights) or ("integer" in lefts and "number" in rights)
    ):
        shared.append("integer")
    if not shared:
        return MISSING
    return shared[0] if len(shared) == 1 else shared


def _limit(left: JsonValue, right: JsonValue, sign: int) -> JsonValue:
    one, other = number_of(left), number_of(right)
    if one is None or other is None:
        return right if one is None else left
    return max(one, other) if sign > 0 else min(one, other)


def range_fault(words: Schema) -> str:
    """Why no value can be in the ranges of a schema, "" if one may."""
    for low, high in (
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ):
        least, most = number_of(words.get(low, MISSING)), number_of(words.get(high, MISSING))
        if least is not None and most is not None and least > most:
            return f"no value can obey both {low} and {high}"
    return ""
