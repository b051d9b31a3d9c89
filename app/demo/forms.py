"""Tools whose arguments are hard to enter: every shape that input schemas take in the field.

Each answers with the arguments as they arrived.
"""

from __future__ import annotations

from typing import Any, Final

from mcp.types import CallToolResult

from .constant import SCHEMAS
from .declare import Json, hints, structured, tool

_READS = hints(read_only=True, open_world=False)
_ABSENT: Final = "\x00"
"""Marks an argument that was not sent, since null would be one that was."""
_ADDRESS: Final[Json] = SCHEMAS["order"]["$defs"]["address"]["properties"]
COUNTRY_CODES: Final[list[str]] = _ADDRESS["country"]["enum"]
"""A choice of hundreds."""


class FormTools:
    """One tool for each way in which a form can be hard."""

    @tool("Order something", _READS, input_schema=SCHEMAS["order"])
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

    @tool("Grow a tree", _READS, input_schema=SCHEMAS["tree"])
    async def grow_tree(self, root: Any = None) -> CallToolResult:
        """Takes a tree: a schema that refers to itself, so a form can only open it step by step. It
        uses draft-07, like a quarter of all published tools."""
        return structured({"root": root})

    @tool("Take anything", _READS, input_schema={"type": "object", "additionalProperties": True})
    async def take_anything(self) -> CallToolResult:
        """Defines no property and accepts any: it can only be filled in as JSON."""
        return structured({"taken": True})
