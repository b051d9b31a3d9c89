"""Signoff's own requests over a line transport: plain JSON-RPC, asked from a thread."""

from __future__ import annotations

import itertools
import json
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

from app.core.jsonio import JsonValue
from app.core.rpc import RpcError
from app.link.protocol import request

PREFIX = "signoff-"
"""Own ids are strings, since the SDK counts from 1."""


@dataclass(frozen=True, slots=True)
class Gone:
    """No answer can come any more: the process ended, or the link was closed."""


@dataclass(frozen=True, slots=True)
class Silent:
    """No answer came in time."""


Answered = dict[str, JsonValue] | RpcError | Gone | Silent


class Exchange:
    """Asks and waits. Every method may be called from any thread."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._waiting: dict[str, queue.SimpleQueue[Answered]] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def ask(self, method: str, params: JsonValue, seconds: float | None) -> Answered:
        """Send a request and wait for its answer; `seconds` None waits until the end."""
        inbox: queue.SimpleQueue[Answered] = queue.SimpleQueue()
        with self._lock:
            if self._is_closed:
                return Gone()
            identity = f"{PREFIX}{next(self._ids)}"
            self._waiting[identity] = inbox
        self.tell(request(identity, method, params))
        try:
            return inbox.get(timeout=seconds)
        except queue.Empty:
            return Silent()
        finally:
            with self._lock:
                self._waiting.pop(identity, None)

    def tell(self, message: dict[str, JsonValue]) -> None:
        self._send(json.dumps(message, separators=(",", ":")).encode("ascii"))

    def take(self, body: dict[str, JsonValue]) -> bool:
        """Give an incoming message to whoever asked. False where it answers none of ours."""
        identity = body.get("id")
        if "method" in body or not isinstance(identity, str) or not identity.startswith(PREFIX):
            return False
        with self._lock:
            inbox = self._waiting.get(identity)
        if inbox is not None:
            inbox.put(_answer(body))
        return True

    def fail(self, identity: str | int | None, reason: str) -> bool:
        """An answer could not be read. False where it was none of ours."""
        with self._lock:
            inbox = self._waiting.get(identity) if isinstance(identity, str) else None
        if inbox is None:
            return False
        inbox.put(RpcError(None, reason))
        return True

    def close(self) -> None:
        """Tell everybody who waits that nothing will come."""
        with self._lock:
            self._is_closed = True
            waiting = list(self._waiting.values())
        for inbox in waiting:
            inbox.put(Gone())


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
