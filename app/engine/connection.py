"""The connection to one server: events of its link, reconnecting, and its log.

The program that runs as the server is examined once per connection. Of log messages the newest are
kept and the others counted.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..approval.fingerprint import ServerFingerprint, unknown_runs
from ..content.frozen import frozen
from ..protocol.findings.findings import Finding, error
from ..protocol.log_messages import LogMessage, read_message
from ..protocol.server import Phase, Server
from ..storage.fault_log import note_fault
from ..transport import NoLink
from ..transport.events import (
    Blocked,
    ElicitationComplete,
    Ended,
    FromServer,
    Greeting,
    LinkEvent,
    ListChanged,
    Listing,
    Logged,
    Noticed,
    OfferListChanged,
    Requested,
    ResourceUpdated,
    SignInAsked,
    SignInClosed,
    SignInEvent,
    SignInOpened,
    Stage,
    Started,
    Stderr,
    Subscribed,
    Withdrawn,
)
from .definitions import Definitions

if TYPE_CHECKING:
    from ..transport import Link


class FingerprintReader:
    """Examines the running server; `again` gets the program of the old and new connection."""

    def __init__(
        self,
        look: Callable[[], Awaitable[ServerFingerprint | None]],
        again: Callable[[ServerFingerprint | None, ServerFingerprint | None], None],
    ) -> None:
        self._look = look
        self._again = again
        self._looking: asyncio.Task[None] | None = None
        self._before: list[ServerFingerprint | None] = []
        """What ran on the connection before; empty on the first one."""
        self._is_known = False
        self.now: ServerFingerprint | None = None
        """None also before the program was examined."""

    def restart(self) -> None:
        """Begin another connection: the program must be examined again."""
        self.close()
        if self._is_known:
            self._before = [self.now]
        self._is_known, self.now = False, None

    async def known(self) -> ServerFingerprint | None:
        """Return the program that runs, once it has been examined."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._find(), name="looking")
        if not self._looking.done():
            await asyncio.wait({self._looking})
        return self.now

    def close(self) -> None:
        """Stop examining; waiting callers get None."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _find(self) -> None:
        try:
            self.now = await self._look()
        except Exception as problem:
            words = note_fault(problem, "while it looked at what runs")
            self.now = unknown_runs(f"the running program is not known: {words}")
        self._is_known = True
        if self._before:
            self._again(self._before[0], self.now)


MESSAGES_KEPT: Final = 2_000


class ServerLog:
    """Log messages of one server, over all its connections."""

    def __init__(self) -> None:
        self.messages: deque[LogMessage] = deque(maxlen=MESSAGES_KEPT)
        self.count = 0
        """Messages that ever came: a mark to redraw by."""
        self.level = ""
        """The lowest level of log messages that the server is to send; empty if never set."""
        self.problem = ""
        """Why the server does not go by it, in words that are safe to show."""

    @property
    def dropped(self) -> int:
        """Messages that came and were not kept."""
        return self.count - len(self.messages)

    def take(self, event: Logged) -> None:
        """A message came."""
        self.count += 1
        self.messages.append(read_message(event.level, event.logger, event.data))

    async def tell_level(self, link: Link, greeting: Greeting | None) -> None:
        """Have the server send messages from `level` on, in the way of its era."""
        link.log_level = self.level
        self.problem = ""
        if not self.level or greeting is None or greeting.era == "modern":
            return
        if not isinstance(greeting.capabilities.get("logging"), dict):
            self.problem = (
                "the server does not declare the capability logging, so its level cannot be set"
            )
            return
        from ..protocol.rpc import RpcError
        from ..transport.events import NoResponse
        from ..transport.greeting import describe
        from ..transport.protocol import SET_LOG_LEVEL

        wanted = self.level
        answer = await link.ask(SET_LOG_LEVEL, {"level": wanted})
        if self.level != wanted:
            return
        if isinstance(answer, RpcError):
            self.problem = f"the server did not set its level: {describe(answer)}"
        elif isinstance(answer, NoResponse):
            self.problem = "no response to setting the log level"


STDERR_LINES = 2_000
SIGNING_IN: Final = "waiting for you to sign in"
SIGNED_IN: Final = "going on after the sign-in"
LAST_OUTPUT = (Stderr, Logged, Noticed, Blocked)
"""Events that count while a link is being closed for a restart."""


@frozen
class ConnectionListener:
    """Connection callbacks; called on the event loop."""

    changed: Callable[[], None]
    """There is a new value of the server."""
    listed: Callable[[], None]
    """A list of tools came, and was taken in."""
    tools: Callable[[bool], None]
    """There are other tools than before; whether they are the first."""
    asked: Callable[[FromServer], None]
    signing_in: Callable[[SignInEvent], None]
    """A person has to decide on a sign-in, or to visit its page."""
    told: Callable[[OfferListChanged | ResourceUpdated | Subscribed], None]
    """Something of what it offers beside its tools is another."""
    found: Callable[[Finding], None]
    blocked: Callable[[Blocked], None]
    """The last gate stopped a message that no approval covers."""
    looked_again: Callable[[ServerFingerprint | None, ServerFingerprint | None], None]
    """On a new connection: what ran on the one before, and what runs now."""
    reopened: Callable[[ServerFingerprint | None], None]
    """Called after a reconnection with the program that runs now, if it could be examined. Called
    before the rest of the engine knows the program.
    """
    ended: Callable[[], None]
    begin: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    """Does something in the background."""


class Connection:
    """One server over successive links, with its newest `Server` value."""

    def __init__(
        self,
        link: Link,
        server: Server,
        relink: Callable[[], Link] | None,
        value_key: Callable[[], Callable[[], tuple[bytes, str]]],
        hearer: ConnectionListener,
    ) -> None:
        """`relink` makes another link to the same server. `value_key` returns the key of the keyed
        digests and its problem; it may take long, and is called in a thread.
        """
        self.link = link
        self.server = server
        self.definitions = Definitions(self._list_again, hearer.tools)
        self.definitions.experimental = link.capabilities.experimental
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.stderr_count = 0
        """Lines that ever arrived."""
        self.log = ServerLog()
        self._greeting: Greeting | None = None
        """Of this connection."""
        self._is_new = False
        """True after the handshake, until the tools of this connection are listed."""
        self._is_reopening = False
        """True if the reconnection was not reported yet."""
        self._is_restarting = False
        self._is_ending = False
        """True while a link is closed for a restart: only its last output counts."""
        self._telling_level: asyncio.Task[None] | None = None
        self.running = FingerprintReader(self._look_at_server, hearer.looked_again)
        """What runs as the server, as far as it has been looked at on this connection."""
        self._stirred = asyncio.Event()
        """Something else is known of the server."""
        self._relink = relink
        self._value_key = value_key
        self._hearer = hearer

    def open(self) -> None:
        """Listen to the link. Call it once, on the event loop."""
        self._listen()

    def _listen(self) -> None:
        """Take in the events of the current link, until another one takes its place."""
        link = self.link
        link.attach(lambda event: self.take(event) if self.link is link else None)

    def close(self) -> None:
        """Stop examining the program."""
        self.running.close()
        self._tell_reopened(None)

    def tell_log_level(self) -> None:
        """Request the wanted level of log messages from the server."""
        telling = self.log.tell_level(self.link, self._greeting)
        self._telling_level = self._hearer.begin(telling)

    async def log_level_told(self) -> None:
        """Wait until the server has answered to that."""
        if self._telling_level is not None and not self._telling_level.done():
            await asyncio.wait({self._telling_level})

    async def fingerprint(self) -> ServerFingerprint | None:
        """Return the program that runs as the server; examines it first if needed. None while not
        connected.
        """
        return await self.running.known() if self.server.is_open else None

    async def reopening_told(self) -> None:
        """Wait until a pending reconnection was reported."""
        if self._is_reopening:
            await self.fingerprint()

    @property
    def can_reconnect(self) -> bool:
        """True if the connection is gone and can be made again."""
        return self.can_restart and self.server.phase in (Phase.LOST, Phase.FAILED)

    @property
    def can_restart(self) -> bool:
        """True if another link to the server can be made, whether one is there or not."""
        return self._relink is not None

    async def reconnect(self) -> str:
        """Start the server again, or connect to it again; nothing if it is still there.

        Returns why that could not even begin, in words; empty if it did.
        """
        if self._relink is None or not self.can_reconnect:
            return ""
        try:
            link = self._relink()
        except NoLink as problem:
            return str(problem)
        except Exception as problem:
            return note_fault(problem, "while it made a new link to a server")
        self.change(
            phase=Phase.CONNECTING,
            stage="starting again",
            pid=None,
            ended_words="",
            needs_sign_in=False,
            exit_code=None,
            last_words=(),
        )
        try:
            await self.link.close()
            self._is_reopening = True
            self.definitions.restart()
            self.running.restart()
            self.link, self._greeting = link, None
            link.log_level = self.log.level
            link.begin()
            self._listen()
        except Exception as problem:
            words = note_fault(problem, "while it connected again")
            link.kill()
            self._end(Ended(words))
            return words
        return ""

    async def restart(self) -> str:
        """End the server if it runs, and start it again; returns why not, as `reconnect` does.

        Calls that were sent and have no response are lost; others are void. While a restart is
        under way, another one does nothing.
        """
        if not self.can_restart:
            return "it cannot be started again"
        if self._is_restarting:
            return ""
        self._is_restarting = True
        try:
            if not self.can_reconnect:
                await self._end_to_restart()
            problem = await self.reconnect()
            if problem:
                self.change()
            return problem
        finally:
            self._is_restarting = False

    async def _end_to_restart(self) -> None:
        """End the link: from the first moment nothing can be sent, however long the end takes."""
        self._end(Ended("it was ended to be restarted"), is_news=False)
        lost = self.server
        self.change(phase=Phase.CONNECTING, stage="ending the server")
        self._is_ending = True
        try:
            await self.link.close()
        finally:
            self._is_ending = False
            self.server = lost

    async def connected_again(self) -> bool:
        """Wait for a connection if there is none; False if none can come."""
        while not self.server.is_open:
            if self.server.phase is not Phase.CONNECTING and not self.can_reconnect:
                return False
            self._stirred.clear()
            await self._stirred.wait()
        return True

    def _set(self, **changes: object) -> None:
        self.server = replace(self.server, **changes)  # type: ignore[arg-type]

    def change(self, **changes: object) -> None:
        """Something else is known of the server."""
        self._set(**changes)
        self._stirred.set()
        self._hearer.changed()

    def take(self, event: LinkEvent) -> None:
        """Take in an event of the link; faults in doing so are reported and end here."""
        try:
            self._take_event(event)
        except Exception as problem:
            words = note_fault(problem, "while it took in what a server sent")
            self._hearer.found(error("fault", words))
            if isinstance(event, (Greeting, Listing)) and not self.definitions.is_listed:
                # Nothing more will come that the screen could go on with.
                self._end(Ended(words))
                self.link.kill()

    def _take_event(self, event: LinkEvent) -> None:
        if self._is_ending and not isinstance(event, LAST_OUTPUT):
            return
        match event:
            case Stage(words):
                self.change(stage=words)
            case Started(pid):
                self.change(pid=pid)
            case Greeting():
                self._greeting, self._is_new = event, True
                self.definitions.version = event.version
                self.change(
                    phase=Phase.CONNECTED,
                    version=event.version,
                    basis=event.basis,
                    info=event.info,
                    capabilities=event.capabilities,
                    instructions=event.instructions,
                )
            case Listing():
                if self._is_new and self.log.level:
                    self.tell_log_level()
                self._is_new = False
                self.definitions.take(event)
                self._hearer.listed()
            case ListChanged(is_announced):
                self.definitions.tell_changed(is_announced=is_announced)
            case SignInAsked() | SignInOpened() | SignInClosed():
                is_over = isinstance(event, SignInClosed)
                self.change(stage=SIGNED_IN if is_over else SIGNING_IN)
                self._hearer.signing_in(event)
            case Stderr(lines):
                self.stderr.extend(lines)
                self.stderr_count += len(lines)
            case Logged():
                self.log.take(event)
            case Noticed(finding):
                self._hearer.found(finding)
            case Blocked():
                self._hearer.found(event.finding)
                self._hearer.blocked(event)
            case Requested() | Withdrawn() | ElicitationComplete():
                self._hearer.asked(event)
            case OfferListChanged() | ResourceUpdated() | Subscribed():
                self._hearer.told(event)
            case Ended():
                self._end(event)

    def _end(self, ended: Ended, *, is_news: bool = True) -> None:
        """Note the end of the connection; with `is_news`, report it at once."""
        if self.server.phase in (Phase.FAILED, Phase.LOST):
            # Its process was ended for the reason that is there already.
            return
        self._tell_reopened(None)
        change = self.change if is_news else self._set
        change(
            phase=Phase.LOST if self.server.is_open else Phase.FAILED,
            ended_words=ended.words,
            pid=ended.pid if ended.pid is not None else self.server.pid,
            exit_code=ended.code,
            last_words=ended.last_words,
            needs_sign_in=ended.needs_sign_in,
        )
        self._hearer.ended()

    def _tell_reopened(self, runs: ServerFingerprint | None) -> None:
        if self._is_reopening and self.server.is_open:
            self._is_reopening = False
            self._hearer.reopened(runs)

    async def _list_again(self) -> Listing | None:
        return await self.link.list_tools() if self.server.is_open else None

    async def _look_at_server(self) -> ServerFingerprint | None:
        link = self.link
        # The store is opened here rather than in the thread: there is one of it.
        read_key = self._value_key()
        key, problem = await asyncio.to_thread(read_key)
        runs = await link.fingerprint(key)
        if runs is not None:
            runs = replace(runs, problem=runs.problem or problem)
        self._tell_reopened(runs)
        return runs
