"""All people against the tools of a server: which tools ask, and what each person saw."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...analysis.consent.checks import Verdict, judge
from ...analysis.consent.people import Observed, Who
from ...content.json.jsonio import JsonValue
from ...headless.live import NotConnected
from ...protocol.tool import ToolDefinition
from .runs import RunSettings, play

FIRST: Final = Who.DECLINES
"""Shows which tools ask: of all answers it has the least effect."""


@dataclass
class ToolConsent:
    """One tool: the call of each person, in the order of `Who`."""

    tool: ToolDefinition
    must_ask: bool = False
    """It was named with --tools."""
    people: list[Observed] = field(default_factory=list)
    problem: str = ""
    """Why it was not called, in words that are safe to show."""
    lost: str = ""
    """Why a server could not be reached, in words that are safe to show."""
    seconds: float = 0.0

    @property
    def asks(self) -> bool:
        """True if it asked any person."""
        return any(one.asked for one in self.people)

    @property
    def accepted(self) -> Observed | None:
        """The call of the person who accepts, or of the one who accepts and answers again."""
        found = {one.who: one for one in self.people if one.was_sent and not one.not_possible}
        return found.get(Who.ACCEPTS)

    def verdicts(self, one: Observed) -> tuple[Verdict, ...]:
        """The checks on the call of one person."""
        return judge(one, self.accepted, must_ask=self.must_ask)

    @property
    def is_broken(self) -> bool:
        return any(each.is_broken for one in self.people for each in self.verdicts(one))


@dataclass(frozen=True)
class ToolInput:
    """A tool with its arguments."""

    tool: ToolDefinition
    arguments: Mapping[str, JsonValue]
    other: Mapping[str, JsonValue] | None = None
    """For the call with an old `requestState`; None makes them."""
    problem: str = ""
    """Why it cannot be called, in words that are safe to show."""


async def try_tools(
    wanted: RunSettings, inputs: Sequence[ToolInput], *, must_ask: bool
) -> AsyncIterator[ToolConsent]:
    """Let each person call each tool that asks; `must_ask`: all of them should.

    A tool that asks nothing is called once if it need not ask.
    """
    for one in inputs:
        yield await try_tool(wanted, one, must_ask=must_ask)


async def try_tool(wanted: RunSettings, one: ToolInput, *, must_ask: bool) -> ToolConsent:
    """Let each person call one tool."""
    began = time.monotonic()
    found = ToolConsent(one.tool, must_ask, problem=one.problem)
    if not one.problem:
        try:
            await _call(wanted, one, found)
        except NotConnected as problem:
            found.lost = str(problem)
    order = list(Who)
    found.people.sort(key=lambda each: order.index(each.who))
    found.seconds = time.monotonic() - began
    return found


async def _call(wanted: RunSettings, one: ToolInput, found: ToolConsent) -> None:
    async def person(who: Who) -> Observed:
        observed = await play(wanted, who, one.tool.name, one.arguments, one.other)
        found.people.append(observed)
        return observed

    first = await person(FIRST)
    if not first.was_sent:
        found.people.clear()
        found.problem = first.not_possible or first.response.reason or "the call was denied"
        return
    if not (first.asked or found.must_ask):
        return
    for who in Who:
        if who is not FIRST:
            await person(who)
