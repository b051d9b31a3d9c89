"""Tasks of calls that a host made: the host requests their statuses, and these are read along.

Only a task that waits for an approval on the server's side is followed (SEP-2848): the call has
not ended until that is decided. Nothing is requested here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from ..protocol.answers.task_states import TASK_RESULT, TaskState, read_task
from ..transport.events import Reply
from .task_following import TASK_CANCELLED, failed_task, reply_of_ended

EARLY_MAX: Final = 50
"""Responses that are kept in case that the end of their call is still being taken in."""


class RelayedTask:
    """One task, until a response has its result, or the host is gone."""

    def __init__(self, task: TaskState, created: Reply, moved: Callable[[TaskState], None]) -> None:
        """`created` is the response that began it; `moved` is called with each status."""
        self.id = task.id
        self._created = created
        self._moved = moved
        self._ended: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        moved(task)

    async def wait(self) -> Reply:
        """The final reply of the call; the response that began the task if none came."""
        return await self._ended

    def take(self, method: str, reply: Reply) -> None:
        """Take in the response to a request of the host, or the params of a notification."""
        if self._ended.done():
            return
        if method == TASK_RESULT:
            self._ended.set_result(reply)
            return
        task = read_task(reply.result)
        if task is None or task.id != self.id:
            return
        self._moved(task)
        if task.status == "cancelled":
            self._ended.set_result(failed_task(TASK_CANCELLED, task))
        elif task.is_ended and _has_outcome(task):
            self._ended.set_result(reply_of_ended(task))

    def leave(self) -> None:
        """Nothing more comes: the call ends with its task as it is."""
        if not self._ended.done():
            self._ended.set_result(self._created)


def _has_outcome(task: TaskState) -> bool:
    """True if the status carries the result, as since 2026-07-28; before, `tasks/result` does."""
    return isinstance(task.raw, dict) and not task.raw.keys().isdisjoint(("result", "error"))


class RelayedTasks:
    """The followed tasks of one engine; on the event loop."""

    def __init__(self) -> None:
        self._open: dict[str, RelayedTask] = {}
        self._early: deque[tuple[str, str, Reply]] = deque(maxlen=EARLY_MAX)
        self._is_over = False

    def follow(
        self, task: TaskState, created: Reply, moved: Callable[[TaskState], None]
    ) -> RelayedTask:
        """Follow a task, also through the responses that came in the last moment."""
        found = self._open[task.id] = RelayedTask(task, created, moved)
        for method, identity, reply in self._early:
            if identity == task.id:
                found.take(method, reply)
        if self._is_over:
            found.leave()
        return found

    def take(self, method: str, identity: str, reply: Reply) -> None:
        """Take in what the server sent about a task; `method` is that of the request."""
        found = self._open.get(identity)
        if found is None:
            self._early.append((method, identity, reply))
        else:
            found.take(method, reply)

    def forget(self, task: RelayedTask) -> None:
        """Its call has ended."""
        self._open.pop(task.id, None)

    def leave(self) -> None:
        """The host is gone: no call waits for its task any more."""
        self._is_over = True
        for one in self._open.values():
            one.leave()
