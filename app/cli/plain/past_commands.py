"""Commands about earlier arguments of a tool: list them, use them again, keep them by name."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

from ...calls.argument_history import KeptArguments, places_words, read_name, secrets_words
from ...content.json.jsonio import pretty_spans
from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from ...content.texts.sheet_line import GUTTER
from ...protocol.tool import ToolDefinition
from ...storage.state_dir import StoreError
from .desk import Desk, NotDone
from .tool_commands import fill_and_call, form_draft

_SHOWN = 200
"""Characters of the arguments of one entry."""


async def earlier(desk: Desk, rest: str) -> None:
    tool = desk.tool(rest)
    desk.chosen = tool.name
    kept = await _kept(desk, tool)
    if not kept:
        desk.say(f"{tool.name_shown} was not called before, and has no presets.")
    for number, one in enumerate(kept, 1):
        local = datetime.fromtimestamp(one.at, UTC).astimezone()
        name = f"preset {visible(one.name)}" if one.is_preset else one.outcome_words
        words = [name, local.strftime("%Y-%m-%d %H:%M"), *one.marks]
        desk.say(f"{number:>3}  {', '.join(words)}")
        desk.say(f"     {GUTTER}{_brief(one)}")
    if kept:
        desk.say("use NUMBER fills them in; keep NAME makes a preset of the last call.")
    if problem := desk.bench.memory.arguments.problem:
        desk.say(f"For this session only: {visible(problem)}.")


async def use(desk: Desk, rest: str) -> None:
    tool, words = desk.tool(""), rest.strip()
    kept = await _kept(desk, tool)
    found = [one for one in kept if one.is_preset and one.name == words]
    if not found and words.isascii() and words.isdigit() and 0 < int(words[:9]) <= len(kept):
        found = [kept[int(words[:9]) - 1]]
    if not found:
        hint = did_you_mean(words, [one.name for one in kept if one.is_preset])
        shown = visible(cut(words, 60).text)
        raise NotDone(f"{tool.name_shown} has no “{shown}”{hint or '; earlier lists them.'}")
    arguments = found[0].arguments()
    if arguments is None:
        raise NotDone("They were too large to be kept.")
    desk.must_be_open()
    if missing := found[0].document.not_kept:
        desk.say(f"{secrets_words(len(missing))}: {places_words(missing)}; give them again.")
    await fill_and_call(desk, tool, form_draft(tool, arguments))


async def keep(desk: Desk, rest: str) -> None:
    call = desk.call("")
    past, tool = desk.bench.memory.arguments, call.tool
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
        raise NotDone(f"It was not kept: {visible(str(problem))}.") from None
    aside = "" if is_on_disk else ", for this session only"
    desk.say(f"Kept as preset {visible(name)} of {tool.name_shown}{aside}.")


async def _kept(desk: Desk, tool: ToolDefinition) -> tuple[KeptArguments, ...]:
    return await asyncio.to_thread(desk.bench.memory.arguments.all, tool.name)


def _brief(kept: KeptArguments) -> str:
    """The arguments on one line, cut where they are long."""
    shown = kept.shown()
    if shown is None:
        return f"sha256 {kept.document.digest[:16]}"
    lines = ("".join(span.text for span in line).strip(" ") for line in pretty_spans(shown))
    text = " ".join(lines)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
