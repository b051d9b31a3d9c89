"""Watches a server's processes for effects on files, processes and addresses.

If strace works, the server is started under it and every relevant system call is read from a pipe;
elsewhere the folder is compared before and after, and the processes are listed many times a second.
The server works in a scratch folder of its own. One Watch serves one link at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...platforms.daemon import in_daemon
from ...platforms.tracing import birth_times, find_tracer, make_pipe
from .deeds import Method, Observation, SeenAddress, SeenFile, SeenLeft, SeenProcess, path_words
from .folders import (
    FileState,
    FolderState,
    TooManyFiles,
    compare,
    is_only_mapped,
    look_at,
    reduced,
    state_of,
)
from .left_running import Key, LeftRunning, RunningProcess
from .scratch import SCRATCH
from .system_calls import SYSCALLS, Trace
from .touches import Idle, ObservationWindow, PathAccess

if TYPE_CHECKING:
    import psutil

SETTLE_SECONDS = 0.3
"""How long after the answer a call is watched on: what it started may still be at work."""
SETTLE_MAX = 3.0
"""As long at most, while more is still seen."""
IDLE_SECONDS = 0.3
"""How long a server is watched doing nothing, before the first call."""
IDLE_AGAIN_SECONDS = 0.15
"""Likewise before a further call, if the idle server does not keep still."""
IDLE_LOOKS = 3
LEFT_SECONDS = 1.0
"""How long a process may go on after the answer, before it counts as left running."""
POLL_SECONDS = 0.04
BIRTHS_MAX = 200
IDLE_MAX = 20
MAPPED_MAX = 3
OUTSIDE_MAX = 200
"""Files elsewhere whose content is looked at after each call."""
OUTSIDE_BYTES = 20_000_000
TOO_MANY = "the scratch folder has too many files to compare them"
NOT_ALONE = "another call ran at the same time, so its actions may be listed for this call"


@dataclass
class Watching:
    """One call that is being watched."""

    before: FolderState
    is_complete: bool
    window: ObservationWindow = field(default_factory=ObservationWindow)
    began: float = field(default_factory=time.time)
    is_alone: bool = True
    running: dict[Key, RunningProcess] = field(default_factory=dict)
    """The processes of the server before it."""


class Watch:
    """Observes a server, call by call. `close` leaves neither a process nor the folder behind."""

    def __init__(
        self,
        method: Method | None = None,
        folder: Path | None = None,
        *,
        stays: bool = False,
    ) -> None:
        """`method` None uses strace if it works; `folder` is copied to be the scratch folder, or is
        the one that the server works in if it `stays` there, with its own variables. Raises
        OSError, also for a method that is not available.
        """
        tracer, self.why_not = find_tracer() if method is not Method.FOLDERS else ("", "")
        """Why strace cannot be used, in words; empty if it is used, or not wanted."""
        if method is Method.STRACE and not tracer:
            raise OSError(self.why_not)
        self._tracer = tracer
        self._folder = folder
        self._stays = stays
        self.is_resting = False
        """True while calls run without being watched."""
        self.method = Method.STRACE if tracer else Method.FOLDERS
        self._left: LeftRunning | None = None
        self._root = os.path.realpath(tempfile.mkdtemp(prefix="signoff-evidence-"))
        self.scratch = os.path.join(self._root, "scratch")
        """The folder that the server works in, absolute."""
        self._temporary = os.path.join(self._root, "tmp")
        try:
            os.mkdir(self._temporary)
            if stays:
                self.scratch = os.path.realpath(folder or os.curdir)
            elif folder is None:
                os.mkdir(self.scratch)
            else:
                shutil.copytree(folder, self.scratch, symlinks=True)
        except (OSError, shutil.Error) as problem:
            self.close()
            raise OSError(f"the scratch folder cannot be made: {problem}") from None
        self._trace: Trace | None = None
        self._lock = threading.Lock()
        self._open: list[Watching] = []
        self._pipes = 0
        self._fed = 0.0
        self._stirred = 0.0
        self._reader: threading.Thread | None = None
        self._idle = Idle()
        self._is_idle_known = False
        self._outside: dict[str, FileState] = {}
        """Files elsewhere, as the last call left them."""
        self._pid = 0
        self._is_closed = False

    def another(self) -> Watch:
        """One like it, with a scratch folder of its own. Raises OSError."""
        return Watch(self.method, self._folder, stays=self._stays)

    def started_as(
        self, argv: Sequence[str], executable: str | None, folder: str = ""
    ) -> tuple[list[str], str | None, dict[str, str]]:
        """The command that starts the server under watch, its file, and further variables.

        Words that name a file from `folder`, by default this program's, are given whole, as the
        server starts elsewhere.
        """
        words = list(argv) if self._stays else [self._from(folder, word) for word in argv]
        if os.sep not in argv[0]:
            # Looked for in the folders of PATH, whatever file has this name here.
            words[0] = argv[0]
        executable = os.path.abspath(executable) if executable else None
        own = {"TMPDIR": self._temporary, "PYTHONDONTWRITEBYTECODE": "1"}
        further = {} if self._stays else own
        if not self._tracer:
            return words, executable, further
        self._pipes += 1
        pipe = os.path.join(self._root, f"trace-{self._pipes}")
        descriptor = make_pipe(pipe)
        trace = self._trace = Trace(self.scratch)
        with self._lock:
            for one in self._open:
                trace.watch(one.window)
        self._reader = threading.Thread(
            target=self._read, args=(descriptor, trace), name="trace", daemon=True
        )
        self._reader.start()
        options = ["-f", "-yy", "-s", "200", "-qq", "-e", "signal=none"]
        traced = "trace=" + ",".join(f"?{name}" for name in SYSCALLS)
        command = [self._tracer, *options, "--seccomp-bpf", "-e", traced, "-o", pipe]
        return [*command, "--", executable or words[0], *words[1:]], None, further

    def has_started(self, pid: int, mark: tuple[str, str]) -> None:
        """The process that was started has this number, and its family this variable."""
        self._pid = pid
        self._idle, self._is_idle_known = Idle(), False
        self._left = LeftRunning(pid, mark, is_traced=bool(self._tracer))

    def note_ended(self) -> None:
        """Note that the process ended, and that its remaining children are about to be ended."""
        if self._left is not None and not self._tracer:
            self._left.note_ended()

    def before_signals(self) -> None:
        """Wait until the fates of its children are known, as they are about to be signalled."""
        if self._left is not None:
            self._left.before_signals()

    def _from(self, folder: str, word: str) -> str:
        word = word.replace(SCRATCH, self.scratch)
        path = os.path.join(folder, word)
        if word.startswith(("-", "/")) or not os.path.exists(path):
            return word
        is_path = os.sep in word or os.path.isfile(path)
        return os.path.abspath(path) if is_path else word

    async def begin(self, *, is_idle_first: bool = True) -> Watching:
        """Take a snapshot before a call is sent; idle effects are watched first."""
        if is_idle_first and not self._open and (seconds := self._idle_seconds()):
            await self._watch_idle(seconds)
        return await self._begin()

    async def _begin(self) -> Watching:
        # Open before the look, so that nothing happens between the two.
        watching = Watching({}, is_complete=False)
        watching.window.idle = self._idle
        with self._lock:
            for one in (*self._open, watching):
                one.is_alone = not self._open
            self._open.append(watching)
            if self._trace is not None:
                self._trace.watch(watching.window)
        watching.before, watching.is_complete = await in_daemon(self._look)
        watching.running = await in_daemon(self._running)
        if self.method is Method.FOLDERS and len(self._open) == 1:
            threading.Thread(target=self._poll, name="processes", daemon=True).start()
        return watching

    def _idle_seconds(self) -> float:
        """Seconds that it has to be watched idle; 0 if its idle effects are known."""
        if not self._is_idle_known:
            return IDLE_SECONDS
        is_still = time.monotonic() - self._stirred > SETTLE_SECONDS
        return 0.0 if is_still else IDLE_AGAIN_SECONDS

    async def _watch_idle(self, seconds: float) -> None:
        """Learn the server's effects between requests."""
        idle = self._idle
        with self._lock:
            if self._trace is not None:
                self._trace.watch(idle)
        try:
            before, running = await in_daemon(self._look), await in_daemon(self._running)
            for _ in range(IDLE_LOOKS):
                await asyncio.sleep(seconds / IDLE_LOOKS)
                after, now = await in_daemon(self._look), await in_daemon(self._running)
                if before[1] and after[1]:
                    for one in compare(before[0], after[0]):
                        idle.become(one)
                if self.method is Method.FOLDERS:
                    await in_daemon(partial(self._meet_idle, running, now))
                before, running = after, now
        finally:
            with self._lock:
                if self._trace is not None:
                    self._trace.leave(idle)
        self._is_idle_known = True

    async def end(self, watching: Watching) -> Observation:
        """Return the effects of a call with a response, once no more follow."""
        answered = since = time.monotonic()
        news = watching.window.news
        while (now := time.monotonic()) - max(since, self._fed) < SETTLE_SECONDS:
            if now > answered + SETTLE_MAX:
                break
            await asyncio.sleep(SETTLE_SECONDS / 6)
            if watching.window.news != news:
                news, since = watching.window.news, time.monotonic()
        left = await self._still_running(watching, answered)
        return await in_daemon(lambda: self._seen(watching, left))

    async def _still_running(self, watching: Watching, answered: float) -> list[SeenLeft]:
        """Processes that the call left running; waits for those that are about to end."""
        while True:
            running = await in_daemon(self._running)
            left = {
                key: one
                for key, one in running.items()
                if key not in watching.running and not self._idle.has_started(one.argv)
            }
            seconds = time.monotonic() - answered
            if not left or seconds > LEFT_SECONDS or self._left is None:
                break
            await asyncio.sleep(SETTLE_SECONDS / 3)
        noted = self._left
        return [noted.note_left(key, one, seconds) for key, one in left.items()] if noted else []

    async def meet(self) -> None:
        """Take note of the processes that `close` has to end if the server does not."""
        if self._left is not None:
            await in_daemon(self._left.meet)

    async def begin_end(self) -> Watching:
        """Begin to watch the end of the server."""
        if self._left is not None:
            await in_daemon(self._left.begin_to_close)
        return await self._begin()

    async def ended(self, watching: Watching) -> Observation:
        """Return the effects of its end; its process is gone."""
        if (reader := self._reader) is not None:
            await in_daemon(lambda: reader.join(SETTLE_MAX))
        if (left := self._left) is not None:
            await in_daemon(left.wait_judged)
        return await in_daemon(lambda: self._seen(watching, []))

    def with_fates(self, seen: Observation) -> Observation:
        """Return it with the fates of the processes that were left running."""
        if self._left is None or not seen.left:
            return seen
        fate = self._left.fate
        return replace(seen, left=tuple(replace(one, fate=fate(one)) for one in seen.left))

    def close(self) -> None:
        """End processes that a server has left running, and remove the scratch folder."""
        self._is_closed = True
        if self._left is not None:
            self._left.end_all()
        shutil.rmtree(self._root, ignore_errors=True)

    def _look(self) -> tuple[FolderState, bool]:
        try:
            return look_at(self.scratch), True
        except TooManyFiles:
            return {}, False

    def _running(self) -> dict[Key, RunningProcess]:
        return self._left.running() if self._left is not None else {}

    def _seen(self, watching: Watching, left: list[SeenLeft]) -> Observation:
        after, is_complete = self._look()
        with self._lock:
            self._open = [one for one in self._open if one is not watching]
            if self._trace is not None:
                self._trace.leave(watching.window)
        is_complete = is_complete and watching.is_complete
        before: FolderState = watching.before
        if not is_complete:
            before, after = {}, {}
        window = watching.window
        blind = [] if is_complete else [TOO_MANY]
        if not watching.is_alone:
            blind.append(NOT_ALONE)
        more = window.more
        changed = compare(before, after)
        as_idle = {one.path for one in changed if self._idle.explains_file(one)}
        if self.method is Method.FOLDERS:
            files = [one for one in changed if one.path not in as_idle]
            if files:
                self._stirred = time.monotonic()
        else:
            files, further, unknown = self._reduced(
                watching, before, after, is_complete=is_complete
            )
            known = {
                path for path, kinds in window.touches.items() if {*kinds} != {PathAccess.READ}
            }
            known |= window.explained
            # Stored in a mapping of before, or by who is not traced.
            files += [one for one in changed if one.path not in known | as_idle]
            as_idle |= window.explained
            more += further
            blind += unknown
            blind += self._trace.blind if self._trace is not None else ()
        return Observation(
            self.method,
            tuple(files),
            tuple(window.processes),
            tuple(window.addresses),
            blind=tuple(blind),
            more=more,
            scratch=self.scratch,
            left=tuple(left),
            idle=tuple(sorted(as_idle))[:IDLE_MAX],
        )

    def _reduced(
        self,
        watching: Watching,
        before: FolderState,
        after: FolderState,
        *,
        is_complete: bool,
    ) -> tuple[list[SeenFile], int, list[str]]:
        """Reduce the touches; also describes uncertain effects on mapped files."""
        touches = watching.window.touches
        writing = {path for path, kinds in touches.items() if set(kinds) != {PathAccess.READ}}
        outside = [path for path in writing if not path.startswith(self.scratch + os.sep)]
        old, new = self._elsewhere(outside)
        births = birth_times([path for path in new if path not in old][:BIRTHS_MAX])
        mapped = [p for p in new if p not in old and is_only_mapped(touches[p])]
        unknown = [
            f"{path_words(path)} may have been changed through a shared mapping (not observable)"
            for path in mapped[:MAPPED_MAX]
        ]
        files, more = reduced(
            touches,
            {**before, **old},
            {**after, **new},
            lambda path: births[path] < watching.began if path in births else None,
            scratch=self.scratch if is_complete else "",
            temporary=self._temporary,
            began_ns=int(watching.began * 1e9),
        )
        return files, more, unknown

    def _elsewhere(self, paths: Sequence[str]) -> tuple[FolderState, FolderState]:
        """Files elsewhere: as an earlier call has left them, and as they are now."""
        before, after = {}, {}
        for path in paths[:OUTSIDE_MAX]:
            if path in self._outside:
                before[path] = self._outside[path]
            state = state_of(path, OUTSIDE_BYTES)
            if state is None:
                self._outside.pop(path, None)
            else:
                after[path] = self._outside[path] = state
        return before, after

    def _read(self, descriptor: int, trace: Trace) -> None:
        """Feed the trace until the tracer has ended."""
        rest, has_begun = b"", False
        try:
            while not self._is_closed:
                ready, _, _ = select.select([descriptor], [], [], 1.0)
                if not ready:
                    continue
                piece = os.read(descriptor, 1 << 16)
                if not piece:
                    if has_begun:
                        return
                    time.sleep(POLL_SECONDS)
                    continue
                has_begun = True
                *lines, rest = (rest + piece).split(b"\n")
                stirs = trace.stirs
                with self._lock:
                    for line in lines:
                        trace.feed(line.decode("utf-8", "surrogateescape"))
                if trace.stirs != stirs:
                    self._stirred = time.monotonic()
        finally:
            os.close(descriptor)

    def _poll(self) -> None:
        """Meet the processes and connections of the server, while a call is watched."""
        import psutil

        known: set[int] = set()
        with contextlib.suppress(psutil.Error):
            own = psutil.Process(self._pid)
            known = {own.pid, *(one.pid for one in own.children(recursive=True))}
        while self._open and not self._is_closed:
            with contextlib.suppress(psutil.Error, OSError):
                self._meet(psutil.Process(self._pid), known)
            time.sleep(POLL_SECONDS)

    def _meet(self, own: psutil.Process, known: set[int]) -> None:
        import psutil

        for process in (own, *own.children(recursive=True)):
            with contextlib.suppress(psutil.Error, OSError):
                if process.pid not in known:
                    known.add(process.pid)
                    self._fed = time.monotonic()
                    started = SeenProcess(process.exe(), tuple(process.cmdline()))
                    self._tell(partial(ObservationWindow.start, process=started))
                for link in process.net_connections(kind="inet"):
                    if link.raddr:
                        address = SeenAddress(link.raddr.ip, link.raddr.port)
                        self._tell(partial(ObservationWindow.reach, address=address))

    def _meet_idle(self, before: dict[Key, RunningProcess], now: dict[Key, RunningProcess]) -> None:
        """Record programs started and addresses reached while the server is idle."""
        import psutil

        for key, running in now.items():
            if key not in before:
                self._idle.start(SeenProcess("", running.argv))
        with contextlib.suppress(psutil.Error, OSError):
            own = psutil.Process(self._pid)
            for process in (own, *own.children(recursive=True)):
                for link in process.net_connections(kind="inet"):
                    if link.raddr:
                        self._idle.reach(SeenAddress(link.raddr.ip, link.raddr.port))

    def _tell(self, what: Callable[[ObservationWindow], None]) -> None:
        with self._lock:
            for one in self._open:
                what(one.window)
