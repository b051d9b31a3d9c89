"""Calls of one engine: started, retried, cancelled and forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...approval.snapshot import take_snapshot
from ...calls.call import Call, Page
from ...protocol.findings.findings import Finding
from ...protocol.requests import CallName, Request
from ..timing import Background
from .context import CallContext, task_ttl

if TYPE_CHECKING:
    from ...approval.snapshot import Snapshot
    from ...content.json.jsonio import JsonValue
    from ...schemas.form.entries import Origin
    from .call_task import CallTask
    from .context import EngineContext

CALLS_KEPT = 1_000


class CallManager:
    """Every call by its id, and the `CallTask` that runs each."""

    def __init__(self, engine: EngineContext, notice: Callable[[Finding], None]) -> None:
        self.calls: dict[int, Call] = {}
        """The newest value of each."""
        self._engine = engine
        self._unknown: dict[int, Call] = {}
        """Calls with an unknown effect: they may have been carried out."""
        self._call_tasks: dict[int, CallTask] = {}
        self._running: dict[int, asyncio.Task[Call]] = {}
        self._tasks = Background(notice, "at the end of a call")

    def __iter__(self) -> Iterator[CallTask]:
        return iter(self._call_tasks.values())

    def keep(self, call: Call) -> None:
        """The newest value of a call."""
        self.calls[call.id] = call
        if call.is_unknown:
            self._unknown[call.id] = call
        else:
            self._unknown.pop(call.id, None)

    def begin(
        self,
        request: Request,
        arguments: Mapping[str, JsonValue],
        origins: Mapping[str, Origin],
        context: CallContext,
        *,
        is_sent: bool = False,
    ) -> int:
        """Begin the call of a request; returns its id at once.

        `is_sent`: a host has sent it already. Raises ValueError for arguments that JSON cannot
        carry.
        """
        from .call_task import CallTask, WatchedCallTask

        engine = self._engine
        call_id = next(reversed(self.calls), 0) + 1
        snapshot = take_snapshot(
            engine.server.identity,
            request,
            arguments,
            runs=engine.runs,
            task_ttl=None if context.is_relayed else task_ttl(engine, request),
        )
        name = CallName(engine.server.name, call_id)
        make = WatchedCallTask if is_sent else CallTask
        call_task = make(engine, name, request, snapshot, origins, context)
        self._call_tasks[call_id] = call_task
        engine.publish(call_task.call)
        self._running[call_id] = task = self._tasks.begin(call_task.run(), f"call-{call_id}")
        task.add_done_callback(lambda _: self._running.pop(call_id, None))
        self._forget_old_calls()
        return call_id

    def retry(self, call_id: int) -> int:
        """Make a call again, with the same arguments and so the same idempotency key."""
        call = self.calls[call_id]
        return self._begin_like(
            call,
            CallContext(retry_of=call_id, although_invalid=call.although_invalid, page=call.page),
        )

    def call_again(self, call_id: int, *, must_ask: bool) -> int:
        """Make a call again, to compare the two answers."""
        call = self.calls[call_id]
        return self._begin_like(
            call,
            CallContext(again=call, although_invalid=call.although_invalid, must_ask=must_ask),
        )

    def next_page(self, call_id: int, arguments: Mapping[str, JsonValue], parameter: str) -> int:
        """Ask for the page after a call's answer, with the arguments that ask for it."""
        call = self.calls[call_id]
        page = Page.after(call, parameter)
        context = CallContext(although_invalid=call.although_invalid, page=page)
        return self.begin(self._engine.definitions.current(call), arguments, {}, context)

    def unknown_before(self, snapshot: Snapshot) -> Call | None:
        """Return the newest earlier identical call whose effect is unknown."""
        if not any(_is_like(call, snapshot) for call in self._unknown.values()):
            # Telling the arguments of a thousand calls apart takes longer than a call.
            return None
        for call in reversed(self.calls.values()):
            is_same = call.snapshot.arguments_digest == snapshot.arguments_digest
            if call.sent and is_same and _is_like(call, snapshot):
                return call if call.is_unknown else None
        return None

    def same_before(self, snapshot: Snapshot) -> Call | None:
        """Return the newest earlier identical call that was sent and has ended."""
        for call in reversed(self.calls.values()):
            is_same = call.snapshot.arguments_digest == snapshot.arguments_digest
            if call.sent and call.is_over and is_same and _is_like(call, snapshot):
                return call
        return None

    async def ended(self, call_id: int) -> Call:
        """Wait for the end of a call."""
        task = self._running.get(call_id)
        if task is not None:
            await asyncio.wait({task})
        return self.calls[call_id]

    def cancel(self, call_id: int) -> None:
        """Request the cancellation of a call; one that has ended is left as it is."""
        if call_task := self._call_tasks.get(call_id):
            call_task.cancel()

    def void_unsent(self, why: Callable[[Request], str]) -> None:
        """Void the open approval requests for which `why` gives a reason."""
        for call_task in self:
            is_open = not call_task.call.is_over and not call_task.call.sent
            if is_open and (reason := why(call_task.call.request)):
                call_task.void(reason)

    def close(self) -> list[asyncio.Task[Any]]:
        """Deny pending approvals and cancel running calls; returns the tasks that still end."""
        for call_task in self:
            call_task.void("Signoff is closing")
        return self._tasks.cancel()

    def _begin_like(self, call: Call, context: CallContext) -> int:
        """The same arguments again; who put them there stays so."""
        call_task = self._call_tasks.get(call.id)
        origins = call_task.origins if call_task is not None else {}
        return self.begin(
            self._engine.definitions.current(call), call.snapshot.arguments(), origins, context
        )

    def _forget_old_calls(self) -> None:
        if len(self.calls) <= CALLS_KEPT:
            return
        for call_id in list(self.calls)[:-CALLS_KEPT]:
            if self.calls[call_id].is_over and call_id not in self._unknown:
                del self.calls[call_id]
                self._call_tasks.pop(call_id, None)


def _is_like(call: Call, snapshot: Snapshot) -> bool:
    """True if it asks for the same; another definition makes no other call of it, for the work may
    be the same."""
    return call.snapshot.tool == snapshot.tool and call.snapshot.method == snapshot.method
