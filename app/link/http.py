"""A link to a Streamable HTTP server, through the SDK's transport and session.

The SDK owns headers, sessions and resuming; the HTTP client that it is given has a tap in it,
which keeps the evidence.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from signoff.app.core.approvals.what_runs import WhatRuns, keyed
from signoff.app.core.findings import error
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.rpc import RpcError
from signoff.app.core.server import Basis
from signoff.app.faults import fault_words
from signoff.app.link.calls import CallTable, PendingCall
from signoff.app.link.events import (
    Ended,
    Greeting,
    LinkEvent,
    ListChanged,
    Listener,
    Listing,
    Noticed,
    Reply,
    Requested,
    Stage,
)
from signoff.app.link.exchange import Answered, Silent
from signoff.app.link.greeting import (
    PROBE_SECONDS,
    GreetingFailed,
    describe,
    read_discovery,
    read_handshake,
    why_neither,
    without_legacy,
    without_modern,
)
from signoff.app.link.listing import LIST_SECONDS, Pages
from signoff.app.link.negotiation import AUTO, LEGACY
from signoff.app.link.protocol import DISCOVER, INITIALIZE, MODERN, NOT_READ, answer_to
from signoff.app.link.session import (
    LOST,
    adopt,
    client_info,
    keep_answers,
    make_call,
    make_read,
    session_class,
    words_of,
)
from signoff.app.link.urls import endpoint, has_more, masked

if TYPE_CHECKING:
    from mcp import ClientSession

    from signoff.app.link.tap import HttpTap

ANSWER_SECONDS = 15.0
"""How long a server may take for its answer to initialize."""
CLOSE_SECONDS = 1.5
RELISTEN_SECONDS = 1.0
UNSENT_MAX = 1_000
"""Answers that may wait for a server that asks without taking them."""
RELISTEN_SECONDS_MAX = 30.0


class HttpLink:
    """One URL and the SDK's session on it."""

    def __init__(self, url: str, protocol: str = AUTO) -> None:
        """`protocol` is AUTO, LEGACY or MODERN."""
        self._url = url
        self._protocol = protocol
        self.command = masked(url)
        self.identity = f"http:{endpoint(url)}"
        """Origin and path."""
        self._listener: Listener = lambda event: None
        self._tap: HttpTap | None = None
        self._session: ClientSession | None = None
        self._greeting: Greeting | None = None
        self._owner: asyncio.Task[None] | None = None
        self._outbox: Any = None
        self._unsent: deque[dict[str, JsonValue]] = deque()
        """Answers to what the server asked for."""
        self._answering: asyncio.Task[None] | None = None
        self._has_told_flood = False
        self._is_closing = False
        self._lost_words = ""

    def begin(self) -> None:
        """Nothing can begin before the SDK is imported."""

    def attach(self, listener: Listener) -> None:
        self._listener = listener
        self._ready = asyncio.Event()
        self._over = asyncio.Event()
        self._doubt = asyncio.Event()
        self._listing = asyncio.Lock()
        self._owner = asyncio.create_task(self._own(), name="mcp-http")

    async def what_runs(self, key: bytes) -> WhatRuns | None:
        """A digest of the whole URL, where it has more than the identity says."""
        if has_more(self._url):
            return WhatRuns(target=keyed(key, self._url))
        return None

    def prepare(self) -> None:
        """The SDK is there already: it made the connection."""

    async def list_tools(self) -> Listing | None:
        session, tap = self._session, self._tap
        if session is None or tap is None or self._over.is_set():
            return None
        try:
            async with self._listing:
                return await self._fetch_pages(session, tap)
        except GreetingFailed as problem:
            if self._over.is_set() and self._owner is not None:
                # Whoever asks why is to find the reason there.
                await asyncio.wait({self._owner}, timeout=CLOSE_SECONDS)
            else:
                self._emit(Noticed(error("list-failed", problem.words)))
            return None

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        return await self._ask(
            call,
            lambda session, table: make_call(
                session, table, call, name, arguments, self._over.is_set
            ),
        )

    async def read(self, call: PendingCall, uri: str) -> Reply:
        return await self._ask(
            call, lambda session, table: make_read(session, table, call, uri, self._over.is_set)
        )

    async def _ask(
        self, call: PendingCall, ask: Callable[[ClientSession, CallTable], Awaitable[Reply]]
    ) -> Reply:
        if self._owner is None:
            return Reply(problem="the link is not attached", lost=True)
        await self._ready.wait()
        session, tap = self._session, self._tap
        if session is None or tap is None or self._over.is_set():
            return LOST
        try:
            reply = await ask(session, tap.table)
            if call.reply is not None:
                return call.reply
            why = [tap.unanswered[one] for one in call.ids if one in tap.unanswered]
            words = next(iter(why), self._lost_words)
            return Reply(problem=words, lost=True) if words else reply
        finally:
            for one in call.ids:
                tap.unanswered.pop(one, None)

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for, in a request of its own."""
        if self._outbox is None or self._over.is_set():
            return
        if len(self._unsent) < UNSENT_MAX:
            self._unsent.append(answer_to(request.id, answer))
        elif not self._has_told_flood:
            self._has_told_flood = True
            self._emit(Noticed(error("asks-too-much", NOT_READ)))
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._send_answers(self._outbox))

    async def _send_answers(self, outbox: Any) -> None:
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        # The connection may be over by now; then nobody waits for them any more.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while self._unsent:
                message = jsonrpc_message_adapter.validate_python(self._unsent.popleft())
                await outbox.send(SessionMessage(message))

    async def close(self) -> None:
        """End the session politely, but soon."""
        self._is_closing = True
        if self._answering is not None:
            self._answering.cancel()
        owner = self._owner
        if owner is None:
            return
        self._over.set()
        if self._ready.is_set():
            await asyncio.wait({owner}, timeout=CLOSE_SECONDS)
        # Cancelled once and no more: the SDK's clean-up is not made for a second time.
        if not owner.done():
            owner.cancel()
            await asyncio.wait({owner}, timeout=1)
        self._ready.set()

    def kill(self) -> None:
        """There is no process to end."""

    async def _own(self) -> None:
        """The one task that enters and leaves the transport and the session."""
        words = ""
        try:
            self._emit(Stage("importing the SDK"))
            await self._connected(await session_class())
        except GreetingFailed as problem:
            words = problem.words
        except Exception as problem:
            fault = fault_words(problem, "on a connection over HTTP")
            words = f"the connection failed: {fault or words_of(problem)}"
        finally:
            self._over.set()
            self._session = None
            self._ready.set()
        if not self._is_closing:
            self._emit(Ended(self._lost_words or words or "the connection was closed"))

    async def _connected(self, make_session: type[ClientSession]) -> None:
        from mcp.client.streamable_http import streamable_http_client

        from signoff.app.link.tap import HttpTap, TappedWriter
        from signoff.app.link.web import TappedClient, credentials

        tap = self._tap = HttpTap(self._emit, self._lose)
        failed: GreetingFailed | None = None
        async with (
            TappedClient(tap, credentials(self._url)) as web,
            streamable_http_client(self._url, http_client=web, max_sse_event_size=None) as streams,
            make_session(
                streams[0], TappedWriter(streams[1], tap), client_info=client_info()
            ) as session,
        ):
            keep_answers(session)
            self._outbox = streams[1]
            try:
                await self._greet(session, tap)
                await self._stay(session, tap)
            except GreetingFailed as problem:
                # Raised in here it would come out wrapped in groups.
                failed = problem
            finally:
                self._over.set()
        if failed is not None:
            raise failed

    async def _greet(self, session: ClientSession, tap: HttpTap) -> None:
        """Era, greeting and the first list of tools. Raises GreetingFailed."""
        greeting = await self._agree(session, tap)
        if greeting.era == "modern":
            adopt(session, greeting)
        self._greeting = greeting
        self._emit(greeting)
        self._emit(Stage("waiting for the list of tools"))
        self._session = session
        async with self._listing:
            self._emit(await self._fetch_pages(session, tap, is_first=True))
        self._ready.set()

    async def _agree(self, session: ClientSession, tap: HttpTap) -> Greeting:
        """Ask for the modern era, then for the handshake, or for the one that was chosen."""
        if self._protocol == LEGACY:
            found = await self._initialize(session, tap, without_legacy)
            return replace(found, basis=Basis.CHOSEN)
        is_chosen = self._protocol == MODERN
        answer = await self._discover(session, tap, ANSWER_SECONDS if is_chosen else PROBE_SECONDS)
        if (modern := read_discovery(answer)) is not None:
            return replace(modern, basis=Basis.CHOSEN) if is_chosen else modern
        if is_chosen:
            raise without_modern(answer)
        try:
            found = await self._initialize(session, tap)
        except GreetingFailed as failed:
            if self._over.is_set() or not isinstance(answer, Silent):
                raise why_neither(answer, failed) from None
            # A server of the modern era that was too slow for the probe.
            answer = await self._discover(session, tap, ANSWER_SECONDS)
            if (modern := read_discovery(answer)) is not None:
                return modern
            raise why_neither(answer, failed) from None
        return replace(found, basis=Basis.GUESSED) if isinstance(answer, Silent) else found

    async def _discover(self, session: ClientSession, tap: HttpTap, seconds: float) -> Answered:
        self._emit(Stage(f"waiting for an answer to {DISCOVER}"))
        return await tap.outcome(DISCOVER, session.send_discover(MODERN), seconds)

    async def _initialize(
        self,
        session: ClientSession,
        tap: HttpTap,
        refused: Callable[[GreetingFailed], GreetingFailed] = lambda failed: failed,
    ) -> Greeting:
        if self._over.is_set():
            raise GreetingFailed(self._lost_words)
        self._emit(Stage(f"waiting for an answer to {INITIALIZE}"))
        answer = await tap.outcome(INITIALIZE, session.initialize(), ANSWER_SECONDS)
        if isinstance(answer, Silent):
            limit = f"{ANSWER_SECONDS:g} s"
            raise GreetingFailed(f"the server did not answer initialize within {limit}")
        if isinstance(answer, RpcError):
            await self._look_for_old_sse(tap)
            if answer.code is None:
                raise GreetingFailed(answer.message)
        try:
            return read_handshake(answer)
        except GreetingFailed as failed:
            raise refused(failed) from None

    async def _look_for_old_sse(self, tap: HttpTap) -> None:
        """Raises GreetingFailed where the refusal means the transport before this one."""
        from signoff.app.link.old_sse import OLD_SSE, may_be_old, names_endpoint
        from signoff.app.link.refusals import status_words

        status = tap.refused.get(INITIALIZE)
        if status is None or not may_be_old(status):
            return
        self._emit(Stage("looking whether it is a server of the old transport"))
        if await names_endpoint(self._url):
            raise GreetingFailed(f"the server answered {status_words(status)}: {OLD_SSE}")

    async def _fetch_pages(
        self, session: ClientSession, tap: HttpTap, *, is_first: bool = False
    ) -> Listing:
        """All pages of tools/list. Raises GreetingFailed where the first one fails."""
        import mcp.types as types

        from signoff.app.link.tap import without_bad_headers

        pages = Pages()
        deadline = time.monotonic() + LIST_SECONDS
        while True:
            asking = session.list_tools(params=types.PaginatedRequestParams(cursor=pages.cursor))
            rest = max(0.1, deadline - time.monotonic())
            if not pages.add(await tap.outcome("tools/list", asking, rest)):
                break
            if is_first:
                done = f"{len(pages.entries)} so far"
                self._emit(Stage(f"waiting for page {pages.count + 1} of the tools; {done}"))
        listing = pages.listing()
        return without_bad_headers(listing) if self._is_modern else listing

    @property
    def _is_modern(self) -> bool:
        return self._greeting is not None and self._greeting.era == "modern"

    async def _stay(self, session: ClientSession, tap: HttpTap) -> None:
        """Hear of changes, and look whether the server is there, until the link is over."""
        import anyio

        tap.on_doubt = self._doubt.set
        async with anyio.create_task_group() as group:
            group.start_soon(self._look_after, session)
            tools = {} if self._greeting is None else self._greeting.capabilities.get("tools")
            if self._is_modern and isinstance(tools, dict) and tools.get("listChanged"):
                group.start_soon(self._follow_changes, session, tap)
            await self._over.wait()
            group.cancel_scope.cancel()

    async def _follow_changes(self, session: ClientSession, tap: HttpTap) -> None:
        """Subscribe to list_changed, again and again as streams end (spec 2026-07-28)."""
        from mcp.client.subscriptions import SubscriptionLost, listen

        pause = RELISTEN_SECONDS
        has_listened = False
        while True:
            try:
                async with listen(session, tools_list_changed=True) as subscription:
                    if has_listened:
                        # What changed meanwhile was told to nobody.
                        self._emit(ListChanged())
                    has_listened, pause = True, RELISTEN_SECONDS
                    async for _ in subscription:
                        """The tap has told of it."""
            except SubscriptionLost:
                pass
            except Exception as problem:
                if not has_listened:
                    kept = tap.kept("subscriptions/listen")
                    why = describe(kept) if isinstance(kept, RpcError) else words_of(problem)
                    words = f"the server does not tell when its tools change: {why}"
                    self._emit(Noticed(error("subscription-lost", words)))
                    return
            await asyncio.sleep(pause)
            pause = min(RELISTEN_SECONDS_MAX, pause * 2)

    async def _look_after(self, session: ClientSession) -> None:
        """Where a connection broke, ask the server for a sign of life: any answer is one."""
        import anyio

        while True:
            await self._doubt.wait()
            self._doubt.clear()
            with anyio.move_on_after(PROBE_SECONDS), contextlib.suppress(Exception):
                await (session.send_discover(MODERN) if self._is_modern else session.send_ping())

    def _lose(self, words: str) -> None:
        """The server is not there any more; whoever waits for an answer is told so."""
        self._lost_words = self._lost_words or words
        self._over.set()

    def _emit(self, event: LinkEvent) -> None:
        self._listener(event)
