"""The steps of a flow beside the same calls by the SDK alone, and by the bench alone."""

from __future__ import annotations

import asyncio
import json
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from signoff.app.cli.output.results import Status
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.features.flows.reading import load_flow
from signoff.app.features.flows.run.session import opened_flow, prepare
from signoff.app.features.flows.run.steps import run_step
from signoff.app.transport.stdio.stdio import StdioLink
from tests.bench.calls import WARM, make_call, open_engine, sdk_session, timed_await
from tests.bench.figures import Figure, Samples
from tests.servers import raw

TARGET = 2.0
SDK, BENCH, FLOW, READ = (
    "a call by the SDK alone",
    "the call asked about on the bench",
    "the step of a flow, four checks",
    "reading the flow file, by step",
)
_STEP = """\
- call: echo
  with: {{text: hello{0}, number: 7}}
  person: approve
  expect: {{verdict: ask, sent: true, outcome: ok, content: hello{0}}}
"""


def measure(steps: int) -> list[Figure]:
    """So many of each, in turn, each on a server of its own."""
    return asyncio.run(_measure(max(steps, WARM + 1)))


async def _measure(steps: int) -> list[Figure]:
    argv = raw("--with", "structured")
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as folder:
        path = Path(folder) / "many.flow.yaml"
        lines = [f"command: {json.dumps(argv)}\nsteps:\n", *map(_STEP.format, range(steps))]
        path.write_text("".join(lines), encoding="utf-8")
        began = asyncio.get_running_loop().time()
        flow = load_flow(path)
        took = asyncio.get_running_loop().time() - began
        samples.add(READ, took / steps)
        async with AsyncExitStack() as stack:
            session = await sdk_session(stack, argv)
            engine = await open_engine(
                StdioLink(argv),
                SessionConfig(Target("raw"), keeps_audit=False, keeps_memory=False),
            )
            stack.push_async_callback(engine.close)
            flowing = await stack.enter_async_context(opened_flow(prepare(flow, {}, {}), None))
            for turn, step in enumerate(flow.steps):
                given: dict[str, JsonValue] = {"text": f"hello{turn}", "number": 7}

                async def passes() -> None:
                    result = await run_step(flowing, step)  # noqa: B023
                    assert result.status is Status.PASSED, result.failures

                alone = await timed_await(lambda: session.call_tool("echo", given))  # noqa: B023
                asked = await timed_await(lambda: make_call(engine, "echo", given))  # noqa: B023
                whole = await timed_await(passes)
                if turn >= WARM:
                    samples.add(SDK, alone)
                    samples.add(BENCH, asked)
                    samples.add(FLOW, whole)
    times = samples.median(FLOW) / samples.median(SDK)
    figure = samples.figure(FLOW, f"<= {TARGET:g} x SDK", f"{times:.2f} x")
    return [samples.figure(SDK), samples.figure(BENCH), figure, samples.figure(READ)]
