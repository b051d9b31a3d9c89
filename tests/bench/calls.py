"""What one call costs more than the SDK alone: the checks, the question, the evidence."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from signoff.app.approval.approval import Decision, approve
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.engine import Engine
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.sandbox.worker import judge_arguments_in_worker, judge_in_worker
from signoff.app.transport.stdio.stdio import StdioLink
from tests.bench.figures import Figure, Samples
from tests.servers import raw

TARGET_SECONDS = 0.001
WARM = 30
TOOLS: tuple[tuple[str, dict[str, JsonValue], str], ...] = (
    ("echo", {"text": "hello", "number": 7}, "no output schema"),
    ("structured", {}, "output schema"),
)


class _Consenting:
    async def ask(self, question: Question) -> Decision:
        return approve("script")


def measure_calls(count: int) -> list[Figure]:
    """Calls through the bench and through the SDK in turn, each on a server of its own."""
    return asyncio.run(_measure(count))


async def _measure(count: int) -> list[Figure]:
    argv = raw("--with", "structured")
    figures: list[Figure] = []
    async with AsyncExitStack() as stack:
        session = await sdk_session(stack, argv)
        engine = await open_engine(
            StdioLink(argv), SessionConfig(Target("raw"), keeps_audit=False, keeps_memory=False)
        )
        stack.push_async_callback(engine.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signoff-bench-")))
        kept = SessionConfig(Target("raw"), audit=folder / "audit.jsonl", memory=folder)
        asked = await open_engine(StdioLink(argv), kept)
        stack.push_async_callback(asked.close)
        allowed = await open_engine(StdioLink(argv), replace(kept, policy=built_in("allow-all")))
        stack.push_async_callback(allowed.close)
        for name, arguments, what in TOOLS:
            figures += await _compare(session, engine, name, arguments, what, count)
            figures += await _break_down(engine, name, arguments, what, count // 2)
            logged = {"asked by a script": asked, "allowed": allowed}
            figures += await _processor(session, logged, name, arguments, count)
    return figures


async def _processor(
    session: ClientSession,
    benches: dict[str, Engine],
    name: str,
    arguments: dict[str, JsonValue],
    count: int,
) -> list[Figure]:
    """What a call computes more than the SDK alone, in this process, with an audit log."""
    samples = Samples()
    for turn in range(WARM + count):
        started = time.process_time()
        await session.call_tool(name, arguments)
        alone = time.process_time() - started
        for what, engine in benches.items():
            started = time.process_time()
            await make_call(engine, name, arguments)
            if turn >= WARM:
                samples.add(what, time.process_time() - started - alone)
    figures = []
    for what in benches:
        median = samples.median(what) * 1000
        target = f"< {TARGET_SECONDS * 1000:g} ms"
        figure = samples.figure(what, target, f"{median:+.2f} ms")
        figures.append(replace(figure, name=f"{name}, logged, {what}: more processor time"))
    return figures


async def _compare(
    session: ClientSession,
    engine: Engine,
    name: str,
    arguments: dict[str, JsonValue],
    what: str,
    count: int,
) -> list[Figure]:
    alone, through = f"{name} ({what}): SDK alone", f"{name} ({what}): through the bench"
    samples = Samples()
    for turn in range(WARM + count):
        by_sdk = await timed_await(lambda: session.call_tool(name, arguments))
        by_engine = await timed_await(lambda: make_call(engine, name, arguments))
        if turn >= WARM:
            samples.add(alone, by_sdk)
            samples.add(through, by_engine)
    more = samples.median(through) - samples.median(alone)
    return [
        samples.figure(alone),
        samples.figure(through, f"< {TARGET_SECONDS * 1000:g} ms more", f"{more * 1000:+.2f} ms"),
    ]


async def _break_down(
    engine: Engine, name: str, arguments: dict[str, JsonValue], what: str, count: int
) -> list[Figure]:
    """The same calls with a clock around the checks in the worker and around the link."""
    samples = Samples()
    checks, link = f"{name} ({what}): of it one check", f"{name} ({what}): of it the link"
    call = engine.link.request

    def timed(how: Callable[[JsonValue, JsonValue], Awaitable[Any]]) -> Any:
        async def judged(schema: JsonValue, value: JsonValue) -> Any:
            started = time.perf_counter()
            verdict = await how(schema, value)
            samples.add(checks, time.perf_counter() - started)
            return verdict

        return judged

    async def linked(*given: Any) -> Any:
        started = time.perf_counter()
        reply = await call(*given)
        samples.add(link, time.perf_counter() - started)
        return reply

    with (
        patch("signoff.app.engine.calls.call_task.judge_in_worker", timed(judge_in_worker)),
        patch(
            "signoff.app.engine.calls.decide.judge_arguments_in_worker",
            timed(judge_arguments_in_worker),
        ),
        patch.object(engine.link, "request", linked),
    ):
        for _ in range(count):
            await make_call(engine, name, arguments)
    return [samples.figure(checks), samples.figure(link)]


async def timed_await(make: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await make()
    return time.perf_counter() - started


async def make_call(engine: Engine, name: str, arguments: dict[str, JsonValue]) -> None:
    tool = next(tool for tool in engine.tools if tool.name == name)
    call = await engine.ended(engine.call(tool, arguments))
    assert call.outcome is Outcome.OK, call.reason


async def sdk_session(stack: AsyncExitStack, argv: list[str]) -> ClientSession:
    parameters = StdioServerParameters(command=argv[0], args=argv[1:])
    read, write = await stack.enter_async_context(stdio_client(parameters))
    session = await stack.enter_async_context(ClientSession(read, write))
    await session.initialize()
    await session.list_tools()
    return session


async def open_engine(link: StdioLink, config: SessionConfig) -> Engine:
    link.begin()
    engine = config.engine(link)
    engine.approver = _Consenting()
    engine.open()
    engine.prepare()
    deadline = time.monotonic() + 30
    while not engine.is_listed:
        assert time.monotonic() < deadline, "the tools were not listed"
        await asyncio.sleep(0.01)
    return engine
