"""A link to a Streamable HTTP server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...approval.fingerprint import ServerFingerprint, keyed
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error
from ...protocol.rpc import RpcError
from ...protocol.server import UNCHECKED
from ...protocol.server_requests.capabilities import (
    ALL_CAPABILITIES,
    ROOTS,
    ROOTS_CHANGED,
    ClientCapabilities,
)
from ...protocol.wire.frames import BEGAN, WireLog
from ...storage.fault_log import fault_words
from ..events import (
    NOT_ATTACHED,
    Answered,
    ConnectionClosed,
    Ended,
    Greeting,
    LinkEvent,
    Listener,
    Listing,
    NoResponse,
    Noticed,
    Reply,
    Requested,
    Stage,
)
from ..gate import Gate, LastGate, SendRefused, without_approval
from ..greeting import GreetingFailed
from ..listing import WAITING_FOR_TOOLS, list_tools_again, page_words
from ..negotiation import AUTO
from ..peer import ASK_SECONDS, Peer, PendingRequest
from ..protocol import CANCELLED, MODERN, NOT_READ, answer_to, modern_meta, notification
from ..sign_in.explanation import SignInExplanation
from ..time_limits import TimeLimits
from .frames import (
    HttpFrames,
    endpoint,
    has_more,
    masked,
    secrets_hidden,
    without_credentials,
)
from .loading import import_transport, words_of
from .outbox import HttpOutbox
from .reach import DIRECT, Reach, socket_transport, split_socket

if TYPE_CHECKING:
    from ...calls.effects.watch import Watch
    from ..sign_in.browser_options import BrowserOptions
    from ..sign_in.credentials import ClientCredentials
    from ..sign_in.sign_in import SignIn
    from ..sign_in.signed_in import SignedIn
    from ..sign_in.values import Discovery
    from .client import HttpClient
    from .transport import HttpTransport

HTTP, SSE = "http", "sse"
"""Ways to reach a URL, beside AUTO, which tries Streamable HTTP first: that alone, and HTTP+SSE."""
CLOSE_SECONDS = 1.5


class HttpLink:
    """One URL and the connection to what listens there."""

    def __init__(
        self,
        url: str,
        protocol: str = AUTO,
        capabilities: ClientCapabilities = ALL_CAPABILITIES,
        wire: WireLog | None = None,
        headers: Mapping[str, str] | None = None,
        shown: str = "",
        way: str = AUTO,
        reach: Reach = DIRECT,
        credentials: ClientCredentials | None = None,
        browser: BrowserOptions | None = None,
    ) -> None:
        """`protocol` is AUTO, LEGACY or MODERN; `capabilities` are what the server may ask for;
        `wire` takes all that is sent and received; `headers` go with every request;
        `shown` is the URL without secrets; `way` is AUTO, HTTP or SSE; `reach` has the
        certificates; `credentials` are those of a client that signs in by itself; with `browser`
        a person is asked to sign in where the server requires it."""
        self.wire = wire or WireLog()
        self.watch: Watch | None = None
        self.capabilities = capabilities
        self.log_level = ""
        self._url = url
        self._headers = dict(headers or {})
        self._credentials = credentials
        self._browser = browser
        self._limits = TimeLimits()
        self._client_sign_in: SignIn | None = None
        given = tuple(self._headers.values())
        self._hidden = given, secrets_hidden(url, given)
        """The secrets of the connection, and what takes them out of a text."""
        self._protocol = protocol
        self._way = way
        self._reach = reach
        self.command = shown or masked(url)
        self.identity = f"http:{endpoint(url)}{UNCHECKED * reach.is_insecure}"
        """Origin and path; another one if any machine between could answer."""
        self.lenient = tuple(dict.fromkeys(browser.lenient if browser is not None else ()))
        self._listener: Listener = lambda event: None
        self._peer = Peer(
            self._write, self._emit, prefix="", give_up=self._give_up, within=self._limits.within
        )
        self._transport: HttpTransport | None = None
        self.uses_sse = False
        """Whether the connection is over HTTP+SSE, the older transport."""
        self._greeting: Greeting | None = None
        self._owner: asyncio.Task[None] | None = None
        self._posts: dict[str | int, asyncio.Task[None]] = {}
        """Requests on their way, by id."""
        self._cancels: set[asyncio.Task[None]] = set()
        """Cancellations on their way: they wait for no other message."""
        self._untold = HttpOutbox(self._post_untold)
        self._has_told_flood = False
        self._is_closing = False
        self._lost_words = ""
        self._sign_in = SignInExplanation(self._note)

    def begin(self) -> None:
        """Do nothing: HTTP needs the event loop."""

    def attach(self, listener: Listener) -> None:
        self._listener = listener
        self._ready = asyncio.Event()
        self._context = asyncio.Event()
        self._listing = asyncio.Lock()
        self._owner = asyncio.create_task(self._own(), name="mcp-http")

    def changed_files(self) -> tuple[str, ...]:
        return ()

    async def fingerprint(self, key: bytes) -> ServerFingerprint | None:
        """Digests of what the identity leaves out: the whole URL, and the values of headers."""
        target = keyed(key, self._url) if has_more(self._url) else ""
        values = sorted((name.lower(), value) for name, value in self._headers.items())
        if self._credentials is not None:
            values.append(("authorization", self._credentials.identity))
        if not (target or values):
            return None
        digests = tuple((name, keyed(key, name, value)) for name, value in values)
        return ServerFingerprint(target=target, values=digests)

    async def list_tools(self) -> Listing | None:
        if self._transport is None or not self._ready.is_set() or self._context.is_set():
            return None
        try:
            async with self._listing:
                listing = await self._list(self._transport)
        except GreetingFailed as problem:
            if not self._context.is_set():
                self._emit(Noticed(error("list-failed", problem.words)))
                return None
            listing = None
        if self._context.is_set() and self._owner is not None:
            # The caller may look for the reason, which is published by then.
            await asyncio.wait({self._owner}, timeout=CLOSE_SECONDS)
        return listing

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Send one call and wait for its reply. Cancel the task to cancel the call."""
        if self._owner is None:
            return Reply(problem=NOT_ATTACHED, lost=True)
        await self._ready.wait()
        before = self._client.demand if self._client is not None else None
        reply = await self._peer.request(pending, params)
        if not reply.problem:
            return reply
        is_refused = self._client is not None and self._client.demand is not before
        words = await self._with_sign_in(reply.problem) if is_refused else reply.problem
        return replace(reply, problem=self._hide(words))

    async def ask(
        self,
        method: str,
        params: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered:
        return await self._in_time(lambda: self._peer.ask(method, params, None, gate), seconds)

    async def send_raw(
        self,
        message: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered | None:
        """Send a message as it is."""
        if "id" in message:
            return await self._in_time(lambda: self._peer.send(message, None, gate), seconds)
        if self._owner is not None:
            await self._ready.wait()
        if self._transport is None or self._context.is_set():
            return ConnectionClosed()
        try:
            await self._transport.post(message, gate)
        except SendRefused as refused:
            return RpcError(None, str(refused))
        return None

    @property
    def route(self) -> tuple[tuple[str, str], ...]:
        """How the server is reached beside its URL, each fact with its label; safe to show."""
        facts = []
        client = self._client
        if client is not None and (proxy := client.proxy_of(client.url)):
            facts.append(("proxy", f"{proxy}, by the variables of the environment"))
        if self._reach.words:
            facts.append(("certificates", self._reach.words))
        if self.lenient:
            facts.append(("sign-in", f"not checked: {', '.join(self.lenient)} (--lenient)"))
        signed_in = self.signed_in
        return (*facts, *(signed_in.rows if signed_in is not None else ()))

    @property
    def signed_in(self) -> SignedIn | None:
        """How Signoff has signed in; None if it has not, and no sign-in failed."""
        facts = None if self._client_sign_in is None else self._client_sign_in.facts
        return facts if facts is not None and facts.rows else None

    def request_meta(self) -> dict[str, JsonValue]:
        """Return the `_meta` that requests carry since 2026-07-28."""
        return modern_meta(self.capabilities) if self._is_modern else {}

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for, in a request of its own; not since 2026-07-28."""
        if self._transport is not None and not self._context.is_set() and not self._is_modern:
            self._write(answer_to(request.id, answer), None, 0)

    def tell_roots_changed(self) -> None:
        """Send `notifications/roots/list_changed`, which 2026-07-28 has removed."""
        if self._transport is None or self._context.is_set() or self._is_modern:
            return
        if self.capabilities.declares(ROOTS):
            self._write(notification(ROOTS_CHANGED), None, 0)

    async def close(self) -> None:
        """End the session politely, but soon."""
        self._is_closing = True
        owner = self._owner
        if owner is None:
            return
        self._context.set()
        self._peer.close(self._lost_words)
        if not owner.done():
            has_session = self._transport is not None and bool(self._transport.client.session_id)
            is_polite = self._ready.is_set() or has_session
            await asyncio.wait({owner}, timeout=CLOSE_SECONDS if is_polite else 0)
        if not owner.done():
            owner.cancel()
            await asyncio.wait({owner}, timeout=1)
        self._ready.set()

    def kill(self) -> None:
        """Does nothing: the server is not a process of Signoff."""

    async def _in_time(
        self, asking: Callable[[], Awaitable[Answered]], seconds: float | None
    ) -> Answered:
        """Ask once the connection is there; also the wait for that has a limit."""
        if self._owner is None:
            return ConnectionClosed()
        try:
            async with self._limits.within(seconds):
                await self._ready.wait()
                return await asking()
        except TimeoutError:
            return NoResponse()

    async def _own(self) -> None:
        """The one task that enters and leaves the connection."""
        words = ""
        try:
            self._emit(Stage("loading the HTTP client"))
            await asyncio.to_thread(import_transport)
            await self._connected()
        except GreetingFailed as problem:
            words = await self._with_sign_in(problem.words)
        except Exception as problem:
            fault = fault_words(problem, "on a connection over HTTP")
            words = f"the connection failed: {fault or words_of(problem)}"
        finally:
            self._context.set()
            self._peer.close(self._lost_words)
            self._ready.set()
        if not self._is_closing:
            told = self._lost_words or words or "the connection was closed"
            has_demand = self._client is not None and self._client.demand is not None
            self._emit(Ended(told, needs_sign_in=has_demand and told == words))

    async def _connected(self) -> None:
        from .bodies import LOOK_SECONDS
        from .client import HttpClient
        from .greeting import HttpWatch
        from .transport import HttpTransport

        self.wire.note(f"{BEGAN}: over HTTP to {self.command}")
        watch: HttpWatch | None = None
        frames = HttpFrames(self.wire, self._headers, self._hide)
        gate = LastGate(self._emit)
        sign_in = self._client_sign_in = self._new_sign_in()
        async with HttpClient(
            self._url, gate, frames, self._headers, self._reach, sign_in
        ) as client:
            first = self._transport = HttpTransport(
                client, self._peer, frames, self._emit, self._lose
            )

            async def fall_back() -> HttpTransport | None:
                if self._way == HTTP or self._protocol == MODERN:
                    return None
                return (await self._old_transport(client, frames, LOOK_SECONDS))[0]

            try:
                if self._way == SSE:
                    await self._open_old_transport(client, frames)
                greeting = await self._greet(self._transport or first, fall_back)
                transport = self._transport
                watch = HttpWatch(self._peer, transport, greeting, self._emit)
                watch.begin()
                await self._list_first(transport)
                watch.follow_changes()
                await self._context.wait()
            finally:
                self._context.set()
                self._untold.close()
                try:
                    if watch is not None:
                        await watch.end()
                    await self._transport.end_session()
                finally:
                    posts = [*self._posts.values(), *self._cancels]
                    for post in posts:
                        post.cancel()
                    await asyncio.gather(*posts, return_exceptions=True)

    def _new_sign_in(self) -> SignIn | None:
        """The sign-in of a new connection; None without a way to sign in."""
        if self._credentials is None:
            return self._browser_sign_in()
        from ..sign_in.client_sign_in import CredentialsSignIn

        return CredentialsSignIn(
            self._credentials,
            self._sign_in,
            self._note,
            lambda finding: self._emit(Noticed(finding)),
            self.command,
        )

    def _browser_sign_in(self) -> SignIn | None:
        has_token = any(name.lower() == "authorization" for name in self._headers)
        if self._browser is None or has_token or split_socket(self._url)[1]:
            return None
        from ..sign_in.browser_sign_in import BrowserSignIn

        return BrowserSignIn(
            without_credentials(self._url),
            self._browser,
            self._sign_in,
            self._note,
            lambda finding: self._emit(Noticed(finding)),
            self._emit,
            self._limits.paused,
        )

    async def _open_old_transport(self, client: HttpClient, frames: HttpFrames) -> None:
        """Raises GreetingFailed."""
        from .old_sse import OPEN_SECONDS

        if self._protocol == MODERN:
            raise GreetingFailed(f"HTTP+SSE has no revision {MODERN}")
        found, why = await self._old_transport(client, frames, OPEN_SECONDS)
        if found is None:
            raise GreetingFailed(why)

    async def _old_transport(
        self, client: HttpClient, frames: HttpFrames, seconds: float
    ) -> tuple[HttpTransport | None, str]:
        """Change to HTTP+SSE; None with the reason if the server does not have it."""
        from .old_sse import SseTransport

        found = SseTransport(client, self._peer, frames, self._emit, self._lose)
        if why := await found.open(seconds, self._limits.within):
            return None, why
        self._transport = found
        self.uses_sse = True
        return found, ""

    async def _greet(
        self,
        transport: HttpTransport,
        fall_back: Callable[[], Awaitable[HttpTransport | None]],
    ) -> Greeting:
        """Agree on a revision. Raises GreetingFailed."""
        from .greeting import HttpGreeting

        asking = HttpGreeting(
            self._url,
            self._peer,
            transport,
            self.capabilities,
            self._emit,
            lambda: self._lost_words if self._context.is_set() else None,
            fall_back,
        )
        greeting = await asking.agree(self._protocol)
        self._greeting = greeting
        # The same client serves both transports.
        transport.client.version = self._peer.version = greeting.version
        if greeting.era == "modern":
            self._peer.meta = lambda: modern_meta(self.capabilities, self.log_level)
        self._emit(greeting)
        return greeting

    async def _list_first(self, transport: HttpTransport) -> None:
        """Raises GreetingFailed."""
        self._emit(Stage(WAITING_FOR_TOOLS))
        async with self._listing:
            listing = await self._list(transport, self._on_page)
        if listing is not None:
            self._emit(listing)
        self._ready.set()

    async def _list(
        self,
        transport: HttpTransport,
        on_page: Callable[[int, int], None] = lambda page, count: None,
    ) -> Listing | None:
        """All pages of tools/list. Raises GreetingFailed if the first one fails."""
        from .param_headers import read_param_headers

        served = self._greeting.capabilities if self._greeting else {}
        listing = await list_tools_again(self._peer.ask, served, on_page, self._limits.now)
        if listing is None or not self._is_modern:
            return listing
        listing, transport.client.param_headers = await read_param_headers(listing)
        return listing

    def _on_page(self, page: int, count: int) -> None:
        self._emit(Stage(page_words(page, count)))

    async def sign_in(self) -> Discovery | None:
        """The discovery of the server's sign-in; None if no sign-in was required, or nothing could
        be requested.
        """
        client = self._client
        if client is None or client.demand is None or self._is_closing:
            return self._sign_in.found
        self._emit(Stage("reading the metadata of the sign-in"))
        transport = socket_transport(client.socket)
        return await self._sign_in.of(client.demand, client.verify, transport)

    @property
    def _client(self) -> HttpClient | None:
        return self._transport.client if self._transport is not None else None

    async def _with_sign_in(self, words: str) -> str:
        """The words on a failure for want of a sign-in, with the result of its checks."""
        sign_in, client = self._client_sign_in, self._client
        if client is not None and client.why_not_signed_in and client.why_not_signed_in in words:
            # The words have the reason already.
            return words
        found = await self.sign_in()
        if found is None:
            return words
        from ..sign_in.explaining import in_one_line

        advice = sign_in.advice(self.command, found) if sign_in is not None else ""
        return advice or f"{words}; {in_one_line(found, self.command)}"

    def _write(self, message: dict[str, JsonValue], gate: Gate | None, number: int) -> None:
        """Post a request at once, and any other message after those that wait."""
        transport, identity = self._transport, message.get("id") if "method" in message else None
        if transport is None:
            return
        if isinstance(identity, str | int):
            post = asyncio.create_task(transport.post(message, gate, number))
            self._posts[identity] = post
            post.add_done_callback(lambda done: self._posts.pop(identity, None))
        elif message.get("method") == CANCELLED:
            cancel = asyncio.create_task(transport.post(message, gate, number))
            self._cancels.add(cancel)
            cancel.add_done_callback(self._cancels.discard)
        elif not self._untold.put((message, number)) and not self._has_told_flood:
            self._has_told_flood = True
            self._emit(Noticed(error("asks-too-much", NOT_READ)))

    def _give_up(self, pending: PendingRequest) -> None:
        """Cancel a request; since 2026-07-28 by closing its stream (patterns/cancellation)."""
        post, transport = self._posts.get(pending.id), self._transport
        if transport is not None and transport.is_one_stream and post is None:
            self._peer.tell_cancelled(pending)
        if post is None or transport is None:
            return
        if self._is_modern or pending.id not in transport.client.sent:
            post.cancel()
        else:
            self._peer.tell_cancelled(pending)

    async def _post_untold(self, item: tuple[dict[str, JsonValue], int]) -> None:
        message, number = item
        if self._transport is not None:
            await self._transport.post(message, None, number)

    @property
    def _is_modern(self) -> bool:
        return self._peer.version == MODERN

    def _lose(self, words: str) -> None:
        """End the connection; waiting requests fail."""
        self._lost_words = self._lost_words or words
        self._context.set()
        self._peer.close(self._lost_words)

    def _note(self, words: str) -> None:
        self.wire.note(self._hide(words))

    def _hide(self, text: str) -> str:
        """A text without the secrets of this connection."""
        sign_in = self._client_sign_in
        known = (*self._headers.values(), *(sign_in.secrets if sign_in is not None else ()))
        if known != self._hidden[0]:
            self._hidden = known, secrets_hidden(self._url, known)
        return self._hidden[1](text)

    def _emit(self, event: LinkEvent) -> None:
        """Report an event, without secrets in the words that Signoff makes."""
        if isinstance(event, Ended):
            event = replace(event, words=self._hide(event.words))
        elif isinstance(event, Noticed):
            message = self._hide(event.finding.message)
            event = Noticed(replace(event.finding, message=message))
        self._listener(event)
