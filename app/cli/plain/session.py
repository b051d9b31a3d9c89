"""State shared by all plain commands: the engine, the lines, and the selection.

Also tools as numbered lines, and calls as lines: progress, outcome and result.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...calls.call import Call, State
from ...calls.paging import page_after
from ...calls.retries import is_harmless
from ...content.json.jsonio import JsonValue
from ...content.suggest import LONGEST, did_you_mean, shown_name
from ...content.text import cut, seconds, sentence, visible
from ...content.texts.sheet_line import GUTTER
from ...engine.calls.context import NOT_CONNECTED
from ...engine.engine import Engine
from ...engine.session_config import Target
from ...protocol.answers.content import TextPart
from ...protocol.answers.copies import compare_copies
from ...protocol.findings.findings import why_left_out
from ...protocol.hints import Claim, Hint
from ...protocol.progress import Progress, pace_words
from ...protocol.resources.offers import Kind
from ...protocol.server import LATE_SECONDS, Phase, Trust
from ...protocol.tool import Grouping, ToolDefinition, filter_tools, group_tools
from ...schemas.form.form import build_form
from ..approving.keyboard import Keyboard
from ..options.arguments import wanted
from ..output.printing import Hiding
from ..output.readable import finding_line, tell_call
from .console import Console, Dialogue, PlainOut

NOTICES_MAX = 10
"""Lines about events in the background that are printed at once."""
_SHOWN = 80


class NotDone(Exception):
    """A command cannot be carried out; the message gives the reason, and is safe to show."""


class Desk:
    """Remembers the user's selections by name: a list may have changed by the next command."""

    def __init__(
        self,
        engine: Engine,
        console: Console,
        dialogue: Dialogue,
        target: Target,
        *,
        shows_secrets: bool = False,
        late_seconds: float = LATE_SECONDS,
        connect_timeout: float = math.inf,
    ) -> None:
        self.engine = engine
        self.console = console
        self.dialogue = dialogue
        self.target = target
        self.shows_secrets = shows_secrets
        self.late_seconds = late_seconds
        """Seconds until a slow start shows its reason."""
        self.connect_timeout = connect_timeout
        """Seconds until `reconnect` stops waiting."""
        self.chosen = ""
        """The exact name of the chosen tool; empty where none is."""
        self.numbers: tuple[str, ...] = ()
        """The names of the tools in the order in which they were numbered last."""
        self.offer_keys: dict[Kind, tuple[str, ...]] = {}
        """Addresses and names in the order in which they were numbered last."""
        self.selected: int | None = None
        """The call that commands are about which name none."""
        self.running: int | None = None
        """The call that is waited for."""
        self.notices: list[str] = []
        self.notices_left_out = 0
        self.is_leaving = False
        self.servers: Sequence[Desk] = (self,)
        """Those of all servers of the session, itself among them."""
        self.next: Desk | None = None
        """The server that the next command is about; None for this one."""

    @property
    def is_interactive(self) -> bool:
        """True if a person reads and types at a terminal."""
        return sys.stdin.isatty() and self.console.is_terminal

    def say(self, line: str = "") -> None:
        self.console.say(line)

    def note(self, line: str) -> None:
        """Print it before the next prompt."""
        if len(self.notices) < NOTICES_MAX:
            self.notices.append(line)
        else:
            self.notices_left_out += 1

    def say_notices(self) -> None:
        """Print events since the last prompt."""
        lines, left_out = self.notices, self.notices_left_out
        self.notices, self.notices_left_out = [], 0
        self.console.say_all(lines)
        if left_out:
            self.say(f"and {left_out:,} more; findings shows them")

    def hiding(
        self,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
    ) -> Hiding:
        """Mask secrets of the server, and of the arguments of a call."""
        return Hiding(self.shows_secrets, self.engine.server, tool, arguments, self.target.env)

    def number_anew(self) -> None:
        """The numbers are those of the list as it is now."""
        self.numbers = tuple(tool.name for tool in in_order(self.engine.tools))

    def number_of(self, tool: ToolDefinition) -> int:
        order = [id(one) for one in in_order(self.engine.tools)]
        return order.index(id(tool)) + 1 if id(tool) in order else 0

    def tool(self, words: str) -> ToolDefinition:
        """The tool of a number or an exact name; of nothing, the chosen one. Raises NotDone."""
        words = words.strip()
        if not words:
            if not self.chosen:
                raise NotDone("No tool is chosen: give its number or its name; list shows them.")
            words = self.chosen
        elif words.isascii() and words.isdigit():
            return self._numbered(int(words[:9]))
        found = [tool for tool in self.engine.tools if tool.name == words]
        if found:
            return found[0]
        raise NotDone(self._no_tool(words))

    def _numbered(self, number: int) -> ToolDefinition:
        if not self.numbers:
            self.number_anew()
        if not 0 < number <= len(self.numbers):
            raise NotDone(f"No such tool: {number}: the numbers go from 1 to {len(self.numbers)}.")
        name = self.numbers[number - 1]
        tools = in_order(self.engine.tools)
        if number <= len(tools) and tools[number - 1].name == name:
            return tools[number - 1]
        found = [tool for tool in tools if tool.name == name]
        shown = shown_name(cut(name, LONGEST).text)
        if not found:
            raise NotDone(f"Tool {number} was {shown}, which is gone; list shows what there is.")
        if len(found) > 1:
            raise NotDone(f"Tool {number} was {shown}, and now several have that name; list again.")
        return found[0]

    def _no_tool(self, words: str) -> str:
        if why := why_left_out(self.engine.definitions.findings, words):
            return f"No such tool: {why}."
        names = [tool.name for tool in self.engine.tools]
        hint = did_you_mean(words, names, 3)
        if not hint and (near := filter_tools(self.engine.tools, words[:_SHOWN])):
            few = [shown_name(tool.name) for tool in near[:3] if len(tool.name) <= LONGEST]
            hint = f"; did you mean {', '.join(few)}?" if few else ""
        return f"No such tool: “{visible(cut(words, _SHOWN).text)}”{hint or '.'}"

    def call(self, words: str) -> Call:
        """The call of a number; of nothing, the one that was shown last. Raises NotDone."""
        calls = self.engine.calls
        words = words.strip()
        if not words:
            number = self.selected if self.selected in calls else next(reversed(calls), None)
            if number is None:
                raise NotDone("No calls yet.")
            return calls[number]
        if words.isascii() and words.isdigit() and int(words[:9]) in calls:
            return calls[int(words[:9])]
        raise NotDone(f"No such call: “{visible(cut(words, _SHOWN).text)}”; calls lists them.")

    def must_be_open(self) -> None:
        """Raises NotDone if nothing can be sent."""
        server = self.engine.server
        if not server.is_open:
            why = server.ended_words or NOT_CONNECTED
            said = sentence(visible(self.hiding().said(why)), begins=True)
            again = " reconnect starts it again." if self.engine.can_reconnect else ""
            raise NotDone(f"Nothing can be sent. {said}{again}")


def connected_line(desk: Desk) -> str:
    """Count the tools of a server, and name what decides about them."""
    server, count = desk.engine.server, len(desk.engine.tools)
    return (
        f"connected  {count:,} {'tool' if count == 1 else 'tools'}, "
        f"{server.trust.value}, {desk.engine.policy.shown_name} decides; list shows them"
    )


TITLE = 60
DESCRIPTION = 500
"""Characters of a description that are shown by default."""
EVERYTHING = 64_000


def in_order(tools: Sequence[ToolDefinition]) -> tuple[ToolDefinition, ...]:
    """The tools in the order of their numbers: by effect, then as the server lists them."""
    return tuple(tool for group in group_tools(tools, Grouping.EFFECT) for tool in group.tools)


def list_lines(engine: Engine, words: str, grouping: Grouping) -> Iterator[str]:
    """The tools with all of `words` in name, title or description; every number is the tool's."""
    tools = in_order(engine.tools)
    numbers = {id(tool): number for number, tool in enumerate(tools, 1)}
    read_only = words.casefold().split() == ["read-only"]
    found = filter_tools(tools, "" if read_only else words, read_only=read_only)
    shown = visible(cut(words, TITLE).text)
    if not tools:
        yield "The server lists no tools."
        return
    if not found:
        yield f"No tool has “{shown}” in its name, title or description; list shows all."
        return
    total = f"{len(tools):,} {'tool' if len(tools) == 1 else 'tools'}"
    yield total if len(found) == len(tools) else f"{len(found):,} of {total}, with “{shown}”"
    for group in group_tools(found, grouping):
        yield f"{group.label}, {len(group.tools):,}:"
        for tool in group.tools:
            yield tool_line(engine, tool, numbers[id(tool)])


def tool_line(engine: Engine, tool: ToolDefinition, number: int) -> str:
    """`  3  delete_file  destructive, idempotent, closed world: asks with a warning`."""
    title = f" “{cut(tool.title_shown, TITLE).text}”" if tool.title else ""
    reach = f", {tool.reach.words}" if tool.reach.words else ""
    verdict = verdict_words(engine.verdict(tool))
    return f"{number:>3}  {tool.display_name}{title}: {hint_words(tool)}{reach}: {verdict}"


def hint_words(tool: ToolDefinition) -> str:
    """Effect, repeating and world in words."""
    world = "open world" if tool.hints.is_open_world else "closed world"
    said = tool.hints.repeating.value
    repeating = "safe to repeat" if said.startswith("read-only") else said
    return f"{tool.effect.value}, {repeating}, {world}"


def verdict_words(verdict: Verdict) -> str:
    """Name the effect of a verdict: `runs without asking`, `asks with a warning`, `refused`."""
    if verdict.answer is VerdictAnswer.ALLOW and not verdict.reviews_result:
        return "runs without asking"
    return verdict.words


def reasons_line(verdict: Verdict) -> str:
    reasons = visible("; ".join(verdict.reasons))
    rule = f", {visible(verdict.rule)}" if verdict.rule else ""
    return f"policy     {verdict_words(verdict)}: {reasons} ({verdict.policy}{rule})"


def tool_lines(engine: Engine, tool: ToolDefinition, number: int, *, is_all: bool) -> Iterator[str]:
    """Describe one tool: its hints, the verdict on a call, and its arguments."""
    yield f"tool {number}     {tool.display_name}"
    if tool.title:
        yield f"title      “{tool.title_shown}”"
    yield f"effect     {tool.effect.value}: {tool.effect.meaning}"
    for hint in tool.hints:
        yield f"hint       {_hint_line(hint)}"
    if engine.server.trust is Trust.UNTRUSTED:
        yield "           the server is not trusted: its hints are shown and not obeyed"
    if tool.reach.words:
        yield f"reach      {tool.reach.words}"
    yield reasons_line(engine.verdict(tool))
    if tool.description:
        yield "description, the server's words:"
        yield from gutter(tool.description, EVERYTHING if is_all else DESCRIPTION, "show all")
    for finding in tool.findings:
        yield f"{finding.severity.value}    {finding.code}: {finding.message}"
    form = build_form(tool.input_schema)
    if form.raw_only:
        yield f"arguments  JSON only: {form.raw_only}"
    elif not form.fields:
        yield "arguments  none"
    for one in form.fields:
        must = "required" if one.required else "optional"
        name = visible(cut(one.name, TITLE).text)
        yield f"argument   {name}: {wanted(one)}, {must}"
    yield f"call {number} fills them in and calls it; schema {number} shows the raw definition."


def gutter(text: str, limit: int, more: str = "") -> Iterator[str]:
    """Text of the server's, line by line behind a gutter; `more` is the command for the rest."""
    short = cut(text, limit)
    for line in visible(short.text, multiline=True, max_blanks=60).split("\n"):
        yield f"  {GUTTER}{line}"
    if short.is_cut:
        yield f"  ({short.notice}{f'; {more} shows more' if more else ''})"


def _hint_line(hint: Hint) -> str:
    words = f"{hint.name}: {hint.claim.value}"
    if hint.claim is Claim.MALFORMED:
        words += f" ({hint.malformed_as})"
    if not hint.meaningful and hint.claim is not Claim.TRUE:
        return f"{words}, counts for nothing"
    return f"{words}, {str(hint.default).lower()} by default" if hint.is_default else words


PROGRESS_SECONDS = 1.0
"""Between two lines of progress, at least; more for what takes long."""
SILENCE_SECONDS = 10.0
"""Seconds without news until a line reports that a call still runs."""
SHORT, LONG = 8_000, 200_000
"""Characters of a text that are shown of an answer, and where all is asked for."""


async def until_listed(desk: Desk, limit: float = math.inf) -> None:
    """Wait until the server is connected and its tools are listed, or until that has failed.

    Raises NotDone after `limit` seconds.
    """
    engine, begun = desk.engine, time.monotonic()
    has_said_how = False
    # Early for the first time, then as often as of a call.
    said = begun + desk.late_seconds - SILENCE_SECONDS
    while engine.server.phase is Phase.CONNECTING or (
        engine.server.is_open and not engine.is_listed
    ):
        await asyncio.sleep(0.05)
        now = time.monotonic()
        stage = visible(engine.server.stage)
        if now - begun >= limit:
            raise NotDone(f"Still not connected after {limit:g} s: {stage}.")
        if now - said >= SILENCE_SECONDS:
            said = now
            desk.say(f"not connected yet, {seconds(now - begun)}: {stage}")
            if not has_said_how:
                until = "" if limit == math.inf else f" for {limit:g} s"
                desk.say(f"Signoff keeps waiting{until}. Ctrl+C: quit.")
            has_said_how = True


async def follow(engine: Engine, call_id: int, console: Console, keyboard: Keyboard) -> Call:
    """Wait for the end of a call, and print its progress; at a bounded rate.

    Nothing is written while a question is open, which has the `keyboard`.
    """
    ending = asyncio.ensure_future(engine.ended(call_id))
    said, said_at = Progress(), time.monotonic()
    try:
        while not ending.done():
            await asyncio.wait({ending}, timeout=PROGRESS_SECONDS)
            call, now = engine.calls[call_id], time.monotonic()
            if ending.done() or call.state is not State.RUNNING or keyboard.is_taken:
                said_at = now
                continue
            pause = max(PROGRESS_SECONDS, call.elapsed(now) / 30)
            is_news = call.progress.count != said.count and now - said_at >= 0.9 * pause
            if is_news or now - said_at >= max(SILENCE_SECONDS, pause):
                said, said_at = call.progress, now
                console.say(progress_line(call, now))
    finally:
        ending.cancel()
    return engine.calls[call_id]


def progress_line(call: Call, now: float) -> str:
    """`call 3: 9/15, 60 %, 2.0 s, 4.3/s, 1.4 s left: Running: 0009`."""
    progress = call.progress
    words = [progress.words] if progress.words else ["running"]
    if progress.fraction is not None:
        words.append(f"{progress.fraction:.0%}".replace("%", " %"))
    words.append(seconds(call.elapsed(now)))
    if call.cancel_requested:
        words.append("cancel requested")
    else:
        words += (one.replace(" · ", ", ") for one in pace_words(call.pace, progress, now)[:1])
    message = f": {progress.message}" if progress.message else ""
    return f"call {call.id}: {', '.join(words)}{message}"


def call_line(call: Call, now: float) -> str:
    """One line of the list of calls."""
    elapsed = seconds(call.elapsed(now)) if call.sent else "not sent"
    again = f", retry of call {call.retry_of}" if call.retry_of is not None else ""
    page = f", {call.page.words}" if call.page is not None else ""
    return f"{call.id:>3}  {call.request.display_name}: {call.status}, {elapsed}{again}{page}"


def tell(engine: Engine, call: Call, console: Console, hiding: Hiding, *, is_all: bool) -> None:
    """Print all of a call: decision, outcome, result, and next steps."""
    console.say(f"call {call.id}")
    tell_call(PlainOut(console, hiding, LONG if is_all else SHORT), engine.server, call)
    out = PlainOut(console, hiding, SHORT)
    for finding in call.findings:
        finding_line(out, finding)
    console.say_all(_about_copies(call))
    if call.comparison is not None:
        console.say(f"This response {call.comparison.headline}.")
        console.say_all(f"  {words}" for words in call.comparison.words)
    if call.withheld:
        console.say("The response was withheld: nothing of it is kept.")
    if (page := page_after(call)) is not None:
        shown = (
            page.words
            if page.is_repeated
            else f"more: next asks for the next page, cursor {page.cursor_shown}"
        )
        console.say(shown)
    console.say_all(_what_then(engine, call))


def _about_copies(call: Call) -> Iterator[str]:
    """Describe whether the text repeats the structured part."""
    answer = call.answer
    if answer is None or not answer.has_structured:
        return
    texts = [part.text for part in answer.parts if isinstance(part, TextPart)]
    if texts and (words := compare_copies(texts, answer.structured).words):
        yield words


def _what_then(engine: Engine, call: Call) -> Iterator[str]:
    if call.is_unknown or is_harmless(call):
        advice = engine.advice(call)
        first = "" if engine.server.is_open else "reconnect, then "
        yield f"{first}retry {call.id}: {advice.reason}" if advice.is_offered else advice.reason
