"""The methods of tasks as 2025-11-25 has them: begin, look, wait for the result, list, cancel."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CancelTaskRequestParams,
    CreateTaskResult,
    GetTaskPayloadRequestParams,
    GetTaskRequestParams,
    PaginatedRequestParams,
    TaskMetadata,
)
from mcp.types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND

from ..declare import Json
from .background import Background
from .jobs import Job, current_job
from .paging import page_of

CAPABILITY: Final[Json] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
_LONGEST_TTL: Final = 600_000
_USUAL_TTL: Final = 300_000
_SHORTEST_TTL: Final = 1_000
_ON_A_PAGE: Final = 10
_IMMEDIATE: Final = "io.modelcontextprotocol/model-immediate-response"

Ctx = ServerRequestContext[Any, Any]


class TaskMethods:
    """All tasks of the process, and the answers to what is asked about them."""

    def __init__(self, support: dict[str, str], background: Background, beat: float) -> None:
        """`support` says of each tool that can run as a task whether it may or must."""
        self._support = support
        self._background = background
        self._poll_interval = max(10, round(beat * 1_000))
        self._jobs: dict[str, Job] = {}

    async def call(self, ctx: Ctx, call_next: CallNext) -> HandlerResult:
        """A call of a tool, which runs as a task where the request says so."""
        params = dict(ctx.params or {})
        support = self._support.get(str(params.get("name")))
        asked = params.pop("task", None)
        if asked is None:
            if support == "required":
                raise MCPError(METHOD_NOT_FOUND, "This tool runs only as a task.")
            return await call_next(ctx)
        if support is None:
            raise MCPError(METHOD_NOT_FOUND, "This tool cannot run as a task.")
        wanted = TaskMetadata.model_validate(asked, by_name=False).ttl
        ttl = _USUAL_TTL if wanted is None else max(_SHORTEST_TTL, min(wanted, _LONGEST_TTL))
        job = Job(ctx.session, ttl=ttl, poll_interval=self._poll_interval)
        self._jobs[job.task.task_id] = job
        asyncio.get_running_loop().call_later(ttl / 1_000, self._forget, job.task.task_id)
        result = CreateTaskResult(
            task=job.task,
            _meta={_IMMEDIATE: "The work has begun. Its result can be asked for later."},
        )
        job.work = self._background.start(run_job(job, replace(ctx, params=params), call_next))
        return _dumped(result)

    async def get(self, ctx: Ctx, params: GetTaskRequestParams) -> HandlerResult:
        """`tasks/get`."""
        return _dumped(self._job(params.task_id).task)

    async def result(self, ctx: Ctx, params: GetTaskPayloadRequestParams) -> HandlerResult:
        """`tasks/result`: waits, and asks the client for what the work needs."""
        return await self._job(params.task_id).result(ctx.session)

    async def listed(self, ctx: Ctx, params: PaginatedRequestParams) -> HandlerResult:
        """`tasks/list`, newest first."""
        known = [_dumped(job.task) for job in reversed(self._jobs.values())]
        tasks, following = page_of(known, params.cursor, of="tasks", size=_ON_A_PAGE)
        return {"tasks": tasks, **({"nextCursor": following} if following else {})}

    async def cancel(self, ctx: Ctx, params: CancelTaskRequestParams) -> HandlerResult:
        """`tasks/cancel`; a task that has ended cannot be cancelled."""
        job = self._job(params.task_id)
        if job.is_ended:
            raise MCPError(INVALID_PARAMS, f"The task has ended already: {job.task.status}.")
        await job.cancel()
        return _dumped(job.task)

    def _job(self, identity: str) -> Job:
        if (job := self._jobs.get(identity)) is None:
            raise MCPError(INVALID_PARAMS, "There is no such task, or its time is over.")
        return job

    def _forget(self, identity: str) -> None:
        job = self._jobs.pop(identity, None)
        if job is not None and job.work is not None:
            job.work.cancel()


async def run_job(job: Job, ctx: Ctx, call_next: CallNext) -> None:
    """The work behind a task, to its end."""
    current_job.set(job)
    try:
        result = await call_next(ctx)
    except MCPError as error:
        await job.fail(error)
    except Exception:
        await job.fail(MCPError(INTERNAL_ERROR, "The work failed."))
        raise
    else:
        assert isinstance(result, dict)
        await job.finish(result)


def _dumped(model: Any) -> Json:
    dumped: Json = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped
