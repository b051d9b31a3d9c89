"""Runs a pure function in another process, which is killed when it costs too much.

For whatever a server can make expensive: one `pattern` may keep a regular expression busy for ever
while holding the interpreter lock, so neither a thread nor a time-out in this process would help.

The workers are our own, not `anyio.to_process`: that one starts Python with `-m`, which puts the
current directory first on the import path, so a `pickle.py` in somebody's project would run; it
also runs the parent's main module again. A worker here starts with `-P`, in a session of its own
(Ctrl-C in the terminal does not reach it), with its output thrown away, and limits itself before
each run, so that it ends even when the parent was killed. What each system limits is in
`signoff.app.system.limits`.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from signoff.app.core.faults import Elsewhere, trace_of
from signoff.app.core.plain_schema import plainly_valid
from signoff.app.core.schema import Answer, SchemaVerdict, judge, judge_arguments
from signoff.app.system.limits import Limit, limit_reached, limited, watching
from signoff.app.system.processes import APART

if TYPE_CHECKING:
    from signoff.app.core.jsonio import JsonValue

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_WORKERS = 2
START_SECONDS = 30.0
"""A worker's own patience for starting Python: it does not count against the time of a run."""

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from signoff.app.link.worker import _serve; _serve()"
)
_PRELOADED = ("jsonschema.validators", "referencing.jsonschema", "signoff.app.core.schema")


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What one run may cost. Processor time is counted in whole seconds, rounded up."""

    wall_seconds: float = 3.0
    cpu_seconds: float = 2.0
    memory_bytes: int = 512 * 1024 * 1024


class WorkerStopped(Exception):
    """The run gave no result; `reason` says why in words that fit after "not validated:"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkerMissing(WorkerStopped):
    """No worker could be started: it is not about what was to be run."""


DEFAULT_LIMITS = WorkerLimits()


async def run_limited(
    function: Callable[[Unpack[Ts]], T], *args: *Ts, limits: WorkerLimits = DEFAULT_LIMITS
) -> T:
    """Call `function(*args)` in a worker and return its result, or raise what it raised.

    The function must be importable by name, its arguments and result must survive pickling. Waiting
    for a free worker and starting one are outside the limits. Cancelling kills the worker.

    Raises:
        WorkerStopped: a limit was hit, or the worker process was lost.
    """
    try:
        request = pickle.dumps((function, args, limits), pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        raise WorkerStopped("the data is nested too deeply to be handed over") from None
    async with _lanes().runs:
        worker = await _free_worker()
        with watching(worker.pid, limits.cpu_seconds, limits.memory_bytes, worker.kill) as watch:
            try:
                outcome, value, trace = await _attended(
                    worker, limits.wall_seconds, lambda: worker.exchange(request)
                )
            except TimeoutError:
                raise WorkerStopped(_words("time", limits)) from None
            except _Lost as lost:
                reached = watch.reached or limit_reached(lost.status)
                raise WorkerStopped(
                    _words(reached, limits)
                    if reached
                    else f"the worker process ended unexpectedly (status {lost.status})"
                ) from None
        if outcome == "memory":
            # A heap that has once been full stays fragmented: the next run gets a fresh process.
            worker.kill()
            raise WorkerStopped(_words("memory", limits))
        _idle.append(worker)
    if outcome == "raised":
        raise cast("BaseException", value) from Elsewhere(trace)
    return cast("T", value)


async def judge_in_worker(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
    """`judge` under the default limits; a schema of None stands for "there is no schema".

    What a plain schema plainly allows costs next to nothing, so it is told here and at once.
    """
    return await _judged(judge, schema, value)


async def judge_arguments_in_worker(schema: JsonValue, arguments: JsonValue) -> SchemaVerdict:
    """The same for what a person gave: no message repeats a secret."""
    return await _judged(judge_arguments, schema, arguments)


async def _judged(
    how: Callable[[JsonValue, JsonValue], SchemaVerdict], schema: JsonValue, value: JsonValue
) -> SchemaVerdict:
    if schema is None:
        return SchemaVerdict(Answer.NO_SCHEMA)
    if plainly_valid(schema, value):
        return SchemaVerdict(Answer.VALID)
    try:
        return await run_limited(how, schema, value)
    except WorkerStopped as stopped:
        return SchemaVerdict(Answer.NOT_VALIDATED, reason=stopped.reason)


async def warm_up() -> None:
    """Start a worker with the validator imported, so that the first verdict is quick."""
    with contextlib.suppress(WorkerStopped):
        async with _lanes().runs:
            _idle.append(await _free_worker())


def shut_down() -> None:
    """End the idle workers now; without it they end with this process."""
    while _idle:
        _idle.pop().close()


@dataclass(frozen=True, slots=True)
class _Lanes:
    """One run a worker; threads are more, since an abandoned one lasts until its worker is dead."""

    runs: anyio.CapacityLimiter
    threads: anyio.CapacityLimiter


_lanes_of_loop: RunVar[_Lanes] = RunVar("signoff_worker_lanes")
_idle: list[_Worker] = []
"""Workers outlive an event loop: they are plain processes, each used by one thread at a time."""


def _lanes() -> _Lanes:
    try:
        return _lanes_of_loop.get()
    except LookupError:
        lanes = _Lanes(anyio.CapacityLimiter(MAX_WORKERS), anyio.CapacityLimiter(2 * MAX_WORKERS))
        _lanes_of_loop.set(lanes)
        return lanes


async def _free_worker() -> _Worker:
    while _idle:
        worker = _idle.pop()
        if worker.alive():
            return worker
        worker.close()
    try:
        worker = await anyio.to_thread.run_sync(_Worker, limiter=_lanes().threads)
        await _attended(worker, START_SECONDS, worker.greet)
    except TimeoutError:
        raise WorkerMissing(f"the worker process did not start in {START_SECONDS:g} s") from None
    except (_Lost, OSError):
        raise WorkerMissing("the worker process could not be started") from None
    return worker


async def _attended(worker: _Worker, seconds: float, step: Callable[[], T]) -> T:
    """Run a blocking step of the worker in a thread; time-out and cancellation kill the worker.

    The death of the worker ends the step, so the thread never stays behind.
    """
    try:
        with anyio.fail_after(seconds):
            return await anyio.to_thread.run_sync(
                step, abandon_on_cancel=True, limiter=_lanes().threads
            )
    except BaseException:
        worker.kill()
        raise


def _words(reached: Limit, limits: WorkerLimits) -> str:
    match reached:
        case "memory":
            return f"needed more than {limits.memory_bytes // 2**20} MB"
        case "processor":
            return f"used more than {limits.cpu_seconds:g} s of processor time"
        case "time":
            return f"took longer than {limits.wall_seconds:g} s"


class _Lost(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Worker:
    """The parent's end of one worker process. All methods but `kill` and `alive` may block."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            [sys.executable, "-P", "-u", "-c", _BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **APART,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()

    def greet(self) -> None:
        with self._lost_when_broken() as (to_worker, from_worker):
            to_worker.write(json.dumps(sys.path).encode() + b"\n")
            to_worker.flush()
            if from_worker.readline() != b"READY\n":
                raise EOFError

    def exchange(self, request: bytes) -> tuple[str, object, str]:
        with self._lost_when_broken() as (to_worker, from_worker):
            to_worker.write(len(request).to_bytes(8, "big") + request)
            to_worker.flush()
            reply = _read_frame(from_worker)
        outcome, value, trace = pickle.loads(reply)
        return outcome, value, trace

    def close(self) -> int:
        """Kill, reap, release the pipes; the exit status (negative: the signal)."""
        self.kill()
        status = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast("Any", pipe).close()
        return status

    @contextlib.contextmanager
    def _lost_when_broken(self) -> Iterator[tuple[Any, Any]]:
        try:
            yield self._process.stdin, self._process.stdout
        except (OSError, EOFError):
            # An exit status that is on its way says more than our own SIGKILL.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            raise _Lost(self.close()) from None


def _read_frame(source: Any) -> bytes:
    size = source.read(8)
    data: bytes = source.read(int.from_bytes(size, "big")) if len(size) == 8 else b""
    if not data:
        raise EOFError
    return data


atexit.register(shut_down)


def _serve() -> None:
    """The worker's side: read a request, run it under its limits, answer, until the input ends."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    # What a library prints must not become part of an answer.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A value of depth 100 under a recursive schema needs more frames than the usual 1,000.
    sys.setrecursionlimit(3_000)
    for module in _PRELOADED:
        importlib.import_module(module)
    replies.write(b"READY\n")
    replies.flush()
    while True:
        try:
            request = _read_frame(requests)
        except EOFError:
            return
        reply = _answer(request)
        replies.write(len(reply).to_bytes(8, "big") + reply)
        replies.flush()


def _answer(request: bytes) -> bytes:
    try:
        function, args, limits = pickle.loads(request)
        # Its own patience is for a worker whose parent is gone, and comes after the parent's.
        with limited(limits.wall_seconds + 1, limits.cpu_seconds, limits.memory_bytes):
            result = function(*args)
            return pickle.dumps(("returned", result, ""), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(("memory", None, ""))
    except Exception as error:
        # The traceback itself cannot be handed over.
        trace = trace_of(error)
        with contextlib.suppress(Exception):
            reply = pickle.dumps(("raised", error, trace), pickle.HIGHEST_PROTOCOL)
            pickle.loads(reply)
            return reply
        unsayable = RuntimeError(f"{type(error).__name__}: {error}"[:300])
        return pickle.dumps(("raised", unsayable, trace))
