"""`signoff tools` and `signoff call`: the bench without a screen."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...content.json.jsonio import JsonValue
from ...engine.calls.context import Approver
from ...headless.answer_file import AnswersFromFile, read_answers
from ...headless.approvers import LineApprover, PolicyAlone, ScriptApproves
from ...headless.argument_mistakes import InvalidArguments, mismatches
from ...headless.arguments import assign, preset, read_document
from ...headless.exit_status import ExitStatus
from ...headless.keyboard import Keyboard
from ...headless.live import Options, find_tool, opened, print_json, run, tell_trust
from ...headless.log_lines import tell_log
from ...headless.readable import print_call, print_tools
from ...headless.reports import call_report, exit_status, invalid_report, tools_report
from ...headless.stopping import telling_of_stops
from ...headless.targets import UsageError
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.schema import Answer as SchemaAnswer

if TYPE_CHECKING:
    from ...engine.engine import Bench
    from ...engine.events import BenchEvent
    from ...testing.run.flow_person import ScriptedPerson
    from ..options.calling import Call, Read
    from ..options.live import Compat, Evidence
    from ..options.offers import Prompt


def run_tools(options: Options) -> int:
    """List the tools; returns the exit status."""
    return run(_tools(options))


def run_call(options: Options, call: Call) -> int:
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
    from .offers import read_given

    return run(_prompt(options, prompt, read_given(prompt.given)))


async def _tools(options: Options) -> int:
    async with opened(options) as bench:
        # The verdicts go by what was listed and approved before.
        await bench.compared()
        tell_trust(options, bench.trust_effect())
        if options.as_json:
            print_json(tools_report(bench, options.hiding(bench)))
        else:
            print_tools(bench, options.hiding(bench))
    return ExitStatus.OK


async def _call(options: Options, wanted: Call, document: dict[str, Any]) -> int:
    assignments, is_meant = wanted.arguments.assign, wanted.arguments.although_invalid
    async with opened(options) as bench:
        tool = find_tool(bench, wanted.arguments.tool)
        if wanted.preset:
            document = preset(bench, tool, wanted.preset, assignments)
        try:
            arguments = assign(tool, document, assignments, although_invalid=is_meant)
            if not is_meant:
                await _check(tool, arguments)
        except InvalidArguments as problem:
            if options.as_json:
                hiding = options.hiding(bench, tool, problem.arguments)
                print_json(invalid_report(bench, tool, problem, hiding))
            raise
        if not (wanted.pages or wanted.twice):
            return await _told(
                options,
                bench,
                wanted,
                lambda: bench.call(tool, arguments, although_invalid=is_meant),
            )
        from .series import Series, told_pages, told_twice

        series = Series(options, bench, tool, arguments, although_invalid=is_meant)
        with answering(options, bench, wanted):
            if wanted.twice:
                return await told_twice(series)
            return await told_pages(series, wanted.pages, wanted.page_parameter)


async def _check(tool: ToolDefinition, arguments: dict[str, JsonValue]) -> None:
    """Raises InvalidArguments; what could not be checked is no mistake, and is asked about."""
    checked = await judge_arguments_in_worker(tool.input_schema, arguments)
    if checked.answer is SchemaAnswer.INVALID:
        raise InvalidArguments(tool, mismatches(tool, checked), arguments, checked.more)


async def _read(options: Options, wanted: Read) -> int:
    async with opened(options) as bench:
        effect = bench.trust_effect()
        if effect.reads:
            tell_trust(options, replace(effect, runs=(), sometimes=()))
        return await _told(options, bench, wanted, lambda: bench.read(wanted.uri))


async def _prompt(options: Options, wanted: Prompt, given: dict[str, str]) -> int:
    from .offers import check_given, find_prompt

    async with opened(options) as bench:
        await bench.offers.listed()
        if not wanted.although_invalid:
            check_given(find_prompt(bench, wanted.prompt), given)
        return await _told(options, bench, wanted, lambda: bench.get_prompt(wanted.prompt, given))


async def _told(
    options: Options, bench: Bench, wanted: Call | Read | Prompt, begin: Callable[[], int]
) -> int:
    """Begin a call, wait for its end and print it; returns the exit status."""
    await bench.log_level_told()
    with answering(options, bench, wanted):
        call_id, is_interrupted = begin(), False
        try:
            call = await bench.ended(call_id)
        except asyncio.CancelledError:
            is_interrupted = True
            bench.cancel(call_id)
            call = await bench.ended(call_id)
    if call.evidence is not None and call.tool is not None and not is_interrupted:
        from ..evidence.evidence_ending import with_ending

        call = await with_ending(options, bench, call)
    hiding = options.hiding(bench, call.request.definition, call.snapshot.arguments())
    if options.as_json:
        print_json(call_report(bench, call, hiding))
    else:
        print_call(bench, call, hiding)
        tell_log(bench, hiding)
    return exit_status(call)


@contextlib.contextmanager
def answering(
    options: Options, bench: Bench, wanted: Call | Read | Prompt | Evidence | Compat
) -> Iterator[None]:
    """While whoever `--approve` names answers the questions, and stops of the program are told.

    Raises UsageError for a file of answers that cannot be read.
    """
    keyboard = Keyboard()
    if wanted.person:
        bench.approver = simulated = _simulated(options, wanted, wanted.person)
        with _closing_questions(bench, simulated):
            yield
        return
    approver = _approver(wanted.approve, options.decision_seconds, keyboard)
    bench.approver = approver
    if wanted.answer:
        bench.approver = AnswersFromFile(read_answers(wanted.answer), approver)
    bench.sends = wanted.approve != "never"

    def was_away(seconds: float) -> None:
        bench.was_away(seconds)
        if isinstance(approver, LineApprover):
            approver.was_away(seconds)

    with telling_of_stops(keyboard, was_away), _closing_questions(bench, approver):
        yield


@contextlib.contextmanager
def _closing_questions(bench: Bench, approver: Approver) -> Iterator[None]:
    """Within it whoever sits at a question is told that it can no longer be answered."""
    from ...engine.events import QuestionVoided
    from ...testing.run.flow_person import ScriptedPerson

    listener = bench.listener

    def listen(event: BenchEvent) -> None:
        if isinstance(approver, LineApprover | ScriptedPerson):
            match event:
                case QuestionVoided(call, reason):
                    approver.void(call, reason)
        listener(event)

    bench.listener = listen
    try:
        yield
    finally:
        bench.listener = listener


def _simulated(
    options: Options, wanted: Call | Read | Prompt | Evidence | Compat, who: str
) -> ScriptedPerson:
    """Who `--person` names; what `--answer` has for the server goes before."""
    from ...testing.flow import Person, ServerReply
    from ...testing.run.flow_person import ScriptedPerson, simulated_by

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
