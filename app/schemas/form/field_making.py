"""Makes fields from schemas: the kind of editor, and the texts beside it.

The type of a value is described in a few words of our own; no text of the server's gets into them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ...content.json.jsonio import JsonValue, room_left
from ..evaluator import holds
from ..formats import shape_of
from .fields import MAX_FIELDS, MAX_LEVELS, Field, FieldKind, Place
from .merging import (
    MISSING,
    OF_THE_WHOLE,
    UNWRITABLE,
    Missing,
    Node,
    Schema,
    exact,
    identical,
    number_of,
)
from .schema_source import Schemas, choices_of

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


MAX_DESCRIPTION: Final = 500
"""Characters of a description that a field keeps; the whole is in the definition."""
MAX_EXAMPLES: Final = 5
MAX_SUGGESTED: Final = 20_000
"""Values, or a hundred characters each, in all the defaults of a form that are filled in."""


class FieldMaker:
    """Makes the fields of one form; each schema is looked at once."""

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas
        # Keyed by identity; each field holds on to its schema or node.
        self._known: dict[int, Field] = {}
        self.groups: dict[
            tuple[Place, int, int, tuple[str, ...]],
            tuple[Node, JsonValue | Missing, tuple[Field, ...]],
        ] = {}
        """The fields of objects, where they were asked for before."""
        self._room = MAX_SUGGESTED

    def field(
        self,
        name: str,
        schema: JsonValue,
        place: Place,
        *,
        required: bool = False,
        given: JsonValue | Missing = MISSING,
        is_within_given: bool = False,
        is_key_free: bool = False,
        tells_apart: bool = False,
        said: str = "",
    ) -> Field:
        """Make the field at one place; `said` replaces the words for its type.

        `tells_apart`: its only value identifies the chosen alternative of a union. `given` is the
        value of this place in the default of the group around it; with `is_within_given` that
        default decides, also if it has nothing for this place.
        """
        pattern = self._known.get(id(schema))
        if pattern is None or pattern.subschema is not schema:
            pattern = self._pattern(schema, self.schemas.node(schema))
            self._known[id(schema)] = pattern
        suggestion = given if is_within_given else pattern.suggestion
        if is_within_given:
            filled = given is not MISSING
        elif pattern.is_only:
            # No other value is allowed, but the field may still be optional.
            filled = required or tells_apart
        else:
            # Servers write `default: null` for "may be left out", often on a type that null breaks.
            must = required and pattern.nullable
            filled = suggestion is not MISSING and (suggestion is not None or must)
        is_deep = len(place) >= MAX_LEVELS and pattern.is_group
        return pattern.placed(
            name,
            place,
            FieldKind.JSON if is_deep else pattern.kind,
            required=required,
            suggestion=suggestion,
            is_filled_in=filled,
            is_key_free=is_key_free,
            is_only=pattern.is_only and not is_within_given,
            said=said,
        )

    def variant(self, union: Field, node: Node, given: JsonValue | Missing) -> Field:
        """The field of one alternative, at the place of its union."""
        pattern = self._known.get(id(node))
        if pattern is None:
            pattern = self._pattern(union.subschema, node)
            nodes = self.schemas.variants(union.node)
            pattern = replace(pattern, told_by=_told_by(self.schemas, nodes, node))
            self._known[id(node)] = pattern
        own = pattern.suggestion if given is MISSING else given
        # A union inside a union that could not be unfolded stays JSON.
        is_odd = pattern.kind is FieldKind.UNION or len(union.place) >= MAX_LEVELS
        one = pattern.placed(
            union.name,
            union.place,
            FieldKind.JSON if is_odd and pattern.is_group else pattern.kind,
            required=union.required,
            suggestion=own,
            is_filled_in=own is not MISSING
            and (own is not None or given is None or pattern.is_only),
            is_key_free=union.is_key_free,
            is_only=pattern.is_only and given is MISSING,
            said="",
        )
        return replace(one, nullable=True) if union.nullable and not one.nullable else one

    def only(self, node: Node) -> Node:
        """The node itself, or the one alternative that is possible."""
        variants = self.schemas.variants(node)
        if len(variants) != 1 or variants[0] is node:
            return node
        whole = {key: node.words[key] for key in OF_THE_WHOLE if key in node.words}
        one = variants[0]
        return replace(one, words={**one.words, **whole}, nullable=one.nullable or node.nullable)

    def _pattern(self, schema: JsonValue, read: Node) -> Field:
        node = self.only(read)
        words = node.words
        choices = choices_of(node)
        kind = self.kind_of(node)
        said = type_words(schema, self.schemas) if read is self.schemas.node(schema) else ""
        said = said or node_words(node, self.schemas)
        labels = node.labels if choices and len(node.labels) == len(choices) else ()
        if kind is FieldKind.ARRAY:
            items = self.schemas.node(words.get("items", True))
            chosen = choices_of(items) if "prefixItems" not in words else None
            if chosen is not None and len(chosen) > 1:
                kind, choices = FieldKind.CHOICES, chosen
                labels = items.labels if len(items.labels) == len(chosen) else ()
        suggestion, is_only = _suggestion(schema, node, choices if kind is FieldKind.ENUM else None)
        fits = True
        if suggestion is not MISSING and not self._has_room_for(suggestion):
            suggestion, is_only = MISSING, False
            said += "; the server's value is too large to be filled in"
        elif suggestion is not MISSING and exact(suggestion) == UNWRITABLE:
            suggestion, is_only = MISSING, False
        if suggestion is not MISSING and not (suggestion is None and node.nullable):
            fits = self._obeys(node, suggestion)
        if not fits:
            null = " null" if suggestion is None else ""
            said += f"; the server's default{null} does not fit"
        examples = words.get("examples")
        return Field(
            name="",
            kind=kind,
            title=_string(words.get("title")),
            description=_string(words.get("description")),
            nullable=node.nullable,
            suggestion=suggestion,
            fits=fits,
            is_only=is_only,
            choices=choices or () if kind in (FieldKind.ENUM, FieldKind.CHOICES) else (),
            type_words=said,
            pattern=_string(words.get("pattern")),
            subschema=schema,
            labels=tuple(_string(label) for label in labels),
            examples=tuple(examples[:MAX_EXAMPLES]) if isinstance(examples, list) else (),
            shape=shape_of(words.get("format")) if kind is FieldKind.STRING else "",
            node=node,
        )

    def _has_room_for(self, suggestion: JsonValue) -> bool:
        """True if a default may still be filled in: each is written out whenever it is shown."""
        room = room_left(suggestion, self._room)
        if room >= 0:
            self._room = room
        return room >= 0

    def kind_of(self, node: Node) -> FieldKind:
        words = node.words
        if node.fault:
            return FieldKind.JSON
        if choices_of(node) is not None:
            return FieldKind.ENUM
        if "enum" in words:
            return FieldKind.JSON
        if node.unions or isinstance(words.get("type"), list):
            return FieldKind.UNION if len(self.schemas.variants(node)) > 1 else FieldKind.JSON
        match words.get("type"):
            case "string" | "integer" | "number" | "boolean" as kind:
                return FieldKind(kind)
            case "array":
                return _array_kind(words)
            case "object":
                return _object_kind(node)
            case None if isinstance(words.get("properties"), dict):
                return _object_kind(node)
            case _:
                return FieldKind.JSON

    def _obeys(self, node: Node, value: JsonValue) -> bool:
        """True if a suggestion obeys the schema, as far as known without the validator."""
        root = self.schemas.root
        if not node.unions:
            return holds(node.words, value, root) is not False
        variants = self.schemas.variants(node)
        return not variants or any(
            holds(one.words, value, root) is not False or (value is None and one.nullable)
            for one in variants
        )


def takes_keys(node: Node) -> bool:
    """True if an object describes its further properties."""
    words = node.words
    return (
        words.get("additionalProperties") is True
        or isinstance(words.get("additionalProperties"), dict)
        or bool(words.get("patternProperties"))
        or ("propertyNames" in words and words.get("additionalProperties") is not False)
    )


def _object_kind(node: Node) -> FieldKind:
    """Return a group if the schema describes its content, else JSON as typed."""
    words = node.words
    properties, extra = words.get("properties"), words.get("additionalProperties")
    if isinstance(properties, dict) and len(properties) > MAX_FIELDS:
        return FieldKind.JSON
    said = bool(properties or words.get("required") or node.conditions)
    typed = bool(words.get("patternProperties") or "propertyNames" in words)
    said = said or typed or extra is False or bool(isinstance(extra, dict) and extra)
    return FieldKind.OBJECT if said and isinstance(properties or {}, dict) else FieldKind.JSON


def _array_kind(words: Schema) -> FieldKind:
    items, first = words.get("items"), words.get("prefixItems")
    if isinstance(first, list) and len(first) > MAX_FIELDS:
        return FieldKind.JSON
    return (
        FieldKind.ARRAY
        if bool(isinstance(items, dict) and items) or bool(first)
        else FieldKind.JSON
    )


def _suggestion(
    schema: JsonValue, node: Node, choices: tuple[JsonValue, ...] | None
) -> tuple[JsonValue | Missing, bool]:
    """Return the server's suggestion, and True if it is the only allowed value."""
    words = node.words
    default = words.get("default", MISSING)
    only = _only_value(schema, node, choices)
    if only is MISSING or (default is not MISSING and identical(only, default)):
        return default, False
    return only, True


def _only_value(
    schema: JsonValue, node: Node, choices: tuple[JsonValue, ...] | None
) -> JsonValue | Missing:
    if choices is None or len(choices) != 1 or not ("const" in node.words or "enum" in node.words):
        return MISSING
    is_or_null = node.nullable and choices[0] is not None and not _says_only(schema)
    return MISSING if is_or_null else choices[0]


def _says_only(schema: JsonValue) -> bool:
    """True if a schema itself leaves one value, null or not."""
    listed = schema.get("enum") if isinstance(schema, dict) else None
    is_one = isinstance(listed, list) and len(listed) == 1
    return is_one or (isinstance(schema, dict) and "const" in schema)


def _told_by(schemas: Schemas, nodes: Sequence[Node], one: Node) -> frozenset[str]:
    """Properties of an alternative whose only value differs from those elsewhere."""

    def only(schema: JsonValue) -> JsonValue | Missing:
        node = schemas.node(schema)
        return _only_value(schema, node, choices_of(node))

    tables = [node.words.get("properties") for node in nodes if node is not one]
    others = [table for table in tables if isinstance(table, dict)]
    own = one.words.get("properties")
    found = []
    for name, schema in own.items() if isinstance(own, dict) and others else ():
        mine = only(schema)
        if mine is MISSING:
            continue
        elsewhere = [only(table[name]) for table in others if name in table]
        if any(each is not MISSING and not identical(each, mine) for each in elsewhere):
            found.append(name)
    return frozenset(found)


def _string(value: JsonValue | Missing) -> str:
    if not isinstance(value, str):
        return ""
    if len(value) <= MAX_DESCRIPTION:
        return value
    return f"{value[:MAX_DESCRIPTION]}… (cut: {MAX_DESCRIPTION} of {len(value):,} characters)"
