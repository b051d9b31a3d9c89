"""`signoff tools` and `signoff call`: the bench without a screen."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.flows.approvers import LineApprover, PolicyAlone, ScriptApproves
from app.flows.arguments import assign, preset, read_document
from app.flows.live import Options, find_tool, opened, print_json, run
from app.flows.readable import print_call, print_tools
from app.flows.reports import OK, call_report, exit_status, tools_report
from app.surroundings import Approver
from app.targets import UsageError

if TYPE_CHECKING:
    from app.bench import Bench


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What `signoff call` takes besides; `approve` is ask, policy, always or never.

    `preset` names arguments that were kept; empty where none are wanted.
    """

    tool: str
    assignments: Sequence[str]
    document: str
    approve: str
    preset: str = ""


def run_tools(options: Options) -> int:
    """List the tools; returns the exit status."""
    return run(_tools(options))


def run_call(options: Options, call: CallOptions) -> int:
    """Make one call; returns the exit status."""
    if call.preset and call.document:
        raise UsageError("--preset and --args both give all arguments: leave out one")
    arguments = read_document(call.document) if call.document else {}
    return run(_call(options, call, arguments))


def run_read(options: Options, uri: str, approve: str) -> int:
    """Read one resource; returns the exit status."""
    return run(_read(options, uri, approve))


async def _tools(options: Options) -> int:
    async with opened(options) as bench:
        # The verdicts go by what was listed and approved before.
        await bench.compared()
        if options.as_json:
            print_json(tools_report(bench, options.hiding(bench)))
        else:
            print_tools(bench, options.hiding(bench))
    return OK


async def _call(options: Options, wanted: CallOptions, document: dict[str, Any]) -> int:
    async with opened(options) as bench:
        tool = find_tool(bench, wanted.tool)
        if wanted.preset:
            document = preset(bench, tool, wanted.preset, wanted.assignments)
        arguments = assign(tool, document, wanted.assignments)
        return await _told(options, bench, wanted.approve, lambda: bench.call(tool, arguments))


async def _read(options: Options, uri: str, approve: str) -> int:
    async with opened(options) as bench:
        return await _told(options, bench, approve, lambda: bench.read(uri))


async def _told(options: Options, bench: Bench, approve: str, begin: Callable[[], int]) -> int:
    """Begin a call, wait for its end and print it; returns the exit status."""
    bench.approver = _approver(approve)
    bench.sends = approve != "never"
    call_id = begin()
    try:
        call = await bench.ended(call_id)
    except asyncio.CancelledError:
        bench.cancel(call_id)
        call = await bench.ended(call_id)
    hiding = options.hiding(bench, call.tool, call.snapshot.arguments())
    if options.as_json:
        print_json(call_report(bench, call, hiding))
    else:
        print_call(bench, call, hiding)
    return exit_status(call)


def _approver(how: str) -> Approver:
    if how == "always":
        return ScriptApproves()
    if how == "ask":
        if sys.stdin.isatty() and sys.stderr.isatty():
            return LineApprover()
        return PolicyAlone("there is no terminal to ask on; see --approve")
    return PolicyAlone("the policy asks, and --approve policy runs only what it allows")
