"""`signoff compat`: what client libraries make of a server, by the measured table.

It lists only and calls nothing. Results of calls are judged from a capture.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from signoff.app.core.clients.answer_defects import defects_by_schema
from signoff.app.core.clients.session import (
    Problem,
    Reading,
    SessionSeen,
    answer_problems,
    pattern_problems,
    problems_of,
    reading_of,
    session_of,
    tool_words,
)
from signoff.app.core.clients.table import clients
from signoff.app.core.exit_status import ExitStatus
from signoff.app.core.schema import Answer, SchemaVerdict
from signoff.app.core.text import count, visible
from signoff.app.core.wire.capture import Capture, NotACapture, line_of
from signoff.app.core.wire.frames import Frame
from signoff.app.flows.compat_check import Differing, checked
from signoff.app.flows.compat_report import report_json, report_junit, report_lines
from signoff.app.flows.live import Options, opened, print_json, run
from signoff.app.flows.printing import say
from signoff.app.link.worker import WorkerStopped, judge_in_worker, run_limited, shut_down
from signoff.app.options.live import Compat
from signoff.app.place import shown, why
from signoff.app.targets import UsageError

_AT_ONCE: Final = 50


def run_compat(options: Options, wanted: Compat) -> int:
    """Judge a server that is connected to; returns the exit status."""
    calls = _captured(wanted.capture_file) if wanted.capture_file else []

    async def work() -> int:
        async with opened(options) as bench:
            frames = list(bench.link.wire.since(0))
            seen = session_of(frames)
            seen.calls = session_of(calls).calls
            name = visible(bench.server.name)
            problems = await all_problems(seen)
        return _tell(name, seen, problems, wanted, calls if seen.calls else frames)

    return run(work())


def run_compat_file(wanted: Compat) -> int:
    """Judge the session in a capture; no server is started."""
    frames = _captured(wanted.capture_file)
    seen = session_of(frames)
    if seen.greeting is None and not seen.pages and not seen.calls:
        raise UsageError(f"{shown(Path(wanted.capture_file))}: it has no response to judge")
    try:
        problems = asyncio.run(all_problems(seen))
    finally:
        shut_down()
    return _tell(visible(Path(wanted.capture_file).name), seen, problems, wanted, frames)


def _captured(path: str) -> list[Frame]:
    """The frames of a capture. Raises UsageError."""
    place = Path(path).expanduser()
    try:
        return Capture(place.read_bytes()).frames()
    except OSError as problem:
        raise UsageError(f"{shown(place)}: {why(problem)}") from None
    except NotACapture as problem:
        raise UsageError(f"{shown(place)} is not a capture: {problem}") from None


async def all_problems(seen: SessionSeen) -> list[Problem]:
    """Every problem of a session; schemas, patterns and values are judged in the worker."""
    found = problems_of(seen)
    schemas = [
        (tool_words(tool, index), tool["outputSchema"])
        for index, tool in enumerate(seen.tools)
        if isinstance(tool, dict) and isinstance(tool.get("outputSchema"), dict)
    ]
    for start in range(0, len(schemas), _AT_ONCE):
        try:
            found += await run_limited(pattern_problems, schemas[start : start + _AT_ONCE])
        except WorkerStopped as stopped:
            say(f"patterns of {count(_AT_ONCE, 'tool')} were not checked: {stopped.reason}")
    for call in seen.calls:
        schema, result = seen.output_schema(call.tool), call.result
        if not isinstance(schema, dict) or not isinstance(result, dict):
            continue
        is_error = result.get("isError") is True
        verdict = SchemaVerdict(Answer.MISSING)
        if "structuredContent" in result:
            verdict = await judge_in_worker(schema, result["structuredContent"])
        elif is_error:
            continue
        found += answer_problems(call, defects_by_schema(verdict, is_error))
    return found


def _tell(
    name: str, seen: SessionSeen, problems: list[Problem], wanted: Compat, frames: Iterable[Frame]
) -> int:
    readings = [reading_of(one, problems) for one in clients().values()]
    differing = _checked(readings, seen, wanted, frames) if wanted.check else None
    status = ExitStatus.BROKEN if any(one.problems for one in readings) else ExitStatus.OK
    if differing is not None and any(one.is_wrong for one in differing):
        status = ExitStatus.BROKEN
    if wanted.junit:
        place = Path(wanted.junit)
        try:
            place.write_text(report_junit(name, readings, seen), encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"--junit {shown(place)}: {why(problem)}") from None
    if wanted.json:
        report: dict[str, Any] = report_json(name, readings, seen, differing)
        print_json({**report, "exit_status": int(status)})
    else:
        for line in report_lines(name, readings, seen, differing):
            say(line)
    return status


def _checked(
    readings: list[Reading], seen: SessionSeen, wanted: Compat, frames: Iterable[Frame]
) -> list[Differing]:
    with tempfile.TemporaryDirectory(prefix="signoff-compat-") as folder:
        capture = Path(folder, "session.jsonl")
        capture.write_bytes(b"".join(line_of(one) + b"\n" for one in frames))
        return checked(readings, seen, capture, wanted.client_env)
