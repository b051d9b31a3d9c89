"""Tools that take their time: progress with and without a total, and cancellation."""

from __future__ import annotations

import asyncio
from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from app.demo.answers import plain, structured
from app.demo.declare import hints, object_schema, tool

_STEPS = (
    "lock the tables",
    "copy users",
    "split names into given and family",
    "drop column users.name",
    "copy orders",
    "convert prices to cents",
    "drop column orders.price",
    "rebuild index users_email",
    "rebuild index orders_date",
    "move archived orders",
    "delete expired sessions",
    "renumber invoices",
    "check foreign keys",
    "refresh statistics",
    "unlock the tables",
)
_TICK = 0.1


class ProgressTools:
    """A database that can be left half migrated, and waiting in three manners."""

    def __init__(self) -> None:
        self._applied = 0
        self._state = "old schema"

    @tool("Migrate the database", hints(read_only=False, destructive=True, open_world=False))
    async def migrate_database(
        self,
        ctx: Context,
        dryRun: Annotated[bool, Field(description="Only list the steps, change nothing")] = False,
        stepSeconds: Annotated[float, Field(ge=0, le=5, description="Time for each step")] = 0.4,
    ) -> CallToolResult:
        """Migrates a make-believe database in 15 steps, from the old schema on. Destructive, slow
        and not undone by cancelling: afterwards show_database tells how far it came."""
        if dryRun:
            plan = "\n".join(f"{number:2}. {step}" for number, step in enumerate(_STEPS, 1))
            return plain(f"Dry run, nothing was changed. The steps would be:\n{plan}")
        total = len(_STEPS)
        self._applied, self._state = 0, "migrating"
        try:
            for number, step in enumerate(_STEPS, 1):
                await ctx.report_progress(number - 1, total, step)
                await asyncio.sleep(stepSeconds)
                self._applied = number
            await ctx.report_progress(total, total, "done")
        except asyncio.CancelledError:
            self._state = "half migrated"
            raise
        self._state = "new schema"
        return plain(f"Migrated: {total} of {total} steps.")

    @tool(
        "Show the database",
        hints(read_only=True, open_world=False),
        output_schema=object_schema(
            {
                "state": {
                    "type": "string",
                    "enum": ["old schema", "migrating", "half migrated", "new schema"],
                },
                "stepsApplied": {"type": "integer", "minimum": 0, "maximum": len(_STEPS)},
                "stepsTotal": {"type": "integer"},
                "nextStep": {"type": ["string", "null"]},
            }
        ),
    )
    async def show_database(self) -> CallToolResult:
        """Tells how far migrate_database came. Read-only, and the way to see that cancelling a
        call stops the work but does not take it back."""
        rest = _STEPS[self._applied :]
        return structured(
            {
                "state": self._state,
                "stepsApplied": self._applied,
                "stepsTotal": len(_STEPS),
                "nextStep": rest[0] if rest else None,
            }
        )

    @tool("Wait without a total", hints(read_only=True, open_world=False))
    async def wait_without_total(
        self,
        ctx: Context,
        seconds: Annotated[float, Field(ge=0, le=600, description="How long to wait")] = 3,
    ) -> CallToolResult:
        """Waits and reports progress without a total, as a tool does that cannot know how much is
        left. Only a moving bar is an honest picture of it."""
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
        """Reports 1, 2, 3, 2, 5 of 5. The protocol wants progress to grow with each message; this
        tool shows how a client takes one that does not."""
        for value in (1, 2, 3, 2, 5):
            await ctx.report_progress(value, 5, f"claims {value} of 5")
            await asyncio.sleep(stepSeconds)
        return plain("Done, after one step back.")
