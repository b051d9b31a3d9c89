"""Calls in series: the pages of a result, and the same call twice.

Each is a call of its own: judged, and approved by the approver, as if it stood alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...calls.call import Call
from ...calls.paging import PageLook, PageWalk, cursor_shown, text_parameters
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...engine.engine import Engine
from ...headless.exit_status import ExitStatus
from ...headless.live import (
    Options,
    print_json,
)
from ...headless.readable import print_call, print_heading, print_notes
from ...headless.reports import call_report, exit_status
from ...headless.targets import UsageError
from ...protocol.answers.copies import RepeatStatus
from ...protocol.findings.findings import Finding
from ...protocol.tool import ToolDefinition

if TYPE_CHECKING:
    pass


@frozen
class CallSeries:
    """Arguments of the first call, and its output options."""

    options: Options
    engine: Engine
    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    although_invalid: bool = False

    def begin(self) -> int:
        return self.engine.call(self.tool, self.arguments, although_invalid=self.although_invalid)


async def call_pages(series: CallSeries, most: int, parameter: str) -> int:
    """Request up to `most` pages and print them; returns the exit status.

    `parameter` takes the cursor; empty if its name shows it. Raises UsageError for an unknown one.
    """
    options, engine, tool = series.options, series.engine, series.tool
    if parameter and parameter not in text_parameters(tool):
        names = ", ".join(text_parameters(tool)) or "none"
        raise UsageError(
            f"{tool.display_name} has no parameter {parameter!r} that takes text: {names}"
        )
    walk = PageWalk.of(tool, parameter)
    calls: list[Call] = []
    cursor: str | None = None
    while len(calls) < most:
        if cursor is None:
            call_id = series.begin()
        else:
            following = {**calls[-1].snapshot.arguments(), walk.parameter: cursor}
            call_id = engine.next_page(calls[-1].id, following, walk.parameter)
        call = await _ended(engine, call_id)
        calls.append(call)
        if call.answer is not None and exit_status(call) == ExitStatus.OK:
            cursor = walk.take(call.snapshot.arguments(), call.answer)
        else:
            cursor = None
        if not options.as_json:
            _print(options, engine, call, f"page {len(calls)}", _asked_with(walk, call))
        if cursor is None:
            break
    if cursor is not None:
        walk.stopped()
    if options.as_json:
        print_json(_pages_report(options, engine, walk, calls))
    else:
        hiding = options.hiding(engine, tool, series.arguments)
        told = [replace(one, message=hiding.text(one.message)) for one in walk.findings]
        print_notes("pages", [walk.words], told)
    own = next(filter(None, map(exit_status, calls)), ExitStatus.OK)
    return own or (ExitStatus.BROKEN if walk.is_broken else ExitStatus.OK)


async def call_twice(series: CallSeries) -> int:
    """Make a call twice and print the evidence on repeating it; returns the exit status.

    The second call is left out if the first was not sent.
    """
    options, engine = series.options, series.engine
    hiding = options.hiding(engine, series.tool, series.arguments)
    calls = [await _ended(engine, series.begin())]
    if not options.as_json:
        _print(options, engine, calls[0], "first")
    if calls[0].sent and engine.server.is_open:
        calls.append(await _ended(engine, engine.call_again(calls[0].id)))
        if not options.as_json:
            _print(options, engine, calls[1], "second")
    comparison = calls[-1].comparison
    repeat = comparison.repeat if comparison is not None else None
    if options.as_json:
        report = _report(options, engine, calls[0])
        report["repeat"] = None
        if len(calls) == 2:
            report["repeat"] = {
                **(hiding.value(repeat.as_json()) if repeat is not None else {}),
                "second": _part(_report(options, engine, calls[1])),
            }
        print_json(report)
    elif repeat is not None:
        lines = [repeat.headline, *(one.words for one in repeat.differences), repeat.claim_words]
        print_notes("repeat", [hiding.text(line) for line in lines], [])
    else:
        print_notes("repeat", ["there was no second call with an answer to compare"], [])
    own = next(filter(None, map(exit_status, calls)), ExitStatus.OK)
    is_broken = repeat is not None and repeat.standing is RepeatStatus.CONTRADICTED
    return own or (ExitStatus.BROKEN if is_broken else ExitStatus.OK)


async def _ended(engine: Engine, call_id: int) -> Call:
    """Wait for the end of a call; Ctrl-C cancels it."""
    try:
        return await engine.ended(call_id)
    except asyncio.CancelledError:
        engine.cancel(call_id)
        return await engine.ended(call_id)


def _print(options: Options, engine: Engine, call: Call, *words: str) -> None:
    print_heading(*words)
    print_call(
        engine, call, options.hiding(engine, call.request.definition, call.snapshot.arguments())
    )


def _asked_with(walk: PageWalk, call: Call) -> str:
    cursor = call.snapshot.arguments().get(walk.parameter) if walk.parameter else None
    return f"cursor {cursor_shown(cursor)}" if isinstance(cursor, str) else ""


def _report(options: Options, engine: Engine, call: Call) -> dict[str, Any]:
    return call_report(
        engine, call, options.hiding(engine, call.request.definition, call.snapshot.arguments())
    )


ABOUT_ALL = ("server", "tool", "hints", "effect")
"""Facts shared by each call of a series, printed once."""


def _part(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in ABOUT_ALL}


def _pages_report(
    options: Options, engine: Engine, walk: PageWalk, calls: list[Call]
) -> dict[str, Any]:
    """The report of the first page, as of any call, with `pages` and `paging` beside it."""
    reports = [_report(options, engine, call) for call in calls]
    looks: list[PageLook | None] = [*walk.pages, *[None] * (len(calls) - len(walk.pages))]
    hidings = [
        options.hiding(engine, call.request.definition, call.snapshot.arguments()) for call in calls
    ]
    pages = []
    for number, (report, look, hiding) in enumerate(zip(reports, looks, hidings, strict=True), 1):
        seen = {
            "page": number,
            "cursor": None if look is None else hiding.value(look.cursor),
            "next_cursor": None if look is None else hiding.value(look.next_cursor),
            "items": None if look is None else look.items,
            "repeated": None if look is None else look.repeated,
            "end": None if look is None else look.end.value,
        }
        pages.append({**seen, **_part(report)})
    whole = dict(reports[0])
    found: list[Finding] = walk.findings
    whole["findings"] = [*whole["findings"], *(hidings[0].value(one.as_json()) for one in found)]
    whole["pages"] = pages
    whole["paging"] = {
        "parameter": walk.parameter or None,
        "pages": len(calls),
        "items": walk.count,
        "ended": walk.ended,
        "words": walk.words,
        "findings": [hidings[0].value(one.as_json()) for one in found],
    }
    return whole
