"""The last gate before a server: turns a message into the bytes that are written, or refuses to.

Every transport writes only what `LastGate.seal` returns, and calls it right before it writes. The
gate is closed by default: a request that needs approval passes only with a comparison of its own,
which is an argument of the request from the engine down to here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, canonical
from ..content.text import cut, visible
from ..protocol.findings.findings import error
from ..protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD, RESOLVE_METHOD
from .events import Blocked
from .protocol import DISCOVER, INITIALIZE, LISTEN, PING

NEEDS_APPROVAL: Final = frozenset({CALL_METHOD, READ_METHOD, PROMPT_METHOD})
"""Methods whose every request is a call that a policy or a person has approved."""
NEEDS_COMPARISON: Final = frozenset({RESOLVE_METHOD})
"""Methods that no person approves but that carry arguments: each message passes a comparison."""
_CONNECTING: Final = frozenset({DISCOVER, INITIALIZE, PING, "tools/list", LISTEN})
"""Requests that make and keep a connection: they need neither a policy nor an approval."""
_COMPARED: Final = NEEDS_APPROVAL | NEEDS_COMPARISON
_NOTIFICATIONS: Final = "notifications/"

Gate = Callable[[dict[str, JsonValue]], None]
"""Compares a whole message, right before it is written, with what was approved.

Raises SendRefused if they differ. It is good for one writing."""


@frozen
class CallGate:
    """The gate of an approved call, for one writing; and for the same one again, after it was
    refused for want of a sign-in (RFC 9110, 15.5.2: then it was not applied).
    """

    first: Gate
    again: Gate

    def __call__(self, message: dict[str, JsonValue]) -> None:
        self.first(message)


@frozen
class OnceGate:
    """The gate of a request with the arguments of a call that is not approved yet.

    It is written once, and never leads to a sign-in: a person is not asked for it.
    """

    compare: Gate

    def __call__(self, message: dict[str, JsonValue]) -> None:
        self.compare(message)


def only(method: str, params: dict[str, JsonValue]) -> OnceGate:
    """The gate for one request of this method and these params, but for the `_meta`."""
    wanted = canonical({key: one for key, one in params.items() if key != "_meta"})

    def compare(message: dict[str, JsonValue]) -> None:
        given = message.get("params")
        found = given if isinstance(given, dict) else {}
        bare: JsonValue = {key: one for key, one in found.items() if key != "_meta"}
        if message.get("method") != method or canonical(bare) != wanted:
            raise SendRefused(f"{method} differs from what was to be sent")

    return OnceGate(compare)


class SendRefused(Exception):
    """The message is not written. Its text is safe to show."""


def without_approval(message: dict[str, JsonValue]) -> None:
    """Gate of requests that need no approval, and of messages that a person wrote and approved."""


def sent_by_host(message: dict[str, JsonValue]) -> None:
    """Gate of a relay that only watches: what the host sends is its own."""


class LastGate:
    """Seals messages to one server. `seal` may be called from any thread."""

    def __init__(self, on_blocked: Callable[[Blocked], None]) -> None:
        self._on_blocked = on_blocked

    def seal(self, message: JsonValue, gate: Gate | None = None) -> bytes:
        """Return the bytes of a message that may be written now.

        Responses, notifications of the specification and what makes a connection need no gate.
        Raises SendRefused for any other message without one, a batch among them, and if its gate
        does.
        """
        if not isinstance(message, dict):
            raise self._block(None, "(not one JSON object)")
        if "method" in message and not _is_free(message):
            method = message["method"]
            if gate is None or (gate is without_approval and method in _COMPARED):
                raise self._block(message.get("id"), method)
            gate(message)
        # ASCII, since a lone surrogate cannot be written otherwise, and approved is approved.
        return json.dumps(message, separators=(",", ":")).encode("ascii")

    def pass_on(
        self, line: bytes, message: dict[str, JsonValue], gate: Gate | None = None
    ) -> bytes:
        """Return a line of a host that may be written now, as it came; `message` is what it has.

        Raises SendRefused as `seal` does, but takes any method that needs no approval: what else a
        host requests is its own.
        """
        method = message.get("method")
        if method in NEEDS_APPROVAL:
            if gate is None or gate is without_approval:
                raise self._block(message.get("id"), method)
            gate(message)
        return line

    def _block(self, identity: JsonValue, method: JsonValue) -> SendRefused:
        """Report a message that must not leave; returns the exception to raise."""
        shown = visible(cut(str(method), 60).text)
        words = f"{shown} was blocked before it was sent: not approved"
        self._on_blocked(Blocked(error("unapproved-request", words), str(method), identity))
        return SendRefused(words)


def _is_free(message: dict[str, JsonValue]) -> bool:
    method = message["method"]
    if not isinstance(method, str):
        return False
    return method.startswith(_NOTIFICATIONS) if message.get("id") is None else method in _CONNECTING
