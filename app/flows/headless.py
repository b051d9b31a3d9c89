"""`signoff tools` and `signoff call`: the bench without a screen."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from app.bench import Bench, BenchEvent
from app.core.calls import CallLimits
from app.core.server import Phase
from app.core.tools import ToolDefinition
from app.core.trust import Trust
from app.flows.approvers import LineApprover, PolicyAlone, ScriptApproves
from app.flows.arguments import assign, read_document
from app.flows.readable import ended_lines, print_call, print_tools
from app.flows.reports import INTERRUPTED, LOST, OK, call_report, exit_status, tools_report
from app.story import Approver
from app.targets import Target, UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """What both commands take. Times are seconds."""

    target: Target
    trust: Trust
    limits: CallLimits
    connect_seconds: float = 60.0
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What `signoff call` takes besides; `approve` is ask, policy, always or never."""

    tool: str
    assignments: Sequence[str]
    document: str
    approve: str


class NotConnected(Exception):
    """The server could not be reached, or did not list its tools in time."""


def run_tools(options: Options) -> int:
    """List the tools; returns the exit status."""
    return _run(_tools(options))


def run_call(options: Options, call: CallOptions) -> int:
    """Make one call; returns the exit status."""
    arguments = read_document(call.document) if call.document else {}
    return _run(_call(options, call, arguments))


async def _tools(options: Options) -> int:
    async with _opened(options) as bench:
        if options.as_json:
            _print_json(tools_report(bench))
        else:
            print_tools(bench)
    return OK


async def _call(options: Options, wanted: CallOptions, document: dict[str, Any]) -> int:
    async with _opened(options) as bench:
        tool = _find_tool(bench, wanted.tool)
        arguments = assign(tool, document, wanted.assignments)
        bench.approver = _approver(wanted.approve)
        bench.sends = wanted.approve != "never"
        call_id = bench.call(tool, arguments)
        try:
            call = await bench.ended(call_id)
        except asyncio.CancelledError:
            bench.cancel(call_id)
            call = await bench.ended(call_id)
        if options.as_json:
            _print_json(call_report(bench, call))
        else:
            print_call(bench, call)
    return exit_status(call)


@contextlib.asynccontextmanager
async def _opened(options: Options) -> Any:
    """A bench whose tools are listed. Raises NotConnected."""
    link = options.target.link()
    link.begin()
    settled = asyncio.Event()

    def listen(event: BenchEvent) -> None:
        if bench.is_listed or bench.server.phase in (Phase.FAILED, Phase.LOST):
            settled.set()

    bench = Bench(
        link, options.target.name, trust=options.trust, limits=options.limits, listener=listen
    )
    try:
        bench.open()
        try:
            await asyncio.wait_for(settled.wait(), options.connect_seconds)
        except TimeoutError:
            limit = f"no list of tools within {options.connect_seconds:g} s"
            raise NotConnected(f"{limit}; it was {bench.server.stage}") from None
        if not bench.is_listed:
            raise NotConnected("\n".join(ended_lines(bench.server)))
        yield bench
    finally:
        await bench.close()


def _find_tool(bench: Bench, name: str) -> ToolDefinition:
    found = [tool for tool in bench.tools if tool.name == name]
    if found:
        return found[0]
    near = [tool.name_shown for tool in bench.tools if name.casefold() in tool.search_text]
    hint = f"; did you mean {', '.join(near[:5])}?" if near else ""
    raise UsageError(f"the server has no tool {name!r}{hint} (signoff tools lists them)")


def _approver(how: str) -> Approver:
    if how == "always":
        return ScriptApproves()
    if how == "ask":
        if sys.stdin.isatty() and sys.stderr.isatty():
            return LineApprover()
        return PolicyAlone("there is no terminal to ask on; see --approve")
    return PolicyAlone("the policy asks, and --approve policy runs only what it allows")


def _run(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end. Ctrl-C cancels the call; SIGTERM and SIGHUP end everything in order."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that is not UTF-8 gets escapes for the signs it has not.
            stream.reconfigure(errors="backslashreplace")
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        received: list[int] = []

        def stop(number: int) -> Callable[[], None]:
            def on_signal() -> None:
                # A second one would interrupt the ending of the server, which has its own limits.
                if not received:
                    task.cancel()
                received.append(number)

            return on_signal

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop(number))
        try:
            status = runner.run(_wait(task))
            return _signalled(received[0]) if received else status
        except asyncio.CancelledError:
            return _signalled(received[0])
        except NotConnected as problem:
            print(f"signoff: {problem}", file=sys.stderr)
            return LOST


def _signalled(number: int) -> int:
    return INTERRUPTED if number == signal.SIGINT else 128 + number


async def _wait(task: asyncio.Task[int]) -> int:
    return await task


def _print_json(report: dict[str, Any]) -> None:
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    print(json.dumps(report, indent=2).replace("\x7f", "\\u007f"), flush=True)
