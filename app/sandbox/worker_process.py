"""The parent's end of a worker: its process, and what is written to it and read from it."""

from __future__ import annotations

import contextlib
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, cast

from ..platforms.processes import APART
from .worker_side import read_frame

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
            # An exit status that is on its way says more than our own SIGKILL.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            raise WorkerLost(self.close()) from None
