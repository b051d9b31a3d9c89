"""A server at a URL between which and a host messages pass as they came.

The host speaks stdio. Each of its lines is the body of a POST; what comes back, in a body or in an
event stream, is a line for it. The session, the headers and the tokens stay here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...protocol.findings.findings import warning
from ...protocol.rpc import Oversized
from ...protocol.server_requests.capabilities import relayed_capabilities
from ...protocol.wire.frames import BEGAN
from ...storage.fault_log import note_fault
from ..events import Ended, Ending, Greeting, LinkEvent, Listener, Listing, Noticed, Reply
from ..gate import Gate, LastGate, SendRefused
from ..host import HostPipe
from ..messages import classify, is_same_id
from ..peer import Peer, PendingRequest
from ..protocol import CANCELLED, INITIALIZE, INITIALIZED, MODERN
from ..relaying import Relaying
from ..stdio.inbound import Inbound, Message
from .frames import HttpFrames
from .http import HttpLink
from .transport import HttpTransport

if TYPE_CHECKING:
    from .client import HttpClient

_Posted = tuple[bytes, dict[str, JsonValue], Gate | None, int]


class RelayPeer(Peer):
    """Requests of Signoff's own; failures of the host's go to the host."""

    relay: Relaying

    def fail(
        self,
        identity: str | int | None,
        reason: str,
        whole: Oversized | None = None,
        ending: Ending = "unreadable",
        *,
        is_lost: bool = False,
    ) -> None:
        if not self.relay.fail_host(identity, reason, ending):
            super().fail(identity, reason, whole, ending, is_lost=is_lost)

    def refuse(self, identity: str | int, refused: SendRefused) -> None:
        if not self.relay.refuse_sending(identity, str(refused)):
            super().refuse(identity, refused)

    def waits_for(self, identity: str | int) -> bool:
        return self.relay.waits_for(identity) or super().waits_for(identity)


class RelayTransport(HttpTransport):
    """Posts lines of the host, and gives it what comes back."""

    relay: HttpRelayLink

    async def _take(self, data: bytes | bytearray, identity: str | int | None) -> bool:
        from .bodies import read_text

        raw = bytes(data)
        found = await asyncio.to_thread(read_text, raw)
        bodies = [one.body for one in found if isinstance(one, Message)]
        if any(map(self.relay.is_ours, bodies)):
            for body in bodies:
                if self.relay.is_ours(body):
                    self._peer.take(classify(body))
                    continue
                line = json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n"
                await asyncio.to_thread(self.relay.pass_back, line, [Message(body)])
        else:
            # Between two tokens JSON may have line ends, and a line may not.
            line = raw.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
            await asyncio.to_thread(self.relay.pass_back, line, found)
        return identity is not None and any(
            "method" not in body and is_same_id(body.get("id"), identity) for body in bodies
        )


class HttpRelayLink(Relaying, HttpLink):
    """One URL, and the host that speaks to it on stdio."""

    def __init__(self, host: HostPipe, *arguments: Any, holds: bool) -> None:
        """`arguments` are those of HttpLink."""
        Relaying.__init__(self, host, holds=holds)
        HttpLink.__init__(self, *arguments)
        self.capabilities = relayed_capabilities(self.capabilities.experimental)
        self._declare(self.capabilities.experimental)
        peer = RelayPeer(
            self._write,
            self._emit,
            prefix=self.ours,
            give_up=self._give_up,
            within=self._limits.within,
        )
        peer.relay = self
        peer.meta = lambda: self.own_meta
        self._peer = peer
        self._lines: asyncio.Queue[_Posted] | None = None
        self._own_stream: asyncio.Task[None] | None = None

    def attach(self, listener: Listener) -> None:
        """Give events to `listener`, and read the host's lines from now on."""
        self._loop = asyncio.get_running_loop()
        self._lines = asyncio.Queue()
        super().attach(listener)
        self._let_early_go()
        self._begin_to_read()

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Do what `request_of_host` does: the params are those of the host's line."""
        return await self.request_of_host(pending)

    def end_input(self) -> None:
        """Do nothing: a server over HTTP has no input that could end."""

    @property
    def has_passed_all(self) -> bool:
        """True: what has not come yet comes in time, or is lost."""
        return True

    def is_ours(self, body: dict[str, JsonValue]) -> bool:
        """True for the response to a request that the host has not made."""
        return self._is_ours(body)

    def pass_back(self, line: bytes, found: Sequence[Inbound]) -> None:
        """Give the host a line; in a thread, since it may be slow to read."""
        self._pass_back((line,), found)

    def _post_line(
        self, line: bytes, message: dict[str, JsonValue] | None, gate: Gate | None, number: int
    ) -> None:
        if message is None:
            self._refuse("not one JSON-RPC message, and over HTTP each is posted by itself", None)
            return
        self._put(lambda: self._queue(line, message, gate, number))

    def _queue(
        self, line: bytes, message: dict[str, JsonValue], gate: Gate | None, number: int
    ) -> None:
        assert self._lines is not None
        self._lines.put_nowait((line, message, gate, number))

    def _put(self, action: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(action)

    def _tell_event(self, event: LinkEvent) -> None:
        self._on_loop(lambda: self._emit(event))

    def _take_greeting(self, greeting: Greeting) -> None:
        self._greeting = greeting
        self._peer.version = greeting.version
        if self._transport is not None:
            self._transport.client.version = greeting.version
        super()._take_greeting(greeting)

    async def _connected(self) -> None:
        from .client import HttpClient

        self.wire.note(f"{BEGAN}: over HTTP to {self.command}")
        frames = HttpFrames(self.wire, self._headers, self._hide)
        sign_in = self._client_sign_in = self._new_sign_in()
        async with HttpClient(
            self._url, LastGate(self._emit), frames, self._headers, self._reach, sign_in
        ) as client:
            transport = RelayTransport(client, self._peer, frames, self._emit, self._lose)
            transport.relay = self
            self._transport = transport
            self._ready.set()
            posting = asyncio.create_task(self._post_all(transport, client), name="host-lines")
            try:
                await self._context.wait()
            finally:
                self._context.set()
                tasks = [posting, *self._posts.values(), *self._cancels]
                tasks += [self._own_stream] if self._own_stream is not None else []
                await transport.end_session()
                for one in tasks:
                    one.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _post_all(self, transport: RelayTransport, client: HttpClient) -> None:
        """Post the host's lines in order: what has no response, and the handshake, before the
        next one."""
        assert self._lines is not None
        while True:
            line, message, gate, number = await self._lines.get()
            method, identity = message.get("method"), message.get("id")
            if method == CANCELLED and client.version == MODERN:
                # Spec 2026-07-28, basic/patterns/cancellation: over HTTP, by closing the stream.
                self._close_stream(message)
                continue
            if isinstance(line, bytes) and method is not None and identity is not None:
                post = asyncio.create_task(transport.post(message, gate, number, line))
                self._keep_post(identity, post)
                if method == INITIALIZE:
                    await asyncio.wait({post})
                continue
            try:
                await transport.post(message, gate, number, line)
            except SendRefused as refused:
                self._emit(Noticed(warning("host-line", visible(str(refused)))))
            except Exception as problem:
                note_fault(problem, "while it posted a line of a host")
            if method == INITIALIZED and client.session_id and self._own_stream is None:
                self._own_stream = asyncio.create_task(transport.listen(), name="own-stream")

    def _keep_post(self, identity: JsonValue, post: asyncio.Task[None]) -> None:
        if isinstance(identity, str | int) and not isinstance(identity, bool):
            self._posts[identity] = post
            post.add_done_callback(lambda done: self._posts.pop(identity, None))

    def _close_stream(self, message: dict[str, JsonValue]) -> None:
        params = message.get("params")
        identity = params.get("requestId") if isinstance(params, dict) else None
        post = self._posts.get(identity) if isinstance(identity, str | int) else None
        if post is not None:
            post.cancel()

    def _emit(self, event: LinkEvent) -> None:
        if isinstance(event, Ended):
            self.lose(event.words)
        elif isinstance(event, Listing) and self._is_modern:
            self._cancels.add(task := asyncio.create_task(self._learn_headers(event)))
            task.add_done_callback(self._cancels.discard)
        super()._emit(event)

    async def _learn_headers(self, listing: Listing) -> None:
        """Find which arguments are repeated in headers (spec 2026-07-28, basic/transports)."""
        from .param_headers import read_param_headers

        if self._transport is not None:
            _, self._transport.client.param_headers = await read_param_headers(listing)
