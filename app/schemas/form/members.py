"""The fields inside a group: the properties and keys of an object, the items of an array."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ...content.json.jsonio import JsonValue
from .field_making import FieldMaker, takes_keys
from .fields import Field
from .merging import Node
from .schema_source import Schemas
from .subschemas import MISSING, Missing, Schema, number_of
from .text_rules import obeys

MAX_NAMES: Final = 30
"""Names for keys up to which all of them are shown at once."""
MAX_KEPT: Final = 200
"""Objects whose fields are kept: a form is read several times for every edit."""
MAX_PRESET: Final = 10
"""Items that stand in an array before anyone adds one, because it wants at least so many."""


def property_names(node: Node) -> dict[str, None]:
    """The properties that a schema names, in its order, then those that it only requires, then
    the only names that the keys of a map may have."""
    properties, names = node.words.get("properties"), node.words.get("propertyNames")
    listed = names.get("enum") if isinstance(names, dict) else None
    few = listed if isinstance(listed, list) and len(listed) <= MAX_NAMES else []
    described = properties if isinstance(properties, dict) else {}
    return dict.fromkeys((*described, *_required(node), *_names(few)))


def _required(node: Node) -> list[str]:
    listed = node.words.get("required")
    return _names(listed) if isinstance(listed, list) else []


def _names(values: list[JsonValue]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def object_fields(
    maker: FieldMaker, around: Field, node: Node, keys: Collection[str], given: JsonValue | Missing
) -> tuple[Field, ...]:
    """The fields of an object whose schema is `node` now.

    `keys` are names besides the schema's own; `given` is the server's default for the whole.
    """
    key = (around.place, id(node), id(given), tuple(keys))
    kept = maker.groups.get(key)
    if kept is None:
        if len(maker.groups) >= MAX_KEPT:
            maker.groups.clear()
        fields = _object_fields(maker, around, node, keys, given)
        # Holds on to what it is known by.
        kept = maker.groups[key] = (node, given, fields)
    return kept[2]


def _object_fields(
    maker: FieldMaker, around: Field, node: Node, keys: Collection[str], given: JsonValue | Missing
) -> tuple[Field, ...]:
    required = set(_required(node))
    default = given if isinstance(given, dict) else {}
    listed = node.words.get("properties")
    described = listed if isinstance(listed, dict) else {}
    names = property_names(node)
    fields = []
    for name in (*names, *(key for key in keys if key not in names)):
        is_ours = name not in names
        said, schema = "", described.get(name, MISSING)
        if schema is MISSING and takes_keys(node):
            schema = key_schema(maker.schemas, node, name)
        elif schema is MISSING:
            schema = True
            said = f"any JSON, {'not in the schema' if is_ours else 'required but not described'}"
        fields.append(
            maker.field(
                name,
                schema,
                (*around.place, name),
                required=is_ours or name in required,
                given=default.get(name, MISSING),
                is_within_given=name in default if is_ours else given is not MISSING,
                is_key_free=is_ours,
                tells_apart=name in around.told_by,
                said=said,
            )
        )
    return tuple(fields)


def key_schema(schemas: Schemas, node: Node, key: str) -> JsonValue:
    """What the value of a key must be that is none of the properties.

    Where it is not known whether a pattern speaks of the key, the only pattern is taken at its
    word, and of several none is.
    """
    words = node.words
    listed = words.get("patternProperties")
    patterns = listed if isinstance(listed, dict) else {}
    found = [(one, obeys(pattern, key)) for pattern, one in patterns.items()]
    sure = [one for one, answer in found if answer]
    if sure:
        schema = sure[0]
        for one in sure[1:]:
            schema = schemas.both(schema, one)
        return schema
    perhaps = [one for one, answer in found if answer is None]
    if perhaps:
        return perhaps[0] if len(perhaps) == 1 else True
    return words.get("additionalProperties", True)


def item_schema(words: Schema, index: int) -> JsonValue:
    """What the item at `index` must be; False where there must be none."""
    listed = words.get("prefixItems")
    first = listed if isinstance(listed, list) else []
    return first[index] if index < len(first) else words.get("items", True)


def item_field(maker: FieldMaker, around: Field, index: int, given: JsonValue | Missing) -> Field:
    """The field of one item; `given` is the server's default for the whole."""
    default = given if isinstance(given, list) else []
    inside = index < len(default)
    return maker.field(
        f"[{index}]",
        item_schema(around.node.words, index),
        (*around.place, index),
        required=True,
        given=default[index] if inside else MISSING,
        is_within_given=inside,
    )


def preset_count(node: Node) -> int:
    """How many items an array shows before anyone adds one."""
    least, listed = number_of(node.words.get("minItems")), node.words.get("prefixItems")
    tuple_length = len(listed) if isinstance(listed, list) else 0
    return min(max(int(least or 0), tuple_length), max(MAX_PRESET, tuple_length))
