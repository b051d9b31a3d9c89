"""Plain commands about what a server has beside tools: prompt, and the tasks that it keeps."""

from __future__ import annotations

import json
from typing import Final

from ...content.text import cut, sentence, visible
from ...engine.task_list import CANCEL_SENT, KnownTask, TaskBook
from ...protocol.resources.offers import OfferKind, Prompt, schema_of_prompt
from ...protocol.tool_reading import read_tool
from ...schemas.form.drafts import arguments_of
from ...schemas.form.entries import Built
from ..targets.targets import UsageError
from .filling import Filling
from .running import key_of, run_line, run_words
from .session import NotDone, PlainSession, gutter, is_number
from .telling import wait_for
from .tool_commands import confirmed, fill_in, say_json, with_json
from .values import typed_document

RIGHT: Final = "Enter asks for it, e goes back to the arguments, n asks for nothing>"
WRONG: Final = "e goes back to the arguments, n asks for nothing>"
_ARGS: Final = "--args="


async def prompt(desk: PlainSession, rest: str) -> None:
    """`prompt NAME|NUMBER` fills in its arguments; with arguments or options it is the command.

    `!JSON` and `!@FILE` are an `-a` for each member.
    """
    await desk.engine.offers.listed()
    prompts = {one.name: one for one in desk.engine.offers.of(OfferKind.PROMPT)}
    name, options = with_json(rest, prompts)
    if is_number(name) and name not in prompts:
        name = await key_of(desk, "prompt", name)
    found = prompts.get(name)
    if options is not None:
        words = [word for option in options for word in _assigned(option)]
        await run_words(desk, "prompt", [*words, "--", name] if name else words)
    elif not isinstance(found, Prompt):
        # The command has the words on such a name.
        await run_line(desk, "prompt", name)
    else:
        desk.must_be_open()
        await _fill_in(desk, found)


def _assigned(option: str) -> list[str]:
    """The members of an object as `-a NAME=VALUE`; any other option as it is. Raises NotDone."""
    if not option.startswith(_ARGS):
        return [option]
    try:
        values = typed_document(option.removeprefix(_ARGS))
    except UsageError as problem:
        raise NotDone(str(problem)) from None
    for name, value in values.items():
        if not isinstance(value, str) or "=" in name:
            raise NotDone(f"{visible(cut(name, 60).text)} has to be text in quotes.")
    return [word for name, value in values.items() for word in ("-a", f"{name}={value}")]


async def _fill_in(desk: PlainSession, found: Prompt) -> None:
    """Take the arguments one by one, as those of a tool, and ask for it."""

    async def send(built: Built, *, is_meant: bool) -> bool:
        desk.must_be_open()
        return await wait_for(desk, desk.engine.get_prompt(found.name, built.arguments))

    desk.say(f"Prompt {found.display_name}")
    form = read_tool(0, {"name": found.name, "inputSchema": schema_of_prompt(found)})
    if not await fill_in(desk, Filling(form, desk.dialogue), _confirmed, send):
        desk.say("Nothing was asked for.")


async def _confirmed(desk: PlainSession, filling: Filling) -> bool | None:
    if not filling.form.fields:
        return False
    built = arguments_of(filling.form, filling.draft)
    desk.say("arguments:")
    say_json(desk, built.arguments)
    missing = [
        one for one in filling.form.fields if one.required and one.name not in built.arguments
    ]
    for one in missing:
        desk.say(f"  wrong: {visible(cut(one.name, 60).text)} is missing")
    is_wrong = bool(missing or built.problems)
    return await confirmed(desk, WRONG if is_wrong else RIGHT, is_wrong=is_wrong)


async def tasks(desk: PlainSession, rest: str) -> None:
    """`tasks result ID`, `tasks cancel ID`; else it is the command."""
    verb, _, begin = rest.strip().partition(" ")
    if verb not in ("result", "cancel"):
        await run_line(desk, "tasks", rest)
        return
    book = TaskBook(desk.engine)
    known = (await book.list()).tasks
    task = _chosen(known, begin.strip())
    if verb == "cancel":
        if task.call is None and task.state.id != begin.strip():
            raise NotDone("It was not begun in this session: write the whole of its id.")
        if why := await book.cancel(task):
            raise NotDone(f"Not cancelled: {sentence(why)}")
        desk.say(CANCEL_SENT)
        return
    result = await book.result(task) if task.state.is_ended else "it has not ended"
    if isinstance(result, str):
        raise NotDone(f"No result: {result}.")
    desk.console.say_all(
        gutter(desk.hiding().said(json.dumps(result, indent=2, ensure_ascii=False)), 4_000)
    )


def _chosen(known: tuple[KnownTask, ...], begin: str) -> KnownTask:
    """By the beginning of its id, which no other one has; the list moves. Raises NotDone."""
    found = [one for one in known if begin and one.state.id.startswith(begin)]
    exact = [one for one in found if one.state.id == begin]
    if len(exact or found) != 1:
        raise NotDone("Name one task by its id, or by the beginning of it; tasks lists them.")
    return (exact or found)[0]
