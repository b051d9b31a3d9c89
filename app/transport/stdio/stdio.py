"""A link to a stdio server.

`begin` starts the process and initializes it from a thread, before there is an event loop; `attach`
brings in the loop and delivers the events so far.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from .. import listing
from ..events import (
    NOT_ATTACHED,
    Answered,
    ConnectionClosed,
    Ended,
    Greeting,
    LinkEvent,
    Listener,
    Listing,
    Noticed,
    Reply,
    Requested,
    Stage,
    Subscribed,
)
from ..gate import Gate, SendRefused, without_approval
from ..greeting import GreetingFailed, ServerGone, describe
from ..listing import (
    NOT_ACKNOWLEDGED,
    WAITING_FOR_TOOLS,
    list_tools,
    list_tools_again,
    page_words,
    subscription_lost,
    wanted_changes,
)
from ..messages import classify
from ..negotiation import AUTO, Negotiation, NegotiationContext
from ..peer import ASK_SECONDS, PREFIX, Peer, PendingRequest
from ..protocol import LISTEN, answer_to, has_batches, modern_meta, notification
from .inbound import BATCH, Message, MessageReader, Unreadable
from .server_life import ServerLife, StartAs, as_given

if TYPE_CHECKING:
    import asyncio

    from ...approval.fingerprint import ServerFingerprint
    from ...calls.effects.watch import Watch
    from .lines import Line

LOOK_SECONDS = 15.0
"""How long reading the program may take; a file on a lost network disk is read for ever."""
BACKLOG = 2_000
"""Things that wait for the event loop; a server that sends faster has to wait itself."""
BACKLOG_SECONDS = 5.0


class StdioLink:
    """One server process and the connection over its pipes."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        protocol: str = AUTO,
        capabilities: ClientCapabilities = ALL_CAPABILITIES,
        wire: WireLog | None = None,
        watch: Watch | None = None,
        folder: str = "",
        shown: Sequence[str] = (),
        prefix: str = PREFIX,
        start_as: StartAs | None = None,
    ) -> None:
        """`protocol` is AUTO, LEGACY or MODERN; `capabilities` are what the server may ask for;
        `wire` takes all that is sent and received; `watch` sees what the process does;
        `folder` is its working folder, by default that of this program; `shown` are the words of
        the command without secrets; `prefix` begins the ids of requests other than calls;
        `start_as` makes the command that is started."""
        self.watch = watch
        self.wire = wire or WireLog()
        self._protocol = protocol
        self.capabilities = capabilities
        self.lenient: tuple[str, ...] = ()
        self.log_level = ""
        self.argv = tuple(argv)
        words = tuple(shown) or self.argv
        self.command = shlex.join(words)
        self._env = dict(env or {})
        self._bound_env: Mapping[str, str] = self._env
        """The variables that approvals are bound to."""
        self.identity = json.dumps(["stdio", folder or os.getcwd(), sorted(self._env), words])
        """Transport, folder, names of the variables that were given, exact command. Definitions,
        arguments and eras are remembered by it; approvals are bound to what runs, too."""
        self._announcing = EventBuffer(self._tell)
        self._listener: Listener | None = None
        self._ready: asyncio.Event | None = None
        """Set once calls can be sent, or never can be; None before the link is attached."""
        self._greeting: Greeting | None = None
        self._is_subscribed = False
        self._life = ServerLife(
            self.argv,
            self._env,
            self.wire,
            watch,
            folder,
            self._announcing.emit,
            self._reader,
            self._announcing.on_loop,
            self._announcing.together,
            prefix,
            start_as or as_given,
        )

    def begin(self) -> None:
        """Start the process and begin the handshake. Returns at once; needs no event loop."""
        self._announcing.emit(Stage("starting the server"))
        peer = self._life.start()
        if peer is not None:
            threading.Thread(target=self._greet, args=(peer,), name="greeting", daemon=True).start()

    def attach(self, listener: Listener) -> None:
        """Give events to `listener` from now on, the early ones first. Call it on the loop."""
        # Imported here, since the server has to be started before anything heavy.
        import asyncio

        self._ready = asyncio.Event()
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
            looking = in_daemon(lambda: program.looked_at(key, self._bound_env))
            return await asyncio.wait_for(looking, LOOK_SECONDS)
        except TimeoutError:
            return unknown_runs(f"the program could not be read within {LOOK_SECONDS:g} s")

    def changed_files(self) -> tuple[str, ...]:
        """Files of the newest process, by the reading that approvals are bound to."""
        program = self._life.program
        return () if program is None else program.changed_files()

    async def list_tools(self) -> Listing | None:
        """All pages of tools/list again. None if the server failed to list them."""
        if self._greeting is None or self._life.peer is None:
            return None
        try:
            return await list_tools_again(self.ask, self._greeting.capabilities)
        except GreetingFailed:
            return None

    async def request(self, pending: PendingRequest, params: dict[str, JsonValue]) -> Reply:
        """Send one call and wait for its reply. Cancel the task to cancel the call."""
        if self._ready is None:
            return Reply(problem=NOT_ATTACHED, lost=True)
        await self._ready.wait()
        if self._life.peer is None:
            return Reply(lost=True)
        return await self._life.peer.request(pending, params)

    async def ask(
        self,
        method: str,
        params: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered:
        """Make a request other than a call and wait for its response."""
        if self._greeting is None or self._life.peer is None:
            return ConnectionClosed()
        return await self._life.peer.ask(method, params, seconds, gate)

    async def send_raw(
        self,
        message: dict[str, JsonValue],
        seconds: float | None = ASK_SECONDS,
        gate: Gate = without_approval,
    ) -> Answered | None:
        """Send a message as it is."""
        peer = self._life.peer
        if self._greeting is None or peer is None:
            return ConnectionClosed()
        if "id" in message:
            return await peer.send(message, seconds, gate)
        try:
            peer.tell(message, gate=gate)
        except SendRefused as refused:
            return RpcError(None, str(refused))
        return None

    def request_meta(self) -> dict[str, JsonValue]:
        """Return the `_meta` that requests carry since 2026-07-28."""
        return modern_meta(self.capabilities) if self._is_modern else {}

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for; since 2026-07-28 no response may be sent."""
        if self._life.peer is not None and not self._is_modern:
            self._life.peer.tell(answer_to(request.id, answer))

    def tell_roots_changed(self) -> None:
        """Send `notifications/roots/list_changed`, which 2026-07-28 has removed."""
        if self._life.peer is not None and self._is_legacy_with_roots:
            self._life.peer.tell(notification(ROOTS_CHANGED))

    @property
    def _is_modern(self) -> bool:
        return self._greeting is not None and self._greeting.era == "modern"

    @property
    def _is_legacy_with_roots(self) -> bool:
        greeting = self._greeting
        is_legacy = greeting is not None and greeting.era == "legacy"
        return is_legacy and self.capabilities.declares(ROOTS)

    async def close(self) -> None:
        """End the process and all that it started; what waits for an answer is lost."""
        self._life.begin_to_close()
        if self._ready is not None:
            self._ready.set()
        import asyncio

        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """End the process and all that it started, without an event loop."""
        self._life.close()

    def kill(self) -> None:
        """End everything at once, without time for a graceful exit."""
        self._life.kill()

    def _reader(self, peer: Peer) -> Callable[[Line], None]:
        """Make the callback for lines of the process; it is called from the thread that reads."""
        reader = MessageReader()

        def take(line: Line) -> None:
            for item in reader.read(line):
                match item:
                    case Message(body):
                        peer.take(classify(body))
                    case Unreadable():
                        peer.fail(item.id, item.reason, item.whole)
                    case _ if item.code != BATCH or not has_batches(peer.version):
                        self._announcing.emit(Noticed(item))

        return take

    def _greet(self, peer: Peer) -> None:
        """Runs in a thread until the tools are listed or the server has failed."""
        try:
            around = NegotiationContext(
                self.identity,
                self.argv,
                self._life.start,
                lambda words: self._announcing.emit(Stage(words)),
                lambda finding: self._announcing.emit(Noticed(finding)),
                self._life.end_words,
                self.capabilities,
            )
            peer, greeting = Negotiation(around, self._protocol).agree(peer)
            self._life.note_greeted(lambda: self._note_greeting(peer, greeting))
            self._announcing.emit(Stage(WAITING_FOR_TOOLS))
            self._announcing.emit(list_tools(peer, greeting.capabilities, self._on_page))
        except GreetingFailed as problem:
            self._life.fail(problem.words)
        except ServerGone as gone:
            self._life.fail(f"the server exited during {gone.asked}")
        except Exception as problem:
            self._life.fail(note_fault(problem, "while it connected to a server"))
        else:
            self._subscribe(peer, greeting)

    def _note_greeting(self, peer: Peer, greeting: Greeting) -> None:
        # Before it is published: a listener may send a request at once.
        self._greeting, peer.version = greeting, greeting.version
        if greeting.era == "modern":
            peer.meta = lambda: modern_meta(self.capabilities, self.log_level)
        self._announcing.emit(greeting)

    def _on_page(self, page: int, count: int) -> None:
        self._announcing.emit(Stage(page_words(page, count)))

    def _subscribe(self, peer: Peer, greeting: Greeting) -> None:
        """Subscribe to list_changed (spec 2026-07-28, subscriptions/listen).

        The request is answered when the subscription ends, so no thread waits for that.
        """
        wanted = wanted_changes(greeting.capabilities)
        if greeting.era != "modern" or not wanted:
            return

        def has_ended(answer: Answered) -> None:
            if not isinstance(answer, ConnectionClosed) and not self._life.is_closing:
                why = describe(answer) if isinstance(answer, RpcError) else "the subscription ended"
                self._announcing.emit(Noticed(subscription_lost(why)))

        def check() -> None:
            if not self._life.is_closing and not peer.is_closed and not self._is_subscribed:
                self._announcing.emit(Noticed(subscription_lost(NOT_ACKNOWLEDGED)))

        peer.begin(LISTEN, {"notifications": wanted}, has_ended)
        timer = threading.Timer(listing.ACKNOWLEDGED_SECONDS, check)
        timer.daemon = True
        timer.start()

    def _tell(self, event: LinkEvent) -> None:
        assert self._listener is not None
        self._is_subscribed = self._is_subscribed or isinstance(event, Subscribed)
        if isinstance(event, Greeting | Ended) and self._ready is not None:
            self._ready.set()
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
        self._collecting: set[int] = set()
        """Threads that wake the loop once, for all that they put."""

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Let all that this thread puts wake the loop once, at the end.

        Woken for each, the loop would do one action at a time, and most of its time would go to
        waking up.
        """
        thread = threading.get_ident()
        self._collecting.add(thread)
        try:
            yield
        finally:
            self._collecting.discard(thread)
            with self._lock:
                self._wake()

    def put(self, action: Callable[[], None]) -> None:
        """Run it on the loop, after all that was put before; never at once."""
        if self._loop.is_closed():
            return
        thread = threading.get_ident()
        with self._lock:
            if thread != self._thread and len(self._due) >= self._most:
                self._wake()
                self._wait_for_room()
            self._due.append(action)
            if thread not in self._collecting:
                self._wake()

    def _wake(self) -> None:
        """Have the loop run the due actions; call it with the lock."""
        if self._is_woken or not self._due:
            return
        self._is_woken = True
        if threading.get_ident() == self._thread:
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
                # No other thread takes from it, so that it needs no lock.
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
        """Run it on the loop, in order; from a thread this waits while the loop is far behind.

        Before there is a loop it runs at once: no call is on its way then.
        """
        if self._onto_loop is None:
            action()
        else:
            self._onto_loop.put(action)

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Let all actions of this thread wake the loop once, at the end."""
        return contextlib.nullcontext() if self._onto_loop is None else self._onto_loop.together()
