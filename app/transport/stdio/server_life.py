"""The life of a stdio server: start, end, and events of both.

`start_hint` suggests a correction for a command that could not be started.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import error
from ...protocol.wire.frames import BEGAN, ENDED, WireLog
from ..events import Ended, LinkEvent, Noticed, Started, Stderr
from ..gate import Gate, LastGate
from ..peer import HELD_BACK, PREFIX, Peer
from ..protocol import NOT_READ
from .process import Exit, ServerProcess, server_environment
from .program import Program

if TYPE_CHECKING:
    from ...calls.effects.watch import Watch
    from .lines import Line

LAST_WORDS_SHOWN = 20
StartAs: TypeAlias = Callable[[Sequence[str], str | None], tuple[Sequence[str], str | None]]
"""Makes the command that is started, and its file, of those that were given."""
UNSENT_MAX = 1_000
"""Lines that may wait for the server to read, before its own requests are no longer answered."""


def as_given(argv: Sequence[str], executable: str | None) -> tuple[Sequence[str], str | None]:
    """Return the command as it is."""
    return argv, executable


class ServerLife:
    """One process at a time, with its program and a peer that lives as long as it does.

    During initialization the caller reports the end, by `fail`: it knows the last request.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        wire: WireLog,
        watch: Watch | None,
        folder: str,
        emit: Callable[[LinkEvent], None],
        reader: Callable[[Peer], Callable[[Line], None]],
        deliver: Callable[[Callable[[], None]], None],
        together: Callable[[], contextlib.AbstractContextManager[None]],
        prefix: str = PREFIX,
        start_as: StartAs = as_given,
    ) -> None:
        """`folder` is where the process starts unless it is watched, empty for the folder of this
        program; `reader` makes what takes the lines that the process writes; `deliver` runs what
        concerns calls on the event loop, in order, and wakes it once for all within `together`;
        `start_as` is for a process that is not watched."""
        self._argv = argv
        self._env = env
        self._wire = wire
        self._watch = watch
        self._folder = folder
        self._emit = emit
        self._reader = reader
        self._deliver = deliver
        self._together = together
        self._prefix = prefix
        self._start_as = start_as
        self.gate = LastGate(emit)
        """All that is written to the server passes it."""
        self.process: ServerProcess | None = None
        self.program: Program | None = None
        self.peer: Peer | None = None
        self._is_closing = False
        self._lock = threading.Lock()
        """Held to decide whether a process starts, and which thread reports its end."""
        self._is_greeted = False
        self._has_told_end = False
        self._has_told_flood = False
        self._has_failed = False
        """True if `fail` reports the end of the process."""

    def start(self) -> Peer | None:
        """Start a process; None after a failure, which is reported, or while closing."""

        def write(message: dict[str, JsonValue], gate: Gate | None, number: int) -> None:
            process.send(self.gate.seal(message, gate), number)

        peer = Peer(
            write,
            self._emit,
            prefix=self._prefix,
            deliver=self._deliver,
            drops_requests=self._asks_too_much,
        )
        read_line = self._reader(peer)
        with self._lock:
            if self._is_closing:
                return None
            program = Program(self._argv, server_environment(self._env), self._folder)
            try:
                argv, executable, further = self._command(program.path or None)
                process = ServerProcess(
                    argv,
                    env={**self._env, **further},
                    executable=executable,
                    folder=self._watch.scratch if self._watch is not None else self._folder or None,
                    wire=self._wire,
                    on_line=read_line,
                    on_stderr=lambda lines: self._emit(Stderr(lines)),
                    on_exit=lambda ended: self._on_exit(peer, ended),
                    together=self._together,
                    on_ended=self._watch.note_ended if self._watch is not None else None,
                    before_signals=self._watch.before_signals if self._watch is not None else None,
                )
            except (OSError, ValueError) as problem:
                program.close()
                reason = problem.strerror if isinstance(problem, OSError) else str(problem)
                hint = start_hint(self._argv, problem)
                self._emit(Ended(f"“{self._argv[0]}” could not be started: {reason}{hint}"))
                return None
            self.process, self.peer = process, peer
            before, self.program = self.program, program
        if before is not None:
            before.close()
        if self._watch is not None:
            self._watch.has_started(process.pid, process.mark)
        self._wire.note(f"{BEGAN}: started with pid {process.pid}")
        self._emit(Started(process.pid))
        process.attend()
        return peer

    def _command(self, executable: str | None) -> tuple[Sequence[str], str | None, dict[str, str]]:
        """Return the command, its file, and variables that only this start needs."""
        if self._watch is None:
            return *self._start_as(self._argv, executable), {}
        return self._watch.started_as(self._argv, executable, self._folder)

    def end_words(self) -> tuple[str, str]:
        """Describe the exit of the last process, and give the last line that it wrote on stderr."""
        process = self.process
        if process is None or process.exit is None:
            return "", ""
        lines = [one for one in process.last_words if one.strip()]
        return process.exit.words, lines[-1] if lines else ""

    def note_greeted(self, tell: Callable[[], None]) -> None:
        """Note that initialization succeeded, then call `tell`; the end is reported from here from
        now on.
        """
        with self._lock:
            self._is_greeted = True
            tell()

    def fail(self, words: str) -> None:
        """Report a failed initialization with the server's last output, and end it."""
        process = self.process
        if process is None:
            return
        ended, words = process.exit, process.fault or words
        if ended is not None:
            self._tell_end(process, f"{words}: {ended.words}", ended)
            process.stop()
            return
        with self._lock:
            self._has_failed = True
        # Before its end is reported: a response that comes only now explains the failure.
        peer = self.peer
        if peer is not None:
            peer.input_ends()
        process.stop()
        if peer is not None and peer.held_back:
            words = f"{words}; the response {HELD_BACK}"
        self._tell_end(process, words, None)

    def _on_exit(self, peer: Peer, ended: Exit) -> None:
        self._wire.note(f"{ENDED}: {ended.words}")
        process = self.process
        with self._lock:
            is_mine = self._is_greeted and not self._has_failed
        if is_mine and process is not None and process.pid == ended.pid:
            self._tell_end(process, process.fault or f"the server exited: {ended.words}", ended)
        # Afterwards, so that a lost call finds the reason published.
        peer.close()

    def _tell_end(self, process: ServerProcess, words: str, ended: Exit | None) -> None:
        with self._lock:
            if self._is_closing or self._has_told_end:
                return
            self._has_told_end = True
        code = None if ended is None else ended.code
        self._emit(Ended(words, process.pid, code, process.last_words[-LAST_WORDS_SHOWN:]))

    def _asks_too_much(self) -> bool:
        """True if the server sends requests and does not read the responses; noted once."""
        process = self.process
        if process is None or process.unsent <= UNSENT_MAX:
            return False
        if not self._has_told_flood:
            self._has_told_flood = True
            self._emit(Noticed(error("asks-too-much", NOT_READ)))
        return True

    @property
    def is_closing(self) -> bool:
        """True once this side ends the connection."""
        return self._is_closing

    def begin_to_close(self) -> None:
        """Stop reporting the end."""
        self._is_closing = True

    def close(self) -> None:
        """End the process and all that it started."""
        with self._lock:
            self._is_closing = True
        if self.peer is not None:
            self.peer.input_ends()
            self.peer.close()
        if self.process is not None:
            self.process.stop()
        if self.program is not None:
            self.program.close()

    def kill(self) -> None:
        """End everything at once, without time for a graceful exit."""
        if self.process is not None:
            self.process.kill()


RUN_BY: Final = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "tsx"}
"""What runs a script, by the end of its name."""


def start_hint(argv: Sequence[str], problem: Exception) -> str:
    """Return a hint that follows the system's words after a semicolon; often empty."""
    program = argv[0]
    if len(argv) == 1 and " " in program and not os.path.exists(program):
        return f"; write the command without quotes: -- {program}"
    runner = RUN_BY.get(os.path.splitext(program)[1], "")
    if runner and os.path.isfile(program):
        return f"; put the interpreter before the script: -- {runner} {shlex.join(argv)}"
    if isinstance(problem, FileNotFoundError) and os.path.dirname(program) == "":
        return "; not installed, or not on the PATH"
    return ""
