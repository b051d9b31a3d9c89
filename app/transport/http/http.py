"""A link to a Streamable HTTP server, through the SDK's transport and session.

The SDK owns headers, sessions and resuming; the HTTP client that it is given has a tap in it, which
keeps the evidence. `HttpAnswers` sends responses to the server's requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ...approval.fingerprint import ServerFingerprint, keyed
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error
from ...protocol.rpc import RpcError
from ...protocol.server_requests.capabilities import (
    ALL_CAPABILITIES,
    ROOTS,
    ROOTS_CHANGED,
    ClientCapabilities,
)
from ...protocol.wire.frames import BEGAN, WireLog
from ...storage.fault_log import fault_words
from ..calls import CallTable, PendingCall
from ..events import Ended, Greeting, LinkEvent, Listener, Listing, Noticed, Reply, Requested, Stage
from ..exchange import ASK_SECONDS, Answered, ConnectionClosed, NoResponse
from ..gate import NEEDS_APPROVAL, Gate
from ..greeting import GreetingFailed
from ..listing import Pages
from ..negotiation import AUTO
from ..plain_requests import answered
from ..protocol import NOT_READ, answer_to, modern_meta, notification
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
from .frames import endpoint, has_more, masked
from .requests import HttpGreeting, HttpWatch

if TYPE_CHECKING:
    from mcp import ClientSession

    from ...analysis.evidence.watch import Watch
    from .requests import HttpRaw
    from .tap import HttpTap

CLOSE_SECONDS = 1.5


class HttpLink:
    """One URL and the SDK's session on it."""

    def __init__(
        self,
        url: str,
        protocol: str = AUTO,
        capabilities: ClientCapabilities = ALL_CAPABILITIES,
        wire: WireLog | None = None,
    ) -> None:
        """`protocol` is AUTO, LEGACY or MODERN; `capabilities` are what the server may ask for;
        `wire` takes all that is sent and received."""
        self.wire = wire or WireLog()
        self.watch: Watch | None = None
        self.capabilities = capabilities
        self._log_level = ""
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
        self._answers: HttpAnswers | None = None
        """To what the server asked for."""
        self._raw: HttpRaw | None = None
        """For what a person writes."""
        self._has_told_flood = False
        self._is_closing = False
        self._limits: set[asyncio.Timeout] = set()
        """Of the requests that wait for a response."""
        self._lost_words = ""

    def begin(self) -> None:
        """Do nothing: the SDK must be imported first."""

    def attach(self, listener: Listener) -> None:
        self._listener = listener
        self._ready = asyncio.Event()
        self._over = asyncio.Event()
        self._listing = asyncio.Lock()
        self._owner = asyncio.create_task(self._own(), name="mcp-http")

    async def fingerprint(self, key: bytes) -> ServerFingerprint | None:
        """A digest of the whole URL, if it has more than the identity says."""
        if has_more(self._url):
            return ServerFingerprint(target=keyed(key, self._url))
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

    @property
    def log_level(self) -> str:
        return self._log_level

    @log_level.setter
    def log_level(self, level: str) -> None:
        self._log_level = level
        if self._tap is not None:
            self._tap.log_level = level

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

    async def get_prompt(
        self, call: PendingCall, name: str, arguments: dict[str, JsonValue]
    ) -> Reply:
        params: dict[str, JsonValue] = {"name": name, "arguments": arguments}
        return await self._ask(
            call,
            lambda session, table: make_request(
                session, table, call, params, self._over.is_set, tells_progress=True
            ),
        )

    async def ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered:
        if method in NEEDS_APPROVAL:
            gate = Gate(self._emit) if self._tap is None else self._tap.gate
            return RpcError(None, str(gate.block(None, method)))
        call = PendingCall(_ignore, _ignore, _ignore, method)
        try:
            async with asyncio.timeout(seconds):
                reply = await self._ask(
                    call,
                    lambda session, table: make_request(
                        session, table, call, params, self._over.is_set
                    ),
                )
        except TimeoutError:
            return NoResponse()
        return answered(reply)

    async def send_raw(
        self, message: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered | None:
        """Send a message as it is."""
        if self._owner is not None:
            await self._ready.wait()
        if self._raw is None or self._over.is_set():
            return ConnectionClosed()
        return await self._raw.send(message, seconds)

    def request_meta(self) -> dict[str, JsonValue]:
        """Return the `_meta` that requests carry since 2026-07-28."""
        return modern_meta(self.capabilities) if self._is_modern else {}

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
            reply = await self._asked(ask(session, tap.table))
            if call.reply is not None:
                return call.reply
            why = [tap.unanswered[one] for one in call.ids if one in tap.unanswered]
            words = next(iter(why), self._lost_words)
            return Reply(problem=words, lost=True) if words else reply
        finally:
            for one in call.ids:
                tap.unanswered.pop(one, None)

    async def _asked(self, asking: Awaitable[Reply]) -> Reply:
        """The reply, or that it is lost some time after the connection is over."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits.add(limit)
                return await asking
        except TimeoutError:
            if limit.expired():
                return LOST
            raise
        finally:
            self._limits.discard(limit)

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for, in a request of its own; not since 2026-07-28."""
        if self._answers is None or self._over.is_set() or self._is_modern:
            return
        if not self._answers.put(answer_to(request.id, answer)) and not self._has_told_flood:
            self._has_told_flood = True
            self._emit(Noticed(error("asks-too-much", NOT_READ)))

    def tell_roots_changed(self) -> None:
        """`notifications/roots/list_changed`; since 2026-07-28 there is no such thing."""
        if self._answers is None or self._over.is_set() or self._is_modern:
            return
        if self.capabilities.declares(ROOTS):
            self._answers.put(notification(ROOTS_CHANGED))

    async def close(self) -> None:
        """End the session politely, but soon."""
        self._is_closing = True
        if self._answers is not None:
            self._answers.close()
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
            # The session forgets a request that it takes while it ends.
            for limit in self._limits:
                limit.reschedule(asyncio.get_running_loop().time() + CLOSE_SECONDS)
        if not self._is_closing:
            self._emit(Ended(self._lost_words or words or "the connection was closed"))

    async def _connected(self, make_session: type[ClientSession]) -> None:
        from mcp.client.streamable_http import streamable_http_client

        from .client import TappedClient, credentials
        from .frames import HttpFrames
        from .requests import HttpRaw
        from .tap import HttpTap, TappedWriter

        self.wire.note(f"{BEGAN}: over HTTP to {self.command}")
        tap = self._tap = HttpTap(self._emit, self._lose, self.capabilities)
        tap.log_level = self._log_level
        failed: GreetingFailed | None = None
        async with (
            TappedClient(tap, credentials(self._url), HttpFrames(self.wire, tap.table)) as web,
            streamable_http_client(self._url, http_client=web, max_sse_event_size=None) as streams,
            make_session(
                streams[0], TappedWriter(streams[1], tap), client_info=client_info()
            ) as session,
        ):
            keep_answers(session)
            self._answers = HttpAnswers(streams[1])
            try:
                greeting = await self._greet(session, tap)
                self._raw = HttpRaw(streams[1], tap, self._over, is_modern=self._is_modern)
                await HttpWatch(session, tap, greeting, self._emit).until(self._over)
            except GreetingFailed as problem:
                # Raised in here it would come out wrapped in groups.
                failed = problem
            finally:
                self._over.set()
        if failed is not None:
            raise failed

    async def _greet(self, session: ClientSession, tap: HttpTap) -> Greeting:
        """Era, greeting and the first list of tools. Raises GreetingFailed."""
        asking = HttpGreeting(
            self._url, session, tap, self._emit, self._over.is_set, lambda: self._lost_words
        )
        greeting = await asking.agree(self._protocol)
        if greeting.era == "modern":
            adopt(session, greeting)
        self._greeting, tap.version = greeting, greeting.version
        self._emit(greeting)
        self._emit(Stage("waiting for the list of tools"))
        self._session = session
        async with self._listing:
            self._emit(await self._fetch_pages(session, tap, is_first=True))
        self._ready.set()
        return greeting

    async def _fetch_pages(
        self, session: ClientSession, tap: HttpTap, *, is_first: bool = False
    ) -> Listing:
        """All pages of tools/list. Raises GreetingFailed if the first one fails."""
        import mcp.types as types

        from .tap import without_bad_headers

        pages = Pages(served=self._greeting.capabilities if self._greeting else None)
        deadline = time.monotonic() + pages.seconds
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

    def _lose(self, words: str) -> None:
        """End the connection; waiting requests fail."""
        self._lost_words = self._lost_words or words
        self._over.set()

    def _emit(self, event: LinkEvent) -> None:
        self._listener(event)


def _ignore(value: JsonValue) -> None:
    """Ignore a value: a plain request needs only its response."""


UNSENT_MAX = 1_000
"""Answers that may wait for a server that asks without taking them."""


class HttpAnswers:
    """Each leaves in a request of its own, one after the other."""

    def __init__(self, outbox: Any) -> None:
        """`outbox` is the stream onto the transport of the SDK."""
        self._outbox = outbox
        self._unsent: deque[dict[str, JsonValue]] = deque()
        self._sending: asyncio.Task[None] | None = None

    def put(self, answer: dict[str, JsonValue]) -> bool:
        """Send it as soon as may be; False where too many wait already."""
        has_room = len(self._unsent) < UNSENT_MAX
        if has_room:
            self._unsent.append(answer)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())
        return has_room

    def close(self) -> None:
        """Drop the pending responses."""
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        # The connection may be over by now; then nobody waits for them any more.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while self._unsent:
                message = jsonrpc_message_adapter.validate_python(self._unsent.popleft())
                await self._outbox.send(SessionMessage(message))
