"""The last gate before a server: no request that needs approval is written without it.

It stands where the bytes are written, on every transport, and it is closed by default: a library
that queues, retries or sends from a task of its own gets nothing past it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..content.json.jsonio import JsonValue, same
from ..content.text import cut, visible
from ..protocol.findings.findings import error
from ..protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from .events import Blocked
from .protocol import DISCOVER, INITIALIZE, PING

NEEDS_APPROVAL: Final = frozenset({CALL_METHOD, READ_METHOD, PROMPT_METHOD})
"""Methods whose every request is a call that a policy or a person has approved."""
_CONNECTING: Final = frozenset({DISCOVER, INITIALIZE, PING, "tools/list", "subscriptions/listen"})
"""Requests that make and keep a connection: neither a policy nor a person is asked about them."""
_NOTIFICATIONS: Final = "notifications/"


class SendRefused(Exception):
    """The message is not written. Its text is safe to show."""


class Gate:
    """Admits messages to one server; each admission is good for one writing.

    `admit` and `check` may be called from any thread.
    """

    def __init__(self, on_blocked: Callable[[Blocked], None]) -> None:
        self._admitted: dict[tuple[type, JsonValue, JsonValue], JsonValue] = {}
        self._on_blocked = on_blocked

    def admit(self, identity: str | int | None, method: str, params: JsonValue) -> None:
        """Let one message with exactly these params pass; `identity` None for a notification."""
        self._admitted[type(identity), identity, method] = params

    def check(self, message: JsonValue) -> None:
        """Compare a message with its admission, right before it is written.

        Responses, notifications of the specification and what makes a connection need none.
        Raises SendRefused for any other message, a batch among them.
        """
        if not isinstance(message, dict):
            raise self.block(None, "(not one JSON object)")
        if "method" not in message:
            return
        identity, method = message.get("id"), message["method"]
        if isinstance(method, str) and (
            method.startswith(_NOTIFICATIONS) if identity is None else method in _CONNECTING
        ):
            return
        is_plain = identity is None or isinstance(identity, str | int)
        key = (type(identity), identity, method)
        if not is_plain or not isinstance(method, str) or key not in self._admitted:
            raise self.block(identity, method)
        if not same(self._admitted.pop(key), message.get("params")):
            raise self.block(identity, method, "it differs from the approved request")

    def block(
        self, identity: JsonValue, method: JsonValue, why: str = "no approval covers it"
    ) -> SendRefused:
        """Report a message that must not leave; returns the exception to raise."""
        shown = visible(cut(str(method), 60).text)
        words = f"{shown} was blocked before it was sent: {why}"
        self._on_blocked(Blocked(error("unapproved-request", words), str(method), identity))
        return SendRefused(words)
