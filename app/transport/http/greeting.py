"""Initializes a server over HTTP, then follows its changes and whether it is still there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import note, warning
from ...protocol.rpc import RpcError
from ...protocol.server import VersionSource
from ...protocol.server_requests.capabilities import ClientCapabilities
from .. import listing
from ..events import (
    Answered,
    ConnectionClosed,
    Greeting,
    LinkEvent,
    ListChanged,
    NoResponse,
    Noticed,
    OfferListChanged,
    Stage,
    answered,
)
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
from ..listing import NOT_ACKNOWLEDGED, subscription_lost, wanted_changes
from ..negotiation import LEGACY
from ..peer import Peer
from ..protocol import (
    DISCOVER,
    INITIALIZE,
    INITIALIZED,
    LISTEN,
    MODERN,
    PING,
    initialize_params,
    modern_meta,
    notification,
)
from .streams import ENDED_AT_ONCE

if TYPE_CHECKING:
    from .transport import HttpTransport

ANSWER_SECONDS = 15.0
"""How long a server may take for its answer to initialize."""
RELISTEN_SECONDS = 1.0
RELISTEN_SECONDS_MAX = 30.0


class HttpGreeting:
    """Initializes one server, on a connection that has just begun."""

    def __init__(
        self,
        url: str,
        peer: Peer,
        transport: HttpTransport,
        capabilities: ClientCapabilities,
        emit: Callable[[LinkEvent], None],
        why_over: Callable[[], str | None],
        fall_back: Callable[[], Awaitable[HttpTransport | None]],
    ) -> None:
        """`why_over`: None, or in words why the connection is gone. `fall_back` opens the old
        transport, and returns None if the server has none."""
        self._url = url
        self._peer = peer
        self._transport = transport
        self._capabilities = capabilities
        self._emit = emit
        self._why_over = why_over
        self._fall_back = fall_back

    async def agree(self, protocol: str) -> Greeting:
        """Ask for the modern era, then for the handshake, or for the one that was chosen.

        Raises GreetingFailed.
        """
        if self._transport.is_one_stream:
            return await self._initialize()
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
            if self._why_over() is not None or not isinstance(answer, NoResponse):
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
        params: dict[str, JsonValue] = {"_meta": modern_meta(self._capabilities)}
        return await self._ask(DISCOVER, params, seconds)

    async def _initialize(
        self,
        refused: Callable[[GreetingFailed], GreetingFailed] = lambda failed: failed,
    ) -> Greeting:
        if (words := self._why_over()) is not None:
            raise GreetingFailed(words)
        answer = await self._ask(INITIALIZE, initialize_params(self._capabilities), ANSWER_SECONDS)
        if isinstance(answer, NoResponse):
            limit = f"{ANSWER_SECONDS:g} s"
            raise GreetingFailed(f"the server did not answer initialize within {limit}")
        if isinstance(answer, RpcError):
            if await self._found_old_sse(answer):
                return await self._initialize(refused)
            if answer.code is None:
                raise GreetingFailed(answer.message)
        assert isinstance(answer, dict | RpcError)
        try:
            found = read_handshake(answer)
        except GreetingFailed as failed:
            raise refused(failed) from None
        self._transport.client.version = found.version
        await self._transport.post(notification(INITIALIZED), None)
        return found

    async def _ask(
        self, method: str, params: dict[str, JsonValue], seconds: float
    ) -> dict[str, JsonValue] | RpcError | NoResponse:
        """Return the answer, or in words why there is none."""
        self._emit(Stage(f"waiting for a response to {method}"))
        reply = await self._peer.reply_to(self._peer.made(method, params), seconds)
        if reply is None:
            return NoResponse()
        answer = answered(reply)
        if isinstance(answer, ConnectionClosed):
            return RpcError(None, reply.problem or self._why_over() or "the connection was closed")
        return answer

    async def _found_old_sse(self, answer: RpcError) -> bool:
        """Fall back to HTTP+SSE if the refusal may mean it (spec 2025-11-25, basic/transports
        "Backwards Compatibility").
        """
        from .bodies import OLD_SSE, may_be_old

        status = self._transport.refused.get(INITIALIZE)
        is_refusal = may_be_old(status) or answer.message == OLD_SSE
        if self._transport.is_one_stream or not is_refusal:
            return False
        self._emit(Stage("checking for the old transport"))
        found = await self._fall_back()
        if found is None:
            return False
        self._transport = found
        words = "HTTP+SSE is deprecated since 2025-03-26: use Streamable HTTP"
        self._emit(Noticed(note("deprecated-feature", words)))
        return True


class HttpWatch:
    """Watches the connection to one initialized server."""

    def __init__(
        self,
        peer: Peer,
        transport: HttpTransport,
        greeting: Greeting,
        emit: Callable[[LinkEvent], None],
    ) -> None:
        self._peer = peer
        self._transport = transport
        self._is_modern = greeting.era == "modern"
        self._wanted = wanted_changes(greeting.capabilities)
        self._emit = emit
        self._doubt = asyncio.Event()
        self._listening: JsonValue = None
        self._times = 0
        """How often the server confirmed a subscription to changes."""

        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Look whether the server is there, and read its own messages if it sends any."""
        self._transport.on_doubt = self._doubt.set
        self._transport.on_subscribed = self._note_subscribed
        self._tasks.append(asyncio.create_task(self._look_after()))
        if not self._is_modern and self._transport.client.session_id:
            self._tasks.append(asyncio.create_task(self._transport.listen()))

    def follow_changes(self) -> None:
        """Subscribe to the changes of lists that the server announces."""
        if self._is_modern and self._wanted:
            self._tasks.append(asyncio.create_task(self._follow_changes()))

    async def end(self) -> None:
        """End all of that."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow_changes(self) -> None:
        """Subscribe to list_changed, again and again as streams end (spec 2026-07-28)."""
        pause, short_lived = RELISTEN_SECONDS, 0
        while True:
            before = self._times
            message = self._peer.made(LISTEN, {"notifications": self._wanted})
            self._listening = message["id"]
            watch = asyncio.get_running_loop().call_later(
                listing.ACKNOWLEDGED_SECONDS, self._check_acknowledged
            )
            began = asyncio.get_running_loop().time()
            try:
                reply = await self._peer.reply_to(message, None)
            finally:
                watch.cancel()
            if self._times > before:
                lived = asyncio.get_running_loop().time() - began
                short_lived = short_lived + 1 if lived < RELISTEN_SECONDS_MAX else 0
                if not short_lived:
                    pause = RELISTEN_SECONDS
                if short_lived == ENDED_AT_ONCE:
                    words = "the stream of the subscription to changes keeps ending"
                    self._emit(Noticed(warning("stream-ends", words)))
            elif not self._times and reply is not None and not reply.lost:
                answer = answered(reply)
                why = (
                    describe(answer)
                    if isinstance(answer, RpcError)
                    else "the subscription ended immediately"
                )
                self._emit(Noticed(subscription_lost(why)))
                return
            await asyncio.sleep(pause)
            pause = min(RELISTEN_SECONDS_MAX, pause * 2)

    def _check_acknowledged(self) -> None:
        if not self._times:
            self._emit(Noticed(subscription_lost(NOT_ACKNOWLEDGED)))

    def _note_subscribed(self, identity: str | int) -> None:
        if identity != self._listening:
            return
        self._times += 1
        if self._times > 1:
            # Changes between the two subscriptions were not announced.
            self._emit(ListChanged(is_announced=False))
            self._emit(OfferListChanged("resources"))
            self._emit(OfferListChanged("prompts"))

    async def _look_after(self) -> None:
        """Ping the server after a broken connection: any response proves that it is there."""
        method, pause = (DISCOVER if self._is_modern else PING), RELISTEN_SECONDS
        while True:
            await self._doubt.wait()
            self._doubt.clear()
            found = await self._peer.ask(method, {}, PROBE_SECONDS)
            # The ping may itself be what breaks the connection.
            await asyncio.sleep(pause)
            is_answered = isinstance(found, dict | RpcError)
            pause = RELISTEN_SECONDS if is_answered else min(RELISTEN_SECONDS_MAX, pause * 2)
