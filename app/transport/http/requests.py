"""Requests beside the SDK's session: initialization, raw messages, and pings between calls."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error, note
from ...protocol.rpc import RpcError
from ...protocol.server import VersionSource
from ..events import Greeting, LinkEvent, ListChanged, Noticed, OfferListChanged, Stage
from ..exchange import Answered, ConnectionClosed, NoResponse
from ..greeting import (
    PROBE_SECONDS,
    GreetingFailed,
    describe,
    read_discovery,
    read_handshake,
    wants_modern_again,
    why_neither,
    without_legacy,
    without_modern,
)
from ..listing import wanted_changes
from ..negotiation import LEGACY
from ..plain_requests import admit
from ..protocol import CANCELLED, DISCOVER, INITIALIZE, MODERN, notification
from ..session import words_of

if TYPE_CHECKING:
    from mcp import ClientSession

    from .tap import HttpTap

ANSWER_SECONDS = 15.0
"""How long a server may take for its answer to initialize."""


class HttpGreeting:
    """Initializes one server, on a session that has just begun."""

    def __init__(
        self,
        url: str,
        session: ClientSession,
        tap: HttpTap,
        emit: Callable[[LinkEvent], None],
        is_over: Callable[[], bool],
        why_over: Callable[[], str],
    ) -> None:
        """`is_over`: True once the connection is gone; `why_over`: the reason, in words."""
        self._url = url
        self._session = session
        self._tap = tap
        self._emit = emit
        self._is_over = is_over
        self._why_over = why_over

    async def agree(self, protocol: str) -> Greeting:
        """Ask for the modern era, then for the handshake, or for the one that was chosen.

        Raises GreetingFailed.
        """
        if protocol == LEGACY:
            found = await self._initialize(without_legacy)
            return replace(found, basis=VersionSource.CHOSEN)
        is_chosen = protocol == MODERN
        answer = await self._discover(ANSWER_SECONDS if is_chosen else PROBE_SECONDS)
        if wants_modern_again(answer):
            answer = await self._discover(ANSWER_SECONDS)
        if (modern := read_discovery(answer)) is not None:
            return replace(modern, basis=VersionSource.CHOSEN) if is_chosen else modern
        if is_chosen:
            raise without_modern(answer)
        try:
            found = await self._initialize()
        except GreetingFailed as failed:
            if self._is_over() or not isinstance(answer, NoResponse):
                raise why_neither(answer, failed) from None
            # A server of the modern era that was too slow for the probe.
            answer = await self._discover(ANSWER_SECONDS)
            if (modern := read_discovery(answer)) is not None:
                return modern
            raise why_neither(answer, failed) from None
        return (
            replace(found, basis=VersionSource.GUESSED) if isinstance(answer, NoResponse) else found
        )

    async def _discover(self, seconds: float) -> Answered:
        self._emit(Stage(f"waiting for an answer to {DISCOVER}"))
        return await self._tap.outcome(DISCOVER, self._session.send_discover(MODERN), seconds)

    async def _initialize(
        self,
        refused: Callable[[GreetingFailed], GreetingFailed] = lambda failed: failed,
    ) -> Greeting:
        if self._is_over():
            raise GreetingFailed(self._why_over())
        self._emit(Stage(f"waiting for an answer to {INITIALIZE}"))
        answer = await self._tap.outcome(INITIALIZE, self._session.initialize(), ANSWER_SECONDS)
        if isinstance(answer, NoResponse):
            limit = f"{ANSWER_SECONDS:g} s"
            raise GreetingFailed(f"the server did not answer initialize within {limit}")
        if isinstance(answer, RpcError):
            await self._look_for_old_sse()
            if answer.code is None:
                raise GreetingFailed(answer.message)
        try:
            return read_handshake(answer)
        except GreetingFailed as failed:
            raise refused(failed) from None

    async def _look_for_old_sse(self) -> None:
        """Raises GreetingFailed if the refusal means the transport before this one."""
        from .bodies import OLD_SSE, may_be_old, names_endpoint
        from .refusals import status_words

        status = self._tap.refused.get(INITIALIZE)
        if status is None or not may_be_old(status):
            return
        self._emit(Stage("looking whether it is a server of the old transport"))
        if await names_endpoint(self._url):
            words = "HTTP+SSE is deprecated since 2025-03-26: Streamable HTTP takes its place"
            self._emit(Noticed(note("deprecated-feature", words)))
            raise GreetingFailed(f"the server answered {status_words(status)}: {OLD_SSE}")


class HttpRaw:
    """Sends messages of one connection as they are. Lives on the event loop."""

    def __init__(self, outbox: Any, tap: HttpTap, over: asyncio.Event, *, is_modern: bool) -> None:
        """`outbox` is the stream onto the transport of the SDK; `over` is set once that ends."""
        self._outbox = outbox
        self._tap = tap
        self._over = over
        self._is_modern = is_modern

    async def send(self, message: dict[str, JsonValue], seconds: float | None) -> Answered | None:
        """Send it and wait for its answer; None for a message that gets none."""
        if (refused := admit(self._tap.gate, message)) is not None:
            return refused
        identity = message.get("id")
        if not isinstance(identity, str):
            return None if await self._post(message) else ConnectionClosed()
        came: asyncio.Future[dict[str, JsonValue] | RpcError] = (
            asyncio.get_running_loop().create_future()
        )

        def take(answer: dict[str, JsonValue] | RpcError) -> None:
            if not came.done():
                came.set_result(answer)

        self._tap.awaited[identity] = take
        ended = asyncio.ensure_future(self._over.wait())
        try:
            if not await self._post(message):
                return ConnectionClosed()
            both: set[asyncio.Future[Any]] = {came, ended}
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if came.done():
                return came.result()
            if self._over.is_set():
                return ConnectionClosed()
            await self._post(notification(CANCELLED, {"requestId": identity}))
            return NoResponse()
        finally:
            ended.cancel()
            self._tap.awaited.pop(identity, None)

    async def _post(self, message: dict[str, JsonValue]) -> bool:
        import anyio
        from mcp.shared.message import ClientMessageMetadata, SessionMessage
        from mcp.types import jsonrpc_message_adapter

        # Since 2026-07-28 the headers say what the body says (basic/transports).
        headers = {"mcp-method": _header(str(message["method"]))} if self._is_modern else {}
        metadata = ClientMessageMetadata(headers=headers)
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            made = jsonrpc_message_adapter.validate_python(message)
            await self._outbox.send(SessionMessage(made, metadata=metadata))
            return True
        return False


def _header(text: str) -> str:
    from mcp.shared.inbound import encode_header_value

    return encode_header_value(text)


RELISTEN_SECONDS = 1.0
RELISTEN_SECONDS_MAX = 30.0


class HttpWatch:
    """Watches the connection to one initialized server."""

    def __init__(
        self,
        session: ClientSession,
        tap: HttpTap,
        greeting: Greeting,
        emit: Callable[[LinkEvent], None],
    ) -> None:
        self._session = session
        self._tap = tap
        self._is_modern = greeting.era == "modern"
        self._wanted = wanted_changes(greeting.capabilities)
        self._emit = emit
        self._doubt = asyncio.Event()

    async def until(self, over: asyncio.Event) -> None:
        """Hear of changes, and look whether the server is there, until the link is over."""
        import anyio

        self._tap.on_doubt = self._doubt.set
        async with anyio.create_task_group() as group:
            group.start_soon(self._look_after)
            if self._is_modern and self._wanted:
                group.start_soon(self._follow_changes)
            await over.wait()
            group.cancel_scope.cancel()

    async def _follow_changes(self) -> None:
        """Subscribe to list_changed, again and again as streams end (spec 2026-07-28)."""
        from mcp.client.subscriptions import SubscriptionLost, listen

        pause = RELISTEN_SECONDS
        has_listened = False
        while True:
            try:
                async with listen(
                    self._session,
                    tools_list_changed="toolsListChanged" in self._wanted,
                    resources_list_changed="resourcesListChanged" in self._wanted,
                    prompts_list_changed="promptsListChanged" in self._wanted,
                ) as subscription:
                    if has_listened:
                        # What changed meanwhile was told to nobody.
                        self._emit(ListChanged())
                        self._emit(OfferListChanged("resources"))
                        self._emit(OfferListChanged("prompts"))
                    has_listened, pause = True, RELISTEN_SECONDS
                    async for _ in subscription:
                        """The tap has told of it."""
            except SubscriptionLost:
                pass
            except Exception as problem:
                if not has_listened:
                    kept = self._tap.kept("subscriptions/listen")
                    why = describe(kept) if isinstance(kept, RpcError) else words_of(problem)
                    words = f"the server does not tell when its lists change: {why}"
                    self._emit(Noticed(error("subscription-lost", words)))
                    return
            await asyncio.sleep(pause)
            pause = min(RELISTEN_SECONDS_MAX, pause * 2)

    async def _look_after(self) -> None:
        """Ping the server after a broken connection: any response proves that it is there."""
        import anyio

        session = self._session
        while True:
            await self._doubt.wait()
            self._doubt.clear()
            with anyio.move_on_after(PROBE_SECONDS), contextlib.suppress(Exception):
                await (session.send_discover(MODERN) if self._is_modern else session.send_ping())
