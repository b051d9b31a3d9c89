"""A server process: its pipes, its last output, and the certainty that it ends.

Threads do the blocking work, so a server that does not read its stdin or floods its stderr never
holds up the screen, and starting a server needs no event loop.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...content.frozen import frozen
from ...platforms.pipes import let_no_write_wait, write_all, write_at_once
from ...platforms.processes import (
    APART,
    KILL,
    NEEDED,
    signal_family,
    wait_for_end,
    wait_gone,
)
from ...protocol.wire.frames import CLIENT, SERVER, WireLog
from ...storage.fault_log import note_fault
from .lines import Line, LineReader, Overlong, make_spool

if TYPE_CHECKING:
    import psutil

STDERR_LINES = 2_000
STDERR_LINE_BYTES = 4_096
MARK = "SIGNOFF_SERVER_MARK"
"""Environment variable that every process of one server inherits, so that all can be found."""

STDIN_CLOSE_SECONDS = 1.5
TERMINATE_SECONDS = 2.0
LAST_WORDS_SECONDS = 0.3

INHERITED = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
    *("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
    "SIGNOFF_DEMO_DIR",
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *NEEDED,
)


def server_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The few variables that a server inherits, so that secrets of the shell stay there."""
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return environment | dict(extra or {})


@frozen
class Exit:
    """How a process ended: exit status, or minus the signal's number."""

    pid: int
    code: int

    @property
    def words(self) -> str:
        if self.code >= 0:
            return f"exit code {self.code}"
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-self.code).name}"
        return f"killed by signal {-self.code}"


class ServerProcess:
    """One child process in a session of its own.

    After `attend` the callbacks are called from threads: `on_line` with each line of stdout (or an
    Overlong), `on_stderr` with decoded lines, `on_exit` once, after the last output was read.
    `inherits`: it gets a few variables of this program beside `env`; otherwise only `env`.
    `make_reader` splits its stdout into lines. `executable` is the file to start, if `argv` was
    already resolved; `folder` is its working directory, None for that of this program. `wire` gets
    every line as written or read, before it is parsed. `on_line` is called within `together` for
    the lines that were read at once. `on_ended` is called once it has ended,
    before its remaining processes are ended, too; `before_signals` before any of them is signalled
    by `stop`. Raises OSError when the command cannot be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        inherits: bool = True,
        executable: str | None = None,
        folder: str | None = None,
        wire: WireLog | None = None,
        make_reader: Callable[[], LineReader] | None = None,
        on_line: Callable[[Line], None],
        on_stderr: Callable[[tuple[str, ...]], None],
        on_exit: Callable[[Exit], None],
        together: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
        on_ended: Callable[[], None] | None = None,
        before_signals: Callable[[], None] | None = None,
    ) -> None:
        self._on_ended = on_ended
        self._before_signals = before_signals
        self._wire = wire or WireLog()
        self._make_reader = make_reader or _reader
        self._on_line = on_line
        self._on_stderr = on_stderr
        self._on_exit = on_exit
        self._together = together
        self._mark = uuid.uuid4().hex
        self._sending = threading.Lock()
        self._queued = 0
        """Lines that are not written yet."""
        self._is_attended = False
        self._is_shut = False
        """Whether its stdin is closed, or about to be."""
        self._outbox: queue.SimpleQueue[tuple[bytes, int, bool] | None] = queue.SimpleQueue()
        """Each with the number of its call, and whether the wire has it already."""
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._has_ended = threading.Event()
        self._exited = threading.Event()
        """Set later than `_has_ended`: what it left running has been signalled by then."""
        self._stopping = threading.Lock()
        self.exit: Exit | None = None
        self.fault = ""
        """Why Signoff itself ended it, in words; empty if it did not."""
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            list(argv),
            executable=executable,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=(server_environment(env) if inherits else dict(env or {})) | {MARK: self._mark},
            bufsize=0,
            **APART,
        )
        self.pid = self._process.pid
        self._read_ends: list[threading.Event] = []
        """Set once all that it wrote to a pipe was read."""
        self._writer: threading.Thread | None = None
        """Writes what the server was too slow to take; None while there was nothing of that."""

    def attend(self) -> None:
        """Start to read, write and watch; the callbacks begin now. Call it once."""
        self._begin_to_read("stdout", self._read_stdout, self._end_when_mute)
        self._begin_to_read("stderr", self._read_stderr)
        assert self._process.stdin is not None
        let_no_write_wait(self._process.stdin.fileno())
        with self._sending:
            self._is_attended = True
            if self._queued:
                self._writer = self._thread("stdin", self._write_stdin)
        self._thread("exit", self._watch_exit)

    @property
    def mark(self) -> tuple[str, str]:
        """The variable by which all that it started is known."""
        return MARK, self._mark

    @property
    def last_words(self) -> tuple[str, ...]:
        return tuple(self._stderr)

    @property
    def is_read(self) -> bool:
        """True once all that it wrote to stdout was read and taken."""
        return bool(self._read_ends) and self._read_ends[0].is_set()

    @property
    def unsent(self) -> int:
        """Lines that wait for the server to read."""
        return self._queued

    def send(self, line: bytes, call: int = 0) -> None:
        """Write one line, or queue it where the server does not read; returns at once. Whether it
        arrived is the server's business.

        `call` is the number of the call that it is for, 0 for none.
        """
        stdin = self._process.stdin
        assert stdin is not None
        with self._sending:
            if self._is_shut:
                return
            try:
                # To wake a thread for a line takes longer than to write it.
                is_next = self._is_attended and not self._queued
                if is_next:
                    self._wire.add(CLIENT, line, call)
                    if write_at_once(stdin.fileno(), line + b"\n"):
                        return
            except (OSError, ValueError):
                self._shut()
                return
            self._queued += 1
            self._outbox.put((line, call, is_next))
            if self._is_attended and self._writer is None:
                self._writer = self._thread("stdin", self._write_stdin)

    def end_input(self) -> None:
        """Close its stdin, once all lines are written; it may still answer."""
        with self._sending:
            self._shut()

    def stop(self) -> None:
        """End the process and everything it started; returns when they are gone.

        Spec, basic/lifecycle "Shutdown": close stdin, wait, SIGTERM, wait, SIGKILL. Children of
        an exited server live on, so they are signalled even after a polite exit.
        """
        with self._stopping:
            with self._sending:
                self._shut()
            self._exited.wait(STDIN_CLOSE_SECONDS)
            if self._has_ended.is_set():
                # Its last output is read, and what it left running is looked at.
                self._exited.wait(TERMINATE_SECONDS)
            if self._before_signals is not None:
                self._before_signals()
            for signal_number in (signal.SIGTERM, KILL):
                signalled = self._signal_family(signal_number)
                if not signalled or wait_gone(signalled, TERMINATE_SECONDS):
                    break
            self._exited.wait(TERMINATE_SECONDS)

    def kill(self) -> None:
        """End everything at once, without time for a graceful exit."""
        self._signal_family(KILL)

    def _thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        def attend() -> None:
            try:
                run()
            except Exception as problem:
                # Without one of its threads the server could not be heard any more.
                self.fault = note_fault(problem, f"in the thread of a server's {name}")
                self.kill()

        thread = threading.Thread(target=attend, name=f"server-{name}", daemon=True)
        thread.start()
        return thread

    def _begin_to_read(
        self, name: str, read: Callable[[], None], then: Callable[[], None] = lambda: None
    ) -> None:
        ended = threading.Event()
        self._read_ends.append(ended)

        def run() -> None:
            try:
                read()
            finally:
                ended.set()
            then()

        self._thread(name, run)

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        reader = self._make_reader()
        descriptor = self._process.stdout.fileno()
        while chunk := _read(descriptor):
            with self._together():
                for line in reader.feed(chunk):
                    self._take_line(line)
        for line in reader.close():
            self._take_line(line)

    def _take_line(self, line: Line) -> None:
        if isinstance(line, Overlong):
            self._wire.add(SERVER, line.head, size=line.size)
        else:
            self._wire.add(SERVER, line)
        self._on_line(line)

    def _end_when_mute(self) -> None:
        """A server that closed its stdout can answer nothing any more, however long it runs."""
        if not self._exited.wait(STDIN_CLOSE_SECONDS):
            self.fault = self.fault or "the server closed its stdout, and Signoff ended it"
            self.stop()

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        reader = LineReader(STDERR_LINE_BYTES)
        descriptor = self._process.stderr.fileno()
        while chunk := _read(descriptor):
            self._keep_stderr(reader.feed(chunk))
        self._keep_stderr(reader.close())

    def _keep_stderr(self, lines: list[Line]) -> None:
        decoded = tuple(_stderr_text(line) for line in lines)
        if decoded:
            self._stderr.extend(decoded)
            self._on_stderr(decoded)

    def _write_stdin(self) -> None:
        assert self._process.stdin is not None
        descriptor = self._process.stdin.fileno()
        with contextlib.suppress(OSError, ValueError):
            while (queued := self._outbox.get()) is not None:
                line, call, is_on_wire = queued
                if not is_on_wire:
                    # Before it is written, since the answer may be there right after it.
                    self._wire.add(CLIENT, line, call)
                write_all(descriptor, line + b"\n")
                with self._sending:
                    self._queued -= 1
        with self._sending:
            self._is_shut = True
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _shut(self) -> None:
        """Close its stdin once all queued bytes are written; later ones are dropped.

        The lock of sending is held.
        """
        self._is_shut = True
        if self._writer is not None:
            self._outbox.put(None)
            return
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _watch_exit(self) -> None:
        # Not reaped yet, so that its group id cannot go to another process before the group was
        # signalled.
        wait_for_end(self._process)
        self._has_ended.set()
        deadline = time.monotonic() + LAST_WORDS_SECONDS
        for ended in self._read_ends:
            ended.wait(max(0.0, deadline - time.monotonic()))
        if self._on_ended is not None:
            self._on_ended()
        left_behind = self._signal_family(signal.SIGTERM)
        self.exit = Exit(self.pid, self._process.wait())
        self._exited.set()
        with self._sending:
            self._shut()
        self._on_exit(self.exit)
        if left_behind and not wait_gone(left_behind, TERMINATE_SECONDS):
            self._signal_family(KILL)

    def _signal_family(self, signal_number: int) -> list[psutil.Process]:
        """Signal the server and every living process that it started; returns whom."""
        return signal_family(self.pid, (MARK, self._mark), signal_number)


def _reader() -> LineReader:
    return LineReader(make_spool=make_spool)


def _stderr_text(line: Line) -> str:
    if isinstance(line, Overlong):
        return f"{line.head.decode('utf-8', 'replace')} … cut: {line.size:,} bytes"
    return line.decode("utf-8", "replace").rstrip("\r")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 256 * 1024)
    except OSError:
        return b""
