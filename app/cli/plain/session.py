"""State shared by all plain commands: the engine, the lines, the selection; a tool as lines."""

from __future__ import annotations

import asyncio
import math
import re
import sys
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from typing import Any, Final

from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...calls.call import Call
from ...content.json.jsonio import JsonValue
from ...content.labels import and_more
from ...content.suggest import LONGEST, shown_name
from ...content.text import count, cut, seconds, sentence, visible
from ...content.texts.sheet_line import GUTTER
from ...engine.calls.context import NOT_CONNECTED
from ...engine.engine import Engine
from ...engine.session_config import SessionConfig
from ...protocol.findings.findings import words as finding_words
from ...protocol.hints import Claim, Hint
from ...protocol.server import LATE_SECONDS, Phase, Trust
from ...protocol.tool import ToolDefinition
from ...schemas.form.form import build_form
from ..options.arguments import wanted
from ..output.printing import Hiding
from ..output.readable import in_order
from ..targets.live import find_tool
from ..targets.targets import UsageError
from .console import Console, Dialogue, InputCancelled

NOTICES_MAX = 10
"""Lines about events in the background that are printed at once."""
_SHOWN = 80


class NotDone(Exception):
    """A command cannot be carried out; the message gives the reason, and is safe to show."""


_LISTED: Final = re.compile(r"\(signoff ([a-z]+)(?: list)?(?: SERVER)? (lists|shows) them\)")


def not_done(problem: Exception) -> NotDone:
    """The problem of a command, which names lists as they are typed here."""
    return NotDone(_LISTED.sub(r"(\1 \2 them)", str(problem)))


def is_number(words: str) -> bool:
    """True for a number as a person types it."""
    return words.isascii() and words.isdigit()


class PlainSession:
    """Remembers the user's selections by name: a list may have changed by the next command."""

    def __init__(
        self,
        engine: Engine,
        console: Console,
        dialogue: Dialogue,
        config: SessionConfig,
        *,
        late_seconds: float = LATE_SECONDS,
    ) -> None:
        self.engine = engine
        self.console = console
        self.dialogue = dialogue
        self.config = config
        self.late_seconds = late_seconds
        """Seconds until a slow start shows its reason."""
        self.chosen = ""
        """The exact name of the chosen tool; empty where none is."""
        self.numbers: dict[str, tuple[str, ...]] = {}
        """By their kind, the names and addresses in the order in which they were numbered last."""
        self.words: tuple[str, ...] = ()
        """The words that leave fewer rows of the list that is being printed."""
        self.selected: int | None = None
        """The call that commands are about which name none."""
        self.running: int | None = None
        """The call that is waited for."""
        self.work: asyncio.Task[None] | None = None
        """The command that is waited for; its calls are waited for by themselves."""
        self.notices: list[str] = []
        self.notices_left_out = 0
        self.is_leaving = False
        self.servers: Sequence[PlainSession] = (self,)
        """Those of all servers of the session, itself among them."""
        self.next: PlainSession | None = None
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
        if more := and_more(left_out):
            self.say(f"{more}; findings shows them")

    def hiding(
        self,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
    ) -> Hiding:
        """Mask secrets of the server, and of the arguments of a call."""
        return Hiding(False, self.engine.server, tool, arguments, self.config.target.env)

    async def working(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for the work of a command, which Ctrl+C cancels. Raises InputCancelled."""
        task = self.work = asyncio.create_task(work)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise
        finally:
            self.work = None
        if task.cancelled():
            raise InputCancelled
        task.result()

    def number_anew(self) -> None:
        """The numbers are those of the list as it is now."""
        self.numbers["tool"] = tuple(tool.name for tool in in_order(self.engine))

    def number_of(self, tool: ToolDefinition) -> int:
        order = [id(one) for one in in_order(self.engine)]
        return order.index(id(tool)) + 1 if id(tool) in order else 0

    def tool(self, words: str) -> ToolDefinition:
        """The tool of a number or an exact name; of nothing, the chosen one. Raises NotDone."""
        words = words.strip()
        if not words:
            if not self.chosen:
                raise NotDone("No tool is chosen: give its number or its name; list shows them.")
            words = self.chosen
        elif is_number(words):
            return self._numbered(int(words[:9]))
        try:
            return find_tool(self.engine, words)
        except UsageError as problem:
            raise not_done(problem) from None

    def only_name(self, tool: ToolDefinition) -> str:
        """The name of a tool, by which a command finds it. Raises NotDone if it finds another."""
        if find_tool(self.engine, tool.name) is tool:
            return tool.name
        raise NotDone(f"Several tools have the name {tool.display_name}; call NUMBER fills one in.")

    def _numbered(self, number: int) -> ToolDefinition:
        if "tool" not in self.numbers:
            self.number_anew()
        numbers = self.numbers["tool"]
        if not 0 < number <= len(numbers):
            raise NotDone(f"No such tool: {number}: the numbers go from 1 to {len(numbers)}.")
        name = numbers[number - 1]
        tools = in_order(self.engine)
        if number <= len(tools) and tools[number - 1].name == name:
            return tools[number - 1]
        found = [tool for tool in tools if tool.name == name]
        shown = shown_name(cut(name, LONGEST).text)
        if not found:
            raise NotDone(f"Tool {number} was {shown}, which is gone; list shows what there is.")
        if len(found) > 1:
            raise NotDone(f"Tool {number} was {shown}, and now several have that name; list again.")
        return found[0]

    def call(self, words: str) -> Call:
        """The call of a number; of nothing, the one that was shown last. Raises NotDone."""
        calls = self.engine.calls
        words = words.strip()
        if not words:
            number = self.selected if self.selected in calls else next(reversed(calls), None)
            if number is None:
                raise NotDone("No calls yet.")
            return calls[number]
        if is_number(words) and int(words[:9]) in calls:
            return calls[int(words[:9])]
        raise NotDone(f"No such call: “{visible(cut(words, _SHOWN).text)}”; calls lists them.")

    def must_be_open(self) -> None:
        """Raises NotDone if nothing can be sent."""
        server = self.engine.server
        if not server.is_open:
            why = server.ended_words or NOT_CONNECTED
            said = sentence(visible(self.hiding().said(why)), begins=True)
            again = " restart starts it again." if self.engine.can_reconnect else ""
            raise NotDone(f"Nothing can be sent. {said}{again}")


def connected_line(desk: PlainSession) -> str:
    """Count the tools of a server, and name what decides about them."""
    tools = count(len(desk.engine.tools), "tool")
    decides = f"{desk.engine.server.trust.value}, {desk.engine.policy.shown_name} decides"
    return f"connected  {tools}, {decides}; list shows them"


TITLE = 60
DESCRIPTION = 500
"""Characters of a description that are shown by default."""
EVERYTHING = 64_000


def hint_words(tool: ToolDefinition) -> str:
    """Effect, repeating and world in words."""
    world = "open world" if tool.hints.is_open_world else "closed world"
    return f"{tool.effect.value}, {tool.hints.repeating.beside_effect}, {world}"


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
        yield finding_words(finding)
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


SILENCE_SECONDS = 10.0
"""Seconds without news until a line reports that a call still runs."""


async def until_listed(desk: PlainSession, limit: float = math.inf) -> None:
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
        if engine.is_signing_in:
            # What a person takes for it does not count, and needs no other line.
            begun = said = now
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
