"""Calls one after the other: the pages of an answer, and the same call twice.

Each is a call of its own: judged, and approved by whoever answers, as if it stood alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from ...calls.call import Call
from ...calls.paging import PageLook, PageWalk, cursor_shown, text_parameters
from ...content.json.jsonio import JsonValue
from ...engine.engine import Bench
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, print_json
from ...headless.readable import print_call, print_heading, print_notes
from ...headless.reports import call_report, exit_status
from ...headless.targets import UsageError
from ...protocol.answers.copies import Standing
from ...protocol.findings import Finding
from ...protocol.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class Series:
    """What the first call is made with, and how it is told."""

    options: Options
    bench: Bench
    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    although_invalid: bool = False

    def begin(self) -> int:
        return self.bench.call(self.tool, self.arguments, although_invalid=self.although_invalid)


async def told_pages(series: Series, most: int, parameter: str) -> int:
    """Ask for up to `most` pages and print them; returns the exit status.

    `parameter` takes the cursor; empty where its name says so. Raises UsageError for one that the
    tool has not.
    """
    options, bench, tool = series.options, series.bench, series.tool
    if parameter and parameter not in text_parameters(tool):
        names = ", ".join(text_parameters(tool)) or "none"
        raise UsageError(
            f"{tool.name_shown} has no parameter {parameter!r} that takes text: {names}"
        )
    walk = PageWalk.of(tool, parameter)
    calls: list[Call] = []
    cursor: str | None = None
    while len(calls) < most:
        if cursor is None:
            call_id = series.begin()
        else:
            following = {**calls[-1].snapshot.arguments(), walk.parameter: cursor}
            call_id = bench.next_page(calls[-1].id, following, walk.parameter)
        call = await _ended(bench, call_id)
        calls.append(call)
        if call.answer is not None and exit_status(call) == ExitStatus.OK:
            cursor = walk.take(call.snapshot.arguments(), call.answer)
        else:
            cursor = None
        if not options.as_json:
            _print(options, bench, call, f"page {len(calls)}", _asked_with(walk, call))
        if cursor is None:
            break
    if cursor is not None:
        walk.stopped()
    if options.as_json:
        print_json(_pages_report(options, bench, walk, calls))
    else:
        hiding = options.hiding(bench, tool, series.arguments)
        told = [replace(one, message=hiding.text(one.message)) for one in walk.findings]
        print_notes("pages", [walk.words], told)
    own = next(filter(None, map(exit_status, calls)), ExitStatus.OK)
    return own or (ExitStatus.BROKEN if walk.is_broken else ExitStatus.OK)


async def told_twice(series: Series) -> int:
    """Make a call twice and print what that says of repeating it; returns the exit status.

    There is no second call where the first was not sent.
    """
    options, bench = series.options, series.bench
    hiding = options.hiding(bench, series.tool, series.arguments)
    calls = [await _ended(bench, series.begin())]
    if not options.as_json:
        _print(options, bench, calls[0], "first")
    if calls[0].sent and bench.server.is_open:
        calls.append(await _ended(bench, bench.call_again(calls[0].id)))
        if not options.as_json:
            _print(options, bench, calls[1], "second")
    comparison = calls[-1].comparison
    repeat = comparison.repeat if comparison is not None else None
    if options.as_json:
        report = _report(options, bench, calls[0])
        report["repeat"] = None
        if len(calls) == 2:
            report["repeat"] = {
                **(hiding.value(repeat.as_json()) if repeat is not None else {}),
                "second": _part(_report(options, bench, calls[1])),
            }
        print_json(report)
    elif repeat is not None:
        lines = [repeat.headline, *(one.words for one in repeat.differences), repeat.claim_words]
        print_notes("repeat", [hiding.text(line) for line in lines], [])
    else:
        print_notes("repeat", ["there was no second call with an answer to compare"], [])
    own = next(filter(None, map(exit_status, calls)), ExitStatus.OK)
    is_broken = repeat is not None and repeat.standing is Standing.CONTRADICTED
    return own or (ExitStatus.BROKEN if is_broken else ExitStatus.OK)


async def _ended(bench: Bench, call_id: int) -> Call:
    """Wait for the end of a call; Ctrl-C cancels it."""
    try:
        return await bench.ended(call_id)
    except asyncio.CancelledError:
        bench.cancel(call_id)
        return await bench.ended(call_id)


def _print(options: Options, bench: Bench, call: Call, *words: str) -> None:
    print_heading(*words)
    print_call(
        bench, call, options.hiding(bench, call.request.definition, call.snapshot.arguments())
    )


def _asked_with(walk: PageWalk, call: Call) -> str:
    cursor = call.snapshot.arguments().get(walk.parameter) if walk.parameter else None
    return f"cursor {cursor_shown(cursor)}" if isinstance(cursor, str) else ""


def _report(options: Options, bench: Bench, call: Call) -> dict[str, Any]:
    return call_report(
        bench, call, options.hiding(bench, call.request.definition, call.snapshot.arguments())
    )


ABOUT_ALL = ("server", "tool", "hints", "effect")
"""What is the same for each call of a series, and is said once."""


def _part(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in ABOUT_ALL}


def _pages_report(
    options: Options, bench: Bench, walk: PageWalk, calls: list[Call]
) -> dict[str, Any]:
    """The report of the first page, as of any call, with `pages` and `paging` beside it."""
    reports = [_report(options, bench, call) for call in calls]
    looks: list[PageLook | None] = [*walk.pages, *[None] * (len(calls) - len(walk.pages))]
    hidings = [
        options.hiding(bench, call.request.definition, call.snapshot.arguments()) for call in calls
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
