"""Raw messages: sent exactly as the user wrote them, once approved and logged."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.text import cut, visible
from ..protocol.rpc import RpcError
from ..protocol.wire.composing import Composed, template
from ..protocol.wire.rows import latency_words
from ..storage.auditing.events import raw_answered, raw_denied, raw_sent
from ..transport.events import ConnectionClosed, NoResponse
from ..transport.gate import NEEDS_COMPARISON, Gate, only, without_approval
from ..transport.peer import PREFIX

if TYPE_CHECKING:
    from ..protocol.server import Server
    from ..transport import Link
    from .policy_state import AuditWriter

_QUOTED: Final = 200


@frozen
class RawMessage:
    """One raw message; the shown body is the one that is sent."""

    body: dict[str, JsonValue]
    is_request: bool

    @property
    def method(self) -> str:
        return str(self.body["method"])

    @property
    def id(self) -> str:
        """Empty if it has none."""
        return str(self.body.get("id", ""))


class RawMessages:
    """Sends raw messages. A person approves each under any policy; nothing is remembered."""

    def __init__(
        self,
        link: Callable[[], Link],
        server: Callable[[], Server],
        ledger: Callable[[], AuditWriter],
    ) -> None:
        self._link = link
        self._server = server
        self._ledger = ledger
        self._ids = itertools.count(1)

    def template(self, body: JsonValue = None) -> str:
        """The text to begin with: a request that was sent, or any."""
        return template(body, self._link().request_meta())

    def make(self, written: Composed) -> RawMessage:
        """The message to ask about, with an id that no other has."""
        identity = f"{PREFIX}raw-{next(self._ids)}"
        return RawMessage(written.message(identity), written.is_request)

    def deny(self, message: RawMessage) -> None:
        """Log the denial of a message; it is not sent."""
        self._ledger().write(raw_denied(self._server(), message.body))

    async def send(self, message: RawMessage) -> str:
        """Send an approved message; returns the outcome in words that are safe to show.

        With an audit log, nothing is sent that was not logged before.
        """
        link, server, ledger = self._link(), self._server(), self._ledger()
        if not server.is_open:
            return f"not sent: {server.ended_words or 'not connected'}"
        if not await ledger.write_through(raw_sent(server, message.body)):
            return f"not sent: the audit log failed: {ledger.problem}"
        if self._link() is not link or not self._server().is_open:
            # While it was logged.
            ledger.write(raw_answered(server, message.body, "not-sent"))
            return "not sent: the connection was lost"
        started = time.monotonic()
        answer = await link.send_raw(message.body, gate=_gate_of(message.body))
        took = latency_words(time.monotonic() - started)
        match answer:
            case None:
                return (
                    f"{visible(cut(message.method, 60).text)} was sent; a notification has no "
                    "response"
                )
            case ConnectionClosed():
                words, outcome = "no response: the connection was lost", "lost"
            case NoResponse():
                words, outcome = f"no response within {took}; cancelled", "time-limit"
            case RpcError(code, said):
                error = f"error {visible(str(code))}: " if code is not None else ""
                words = f"{error}{visible(cut(said, _QUOTED).text)}, after {took}"
                outcome = "error"
            case _:
                words, outcome = f"result after {took}", "result"
        ledger.write(raw_answered(server, message.body, outcome))
        return words


def _gate_of(body: dict[str, JsonValue]) -> Gate:
    """The gate of an approved message; one that carries the arguments of a call is compared."""
    method, params = str(body["method"]), body.get("params")
    if method not in NEEDS_COMPARISON:
        return without_approval
    return only(method, params if isinstance(params, dict) else {})
