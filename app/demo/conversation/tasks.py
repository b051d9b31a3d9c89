"""Tasks of both revisions: the tools that begin them, and the methods that serve them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    CancelTaskRequestParams,
    CreateTaskResult,
    GetTaskPayloadRequestParams,
    GetTaskRequestParams,
    PaginatedRequestParams,
    TaskMetadata,
)
from mcp.types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import BaseModel, ConfigDict, Field

from ..constant import SCHEMAS
from ..declare import Json, failed, hints, plain, tool
from .asking import Answers, Asked, Outcome, converse
from .clock import RunningWork
from .forms import form, refusal
from .jobs import Job, current_job
from .prompts import page_of

TASK_SUPPORT: Final = {
    "bake_bread": "optional",
    "brew_beer": "required",
    "paint_a_wall": "required",
    "wait_for_ever": "required",
}
_READS: Final = hints(read_only=True, open_world=False)
_BAKING: Final = ("weighing", "kneading", "resting", "shaping", "baking")
_BREWING: Final = ("mashing", "boiling", "cooling")
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
        """Works for five seconds and reports its steps. It may run as a task, with the steps in its
        status, or as a normal call, with the steps as progress."""
        await self._work(ctx, _BAKING)
        return plain("The bread is done.")

    @tool("Brew beer", _READS)
    async def brew_beer(
        self,
        spoil: Annotated[bool, Field(description="Let the task fail at its end")] = False,
    ) -> CallToolResult:
        """Runs only as a task: a normal call is rejected. It works for three seconds and then
        succeeds or fails, as you choose."""
        if current_job.get() is None:
            return failed(_ONLY_AS_TASK)
        await self._work(None, _BREWING)
        return failed("The beer has turned.") if spoil else plain("The beer is brewed.")

    @tool("Paint a wall", _READS)
    async def paint_a_wall(self, ctx: Context) -> Outcome:
        """Runs only as a task, and needs the colour after a second: its status becomes
        input_required, and it requests the colour while you wait for the result."""
        if current_job.get() is None:
            return failed(_ONLY_AS_TASK)
        await self._work(None, ("sanding",))

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("colour")) is None:
                return {"colour": form("Which colour should the wall have?", SCHEMAS["colour"])}
            colour = (answer.get("content") or {}).get("colour")
            return refusal(answer) or plain(f"The wall is painted: {colour}.")

        return await converse(ctx, step)

    @tool("Wait for ever", _READS)
    async def wait_for_ever(self) -> CallToolResult:
        """Runs only as a task, reports each second that it is still waiting, and never completes.
        It can be cancelled, and it expires."""
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


CAPABILITY: Final[Json] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
_LONGEST_TTL: Final = 600_000
_USUAL_TTL: Final = 300_000
_SHORTEST_TTL: Final = 1_000
_ON_A_PAGE: Final = 10
_IMMEDIATE: Final = "io.modelcontextprotocol/model-immediate-response"

Ctx = ServerRequestContext[Any, Any]


class TaskMethods:
    """All tasks of the process, and the responses about them."""

    def __init__(self, support: dict[str, str], background: RunningWork, beat: float) -> None:
        """`support` holds, for each tool that can run as a task, whether it may or must."""
        self._support = support
        self._background = background
        self._poll_interval = max(10, round(beat * 1_000))
        self._jobs: dict[str, Job] = {}

    async def call(self, ctx: Ctx, call_next: CallNext) -> HandlerResult:
        """A call of a tool, which runs as a task if the request asks for it."""
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
            raise MCPError(INVALID_PARAMS, "No such task, or it has expired.")
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


EXTENSION: Final = "io.modelcontextprotocol/tasks"
EXTENSION_CAPABILITY: Final[Json] = {EXTENSION: {}}
_LACKS_CAPABILITY: Final = -32021
_DECLARED: Final = "io.modelcontextprotocol/clientCapabilities"
_TTL: Final = 300_000


class AboutTask(BaseModel):
    """The params of `tasks/get` and `tasks/cancel`."""

    model_config = ConfigDict(extra="allow")
    task_id: str = Field(alias="taskId")


class TaskUpdate(AboutTask):
    """The params of `tasks/update`."""

    input_responses: dict[str, Json] = Field(alias="inputResponses")


class ModernTasks:
    """All tasks of the process, and the responses about them."""

    def __init__(self, support: dict[str, str], background: RunningWork, beat: float) -> None:
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
        """`tasks/update`: replies to open requests; any other reply is ignored."""
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
            raise MCPError(INVALID_PARAMS, "No such task, or it has expired.")
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
