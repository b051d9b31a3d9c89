"""Sends a call, including follow-up rounds, under its time limits.

Each sending takes one snapshot, once, under a token of its own, exactly as approved.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ...calls.call import Outcome, State
from ...calls.checks import not_answered, repeated_alone, too_many_rounds
from ...content.json.jsonio import JsonValue
from ...protocol.answers.task_findings import task_fault, unreadable_task
from ...protocol.answers.task_states import (
    ALONE_MAX,
    ROUNDS_MAX,
    InputRound,
    TaskState,
    created_in,
    read_round,
    read_task,
)
from ...protocol.findings.findings import note
from ...protocol.rpc import RpcError
from ...protocol.server_requests.capabilities import OF_METHOD, TASKS
from ...storage.auditing.events import sent
from ...transport.events import Reply
from ...transport.gate import without_approval
from ...transport.peer import PendingRequest
from ...transport.protocol import MODERN
from ..task_following import TASK_CANCELLED, TaskFollowing, cannot_follow
from ..timing import CallTimer
from .call_state import CallUpdater
from .context import NOT_CONNECTED, EngineContext
from .sending import CallObserver, Sending
from .server_approval import ServerApproval

MAYBE_DONE = "the work may already be done"
WHILE_ASKED = "while the server waited for input"
CANCEL_SENT: Final = "cancel sent"
STREAM_CLOSED: Final = "cancelled by closing its stream"
"""Spec 2026-07-28, basic/patterns/cancellation: over HTTP closing the stream cancels."""
NOT_TOLD: Final = "no cancellation was sent"


class Dispatcher:
    """Sends one approved call and waits for its reply, over several rounds if needed."""

    def __init__(
        self,
        engine: EngineContext,
        updates: CallUpdater,
        was_sent: Callable[[], None],
        old_input: Mapping[str, JsonValue] | None,
        server_approval: ServerApproval,
        *,
        is_relayed: bool = False,
    ) -> None:
        """`was_sent` is called soon after something has left. `old_input` goes with the first
        request. `is_relayed`: the first response is the last, whatever it asks for.
        """
        self._engine = engine
        self._updates = updates
        self._was_sent = was_sent
        self._old_input = old_input
        self._server_approval = server_approval
        self._is_relayed = is_relayed
        self._alone = 1
        """How often the call was made since the approval, or since the last reply of a person."""
        self._running: asyncio.Future[Any] | None = None
        self._timer: CallTimer | None = None

    def cancel(self) -> None:
        """Cancel the running request; the server is notified."""
        if self._running is not None:
            self._running.cancel()

    def delay(self, seconds: float) -> None:
        """The program stood still for so long; that counts for no time limit."""
        if self._timer is not None:
            self._timer.delay(seconds)

    @property
    def spent(self) -> float:
        """Seconds since it was sent, without those in which the server waited for a person."""
        return 0.0 if self._timer is None else self._timer.spent

    @contextlib.contextmanager
    def waiting_for_person(self) -> Iterator[None]:
        """Pause the time limits while the server waits for a person."""
        if self._timer is None:
            yield
        else:
            with self._timer.paused():
                yield

    async def exchange(
        self, *, was_asked: bool, is_still_approved: Callable[[], bool]
    ) -> Reply | None:
        """Send the approved call; returns the reply, or None if the call has ended.

        `was_asked`: a person approved it. `is_still_approved` is called just before sending: True
        if it may still be sent.
        """
        if not self._engine.server.is_open:
            self._updates.refuse(NOT_CONNECTED)
            return None
        if self._updates.call.cancel_requested:
            # Before there was anything on its way that could have been cancelled.
            self._updates.end(Outcome.CANCELLED, "before it was sent")
            return None
        self._timer = CallTimer(self._engine.limits)
        self._engine.timers.add(self._timer)
        reply = await self._send(was_asked=was_asked, is_still_approved=is_still_approved)
        if self._is_relayed and reply is not None:
            return await self._decided_by_server(reply)
        while reply is not None and (input_round := self._input_round(reply)) is not None:
            denied = self._server_approval.take_round(reply.result)
            extra = await self._collect_input(input_round)
            if extra is None:
                return None
            if isinstance(extra, str):
                return replace(reply, why_unfinished=extra)
            reply = await self._send(was_asked=was_asked, extra=extra | denied)
        return reply

    def _input_round(self, reply: Reply) -> InputRound | None:
        """Input that the server needs first, of kinds that the client declared.

        A request for input of a task, and its result, do not cause another call.
        """
        if self._is_relayed or self._updates.call.task is not None:
            return None
        input_round, declared = read_round(reply.result), self._engine.link.capabilities
        methods = () if input_round is None else [method for _, method, _ in input_round.requests]
        return input_round if all(declared.declares(OF_METHOD[one]) for one in methods) else None

    async def _send(
        self,
        *,
        was_asked: bool,
        is_still_approved: Callable[[], bool] = lambda: True,
        extra: dict[str, JsonValue] | None = None,
    ) -> Reply | None:
        engine, updates = self._engine, self._updates
        observer = CallObserver(
            self._on_sent, self._on_progress, self._on_late, updates.add_findings
        )
        call = updates.call
        as_task = call.snapshot.task_ttl is not None
        added = extra
        if added is None:
            first = {} if self._is_relayed else self._server_approval.first_params()
            added = first | dict(self._old_input or {})
        extra_params = {**added, **({"task": call.snapshot.task} if as_task else {})}
        sending = Sending(
            engine,
            call.request,
            call.snapshot,
            observer,
            was_asked=was_asked,
            is_still_approved=is_still_approved,
            extra=extra_params,
            number=call.id,
            as_task=as_task,
        )
        if extra is None:
            updates.change(state=State.WAITING)
        exchange = self._running = asyncio.create_task(sending.exchange())
        try:
            reply = await self._wait(exchange)
        except asyncio.CancelledError:
            await _cancelled(exchange)
            raise
        if sending.refused_because and extra is not None:
            updates.end(Outcome.INPUT_REQUIRED, f"not finished: {sending.refused_because}")
            return None
        if sending.refused_because and not updates.call.sent:
            updates.refuse(sending.refused_because, is_too_late=sending.is_too_late)
            return None
        task = None if reply is None else self._created_task(reply)
        if isinstance(task, TaskState):
            try:
                return await self._follow_task(task)
            finally:
                sending.stop_progress()
        return reply if task is None else task

    def _created_task(self, reply: Reply) -> TaskState | Reply | None:
        """The task that the server created, if the client had declared tasks; the final reply if
        it cannot be read.
        """
        created = None if self._is_relayed else self._created(reply)
        if created is None or not (fault := task_fault(created)):
            return read_task(created)
        self._updates.add_findings(unreadable_task(fault))
        return Reply(problem=cannot_follow(fault), ending="server-failed")

    def _created(self, reply: Reply) -> JsonValue:
        """The raw task in a response; None for any other response."""
        engine, call, result = self._engine, self._updates.call, reply.result
        if call.snapshot.task_ttl is not None:
            return created_in(result)
        is_declared = engine.server.version == MODERN and engine.link.capabilities.declares(TASKS)
        if call.tool is None or not is_declared or not isinstance(result, dict):
            return None
        return result if result.get("resultType") == "task" else None

    async def _follow_task(self, task: TaskState) -> Reply | None:
        """The reply that the task comes to which was begun; None if the call has ended."""
        updates = self._updates
        following = TaskFollowing(
            self._engine,
            self._note_activity,
            self._server_approval.take_task,
            updates.add_findings,
            min(self._engine.limits.idle, self._engine.limits.absolute),
            lambda method, params: self._engine.answer_input(method, params, updates.call),
            self.waiting_for_person,
        )
        work = asyncio.create_task(following.follow(task))
        self._running = None
        try:
            # A task that is cancelled before its first step would not notify the server.
            await asyncio.sleep(0)
            self._running = work
            if updates.call.cancel_requested:
                work.cancel()
            return await self._wait(work, following)
        except asyncio.CancelledError:
            await _cancelled(work)
            raise

    async def _collect_input(self, input_round: InputRound) -> dict[str, JsonValue] | str | None:
        """Return the input for the next round, or the reason for none; None if the call has
        ended.
        """
        updates = self._updates
        if self._end_if_cancelled():
            return None
        if updates.call.rounds >= ROUNDS_MAX:
            return too_many_rounds(ROUNDS_MAX)
        self._alone = 1 if input_round.asks_person else self._alone + 1
        if self._alone > ALONE_MAX:
            return repeated_alone(ALONE_MAX)
        updates.change(state=State.INPUT, rounds=updates.call.rounds + 1)
        gathering = asyncio.gather(
            *(
                self._engine.answer_input(method, params, updates.call)
                for _, method, params in input_round.requests
            ),
        )
        self._running = asyncio.ensure_future(gathering)
        try:
            with self.waiting_for_person():
                answers = await gathering
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            updates.end(Outcome.CANCELLED, WHILE_ASKED)
            return None
        if self._end_if_cancelled():
            return None
        if refused := [one for one in answers if isinstance(one, RpcError)]:
            return not_answered(refused[0])
        keys = [key for key, _, _ in input_round.requests]
        given = [one for one in answers if isinstance(one, dict)]
        return input_round.params(dict(zip(keys, given, strict=True)))

    def _end_if_cancelled(self) -> bool:
        """Between two rounds, when nothing was on its way that could be cancelled; it ends."""
        if self._updates.call.cancel_requested:
            self._updates.end(Outcome.CANCELLED, WHILE_ASKED)
        return self._updates.call.cancel_requested

    async def _wait(
        self, running: asyncio.Task[Reply], following: TaskFollowing | None = None
    ) -> Reply | None:
        """The reply, or None if a time limit or a cancellation ended the call."""
        updates, timer = self._updates, self._timer
        assert timer is not None
        while not running.done():
            overdue = timer.overdue
            if overdue is not None:
                updates.change(cancel_requested=True)
                running.cancel()
                await asyncio.wait({running}, timeout=5)
                limit = f"{overdue.limit} time limit of {overdue.seconds:g} s"
                told = self._stopping_words(following) or NOT_TOLD
                updates.end(Outcome.TIMEOUT, f"{limit}; {told}")
                return None
            await asyncio.wait({running}, timeout=timer.rest)
        if running.cancelled():
            updates.change(cancel_words=self._stopping_words(following))
            reason = f"the server was asked to stop; {MAYBE_DONE}"
            if following is not None and not following.was_told:
                reason = f"the server could not be asked to stop; {MAYBE_DONE}"
            elif following is not None and following.was_cancelled:
                reason = TASK_CANCELLED
            updates.end(Outcome.CANCELLED, reason if updates.call.sent else "before it was sent")
            return None
        return running.result()

    def _stopping_words(self, following: TaskFollowing | None) -> str:
        """Describe how the server was asked to stop; empty if it was not."""
        server = self._engine.server
        if not self._updates.call.sent or (following is not None and not following.was_told):
            return ""
        if following is None and server.pid is None and server.version == MODERN:
            return STREAM_CLOSED
        return CANCEL_SENT

    async def wait_for_relayed(self, number: int) -> Reply | None:
        """Wait for the response to a call that a host has sent; None if the call has ended."""
        self._timer = CallTimer(self._engine.limits)
        self._engine.timers.add(self._timer)
        pending = PendingRequest(
            without_approval,
            self._on_progress,
            self._on_late,
            self._updates.call.snapshot.method,
            number,
        )
        self._on_sent()
        exchange = self._running = asyncio.create_task(self._engine.link.request(pending, {}))
        try:
            reply = await self._wait(exchange)
        except asyncio.CancelledError:
            await _cancelled(exchange)
            raise
        return None if reply is None else await self._decided_by_server(reply)

    async def _decided_by_server(self, reply: Reply) -> Reply | None:
        """The reply to a call of a host; of one that waits for an approval of the server the final
        one, as the host requests it. None if the call has ended.
        """
        task = read_task(created_in(reply.result)) if self._updates.call.tool is not None else None
        if task is None or not self._server_approval.awaits(task):
            return reply
        following = self._engine.relayed_tasks.follow(task, reply, self._server_approval.take_task)
        work = self._running = asyncio.create_task(following.wait())
        try:
            return await self._wait(work)
        finally:
            work.cancel()
            self._engine.relayed_tasks.forget(following)

    def _on_sent(self) -> None:
        """Record that the request is being written."""
        now = time.monotonic()
        self._note_activity()
        first = self._updates.call.sent_at
        self._updates.change(state=State.RUNNING, sent_at=now if first is None else first)
        self._engine.ledger.write(lambda: sent(self._updates.call, self._engine.server))
        asyncio.get_running_loop().call_soon(self._was_sent)

    def _on_progress(self, params: JsonValue) -> None:
        self._note_activity()
        self._updates.progress(params)

    def _on_late(self, raw: JsonValue) -> None:
        updates = self._updates
        words = "a response arrived after the call had ended"
        updates.add_findings(note("call-response-late", words))
        if updates.call.verdict.reviews_result:
            # No person has approved it or will.
            updates.change(withheld=True)
        else:
            updates.change(late=raw)

    def _note_activity(self) -> None:
        if self._timer is not None:
            self._timer.hear()


async def _cancelled(work: asyncio.Task[Reply]) -> None:
    """Cancel it, and wait a moment until that has gone out."""
    work.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.wait({work}, timeout=1)
