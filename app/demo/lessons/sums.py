"""Pure tools: nothing is read, nothing is written, the same question has the same answer."""

from __future__ import annotations

from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from ..declare import hints, plain, tool

_EXACT_BELOW = 2.0**53
"""Limit of numbers written as whole ones: a JSON number does not need `.0`."""


class SumTools:
    """Two computations: one omits the irrelevant hints, one declares them all."""

    @tool("Calculate Sum", hints(read_only=True, open_world=False))
    async def calculate_sum(
        self,
        a: Annotated[float, Field(description="First number")],
        b: Annotated[float, Field(description="Second number")],
    ) -> CallToolResult:
        """Add two numbers. Read-only in a closed world: it only computes, so the destructive and
        idempotent hints would have no effect and are not set."""
        total = a + b
        whole = total.is_integer() and abs(total) < _EXACT_BELOW
        return plain(str(int(total)) if whole else repr(total))

    @tool(
        "Calculate Fibonacci",
        hints(read_only=True, destructive=False, idempotent=True, open_world=False),
    )
    async def calculate_fibonacci(
        self,
        n: Annotated[int, Field(ge=0, le=90, description="Which number, counted from 0")],
    ) -> CallToolResult:
        """Calculate the nth Fibonacci number. The same n always gives the same number, and a call
        changes nothing."""
        before, number = 1, 0
        for _ in range(n):
            before, number = number, before + number
        return plain(str(number))
