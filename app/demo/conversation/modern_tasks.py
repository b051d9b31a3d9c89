"""The tasks extension of 2026-07-28: the server decides what is a task; look, give, cancel.

Extension `io.modelcontextprotocol/tasks`. There is no list, and no waiting for the result: the
status has it in the end, and before that what the work needs to know.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.jsonrpc import INVALID_PARAMS
from pydantic import BaseModel, ConfigDict, Field

from ..declare import Json
from .background import Background
from .jobs import Job
from .task_methods import run_job

EXTENSION: Final = "io.modelcontextprotocol/tasks"
CAPABILITY: Final[Json] = {EXTENSION: {}}
_LACKS_CAPABILITY: Final = -32021
_DECLARED: Final = "io.modelcontextprotocol/clientCapabilities"
_TTL: Final = 300_000

Ctx = ServerRequestContext[Any, Any]


class AboutTask(BaseModel):
    """The params of `tasks/get` and `tasks/cancel`."""

    model_config = ConfigDict(extra="allow")
    task_id: str = Field(alias="taskId")


class TaskUpdate(AboutTask):
    """The params of `tasks/update`."""

    input_responses: dict[str, Json] = Field(alias="inputResponses")


class ModernTasks:
    """All tasks of the process, and the answers to what is asked about them."""

    def __init__(self, support: dict[str, str], background: Background, beat: float) -> None:
        """Tools whose `support` is `required` run as nothing else."""
        self._tools = {name for name, word in support.items() if word == "required"}
        self._background = background
        self._poll_interval = max(10, round(beat * 1_000))
        self._jobs: dict[str, Job] = {}

    async def call(self, ctx: Ctx, call_next: CallNext) -> HandlerResult:
        """A call of a tool, some of which are answered with a task."""
        if (ctx.params or {}).get("name") not in self._tools:
            return await call_next(ctx)
        _check_declared(ctx)
        job = Job(None, ttl=_TTL, poll_interval=self._poll_interval)
        self._jobs[job.task.task_id] = job
        loop = asyncio.get_running_loop()
        loop.call_later(_TTL / 1_000, self._jobs.pop, job.task.task_id, None)
        job.work = self._background.start(run_job(job, replace(ctx), call_next))
        return {"resultType": "task", **_state(job)}

    async def get(self, ctx: Ctx, params: AboutTask) -> HandlerResult:
        """`tasks/get`: all that is known of it now."""
        job = self._job(ctx, params)
        return {"resultType": "complete", **_state(job), **job.details()}

    async def update(self, ctx: Ctx, params: TaskUpdate) -> HandlerResult:
        """`tasks/update`: what was asked for; what nobody asked for is nothing."""
        job = self._job(ctx, params)
        for key, response in params.input_responses.items():
            job.give(key, response)
        return {"resultType": "complete"}

    async def cancel(self, ctx: Ctx, params: AboutTask) -> HandlerResult:
        """`tasks/cancel`: acknowledged whatever becomes of it."""
        await self._job(ctx, params).cancel()
        return {"resultType": "complete"}

    def _job(self, ctx: Ctx, params: AboutTask) -> Job:
        _check_declared(ctx)
        if (job := self._jobs.get(params.task_id)) is None:
            raise MCPError(INVALID_PARAMS, "There is no such task, or its time is over.")
        return job


def _check_declared(ctx: Ctx) -> None:
    meta = (ctx.params or {}).get("_meta")
    declared = meta.get(_DECLARED) if isinstance(meta, dict) else None
    extensions = declared.get("extensions") if isinstance(declared, dict) else None
    if not isinstance(extensions, dict) or EXTENSION not in extensions:
        raise MCPError(
            _LACKS_CAPABILITY,
            "This runs only as a task, and your client has not declared that it knows tasks.",
            {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )


def _state(job: Job) -> Json:
    said: Json = job.task.model_dump(by_alias=True, mode="json", exclude_none=True)
    ttl, interval = said.pop("ttl"), said.pop("pollInterval")
    return {**said, "ttlMs": ttl, "pollIntervalMs": interval}
