"""Dispatches a stdio server's messages to their receivers."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding
from ...protocol.rpc import METHOD_NOT_FOUND
from ..calls import request_in
from ..events import LinkEvent, Noticed
from ..exchange import RpcClient
from ..listing import told_in
from ..protocol import PING, PROGRESS, logged, stray_answer
from .inbound import BATCH, Message, MessageReader, Unreadable
from .lines import Line

if TYPE_CHECKING:
    from .sdk_session import SdkSession

BACKLOG = 2_000
"""Things that wait for the event loop; a server that sends faster has to wait itself."""
BACKLOG_SECONDS = 5.0


class StdioInbound:
    """Reads the lines of one process: first for the initialization, then for the SDK's session."""

    def __init__(
        self,
        exchange: RpcClient,
        emit: Callable[[LinkEvent], None],
        session: Callable[[], SdkSession | None],
        on_loop: Callable[[Callable[[], None]], None],
        asks_too_much: Callable[[], bool],
        has_batches: Callable[[], bool],
        is_modern: Callable[[], bool],
    ) -> None:
        """`session`: the SDK's, once there is one; it is spoken to by `on_loop` alone.
        `asks_too_much`: whether the server asks and does not read the answers. `has_batches` and
        `is_modern`: whether the revision that was agreed has JSON-RPC batches, and whether
        servers send no requests in it."""
        self._is_modern = is_modern
        self._exchange = exchange
        self._emit = emit
        self._session = session
        self._on_loop = on_loop
        self._asks_too_much = asks_too_much
        self._has_batches = has_batches
        self._reader = MessageReader()

    def take(self, line: Line) -> None:
        """A line came; called from the thread that reads them."""
        for item in self._reader.read(line):
            match item:
                case Finding():
                    if item.code != BATCH or not self._has_batches():
                        self._emit(Noticed(item))
                case Unreadable():
                    if not self._exchange.fail(item.id, item.reason):
                        self._fail_call(item)
                case Message(body):
                    self._on_message(body)

    def _on_message(self, body: dict[str, JsonValue]) -> None:
        session = self._session()
        if (told := told_in(body)) is not None:
            self._emit(told)
        elif (message := logged(body)) is not None:
            self._emit(message)
        elif self._exchange.take(body) or self._is_dropped(body):
            return
        elif self._is_forbidden(body):
            if (request := request_in(body)) is not None:
                self._emit(request)
        elif session is not None and session.is_open:
            if body.get("method") != PROGRESS:
                # The SDK never sees progress, so that it holds up nothing there.
                _wait_for_room(session)
            self._on_loop(partial(session.deliver, body))
        elif "method" not in body:
            self._emit(Noticed(stray_answer(body.get("id"))))
        elif "id" in body:
            self._take_early(body)

    def _take_early(self, body: dict[str, JsonValue]) -> None:
        """A request that came before the SDK was there."""
        request = request_in(body)
        if request is None or body["method"] == PING:
            _answer_early(self._exchange, body)
        elif self._session() is not None:
            self._to_session(lambda session: session.deliver(body))
        else:
            # Nobody listens yet; whoever does will be told of it first.
            self._emit(request)

    def _is_dropped(self, body: dict[str, JsonValue]) -> bool:
        return "method" in body and "id" in body and self._asks_too_much()

    def _is_forbidden(self, body: dict[str, JsonValue]) -> bool:
        """True if it is a request in an era without server requests: reported, not answered.

        Spec 2026-07-28, basic/transports/stdio "Sending Messages": the client never writes
        responses.
        """
        return "method" in body and "id" in body and self._is_modern()

    def _fail_call(self, item: Unreadable) -> None:
        self._to_session(lambda session: session.deliver_unreadable(item))

    def _to_session(self, action: Callable[[SdkSession], None]) -> None:
        session = self._session()
        if session is not None:
            self._on_loop(lambda: action(session))


def _wait_for_room(session: SdkSession) -> None:
    """Let a server that sends faster than the SDK reads wait, but not for ever."""
    deadline = time.monotonic() + BACKLOG_SECONDS
    while session.backlog > BACKLOG and time.monotonic() < deadline:
        time.sleep(0.005)


def _answer_early(exchange: RpcClient, body: dict[str, JsonValue]) -> None:
    """Answer a ping, or what cannot be read, before anybody listens."""
    answer: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": body["id"]}
    if body["method"] == PING:
        answer["result"] = {}
    else:
        answer["error"] = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
    exchange.tell(answer)
