"""Matches messages on the wire to calls: the evidence beside the SDK.

The SDK speaks the protocol; this table keeps the messages as received. It lives on the event loop.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

from ..content.json.jsonio import JsonValue
from ..protocol.findings.findings import Finding, warning
from ..protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD, Oversized
from .events import ElicitationComplete, Ending, FromServer, Reply, Requested, Withdrawn
from .exchange import PREFIX, read_error
from .gate import Gate
from .protocol import (
    CANCELLED,
    PING,
    PROGRESS,
    VISIT_DONE,
    id_shown,
    misspelt_answer,
    number_in,
    stray_answer,
)

FORGOTTEN_AFTER = 1_000
"""Ended calls whose late answers are still recognised, and other requests of either side."""

_STUBS: dict[str, dict[str, JsonValue]] = {
    CALL_METHOD: {"content": [], "resultType": "complete"},
    READ_METHOD: {"contents": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
    PROMPT_METHOD: {"messages": [], "resultType": "complete"},
}
"""Empty results."""
_NO_STUB: dict[str, JsonValue] = {"resultType": "complete"}


@dataclass(slots=True, eq=False)
class PendingCall:
    """One call on the wire. The callbacks run on the event loop."""

    on_sending: Callable[[JsonValue], None]
    """Told the params of each request just before it is written; may raise SendRefused, so that
    it is not."""
    on_progress: Callable[[JsonValue], None]
    on_late: Callable[[JsonValue], None]
    method: str = CALL_METHOD
    """Only requests of this method are the call's."""
    further: dict[str, JsonValue] = field(default_factory=dict)
    """Members of the params beside what is asked for: what a further round comes with."""
    ids: list[str | int] = field(default_factory=list)
    reply: Reply | None = None
    is_over: bool = False
    number: int = 0
    """The engine's number of it, for the record of the wire."""
    is_followed: bool = False
    """It runs as a task: progress goes on after its answer (spec 2025-11-25, tasks)."""


current_call: ContextVar[PendingCall | None] = ContextVar("current_call", default=None)


class CallTable:
    """Calls by JSON-RPC id, in flight and recently ended.

    Ids are strings and integers: `MessageReader` lets no answer with another one through.
    """

    def __init__(
        self,
        on_finding: Callable[[Finding], None],
        on_request: Callable[[FromServer], None],
        gate: Gate,
    ) -> None:
        """`on_request` gets the server's requests and their cancellations. `gate` admits each
        request of a call once the call's own comparison has passed.
        """
        self._calls: dict[str | int, PendingCall] = {}
        self._others: dict[str | int, None] = {}
        """Requests of the SDK that are no calls and have no answer yet."""
        self._theirs: dict[str | int, None] = {}
        """Requests of the server."""
        self._on_finding = on_finding
        self._on_request = on_request
        self._gate = gate

    def outgoing(self, identity: str | int, method: str, params: JsonValue) -> None:
        """A request is about to be written. Runs in the task that makes the call.

        Raises SendRefused. A request without a call is not admitted, so that the gate lets it
        pass only where none is needed.
        """
        call = current_call.get()
        if call is None or method != call.method:
            _add(self._others, identity)
            return
        if call.further and isinstance(params, dict):
            params.update(call.further)
        call.on_sending(params)
        self._gate.admit(identity, method, params)
        call.ids.append(identity)
        self._calls[identity] = call
        if len(self._calls) > FORGOTTEN_AFTER:
            calls = self._calls.items()
            over = (key for key, known in calls if known.is_over and not known.is_followed)
            if (oldest := next(over, None)) is not None:
                del self._calls[oldest]

    def number_of(self, identity: str | int | None, message: JsonValue) -> int:
        """The engine's number of the call that a message to the server is about; 0 for none."""
        if identity is None and isinstance(message, dict):
            params = message.get("params")
            given = params.get("requestId") if isinstance(params, dict) else None
            identity = given if isinstance(given, str | int) else None
        call = None if identity is None else self._calls.get(identity)
        return 0 if call is None else call.number

    def is_call(self, identity: str | int) -> bool:
        """True if a request that was written belongs to a call."""
        return identity in self._calls

    def incoming(self, body: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
        """Take a message in; returns the message for the SDK, None for none.

        The SDK gets an empty result in place of a call's real one: it rejects whole results for one
        odd block, and content that it does not see it cannot drop.
        """
        if body.get("method") == PROGRESS:
            self._progress(body.get("params"))
            return None
        identity = body.get("id")
        if "method" in body:
            if body["method"] == CANCELLED:
                self._cancelled(body.get("params"))
            elif body["method"] == VISIT_DONE:
                self._on_request(ElicitationComplete(_elicitation_id(body.get("params"))))
                return None
            elif (request := request_in(body)) is not None:
                _add(self._theirs, request.id)
                if request.method != PING:
                    self._on_request(request)
                    return None
            return body
        if isinstance(identity, str | int) and identity in self._others:
            del self._others[identity]
            return body
        call = self._known(identity)
        if call is None:
            self._on_finding(self._stray(identity))
            return None
        return self._answer(call, body)

    def unreadable(
        self,
        identity: str | int | None,
        reason: str,
        whole: Oversized | None = None,
        ending: Ending = "unreadable",
    ) -> dict[str, JsonValue] | None:
        """No answer can be read; returns the error that ends the SDK's waiting."""
        if identity is None:
            waiting = [key for key, call in self._calls.items() if not call.is_over]
            if len(waiting) != 1:
                return None
            identity = waiting[0]
        call = self._calls.get(identity)
        if call is None or call.is_over or call.reply is not None:
            return None
        call.reply = Reply(problem=reason, oversized=whole, ending=ending)
        return _ending(identity)

    def forget(self, call: PendingCall) -> None:
        """The call ended here; whatever still comes for it is late."""
        call.is_over = True

    def _progress(self, params: JsonValue) -> None:
        token = params.get("progressToken") if isinstance(params, dict) else None
        call = self._known(token)
        if call is None:
            self._on_finding(warning("progress-unknown", "progress for a call that nobody made"))
        elif (call.is_over or call.reply is not None) and not call.is_followed:
            self._on_finding(warning("progress-late", "progress for a call that has ended"))
        else:
            call.on_progress(params)

    def _cancelled(self, params: JsonValue) -> None:
        """Handle a cancellation. Spec, basic/utilities/cancellation: each side cancels its own
        requests.

        A subscription is the exception that a server may end this way (spec 2026-07-28).
        """
        identity = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(identity, str | int) and not isinstance(identity, bool):
            if identity in self._theirs:
                self._on_request(Withdrawn(identity))
                return
            is_ours = isinstance(identity, str) and identity.startswith(PREFIX)
            if is_ours or identity in self._others:
                return
        words = f"the server cancels the request {id_shown(identity)}, which it never made"
        self._on_finding(warning("cancel-unknown", words))

    def _stray(self, identity: JsonValue) -> Finding:
        number = number_in(identity)
        call = None if number is None else self._calls.get(number)
        if number is None or call is None or call.is_over:
            return stray_answer(identity)
        return misspelt_answer(identity, number)

    def _known(self, identity: JsonValue) -> PendingCall | None:
        # In Python True is 1, and 1 is the id of the SDK's first request.
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            return None
        return self._calls.get(identity)

    def _answer(self, call: PendingCall, body: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
        if call.reply is not None:
            self._on_finding(warning("answered-twice", "a call was answered more than once"))
            return None
        if call.is_over:
            call.on_late(body.get("result", body))
            return None
        problem = body.get("error")
        if isinstance(problem, dict):
            call.reply = Reply(error=read_error(problem))
            return _ending(body["id"])
        if "result" not in body:
            call.reply = Reply(problem="the answer has neither a result nor an error")
            return _ending(body["id"])
        result = body["result"]
        call.reply = Reply(result=result, has_result=True)
        return {
            "jsonrpc": "2.0",
            "id": body["id"],
            "result": dict(_STUBS.get(call.method, _NO_STUB)),
        }


def _elicitation_id(params: JsonValue) -> str:
    identity = params.get("elicitationId") if isinstance(params, dict) else None
    return identity if isinstance(identity, str) else ""


def request_in(body: dict[str, JsonValue]) -> Requested | None:
    """Parse a request of the server; None if the message needs no response."""
    identity, method = body.get("id"), body.get("method")
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return None
    return Requested(identity, method, body.get("params")) if isinstance(method, str) else None


def _add(requests: dict[str | int, None], identity: str | int) -> None:
    requests[identity] = None
    if len(requests) > FORGOTTEN_AFTER:
        del requests[next(iter(requests))]


def _ending(identity: JsonValue) -> dict[str, JsonValue]:
    error: JsonValue = {"code": -32000, "message": "kept by Signoff"}
    return {"jsonrpc": "2.0", "id": identity, "error": error}
