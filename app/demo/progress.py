"""Tools that take their time: progress with and without a total, and cancellation."""

from __future__ import annotations

import asyncio
from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from .declare import hints, object_schema, plain, structured, tool
from .lessons.database import MIGRATIONS, Migration

_TICK = 0.1


class ProgressTools:
    """How far a migration came, and waiting in two manners."""

    def __init__(self, migration: Migration) -> None:
        self._migration = migration

    @tool(
        "Show the database",
        hints(read_only=True, open_world=False),
        output_schema=object_schema(
            {
                "state": {
                    "type": "string",
                    "enum": ["old schema", "migrating", "half migrated", "new schema"],
                },
                "stepsApplied": {"type": "integer", "minimum": 0, "maximum": len(MIGRATIONS)},
                "stepsTotal": {"type": "integer"},
                "nextStep": {"type": ["string", "null"]},
            }
        ),
    )
    async def show_database(self) -> CallToolResult:
        """Reports which migrations migrate_database completed. Read-only; it shows that cancelling
        a call stops the work but does not undo it."""
        migration = self._migration
        return structured(
            {
                "state": migration.state,
                "stepsApplied": migration.applied,
                "stepsTotal": len(MIGRATIONS),
                "nextStep": migration.following,
            }
        )

    @tool("Wait without a total", hints(read_only=True, open_world=False))
    async def wait_without_total(
        self,
        ctx: Context,
        seconds: Annotated[float, Field(ge=0, le=600, description="How long to wait")] = 3,
    ) -> CallToolResult:
        """Waits and reports progress without a total, like a tool that cannot know how much work is
        left. A client should show it as a moving bar only."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        ticks = 0
        while (waited := loop.time() - start) < seconds:
            ticks += 1
            await ctx.report_progress(ticks, None, f"{waited:.1f} s so far")
            await asyncio.sleep(min(_TICK, seconds - waited))
        return plain(f"Waited {seconds:g} s in {ticks} ticks.")

    @tool("Progress backwards", hints(read_only=True, open_world=False))
    async def progress_backwards(
        self,
        ctx: Context,
        stepSeconds: Annotated[float, Field(ge=0, le=2, description="Time for each step")] = 0.3,
    ) -> CallToolResult:
        """Reports 1, 2, 3, 2, 5 of 5. The protocol requires progress to increase with each message;
        this tool shows how a client handles a decrease."""
        for value in (1, 2, 3, 2, 5):
            await ctx.report_progress(value, 5, f"claims {value} of 5")
            await asyncio.sleep(stepSeconds)
        return plain("Done, after one step back.")
