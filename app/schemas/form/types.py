"""Describes the type of a value in a few words of our own; no text of the server's gets into
them.
"""

from __future__ import annotations

import math
import re
from typing import Final

from ...content.json.jsonio import JsonValue
from ..formats import shape_of
from .merging import Node
from .schema_source import Schemas
from .subschemas import Schema, number_of

MAX_BRANCHES: Final = 4
"""Branches of a union that are named in words."""
MAX_NESTED: Final = 2
"""Arrays of unions of arrays ... that are described."""
_PLURALS: Final = ("string", "integer", "number", "boolean", "object", "array", "map")


def type_words(schema: JsonValue, schemas: Schemas) -> str:
    """Describe the type of a value in a few words of our own, without text of the server's."""
    if not isinstance(schema, dict | bool):
        return "any JSON, its schema is not an object"
    node = schemas.node(schema)
    words = node_words(node, schemas)
    if not node.nullable or _listed(node):
        return words
    return f"{words}, or null" if "," in words else f"{words} or null"


def node_words(node: Node, schemas: Schemas, depth: int = 0) -> str:
    """The same for a schema that has been read; without a word about null beside the rest."""
    words = node.words
    if node.fault:
        return node.fault if node.fault == "never allowed" else f"contradictory: {node.fault}"
    if "const" in words:
        return "always the same value"
    values = words.get("enum")
    if isinstance(values, list):
        return f"one of {counted(len(values), 'value')}"
    if node.unions or isinstance(words.get("type"), list):
        if depth >= MAX_NESTED:
            return "one of several types"
        variants = schemas.variants(node)
        if not variants:
            return "any JSON, of too many types" if node.unions else "any JSON"
        return _union(
            [node_words(one, schemas, depth + 1) for one in variants[:MAX_BRANCHES]], len(variants)
        )
    return _simple(words, schemas, depth)


def _listed(node: Node) -> bool:
    return "const" in node.words or "enum" in node.words


def _union(words: list[str], count: int) -> str:
    distinct = list(dict.fromkeys(words))
    return f"one of {count:,} types" if count > MAX_BRANCHES else " or ".join(distinct)


def _simple(words: Schema, schemas: Schemas, depth: int) -> str:
    match words.get("type"):
        case "string":
            return "string" + _string_words(words)
        case "integer" | "number" as kind:
            return f"{kind}{_range_words(words)}"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case "array":
            return "array" + _array_words(words, schemas, depth)
        case "object":
            return _object_words(words, schemas, depth)
        case None if isinstance(words.get("properties"), dict):
            return _object_words(words, schemas, depth)
        case None:
            return "any JSON"
        case _:
            return "any JSON, of a type unknown to JSON Schema"


def _array_words(words: Schema, schemas: Schemas, depth: int) -> str:
    items, first = words.get("items"), words.get("prefixItems")
    if isinstance(first, list) and first:
        more = "" if items is False else " or more"
        said = f" of {counted(len(first), 'item')}{more}"
    elif depth >= MAX_NESTED or not isinstance(items, dict) or not items:
        said = ""
    else:
        said = f" of {_several(node_words(schemas.node(items), schemas, depth + 1))}"
    return said + _count_words(words, "minItems", "maxItems", "item")


def _object_words(words: Schema, schemas: Schemas, depth: int) -> str:
    properties, extra = words.get("properties"), words.get("additionalProperties")
    if isinstance(properties, dict) and properties:
        return f"object with {counted(len(properties), 'property', 'properties')}"
    if depth < MAX_NESTED and isinstance(extra, dict) and extra:
        return f"map of keys to {_several(node_words(schemas.node(extra), schemas, depth + 1))}"
    return "object"


def _several(words: str) -> str:
    """The words for one value as the words for many; limits of the one go into brackets."""
    kind = next((one for one in _PLURALS if re.match(rf"{one}\b", words)), "")
    if " or " in words or not kind:
        return words.replace("one of ", "any of ", 1)
    rest = words[len(kind) :]
    return f"{kind}s ({rest[2:]})" if rest.startswith(", ") else f"{kind}s{rest}"


def counted(number: int | float, noun: str, plural: str = "") -> str:
    """A number of things: `1 item`, `2 items`."""
    shown = f"{number:,}" if isinstance(number, int) and number < 10**15 else _short(number)
    return f"{shown} {noun if number == 1 else plural or noun + 's'}"


def _string_words(words: Schema) -> str:
    known = words.get("format")
    said = f", {known}" if shape_of(known) else ""
    said += _count_words(words, "minLength", "maxLength", "character")
    return said + (", with a pattern" if isinstance(words.get("pattern"), str) else "")


def _count_words(words: Schema, low: str, high: str, noun: str) -> str:
    least, most = number_of(words.get(low)), number_of(words.get(high))
    if least and least == most:
        return f", exactly {counted(least, noun)}"
    if least and most is not None:
        return f", {_short(least)}..{counted(most, noun)}"
    if least:
        return f", at least {counted(least, noun)}"
    return f", at most {counted(most, noun)}" if most is not None else ""


def _range_words(words: Schema) -> str:
    least, most = number_of(words.get("minimum")), number_of(words.get("maximum"))
    above, below = (
        number_of(words.get("exclusiveMinimum")),
        number_of(words.get("exclusiveMaximum")),
    )
    if least is not None and most is not None and above is None and below is None:
        return f" {_short(least)}..{_short(most)}"
    bounds = [("≥", least), (">", above), ("≤", most), ("<", below)]
    said = [f"{sign} {_short(bound)}" for sign, bound in bounds if bound is not None]
    return f" {' and '.join(said)}" if said else ""


def _short(number: int | float) -> str:
    """A number in at most about 20 characters; huge ones in powers of ten."""
    if isinstance(number, int) and abs(number) >= 10**18:
        digits = int(number.bit_length() * math.log10(2))
        return f"{'-' if number < 0 else ''}about 10^{digits}"
    return str(number)
