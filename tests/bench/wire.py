"""What the wire costs: a call with it, a large capture, the screen that follows."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.features.wire.listing import BenchWire
from signoff.app.features.wire.screen import WireScreen
from signoff.app.protocol.server import Trust
from signoff.app.protocol.wire.capture import Capture, line_of
from signoff.app.protocol.wire.frames import CLIENT, SERVER, Frame, WireLog
from signoff.app.transport.capture_file import CaptureFile
from signoff.app.transport.stdio.stdio import StdioLink
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.startup import AppConfig
from tests.bench.calls import make_call, open_engine, sdk_session, timed_await
from tests.bench.figures import Figure, Samples
from tests.servers import raw

MESSAGES = 100_000
OPEN_SECONDS = 0.2
RATE = 1_000
FOLLOWED_SECONDS = 4.0
FOLLOWING_SHARE = 0.15
WARM = 30
ALONE, WITHOUT, WITH = (
    "a call: SDK alone",
    "a call: bench with audit, nothing tapped",
    "a call: bench with audit, wire and capture",
)
OPENED, FILTERED = "100,000 messages: opened", "100,000 messages: opened and filtered"
FOLLOWING = "the wire follows 1,000 messages/s: processor time of 1 s"


class _Switched(WireLog):
    """Takes nothing in while it is off."""

    is_on = True

    def add(self, *given: Any, **named: Any) -> None:
        if self.is_on:
            super().add(*given, **named)


def measure(runs: int) -> list[Figure]:
    """A hundred calls a run, each way in turn; then the capture and the screen."""
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        folder = Path(name)
        return [
            *asyncio.run(_calls(folder, runs * 100)),
            *_capture(folder, max(3, runs)),
            *asyncio.run(_following(max(1, runs // 3))),
        ]


async def _calls(folder: Path, count: int) -> list[Figure]:
    samples = Samples()
    arguments: dict[str, JsonValue] = {"text": "hello", "number": 7}
    argv = raw()
    async with AsyncExitStack() as stack:
        session = await sdk_session(stack, argv)
        config = SessionConfig(Target("raw"), audit=folder / "audit.jsonl", memory=folder)
        # One bench with and without: two differ by more than what is measured.
        wire = _Switched(CaptureFile(folder / "capture.jsonl"))
        engine = await open_engine(StdioLink(argv, wire=wire), config)
        stack.push_async_callback(engine.close)

        async def call(*, is_tapped: bool) -> None:
            wire.is_on = is_tapped
            await make_call(engine, "echo", arguments)

        ways: dict[str, Callable[[], Awaitable[object]]] = {
            ALONE: lambda: session.call_tool("echo", arguments),
            WITHOUT: lambda: call(is_tapped=False),
            WITH: lambda: call(is_tapped=True),
        }
        order = Random(1)
        for turn in range(WARM + count):
            # In any order: what a call leaves to be done is done in the time of the next one.
            for name in order.sample(list(ways), len(ways)):
                spent = time.process_time()
                seconds = await timed_await(ways[name])
                if turn >= WARM:
                    samples.add(name, seconds)
                    samples.add(f"{name}: processor", time.process_time() - spent)
    share = samples.median(f"{WITH}: processor") / samples.median(f"{WITHOUT}: processor") - 1
    more = (samples.median(WITH) - samples.median(ALONE)) * 1000
    return [
        samples.figure(ALONE),
        samples.figure(WITHOUT),
        samples.figure(WITH, "< 5 % more processor time", f"{share:+.1%}, SDK {more:+.2f} ms"),
    ]


def _capture(folder: Path, runs: int) -> list[Figure]:
    samples, file = Samples(), folder / "large.jsonl"
    with file.open("wb") as out:
        for number in range(MESSAGES):
            out.write(line_of(_message(number)) + b"\n")
    for _ in range(runs):
        started = time.perf_counter()
        capture = Capture(file.read_bytes())
        samples.add(OPENED, time.perf_counter() - started)
        found = capture.containing("delete_file")
        samples.add(FILTERED, time.perf_counter() - started)
        assert len(found) == MESSAGES // 200
        assert b"delete_file" in capture.frame(found[-1]).raw
    target = f"< {OPEN_SECONDS * 1000:g} ms"
    return [samples.figure(OPENED), samples.figure(FILTERED, target)]


def _message(number: int) -> Frame:
    identity = number // 2
    if number % 2:
        text = f"the answer to {identity}, in some words more, as they are usual " * 2
        result = {"content": [{"type": "text", "text": text}], "isError": False}
        body = {"jsonrpc": "2.0", "id": identity, "result": result}
        sender = SERVER
    else:
        tool = "delete_file" if identity % 100 == 0 else "read_file"
        params = {"name": tool, "arguments": {"path": f"notes/{identity}.txt"}}
        body = {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}
        sender = CLIENT
    line = json.dumps(body).encode()
    return Frame(number + 1, 1_700_000_000 + number / 100, 0.0, sender, line, len(line))


async def _following(runs: int) -> list[Figure]:
    """The processor time of the whole program, while the screen is open and messages come."""
    samples = Samples()
    link = StdioLink(raw())
    link.begin()
    engine = SessionConfig(
        Target("raw"), Trust.TRUSTED, keeps_audit=False, keeps_memory=False
    ).engine(link)
    app = SignoffApp(AppConfig.of(engine))
    app.animation_level = "none"
    async with app.run_test(size=(120, 36)) as pilot:
        while not engine.is_listed:
            await pilot.pause(0.05)
        await pilot.pause(1)
        app.push_screen(WireScreen(BenchWire(engine)))
        await pilot.pause(1)
        for _ in range(runs):
            over = threading.Event()
            feeder = threading.Thread(target=_feed, args=(link.wire, over), daemon=True)
            feeder.start()
            await asyncio.sleep(0.5)
            started, spent = time.perf_counter(), time.process_time()
            await asyncio.sleep(FOLLOWED_SECONDS)
            spent = time.process_time() - spent
            samples.add(FOLLOWING, spent / (time.perf_counter() - started))
            over.set()
            feeder.join()
    link.kill()
    share = samples.median(FOLLOWING)
    target = f"< {FOLLOWING_SHARE:.0%} of a core"
    return [samples.figure(FOLLOWING, target, f"{share:.1%}")]


def _feed(wire: WireLog, over: threading.Event) -> None:
    started, number = time.perf_counter(), 0
    while not over.wait(0.01):
        while number < (time.perf_counter() - started) * RATE:
            frame = _message(number)
            wire.add(frame.sender, frame.raw)
            number += 1
