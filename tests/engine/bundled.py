"""A bench on the bundled server, over its pipes or over HTTP, in either era."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from signoff.app.cli.targets.targets import demo_command
from signoff.app.protocol.server import Trust
from tests.engine.opened import Opened, opened

STEP = "0.01"
BREWED, TURNED = "The beer is brewed.", "The beer has turned."
BAKED = "The bread is done."
PAINTED = "The wall is painted: ochre."
"""Results of the tasks of the bundled server."""


@contextlib.asynccontextmanager
async def bundled(
    protocol: str = "legacy", *, step: str = STEP, **more: Any
) -> AsyncIterator[Opened]:
    """On its pipes; `step` is the seconds of one step of what it does."""
    env = {"SIGNOFF_DEMO_STEP_SECONDS": step}
    given = {"trust": Trust.TRUSTED, **more}
    async with opened(argv=demo_command(), env=env, protocol=protocol, **given) as one:
        yield one


@contextlib.contextmanager
def served_over_http(step: str = STEP) -> Iterator[str]:
    """The bundled server as a process of its own; its URL."""
    command = [sys.executable, "-m", "tests.servers.demo_http", step]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        try:
            yield url
        finally:
            process.stdin.close()


@contextlib.asynccontextmanager
async def bundled_over_http(protocol: str = "legacy", **more: Any) -> AsyncIterator[Opened]:
    """Over HTTP, likewise."""
    with served_over_http() as url:
        given = {"trust": Trust.TRUSTED, **more}
        async with opened(url=url, protocol=protocol, **given) as one:
            yield one
