"""What watching a server costs: a call that is not watched, watched by folders, by strace."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from signoff.app.calls.effects.deeds import Method
from signoff.app.calls.effects.watch import SETTLE_SECONDS, Watch
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.platforms.tracing import find_tracer
from signoff.app.protocol.server import Trust
from signoff.app.transport.stdio.stdio import StdioLink
from tests.bench.figures import Figure, Samples
from tests.servers import liars

SERVER = str(Path(liars.__file__))
CALLS = 20
TOOL = "reads_a_file"


def measure(runs: int) -> list[Figure]:
    """A server of its own for each way; the time that a call is watched on is named apart."""
    ways: list[Method | None] = [None, Method.FOLDERS]
    if find_tracer()[0]:
        ways.append(Method.STRACE)
    samples = Samples()
    for _ in range(max(1, runs // 5)):
        for way in ways:
            for seconds in asyncio.run(_calls(way)):
                samples.add(_words(way), seconds)
    return [_figure(samples, way) for way in ways]


def _words(way: Method | None) -> str:
    return "a call: not watched" if way is None else f"a call: watched by {way.value}"


def _figure(samples: Samples, way: Method | None) -> Figure:
    if way is None:
        return samples.figure(_words(way))
    beside = (samples.median(_words(way)) - samples.median(_words(None)) - SETTLE_SECONDS) * 1000
    told = f"{beside:.0f} ms beside the {SETTLE_SECONDS * 1000:.0f} that it is watched on"
    return samples.figure(_words(way), verdict=told)


async def _calls(way: Method | None) -> list[float]:
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        given = Path(name) / "given"
        given.mkdir()
        liars.fill(given)
        watch = Watch(way, given) if way is not None else None
        link = StdioLink([sys.executable, SERVER], None, "legacy", watch=watch)
        config = SessionConfig(
            Target("liars"), Trust.TRUSTED, keeps_audit=False, keeps_memory=False
        )
        engine = config.engine(link)
        link.begin()
        engine.open()
        try:
            while not engine.is_listed:
                await asyncio.sleep(0.01)
            tool = next(tool for tool in engine.tools if tool.name == TOOL)
            await engine.ended(engine.call(tool, {}))
            taken = []
            for _ in range(CALLS):
                began = time.perf_counter()
                await engine.ended(engine.call(tool, {}))
                taken.append(time.perf_counter() - began)
            return taken
        finally:
            await engine.close()
            if watch is not None:
                watch.close()
