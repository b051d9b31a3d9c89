"""Runs a pure function in another process, which is killed when it costs too much.

For all work that a server can make expensive: one `pattern` may keep a regular expression busy for
ever while holding the interpreter lock, so neither a thread nor a time-out in this process would
help.

The workers are our own, not `anyio.to_process`: that one starts Python with `-m`, which puts the
current directory first on the import path, so a `pickle.py` in a user's project would run; it also
runs the parent's main module again. A worker here starts with `-P`, in a session of its own (Ctrl-C
in the terminal does not reach it), with its output thrown away, and limits itself before each run,
so that it ends even when the parent was killed. The limits of each system are in
`signoff.app.platforms.limits`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from ..content.frozen import frozen
from ..platforms.limits import Limit, limit_reached, watching
from ..platforms.processes import APART
from ..schemas.evaluator import is_valid_at_once
from ..schemas.schema import SchemaAnswer, SchemaVerdict, judge, judge_arguments
from .faults import Elsewhere
from .worker_side import WorkerLimits, read_frame

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from signoff.app.sandbox.worker_side import serve; serve()"
)


class WorkerLost(Exception):
    """The worker ended before it answered."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class WorkerProcess:
    """One worker. All methods but `kill` and `alive` may block."""

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
            reply = read_frame(from_worker)
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
            # The exit status, which may still come, explains more than our own SIGKILL.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            raise WorkerLost(self.close()) from None


T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_WORKERS = 2
START_SECONDS = 30.0
"""A worker's own patience for starting Python: it does not count against the time of a run."""


class WorkerStopped(Exception):
    """The run gave no result; `reason` fits after "not validated:"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WorkerMissing(WorkerStopped):
    """No worker could be started; the function to run is not the cause."""


DEFAULT_LIMITS = WorkerLimits()


async def run_limited(
    function: Callable[[Unpack[Ts]], T], *args: *Ts, limits: WorkerLimits = DEFAULT_LIMITS
) -> T:
    """Call `function(*args)` in a worker and return its result, or raise its exception.

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
            except WorkerLost as lost:
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
    """Run `judge` under the default limits; a schema of None means a tool without one.

    Plain values of plain schemas cost next to nothing, so they are judged here and at once.
    """
    return await _judged(judge, schema, value)


async def judge_arguments_in_worker(schema: JsonValue, arguments: JsonValue) -> SchemaVerdict:
    """The same for a person's arguments: no message repeats a secret."""
    return await _judged(judge_arguments, schema, arguments)


async def _judged(
    how: Callable[[JsonValue, JsonValue], SchemaVerdict], schema: JsonValue, value: JsonValue
) -> SchemaVerdict:
    if schema is None:
        return SchemaVerdict(SchemaAnswer.NO_SCHEMA)
    if is_valid_at_once(schema, value):
        return SchemaVerdict(SchemaAnswer.VALID)
    try:
        return await run_limited(how, schema, value)
    except WorkerStopped as stopped:
        return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=stopped.reason)


async def warm_up() -> None:
    """Start a worker with the validator imported, so that the first verdict is quick."""
    with contextlib.suppress(WorkerStopped):
        async with _lanes().runs:
            _idle.append(await _free_worker())


def shut_down() -> None:
    """End the idle workers now; without it they end with this process."""
    while _idle:
        _idle.pop().close()


@frozen
class _Lanes:
    """One run a worker; threads are more, since an abandoned one lasts until its worker is dead."""

    runs: anyio.CapacityLimiter
    threads: anyio.CapacityLimiter


_lanes_of_loop: RunVar[_Lanes] = RunVar("signoff_worker_lanes")
_idle: list[WorkerProcess] = []
"""Workers outlive an event loop: they are plain processes, each used by one thread at a time."""


def _lanes() -> _Lanes:
    try:
        return _lanes_of_loop.get()
    except LookupError:
        lanes = _Lanes(anyio.CapacityLimiter(MAX_WORKERS), anyio.CapacityLimiter(2 * MAX_WORKERS))
        _lanes_of_loop.set(lanes)
        return lanes


async def _free_worker() -> WorkerProcess:
    while _idle:
        worker = _idle.pop()
        if worker.alive():
            return worker
        worker.close()
    try:
        worker = await anyio.to_thread.run_sync(WorkerProcess, limiter=_lanes().threads)
        await _attended(worker, START_SECONDS, worker.greet)
    except TimeoutError:
        raise WorkerMissing(f"the worker process did not start in {START_SECONDS:g} s") from None
    except (WorkerLost, OSError):
        raise WorkerMissing("the worker process could not be started") from None
    return worker


async def _attended(worker: WorkerProcess, seconds: float, step: Callable[[], T]) -> T:
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


atexit.register(shut_down)
