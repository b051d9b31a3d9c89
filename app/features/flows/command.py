"""`signoff test` and `signoff flow`: runs flows and reports; checks flow files and prints their
schema.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...cli.approving.person import simulated_by
from ...cli.command import NoOptions, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser, add_described, number_up_to, verbs
from ...cli.options.server import (
    AS_JSON,
    PERSON,
    report_file,
)
from ...cli.output.printing import say, tell
from ...cli.output.report_files import write_report
from ...cli.output.result_reports import print_flow, print_totals, tests_report
from ...cli.output.results import FlowResult, Status
from ...cli.targets.live import print_json, run
from ...content.text import count, visible
from ...presentation.exit_status import ExitStatus
from .grammar import flow_schema
from .reading import find_flows, load_flows
from .run import updating
from .run.run_flow import RunWishes, chosen_steps, run_flow
from .run.session import PreparedFlow, prepare
from .run.updating import offer_settled, offer_update, tell_what_helps
from .yaml_tree import FlowError

MAX_JOBS: Final = 64
MAX_RETRIES: Final = 100


def _retries(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= MAX_RETRIES):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MAX_RETRIES}")
    return int(text)


@options
class TestOptions(NamedTuple):
    """Run flow files."""

    flows: tuple[str, ...] = opt("FLOW", "a flow file, or a folder of flow files", nargs="+")
    json: bool = AS_JSON
    words: str = opt(
        "-k WORDS",
        "run only flows and steps with these words in their names, and the steps they need",
    )
    """Only what has them in its name; empty for all."""
    stops: bool = opt("-x", "stop after the first step that fails")
    """Whether nothing is run after the first that fails."""
    jobs: int = opt(
        "--jobs N",
        "run N flows in parallel, each with its own server (default: 1)",
        default=1,
        type=number_up_to(MAX_JOBS),
    )
    """How many flows are run at once."""
    retries: int | None = opt(
        "--retries N", "retry a failed step up to N times; retries are reported", type=_retries
    )
    """Number of retries of a failed step, in place of those in the flows."""
    update: bool = opt(
        "--update",
        "offer to replace failed expectations by the actual values; comments and layout stay",
        rivals="again",
    )
    """Whether to offer actual values in place of failed expectations."""
    settle: bool = opt(
        "--settle", "offer to replace changed values, such as times, with patterns", rivals="again"
    )
    """Whether to offer matchers for values that were others this time."""
    watch: bool = opt("--watch", "run again if a flow or its server changes", rivals="again")
    """Whether to run them again whenever they change."""
    person: str = PERSON
    """Who answers in the place of everybody."""
    junit: str = report_file("junit")
    html: str = report_file("html")
    """The files of further reports; empty for none."""


@options
class FlowCheckOptions(NamedTuple):
    """Options of `flow check`."""

    flows: tuple[str, ...] = opt("FLOW", nargs="+")
    json: bool = AS_JSON


def add(parser: Parser) -> None:
    kinds = verbs(parser)
    add_described(kinds, "schema", "print the JSON Schema of flow files, for editors", _add_schema)
    add_described(
        kinds, "check", "check flow files and list every mistake with its line", _add_check
    )


def _add_schema(parser: Parser) -> None:
    without_server(parser, NoOptions, lambda _: run_schema())


def _add_check(check: Parser) -> None:
    without_server(check, FlowCheckOptions, lambda wanted: run_check(wanted.flows, wanted.json))


def add_test(test: Parser) -> None:
    """The options of `signoff test`."""
    without_server(test, TestOptions, run_tests)


def run_tests(work: TestOptions) -> int:
    """Run them all; returns the exit status."""
    if not work.watch:
        return _once(work)
    while True:
        files = updating.watched(find_flows(work.flows), load_flows(work.flows)[0])
        before = updating.stamps(files)
        status = _once(work)
        if status in (ExitStatus.INTERRUPTED, 128 + signal.SIGTERM):
            return status
        tell("Waiting for a change of the flows, their policies or their servers; ctrl+c ends it.")
        updating.wait_for_change(files, before)


def _once(work: TestOptions) -> int:
    flows, refused = load_flows(work.flows)
    prepared: list[PreparedFlow] = []
    for flow in flows:
        try:
            prepared.append(prepare(flow, {}, os.environ))
        except FlowError as problem:
            refused.append(problem)
    for line in (line for problem in refused for line in problem.lines):
        tell(line)
    if refused:
        return ExitStatus.USAGE
    if prepared and not any(chosen_steps(one.flow, work.words) for one in prepared):
        tell(f"signoff: -k {visible(work.words)}: no flow or step has these words in its name")
        return ExitStatus.USAGE
    results: list[FlowResult] = []
    status = run(_run(work, prepared, results))
    if len(results) == len(prepared):
        files = [Path(one.flow.file) for one in prepared]
        if work.settle:
            offer_settled(files, results)
        elif work.update:
            offer_update(files, results)
        elif not work.json:
            tell_what_helps(files, results)
    return status


async def _run(
    work: TestOptions, prepared: Sequence[PreparedFlow], results: list[FlowResult]
) -> int:
    """Run flows and report each; `results` takes the results."""
    began = time.monotonic()
    stopped = False

    wishes = RunWishes(
        words=work.words,
        stops=work.stops,
        simulated=simulated_by(work.person) if work.person else None,
        retries=work.retries,
        is_over=lambda: stopped,
    )
    lanes = asyncio.Semaphore(work.jobs)

    async def one(flow: PreparedFlow) -> FlowResult:
        nonlocal stopped
        async with lanes:
            result = await run_flow(flow, wishes)
        stopped = stopped or (work.stops and result.status is Status.FAILED)
        return result

    running = [asyncio.create_task(one(flow)) for flow in prepared]
    try:
        for task in running:
            result = await task
            results.append(result)
            if not work.json:
                print_flow(result)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    took = time.monotonic() - began
    done = tuple(results)
    _write(work, done, took)
    if work.json:
        print_json(tests_report(done, took))
    else:
        print_totals(done, took)
    return exit_status(done)


def _write(work: TestOptions, results: tuple[FlowResult, ...], took: float) -> None:
    """The reports that are files. Raises UsageError."""
    if work.junit:
        from ...cli.output.result_reports import junit_xml

        write_report("--junit", work.junit, junit_xml("test", results, took))
    if work.html:
        from ...cli.output.result_reports import page_of_results, total_line
        from ...presentation.report_pages import page_html

        page = page_of_results(results, "Flows", (total_line(results, took),))
        write_report("--html", work.html, page_html(page))


def exit_status(results: Sequence[FlowResult]) -> int:
    """A failed step counts before a server that was not reached."""
    if any(one.number(Status.FAILED) for one in results):
        return ExitStatus.FLOW_FAILED
    if any(one.unreachable for one in results):
        return ExitStatus.LOST
    return ExitStatus.OK


def run_schema() -> int:
    """Print the schema."""
    print_json(flow_schema())
    return ExitStatus.OK


def run_check(given: Sequence[str], as_json: bool) -> int:
    """Name every mistake; the status is that of wrong usage if there are any."""
    flows, refused = load_flows(given)
    if as_json:
        mistakes = [
            {
                "file": problem.file,
                "line": one.spot.line or None,
                "column": one.spot.column or None,
                "message": one.message,
            }
            for problem in refused
            for one in problem.mistakes
        ]
        print_json({"flows": [visible(flow.file) for flow in flows], "mistakes": mistakes})
    else:
        for flow in flows:
            say(f"{visible(flow.file)}: {count(len(flow.steps), 'step')}, no mistakes")
        for problem in refused:
            for line in problem.lines:
                tell(line)
    return ExitStatus.USAGE if refused else ExitStatus.OK
