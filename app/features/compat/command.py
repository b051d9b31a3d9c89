"""`signoff compat`: how client libraries read a server, by the measured table.

It lists and calls nothing, unless `--approve` names an approver for calls. Output as lines, JSON
and JUnit. `--run-clients` runs the installed client libraries against a replay of the session.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...calls.call import Outcome
from ...cli.calling import answering
from ...cli.command import OnServer, add_shared, read_on_server
from ...cli.options.calling import (
    ANSWER,
    APPROVE_TO_CALL,
    PERSON_ASKED,
    add_time_limit,
)
from ...cli.options.declared import add_options, opt, options, within
from ...cli.options.parser import Parser
from ...cli.options.server import FindingReports, add_bundled
from ...cli.options.session import JUDGES, Use
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.printing import say, tell
from ...cli.targets.given_files import given_frames
from ...cli.targets.live import Options, opened, print_json, run, status_with_list
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import (
    check_names,
    read_inputs,
    sample_problem,
    telling_if_slow,
    wanted_tools,
)
from ...content.text import count, visible
from ...engine.findings import KeptFrames, readings_of
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite
from ...presentation.report_pages import page_of_suites
from ...protocol.clients.session import (
    ClientProblem,
    ClientReading,
    SessionSeen,
    reasons_in,
    session_of,
)
from ...protocol.conformance.results import MODERN
from ...protocol.wire.capture import line_of
from ...protocol.wire.frames import Frame
from ...sandbox.worker import judge_arguments_in_worker, shut_down
from ...schemas.samples import sample_arguments
from ...storage.state_dir import shown
from ...transport.negotiation import LEGACY
from .real_clients import Differing, check_clients

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine
    from ...protocol.tool import ToolDefinition


@options
class CompatOptions(NamedTuple):
    """Options of `compat`."""

    capture_file: str = opt(
        "--capture-file FILE",
        "check the results in a capture, too (without a target: its whole session)",
    )
    """A capture with results of calls; empty for none."""
    check: bool = opt(
        "--run-clients",
        "run the installed client libraries against a replay, and report differences",
        earlier="--check",
    )
    """Whether the installed clients are run, too."""
    client_env: tuple[str, ...] = opt(
        "--client-env DIR",
        "a folder with node_modules, or a virtual environment, for --run-clients",
    )
    """Folders with node_modules, or virtual environments."""
    strict: bool = opt(
        "--strict", "exit with 1 also if clients reject something that the specification allows"
    )
    """Whether it fails, too, for what the specification allows."""
    tools: str = opt(
        "--tools GLOB",
        "with --approve: call only tools that match, separated by commas: 'get_*,list_*'",
    )
    """Patterns of names of the tools to call, with commas between; empty for all."""
    inputs: str = opt(
        "--inputs FILE",
        "with --approve: JSON file of arguments by tool (default: made from the schemas)",
    )
    """The file of their arguments; empty where they are made of the schemas."""
    reports: FindingReports = within(FindingReports)
    approve: str = APPROVE_TO_CALL
    """Who approves calls; empty if nothing is to be called."""
    person: str = PERSON_ASKED
    answer: str = ANSWER
    protocol: str = ""
    """The chosen protocol; empty for the revisions that the clients were measured on."""

    @property
    def calls(self) -> bool:
        """True if tools are called."""
        return bool(self.approve or self.person)


def add(compat: Parser) -> None:
    add_options(compat, CompatOptions)
    add_time_limit(compat)
    add_bundled(compat)
    add_shared(compat, JUDGES | {Use.CALLS, Use.TOOLS, Use.RECORD})
    compat.set_defaults(read_command=_CompatCommand.read)


class _CompatCommand(NamedTuple):
    """`compat` on a server, or on the capture alone if no server is given."""

    on_server: OnServer

    @classmethod
    def read(cls, given: argparse.Namespace) -> _CompatCommand:
        command = read_on_server(given, CompatOptions, run_compat)
        own = command.own._replace(protocol=command.session.protocol or "")
        return cls(command._replace(own=own))

    def run(self, argv: tuple[str, ...]) -> int:
        session, own = self.on_server.session, self.on_server.own
        has_server = bool(argv or session.url or session.is_bundled)
        if own.capture_file and not has_server:
            return run_compat_file(own)
        return self.on_server.run(argv)


def run_compat(options: Options, wanted: CompatOptions) -> int:
    """Judge a server that is connected to; returns the exit status."""
    captured = given_frames(wanted.capture_file) if wanted.capture_file else []
    inputs = read_inputs(wanted.inputs)
    if wanted.capture_file and wanted.calls:
        raise UsageError("--capture-file and --approve both give results: leave out one")
    if wanted.approve == "always" and not wanted.tools:
        raise UsageError("--approve always also needs --tools GLOB")
    if not wanted.calls and (wanted.tools or wanted.inputs):
        option = "--tools" if wanted.tools else "--inputs"
        raise UsageError(f"{option} needs --approve or --person")
    for folder in wanted.client_env:
        if not Path(folder).is_dir():
            raise UsageError(f"--client-env {shown(folder)}: this folder does not exist")
    kept = KeptFrames(options.config.target.wire.sink)
    options.config.target.wire.sink = kept

    async def work() -> int:
        async with contextlib.AsyncExitStack() as closing:
            engine = await closing.enter_async_context(opened(options))
            if not wanted.protocol and engine.server.version >= MODERN:
                # The clients of the table were measured on revisions that begin with `initialize`.
                await closing.aclose()
                kept.clear()
                engine = await closing.enter_async_context(opened(_as_legacy(options)))
            name = visible(engine.server.name)
            is_whole = not wanted.calls or await _call_tools(options, engine, wanted, inputs)
            at_best = ExitStatus.OK if is_whole else ExitStatus.LOST
            at_best = status_with_list(engine, options, at_best)
            seen = session_of(kept.frames)
            frames = kept.frames
            if captured:
                seen.calls, frames = session_of(captured).calls, captured
            readings = await readings_of(seen, tell)
        return _tell(name, seen, readings, wanted, frames, at_best)

    return run(work())


def _as_legacy(options: Options) -> Options:
    target = replace(options.config.target, protocol=LEGACY)
    return replace(options, config=replace(options.config, target=target))


def run_compat_file(wanted: CompatOptions) -> int:
    """Judge the session in a capture; no server is started."""
    if wanted.calls or wanted.tools or wanted.inputs:
        raise UsageError("--approve needs a server; a capture file has no tools to call")
    frames = given_frames(wanted.capture_file)
    seen = session_of(frames)
    if seen.greeting is None and not seen.pages and not seen.calls:
        raise UsageError(
            f"{shown(Path(wanted.capture_file))}: the capture has no response to check"
        )
    try:
        readings = asyncio.run(readings_of(seen, tell))
    finally:
        shut_down()
    return _tell(visible(Path(wanted.capture_file).name), seen, readings, wanted, frames)


async def _call_tools(
    options: Options,
    engine: Engine,
    wanted: CompatOptions,
    inputs: dict[str, list[dict[str, JsonValue]]],
) -> bool:
    """Call each wanted tool once for each set of arguments, if that is approved; False if it ended
    before the last one.
    """
    check_names(engine.tools, inputs, engine.definitions.findings)
    tools = wanted_tools(engine.tools, wanted.tools, engine.definitions.findings)
    done = 0
    try:
        with answering(options, engine, wanted):
            for tool in tools:
                if not engine.server.is_open:
                    tell(f"signoff: {count(len(tools) - done, 'tool')} not called: no connection")
                    return False
                for arguments in inputs.get(tool.name) or [sample_arguments(tool.input_schema)]:
                    with telling_if_slow(tool, done + 1, len(tools)):
                        why_not = await _why_no_result(engine, tool, arguments)
                    if why_not:
                        tell(f"signoff: {tool.display_name} gave no result: {why_not}")
                done += 1
    except asyncio.CancelledError:
        # What was seen so far was waited for, too.
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        tell(f"signoff: interrupted: {len(tools) - done} of {len(tools)} tools were not called")
    return done == len(tools)


async def _why_no_result(
    engine: Engine, tool: ToolDefinition, arguments: dict[str, JsonValue]
) -> str:
    """Make one call; why it gave no result, in words that are safe to show."""
    if not tool.callable:
        return "its definition is unusable"
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if problem := sample_problem(checked):
        return problem
    call = await engine.ended(engine.call(tool, arguments))
    return "" if call.outcome in (Outcome.OK, Outcome.TOOL_ERROR) else visible(call.status)


def _tell(
    name: str,
    seen: SessionSeen,
    readings: Sequence[ClientReading],
    wanted: CompatOptions,
    frames: Iterable[Frame],
    at_best: ExitStatus = ExitStatus.OK,
) -> int:
    differing = _checked(readings, seen, wanted, frames) if wanted.check else None
    status = _status(readings, differing or (), is_strict=wanted.strict)
    if seen.unread:
        status = ExitStatus.BROKEN
    if status in (ExitStatus.OK, ExitStatus.DOUBTFUL):
        status = at_best if at_best is not ExitStatus.OK else status
    reports, suites = wanted.reports, [suite_of(name, readings, seen, is_strict=wanted.strict)]
    write_reports("compat", suites, reports, tools=len(seen.tools), status=int(status))
    if reports.json:
        found: dict[str, Any] = report_json(name, readings, seen, differing)
        print_json({**found, "exit_status": int(status)})
    elif reports.markdown:
        print_markdown(page_of_suites("compat", suites))
    else:
        for line in report_lines(name, readings, seen, differing):
            say(line)
    return status


def _status(
    readings: Sequence[ClientReading], differing: Sequence[Differing], *, is_strict: bool
) -> ExitStatus:
    """4 for a loss by a fault of the server, or a wrong row; with `is_strict` 1 for any; else 0."""
    problems = [problem for one in readings for problem in one.problems]
    is_wrong = any(one.is_wrong for one in differing)
    if is_wrong or any(not problem.rule.is_allowed for problem in problems):
        return ExitStatus.BROKEN
    return ExitStatus.DOUBTFUL if is_strict and problems else ExitStatus.OK


def _checked(
    readings: Sequence[ClientReading],
    seen: SessionSeen,
    wanted: CompatOptions,
    frames: Iterable[Frame],
) -> list[Differing]:
    with tempfile.TemporaryDirectory(prefix="signoff-compat-") as folder:
        capture = Path(folder, "session.jsonl")
        capture.write_bytes(b"".join(line_of(one) + b"\n" for one in frames))
        return check_clients(readings, seen, capture, wanted.client_env)


_SHOWN = 20


def report_lines(
    name: str,
    readings: Sequence[ClientReading],
    seen: SessionSeen,
    check: Sequence[Differing] | None,
) -> Iterator[str]:
    """Each client with its verdict, then each problem and the affected clients."""
    yield f"{name}: {count(len(seen.tools), 'tool')}, {_answers(seen)}"
    width = max(len(one.client.words) for one in readings)
    for one in readings:
        yield f"{one.client.words:<{width}}  {one.verdict(seen)}"
    for method in seen.unread:
        yield f"not judged: no response to {method} could be read; signoff doctor has the reason"
    reasons = reasons_in(readings)
    for costs, problem in reasons[:_SHOWN]:
        yield from ("", costs, *(f"  {line}" for line in problem.lines))
    if len(reasons) > _SHOWN:
        yield f"\nand {count(len(reasons) - _SHOWN, 'more problem')} (--json has all)"
    if check:
        yield ""
    for done in check or ():
        if not done.is_tried:
            yield f"check  {done.client}: {visible('; '.join(done.words))}"
        elif done.words:
            for words in done.words:
                yield f"check  {done.client} (installed {visible(done.version)}): {words}"
        else:
            yield f"check  {done.client} (installed {visible(done.version)}): as in the table"


def _answers(seen: SessionSeen) -> str:
    if not seen.calls:
        return "no results checked (add --capture-file FILE)"
    return f"{count(len(seen.calls), 'result')} checked"


def report_json(
    name: str,
    readings: Sequence[ClientReading],
    seen: SessionSeen,
    check: Sequence[Differing] | None,
) -> dict[str, Any]:
    """The shape of `signoff compat --json`; null means that something was not seen."""
    return {
        "server": name,
        "tools": len(seen.tools) if seen.pages else None,
        "results_seen": len(seen.calls),
        "clients": [_client(one, seen) for one in readings],
        "check": None if check is None else [_check(one) for one in check],
    }


def _client(reading: ClientReading, seen: SessionSeen) -> dict[str, Any]:
    client = reading.client
    listed = len(seen.tools) if reading.lists else 0
    return {
        "id": client.id,
        "name": client.name,
        "version": client.version,
        "package": client.package,
        "measured": client.measured,
        "connects": None if seen.greeting is None else reading.connects,
        "lists": listed if seen.pages else None,
        "results": [{"tool": one.tool, "taken": reading.takes_result(one)} for one in seen.calls],
        "problems": [
            {
                "rule": one.rule.code,
                "value": reading.value(one),
                "about": one.about,
                "path": one.path,
                "words": one.rule.words,
                "fix": one.rule.fix,
                "allowed": one.rule.is_allowed,
            }
            for one in reading.problems
        ],
    }


def _check(one: Differing) -> dict[str, Any]:
    return {
        "client": one.client,
        "installed": one.version or None,
        "tried": one.is_tried,
        "differs": one.is_wrong,
        "words": [visible(words) for words in one.words],
    }


def suite_of(
    name: str, readings: Sequence[ClientReading], seen: SessionSeen, *, is_strict: bool = False
) -> TestSuite:
    """One test case for each client; it fails if a problem costs something there.

    Problems that the specification allows fail it only with `is_strict`.
    """
    cases = [_junit_case(one, seen, is_strict=is_strict) for one in readings]
    return TestSuite(name, tuple(cases))


def _junit_case(one: ClientReading, seen: SessionSeen, *, is_strict: bool) -> TestCase:
    failing = _failing(one, is_strict=is_strict)
    message = one.verdict(seen)
    if not failing:
        return TestCase("signoff.compat", one.client.words, message=message)
    words = "\n".join(f"{one.value(problem)}: {problem.words}" for problem in failing)
    kind = failing[0].rule.code
    return TestCase("signoff.compat", one.client.words, Ending.FAILED, kind, message, words)


def _failing(reading: ClientReading, *, is_strict: bool) -> list[ClientProblem]:
    return [one for one in reading.problems if is_strict or not one.rule.is_allowed]
