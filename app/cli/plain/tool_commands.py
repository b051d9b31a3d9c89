"""Plain commands about tools: list, show, schema, call; and about earlier arguments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from ...approval.policies.verdicts import VerdictAnswer
from ...calls.argument_history import (
    TOO_LARGE,
    KeptArguments,
    places_words,
    read_name,
    secrets_words,
)
from ...calls.checks import argument_problems
from ...content.json.jsonio import JsonValue, pointer, pretty_spans
from ...content.labels import and_more, stamp
from ...content.suggest import did_you_mean
from ...content.text import cut, sentence, visible
from ...content.texts.sheet_line import GUTTER
from ...protocol.clients.findings import argument_rejections
from ...protocol.tool import Grouping, ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import arguments_of, draft_from_arguments
from ...schemas.form.entries import Built, Draft, Origin
from ...schemas.form.fields import Place
from ...schemas.form.form import build_form
from ...schemas.schema import SchemaAnswer
from ...storage.state_dir import StoreError
from ..options.arguments import mismatches
from ..output.readable import print_tools
from .console import InputCancelled
from .filling import Filling
from .running import OPTION, options_of, printed, run_words, split
from .session import NotDone, PlainSession, reasons_line, tool_lines
from .telling import wait_for

SENDS = "Enter calls it, e goes back to the arguments, n calls nothing>"
ASKS = "Enter goes on to the question, e goes back to the arguments, n calls nothing>"
ALTHOUGH = "although-invalid"
NO_PROBLEMS: Final[Mapping[Place, str]] = MappingProxyType({})
Confirm: TypeAlias = Callable[[PlainSession, Filling], Awaitable[bool | None]]
_GROUPINGS = {"world": Grouping.WORLD, "retry": Grouping.RETRY, "effect": Grouping.EFFECT}


async def list_tools(desk: PlainSession, rest: str) -> None:
    """`list [by world|retry] [WORDS]`: the command `tools`, grouped as it is asked for."""
    words = rest.split()
    grouping = _GROUPINGS.get(words[1]) if words[:1] == ["by"] and words[1:] else None
    desk.words = tuple(words[2:] if grouping else words)
    await printed(desk, _tools(desk, grouping or Grouping.EFFECT))


async def _tools(desk: PlainSession, grouping: Grouping) -> None:
    await desk.engine.compared()
    print_tools(desk.engine, desk.hiding(), options_of(desk).tool_rows, grouping)


async def show(desk: PlainSession, rest: str) -> None:
    words, is_all = _without_all(rest)
    tool = desk.tool(words)
    desk.chosen = tool.name
    await desk.engine.compared()
    number = desk.number_of(tool)
    desk.console.say_all(tool_lines(desk.engine, tool, number, is_all=is_all))


async def schema(desk: PlainSession, rest: str) -> None:
    tool = desk.tool(rest)
    desk.say(f"definition of {tool.display_name}, sha256 {tool.digest[:16]}, the server's JSON:")
    say_json(desk, tool.raw)


async def call(desk: PlainSession, rest: str) -> None:
    """`call [TOOL]` fills in the form; with arguments or options it is the command.

    `!JSON` and `!@FILE` are its `--args`, and `although-invalid` its `--although-invalid`.
    """
    words, options = with_json(rest, [tool.name for tool in desk.engine.tools])
    if words in HELP_WORDS:
        await run_words(desk, "call", ["--help"])
        return
    tool = desk.tool(words)
    if not tool.callable:
        raise NotDone(f"{tool.display_name} cannot be called: {tool.findings[0].message}.")
    desk.must_be_open()
    desk.chosen = tool.name
    if options is None:
        await fill_and_call(desk, tool, None)
        return
    words_of_call = [*options, "--", desk.only_name(tool)]
    await run_words(desk, "call", words_of_call, has_numbers=False)


HELP_WORDS = ("-h", "--help")


def with_json(rest: str, names: Collection[str]) -> tuple[str, list[str] | None]:
    """The name before the options, and the options; None if there are none.

    One of `names` may look like options.
    """
    words, bang, given = rest.partition("!")
    if bang and (words.strip() in names or not OPTION.search(words)):
        is_meant = words.strip() == ALTHOUGH or words.lstrip().startswith(f"{ALTHOUGH} ")
        name = words.strip().removeprefix(ALTHOUGH) if is_meant else words
        options = [f"--{ALTHOUGH}"] if is_meant else []
        return _unquoted(name, names), [*options, f"--args={given.strip() or ' '}"]
    found = OPTION.search(rest)
    if found is None or rest.strip() in (*HELP_WORDS, *names):
        return _unquoted(rest, names), None
    return _unquoted(rest[: found.start()], names), split(rest[found.start() :])


def _unquoted(name: str, names: Collection[str]) -> str:
    """The name as it is, or without the quotes around it."""
    name = name.strip()
    is_quoted = name[:1] in ("'", '"') and name not in names
    return " ".join(split(name)) if is_quoted else name


async def fill_and_call(desk: PlainSession, tool: ToolDefinition, draft: Draft | None) -> None:
    """Fill in the form from a draft, show the arguments and the verdict, and call."""

    async def send(built: Built, *, is_meant: bool) -> bool:
        return await make(desk, tool, built.arguments, built.origins, although_invalid=is_meant)

    desk.say(f"Call of {tool.display_name}")
    filling = Filling(tool, desk.dialogue, draft)
    if not await fill_in(desk, filling, _confirmed, send):
        desk.say("Nothing was called.")


async def fill_in(
    desk: PlainSession, filling: Filling, confirm: Confirm, send: Callable[..., Awaitable[bool]]
) -> bool:
    """Fill in a form until it is sent; False if that was given up.

    `send` returns True if the approver wants the arguments back.
    """
    while True:
        try:
            await filling.fill()
            is_meant = await confirm(desk, filling)
        except InputCancelled:
            return False
        if is_meant is None:
            continue
        built = arguments_of(filling.form, filling.draft, as_typed=is_meant)
        if not await send(built, is_meant=is_meant):
            return True
        desk.say(f"Back to the arguments of {filling.tool.display_name}.")
        filling.draft = draft_from_arguments(filling.form, built.arguments, before=filling.draft)


async def _confirmed(desk: PlainSession, filling: Filling) -> bool | None:
    """False: call it; True: although invalid; None: back to the form. Raises InputCancelled."""
    tool = filling.tool
    built = arguments_of(filling.form, filling.draft)
    desk.say("arguments:")
    say_json(desk, built.arguments)
    problems = tuple(
        f"{'.'.join(map(str, place)) or 'arguments'}: {problem}"
        for place, problem in built.problems.items()
    )
    is_wrong = await _say_mistakes(desk, tool, built.arguments, built.problems)
    verdict = await desk.engine.tried_verdict(tool, built.arguments, problems)
    verdict = desk.engine.foreseen(tool, built.arguments, problems, verdict)
    desk.say(reasons_line(verdict))
    right = ASKS if verdict.answer is VerdictAnswer.ASK else SENDS
    wrong = f"e: edit, n: cancel, {ALTHOUGH}: ask for approval anyway>"
    return await confirmed(desk, wrong if is_wrong else right, is_wrong=is_wrong, although=ALTHOUGH)


async def confirmed(
    desk: PlainSession, prompt: str, *, is_wrong: bool, although: str = ""
) -> bool | None:
    """False: send it; True: although it is wrong; None: back to the form. Raises InputCancelled."""
    while True:
        typed = (await desk.dialogue.ask(prompt)).strip().casefold()
        if typed in ("n", "no", "!cancel"):
            raise InputCancelled
        if typed in ("e", "edit", "!back"):
            return None
        if is_wrong and although and typed == although:
            return True
        if not is_wrong and typed in ("", "y", "yes"):
            return False


async def _say_mistakes(
    desk: PlainSession,
    tool: ToolDefinition,
    arguments: Mapping[str, JsonValue],
    problems: Mapping[Place, str] = NO_PROBLEMS,
) -> bool:
    """True if arguments break the input schema; each place is printed once.

    `problems` are those of the form, which knows what was typed.
    """
    checked = await judge_arguments_in_worker(tool.input_schema, dict(arguments))
    if checked.answer is SchemaAnswer.NOT_VALIDATED:
        desk.say(argument_problems(checked)[0])
    for finding in argument_rejections(checked):
        desk.say(f"  note: {finding.message}")
    if checked.answer is not SchemaAnswer.INVALID and not problems:
        return False
    desk.say(f"Invalid arguments for {tool.display_name}:")
    found = {visible(pointer(place)): words for place, words in problems.items()}
    for where, words in found.items():
        desk.say(f"  wrong: {where}: {words}")
    for one in mismatches(tool, checked):
        if one.path not in found:
            desk.say(f"  wrong: {one.words}")
    if more := and_more(checked.more):
        desk.say(f"  {more}")
    return True


async def make(
    desk: PlainSession,
    tool: ToolDefinition,
    arguments: Mapping[str, JsonValue],
    origins: Mapping[str, Origin],
    *,
    although_invalid: bool = False,
) -> bool:
    """Call and wait for the end; True if the approver wants to edit the arguments."""
    desk.must_be_open()
    try:
        number = desk.engine.call(tool, arguments, origins, although_invalid=although_invalid)
    except ValueError as problem:
        raise NotDone(f"It cannot be sent: {sentence(problem)}") from None
    return await wait_for(desk, number)


def _without_all(rest: str) -> tuple[str, bool]:
    words = rest.strip()
    if words == "all" or words.endswith(" all"):
        return words.removesuffix("all").strip(), True
    return words, False


def say_json(desk: PlainSession, value: JsonValue) -> None:
    """A value as indented JSON, behind a gutter."""
    for line in pretty_spans(value):
        desk.say(f"  {GUTTER}{''.join(span.text for span in line)}")


_SHOWN = 200
"""Characters of the arguments of one entry."""


async def earlier(desk: PlainSession, rest: str) -> None:
    tool = desk.tool(rest)
    desk.chosen = tool.name
    kept = await _kept(desk, tool)
    if not kept:
        desk.say(f"{tool.display_name} was not called before, and has no presets.")
    for number, one in enumerate(kept, 1):
        name = f"preset {visible(one.name)}" if one.is_preset else one.outcome_words
        words = [name, stamp(one.at), *one.marks]
        desk.say(f"{number:>3}  {', '.join(words)}")
        desk.say(f"     {GUTTER}{_brief(one)}")
    if kept:
        desk.say("use NUMBER fills them in; keep NAME makes a preset of the last call.")
    if problem := desk.engine.memory.arguments.problem:
        desk.say(f"For this session only: {sentence(visible(problem))}")


async def use(desk: PlainSession, rest: str) -> None:
    tool, words = desk.tool(""), rest.strip()
    kept = await _kept(desk, tool)
    found = [one for one in kept if one.is_preset and one.name == words]
    if not found and words.isascii() and words.isdigit() and 0 < int(words[:9]) <= len(kept):
        found = [kept[int(words[:9]) - 1]]
    if not found:
        hint = did_you_mean(words, [one.name for one in kept if one.is_preset])
        shown = visible(cut(words, 60).text)
        raise NotDone(f"{tool.display_name} has no “{shown}”{hint or '; earlier lists them.'}")
    arguments = found[0].arguments()
    if arguments is None:
        raise NotDone(TOO_LARGE)
    desk.must_be_open()
    if missing := found[0].document.not_kept:
        desk.say(f"{secrets_words(len(missing))}: {places_words(missing)}; give them again.")
    await fill_and_call(desk, tool, draft_from_arguments(build_form(tool.input_schema), arguments))


async def keep(desk: PlainSession, rest: str) -> None:
    call = desk.call("")
    past, tool = desk.engine.memory.arguments, call.tool
    if tool is None:
        raise NotDone("A read has no arguments to keep.")
    try:
        name = read_name(rest)
        if any(one.name == name for one in await _kept(desk, tool)):
            raise NotDone(f"There is a preset {visible(name)} already: give another name.")
        is_on_disk = await asyncio.to_thread(
            past.give_name,
            tool.name,
            json.loads(call.snapshot.arguments_json),
            name,
            None,
            tool.input_schema,
        )
    except (ValueError, StoreError) as problem:
        raise NotDone(f"It was not kept: {sentence(visible(str(problem)))}") from None
    aside = "" if is_on_disk else ", for this session only"
    desk.say(f"Kept as preset {visible(name)} of {tool.display_name}{aside}.")


async def _kept(desk: PlainSession, tool: ToolDefinition) -> tuple[KeptArguments, ...]:
    return await asyncio.to_thread(desk.engine.memory.arguments.all, tool.name)


def _brief(kept: KeptArguments) -> str:
    """The arguments on one line, cut if they are long."""
    shown = kept.shown()
    if shown is None:
        return f"sha256 {kept.document.digest[:16]}"
    lines = ("".join(span.text for span in line).strip(" ") for line in pretty_spans(shown))
    text = " ".join(lines)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
