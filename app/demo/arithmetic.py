"""Pure tools: nothing is read, nothing is written, the same question has the same answer."""

from __future__ import annotations

from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from app.demo.answers import structured
from app.demo.declare import hints, object_schema, tool

_PURE = hints(read_only=True, idempotent=True, open_world=False)


class ArithmeticTools:
    """Two sums with output schemas."""

    @tool(
        "Add numbers",
        _PURE,
        output_schema=object_schema(
            {"sum": {"type": "number"}, "count": {"type": "integer", "minimum": 1}}
        ),
    )
    async def calculate_sum(
        self,
        numbers: Annotated[
            list[float], Field(description="The numbers to add", min_length=1, max_length=100)
        ],
    ) -> CallToolResult:
        """Adds numbers and promises the shape of its answer in an output schema. Read-only and
        closed: it can only compute."""
        return structured({"sum": sum(numbers), "count": len(numbers)})

    @tool(
        "Fibonacci numbers",
        _PURE,
        output_schema=object_schema(
            {
                "numbers": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                "last": {"type": "integer", "minimum": 0},
            }
        ),
    )
    async def calculate_fibonacci(
        self,
        count: Annotated[int, Field(ge=1, le=90, description="How many numbers")] = 10,
    ) -> CallToolResult:
        """Lists the first Fibonacci numbers. It also claims to be idempotent, which says nothing
        more about a tool that is read-only anyway."""
        numbers = [0, 1]
        while len(numbers) < count:
            numbers.append(numbers[-1] + numbers[-2])
        del numbers[count:]
        return structured({"numbers": numbers, "last": numbers[-1]})
