"""What a task asks for while it works: put to a person once each, and given to the server.

Extension `io.modelcontextprotocol/tasks` of 2026-07-28, "Task Update Requests": the status has all
that is outstanding in `inputRequests`, each under a key of its own for the life of the task, and
the answers go out by `tasks/update`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeAlias

from ..content.json.jsonio import JsonValue
from ..protocol.answers.task_states import UPDATE_TASK, TaskState, read_round
from ..protocol.rpc import RpcError
from ..protocol.server_requests.capabilities import OF_METHOD
from ..transport import Link
from ..transport.events import Reply
from ..transport.exchange import Gone
from ..transport.greeting import describe

AnswerInput: TypeAlias = Callable[[str, JsonValue], Awaitable["dict[str, JsonValue] | RpcError"]]
REQUESTS_MAX: Final = 50
"""Of one task, altogether."""


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
        """Ask for what is outstanding and was not asked before; what ends the call, if anything."""
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
            words = f"the server asked for input {REQUESTS_MAX} times, and no more is answered"
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
        """Nobody waits for an answer any more."""
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
            words = f"what it needs was not given: {answer.message}"
            self.refused = Reply(result=result, has_result=True, why_unfinished=words)
        else:
            await self._give(task, {key: answer})

    async def _give(self, task: TaskState, answers: dict[str, JsonValue]) -> None:
        params: dict[str, JsonValue] = {"taskId": task.id, "inputResponses": answers}
        told = await self._link().ask(UPDATE_TASK, params)
        if isinstance(told, Gone) or (isinstance(told, RpcError) and told.code is None):
            # It is not known to have arrived: while it is asked for, it goes out again.
            self._given.update(answers)
        elif not isinstance(told, dict):
            words = f"the server did not take what it asked for: {describe(told)}"
            self.refused = Reply(problem=words, ending="server-failed")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._open.add(task)
        task.add_done_callback(self._open.discard)
