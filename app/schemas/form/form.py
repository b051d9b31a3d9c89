"""The form for a tool's arguments, read from its input schema.

The schema is the server's word, so reading never raises: an unknown construct becomes a field that
takes any JSON, or a form that only the JSON editor can fill. Nothing is fetched: references are
followed inside the schema only, and only when their target is needed.

Also the fields inside a group - properties and keys of an object, items of an array - and the
alternatives of a union with their labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import field
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ..evaluator import has_type, holds, obeys
from .field_making import FieldMaker, node_words, takes_keys
from .fields import MAX_FIELDS, Field, FieldKind, Place
from .merging import MISSING, Missing, Node, Schema, exact, joined, number_of
from .schema_source import Schemas, choices_of

MAX_NAMES: Final = 30
"""Names for keys up to which all of them are shown at once."""
MAX_KEPT: Final = 200
"""Objects whose fields are kept: a form is read several times for every edit."""
MAX_PRESET: Final = 10
"""Items that an array with `minItems` has before the person adds one, at most."""


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
    """Return the schema for the value of a key that is not among the properties.

    If it is not known whether a pattern matches the key, a single pattern is assumed to match, and
    of several none.
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
    """Return the schema of the item at `index`; False if there must be none."""
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
    """Number of items that an array shows at first."""
    least, listed = number_of(node.words.get("minItems")), node.words.get("prefixItems")
    tuple_length = len(listed) if isinstance(listed, list) else 0
    return min(max(int(least or 0), tuple_length), max(MAX_PRESET, tuple_length))


__all__ = ["MAX_FIELDS", "Field", "FieldKind", "Form", "Place", "build_form"]

_WHOLE = Field("", FieldKind.OBJECT, required=True)


@frozen
class Form:
    """`whole` is all arguments, and `fields` its fields before anything is filled in, in the order
    of the schema; `raw_only` is the reason why only JSON will do ("" if not).
    """

    fields: tuple[Field, ...] = ()
    raw_only: str = ""
    whole: Field = field(default=_WHOLE, compare=False)
    maker: FieldMaker = field(
        default_factory=lambda: FieldMaker(Schemas(True)), compare=False, repr=False
    )

    @property
    def schemas(self) -> Schemas:
        return self.maker.schemas

    def field(self, name: str) -> Field | None:
        return next((one for one in self.fields if one.name == name), None)


def build_form(input_schema: JsonValue) -> Form:
    """The form for an `inputSchema`; never raises, never leaves the machine."""
    if not isinstance(input_schema, dict):
        return Form(raw_only="the input schema is not an object")
    schemas = Schemas(input_schema)
    maker = FieldMaker(schemas)
    own = schemas.node(input_schema)
    node = maker.only(joined(own, [{"type": "object"}], schemas.find))
    reason = _not_a_form(input_schema, own, node, maker)
    if reason:
        return Form(raw_only=reason)
    is_union = len(schemas.variants(node)) > 1
    whole = Field(
        "",
        FieldKind.UNION if is_union else FieldKind.OBJECT,
        required=True,
        subschema=input_schema,
        node=node,
    )
    one = maker.variant(whole, schemas.variants(node)[0], MISSING) if is_union else whole
    return Form(object_fields(maker, one, one.node, (), MISSING), "", whole, maker)


def _not_a_form(schema: Schema, own: Node, node: Node, maker: FieldMaker) -> str:
    kinds = own.words.get("type", "object")
    if own.fault:
        return f"the input schema contradicts itself: {own.fault}"
    if node.fault or (kinds != "object" and not (isinstance(kinds, list) and "object" in kinds)):
        return "the input schema is not of type object"
    if choices_of(node) is not None:
        return "the input schema lists whole values"
    variants = maker.schemas.variants(node)
    if not variants:
        return "the input schema has too many alternatives, or no possible one"
    for one in variants:
        properties = one.words.get("properties", {})
        if not isinstance(properties, dict):
            return "the properties of the input schema are not an object"
        count = len(property_names(one))
        if count > MAX_FIELDS:
            return f"{count:,} properties, more than {MAX_FIELDS}"
    if len(variants) == 1 and maker.kind_of(node) is FieldKind.JSON and _takes_unnamed(schema):
        return "the input schema lists no properties but allows some"
    return ""


def _takes_unnamed(schema: Schema) -> bool:
    if any(key in schema for key in ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")):
        return True
    extra = schema.get("additionalProperties")
    return extra is True or (isinstance(extra, dict))


MAX_LABEL: Final = 60
"""Characters of a label."""


@frozen
class Variant:
    """One alternative. `label` is the server's title, a distinguishing value, or our words for its
    type; it has to be sanitised like any word of the server's.
    """

    label: str
    field: Field


def variants(form: Form, union: Field) -> tuple[Variant, ...]:
    """The alternatives of a field of `FieldKind.UNION`, in the order of the schema."""
    nodes = form.schemas.variants(union.node)
    labels = _labels(form.schemas, nodes)
    return tuple(
        Variant(label, form.maker.variant(union, node, MISSING))
        for label, node in zip(labels, nodes, strict=True)
    )


def _discriminated(schemas: Schemas, nodes: Sequence[Node]) -> list[str]:
    """Return for each alternative the value of the property that has another single value in every
    object; "" without such a property, and for other types.
    """
    tables = [node.words.get("properties") for node in nodes]
    objects = [table for table in tables if isinstance(table, dict)]
    for name in objects[0] if len(objects) > 1 else ():
        values = [_only_value(schemas, table.get(name, True)) for table in objects]
        if "" not in values and len(set(values)) == len(values):
            left = iter(values)
            return [next(left) if isinstance(table, dict) else "" for table in tables]
    return [""] * len(nodes)


def _only_value(schemas: Schemas, schema: JsonValue) -> str:
    choices = choices_of(schemas.node(schema))
    if choices is None or len(choices) != 1:
        return ""
    return choices[0] if isinstance(choices[0], str) else exact(choices[0])


def _labels(schemas: Schemas, nodes: Sequence[Node]) -> list[str]:
    titles = [node.words.get("title") for node in nodes]
    words = [node_words(node, schemas) for node in nodes]
    told_apart = _discriminated(schemas, nodes)
    words = [value or word for value, word in zip(told_apart, words, strict=True)]
    said = [
        title if isinstance(title, str) and title.strip() else word
        for title, word in zip(titles, words, strict=True)
    ]
    twice = {label for label, count in Counter(said).items() if count > 1}
    return [
        f"{label[:MAX_LABEL]} ({at})" if label in twice else label[:MAX_LABEL]
        for at, label in enumerate(said, 1)
    ]


def best_variant(schemas: Schemas, nodes: Sequence[Node], value: JsonValue | Missing) -> int:
    """The alternative that a value fits best; the first one where none does."""
    if value is MISSING:
        return 0
    scores = [_score(schemas, node, value) for node in nodes]
    return max(range(len(scores)), key=lambda at: (scores[at], -at), default=0)


def _score(schemas: Schemas, node: Node, value: JsonValue) -> tuple[int, int, int]:
    words = node.words
    if value is None and node.nullable:
        return 3, 0, 0
    answer = holds(words, value, schemas.root)
    if answer is not False:
        certainty = 3 if answer else 2
    else:
        certainty = 1 if has_type(value, words.get("type", "object")) else 0
    if not isinstance(value, dict):
        return certainty, 0, 0
    listed = words.get("properties")
    properties = listed if isinstance(listed, dict) else {}
    distinct = sum(
        1
        for name, one in properties.items()
        if name in value
        and choices_of(schemas.node(one)) is not None
        and holds(one, value[name], schemas.root)
    )
    return certainty, distinct, sum(name in value for name in properties)
