"""A link to a stdio server.

`begin` starts the process and greets it from a thread, before there is an event loop; `attach`
brings in the loop, tells everything that happened so far, and hands the streams to the SDK.
"""

from __future__ import annotations

import json
import os
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from signoff.app.core.findings import error
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.rpc import RpcError
from signoff.app.core.server_requests.capabilities import (
    ALL_CAPABILITIES,
    ROOTS,
    ClientCapabilities,
)
from signoff.app.core.server_requests.roots import ROOTS_CHANGED
from signoff.app.core.wire.frames import BEGAN, ENDED
from signoff.app.core.wire.log import WireLog
from signoff.app.faults import note_fault
from signoff.app.link.calls import PendingCall
from signoff.app.link.events import (
    Ended,
    Greeting,
    LinkEvent,
    Listener,
    Listing,
    Noticed,
    Reply,
    Requested,
    Stage,
    Started,
    Stderr,
)
from signoff.app.link.exchange import ASK_SECONDS, Answered, Exchange, Gone
from signoff.app.link.greeting import GreetingFailed, ServerGone
from signoff.app.link.listing import list_tools
from signoff.app.link.negotiation import AUTO, Negotiation, Surroundings
from signoff.app.link.notices import LISTEN, wanted_changes
from signoff.app.link.onto_loop import OntoLoop
from signoff.app.link.process import Exit, ServerProcess, server_environment
from signoff.app.link.program import Program
from signoff.app.link.protocol import NOT_READ, answer_to, modern_meta, notification
from signoff.app.link.stdio_inbound import BACKLOG, BACKLOG_SECONDS, StdioInbound

if TYPE_CHECKING:
    from signoff.app.core.approvals.what_runs import WhatRuns
    from signoff.app.link.adopted import AdoptedSession
    from signoff.app.link.watch import Watch

LAST_WORDS_SHOWN = 20
LOOK_SECONDS = 15.0
"""How long reading the program may take; a file on a lost network disk is read for ever."""
UNSENT_MAX = 1_000
"""Lines that may wait for the server to read, before its own requests are no longer answered."""


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
        self._lock = threading.Lock()
        self._early: list[LinkEvent] = []
        self._listener: Listener | None = None
        self._session: AdoptedSession | None = None
        self._process: ServerProcess | None = None
        self._program: Program | None = None
        self._exchange: Exchange | None = None
        self._greeting: Greeting | None = None
        self._is_closing = False
        self._life = threading.Lock()
        """Held where it is decided whether a process starts, and who tells that it ended."""
        self._has_told_end = False
        self._has_told_flood = False
        self._onto_loop: OntoLoop | None = None

    def begin(self) -> None:
        """Start the process and greet it. Returns at once; needs no event loop."""
        self._emit(Stage("starting the server"))
        exchange = self._start()
        if exchange is not None:
            threading.Thread(
                target=self._greet, args=(exchange,), name="greeting", daemon=True
            ).start()

    def attach(self, listener: Listener) -> None:
        """Give events to `listener` from now on, the early ones first. Call it on the loop."""
        # Imported here, since the server has to be started before anything heavy.
        import asyncio

        from signoff.app.link.adopted import AdoptedSession

        self._session = AdoptedSession(
            self._send,
            lambda finding: self._emit(Noticed(finding)),
            self._emit,
            self.capabilities,
            lambda: self.log_level,
        )
        with self._lock:
            early, self._early = self._early, []
            self._listener = listener
            loop = asyncio.get_running_loop()
            self._onto_loop = OntoLoop(loop, BACKLOG, BACKLOG_SECONDS)
        for event in early:
            self._tell(event)

    async def what_runs(self, key: bytes) -> WhatRuns | None:
        """The files and values of variables that the newest process was started with."""
        import asyncio

        from signoff.app.core.approvals.what_runs import unknown_runs
        from signoff.app.link.daemon import in_daemon

        program = self._program
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
        """All pages of tools/list again. None where the server failed to list them."""
        greeting, exchange = self._greeting, self._exchange
        if greeting is None or exchange is None:
            return None
        import asyncio

        try:
            return await asyncio.to_thread(list_tools, exchange, greeting.era, self.capabilities)
        except (GreetingFailed, ServerGone):
            return None

    async def call(self, call: PendingCall, name: str, arguments: dict[str, JsonValue]) -> Reply:
        """Send one tools/call and wait for what comes. Cancel the task to cancel the call."""
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
        """Make a request that is no call, and wait for what comes."""
        greeting, exchange = self._greeting, self._exchange
        if greeting is None or exchange is None:
            return Gone()
        from signoff.app.link.asking import ask

        if greeting.era == "modern":
            params = {**params, "_meta": modern_meta(self.capabilities)}
        return await ask(exchange, method, params, seconds)

    async def send_raw(
        self, message: dict[str, JsonValue], seconds: float | None = ASK_SECONDS
    ) -> Answered | None:
        """Send a message as it is."""
        if self._greeting is None or self._exchange is None:
            return Gone()
        from signoff.app.link.asking import send_raw

        return await send_raw(self._exchange, message, seconds)

    def request_meta(self) -> dict[str, JsonValue]:
        """What requests carry since 2026-07-28."""
        is_modern = self._greeting is not None and self._greeting.era == "modern"
        return modern_meta(self.capabilities) if is_modern else {}

    def answer(self, request: Requested, answer: dict[str, JsonValue] | RpcError) -> None:
        """Answer what the server asked for."""
        if self._exchange is not None:
            self._exchange.tell(answer_to(request.id, answer))

    def tell_roots_changed(self) -> None:
        """`notifications/roots/list_changed`; since 2026-07-28 there is no such thing."""
        if self._exchange is not None and self._is_legacy_with_roots:
            self._exchange.tell(notification(ROOTS_CHANGED))

    @property
    def _is_legacy_with_roots(self) -> bool:
        greeting = self._greeting
        is_legacy = greeting is not None and greeting.era == "legacy"
        return is_legacy and self.capabilities.declares(ROOTS)

    async def close(self) -> None:
        """End the session, then the process and all that it started."""
        self._is_closing = True
        if self._session is not None:
            await self._session.close()
        import asyncio

        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """End the process and all that it started, without an event loop."""
        with self._life:
            self._is_closing = True
        if self._exchange is not None:
            self._exchange.close()
        if self._process is not None:
            self._process.stop()
        if self._program is not None:
            self._program.close()

    def kill(self) -> None:
        """End everything at once, for when there is no time to ask."""
        if self._process is not None:
            self._process.kill()

    def _start(self) -> Exchange | None:
        """A process, and an exchange that lives as long as it does."""
        exchange = Exchange(
            lambda line: process.send(line), lambda finding: self._emit(Noticed(finding))
        )
        inbound = StdioInbound(
            exchange, self._emit, lambda: self._session, self._on_loop, self._asks_too_much
        )
        with self._life:
            if self._is_closing:
                return None
            program = Program(self.argv, server_environment(self._env))
            try:
                argv, executable, further = self._command(program.path or None)
                process = ServerProcess(
                    argv,
                    env=self._env | further,
                    executable=executable,
                    folder=self.watch.scratch if self.watch is not None else None,
                    wire=self.wire,
                    on_line=inbound.take,
                    on_stderr=lambda lines: self._emit(Stderr(lines)),
                    on_exit=lambda ended: self._on_exit(exchange, ended),
                )
            except (OSError, ValueError) as problem:
                program.close()
                reason = problem.strerror if isinstance(problem, OSError) else str(problem)
                self._emit(Ended(f"“{self.argv[0]}” could not be started: {reason}"))
                return None
            self._process, self._exchange = process, exchange
            before, self._program = self._program, program
        if before is not None:
            before.close()
        if self.watch is not None:
            self.watch.has_started(process.pid)
        self.wire.note(f"{BEGAN}: started with pid {process.pid}")
        self._emit(Started(process.pid))
        process.attend()
        return exchange

    def _command(self, executable: str | None) -> tuple[Sequence[str], str | None, dict[str, str]]:
        """What is started: the command, its file, and variables that only this start needs."""
        if self.watch is None:
            return self.argv, executable, {}
        return self.watch.started_as(self.argv, executable)

    def _send(self, line: bytes, call: int = 0) -> None:
        if self._process is not None:
            self._process.send(line, call)

    def _greet(self, exchange: Exchange) -> None:
        """Runs in a thread until the tools are listed or the server has failed."""
        try:
            around = Surroundings(
                self.identity,
                self.argv,
                self._start,
                lambda words: self._emit(Stage(words)),
                lambda finding: self._emit(Noticed(finding)),
                self.capabilities,
            )
            exchange, greeting = Negotiation(around, self._protocol).agree(exchange)
            with self._life:
                # Before it is told: who hears of it may ask something at once.
                self._greeting = greeting
                self._emit(greeting)
            self._emit(Stage("waiting for the list of tools"))
            self._emit(list_tools(exchange, greeting.era, self.capabilities, self._on_page))
        except GreetingFailed as problem:
            self._fail(problem.words)
        except ServerGone as gone:
            self._fail(f"the server ended while it was asked {gone.asked}")
        except Exception as problem:
            self._fail(note_fault(problem, "while it greeted a server"))
        else:
            self._subscribe(exchange, greeting)

    def _on_page(self, page: int, count: int) -> None:
        self._emit(Stage(f"waiting for page {page} of the tools; {count} so far"))

    def _subscribe(self, exchange: Exchange, greeting: Greeting) -> None:
        """Ask to be told of list_changed (spec 2026-07-28, subscriptions/listen).

        The request is answered when the subscription ends, so this thread waits for that.
        """
        wanted = wanted_changes(greeting.capabilities)
        if greeting.era == "modern" and wanted:
            params: JsonValue = {"notifications": wanted, "_meta": modern_meta(self.capabilities)}
            exchange.ask(LISTEN, params, None)

    def _fail(self, words: str) -> None:
        """The server could not be greeted. Tell why, with its last words, and end it."""
        process = self._process
        if process is None:
            return
        ended, words = process.exit, process.fault or words
        self._tell_end(process, words if ended is None else f"{words}: {ended.words}", ended)
        process.stop()

    def _on_exit(self, exchange: Exchange, ended: Exit) -> None:
        exchange.close()
        self.wire.note(f"{ENDED}: {ended.words}")
        process = self._process
        # Before the greeting the thread that greets tells the end: it knows what was asked.
        with self._life:
            is_mine = self._greeting is not None
        if is_mine and process is not None and process.pid == ended.pid:
            self._tell_end(process, process.fault or f"the server ended: {ended.words}", ended)

    def _tell_end(self, process: ServerProcess, words: str, ended: Exit | None) -> None:
        with self._life:
            if self._is_closing or self._has_told_end:
                return
            self._has_told_end = True
        code = None if ended is None else ended.code
        self._emit(Ended(words, process.pid, code, process.last_words[-LAST_WORDS_SHOWN:]))

    def _asks_too_much(self) -> bool:
        """Whether the server asks and does not read the answers; told once."""
        process = self._process
        if process is None or process.unsent <= UNSENT_MAX:
            return False
        if not self._has_told_flood:
            self._has_told_flood = True
            self._emit(Noticed(error("asks-too-much", NOT_READ)))
        return True

    def _emit(self, event: LinkEvent) -> None:
        with self._lock:
            if self._onto_loop is None:
                self._early.append(event)
                return
        self._on_loop(lambda: self._tell(event))

    def _tell(self, event: LinkEvent) -> None:
        assert self._session is not None
        assert self._listener is not None
        if isinstance(event, Greeting):
            self._session.greeted(event)
        elif isinstance(event, Ended):
            self._session.end()
        self._listener(event)

    def _on_loop(self, action: Callable[[], None]) -> None:
        """Run it on the loop, in order; from a thread this waits while the loop is far behind."""
        if self._onto_loop is not None:
            self._onto_loop.put(action)
