"""Tools whose arguments are hard to enter: every shape that input schemas take in the field.

Each answers with the arguments as they arrived.
"""

from __future__ import annotations

from typing import Any, Final

from mcp.types import CallToolResult

from .declare import Json, hints, object_schema, structured, tool

_READS = hints(read_only=True, open_world=False)
_ABSENT: Final = "\x00"
"""Marks an argument that was not sent, since null would be one that was."""
_CODES: Final = (
    "AD AE AF AG AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF "
    "CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FR GA GB GD "
    "GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KP "
    "KR KW KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MR MT MU MV MW MX MY "
    "MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RU RW SA SB SC SD SE SG "
    "SI SK SL SM SN SO SR SS ST SV SY SZ TD TG TH TJ TL TM TN TO TR TT TV TZ UA UG US UY UZ VC VE "
    "VN VU WS YE ZA ZM ZW"
)
COUNTRY_CODES: Final = _CODES.split()
"""A choice of hundreds."""
_COUNTRIES: Final[Json] = {"enum": COUNTRY_CODES, "default": "DE"}
_ADDRESS: Final[Json] = {
    "type": "object",
    "description": "Delivery address",
    "properties": {
        "street": {"type": "string", "minLength": 1},
        "post-code": {"type": "string", "pattern": "^[0-9]{4,5}$", "examples": ["10115"]},
        "country": _COUNTRIES,
    },
    "required": ["street", "country"],
}
_ITEM: Final[Json] = object_schema(
    {
        "article": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
        "gift": {"type": "boolean"},
    },
    required=["article", "count"],
)
_CARD: Final[Json] = object_schema(
    {
        "by": {"const": "card"},
        "number": {"type": "string", "pattern": "^[0-9]{12,19}$"},
        "until": {"type": "string", "format": "date"},
    }
)
_INVOICE: Final[Json] = object_schema(
    {"by": {"const": "invoice"}, "email": {"type": "string", "format": "email"}}
)
_ORDER: Final[Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "address": {"$ref": "#/$defs/address"},
        "items": {"type": "array", "items": _ITEM, "minItems": 1, "maxItems": 20},
        "payment": {"oneOf": [{"title": "Card", **_CARD}, {"title": "Invoice", **_INVOICE}]},
        "extras": {
            "type": "array",
            "items": {"enum": ["wrapped", "tracked", "insured", "signed for"]},
            "uniqueItems": True,
        },
        "note": {"type": ["string", "null"], "maxLength": 200, "default": None},
        "deliverAt": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "labels": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "propertyNames": {"pattern": "^[a-z-]+$"},
        },
        "place": {
            "type": "array",
            "description": "Latitude and longitude",
            "prefixItems": [
                {"type": "number", "minimum": -90, "maximum": 90},
                {"type": "number", "minimum": -180, "maximum": 180},
            ],
            "items": False,
        },
        "pickUp": {"type": "boolean", "default": False},
        "shop": {"type": "string", "description": "Needed to pick it up"},
        "anything": {"description": "A property without a type"},
    },
    "required": ["address", "items"],
    "if": {"properties": {"pickUp": {"const": True}}, "required": ["pickUp"]},
    "then": {"required": ["shop"]},
    "dependentRequired": {"deliverAt": ["note"]},
    "$defs": {"address": _ADDRESS},
}
_TREE: Final[Json] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"root": {"$ref": "#/definitions/node"}},
    "required": ["root"],
    "definitions": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/definitions/node"}},
            },
            "required": ["name"],
        }
    },
}


class FormTools:
    """One tool for each way in which a form can be hard."""

    @tool("Order something", _READS, input_schema=_ORDER)
    async def order_something(
        self,
        address: Any = _ABSENT,
        items: Any = _ABSENT,
        payment: Any = _ABSENT,
        extras: Any = _ABSENT,
        note: Any = _ABSENT,
        deliverAt: Any = _ABSENT,
        labels: Any = _ABSENT,
        place: Any = _ABSENT,
        pickUp: Any = _ABSENT,
        shop: Any = _ABSENT,
        anything: Any = _ABSENT,
    ) -> CallToolResult:
        """Orders nothing, and shows what a form may need: nested objects, an array of objects, a
        union, a set of choices, a map, a pair, null, and a condition."""
        given = {name: value for name, value in locals().items() if name != "self"}
        return structured({name: value for name, value in given.items() if value != _ABSENT})

    @tool("Grow a tree", _READS, input_schema=_TREE)
    async def grow_tree(self, root: Any = None) -> CallToolResult:
        """Takes a tree: a schema that refers to itself, so a form can only open it step by step. It
        uses draft-07, like a quarter of all published tools."""
        return structured({"root": root})

    @tool("Take anything", _READS, input_schema={"type": "object", "additionalProperties": True})
    async def take_anything(self) -> CallToolResult:
        """Defines no property and accepts any: it can only be filled in as JSON."""
        return structured({"taken": True})
