"""Follows a call that runs as a task: polls its status, answers its input requests, cancels it.

Spec 2025-11-25, basic/utilities/tasks: the status is polled in the server's interval. If input is
needed, and at the end, `tasks/result` is requested, which is answered when the work is done; input
requests arrive as requests of their own. In the extension of 2026-07-28 the status itself carries
the result in the end, and before that the input requests.

A lost connection does not end the following if it can be restored: the server may have kept the
task.

Extension `io.modelcontextprotocol/tasks` of 2026-07-28, "Task Update Requests": the status has all
that is outstanding in `inputRequests`, each under a key of its own for the life of the task, and
the answers go out by `tasks/update`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias

from ..calls.checks import not_answered, too_many_rounds
from ..content.json.jsonio import JsonValue
from ..protocol.answers.task_findings import task_fault, time_findings, unreadable_task
from ..protocol.answers.task_states import (
    CANCEL_TASK,
    GET_TASK,
    LATEST_MS,
    TASK_RESULT,
    UPDATE_TASK,
    TaskState,
    read_round,
    read_task,
)
from ..protocol.findings.findings import Finding
from ..protocol.rpc import RpcError
from ..protocol.server import Server
from ..protocol.server_requests.capabilities import OF_METHOD
from ..transport import Link
from ..transport.events import Answered, ConnectionClosed, NoResponse, Reply, read_error
from ..transport.greeting import describe
from ..transport.protocol import MODERN

RESULT_SECONDS: Final = 24 * 3_600.0
"""The limits of the call end the wait for its result."""
CANCEL_SECONDS: Final = 3.0
LAST_SECONDS: Final = 1.0
SETTLING_SECONDS: Final = 1.0
FINDINGS_MAX: Final = 10
"""On the status of one task."""
BREAKS_MAX: Final = 3
"""How often in a row a response may be lost while the connection is reported as open."""
OUT_OF_REACH: Final = (
    "the connection was lost; the task may go on, and Signoff follows it again after reconnecting"
)


class CurrentConnection(Protocol):
    """The engine's current connection."""

    @property
    def link(self) -> Link: ...

    @property
    def server(self) -> Server: ...

    async def connected_again(self) -> bool:
        """Wait for a connection if there is none; False if none can come."""


class TaskFollowing:
    """Follows one task to its result."""

    def __init__(
        self,
        reach: CurrentConnection,
        heard: Callable[[], None],
        moved: Callable[[TaskState], None],
        found: Callable[[Finding], None],
        patience: float,
        answer: AnswerInput,
        paused: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`heard` is called on every message about the task, `moved` with a new status, `found`
        with each finding once. `answer` returns the reply to an input request; no time limit runs
        within `paused`. `patience`: seconds of the shortest of those limits.
        """
        self._reach = reach
        self._heard = heard
        self._moved = moved
        self._found = found
        self._patience = patience
        self._told: set[Finding] = set()
        self._paused = paused
        self._input = TaskInput(lambda: reach.link, answer)
        self._was_lost = False
        self._is_out_of_reach = False
        self._breaks = 0
        self.was_told = False
        """The cancellation went out."""
        self.was_cancelled = False
        """True if the server reports the task as cancelled on request."""

    async def follow(self, task: TaskState) -> Reply:
        """Return the final reply of the call. Cancelling this cancels the task."""
        self._heard()
        try:
            while True:
                reply = await (self._follow_modern if self._is_modern else self._follow)(task)
                if not reply.lost:
                    return reply
                if not await self._is_back(task, reply):
                    # What there are words for broke on a connection that is still there.
                    is_lost = not (reply.problem and self._reach.server.is_open)
                    return replace(reply, lost=is_lost)
        except asyncio.CancelledError:
            if not self._is_out_of_reach:
                await self._cancel(task)
            raise
        finally:
            self._input.stop()

    @property
    def _is_modern(self) -> bool:
        return self._reach.server.version == MODERN

    async def _follow(self, task: TaskState) -> Reply:
        """Until there is a result, or the connection is lost."""
        result: asyncio.Task[Answered] | None = None
        link, is_known = self._reach.link, not self._was_lost
        try:
            while True:
                if is_known:
                    self._see(task)
                    if task.status == "cancelled":
                        return failed_task(TASK_CANCELLED, task)
                    if result is None and task.status != "working":
                        asking = link.ask(TASK_RESULT, {"taskId": task.id}, RESULT_SECONDS)
                        result = asyncio.create_task(asking)
                    if result is None:
                        await asyncio.sleep(self._interval(task))
                    else:
                        limit = None if task.is_ended else self._interval(task)
                        await asyncio.wait({result}, timeout=limit)
                        if result.done():
                            reply = _reply(result.result())
                            if not reply.lost:
                                await self._look_last(task)
                            return reply
                found = await self._look(link, task)
                if isinstance(found, Reply):
                    return found
                task, is_known = found, True
        finally:
            if result is not None:
                result.cancel()

    async def _follow_modern(self, task: TaskState) -> Reply:
        """Likewise, where the status has everything in it."""
        link, is_known = self._reach.link, not self._was_lost
        while True:
            if is_known:
                self._see(task)
                if task.status == "cancelled":
                    return failed_task(TASK_CANCELLED, task)
                if task.is_ended:
                    return reply_of_ended(task)
                if (refused := self._input.look(task)) is not None:
                    await self._cancel(task)
                    return refused
                await self._input.wait(self._interval(task))
                if (refused := self._input.refused) is not None:
                    await self._cancel(task)
                    return refused
            found = await self._look(link, task)
            if isinstance(found, Reply):
                return found
            task, is_known = found, True

    async def _look(self, link: Link, task: TaskState) -> TaskState | Reply:
        """Return the current status, or the final reply if none can be had."""
        answer = await link.ask(GET_TASK, {"taskId": task.id})
        if isinstance(answer, ConnectionClosed):
            return Reply(lost=True)
        if isinstance(answer, NoResponse):
            return task
        if isinstance(answer, RpcError) and answer.code is None:
            words = f"the task cannot be followed: {describe(answer)}"
            return Reply(problem=words, ending="server-failed", lost=True)
        self._heard()
        self._breaks = 0
        if isinstance(answer, RpcError):
            what = "no longer has the task" if self._was_lost else "cannot return it"
            before = "connected again, and the server" if self._was_lost else "the server"
            return _failed(f"{before} {what}: {describe(answer)}")
        newer = read_task(answer)
        if newer is None or newer.id != task.id:
            fault = task_fault(answer, task.id)
            self._tell(unreadable_task(fault))
            return _failed(cannot_follow(fault))
        return newer

    def _see(self, task: TaskState) -> None:
        """Take in a status that can be read."""
        self._moved(task)
        for one in time_findings(task, is_modern=self._is_modern):
            self._tell(one)

    def _tell(self, finding: Finding) -> None:
        if finding not in self._told and len(self._told) < FINDINGS_MAX:
            self._told.add(finding)
            self._found(finding)

    def _interval(self, task: TaskState) -> float:
        """Seconds until the next poll: an interval that was cut comes before a limit ends."""
        if task.poll_seconds * 1_000 < LATEST_MS:
            return task.poll_seconds
        return min(task.poll_seconds, self._patience / 2)

    async def _is_back(self, task: TaskState, reply: Reply) -> bool:
        """True if the connection was restored after the loss that `reply` describes."""
        self._breaks += 1
        self._was_lost = True
        # Perhaps only one response was lost, and the link is about to report that.
        await asyncio.sleep(min(task.poll_seconds, SETTLING_SECONDS))
        if self._reach.server.is_open:
            return not reply.problem and self._breaks <= BREAKS_MAX
        self._is_out_of_reach = True
        self._moved(replace(task, message=OUT_OF_REACH, is_out_of_reach=True))
        with self._paused():
            is_back = await self._reach.connected_again()
        self._is_out_of_reach = not is_back
        self._heard()
        return is_back

    async def _look_last(self, task: TaskState) -> None:
        """Fetch the final status, so that the shown task agrees with its result."""
        if task.is_ended:
            return
        answer = await self._reach.link.ask(GET_TASK, {"taskId": task.id}, LAST_SECONDS)
        ended = read_task(answer) if isinstance(answer, dict) else None
        if ended is not None and ended.id == task.id:
            self._moved(ended)

    async def _cancel(self, task: TaskState) -> None:
        link = self._reach.link
        answer = await link.ask(CANCEL_TASK, {"taskId": task.id}, CANCEL_SECONDS)
        self.was_told = not isinstance(answer, ConnectionClosed)
        if isinstance(answer, dict) and self._is_modern:
            # It is acknowledged by nothing but a result, and may be heeded later or never.
            answer = await link.ask(GET_TASK, {"taskId": task.id}, LAST_SECONDS)
        ended = read_task(answer) if isinstance(answer, dict) else None
        if ended is not None and ended.id == task.id:
            self.was_cancelled = ended.status == "cancelled"
            self._moved(ended)


def reply_of_ended(task: TaskState) -> Reply:
    """Return the reply of an ended task of the extension."""
    raw = task.raw if isinstance(task.raw, dict) else {}
    if task.status == "failed":
        problem = raw.get("error")
        if isinstance(problem, dict):
            return Reply(error=read_error(problem))
        return failed_task("the task failed, and the server sent no error", task)
    if "result" not in raw:
        return _failed("the task is completed, but the server sent no result")
    return Reply(result=raw["result"], has_result=True)


def _reply(answer: Answered) -> Reply:
    """The answer to `tasks/result` is that to the call itself."""
    if isinstance(answer, ConnectionClosed):
        return Reply(lost=True)
    if isinstance(answer, NoResponse):
        return _failed("the result of the task did not arrive")
    if isinstance(answer, RpcError):
        if answer.code is None:
            return Reply(problem=answer.message, lost=True)
        return Reply(error=answer)
    return Reply(result=answer, has_result=True)


def cannot_follow(fault: str) -> str:
    """Why a call ends whose task has this fault."""
    return f"the task cannot be followed: its status cannot be read ({fault})"


def _failed(words: str) -> Reply:
    return Reply(problem=words, ending="server-failed")


TASK_CANCELLED: Final = "the server cancelled the task"


def failed_task(words: str, task: TaskState) -> Reply:
    """The reply for a task that came to nothing, with the server's message on it."""
    return _failed(f"{words}: {task.message}" if task.message else words)


AnswerInput: TypeAlias = Callable[[str, JsonValue], Awaitable["dict[str, JsonValue] | RpcError"]]
REQUESTS_MAX: Final = 50
"""Requests for input of one task in total."""


class TaskInput:
    """The requests of one task. `refused` ends its following."""

    def __init__(self, link: Callable[[], Link], answer: AnswerInput) -> None:
        self._link = link
        self._answer = answer
        self._asked: set[str] = set()
        self._given: dict[str, JsonValue] = {}
        """Answers by key, until they are known to have gone out."""
        self._open: set[asyncio.Task[None]] = set()
        self.refused: Reply | None = None
        """Why the call ends, where something could not be given."""

    def look(self, task: TaskState) -> Reply | None:
        """Answer new input requests of a status; returns a reply that ends the call, if any."""
        raw = task.raw if isinstance(task.raw, dict) else {}
        if task.status != "input_required" or not raw.get("inputRequests"):
            return None
        result: dict[str, JsonValue] = {
            "resultType": "input_required",
            "inputRequests": raw["inputRequests"],
        }
        asked, declared = read_round(result), self._link().capabilities
        if asked is None or not all(
            declared.declares(OF_METHOD[method]) for _, method, _ in asked.requests
        ):
            return Reply(result=result, has_result=True)
        fresh = [one for one in asked.requests if one[0] not in self._asked]
        if len(self._asked) + len(fresh) > REQUESTS_MAX:
            words = too_many_rounds(REQUESTS_MAX)
            return Reply(result=result, has_result=True, why_unfinished=words)
        for key, method, params in fresh:
            self._asked.add(key)
            self._begin(self._ask(task, result, key, method, params))
        outstanding = {key for key, _, _ in asked.requests}
        if again := {key: one for key, one in self._given.items() if key in outstanding}:
            self._given.clear()
            self._begin(self._give(task, again))
        return None

    async def wait(self, seconds: float) -> None:
        """Until it is time to look again; sooner where something was given."""
        if self._open:
            await asyncio.wait(self._open, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(seconds)

    def stop(self) -> None:
        """Cancel all pending input requests."""
        for one in self._open:
            one.cancel()

    async def _ask(
        self,
        task: TaskState,
        result: dict[str, JsonValue],
        key: str,
        method: str,
        params: JsonValue,
    ) -> None:
        answer = await self._answer(method, params)
        if isinstance(answer, RpcError):
            words = not_answered(answer)
            self.refused = Reply(result=result, has_result=True, why_unfinished=words)
        else:
            await self._give(task, {key: answer})

    async def _give(self, task: TaskState, answers: dict[str, JsonValue]) -> None:
        params: dict[str, JsonValue] = {"taskId": task.id, "inputResponses": answers}
        told = await self._link().ask(UPDATE_TASK, params)
        if isinstance(told, ConnectionClosed) or (isinstance(told, RpcError) and told.code is None):
            # It is not known to have arrived: while it is asked for, it goes out again.
            self._given.update(answers)
        elif not isinstance(told, dict):
            words = f"the server rejected the requested input: {describe(told)}"
            self.refused = Reply(problem=words, ending="server-failed")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._open.add(task)
        task.add_done_callback(self._open.discard)
