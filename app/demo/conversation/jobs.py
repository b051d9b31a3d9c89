"""Calls that run as tasks: their state, what they ask for, and how they end.

On the wire they are called tasks; a job here is one with the work behind it.
"""

from __future__ import annotations

import asyncio
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, cast

from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.types import Task, TaskStatusNotification, TaskStatusNotificationParams
from mcp.types.jsonrpc import INVALID_PARAMS
from pydantic import BaseModel, ValidationError

from ..declare import Json

RELATED_TASK: Final = "io.modelcontextprotocol/related-task"
_ENDED: Final = ("completed", "failed", "cancelled")


class Job:
    """One call that was answered with a task. It ends once, whatever ends it."""

    def __init__(self, session: ServerSession | None, *, ttl: int, poll_interval: int) -> None:
        """`ttl` and `poll_interval` are milliseconds. `session` receives each state; None in the
        extension of 2026-07-28, in which a state is complete by itself."""
        now = _now()
        self.task = Task(
            task_id=str(uuid.uuid4()),
            status="working",
            status_message="The work has begun.",
            created_at=now,
            last_updated_at=now,
            ttl=ttl,
            poll_interval=poll_interval,
        )
        self.work: asyncio.Task[None] | None = None
        self._session = session
        self._result: Json | MCPError | None = None
        self._wanted: tuple[Any, type[BaseModel], asyncio.Future[Json]] | None = None
        self._asked = 0
        """Number of requests: each has another key."""
        self._stirred = asyncio.Event()

    @property
    def is_ended(self) -> bool:
        return self.task.status in _ENDED

    async def say(self, message: str) -> None:
        """Report how far the work is."""
        await self._move("working", message)

    async def ask(self, request: Any, answer_type: type[BaseModel]) -> Json:
        """Wait for an answer; the request goes out while the client waits for the result."""
        if self._wanted is not None:
            raise RuntimeError("a job asks one thing at a time")
        answered: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._wanted = request, answer_type, answered
        self._asked += 1
        try:
            await self._move("input_required", "An answer is needed: ask for the result.")
            answer = await answered
        finally:
            self._wanted = None
        await self._move("working", "The answer has come.")
        return answer

    async def finish(self, result: Json) -> None:
        """The work has a result."""
        # In the extension only an error of the protocol is a failure.
        is_failed = result.get("isError") is True and self._session is not None
        await self._end(
            "failed" if is_failed else "completed",
            "The tool reported an error." if is_failed else "The work is done.",
            result,
        )

    async def fail(self, error: MCPError) -> None:
        """The work ended in an error of the protocol."""
        await self._end("failed", error.message, error)

    async def cancel(self) -> None:
        """Stop the work."""
        await self._end("cancelled", "The work was cancelled.", None)
        if self.work is not None:
            self.work.cancel()

    def details(self) -> Json:
        """The part of a state for the extension: the open requests, or the result."""
        if isinstance(self._result, MCPError):
            said = self._result.error
            return {"error": {"code": said.code, "message": said.message}}
        if self._result is not None:
            return {"result": self._result}
        if self._wanted is None or self._wanted[2].done():
            return {}
        asked = self._wanted[0].model_dump(by_alias=True, mode="json", exclude_none=True)
        return {"inputRequests": {f"question-{self._asked}": asked}}

    def give(self, key: str, response: Json) -> None:
        """Take the reply to the request under this key; ignore any other."""
        if self._wanted is not None and key == f"question-{self._asked}":
            _, answer_type, answered = self._wanted
            if not answered.done():
                answered.set_result(_read(answer_type, response))

    async def result(self, session: ServerSession) -> Json:
        """Wait for the end and return the result of the call.

        Requests of the work go over `session`. Raises MCPError.
        """
        while not self.is_ended:
            self._stirred.clear()
            if self._wanted is not None and not self._wanted[2].done():
                await self._ask_over(session, *self._wanted)
            else:
                await self._stirred.wait()
        if isinstance(self._result, MCPError):
            raise self._result
        if self._result is None:
            raise MCPError(INVALID_PARAMS, "The task was cancelled and has no result.")
        meta = {**self._result.get("_meta", {}), RELATED_TASK: {"taskId": self.task.task_id}}
        return {**self._result, "_meta": meta}

    async def _ask_over(
        self,
        session: ServerSession,
        request: Any,
        answer_type: type[BaseModel],
        answered: asyncio.Future[Json],
    ) -> None:
        data = request.model_dump(by_alias=True, mode="json", exclude_none=True)
        meta = {RELATED_TASK: {"taskId": self.task.task_id}}
        related = type(request).model_validate(
            {**data, "params": {**data["params"], "_meta": meta}}
        )
        asking = asyncio.ensure_future(session.send_request(related, answer_type))
        stirred = asyncio.ensure_future(self._stirred.wait())
        try:
            await asyncio.wait({asking, stirred}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done() or answered.done():
                return
            try:
                said = asking.result().model_dump(by_alias=True, mode="json", exclude_none=True)
                answered.set_result(said)
            except Exception as error:
                answered.set_exception(error)
            # The work goes on before anyone looks whether there is something to ask.
            await asyncio.sleep(0)
        finally:
            asking.cancel()
            stirred.cancel()

    async def _end(self, status: str, message: str, result: Json | MCPError | None) -> None:
        if not self.is_ended:
            self._result = result
            await self._move(status, message)

    async def _move(self, status: str, message: str) -> None:
        if self.is_ended:
            return
        self.task = self.task.model_copy(
            update={"status": status, "status_message": message, "last_updated_at": _now()}
        )
        self._stirred.set()
        if self._session is None:
            return
        params = TaskStatusNotificationParams(**self.task.model_dump())
        # The SDK has the type, and no place for it among the notifications that it lists.
        await self._session.send_notification(cast(Any, TaskStatusNotification(params=params)))


current_job: ContextVar[Job | None] = ContextVar("current_job", default=None)
"""The job as which the call at hand runs; None for one that is answered when it is done."""


def _read(answer_type: type[BaseModel], response: Json) -> Json:
    """The reply as it came, if it is valid; else a decline."""
    try:
        read = answer_type.model_validate(response)
    except ValidationError:
        return {"action": "decline"}
    return read.model_dump(by_alias=True, mode="json", exclude_none=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
