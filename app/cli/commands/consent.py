"""`signoff consent`: plays eight people against tools that ask before they act, and reports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...headless.approvers import read_answers
from ...headless.live import Options, opened, print_json, run
from ...headless.printing import Hiding, say, tell
from ...headless.reports import server_report
from ...headless.targets import UsageError
from ...protocol.hints import Claim
from ...protocol.server_requests.capabilities import ELICITATION
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.samples import sample_arguments
from ...testing.consent.reports import (
    consent_report,
    exit_status,
    probe_problem,
    result_of,
    summary,
    total_words,
)
from ...testing.consent.runs import LIMIT, RunSettings, with_sandbox
from ...testing.consent.tools import ToolConsent, ToolInput, try_tool
from ...testing.results import FlowResult
from ...testing.run.reports import html_page, junit_xml, print_flow
from ..calling import answering
from ..command import on_server
from ..options.calling import add_approve
from ..options.parser import Parser, seconds
from ..options.server import add_bundled, add_json, add_report_files
from ..tool_inputs import (
    check_names,
    is_wanted,
    read_inputs,
    sample_problem,
    telling_if_slow,
    wanted_tools,
)
from .flow import write_file

if TYPE_CHECKING:
    from ...engine.engine import Engine


class ConsentOptions(NamedTuple):
    """Options of `consent`."""

    tools: str
    """Patterns of names with commas between; empty for every tool that asks."""
    inputs: str
    limit: float
    reads: str
    """Patterns of read-only tools whose responses are compared; empty for none."""
    junit: str
    html: str
    approve: str
    answer: str
    person: str = ""


def add(consent: Parser) -> None:
    consent.add_argument(
        "--tools",
        metavar="GLOB",
        default="",
        help="tools that should ask, separated by commas: 'delete_*,send_*' "
        "(default: call each tool once, and test those that ask)",
    )
    consent.add_argument(
        "--inputs",
        metavar="FILE",
        default="",
        help="JSON file of arguments by tool; the second set of a tool is for the call with "
        "changed arguments; {scratch} in it is the path of the scratch folder (default: made from "
        "the schemas)",
    )
    consent.add_argument(
        "--limit",
        metavar="S",
        type=seconds,
        default=LIMIT,
        help=f"cancel a call that has no end after S seconds (default: {LIMIT:g})",
    )
    consent.add_argument(
        "--reads",
        metavar="GLOB",
        default="",
        help="read-only tools without arguments whose responses show what was done, called "
        "before and after each call (default: only resources are read)",
    )
    add_json(consent)
    add_report_files(consent)
    add_bundled(consent)
    add_approve(consent)
    on_server(consent, ConsentOptions, run_consent, watches=True)


def run_consent(options: Options, wanted: ConsentOptions) -> int:
    """Play all people against the tools; returns the exit status."""
    if options.config.target.watch is None:
        raise UsageError("consent needs a server that Signoff starts: give its command, not --url")
    return run(_run(with_sandbox(options), wanted))


async def _run(options: Options, wanted: ConsentOptions) -> int:
    began = time.monotonic()
    inputs, values = read_inputs(wanted.inputs), _accepted_values(wanted.answer)
    async with opened(options) as engine:
        check_names(engine.tools, inputs)
        tools = wanted_tools(engine.tools, wanted.tools)
        probes = _probes(engine, wanted.reads)
        hiding, server = options.hiding(engine), server_report(engine, options.hiding(engine))
        rules = engine.policy.name
    watch = options.config.target.watch
    assert watch is not None
    if watch.why_not:
        tell(f"signoff: {watch.why_not}: {watch.method.sees}")
    settings = RunSettings(
        options,
        watch,
        lambda again: answering(options, again, wanted),
        values,
        wanted.limit,
        probes,
    )
    found: list[ToolConsent] = []
    results: list[FlowResult] = []
    try:
        for number, tool in enumerate(tools, 1):
            given = await _input(tool, inputs.get(tool.name, []))
            with telling_if_slow(tool, number, len(tools)):
                one = await try_tool(settings, given, must_ask=bool(wanted.tools))
            found.append(one)
            if one.problem or one.lost or one.asks or one.must_ask:
                results.append(result_of(one, engine.server.name, rules, hiding))
                if not options.as_json:
                    print_flow(results[-1])
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        missing = len(tools) - len(found)
        tell(f"signoff: interrupted: {count(missing, 'tool')} of {len(tools)} not tried")
    _report(options, wanted, found, tuple(results), server, hiding, time.monotonic() - began)
    return exit_status(found)


def _report(
    options: Options,
    wanted: ConsentOptions,
    found: Sequence[ToolConsent],
    results: tuple[FlowResult, ...],
    server: dict[str, JsonValue],
    hiding: Hiding,
    took: float,
) -> None:
    total = total_words(results)
    if wanted.junit:
        write_file(wanted.junit, "--junit", junit_xml(results, took))
    if wanted.html:
        write_file(wanted.html, "--html", html_page(results, took, "Consent", total))
    if options.as_json:
        print_json(consent_report(found, server, wanted.limit, hiding))
    else:
        say(summary(found) or f"{total} in {took:.1f} s")


def _accepted_values(path: str) -> dict[str, JsonValue]:
    """The values of the first elicitation that the file of `--answer` accepts."""
    written = read_answers(path)[ELICITATION] if path else []
    accepted = (one.values for one in written if one.action == "accept" and one.values)
    return next(accepted, {})


def _probes(engine: Engine, patterns: str) -> tuple[ToolDefinition, ...]:
    """The tools of `--reads`. Raises UsageError for one that cannot be a probe."""
    if not patterns:
        return ()
    found = [one for one in engine.tools if is_wanted(one, patterns)]
    if not found:
        raise UsageError(f"no tool matches --reads “{visible(patterns)}”")
    for tool in found:
        problem = probe_problem(tool)
        if tool.hints.read_only.claim is not Claim.TRUE:
            problem = "it is not declared read-only"
        if problem:
            raise UsageError(f"--reads: {tool.display_name}: {problem}")
    return tuple(found)


async def _input(tool: ToolDefinition, sets: Sequence[dict[str, JsonValue]]) -> ToolInput:
    arguments = sets[0] if sets else sample_arguments(tool.input_schema)
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    problem = sample_problem(checked) if tool.callable else "it cannot be called"
    return ToolInput(tool, arguments, sets[1] if len(sets) > 1 else None, problem)
