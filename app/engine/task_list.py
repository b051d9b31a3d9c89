"""Tasks that a server keeps: those of this session and those that it lists.

Spec 2025-11-25, basic/utilities/tasks, "Listing Tasks". The extension of 2026-07-28 has no list, so
that only tasks of this session are known.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..protocol.answers.task_findings import task_fault, unreadable_task
from ..protocol.answers.task_states import (
    CANCEL_TASK,
    GET_TASK,
    LIST_TASKS,
    TASK_RESULT,
    TaskState,
    read_task,
)
from ..protocol.findings.findings import Finding
from ..transport.events import ConnectionClosed
from ..transport.greeting import describe
from ..transport.listing import list_all
from ..transport.protocol import MODERN

if TYPE_CHECKING:
    from ..calls.call import Call
    from ..content.json.jsonio import JsonValue
    from ..transport.events import Answered
    from .engine import Engine

ASK_SECONDS: Final = 10.0
ASKED_AT_ONCE: Final = 50
"""Tasks of this session that are polled one by one if the server does not list them."""

FINDINGS_MAX: Final = 10


@frozen
class KnownTask:
    """A task, and the call of this session that began it; None: another session, or client."""

    state: TaskState
    call: Call | None = None
    problem: str = ""
    """Why the server reports no state of the task, safe to show."""

    @property
    def about(self) -> str:
        """The tool and the call, safe to show."""
        if self.call is None:
            return "not begun in this session"
        return f"{self.call.request.display_name} · call {self.call.id}"


@frozen
class TaskListing:
    """Known tasks: listed by the server and of this session, newest first; tasks without a time
    come last.
    """

    tasks: tuple[KnownTask, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_lost: bool = False
    """There was no connection to ask over, or not until the end."""


class TaskBook:
    """Requests the tasks of one engine; keeps nothing."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def version(self) -> str:
        """The revision that is spoken."""
        return self._engine.server.version

    @property
    def has_any(self) -> bool:
        """True if the server lists tasks or this session started one."""
        return self._engine.server.lists_tasks or bool(self._own())

    async def list(self) -> TaskListing:
        """All tasks, as they are now."""
        engine, own = self._engine, self._own()
        found: dict[str, KnownTask] = {}
        findings: tuple[Finding, ...] = ()
        is_lost = not engine.server.is_open
        if engine.server.lists_tasks and not is_lost:
            listing = await list_all(engine.link.ask, LIST_TASKS, "tasks", "tasks")
            if listing is None:
                is_lost = True
            else:
                findings = listing.findings
                for number, entry in enumerate(listing.entries):
                    state = read_task(entry)
                    if state is not None:
                        found.setdefault(state.id, KnownTask(state, own.get(state.id)))
                    elif len(findings) < FINDINGS_MAX:
                        one = unreadable_task(task_fault(entry), f"$.tasks[{number}]")
                        findings = (*findings, one)
        rest = [call for identity, call in own.items() if identity not in found]
        known = await asyncio.gather(*(self._look(one) for one in rest[-ASKED_AT_ONCE:]))
        newest_first = sorted(
            (*found.values(), *known), key=lambda one: one.state.created_at or 0.0, reverse=True
        )
        return TaskListing(tuple(newest_first), findings, is_lost)

    async def result(self, task: KnownTask) -> dict[str, JsonValue] | str:
        """Return the raw result of an ended task, or why there is none, in words."""
        call = task.call
        if call is not None and (call.withheld or call.verdict.reviews_result):
            return "its result cannot be viewed before approval"
        params: dict[str, JsonValue] = {"taskId": task.state.id}
        if self._engine.server.version == MODERN:
            answer = await self._ask(GET_TASK, params)
            if isinstance(answer, dict):
                result = answer.get("result", answer.get("error"))
                return result if isinstance(result, dict) else "the server has no result for it"
        else:
            answer = await self._ask(TASK_RESULT, params)
        return answer if isinstance(answer, dict) else _words(answer)

    async def cancel(self, task: KnownTask) -> str:
        """Cancel the task; returns the problem in words, empty if the request was sent."""
        call = task.call
        if call is not None and not call.is_over:
            self._engine.cancel(call.id)
            return ""
        answer = await self._ask(CANCEL_TASK, {"taskId": task.state.id})
        return "" if isinstance(answer, dict) else _words(answer)

    def _own(self) -> dict[str, Call]:
        calls = list(self._engine.calls.values())
        return {call.task.id: call for call in calls if call.task is not None}

    async def _look(self, call: Call) -> KnownTask:
        """Return the current status of a task that the server does not list."""
        state = call.task
        assert state is not None
        if not self._engine.server.is_open:
            return KnownTask(state, call, "not connected")
        answer = await self._ask(GET_TASK, {"taskId": state.id})
        if not isinstance(answer, dict):
            return KnownTask(state, call, _words(answer))
        newer = read_task(answer)
        if newer is None or newer.id != state.id:
            fault = task_fault(answer, state.id)
            words = f"its status from the server cannot be read: {fault}"
            return KnownTask(state, call, words)
        return KnownTask(newer, call)

    async def _ask(self, method: str, params: dict[str, JsonValue]) -> Answered:
        return await self._engine.link.ask(method, params, ASK_SECONDS)


def _words(answer: Answered) -> str:
    if isinstance(answer, ConnectionClosed):
        return "the connection was lost"
    return "" if isinstance(answer, dict) else describe(answer)


CANCEL_SENT: Final = "The server was asked to cancel it."
"""Columns of the labels."""
