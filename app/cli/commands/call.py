"""`signoff tools`, `call`, `read`, `prompt`: the engine without a screen.

Also calls in series: the pages of a result, and the same call twice. Each is a call of its own:
judged, and approved by the approver, as if it stood alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...calls.call import Call
from ...calls.paging import PageLook, PageWalk, cursor_shown, text_parameters
from ...content.json.jsonio import JsonValue
from ...engine.calls.context import Approver
from ...engine.engine import Engine
from ...headless.approvers import (
    AnswersFromFile,
    LineApprover,
    PolicyAlone,
    ScriptApproves,
    read_answers,
)
from ...headless.arguments import InvalidArguments, assign, mismatches, preset, read_document
from ...headless.exit_status import ExitStatus
from ...headless.keyboard import Keyboard
from ...headless.live import (
    Options,
    find_tool,
    opened,
    print_json,
    run,
    tell_trust,
    telling_of_stops,
)
from ...headless.readable import print_call, print_heading, print_notes, print_tools
from ...headless.reports import call_report, exit_status, invalid_report, tell_log, tools_report
from ...headless.targets import UsageError
from ...protocol.answers.copies import RepeatStatus
from ...protocol.findings.findings import Finding
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.schema import Answer as SchemaAnswer

if TYPE_CHECKING:
    from ...engine.events import EngineEvent
    from ...testing.run.person import ScriptedPerson
    from ..options.calling import Call as CallOptions
    from ..options.calling import Prompt, Read
    from ..options.live import Compat, Evidence


def run_tools(options: Options) -> int:
    """List the tools; returns the exit status."""
    return run(_tools(options))


def run_call(options: Options, call: CallOptions) -> int:
    """Make one call; returns the exit status."""
    document = call.arguments.args
    if call.preset and document:
        raise UsageError("--preset and --args both give all arguments: leave out one")
    if call.page_parameter and not call.pages:
        raise UsageError("--page-parameter says what takes the cursor of --pages N")
    return run(_call(options, call, read_document(document) if document else {}))


def run_read(options: Options, read: Read) -> int:
    """Read one resource; returns the exit status."""
    return run(_read(options, read))


def run_prompt(options: Options, prompt: Prompt) -> int:
    """Ask for one prompt; returns the exit status."""
    from .resources import read_given

    return run(_prompt(options, prompt, read_given(prompt.given)))


async def _tools(options: Options) -> int:
    async with opened(options) as engine:
        # The verdicts go by what was listed and approved before.
        await engine.compared()
        tell_trust(options, engine.trust_effect())
        if options.as_json:
            print_json(tools_report(engine, options.hiding(engine)))
        else:
            print_tools(engine, options.hiding(engine))
    return ExitStatus.OK


async def _call(options: Options, wanted: CallOptions, document: dict[str, Any]) -> int:
    assignments, is_meant = wanted.arguments.assign, wanted.arguments.although_invalid
    async with opened(options) as engine:
        tool = find_tool(engine, wanted.arguments.tool)
        if wanted.preset:
            document = preset(engine, tool, wanted.preset, assignments)
        try:
            arguments = assign(tool, document, assignments, although_invalid=is_meant)
            if not is_meant:
                await _check(tool, arguments)
        except InvalidArguments as problem:
            if options.as_json:
                hiding = options.hiding(engine, tool, problem.arguments)
                print_json(invalid_report(engine, tool, problem, hiding))
            raise
        if not (wanted.pages or wanted.twice):
            return await _told(
                options,
                engine,
                wanted,
                lambda: engine.call(tool, arguments, although_invalid=is_meant),
            )
        series = Series(options, engine, tool, arguments, although_invalid=is_meant)
        with answering(options, engine, wanted):
            if wanted.twice:
                return await told_twice(series)
            return await told_pages(series, wanted.pages, wanted.page_parameter)


async def _check(tool: ToolDefinition, arguments: dict[str, JsonValue]) -> None:
    """Raises InvalidArguments; arguments that could not be checked are accepted, and asked
    about.
    """
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if checked.answer is SchemaAnswer.INVALID:
        raise InvalidArguments(tool, mismatches(tool, checked), arguments, checked.more)


async def _read(options: Options, wanted: Read) -> int:
    async with opened(options) as engine:
        effect = engine.trust_effect()
        if effect.reads:
            tell_trust(options, replace(effect, runs=(), sometimes=()))
        return await _told(options, engine, wanted, lambda: engine.read(wanted.uri))


async def _prompt(options: Options, wanted: Prompt, given: dict[str, str]) -> int:
    from .resources import check_given, find_prompt

    async with opened(options) as engine:
        await engine.offers.listed()
        if not wanted.although_invalid:
            check_given(find_prompt(engine, wanted.prompt), given)
        return await _told(options, engine, wanted, lambda: engine.get_prompt(wanted.prompt, given))


async def _told(
    options: Options, engine: Engine, wanted: CallOptions | Read | Prompt, begin: Callable[[], int]
) -> int:
    """Begin a call, wait for its end and print it; returns the exit status."""
    await engine.log_level_told()
    with answering(options, engine, wanted):
        call_id, is_interrupted = begin(), False
        try:
            call = await engine.ended(call_id)
        except asyncio.CancelledError:
            is_interrupted = True
            engine.cancel(call_id)
            call = await engine.ended(call_id)
    if call.evidence is not None and call.tool is not None and not is_interrupted:
        from ..evidence.ending import with_ending

        call = await with_ending(options, engine, call)
    hiding = options.hiding(engine, call.request.definition, call.snapshot.arguments())
    if options.as_json:
        print_json(call_report(engine, call, hiding))
    else:
        print_call(engine, call, hiding)
        tell_log(engine, hiding)
    return exit_status(call)


@contextlib.contextmanager
def answering(
    options: Options, engine: Engine, wanted: CallOptions | Read | Prompt | Evidence | Compat
) -> Iterator[None]:
    """Let the approver that `--approve` names answer requests, and pass on stops of the program.

    Raises UsageError for a file of answers that cannot be read.
    """
    keyboard = Keyboard()
    if wanted.person:
        engine.approver = simulated = _simulated(options, wanted, wanted.person)
        with _closing_questions(engine, simulated):
            yield
        return
    approver = _approver(wanted.approve, options.decision_seconds, keyboard)
    engine.approver = approver
    if wanted.answer:
        engine.approver = AnswersFromFile(read_answers(wanted.answer), approver)
    engine.sends = wanted.approve != "never"

    def resumed_after(seconds: float) -> None:
        engine.resumed_after(seconds)
        if isinstance(approver, LineApprover):
            approver.resumed_after(seconds)

    with telling_of_stops(keyboard, resumed_after), _closing_questions(engine, approver):
        yield


@contextlib.contextmanager
def _closing_questions(engine: Engine, approver: Approver) -> Iterator[None]:
    """Tell an approver when its request can no longer be answered."""
    from ...engine.events import QuestionVoided
    from ...testing.run.person import ScriptedPerson

    def listen(event: EngineEvent) -> None:
        if isinstance(approver, LineApprover | ScriptedPerson):
            match event:
                case QuestionVoided(call, reason):
                    approver.void(call, reason)

    unsubscribe = engine.subscribe(listen)
    try:
        yield
    finally:
        unsubscribe()


def _simulated(
    options: Options, wanted: CallOptions | Read | Prompt | Evidence | Compat, who: str
) -> ScriptedPerson:
    """Make the simulated person of `--person`; answers of `--answer` take precedence."""
    from ...testing.flow import Person, ServerReply
    from ...testing.run.person import ScriptedPerson, simulated_by

    somebody = simulated_by(who)
    written = read_answers(wanted.answer) if wanted.answer else {}
    replies = {
        kind: tuple(ServerReply(one.action, one.values) for one in several)
        for kind, several in written.items()
    }
    reason = f"--person {somebody.words}"
    return ScriptedPerson(
        Person(),
        replies,
        options.decision_seconds,
        people=somebody.people(),
        by="script",
        reason=reason,
    )


def _approver(how: str, decision_seconds: float, keyboard: Keyboard) -> Approver:
    if how == "always":
        return ScriptApproves()
    if how == "ask":
        if sys.stdin.isatty() and sys.stderr.isatty():
            return LineApprover(decision_seconds, keyboard=keyboard)
        return PolicyAlone("there is no terminal to ask on; see --approve")
    return PolicyAlone("the policy asks, and --approve policy runs only what it allows")


@dataclass(frozen=True, slots=True)
class Series:
    """Arguments of the first call, and its output options."""

    options: Options
    engine: Engine
    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    although_invalid: bool = False

    def begin(self) -> int:
        return self.engine.call(self.tool, self.arguments, although_invalid=self.although_invalid)


async def told_pages(series: Series, most: int, parameter: str) -> int:
    """Ask for up to `most` pages and print them; returns the exit status.

    `parameter` takes the cursor; empty if its name says so. Raises UsageError for one that the
    tool has not.
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


async def told_twice(series: Series) -> int:
    """Make a call twice and print the evidence on repeating it; returns the exit status.

    There is no second call if the first was not sent.
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
"""What is the same for each call of a series, and is said once."""


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
