"""The JSON-RPC peer of a server, the same for every transport.

It gives requests their ids, finds the request of each answer and of each progress report, and keeps
answers as they came. What it writes goes through the gate of the transport; a request that needs
approval carries the comparison for it.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..content.json.jsonio import JsonValue
from ..protocol.findings.findings import Finding, warning
from ..protocol.rpc import CALL_METHOD, Oversized
from .events import (
    Answered,
    Ending,
    LinkEvent,
    NoResponse,
    Noticed,
    Reply,
    Requested,
    Withdrawn,
    answered,
    reply_in,
)
from .gate import NEEDS_APPROVAL, Gate, SendRefused, without_approval
from .messages import (
    Cancelled,
    Incoming,
    ProgressMessage,
    Response,
    Unused,
    id_shown,
    is_id,
    late_answer,
    misspelt_answer,
    number_in,
    repeated_answer,
    stray_answer,
    stray_progress,
)
from .protocol import (
    CANCELLED,
    DISCOVER,
    INITIALIZE,
    LISTEN,
    MODERN,
    PING,
    answer_to,
    notification,
    request,
)

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

PREFIX = "signoff-"
"""Prefix of the ids of all requests but calls, on stdio; calls have numbers."""
ASK_SECONDS = 30.0
"""Time limit of a request other than a call."""
FORGOTTEN_AFTER = 1_000
"""Ended requests whose late answers are still recognised, and requests of the server."""
HELD_BACK = "came only when stdin was closed: is stdout flushed after each message?"
_NEVER_CANCELLED = (INITIALIZE, DISCOVER)
"""Spec, basic/utilities/cancellation: a client must not cancel `initialize`."""


Write = Callable[[dict[str, JsonValue], Gate | None, int], None]
"""Writes a message, with its gate and the engine's number of the call that it is about, 0 for none.

May raise SendRefused; a transport that writes later calls `Peer.refuse` instead."""


T = TypeVar("T")


def _ignore(value: object) -> None:
    """Does nothing with a value that is of no interest."""


@dataclass(slots=True, eq=False)
class PendingRequest:
    """One request on the wire. The callbacks of a call run on the event loop."""

    gate: Gate
    """Compares the request right before it is written."""
    on_progress: Callable[[JsonValue], None] = _ignore
    on_late: Callable[[JsonValue], None] = _ignore
    """Called with a response to a call that came after Signoff had stopped waiting for it."""
    method: str = CALL_METHOD
    number: int = 0
    """The engine's number of a call, for the record of the wire."""
    is_followed: bool = False
    """It runs as a task: progress goes on after its answer (spec 2025-11-25, tasks)."""
    id: str | int = ""
    reply: Reply | None = None
    is_over: bool = False
    """True once Signoff has stopped waiting for the response."""
    on_reply: Callable[[Reply], None] = field(default=_ignore, repr=False)

    @property
    def is_call(self) -> bool:
        return self.method in NEEDS_APPROVAL


class Peer:
    """Requests and answers on one connection.

    `request`, `ask` and `send` belong on the event loop; all else may be called from any thread.
    """

    def __init__(
        self,
        write: Write,
        emit: Callable[[LinkEvent], None],
        *,
        prefix: str = PREFIX,
        deliver: Callable[[Callable[[], None]], None] = lambda action: action(),
        give_up: Callable[[PendingRequest], None] | None = None,
        drops_requests: Callable[[], bool] = lambda: False,
        within: Callable[[float | None], AbstractAsyncContextManager[Any]] | None = None,
    ) -> None:
        """`emit` gets the server's own requests and the problems on the wire. `prefix`: of ids of
        all requests but calls; empty for plain numbers. `deliver` runs the callbacks of calls on
        the event loop, in order. `give_up` cancels a request in the way of the transport.
        `drops_requests`: True while the server asks without reading the answers. `within` limits
        the seconds of a request, instead of `asyncio.timeout`.
        """
        self._write = write
        self._emit = emit
        self._prefix = prefix
        self._deliver = deliver
        self._cancel = give_up or self.tell_cancelled
        self._drops_requests = drops_requests
        self._own_within = within
        self.version = ""
        """The revision that was agreed; empty before."""
        self.meta: Callable[[], dict[str, JsonValue]] = dict
        """Makes the `_meta` of each request of the agreed revision."""
        self.held_back = False
        """A response came only when the server's stdin was closed."""
        self._requests: dict[str | int, PendingRequest] = {}
        self._theirs: dict[str | int, str] = {}
        """Requests of the server, with their methods."""
        self._unsent: dict[str | int, None] = {}
        """Ids of requests that were not written."""
        self._numbers = self._own = 0
        """The newest number of either kind of id."""
        self._lock = threading.Lock()
        self._is_closed = False
        self._has_ended_input = False
        self._why_closed = ""

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Send a request that asks for progress; cancelling the task cancels it on the wire."""
        with self._lock:
            self._numbers += 1
            identity = self._numbers
        message = request(identity, pending.method, self._with_meta(params, identity))
        return await self._exchange(pending, message)

    async def ask(
        self,
        method: str,
        params: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered:
        """Make a request that needs no approval; `seconds` None waits until the end."""
        return await self.send(self.made(method, params), seconds, gate)

    def made(self, method: str, params: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Return a request with a new id and the `_meta` of the agreed revision."""
        return request(self._new_id(), method, self._with_meta(params))

    async def send(
        self,
        message: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered:
        """Send a whole request as it is, under an id that no other has; likewise."""
        reply = await self.reply_to(message, seconds, gate)
        return NoResponse() if reply is None else answered(reply)

    async def reply_to(
        self,
        message: dict[str, JsonValue],
        seconds: float | None,
        gate: Gate = without_approval,
    ) -> Reply | None:
        """The same with all that is known of the answer; None if none came in time."""
        pending = PendingRequest(gate, method=str(message["method"]))
        try:
            async with self._within(seconds):
                return await self._exchange(pending, message)
        except TimeoutError:
            return None

    def _within(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        if self._own_within is not None:
            return self._own_within(seconds)
        import asyncio

        return asyncio.timeout(seconds)

    def wait(self, method: str, params: dict[str, JsonValue], seconds: float | None) -> Answered:
        """Make a request from a thread; `seconds` None waits until the end."""
        inbox: queue.SimpleQueue[Answered] = queue.SimpleQueue()
        pending = self._begin(method, params, inbox.put)
        try:
            return inbox.get(timeout=seconds)
        except queue.Empty:
            return NoResponse()
        finally:
            with self._lock:
                pending.is_over = True

    def begin(
        self, method: str, params: dict[str, JsonValue], on_answer: Callable[[Answered], None]
    ) -> str | int:
        """Send a request; returns its id. `on_answer` is called once, however late."""
        return self._begin(method, params, on_answer).id

    def tell(
        self, message: dict[str, JsonValue], number: int = 0, gate: Gate | None = None
    ) -> None:
        """Write a message that has no answer. Raises SendRefused."""
        self._write(message, gate, number)

    def tell_cancelled(self, pending: PendingRequest) -> None:
        """Write that a request is cancelled on this side (basic/utilities/cancellation)."""
        if pending.method not in _NEVER_CANCELLED:
            self.tell(notification(CANCELLED, {"requestId": pending.id}), pending.number)

    def take(self, message: Incoming) -> None:
        """Take a message of the server in."""
        match message:
            case Response():
                self._take_response(message)
            case ProgressMessage(token, params):
                self._deliver(partial(self._take_progress, token, params))
            case Cancelled(identity):
                self._take_cancelled(identity)
            case Requested():
                self._take_request(message)
            case Unused():
                pass
            case _:
                self._emit(message)

    def fail(
        self,
        identity: str | int | None,
        reason: str,
        whole: Oversized | None = None,
        ending: Ending = "unreadable",
        *,
        is_lost: bool = False,
    ) -> None:
        """End the wait for an answer that cannot be read, or cannot come any more (`is_lost`).

        `identity` None: it could not be made out. That ends nothing, as it may be any text.
        """
        pending = None if identity is None else self._known(identity)
        if pending is not None:
            if not _waits(pending) and (pending.is_call or is_lost):
                return
            reply = Reply(problem=reason, oversized=whole, ending=ending, lost=is_lost)
            self._hand_over(pending, reply, reason)
        elif isinstance(identity, str) and self._is_ours(identity):
            self._notice(stray_answer(identity))

    def refuse(self, identity: str | int, refused: SendRefused) -> None:
        """A request was not written; it is as if it had not been made."""
        with self._lock:
            pending = self._requests.pop(identity, None)
            _keep(self._unsent, identity, None)
        if pending is not None:
            pending.on_reply(Reply(problem=str(refused)))

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def input_ends(self) -> None:
        """Note that the server's stdin is being closed: responses after that were held back."""
        self._has_ended_input = True

    def close(self, why: str = "") -> None:
        """End all waiting requests without a response; `why`, in words that are safe to show."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed, self._why_closed = True, why
            waiting = [one for one in self._requests.values() if _waits(one)]
        for pending in waiting:
            if pending.is_call:
                self._deliver(partial(self._lose, pending))
            else:
                self._lose(pending)

    def knows(self, identity: JsonValue) -> bool:
        """True if a request had this id."""
        return is_id(identity) and self._is_ours(identity)

    def waits_for(self, identity: str | int) -> bool:
        """True if somebody waits for the answer to a request."""
        pending = self._known(identity)
        return pending is not None and _waits(pending)

    def _begin(
        self, method: str, params: dict[str, JsonValue], on_answer: Callable[[Answered], None]
    ) -> PendingRequest:
        pending = PendingRequest(without_approval, method=method)
        pending.on_reply = lambda reply: on_answer(answered(reply))
        self._post(pending, self.made(method, params))
        return pending

    def _new_id(self) -> str | int:
        with self._lock:
            if not self._prefix:
                self._numbers += 1
                return self._numbers
            self._own += 1
            return f"{self._prefix}{self._own}"

    def _is_ours(self, identity: str | int) -> bool:
        """True if a request had this id, also one that is forgotten."""
        if identity in self._unsent:
            return False
        if isinstance(identity, int):
            return 0 < identity <= self._numbers
        number = number_in(identity.removeprefix(self._prefix)) if self._prefix else None
        return number is not None and identity == f"{self._prefix}{number}" and number <= self._own

    def _with_meta(
        self, params: dict[str, JsonValue], token: str | int | None = None
    ) -> dict[str, JsonValue]:
        given, meta = params.get("_meta"), self.meta()
        if token is not None:
            meta = {**meta, "progressToken": token}
        if not meta:
            return params
        return {**params, "_meta": {**given, **meta} if isinstance(given, dict) else meta}

    async def _exchange(self, pending: PendingRequest, message: dict[str, JsonValue]) -> Reply:
        # Imported here, since a server has to be started before anything heavy.
        import asyncio

        loop, thread = asyncio.get_running_loop(), threading.get_ident()
        came: asyncio.Future[Reply] = loop.create_future()

        def settle(reply: Reply) -> None:
            if not came.done():
                came.set_result(reply)

        def on_reply(reply: Reply) -> None:
            if threading.get_ident() == thread:
                settle(reply)
                return
            # The loop may be closed by then.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, reply)

        pending.on_reply = on_reply
        self._post(pending, message)
        try:
            return await came
        except asyncio.CancelledError:
            if pending.reply is None and not self._is_closed:
                self._cancel(pending)
            raise
        finally:
            pending.is_over = True

    def _post(self, pending: PendingRequest, message: dict[str, JsonValue]) -> None:
        identity = message["id"]
        assert isinstance(identity, str | int)
        pending.id = identity
        with self._lock:
            self._requests[identity] = pending
            if len(self._requests) > FORGOTTEN_AFTER:
                kept = self._requests.items()
                over = (key for key, one in kept if not _waits(one) and not one.is_followed)
                if (oldest := next(over, None)) is not None:
                    del self._requests[oldest]
            is_closed = self._is_closed
        if is_closed:
            self._lose(pending)
            return
        try:
            self._write(message, pending.gate, pending.number)
        except SendRefused as refused:
            self.refuse(identity, refused)
        except Exception as problem:
            from ..storage.fault_log import note_fault

            self.refuse(identity, SendRefused(note_fault(problem, "while it wrote a request")))

    def _take_response(self, message: Response) -> None:
        identity = message.id
        if identity is None and "error" in message.body:
            identity = self._only_greeting()
        pending = self._known(identity)
        if pending is None:
            self._notice(self._stray(identity, message.body.get("error")))
            return
        self._hand_over(pending, reply_in(message.body), message.body.get("result", message.body))

    def _hand_over(self, pending: PendingRequest, reply: Reply, raw: JsonValue) -> None:
        if pending.is_call:
            self._deliver(partial(self._answer, pending, reply, raw))
        else:
            self._answer(pending, reply, raw)

    def _answer(self, pending: PendingRequest, reply: Reply, raw: JsonValue) -> None:
        """The first answer counts; `raw` is what came."""
        with self._lock:
            is_first, pending.reply = pending.reply is None, pending.reply or reply
            is_late = pending.is_over
        if not is_first:
            self._notice(repeated_answer(pending.id))
        elif not is_late:
            pending.on_reply(reply)
        elif pending.is_call:
            pending.on_late(raw)
        # A subscription is answered when it ends, so that response is in time.
        elif pending.method not in ((LISTEN,) if self._has_ended_input else _NEVER_CANCELLED):
            self._notice(self._late(pending.id))

    def _late(self, identity: str | int) -> Finding:
        if self._has_ended_input:
            self.held_back = True
            return warning("answer-held-back", f"the response to request {identity} {HELD_BACK}")
        return late_answer(identity)

    def _stray(self, identity: JsonValue, problem: JsonValue) -> Finding:
        """Finding for a response that no request waits for; `problem` is its error."""
        if is_id(identity) and self._is_ours(identity):
            return repeated_answer(identity)
        number = number_in(identity)
        pending = None if number is None else self._requests.get(number)
        if number is None or pending is None or not _waits(pending):
            return stray_answer(identity, problem)
        return misspelt_answer(identity, number)

    def _take_progress(self, token: JsonValue, params: JsonValue) -> None:
        pending = self._known(token)
        if pending is None or not pending.is_call:
            self._notice(stray_progress(token, self._requests))
        elif _waits(pending) or pending.is_followed:
            pending.on_progress(params)
        elif pending.reply is not None:
            self._notice(warning("progress-late", "progress for a call that has ended"))
        # A server goes on until a cancellation reaches it: that is not a mistake.

    def _take_cancelled(self, identity: JsonValue) -> None:
        """Spec, basic/utilities/cancellation: each side cancels its own requests.

        A subscription is the exception that a server may end this way (spec 2026-07-28).
        """
        if is_id(identity):
            if (method := self._theirs.get(identity)) is not None:
                # A ping has its answer already.
                if method != PING:
                    self._emit(Withdrawn(identity))
                return
            pending = self._known(identity)
            if pending is not None and pending.method == LISTEN:
                return
        words = f"the server cancels the request {id_shown(identity)}, which it never made"
        self._notice(warning("cancel-unknown", words))

    def _take_request(self, message: Requested) -> None:
        if self._drops_requests():
            return
        if self.version == MODERN:
            # Servers send no requests in it, and get no response (basic/transports/stdio).
            self._emit(message)
            return
        _keep(self._theirs, message.id, message.method)
        if message.method == PING:
            self.tell(answer_to(message.id, {}))
        else:
            self._emit(message)

    def _known(self, identity: JsonValue) -> PendingRequest | None:
        # To Python True is 1 and 1.0 is 1, and 1 is an id.
        return self._requests.get(identity) if is_id(identity) else None

    def _only_greeting(self) -> str | int | None:
        """The id of a handshake that waits alone: a refusal of it may have no id."""
        with self._lock:
            waiting = [one for one in self._requests.values() if _waits(one)]
        is_alone = len(waiting) == 1 and waiting[0].method in _NEVER_CANCELLED
        return waiting[0].id if is_alone else None

    def _lose(self, pending: PendingRequest) -> None:
        if _waits(pending):
            pending.is_over = True
            pending.on_reply(Reply(lost=True, problem=self._why_closed))

    def _notice(self, finding: Finding) -> None:
        self._emit(Noticed(finding))


def _keep(requests: dict[str | int, T], identity: str | int, value: T) -> None:
    requests[identity] = value
    if len(requests) > FORGOTTEN_AFTER:
        del requests[next(iter(requests))]


def _waits(pending: PendingRequest) -> bool:
    return pending.reply is None and not pending.is_over
