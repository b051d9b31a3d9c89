"""Plain commands about calls: calls, answer, raw, model, save, next, again, retry, repeat."""

from __future__ import annotations

import asyncio
import time

from ...approval.questions.sheet import plain_spans
from ...calls.answer_files import NotSaved, is_taken, place_of, save_answer, save_file, told_of
from ...calls.call import Call
from ...calls.manifest import CallContent, json_bytes, part_bytes
from ...calls.paging import page_after
from ...content.json.jsonio import pretty_spans
from ...content.text import sentence, size, visible
from ...content.texts.sheet_line import GUTTER
from ...hosts.model_view.table import ALL
from ...protocol.requests import PromptGet
from ...schemas.form.drafts import draft_from_arguments
from ...schemas.form.form import build_form
from ..output.readable import hosts_named, print_views
from ..targets.targets import UsageError
from .console import PlainOut
from .session import NotDone, PlainSession
from .telling import SHORT, call_line, tell, wait_for
from .tool_commands import fill_and_call

RAW_LINES = 2_000
REPLACE = "replace"


async def calls(desk: PlainSession, rest: str) -> None:
    if not desk.engine.calls:
        desk.say("No calls yet.")
    now = time.monotonic()
    for one in desk.engine.calls.values():
        desk.say(call_line(one, now))


async def answer(desk: PlainSession, rest: str) -> None:
    words = rest.strip()
    is_all = words == "all" or words.endswith(" all")
    one = desk.call(words.removesuffix("all") if is_all else words)
    desk.selected = one.id
    hiding = desk.hiding(one.request.definition, one.snapshot.arguments())
    tell(desk.engine, one, desk.console, hiding, is_all=is_all)


async def raw(desk: PlainSession, rest: str) -> None:
    one = desk.call(rest)
    hiding = desk.hiding(one.request.definition, one.snapshot.arguments())
    if one.oversized is not None:
        raise NotDone(f"The response is too large to be shown; save {one.id} FILE has it whole.")
    desk.say(f"the raw result of call {one.id}:")
    for number, line in enumerate(pretty_spans(hiding.value(one.raw))):
        if number >= RAW_LINES:
            desk.say(f"  (cut after {RAW_LINES:,} lines; save {one.id} FILE has it whole)")
            return
        desk.say(f"  {GUTTER}{plain_spans(line)}")


async def model(desk: PlainSession, rest: str) -> None:
    """`model [CALL] [HOST,...]`: the text of hosts' models, or a line for each host."""
    words = rest.split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    one = desk.call(number)
    try:
        hosts = hosts_named(",".join(words) or ALL)
    except UsageError as problem:
        raise NotDone(sentence(problem, begins=True)) from None
    hiding = desk.hiding(one.request.definition, one.snapshot.arguments())
    print_views(one, hosts, PlainOut(desk.console, hiding, SHORT), in_short=not words)


async def save(desk: PlainSession, rest: str) -> None:
    """`save [CALL[.PART]] PLACE`: a part in a file, the raw result, or all in a folder."""
    words = rest.strip()
    first, _, place_words = words.partition(" ")
    number, _, part = first.partition(".")
    if not (number.isdigit() and (part.isdigit() or not part) and place_words.strip()):
        number, part, place_words = "", "", words
    if not place_words.strip():
        raise NotDone("save [CALL[.PART]] PLACE: a file, or a folder if it ends with /.")
    one = desk.call(number)
    if one.raw is None and one.oversized is None:
        raise NotDone(f"Call {one.id} has no response to save.")
    try:
        place = place_of(place_words)
        is_folder = place_words.strip().endswith("/")
        if (taken := is_taken(place)) and not await _may_replace(desk, taken):
            desk.say("Nothing was saved.")
            return
        if is_folder and not part:
            came = CallContent(one.answer, one.raw, one.oversized)
            told = told_of(desk.engine.server.name, one)
            written = await asyncio.to_thread(save_answer, place, told, came)
        else:
            data = await asyncio.to_thread(_bytes_of, one, part)
            written = await asyncio.to_thread(save_file, place, data)
    except NotSaved as problem:
        raise NotDone(f"Nothing was saved: {sentence(problem.reason)}") from None
    files = "" if written.files == 1 else f"{written.files:,} files, "
    desk.say(f"Saved: {visible(str(written.place))} ({files}{size(written.size)}).")


async def _may_replace(desk: PlainSession, taken: str) -> bool:
    if not desk.is_interactive:
        raise NotSaved(f"{taken}, and a script replaces nothing")
    desk.say(f"In the way: {taken}.")
    return await desk.dialogue.ask_word(f"Type {REPLACE} to write over it>") == REPLACE


def _bytes_of(call: Call, part: str) -> bytes | list[bytes]:
    if part:
        parts = call.answer.parts if call.answer is not None else ()
        if not 0 < int(part[:9]) <= len(parts):
            count = f"{len(parts):,} {'part' if len(parts) == 1 else 'parts'}"
            raise NotSaved(f"call {call.id} has {count}")
        return part_bytes(parts[int(part) - 1]).data
    if call.oversized is not None:
        return list(call.oversized.chunks())
    return json_bytes(call.raw)


async def turn(desk: PlainSession, rest: str) -> None:
    """The next page of an answer, with the cursor that came with it."""
    one = desk.call(rest)
    page = page_after(one)
    if page is None or page.is_repeated:
        raise NotDone(page.words if page else f"The response to call {one.id} names no next page.")
    desk.must_be_open()
    arguments = page.arguments(one.snapshot.arguments())
    await wait_for(desk, desk.engine.next_page(one.id, arguments))


async def again(desk: PlainSession, rest: str) -> None:
    """Repeat a call, to compare the results; only if it declares that repeating changes nothing."""
    one = desk.call(rest)
    if not one.is_over or not one.sent:
        raise NotDone(f"Call {one.id} was not sent, so there is nothing to compare with.")
    if not one.request.hints.is_repeatable:
        said = (
            f"{one.request.display_name} {one.request.hints.repeating_said}: a second call counts"
        )
        raise NotDone(f"Not called again: {said}. repeat {one.id} makes a new call of it.")
    desk.must_be_open()
    await wait_for(desk, desk.engine.call_again(one.id))


async def retry(desk: PlainSession, rest: str) -> None:
    """Retry a call of unknown outcome, if it is harmless or the connection was lost."""
    one = desk.call(rest)
    advice = await desk.engine.advised(one)
    if not advice.has_key:
        raise NotDone(f"Not retried: {sentence(advice.reason)}")
    desk.must_be_open()
    await wait_for(desk, desk.engine.retry(one.id))


async def repeat(desk: PlainSession, rest: str) -> None:
    """A new call, with the arguments of an earlier one in the form."""
    one = desk.call(rest)
    if isinstance(one.request, PromptGet):
        desk.must_be_open()
        given = one.snapshot.arguments()["arguments"]
        filled = given if isinstance(given, dict) else {}
        await wait_for(desk, desk.engine.get_prompt(one.request.prompt, filled))
        return
    if one.tool is None:
        desk.must_be_open()
        await wait_for(desk, desk.engine.read(str(one.snapshot.arguments()["uri"])))
        return
    tool = desk.tool(one.tool.name)
    desk.must_be_open()
    form = build_form(tool.input_schema)
    await fill_and_call(desk, tool, draft_from_arguments(form, one.snapshot.arguments()))
