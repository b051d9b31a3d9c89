"""The worker's side: a process that runs one function after another, each under its limits.

It imports no more than that: a worker is waited for.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import sys
from typing import Any

from ..content.frozen import frozen
from ..platforms.limits import limited
from .faults import trace_of

_PRELOADED = ("regress", "referencing.jsonschema", "signoff.app.schemas.dialects")


@frozen
class WorkerLimits:
    """Limits of one run. Processor time is counted in whole seconds, rounded up."""

    wall_seconds: float = 3.0
    cpu_seconds: float = 2.0
    memory_bytes: int = 512 * 1024 * 1024


def serve() -> None:
    """Read a request, run it under its limits, answer, until the input ends."""
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
            request = read_frame(requests)
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


def read_frame(source: Any) -> bytes:
    """One message of either side, its length before it. Raises EOFError if none comes."""
    size = source.read(8)
    data: bytes = source.read(int.from_bytes(size, "big")) if len(size) == 8 else b""
    if not data:
        raise EOFError
    return data
