"""The scripted server in memory behind a link: no process, no pipes, and all else as it is.

What goes to the server passes the gate, the log of the wire and JSON as ever, and its lines are
read as those of a process are. What only a process does - its start, its signals, what is left of
it, a pipe that nobody reads - wants a process, so that the switches for these are refused here.
"""

from __future__ import annotations

import argparse
import itertools
import queue
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, cast

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server_requests.capabilities import ALL_CAPABILITIES, ClientCapabilities
from signoff.app.protocol.wire.frames import BEGAN, CLIENT, SERVER, WireLog
from signoff.app.transport.events import Started, Stderr
from signoff.app.transport.gate import Gate
from signoff.app.transport.negotiation import AUTO
from signoff.app.transport.peer import Peer
from signoff.app.transport.stdio.lines import Line, LineReader, Overlong
from signoff.app.transport.stdio.process import Exit, ServerProcess, server_environment
from signoff.app.transport.stdio.program import Program
from signoff.app.transport.stdio.server_life import ServerLife
from signoff.app.transport.stdio.stdio import StdioLink
from tests.servers import raw
from tests.servers._wire import ServerEnded, Wire
from tests.servers.options import parse
from tests.servers.scripted import Server

OF_A_PROCESS = (
    *("ignore_sigterm", "sigterm_file", "crash_on_signal", "exit_on_signal", "grandchild"),
    *("noise_at_start", "stderr_flood", "die_at_start", "start_never", "start_delay", "pid_file"),
    *("ignore_eof", "leader_exits", "crash_after", "stop_reading"),
)
"""Switches of the scripted server that say how a process starts, ends or reads."""
SECONDS = 60.0
"""How long a server may take to notice that nothing comes any more."""

_numbers = itertools.count(5_000_000)
"""In the place of process ids; no system has such a high one."""


def needs_process(options: argparse.Namespace) -> list[str]:
    """The switches, of those that were given, that want a process."""
    usual = parse([])
    return [one for one in OF_A_PROCESS if getattr(options, one) != getattr(usual, one)]


class MemoryWire(Wire):
    """The server's end: lines of the client from a queue, and bytes to a function."""

    def __init__(self, received: str | None, process: MemoryProcess) -> None:
        super().__init__(received)
        self.inbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process = process

    def lines(self) -> Iterator[bytes]:
        while (line := self.inbox.get()) is not None:
            self.keep(line)
            yield line

    def send_bytes(self, data: bytes) -> None:
        with self._lock:
            self._process.take(data)

    def print_error(self, text: str) -> None:
        self._process.take_error(text)

    def end(self, status: int, words: str = "") -> NoReturn:
        if words:
            self.print_error(words)
        self._process.end(status)
        raise ServerEnded


class MemoryProcess:
    """A thread that behaves towards a link as a `ServerProcess` does."""

    def __init__(
        self,
        options: argparse.Namespace,
        wire: WireLog,
        on_line: Callable[[Line], None],
        on_stderr: Callable[[tuple[str, ...]], None],
        on_exit: Callable[[Exit], None],
    ) -> None:
        self.pid = next(_numbers)
        self.mark = ("SIGNOFF_IN_MEMORY", str(self.pid))
        self.exit: Exit | None = None
        self.fault = ""
        self.last_words: tuple[str, ...] = ()
        self._log = wire
        self._on_line = on_line
        self._on_stderr = on_stderr
        self._on_exit = on_exit
        self._reader = LineReader()
        self._ending = threading.Lock()
        self._is_shut = False
        self._wire = MemoryWire(options.received, self)
        self._server = Server(options, self._wire)
        self._thread = threading.Thread(target=self._serve, name="server-in-memory", daemon=True)

    def attend(self) -> None:
        self._thread.start()

    @property
    def unsent(self) -> int:
        return self._wire.inbox.qsize()

    def send(self, line: bytes, call: int = 0) -> None:
        if not self._is_shut:
            # Before it is there, since the answer may come right after it.
            self._log.add(CLIENT, line, call)
            self._wire.inbox.put(line + b"\n")

    def take(self, data: bytes) -> None:
        """What the server wrote; of one thread at a time."""
        if self.exit is None:
            for line in self._reader.feed(data):
                if isinstance(line, Overlong):
                    self._log.add(SERVER, line.head, size=line.size)
                else:
                    self._log.add(SERVER, line)
                self._on_line(line)

    def take_error(self, text: str) -> None:
        lines = tuple(text.splitlines())
        self.last_words += lines
        self._on_stderr(lines)

    def end(self, code: int) -> None:
        """End it; the first end counts."""
        with self._ending:
            if self.exit is not None:
                return
            self.exit = Exit(self.pid, code)
        self._is_shut = True
        self._wire.inbox.put(None)
        self._on_exit(self.exit)

    def stop(self) -> None:
        self._is_shut = True
        self._wire.inbox.put(None)
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(SECONDS)

    def kill(self) -> None:
        # Told from another thread and later, as the end of a process is.
        threading.Thread(target=self.end, args=(-9,), daemon=True).start()

    def _serve(self) -> None:
        try:
            self._server.serve()
        except ServerEnded:
            return
        except Exception:
            # As Python ends a process.
            self.take_error(traceback.format_exc())
            self.end(1)
            return
        self.end(self._server.options.exit_code)


class MemoryLife(ServerLife):
    """Starts a server in memory in the place of a process."""

    options: argparse.Namespace

    def start(self) -> Peer | None:
        def write(message: dict[str, JsonValue], gate: Gate | None, number: int) -> None:
            process.send(self.gate.seal(message, gate), number)

        peer = Peer(write, self._emit, deliver=self._deliver, drops_requests=self._asks_too_much)
        memory = MemoryProcess(
            self.options,
            self._wire,
            self._reader(peer),
            lambda lines: self._emit(Stderr(lines)),
            lambda ended: self._on_exit(peer, ended),
        )
        process = cast(ServerProcess, memory)
        with self._lock:
            if self._is_closing:
                return None
            self.process, self.peer = process, peer
            before = self.program
            self.program = Program(self._argv, server_environment(self._env))
        if before is not None:
            before.close()
        self._wire.note(f"{BEGAN}: started with pid {process.pid}")
        self._emit(Started(process.pid))
        process.attend()
        return peer


class MemoryLink(StdioLink):
    """A link to the scripted server with these switches, known as its process would be."""

    def __init__(
        self,
        switches: Sequence[str] = (),
        protocol: str = AUTO,
        capabilities: ClientCapabilities = ALL_CAPABILITIES,
        **more: Any,
    ) -> None:
        super().__init__(raw(*switches), None, protocol, capabilities, **more)
        options = parse(list(switches))
        if wants := needs_process(options):
            raise ValueError(f"a server in memory has no process for {', '.join(wants)}")
        life = MemoryLife(
            self.argv,
            self._env,
            self.wire,
            None,
            "",
            self._announcing.emit,
            self._reader,
            self._announcing.on_loop,
            self._announcing.together,
        )
        life.options = options
        self._life = life
