"""`signoff compat`: what client libraries make of a server, by the measured table.

It lists and calls nothing, unless `--approve` says who approves calls.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...calls.call import Outcome
from ...content.text import count, visible
from ...engine.findings import KeptFrames, readings_of
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.printing import say, tell
from ...headless.targets import UsageError
from ...headless.tool_inputs import check_names, is_wanted, read_inputs, telling_if_slow
from ...protocol.clients.session import Reading, SessionSeen, session_of
from ...protocol.wire.capture import Capture, NotACapture, line_of
from ...protocol.wire.frames import Frame
from ...sandbox.worker import judge_arguments_in_worker, shut_down
from ...schemas.samples import sample_arguments
from ...schemas.schema import Answer as SchemaAnswer
from ...storage.state_dir import shown, why
from ..options.live import Compat
from .compat_check import Differing, checked
from .compat_report import report_json, report_junit, report_lines
from .headless import answering

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Bench
    from ...protocol.tool import ToolDefinition


def run_compat(options: Options, wanted: Compat) -> int:
    """Judge a server that is connected to; returns the exit status."""
    captured = _captured(wanted.capture_file) if wanted.capture_file else []
    inputs = read_inputs(wanted.inputs)
    if wanted.capture_file and wanted.calls:
        raise UsageError("--capture-file and --approve both give results: leave out one")
    if wanted.approve == "always" and not wanted.tools:
        raise UsageError("--approve always calls without a question: name the tools, --tools GLOB")
    if not wanted.calls and (wanted.tools or wanted.inputs):
        raise UsageError("nothing is called without --approve {ask,policy,always}")
    kept = KeptFrames(options.target.wire.sink)
    options.target.wire.sink = kept

    async def work() -> int:
        async with opened(options) as bench:
            name = visible(bench.server.name)
            if wanted.calls:
                await _call_tools(options, bench, wanted, inputs)
            seen = session_of(kept.frames)
            frames = kept.frames
            if captured:
                seen.calls, frames = session_of(captured).calls, captured
            readings = await readings_of(seen, tell)
        return _tell(name, seen, readings, wanted, frames)

    return run(work())


def run_compat_file(wanted: Compat) -> int:
    """Judge the session in a capture; no server is started."""
    if wanted.calls or wanted.tools or wanted.inputs:
        raise UsageError("a capture alone has nothing to call: give a server, or drop --approve")
    frames = _captured(wanted.capture_file)
    seen = session_of(frames)
    if seen.greeting is None and not seen.pages and not seen.calls:
        raise UsageError(f"{shown(Path(wanted.capture_file))}: it has no response to judge")
    try:
        readings = asyncio.run(readings_of(seen, tell))
    finally:
        shut_down()
    return _tell(visible(Path(wanted.capture_file).name), seen, readings, wanted, frames)


def _captured(path: str) -> list[Frame]:
    """The frames of a capture. Raises UsageError."""
    place = Path(path).expanduser()
    try:
        return Capture(place.read_bytes()).frames()
    except OSError as problem:
        raise UsageError(f"{shown(place)}: {why(problem)}") from None
    except NotACapture as problem:
        raise UsageError(f"{shown(place)} is not a capture: {problem}") from None


async def _call_tools(
    options: Options,
    bench: Bench,
    wanted: Compat,
    inputs: dict[str, list[dict[str, JsonValue]]],
) -> None:
    """Call each wanted tool once for each set of arguments, if that is approved."""
    check_names(bench.tools, inputs)
    tools = [one for one in bench.tools if is_wanted(one, wanted.tools)]
    if not tools:
        raise UsageError(f"no tool matches {visible(wanted.tools)} (signoff tools lists them)")
    done = 0
    try:
        with answering(options, bench, wanted):
            for tool in tools:
                if not bench.server.is_open:
                    tell(f"signoff: {count(len(tools) - done, 'tool')} not called: no connection")
                    return
                for arguments in inputs.get(tool.name) or [sample_arguments(tool.input_schema)]:
                    with telling_if_slow(tool, done + 1, len(tools)):
                        why_not = await _why_no_result(bench, tool, arguments)
                    if why_not:
                        tell(f"signoff: {tool.name_shown} gave no result: {why_not}")
                done += 1
    except asyncio.CancelledError:
        # What was seen so far was waited for, too.
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        tell(f"signoff: interrupted: {len(tools) - done} of {len(tools)} tools were not called")


async def _why_no_result(
    bench: Bench, tool: ToolDefinition, arguments: dict[str, JsonValue]
) -> str:
    """Make one call; why it gave no result, in words that are safe to show."""
    if not tool.callable:
        return "its definition is unusable"
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if checked.answer is SchemaAnswer.INVALID:
        why = checked.errors[0].message if checked.errors else "they are invalid"
        return f"no arguments for it: {why}; give some with --inputs"
    call = await bench.ended(bench.call(tool, arguments))
    return "" if call.outcome in (Outcome.OK, Outcome.TOOL_ERROR) else visible(call.status)


def _tell(
    name: str,
    seen: SessionSeen,
    readings: Sequence[Reading],
    wanted: Compat,
    frames: Iterable[Frame],
) -> int:
    differing = _checked(readings, seen, wanted, frames) if wanted.check else None
    status = _status(readings, differing or (), is_strict=wanted.strict)
    if wanted.junit:
        place = Path(wanted.junit)
        try:
            place.write_text(
                report_junit(name, readings, seen, is_strict=wanted.strict), encoding="utf-8"
            )
        except OSError as problem:
            raise UsageError(f"--junit {shown(place)}: {why(problem)}") from None
    if wanted.json:
        found: dict[str, Any] = report_json(name, readings, seen, differing)
        print_json({**found, "exit_status": int(status)})
    else:
        for line in report_lines(name, readings, seen, differing):
            say(line)
    return status


def _status(
    readings: Sequence[Reading], differing: Sequence[Differing], *, is_strict: bool
) -> ExitStatus:
    """4 for a loss by a fault of the server, or a wrong row; with `is_strict` 1 for any; else 0."""
    problems = [problem for one in readings for problem in one.problems]
    is_wrong = any(one.is_wrong for one in differing)
    if is_wrong or any(not problem.rule.is_allowed for problem in problems):
        return ExitStatus.BROKEN
    return ExitStatus.DOUBTFUL if is_strict and problems else ExitStatus.OK


def _checked(
    readings: Sequence[Reading], seen: SessionSeen, wanted: Compat, frames: Iterable[Frame]
) -> list[Differing]:
    with tempfile.TemporaryDirectory(prefix="signoff-compat-") as folder:
        capture = Path(folder, "session.jsonl")
        capture.write_bytes(b"".join(line_of(one) + b"\n" for one in frames))
        return checked(readings, seen, capture, wanted.client_env)
