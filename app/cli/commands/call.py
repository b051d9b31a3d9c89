"""`signoff call`: one call of a tool, the pages of its result, or the same call twice.

Each call of a series is judged and approved as if it stood alone.
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...calls.call import Call
from ...calls.paging import PageLook, PageWalk, cursor_shown, text_parameters
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...protocol.answers.copies import RepeatStatus
from ...protocol.findings.findings import Finding
from ...protocol.tool import ToolDefinition
from ..calling import answering, make_call
from ..command import OnOpen, on_server
from ..options.arguments import (
    InvalidArguments,
    assign,
    preset,
    read_document,
    valid_arguments,
)
from ..options.calling import (
    ANSWER,
    APPROVE,
    PERSON_ASKED,
    TOOL_MISSING,
    ArgumentOptions,
)
from ..options.declared import opt, options, within
from ..options.parser import DEMO, Parser, number_up_to
from ..options.server import AS_JSON
from ..options.session import EVERY_USE
from ..output.readable import hosts_named, print_call, print_heading, print_notes
from ..output.reports import call_report, exit_status, invalid_report
from ..targets.live import Options, find_tool, print_json
from ..targets.targets import UsageError

if TYPE_CHECKING:
    from ...hosts.model_view.table import ModelHost


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
    elif repeat is None:
        print_notes("repeat", ["there was no second call with a response to compare"], [])
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


MAX_PAGES: Final = 1_000
"""Pages that one command asks for: a server may have no end of them."""


@options
class CallOptions(NamedTuple):
    """Make one call, or a few of the same."""

    dashed_tool: str | None = opt("--tool NAME", "the name of the tool, if it begins with -")
    """Becomes that of the arguments."""
    arguments: ArgumentOptions = within(ArgumentOptions)
    preset: str = opt("--preset NAME", "use the arguments of a preset; -a overrides it")
    """Arguments that were kept under a name; empty where none are wanted."""
    json: bool = AS_JSON
    approve: str = APPROVE
    """Who answers questions: ask, policy, always or never."""
    person: str = PERSON_ASKED
    """The simulated person for every question: `slow:30`."""
    answer: str = ANSWER
    """The file of replies to the server's requests; empty for none."""
    pages: int = opt(
        "--pages N",
        "request up to N pages of the result, each with a call of its own, and check them",
        default=0,
        type=number_up_to(MAX_PAGES),
        rivals="several",
    )
    """How many pages of the answer to ask for; 0: there is one call."""
    twice: bool = opt(
        "--twice",
        "call twice, and check the idempotentHint (readOnlyHint, if that is true) against "
        "both responses",
        rivals="several",
    )
    """Make it twice, and compare the answers."""
    page_parameter: str = opt(
        "--page-parameter NAME", "parameter that takes the page cursor, if it cannot be guessed"
    )
    """The parameter for the cursor of a page; empty if its name shows it."""
    model_view: str = opt(
        "--model-view HOST,...",
        "show the text that the models of these hosts would get of the response, and the lost "
        "parts: all, or ids such as codex,cline; for several, a table and the losses",
    )
    """Ids of hosts whose models' view of the response is printed; empty for none."""


def add(call: Parser) -> None:
    on_server(call, CallOptions, run_call, uses=EVERY_USE)
    call.set_defaults(adjust_words=_adjust_tool)


def _adjust_tool(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """One name of a tool: as a word, or by `--tool` if that word would look like an option."""
    if given.dashed_tool is None:
        if not given.tool:
            parser.error(TOOL_MISSING)
        return rest
    if given.tool == DEMO and given.bundled is None:
        given.tool, given.bundled = "", DEMO
    if given.tool:
        parser.error("give the tool once: TOOL or --tool NAME")
    # Up to Python 3.12 argparse drops a value that is two dashes, even after a `=`.
    given.tool = "--" if given.dashed_tool == [] else given.dashed_tool
    return rest


class _Ready(NamedTuple):
    """A call whose options were checked and read."""

    wanted: CallOptions
    document: dict[str, Any]
    hosts: tuple[ModelHost, ...]


def _ready(call: CallOptions) -> _Ready:
    document = call.arguments.args
    if call.preset and document:
        raise UsageError("--preset and --args both give all arguments: leave out one")
    if call.page_parameter and not call.pages:
        raise UsageError("--page-parameter needs --pages N")
    if call.model_view and (call.pages or call.twice):
        raise UsageError("--model-view is for one call: leave out --pages and --twice")
    hosts = hosts_named(call.model_view)
    return _Ready(call, read_document(document) if document else {}, hosts)


async def _call(options: Options, engine: Engine, ready: _Ready) -> int:
    wanted, document, hosts = ready
    assignments, is_meant = wanted.arguments.assign, wanted.arguments.although_invalid
    tool = find_tool(engine, wanted.arguments.tool)
    if wanted.preset:
        document = preset(engine, tool, wanted.preset, assignments)
    try:
        if is_meant:
            arguments = assign(tool, document, assignments, although_invalid=True)
        else:
            arguments = await valid_arguments(tool, document, assignments)
    except InvalidArguments as problem:
        if options.as_json:
            hiding = options.hiding(engine, tool, problem.arguments)
            print_json(invalid_report(engine, tool, problem, hiding))
        raise
    if not (wanted.pages or wanted.twice):
        return await make_call(
            options,
            engine,
            wanted,
            lambda: engine.call(tool, arguments, although_invalid=is_meant),
            hosts,
        )
    series = CallSeries(options, engine, tool, arguments, although_invalid=is_meant)
    with answering(options, engine, wanted):
        if wanted.twice:
            return await call_twice(series)
        return await call_pages(series, wanted.pages, wanted.page_parameter)


run_call = OnOpen(_call, before=_ready)
"""Make one call; returns the exit status."""
