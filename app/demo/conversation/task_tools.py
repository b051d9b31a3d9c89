"""Work that takes its time: one that may run as a task, and three that run as nothing else."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from ..answers import failed, plain
from ..declare import Json, hints, tool
from .asking import Answers, Asked, Outcome, converse
from .forms import form, refusal
from .jobs import current_job

TASK_SUPPORT: Final = {
    "bake_bread": "optional",
    "brew_beer": "required",
    "paint_a_wall": "required",
    "wait_for_ever": "required",
}
_READS: Final = hints(read_only=True, open_world=False)
_BAKING: Final = ("weighing", "kneading", "resting", "shaping", "baking")
_BREWING: Final = ("mashing", "boiling", "cooling")
_COLOUR: Final[Json] = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["white", "ochre", "sage"], "default": "sage"}
    },
    "required": ["colour"],
}
_ONLY_AS_TASK: Final = (
    "This tool runs only as a task of revision 2025-11-25, and this call is none. Nothing was done."
)


class TaskTools:
    """Nothing is baked, brewed or painted."""

    def __init__(self, beat: float) -> None:
        """`beat` is the time of one step."""
        self._beat = beat

    @tool("Bake bread", _READS)
    async def bake_bread(self, ctx: Context) -> CallToolResult:
        """Works for five seconds and says what it is at. It may run as a task, which says so in its
        status, or as a usual call, which says so as progress."""
        await self._work(ctx, _BAKING)
        return plain("The bread is done.")

    @tool("Brew beer", _READS)
    async def brew_beer(
        self,
        spoil: Annotated[bool, Field(description="Let the task fail at its end")] = False,
    ) -> CallToolResult:
        """Runs only as a task: called as usual, it is refused. It works for three seconds and then
        succeeds or fails, as you wish."""
        if current_job.get() is None:
            return failed(_ONLY_AS_TASK)
        await self._work(None, _BREWING)
        return failed("The beer has turned.") if spoil else plain("The beer is brewed.")

    @tool("Paint a wall", _READS)
    async def paint_a_wall(self, ctx: Context) -> Outcome:
        """Runs only as a task, and needs to know the colour after a second: its status becomes
        input_required, and it asks while you wait for the result."""
        if current_job.get() is None:
            return failed(_ONLY_AS_TASK)
        await self._work(None, ("sanding",))

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("colour")) is None:
                return {"colour": form("Which colour shall the wall have?", _COLOUR)}
            colour = (answer.get("content") or {}).get("colour")
            return refusal(answer) or plain(f"The wall is painted: {colour}.")

        return await converse(ctx, step)

    @tool("Wait for ever", _READS)
    async def wait_for_ever(self) -> CallToolResult:
        """Runs only as a task, tells each second that it is still waiting, and never ends. It can
        be cancelled, and its time runs out."""
        if current_job.get() is None:
            return failed(_ONLY_AS_TASK)
        waited = 0
        while True:
            waited += 1
            await self._work(None, (f"waiting, {waited}",))

    async def _work(self, ctx: Context | None, steps: tuple[str, ...]) -> None:
        job = current_job.get()
        for number, step in enumerate(steps, 1):
            if job is not None:
                await job.say(f"{step} ({number} of {len(steps)})" if len(steps) > 1 else step)
            elif ctx is not None:
                await ctx.report_progress(number, len(steps), step)
            await asyncio.sleep(max(self._beat, 0.02))
