"""The probe server as a process of its own, for hosts that reach it by HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from typing import Final

from ....platforms.files import why
from ....platforms.processes import APART
from ..drivers import DriverError
from ..probes.http_server import PATH
from ..probes.probe_server import log_lines
from .scratch import PROBES, Scratch

MODULE: Final = f"{PROBES}.http_server"
START_SECONDS: Final = 30.0
_END_SECONDS: Final = 5.0


@contextlib.asynccontextmanager
async def served_by_http(place: Scratch, is_wanted: bool) -> AsyncIterator[str]:
    """The address of the probe server as long as the block runs; empty if it is not wanted.

    It runs in the network of the host, and does not end with a session of the host. Raises
    DriverError if it does not start.
    """
    if not is_wanted:
        yield ""
        return
    words = (*place.entry, *(one.replace(f"{PROBES}.probe_server", MODULE) for one in place.server))
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=place.folder,
            env=dict(os.environ),
            **APART,
        )
    except OSError as problem:
        raise DriverError(f"the probe server could not be started: {why(problem)}") from None
    try:
        address = f"http://127.0.0.1:{await _port_of(place, process)}{PATH}"
        place.write_config(address)
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.shield(asyncio.wait_for(process.wait(), _END_SECONDS))


async def _port_of(place: Scratch, process: asyncio.subprocess.Process) -> int:
    """The port in the first entry of its log. Raises DriverError."""
    deadline = time.monotonic() + START_SECONDS
    while process.returncode is None and time.monotonic() < deadline:
        for entry in log_lines(place.log.read()):
            start = entry.get("start")
            if isinstance(start, dict) and isinstance(start.get("port"), int):
                return int(start["port"])
        await asyncio.sleep(0.05)
    raise DriverError("the probe server did not begin to listen")
