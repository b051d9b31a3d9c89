"""Runs a host in a pipe, without a person."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Final

from ..observing import RunEnd
from .running import Run
from .short_runs import Tail, started, unended_words, unstarted

_END_GRACE: Final = 15.0
"""Seconds that a host has to end after the last call of its model."""


class InPipe:
    """A host without a terminal, and without a person to answer."""

    async def run(self, run: Run) -> RunEnd:
        try:
            process = await started(run.command, run.environment, run.place.folder)
        except OSError as problem:
            return unstarted(problem)
        tail = Tail()
        assert process.stdout is not None
        reading = asyncio.ensure_future(tail.follow(process.stdout))
        try:
            reason = await until_quiet(run, process)
        finally:
            await asyncio.shield(asyncio.to_thread(run.place.end_processes, process.pid))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), 5.0)
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading
        if not reason and run.script.waits_for_session:
            reason = "a host in a pipe has only one session"
        status = None if reason else process.returncode
        return RunEnd(status, reason, tail.text)


async def until_quiet(run: Run, process: asyncio.subprocess.Process) -> str:
    """Wait until the host ends; returns why it has to be ended here, or an empty text."""
    began = time.monotonic()
    ending = asyncio.ensure_future(process.wait())
    try:
        # A process that it leaves behind may hold its output open after its end.
        while not ending.done() and process.returncode is None:
            run.place.log.look()
            now = time.monotonic()
            newest = max(run.script.newest_at, began)
            is_over = run.script.is_over
            if now - began > run.seconds:
                return unended_words(run.seconds)
            if is_over and now - newest > _END_GRACE:
                return "it did not end by itself after its model was done"
            if now - newest > run.quiet_seconds:
                return run.quiet_words
            await asyncio.wait({ending}, timeout=0.2)
    finally:
        ending.cancel()
    return ""
