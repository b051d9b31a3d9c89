"""The form for a tool's arguments, read from its input schema.

The schema is the server's word, so reading never raises: whatever is not understood becomes a field
that takes any JSON, or a form that only the JSON editor can fill. Nothing is fetched: references
are followed inside the schema only, and only when somebody looks at what is behind them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...content.json.jsonio import JsonValue
from .field_making import FieldMaker
from .fields import MAX_FIELDS, Field, Kind, Place
from .members import object_fields, property_names
from .merging import Node, joined
from .schema_source import Schemas, choices_of
from .subschemas import MISSING, Schema

__all__ = ["MAX_FIELDS", "Field", "Form", "Kind", "Place", "build_form"]

_WHOLE = Field("", Kind.OBJECT, required=True)


@dataclass(frozen=True, slots=True)
class Form:
    """`whole` is all arguments, and `fields` its fields before anything is filled in, in the order
    of the schema; `raw_only` says why only JSON will do ("" if not)."""

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
        Kind.UNION if is_union else Kind.OBJECT,
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
        return "the input schema has too many alternatives, or none that is possible"
    for one in variants:
        properties = one.words.get("properties", {})
        if not isinstance(properties, dict):
            return "the properties of the input schema are not an object"
        count = len(property_names(one))
        if count > MAX_FIELDS:
            return f"{count:,} properties, more than {MAX_FIELDS}"
    if len(variants) == 1 and maker.kind_of(node) is Kind.JSON and _takes_unnamed(schema):
        return "the input schema names no properties but takes some"
    return ""


def _takes_unnamed(schema: Schema) -> bool:
    if any(key in schema for key in ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")):
        return True
    extra = schema.get("additionalProperties")
    return extra is True or (isinstance(extra, dict))
