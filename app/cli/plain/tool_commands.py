"""Commands about tools: list, show, schema, call."""

from __future__ import annotations

from collections.abc import Mapping

from ...approval.approval import DecisionAnswer
from ...approval.policies.verdicts import VerdictAnswer
from ...calls.checks import argument_problems
from ...content.json.jsonio import JsonValue, pretty_spans
from ...content.texts.sheet_line import GUTTER
from ...headless.argument_mistakes import mismatches
from ...headless.arguments import read_document
from ...headless.targets import UsageError
from ...protocol.clients.findings import argument_rejections
from ...protocol.tool import ToolDefinition
from ...protocol.tool_groups import Grouping
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import arguments_of, draft_from_arguments
from ...schemas.form.entries import Draft, Origin
from ...schemas.form.form import build_form
from ...schemas.schema import Answer
from .calling import follow, tell
from .desk import Desk, NotDone
from .dialogue import Cancelled
from .filling import Filling
from .listing import list_lines, reasons_line, tool_lines

SENDS = "Enter calls it, e goes back to the arguments, n calls nothing>"
ASKS = "Enter goes on to the question, e goes back to the arguments, n calls nothing>"
ALTHOUGH = "although-invalid"
_GROUPINGS = {"world": Grouping.WORLD, "retry": Grouping.RETRY, "effect": Grouping.EFFECT}


async def list_tools(desk: Desk, rest: str) -> None:
    await desk.bench.compared()
    words, grouping = rest.strip(), Grouping.EFFECT
    if words.startswith("by ") and words[3:].split()[:1] and words[3:].split()[0] in _GROUPINGS:
        kind, _, words = words[3:].strip().partition(" ")
        grouping = _GROUPINGS[kind]
    desk.number_anew()
    desk.console.say_all(list_lines(desk.bench, words, grouping))


async def show(desk: Desk, rest: str) -> None:
    words, is_all = _without_all(rest)
    tool = desk.tool(words)
    desk.chosen = tool.name
    await desk.bench.compared()
    number = desk.number_of(tool)
    desk.console.say_all(tool_lines(desk.bench, tool, number, is_all=is_all))


async def schema(desk: Desk, rest: str) -> None:
    tool = desk.tool(rest)
    desk.say(f"definition of {tool.name_shown}, sha256 {tool.digest[:16]}, the server's JSON:")
    say_json(desk, tool.raw)


async def call(desk: Desk, rest: str) -> None:
    """`call [TOOL] [!JSON | !@FILE]`; `although-invalid` before the tool takes what is wrong."""
    words, bang, given = rest.partition("!")
    words = words.strip()
    is_meant = words == ALTHOUGH or words.startswith(f"{ALTHOUGH} ")
    words = words.removeprefix(ALTHOUGH).strip() if is_meant else words
    tool = desk.tool(words)
    if not tool.callable:
        raise NotDone(f"{tool.name_shown} cannot be called: {tool.findings[0].message}.")
    desk.must_be_open()
    desk.chosen = tool.name
    if not bang:
        await fill_and_call(desk, tool, None)
        return
    try:
        arguments = read_document(given.strip())
    except UsageError as problem:
        raise NotDone(f"{tool.name_shown} was not called: {problem}") from None
    if not is_meant and await _say_mistakes(desk, tool, arguments):
        desk.say(f"Nothing was sent. call {ALTHOUGH} {words or desk.number_of(tool)} !… asks.")
        return
    await make(desk, tool, arguments, {}, although_invalid=is_meant)


async def fill_and_call(desk: Desk, tool: ToolDefinition, draft: Draft | None) -> None:
    """Fill in the form from a draft, show what would be sent and what comes of it, and call."""
    filling = Filling(tool, desk.dialogue, draft)
    desk.say(f"Call of {tool.name_shown}")
    while True:
        try:
            await filling.fill()
            is_meant = await _confirmed(desk, filling)
        except Cancelled:
            desk.say("Nothing was called.")
            return
        if is_meant is None:
            continue
        built = arguments_of(filling.form, filling.draft, as_typed=is_meant)
        is_back = await make(desk, tool, built.arguments, built.origins, although_invalid=is_meant)
        if not is_back:
            return
        desk.say(f"Back to the arguments of {tool.name_shown}.")
        filling.draft = draft_from_arguments(filling.form, built.arguments, before=filling.draft)


async def _confirmed(desk: Desk, filling: Filling) -> bool | None:
    """False: call it; True: although it is invalid; None: back to the form. Raises Cancelled."""
    tool = filling.tool
    built = arguments_of(filling.form, filling.draft)
    desk.say("arguments:")
    say_json(desk, built.arguments)
    for place, problem in built.problems.items():
        desk.say(f"  wrong: {'.'.join(map(str, place)) or 'arguments'}: {problem}")
    is_wrong = await _say_mistakes(desk, tool, built.arguments) or bool(built.problems)
    problems = tuple(built.problems.values())
    verdict = await desk.bench.tried_verdict(tool, built.arguments, problems)
    verdict = desk.bench.foreseen(tool, built.arguments, problems, verdict)
    desk.say(reasons_line(verdict))
    right = ASKS if verdict.answer is VerdictAnswer.ASK else SENDS
    while True:
        prompt = f"e goes back to them, n calls nothing, {ALTHOUGH} asks for the call all the same>"
        typed = (await desk.dialogue.ask(prompt if is_wrong else right)).strip().casefold()
        if typed in ("n", "no", "!cancel"):
            raise Cancelled
        if typed in ("e", "edit", "!back"):
            return None
        if is_wrong and typed == ALTHOUGH:
            return True
        if not is_wrong and typed in ("", "y", "yes"):
            return False


async def _say_mistakes(
    desk: Desk, tool: ToolDefinition, arguments: Mapping[str, JsonValue]
) -> bool:
    """Whether arguments break the input schema; each place is said."""
    checked = await judge_arguments_in_worker(tool.input_schema, dict(arguments))
    if checked.answer is Answer.NOT_VALIDATED:
        desk.say(argument_problems(checked)[0])
    for finding in argument_rejections(checked):
        desk.say(f"  note: {finding.message}")
    if checked.answer is not Answer.INVALID:
        return False
    desk.say(f"These arguments are not what {tool.name_shown} wants:")
    for one in mismatches(tool, checked):
        desk.say(f"  wrong: {one.words}")
    if checked.more:
        desk.say(f"  and {checked.more:,} more")
    return True


async def make(
    desk: Desk,
    tool: ToolDefinition,
    arguments: Mapping[str, JsonValue],
    origins: Mapping[str, Origin],
    *,
    although_invalid: bool = False,
) -> bool:
    """Call and wait for the end; whether whoever was asked wants to edit the arguments."""
    desk.must_be_open()
    try:
        number = desk.bench.call(tool, arguments, origins, although_invalid=although_invalid)
    except ValueError as problem:
        raise NotDone(f"It cannot be sent: {problem}.") from None
    return await wait_for(desk, number)


async def wait_for(desk: Desk, number: int) -> bool:
    """Follow a call to its end and tell it; whether its arguments are to be edited."""
    desk.selected = desk.running = number
    try:
        ended = await follow(desk.bench, number, desk.console, desk.dialogue.keyboard)
    finally:
        desk.running = None
    decision = ended.decision
    if decision is not None and decision.answer is DecisionAnswer.EDIT:
        return True
    hiding = desk.hiding(ended.tool, ended.snapshot.arguments())
    # Not between a question and its prompt.
    async with desk.dialogue.keyboard.turn():
        tell(desk.bench, ended, desk.console, hiding, is_all=False)
    return False


def form_draft(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> Draft:
    """A form in which these arguments stand."""
    return draft_from_arguments(build_form(tool.input_schema), arguments)


def _without_all(rest: str) -> tuple[str, bool]:
    words = rest.strip()
    if words == "all" or words.endswith(" all"):
        return words.removesuffix("all").strip(), True
    return words, False


def say_json(desk: Desk, value: JsonValue) -> None:
    """A value as indented JSON, behind a gutter."""
    for line in pretty_spans(value):
        desk.say(f"  {GUTTER}{''.join(span.text for span in line)}")
