"""Runs a host in a pipe, without a person, and asks a program for its version."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from typing import Final

from ...platforms.processes import APART
from .drivers import Driver
from .observing import OUTPUT_KEPT, RunEnd, tail_of
from .running import Run
from .scratch import scratch

_END_GRACE: Final = 15.0
"""Seconds that a host has to end after the last call of its model."""


class InPipe:
    """A host without a terminal, and without a person to answer."""

    async def run(self, run: Run) -> RunEnd:
        process = await asyncio.create_subprocess_exec(
            *run.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=run.place.folder,
            env=run.environment,
            **APART,
        )
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
        status = None if reason else process.returncode
        return RunEnd(status, reason, tail.text)


async def until_quiet(run: Run, process: asyncio.subprocess.Process) -> str:
    """Wait until the host ends; returns why it has to be ended here, or an empty text."""
    began = time.monotonic()
    ending = asyncio.ensure_future(process.wait())
    try:
        while not ending.done():
            now = time.monotonic()
            newest = max(run.script.newest_at, began)
            is_over = run.script.is_over
            if now - began > run.subject.seconds:
                return f"it did not end within {run.subject.seconds:g} s"
            if is_over and now - newest > _END_GRACE:
                return "it did not end by itself after its model was done"
            if now - newest > run.quiet_seconds:
                return run.quiet_words
            await asyncio.wait({ending}, timeout=0.2)
    finally:
        ending.cancel()
    return ""


class Tail:
    """The end of what a program printed."""

    def __init__(self) -> None:
        self._data = b""

    async def follow(self, stream: asyncio.StreamReader) -> None:
        """Read until the end of the stream."""
        while part := await stream.read(65_536):
            self._data = (self._data + part)[-4 * OUTPUT_KEPT :]

    @property
    def text(self) -> str:
        return tail_of(self._data.decode(errors="replace"))


async def program_version(driver: Driver, program: str) -> str:
    """The version that a program prints; empty if it prints none within 30 seconds."""
    with scratch(()) as place:
        words = [program if word == "{program}" else word for word in driver.version]
        environment = place.environment({})
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=place.folder,
                env=environment,
                **APART,
            )
        except OSError:
            return ""
        try:
            output, _ = await asyncio.wait_for(process.communicate(), 30.0)
        except TimeoutError:
            output = b""
        finally:
            await asyncio.to_thread(place.end_processes, process.pid)
    if process.returncode:
        return ""
    found = re.search(r"\d+\.\d+(\.\d+)?[\w.+-]*", output.decode(errors="replace"))
    return found[0] if found else ""
