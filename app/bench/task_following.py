"""A call that runs as a task: its status is asked for until there is a result, or it is cancelled.

Spec 2025-11-25, basic/utilities/tasks: the status is polled as often as the server says; where it
needs input, and at the end, `tasks/result` is asked, which is answered when the work is done. What
the server asks for meanwhile comes as a request of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from signoff.app.core.answers.task_states import (
    CANCEL_TASK,
    GET_TASK,
    TASK_RESULT,
    TaskState,
    read_task,
)
from signoff.app.core.rpc import RpcError
from signoff.app.link import Link
from signoff.app.link.events import Reply
from signoff.app.link.exchange import Answered, Gone, Silent
from signoff.app.link.greeting import describe

RESULT_SECONDS: Final = 24 * 3_600.0
"""The limits of the call end the wait for its result."""
CANCEL_SECONDS: Final = 3.0
LAST_SECONDS: Final = 1.0


class TaskFollowing:
    """Follows one task to its result."""

    def __init__(
        self, link: Link, heard: Callable[[], None], moved: Callable[[TaskState], None]
    ) -> None:
        """`heard` is told that the server said something of it, `moved` what."""
        self._link = link
        self._heard = heard
        self._moved = moved
        self.was_cancelled = False
        """The server says that it is cancelled, because it was asked to."""

    async def follow(self, task: TaskState) -> Reply:
        """What the call is answered with at last. Cancelling this cancels the task."""
        try:
            return await self._follow(task)
        except asyncio.CancelledError:
            await self._cancel(task)
            raise

    async def _follow(self, task: TaskState) -> Reply:
        result: asyncio.Task[Answered] | None = None
        try:
            while True:
                self._heard()
                self._moved(task)
                if task.status == "cancelled":
                    return _failed(f"the server cancelled the task{_said(task)}")
                if result is None and task.status != "working":
                    asking = self._link.ask(TASK_RESULT, {"taskId": task.id}, RESULT_SECONDS)
                    result = asyncio.create_task(asking)
                if result is None:
                    await asyncio.sleep(task.poll_seconds)
                else:
                    limit = None if task.is_ended else task.poll_seconds
                    await asyncio.wait({result}, timeout=limit)
                    if result.done():
                        await self._look_last(task)
                        return _reply(result.result())
                answer = await self._link.ask(GET_TASK, {"taskId": task.id})
                if isinstance(answer, Gone):
                    return Reply(lost=True)
                if isinstance(answer, Silent):
                    continue
                if isinstance(answer, RpcError):
                    return _failed(f"the task cannot be followed: {describe(answer)}")
                newer = read_task(answer)
                if newer is None or newer.id != task.id:
                    return _failed("the task cannot be followed: its status cannot be read")
                task = newer
        finally:
            if result is not None:
                result.cancel()

    async def _look_last(self, task: TaskState) -> None:
        """The result is there; what is shown of the task is to say so, too."""
        if task.is_ended:
            return
        answer = await self._link.ask(GET_TASK, {"taskId": task.id}, LAST_SECONDS)
        if isinstance(answer, dict) and (ended := read_task(answer)) is not None:
            self._moved(ended)

    async def _cancel(self, task: TaskState) -> None:
        answer = await self._link.ask(CANCEL_TASK, {"taskId": task.id}, CANCEL_SECONDS)
        ended = read_task(answer) if isinstance(answer, dict) else None
        self.was_cancelled = ended is not None and ended.status == "cancelled"
        if ended is not None:
            self._moved(ended)


def _reply(answer: Answered) -> Reply:
    """The answer to `tasks/result` is that to the call itself."""
    if isinstance(answer, Gone):
        return Reply(lost=True)
    if isinstance(answer, Silent):
        return _failed("the result of the task did not come")
    if isinstance(answer, RpcError):
        return Reply(problem=answer.message) if answer.code is None else Reply(error=answer)
    return Reply(result=answer, has_result=True)


def _failed(words: str) -> Reply:
    return Reply(problem=words, ending="server-failed")


def _said(task: TaskState) -> str:
    return f": {task.message}" if task.message else ""
