"""A link to a stdio server.

`begin` starts the process and initializes it from a thread, before there is an event loop; `attach`
brings in the loop, delivers the events so far, and hands the streams to the SDK.

Carries events from threads to the event loop; early ones are kept until it is attached.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...content.json.jsonio import JsonValue
from ...protocol.rpc import RpcError
from ...protocol.server_requests.capabilities import (
    ALL_CAPABILITIES,
    ROOTS,
    ROOTS_CHANGED,
    ClientCapabilities,
)
from ...protocol.wire.frames import WireLog
from ...storage.fault_log import note_fault
from ..calls import PendingCall
from ..events import Ended, Greeting, LinkEvent, Listener, Listing, Noticed, Reply, Requested, Stage
from ..exchange import ASK_SECONDS, Answered, ConnectionClosed, RpcClient
from ..gate import Gate
from ..greeting import GreetingFailed, ServerGone
from ..listing import LISTEN, list_tools, list_tools_again, wanted_changes
from ..negotiation import AUTO, Negotiation, NegotiationContext
from ..protocol import answer_to, has_batches, modern_meta, notification
from .server_life import ServerLife
from .stdio_inbound import BACKLOG, BACKLOG_SECONDS, StdioInbound

if TYPE_CHECKING:
    import asyncio

    from ...analysis.evidence.watch import Watch
    from ...approval.fingerprint import ServerFingerprint
    from .lines import Line
    from .sdk_session import SdkSession

LOOK_SECONDS = 15.0
"""How long reading the program may take; a file on a lost network disk is read for ever."""


class StdioLink:
    """One server process and the session over its pipes."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        protocol: str = AUTO,
        capabilities: ClientCapabilities = ALL_CAPABILITIES,
        wire: WireLog | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`protocol` is AUTO, LEGACY or MODERN; `capabilities` are what the server may ask for;
        `wire` takes all that is sent and received; `watch` sees what the process does."""
        self.watch = watch
        self.wire = wire or WireLog()
        self._protocol = protocol
        self.capabilities = capabilities
        self.log_level = ""
        self.argv = tuple(argv)
        self.command = shlex.join(self.argv)
        self._env = dict(env or {})
        self.identity = json.dumps(["stdio", os.getcwd(), sorted(self._env), self.argv])
        """Transport, folder, names of the variables that were given, exact command. Definitions,
        arguments and eras are remembered by it; approvals are bound to what runs, too."""
        self._announcing = EventBuffer(self._tell)
        self._listener: Listener | None = None
        self._session: SdkSession | None = None
        self._greeting: Greeting | None = None
        self._gate = Gate(self._announcing.emit)
        self._life = ServerLife(
            self.argv,
            self._env,
            self.wire,
            watch,
            self._announcing.emit,
            self._reader,
            self._gate,
        )

    def begin(self) -> None:
        """Start the process and greet it. Returns at once; needs no event loop."""
        self._announcing.emit(Stage("starting the server"))
        exchange = self._life.start()
        if exchange is not None:
            threading.Thread(
                target=self._greet, args=(exchange,), name="greeting", daemon=True
            ).start()

    def attach(self, listener: Listener) -> None:
        """Give events to `listener` from now on, the early ones first. Call it on the loop."""
        # Imported here, since the server has to be started before anything heavy.
        import asyncio

        from .sdk_session import SdkSession

        self._session = SdkSession(
            self._life.send,
            lambda finding: self._announcing.emit(Noticed(finding)),
            self._announcing.emit,
            self.capabilities,
            lambda: self.log_level,
            self._gate,
        )
        self._listener = listener
        loop = asyncio.get_running_loop()
        self._announcing.begin(lambda: LoopBridge(loop, BACKLOG, BACKLOG_SECONDS))

    async def fingerprint(self, key: bytes) -> ServerFingerprint | None:
        """The files and values of variables that the newest process was started with."""
        import asyncio

        from ...approval.fingerprint import unknown_runs
        from ...platforms.daemon import in_daemon

        program = self._life.program
        if program is None:
            return unknown_runs("the server was not started")
        try:
            looking = in_daemon(lambda: program.looked_at(key, self._env))
            return await asyncio.wait_for(looking, LOOK_SECONDS)
        except TimeoutError:
            return unknown_runs(f"the program could not be read within {LOOK_SECONDS:g} s")

    def prepare(self) -> None:
        """Import the SDK and hand it the streams. The first call does it otherwise."""
        if self._session is not None:
            self._session.prepare()

    async def list_tools(self) -> Listing | None:
        """All pages of tools/list again. None if the server failed to list them."""
        if self._greeting is None or self._life.exchange is None:
            return None
        return await list_tools_again(self.ask, self._greeting.capabilities)

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        """Send one tools/call and wait for its reply. Cancel the task to cancel the call."""
        if self._session is None:
            return Reply(problem="the link is not attached", lost=True)
        return await self._session.call(call, name, arguments)

    async def read(self, call: PendingCall, uri: str) -> Reply:
        """Send one resources/read, likewise."""
        if self._session is None:
            return Reply(problem="the link is not attached", lost=True)
        return await self._session.read(call, uri)

    async def get_prompt(
        self, call: PendingCall, name: str, arguments: dict[str, JsonValue]
    ) -> Reply:
        """Send one prompts/get, likewise."""
        if self._session is None:
            return Reply(problem="the link is not attached", lost=True)
        return await self._session.request(call, {"name": name, "arguments": arguments})

    async def ask(
        self, method: str, params: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered:
        """Make a request other than a call and wait for its response."""
        greeting, exchange = self._greeting, self._life.exchange
        if greeting is None or exchange is None:
            return ConnectionClosed()
        from ..plain_requests import ask

        if greeting.era == "modern":
            params = {**params, "_meta": modern_meta(self.capabilities)}
        return await ask(exchange, self._gate, method, params, seconds)

    async def send_raw(
        self, message: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered | None:
        """Send a message as it is."""
        if self._greeting is None or self._life.exchange is None:
            return ConnectionClosed()
        from ..plain_requests import send_raw

        return await send_raw(self._life.exchange, self._gate, message, seconds)

    def request_meta(self) -> dict[str, JsonValue]:
        """Return the `_meta` that requests carry since 2026-07-28."""
        return modern_meta(self.capabilities) if self._is_modern else {}

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for; since 2026-07-28 no response may be sent."""
        if self._life.exchange is not None and not self._is_modern:
            self._life.exchange.tell(answer_to(request.id, answer))

    def tell_roots_changed(self) -> None:
        """`notifications/roots/list_changed`; since 2026-07-28 there is no such thing."""
        if self._life.exchange is not None and self._is_legacy_with_roots:
            self._life.exchange.tell(notification(ROOTS_CHANGED))

    @property
    def _is_modern(self) -> bool:
        return self._greeting is not None and self._greeting.era == "modern"

    @property
    def _is_legacy_with_roots(self) -> bool:
        greeting = self._greeting
        is_legacy = greeting is not None and greeting.era == "legacy"
        return is_legacy and self.capabilities.declares(ROOTS)

    async def close(self) -> None:
        """End the session, then the process and all that it started."""
        self._life.begin_to_close()
        if self._session is not None:
            await self._session.close()
        import asyncio

        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """End the process and all that it started, without an event loop."""
        self._life.close()

    def kill(self) -> None:
        """End everything at once, for when there is no time to ask."""
        self._life.kill()

    def _reader(self, exchange: RpcClient) -> Callable[[Line], None]:
        """Make the callback for lines of the process."""
        inbound = StdioInbound(
            exchange,
            self._announcing.emit,
            lambda: self._session,
            self._announcing.on_loop,
            self._life.asks_too_much,
            lambda: self._greeting is not None and has_batches(self._greeting.version),
            lambda: self._is_modern,
        )
        return inbound.take

    def _greet(self, exchange: RpcClient) -> None:
        """Runs in a thread until the tools are listed or the server has failed."""
        try:
            around = NegotiationContext(
                self.identity,
                self.argv,
                self._life.start,
                lambda words: self._announcing.emit(Stage(words)),
                lambda finding: self._announcing.emit(Noticed(finding)),
                self.capabilities,
            )
            exchange, greeting = Negotiation(around, self._protocol).agree(exchange)
            self._life.note_greeted(lambda: self._note_greeting(greeting))
            self._announcing.emit(Stage("waiting for the list of tools"))
            self._announcing.emit(
                list_tools(
                    exchange,
                    greeting.era,
                    self.capabilities,
                    greeting.capabilities,
                    self._on_page,
                )
            )
        except GreetingFailed as problem:
            self._life.fail(problem.words)
        except ServerGone as gone:
            self._life.fail(f"the server ended while it was asked {gone.asked}")
        except Exception as problem:
            self._life.fail(note_fault(problem, "while it greeted a server"))
        else:
            self._subscribe(exchange, greeting)

    def _note_greeting(self, greeting: Greeting) -> None:
        # Before it is told: who hears of it may ask something at once.
        self._greeting = greeting
        self._announcing.emit(greeting)

    def _on_page(self, page: int, count: int) -> None:
        self._announcing.emit(Stage(f"waiting for page {page} of the tools; {count} so far"))

    def _subscribe(self, exchange: RpcClient, greeting: Greeting) -> None:
        """Ask to be told of list_changed (spec 2026-07-28, subscriptions/listen).

        The request is answered when the subscription ends, so this thread waits for that.
        """
        wanted = wanted_changes(greeting.capabilities)
        if greeting.era == "modern" and wanted:
            params: JsonValue = {"notifications": wanted, "_meta": modern_meta(self.capabilities)}
            exchange.ask(LISTEN, params, None)

    def _tell(self, event: LinkEvent) -> None:
        assert self._session is not None
        assert self._listener is not None
        if isinstance(event, Greeting):
            self._session.greeted(event)
        elif isinstance(event, Ended):
            self._session.end()
        self._listener(event)


AT_A_TIME = 64
"""Actions that run before the loop may do something else: a key must not wait for all of them."""
SECONDS_AT_A_TIME = 0.004
"""Nor for so long, where each of them takes its time."""


class LoopBridge:
    """Actions for one loop. A thread waits while so many of its own are not done."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int, seconds: float) -> None:
        """Made on the loop; `seconds`: how long a thread waits for room at most."""
        self._loop = loop
        self._thread = threading.get_ident()
        self._most = most
        self._seconds = seconds
        self._due: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._has_room = threading.Condition(self._lock)
        self._waiting = 0
        """Threads that wait for room."""
        self._is_woken = False

    def put(self, action: Callable[[], None]) -> None:
        """Run it on the loop, after all that was put before; never at once."""
        if self._loop.is_closed():
            return
        is_here = threading.get_ident() == self._thread
        with self._lock:
            if not is_here and len(self._due) >= self._most:
                self._wait_for_room()
            self._due.append(action)
            if self._is_woken:
                return
            self._is_woken = True
        if is_here:
            self._loop.call_soon(self._act)
        else:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._act)

    def _wait_for_room(self) -> None:
        """Until half of them are done: a thread that is woken for each runs in step with the loop,
        and both do little else."""
        self._waiting += 1
        self._has_room.wait_for(lambda: 2 * len(self._due) <= self._most, self._seconds)
        self._waiting -= 1

    def _act(self) -> None:
        until = time.monotonic() + SECONDS_AT_A_TIME
        due = self._due
        try:
            for _ in range(AT_A_TIME):
                # Nobody else takes from it, so that it needs no lock.
                if not due:
                    return
                due.popleft()()
                if time.monotonic() > until:
                    return
        finally:
            # Also after a fault: the others are not to wait for whatever comes next.
            with self._lock:
                if self._waiting and 2 * len(due) <= self._most:
                    self._has_room.notify_all()
                self._is_woken = is_left = bool(due)
            if is_left:
                self._loop.call_soon(self._act)


class EventBuffer:
    """Takes events from any thread; `tell` gets each of them, in order, on the event loop."""

    def __init__(self, tell: Callable[[LinkEvent], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._early: list[LinkEvent] = []
        self._onto_loop: LoopBridge | None = None

    def begin(self, make_way: Callable[[], LoopBridge]) -> None:
        """Deliver the kept events, and later ones as they come. Call it on the loop."""
        with self._lock:
            early, self._early = self._early, []
            self._onto_loop = make_way()
        for event in early:
            self._tell(event)

    def emit(self, event: LinkEvent) -> None:
        """An event came."""
        with self._lock:
            if self._onto_loop is None:
                self._early.append(event)
                return
        self.on_loop(lambda: self._tell(event))

    def on_loop(self, action: Callable[[], None]) -> None:
        """Run it on the loop, in order; from a thread this waits while the loop is far behind."""
        if self._onto_loop is not None:
            self._onto_loop.put(action)
