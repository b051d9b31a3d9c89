"""The SDK's session over streams that Signoff has initialized itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding, error
from ...protocol.server_requests.capabilities import ClientCapabilities
from ...storage.fault_log import fault_words
from ..calls import CallTable, PendingCall
from ..events import FromServer, Greeting, Reply
from ..gate import Gate
from ..protocol import declare
from ..session import (
    LOST,
    adopt,
    client_info,
    keep_answers,
    make_call,
    make_read,
    make_request,
    session_class,
    words_of,
)
from .inbound import Unreadable

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage


class SdkSession:
    """Owns the SDK's session; one task enters and leaves it. Lives on the event loop."""

    def __init__(
        self,
        send: Callable[[dict[str, JsonValue], int], None],
        on_finding: Callable[[Finding], None],
        on_request: Callable[[FromServer], None],
        capabilities: ClientCapabilities,
        log_level: Callable[[], str],
        gate: Gate,
    ) -> None:
        """`send` writes a message for the call of a number, 0 for none.
        `log_level`: from which one on log messages are wanted now; empty for no word on it."""
        self._send = send
        self._on_finding = on_finding
        self._declare = lambda method, params: declare(method, params, capabilities, log_level())
        self._table = CallTable(on_finding, on_request, gate)
        self._greeting: Greeting | None = None
        self._greeted = asyncio.Event()
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()
        self._session: Any = None
        self._inbox: Any = None
        self._owner = asyncio.create_task(self._own(), name="mcp-session")

    @property
    def is_open(self) -> bool:
        return self._session is not None

    def prepare(self) -> None:
        """Import the SDK and hand it the streams, as soon as the server was greeted."""
        self._wanted.set()

    def greeted(self, greeting: Greeting) -> None:
        """The server was greeted."""
        self._greeting = greeting
        self._greeted.set()

    def end(self) -> None:
        """End the session: waiting requests fail."""
        self._ended.set()
        self._greeted.set()
        self._wanted.set()
        self._ready.set()

    async def close(self) -> None:
        self.end()
        await asyncio.wait({self._owner}, timeout=2)

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        self.prepare()
        await self._ready.wait()
        if self._session is None or self._ended.is_set():
            return LOST
        return await make_call(
            self._session, self._table, call, name, arguments, self._ended.is_set
        )

    async def read(self, call: PendingCall, uri: str) -> Reply:
        self.prepare()
        await self._ready.wait()
        if self._session is None or self._ended.is_set():
            return LOST
        return await make_read(self._session, self._table, call, uri, self._ended.is_set)

    async def request(self, call: PendingCall, params: dict[str, JsonValue]) -> Reply:
        self.prepare()
        await self._ready.wait()
        session, is_lost = self._session, self._ended.is_set
        if session is None or is_lost():
            return LOST
        return await make_request(session, self._table, call, params, is_lost, tells_progress=True)

    @property
    def backlog(self) -> int:
        """Messages that the SDK has not taken in yet. May be read from any thread."""
        inbox = self._inbox
        return 0 if inbox is None else int(inbox.statistics().current_buffer_used)

    def deliver(self, body: dict[str, JsonValue]) -> None:
        """One message from the server."""
        shown = self._table.incoming(body)
        if shown is not None:
            self._hand_to_sdk(shown)

    def deliver_unreadable(self, item: Unreadable) -> None:
        ending = self._table.unreadable(item.id, item.reason, item.whole)
        if ending is not None:
            self._hand_to_sdk(ending)

    def _hand_to_sdk(self, body: dict[str, JsonValue]) -> None:
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter
        from pydantic import ValidationError

        try:
            message = jsonrpc_message_adapter.validate_python(body, by_name=False)
        except ValidationError:
            return
        if self._inbox is not None and not self._ended.is_set():
            self._inbox.send_nowait(SessionMessage(message))

    async def _own(self) -> None:
        await self._greeted.wait()
        await self._wanted.wait()
        if self._greeting is None or self._ended.is_set():
            return
        try:
            await self._live(self._greeting)
        except Exception as problem:
            fault = fault_words(problem, "in the session of a server") or words_of(problem)
            self._on_finding(error("session-failed", f"the session failed: {fault}"))
        finally:
            self._session = None
            self._ready.set()

    async def _live(self, greeting: Greeting) -> None:
        make_session = await session_class()
        import anyio

        self._inbox, outbox = anyio.create_memory_object_stream[Any](float("inf"))
        out = cast("Any", _OutgoingStream(self._table, self._send, self._declare))
        session = make_session(outbox, out, client_info=client_info())
        keep_answers(session)
        async with session:
            adopt(session, greeting)
            self._session = session
            self._ready.set()
            await self._ended.wait()
            self._inbox.close()


class _OutgoingStream:
    """The write side that the session is given: taps, never blocks."""

    def __init__(
        self,
        table: CallTable,
        send: Callable[[dict[str, JsonValue], int], None],
        declare: Callable[[str, JsonValue], None],
    ) -> None:
        """`declare` puts into the params of a method what the SDK does not know."""
        self._table = table
        self._send = send
        self._declare = declare

    async def send(self, item: SessionMessage, /) -> None:
        message: Any = item.message
        method = getattr(message, "method", None)
        identity = getattr(message, "id", None)
        if method is not None and identity is not None:
            self._declare(method, message.params)
            self._table.outgoing(identity, method, message.params)
        plain = message.model_dump(by_alias=True, exclude_unset=True)
        self._send(plain, self._table.number_of(identity, plain))

    async def aclose(self) -> None:
        """Do nothing: the process owns its stdin."""

    async def __aenter__(self) -> _OutgoingStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
