"""Plain commands about a server's offers beside tools: resources, read, prompts, prompt, tasks."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import count, cut, sentence, visible
from ...content.texts.sheet_line import GUTTER
from ...engine.task_list import CANCEL_SENT, KnownTask, TaskBook
from ...protocol.resources.offers import (
    Kind,
    Offer,
    Prompt,
    Resource,
    ResourceTemplate,
    faults_of,
    schema_of_prompt,
)
from ...protocol.tool_reading import read_tool
from ...schemas.form.drafts import arguments_of, draft_from_arguments
from ..options.arguments import ARGUMENTS, read_document
from ..targets.targets import UsageError
from .console import Cancelled
from .filling import Filling
from .session import Desk, NotDone, gutter
from .tool_commands import ALTHOUGH, say_json, wait_for

LISTED: Final = 200
_URI: Final = 200
_NAME: Final = 60
_SAID: Final = 120
_CONFIRM: Final = "Enter asks for it, e goes back to the arguments, n asks for nothing>"


async def resources(desk: Desk, rest: str) -> None:
    """`resources [WORDS]`: those with all of the words, and templates of addresses."""
    found = await _listed(desk, Kind.RESOURCE, rest)
    templates = await _listed(desk, Kind.TEMPLATE, rest)
    _say_count(desk, Kind.RESOURCE, found, rest)
    for number, one in _numbered(desk, Kind.RESOURCE, found):
        assert isinstance(one, Resource)
        _say_one(desk, f"{number:>3}  {_cut(one.uri, _URI)}", one, one.mime)
    if templates:
        desk.say(f"{count(len(templates), 'template')}; fill the braces in for read:")
    for one in templates[:LISTED]:
        assert isinstance(one, ResourceTemplate)
        _say_one(desk, f"     {_cut(one.uri_template, _URI)}", one, one.mime)
    _say_more(desk, max(len(found), len(templates)))
    _say_findings(desk, Kind.RESOURCE.capability)


async def read(desk: Desk, rest: str) -> None:
    """`read NUMBER|URI`: a resource, by its number in the list or its address."""
    words = rest.strip()
    if not words:
        raise NotDone("read URI, or read NUMBER, reads a resource; resources lists them.")
    desk.must_be_open()
    if words.isascii() and words.isdigit():
        offer = await _by_number(desk, Kind.RESOURCE, int(words[:9]))
        assert isinstance(offer, Resource)
        words = offer.uri
    await wait_for(desk, desk.engine.read(words))


async def prompts(desk: Desk, rest: str) -> None:
    """`prompts [WORDS]`: those with all of the words, and the arguments of each."""
    found = await _listed(desk, Kind.PROMPT, rest)
    _say_count(desk, Kind.PROMPT, found, rest)
    for number, one in _numbered(desk, Kind.PROMPT, found):
        assert isinstance(one, Prompt)
        _say_one(desk, f"{number:>3}  {one.display_name}", one)
        for argument in one.arguments:
            must = "required" if argument.is_required else "optional"
            desk.say(f"     takes {_cut(argument.name, _NAME)}, {must}")
            _say_theirs(desk, argument.description)
    _say_more(desk, len(found))
    _say_findings(desk, Kind.PROMPT.capability)


async def prompt(desk: Desk, rest: str) -> None:
    """`prompt NAME|NUMBER [!JSON|!@FILE]`: fill in its arguments, or give them, and request it.

    `although-invalid` before the name accepts invalid ones.
    """
    words, bang, given = rest.partition("!")
    words = words.strip()
    is_meant = bool(bang) and words.startswith(f"{ALTHOUGH} ")
    name = words.removeprefix(ALTHOUGH).strip() if is_meant else words
    found = await _prompt(desk, name)
    desk.must_be_open()
    if not bang:
        await _fill_in(desk, found)
        return
    try:
        values = _strings(read_document(given.strip(), ARGUMENTS))
    except UsageError as problem:
        raise NotDone(f"{found.display_name} was not asked for: {problem}") from None
    if not is_meant and (faults := faults_of(found, values)):
        desk.say(f"These arguments are not those of {found.display_name}:")
        desk.console.say_all(faults)
        desk.say(f"Nothing was sent. prompt {ALTHOUGH} {_cut(name, _NAME)} !… asks for it.")
        return
    await _ask_for(desk, found, values)


async def _fill_in(desk: Desk, found: Prompt) -> None:
    """Take the arguments one by one, as those of a tool, and ask for it."""
    if not found.arguments:
        await _ask_for(desk, found, {})
        return
    form = read_tool(0, {"name": found.name, "inputSchema": schema_of_prompt(found)})
    filling = Filling(form, desk.dialogue)
    desk.say(f"Prompt {found.display_name}")
    while True:
        try:
            await filling.fill()
            built = arguments_of(filling.form, filling.draft)
            desk.say("arguments:")
            say_json(desk, built.arguments)
            missing = [
                one.name
                for one in found.arguments
                if one.is_required and one.name not in built.arguments
            ]
            for name in missing:
                desk.say(f"  wrong: {_cut(name, _NAME)} is missing")
            if await _confirmed(desk, is_wrong=bool(missing or built.problems)):
                await _ask_for(desk, found, built.arguments)
                return
        except Cancelled:
            desk.say("Nothing was asked for.")
            return
        filling.draft = draft_from_arguments(filling.form, built.arguments, before=filling.draft)


async def _confirmed(desk: Desk, *, is_wrong: bool) -> bool:
    """True if to ask for it; False: back to the arguments. Raises Cancelled."""
    words = "e goes back to the arguments, n asks for nothing>" if is_wrong else _CONFIRM
    while True:
        typed = (await desk.dialogue.ask(words)).strip().casefold()
        if typed in ("n", "no", "!cancel"):
            raise Cancelled
        if typed in ("e", "edit", "!back"):
            return False
        if not is_wrong and typed in ("", "y", "yes"):
            return True


async def _ask_for(desk: Desk, found: Prompt, values: Mapping[str, JsonValue]) -> None:
    desk.must_be_open()
    await wait_for(desk, desk.engine.get_prompt(found.name, values))


def _strings(values: Mapping[str, JsonValue]) -> dict[str, str]:
    """Check that all values are texts, as a prompt needs. Raises UsageError."""
    for name, value in values.items():
        if not isinstance(value, str):
            raise UsageError(f"{_cut(name, _NAME)} has to be text in quotes")
    return {name: str(value) for name, value in values.items()}


async def _prompt(desk: Desk, words: str) -> Prompt:
    if not words:
        raise NotDone("prompt NAME, or prompt NUMBER, asks for one; prompts lists them.")
    await desk.engine.offers.listed()
    found = [one for one in desk.engine.offers.of(Kind.PROMPT) if isinstance(one, Prompt)]
    for one in found:
        if one.name == words:
            return one
    if words.isascii() and words.isdigit():
        offer = await _by_number(desk, Kind.PROMPT, int(words[:9]))
        assert isinstance(offer, Prompt)
        return offer
    hint = did_you_mean(words, [one.name for one in found], 3)
    raise NotDone(f"No such prompt: “{_cut(words, _NAME)}”{hint or '; prompts lists them.'}")


async def _listed(desk: Desk, kind: Kind, words: str) -> list[Offer]:
    """Those with all of the words; all lists of the server are there from now on."""
    await desk.engine.offers.listed()
    wanted = words.casefold().split()
    return [
        one
        for one in desk.engine.offers.of(kind)
        if all(word in one.search_text for word in wanted)
    ]


def _numbered(desk: Desk, kind: Kind, found: Sequence[Offer]) -> list[tuple[int, Offer]]:
    """With the number of each in the whole list, by which it is known until the next list."""
    offers = desk.engine.offers.of(kind)
    desk.offer_keys[kind] = tuple(one.key for one in offers)
    numbers = {id(one): number for number, one in enumerate(offers, 1)}
    return [(numbers[id(one)], one) for one in found[:LISTED]]


async def _by_number(desk: Desk, kind: Kind, number: int) -> Offer:
    """Return the offer of this number in the last list. Raises NotDone if it is gone."""
    await desk.engine.offers.listed()
    offers = desk.engine.offers.of(kind)
    keys = desk.offer_keys.get(kind) or tuple(one.key for one in offers)
    if not 0 < number <= len(keys):
        raise NotDone(f"No {kind.word} has the number {number}: {kind.plural} lists {len(keys):,}.")
    found = [one for one in offers if one.key == keys[number - 1]]
    if not found:
        was = _cut(keys[number - 1], _NAME)
        raise NotDone(f"The {kind.word} {number} was {was}, which is gone; {kind.plural} again.")
    return found[0]


def _say_count(desk: Desk, kind: Kind, found: Sequence[Offer], words: str) -> None:
    total = len(desk.engine.offers.of(kind))
    with_words = f", {len(found):,} with “{_cut(words.strip(), _NAME)}”" if words.strip() else ""
    desk.say(f"{count(total, kind.word)}{with_words}{':' if found else '.'}")


def _say_more(desk: Desk, listed: int) -> None:
    if listed > LISTED:
        desk.say(f"     and more than {LISTED}; words after the command leave fewer")


def _say_findings(desk: Desk, capability: str) -> None:
    """Print findings on these lists as a whole."""
    for finding in desk.engine.offers.findings:
        desk.say(f"{finding.severity.value}  {finding.code}: {finding.message} ({capability})")


def _say_one(desk: Desk, head: str, one: Offer, mime: str = "") -> None:
    """Print one line of facts, and below it the server's texts and findings."""
    facts = ["" if isinstance(one, Prompt) else one.display_name]
    facts += [f"“{one.title_shown}”" if one.title else "", _cut(mime, _NAME)]
    desk.say("  ".join([head, ", ".join(fact for fact in facts if fact)]).rstrip())
    _say_theirs(desk, one.description)
    for found in one.findings:
        desk.say(f"     {found.severity.value}  {found.code}: {found.message}")


def _say_theirs(desk: Desk, text: str) -> None:
    """The server's words on one line, behind a gutter."""
    if text:
        desk.say(f"     {GUTTER}{_cut(text, _SAID)}")


def _cut(text: str, cells: int) -> str:
    short = cut(text, cells)
    return f"{visible(short.text)}{'…' if short.is_cut else ''}"


_SHOWN = 40


async def tasks(desk: Desk, rest: str) -> None:
    """`tasks`, `tasks result ID`, `tasks cancel ID`."""
    book = TaskBook(desk.engine)
    verb, _, begin = rest.strip().partition(" ")
    known = (await book.list()).tasks
    if not verb:
        _list(desk, known)
        return
    if verb not in ("result", "cancel"):
        raise NotDone("tasks, tasks result ID, or tasks cancel ID.")
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
    desk.console.say_all(gutter(desk.hiding().said(_written(result)), 4_000))


def _list(desk: Desk, known: tuple[KnownTask, ...]) -> None:
    more = f", the first {_SHOWN}" if len(known) > _SHOWN else ""
    no_list = "" if desk.engine.server.lists_tasks else "; the server has no list of them"
    desk.say(f"{count(len(known), 'task')}{more}{no_list}")
    now = time.time()
    for task in known[:_SHOWN]:
        state = task.state
        words = [state.words, task.about, desk.hiding().said(state.message)]
        words += [state.kept_words(now), task.problem]
        desk.say(f"  {visible(state.id)}")
        desk.say(f"    {' · '.join(word for word in words if word)}")


def _chosen(known: tuple[KnownTask, ...], begin: str) -> KnownTask:
    """By the beginning of its id, which no other one has; the list moves. Raises NotDone."""
    found = [one for one in known if begin and one.state.id.startswith(begin)]
    exact = [one for one in found if one.state.id == begin]
    if len(exact or found) != 1:
        raise NotDone("Name one task by its id, or by the beginning of it; tasks lists them.")
    return (exact or found)[0]


def _written(result: dict[str, JsonValue]) -> str:
    return json.dumps(result, indent=2, ensure_ascii=False)
