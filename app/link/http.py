"""A link to a Streamable HTTP server, through the SDK's client and transport.

The SDK owns headers, sessions and the choice of the protocol era; a tap between its transport and
its client keeps the evidence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from app.core.content import RpcError
from app.core.findings import Finding, error
from app.core.jsonio import JsonValue
from app.link.calls import CallTable, PendingCall
from app.link.events import (
    Ended,
    Greeting,
    LinkEvent,
    ListChanged,
    Listener,
    Listing,
    Noticed,
    Reply,
    Stage,
)
from app.link.exchange import Silent, read_error
from app.link.greeting import LIST_SECONDS, GreetingFailed, Pages
from app.link.protocol import LIST_CHANGED
from app.link.session import LOST, client_info, import_sdk, keep_answers, make_call, words_of

BODY_LIMIT = 16_000_000
CONNECT_SECONDS = 15.0


class HttpLink:
    """One URL and the SDK's client on it."""

    def __init__(self, url: str) -> None:
        self.command = url
        parts = urlsplit(url)
        self.identity = f"http:{urlunsplit((parts.scheme, parts.netloc, parts.path, '', ''))}"
        """What approvals are bound to: origin and path."""
        self._listener: Listener = lambda event: None
        self._tap: _Tap | None = None
        self._client: Any = None
        self._ready: asyncio.Event | None = None
        self._stop: asyncio.Event | None = None
        self._listing: asyncio.Lock | None = None
        self._owner: asyncio.Task[None] | None = None
        self._is_gone = False

    def begin(self) -> None:
        """Nothing can begin before the SDK is imported."""

    def attach(self, listener: Listener) -> None:
        self._listener = listener
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._listing = asyncio.Lock()
        self._owner = asyncio.create_task(self._own(), name="mcp-http")

    def prepare(self) -> None:
        """The SDK is there already: it made the connection."""

    async def list_tools(self) -> Listing | None:
        if self._client is None or self._listing is None:
            return None
        try:
            async with self._listing:
                return await self._fetch_pages()
        except GreetingFailed:
            return None

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        assert self._ready is not None
        await self._ready.wait()
        if self._client is None or self._tap is None or self._is_gone:
            return LOST
        session = self._client.session
        return await make_call(
            session, self._tap.table, call, name, arguments, lambda: self._is_gone
        )

    async def close(self) -> None:
        if self._stop is None or self._owner is None:
            return
        self._stop.set()
        done, _ = await asyncio.wait({self._owner}, timeout=3)
        if not done:
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=2)

    def kill(self) -> None:
        """There is no process to end."""

    async def _own(self) -> None:
        """The one task that enters and leaves the transport and the client."""
        assert self._stop is not None
        assert self._ready is not None
        self._emit(Stage("importing the SDK"))
        await import_sdk()
        self._emit(Stage("waiting for an answer over HTTP"))
        words = "the connection was closed"
        try:
            await self._connected(self._stop)
        except Exception as problem:
            words = f"the connection failed: {words_of(problem)}"
        finally:
            self._is_gone = True
            self._client = None
            self._ready.set()
        if not self._stop.is_set():
            self._emit(Ended(words))

    async def _connected(self, stop: asyncio.Event) -> None:
        import anyio
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        timeout = httpx2.Timeout(CONNECT_SECONDS, read=None)
        async with anyio.create_task_group() as group, httpx2.AsyncClient(timeout=timeout) as http:
            transport = streamable_http_client(
                self.command, http_client=http, max_sse_event_size=BODY_LIMIT
            )
            self._tap = _Tap(transport, self._emit)
            group.start_soon(_cancel_when, stop, group.cancel_scope)
            client = Client(self._tap, client_info=client_info(), cache=None)
            async with client:
                keep_answers(client.session)
                self._client = client
                self._emit(_greeting_of(client))
                self._emit(Stage("waiting for the list of tools"))
                self._emit(await self._fetch_pages())
                assert self._ready is not None
                self._ready.set()
                await self._follow(client)
                await stop.wait()

    async def _follow(self, client: Any) -> None:
        """Hear of list_changed as long as the connection lasts (spec 2026-07-28)."""
        tools = client.server_capabilities.tools
        if client.session.discover_result is None or tools is None or not tools.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as subscription:
                async for _ in subscription:
                    self._emit(ListChanged())
        except Exception as problem:
            self._emit(Noticed(error("subscription-lost", words_of(problem))))

    async def _fetch_pages(self) -> Listing:
        import mcp.types as types

        assert self._tap is not None
        pages = Pages()
        wants_more = True
        while wants_more:
            params = types.PaginatedRequestParams(cursor=pages.cursor)
            self._tap.last_list = None
            answer: dict[str, JsonValue] | RpcError | Silent
            try:
                async with asyncio.timeout(LIST_SECONDS):
                    await self._client.session.list_tools(params=params)
                answer = RpcError(None, "the answer was not kept")
            except TimeoutError:
                answer = Silent()
            except Exception as problem:
                answer = RpcError(None, words_of(problem))
            wants_more = pages.add(self._tap.last_list or answer)
        return pages.listing()

    def _emit(self, event: LinkEvent) -> None:
        self._listener(event)


async def _cancel_when(stop: asyncio.Event, scope: Any) -> None:
    await stop.wait()
    scope.cancel()


def _greeting_of(client: Any) -> Greeting:
    session = client.session
    is_modern = session.discover_result is not None
    raw = session.discover_result if is_modern else session.initialize_result
    info = client.server_info
    return Greeting(
        era="modern" if is_modern else "legacy",
        version=str(client.protocol_version),
        info={} if info is None else _plain(info),
        capabilities=_plain(client.server_capabilities),
        instructions=client.instructions or "",
        raw=_plain(raw),
    )


def _plain(model: Any) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = model.model_dump(by_alias=True, exclude_none=True, mode="json")
    return shown


class _Tap:
    """Stands between the SDK's transport and its client; sees every message both ways."""

    def __init__(self, transport: Any, emit: Callable[[LinkEvent], None]) -> None:
        self._transport = transport
        self._emit = emit
        self._list_ids: set[str | int] = set()
        self.table = CallTable(self._notice)
        self.last_list: dict[str, JsonValue] | RpcError | None = None

    async def __aenter__(self) -> tuple[_TappedReader, _TappedWriter]:
        reader, writer = await self._transport.__aenter__()
        return _TappedReader(reader, self), _TappedWriter(writer, self)

    async def __aexit__(self, *details: Any) -> Any:
        return await self._transport.__aexit__(*details)

    def outgoing(self, message: Any) -> None:
        method, identity = getattr(message, "method", None), getattr(message, "id", None)
        if method is None or identity is None:
            return
        if method == "tools/list":
            self._list_ids.add(identity)
        self.table.outgoing(identity, method, message.params)

    def incoming(self, item: Any) -> Any:
        """What the client has to see of an item; None for nothing."""
        from mcp.types import jsonrpc_message_adapter

        if isinstance(item, Exception):
            self._notice(error("unreadable-message", f"a message cannot be read: {words_of(item)}"))
            return item
        body = item.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if body.get("method") == LIST_CHANGED:
            self._emit(ListChanged())
        identity = body.get("id")
        if "method" not in body and identity in self._list_ids:
            self._list_ids.discard(identity)
            problem = body.get("error")
            self.last_list = (
                read_error(problem) if isinstance(problem, dict) else body.get("result")
            )
            return item
        shown = self.table.incoming(body)
        if shown is None or shown is body:
            return None if shown is None else item
        item.message = jsonrpc_message_adapter.validate_python(shown, by_name=False)
        return item

    def _notice(self, finding: Finding) -> None:
        self._emit(Noticed(finding))


class _TappedReader:
    def __init__(self, inner: Any, tap: _Tap) -> None:
        self._inner = inner
        self._tap = tap

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        while True:
            item = self._tap.incoming(await self._inner.receive())
            if item is not None:
                return item

    def __aiter__(self) -> _TappedReader:
        return self

    async def __anext__(self) -> Any:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _TappedReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _TappedWriter:
    def __init__(self, inner: Any, tap: _Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def send(self, item: Any, /) -> None:
        self._tap.outgoing(item.message)
        await self._inner.send(item)

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _TappedWriter:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
