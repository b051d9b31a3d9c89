"""Signoff's own requests over a line transport: plain JSON-RPC, sent from a thread."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from ..content.json.jsonio import JsonValue
from ..protocol.findings.findings import Finding, note, warning
from ..protocol.rpc import RpcError
from .gate import SendRefused
from .protocol import DISCOVER, INITIALIZE, request, stray_answer

PREFIX = "signoff-"
"""Own ids are strings, since the SDK counts from 1."""
HELD_BACK = "came only when stdin was closed: is stdout flushed after each message?"
ASK_SECONDS = 30.0
"""How long a request that is no call may take."""


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """No answer can come any more: the process ended, or the link was closed."""


@dataclass(frozen=True, slots=True)
class NoResponse:
    """No answer came in time."""


Answered = dict[str, JsonValue] | RpcError | ConnectionClosed | NoResponse


class RpcClient:
    """Asks and waits. Every method may be called from any thread."""

    def __init__(
        self,
        send: Callable[[dict[str, JsonValue]], None],
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        """`send` writes one message; it may raise SendRefused."""
        self._send = send
        self._on_finding = on_finding
        self._ids = itertools.count(1)
        self._waiting: dict[str, Callable[[Answered], None]] = {}
        self._greetings: set[str] = set()
        """Requests before which nothing else was sent that could be answered without an id."""
        self._asked: set[str] = set()
        """Every id that was ever sent: what answers one of them twice, or late, is no forgery."""
        self._late: set[str] = set()
        """Nobody waits for their answers any more."""
        self._has_ended_input = False
        self.held_back = False
        """A response came only when the server's stdin was closed."""
        self._lock = threading.Lock()
        self._is_closed = False

    def ask(self, method: str, params: JsonValue, seconds: float | None) -> Answered:
        """Send a request and wait for its answer; `seconds` None waits until the end."""
        inbox: queue.SimpleQueue[Answered] = queue.SimpleQueue()
        identity = self.begin(method, params, inbox.put)
        try:
            return inbox.get(timeout=seconds)
        except queue.Empty:
            return NoResponse()
        finally:
            self.forget(identity)

    def begin(self, method: str, params: JsonValue, on_answer: Callable[[Answered], None]) -> str:
        """Send a request; returns its id. `on_answer` is told the answer from another thread.

        It is told once, however late, unless the request is forgotten before.
        """
        identity = self.new_id()
        if method in (DISCOVER, INITIALIZE):
            with self._lock:
                self._greetings.add(identity)
        self.post(identity, request(identity, method, params), on_answer)
        return identity

    def new_id(self) -> str:
        """An id that no request had before."""
        with self._lock:
            return f"{PREFIX}{next(self._ids)}"

    def post(
        self, identity: str, message: dict[str, JsonValue], on_answer: Callable[[Answered], None]
    ) -> None:
        """Send a request as it is, under an id of our own that none had before; then likewise."""
        with self._lock:
            is_closed = self._is_closed
            if not is_closed:
                self._asked.add(identity)
                self._waiting[identity] = on_answer
        if is_closed:
            on_answer(ConnectionClosed())
            return
        try:
            self.tell(message)
        except SendRefused as refused:
            with self._lock:
                self._waiting.pop(identity, None)
            on_answer(RpcError(None, str(refused)))

    def forget(self, identity: str) -> None:
        """Stop waiting for a response; a late one is recognised."""
        with self._lock:
            if self._waiting.pop(identity, None) is not None:
                self._late.add(identity)

    def tell(self, message: dict[str, JsonValue]) -> None:
        """Write a message. Raises SendRefused."""
        self._send(message)

    def take(self, body: dict[str, JsonValue]) -> bool:
        """Give an incoming message to its waiting request. False if it is not a response to
        ours.
        """
        identity = body.get("id")
        if identity is None and "error" in body:
            identity = self._only_greeting()
        if "method" in body or not isinstance(identity, str) or not identity.startswith(PREFIX):
            return False
        self._hand_over(identity, _answer(body))
        return True

    def fail(self, identity: str | int | None, reason: str) -> bool:
        """An answer could not be read. False if it was none of ours."""
        if not isinstance(identity, str) or not identity.startswith(PREFIX):
            return False
        self._hand_over(identity, RpcError(None, reason))
        return True

    def input_ends(self) -> None:
        """Note that the server's stdin is being closed: responses after that were held back."""
        with self._lock:
            self._has_ended_input = True

    def close(self) -> None:
        """End all waiting requests without a response."""
        with self._lock:
            self._is_closed = True
            self._late.update(self._waiting)
            waiting, self._waiting = list(self._waiting.values()), {}
        for on_answer in waiting:
            on_answer(ConnectionClosed())

    def _only_greeting(self) -> str | None:
        """The one greeting that waits alone: what a server cannot read has no id in its answer."""
        with self._lock:
            waiting = list(self._waiting)
        is_alone = len(waiting) == 1 and waiting[0] in self._greetings
        return waiting[0] if is_alone else None

    def _hand_over(self, identity: str, answer: Answered) -> None:
        with self._lock:
            on_answer = self._waiting.pop(identity, None)
            is_late, is_ours = identity in self._late, identity in self._asked
            self._late.discard(identity)
        if on_answer is not None:
            on_answer(answer)
        elif is_late:
            words = f"the response to request {identity} came after Signoff had stopped waiting"
            if self._has_ended_input:
                self.held_back = True
                words = f"the response to request {identity} {HELD_BACK}"
                self._on_finding(warning("answer-held-back", words))
            else:
                self._on_finding(note("answer-late", words))
        elif is_ours:
            words = f"the request {identity} was answered more than once; the first answer counts"
            self._on_finding(warning("answered-twice", words))
        else:
            self._on_finding(stray_answer(identity))


def _answer(body: dict[str, JsonValue]) -> Answered:
    if isinstance(problem := body.get("error"), dict):
        return read_error(problem)
    result = body.get("result")
    return result if isinstance(result, dict) else RpcError(None, "the result is not an object")


def read_error(problem: dict[str, JsonValue]) -> RpcError:
    message = problem.get("message")
    return RpcError(
        problem.get("code"),
        message if isinstance(message, str) else "(no message)",
        problem.get("data"),
    )
