"""A tool whose answer can be lost, and whose key makes it harmless to ask again."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from .answers import structured
from .declare import hints, object_schema, tool


class RecordTools:
    """Orders in memory."""

    def __init__(self) -> None:
        self._orders: dict[str, int] = {}

    @tool(
        "Order a pizza",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
        output_schema=object_schema(
            {
                "order": {"type": "integer"},
                "size": {"type": "string"},
                "alreadyOrdered": {"type": "boolean"},
            }
        ),
    )
    async def order_pizza(
        self,
        idempotencyKey: Annotated[
            str, Field(description="Idempotency key: the same key is never ordered twice")
        ],
        size: Annotated[Literal["small", "large"], Field(description="How hungry")] = "small",
        loseAnswer: Annotated[
            bool, Field(description="Order, then never answer the first time")
        ] = False,
    ) -> CallToolResult:
        """Orders an imaginary pizza. The key makes it safe to repeat: with loseAnswer the order is
        placed and the answer is lost; cancel the call, and retry it with the same key."""
        known = idempotencyKey in self._orders
        number = self._orders.setdefault(idempotencyKey, len(self._orders) + 1)
        if loseAnswer and not known:
            await asyncio.sleep(3_600)
        return structured({"order": number, "size": size, "alreadyOrdered": known})
