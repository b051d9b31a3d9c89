"""All people against the tools of a server: which tools ask, and what each person saw.

Each tool is tried in each era that lists it. One that asks in one era has to ask in the others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from ...cli.targets.live import NotConnected
from ...content.json.jsonio import JsonValue
from ...protocol.tool import ToolDefinition
from .checks import CheckVerdict, Others, Standing, failed_unasked, judge
from .eras import Era, with_protocol
from .people import Observed, Who
from .runs import RunSettings, play

FIRST: Final = Who.DECLINES
"""Shows which tools ask: of all answers it has the least effect."""


class NotCalled(StrEnum):
    """Kinds of reasons why a tool was not called, in words of a summary."""

    NO_INPUT = "no valid arguments (--inputs gives some)"
    NOT_CALLABLE = "an invalid definition"
    NOT_APPROVED = "no approval (see --approve)"
    LOST = "the server was lost"


@dataclass(frozen=True)
class ToolInput:
    """A tool with its arguments."""

    tool: ToolDefinition
    arguments: Mapping[str, JsonValue]
    other: Mapping[str, JsonValue] | None = None
    """For the call with an old `requestState`, and for a second call; None makes them."""
    problem: str = ""
    """Why it cannot be called, in words that are safe to show."""
    is_given: bool = False
    """True if the user gave the arguments."""


@dataclass
class ToolConsent:
    """One tool in one era: the call of each person, in the order of `Who`."""

    given: ToolInput
    era: str
    """The revision that was spoken."""
    must_ask: bool = False
    """It was named with --tools, or asks in another era."""
    is_only: bool = False
    """True if only this era lists it, of several that are offered."""
    asks_in: str = ""
    """Another era in which it asks, as `--protocol` names it; empty for none."""
    accepts: Mapping[str, str] = field(default_factory=dict)
    """Code of a check -> why the user accepts it."""
    people: list[Observed] = field(default_factory=list)
    problem: str = ""
    """Why it was not called, in words that are safe to show."""
    not_called: NotCalled | None = None
    lost: str = ""
    """Why a server could not be reached, in words that are safe to show."""
    seconds: float = 0.0

    @property
    def tool(self) -> ToolDefinition:
        return self.given.tool

    @property
    def asks(self) -> bool:
        """True if it asked any person."""
        return any(one.asked for one in self.people)

    @property
    def awaits(self) -> bool:
        """True if a call waited for an approval on the server's side, or was denied there."""
        return any(one.awaited or one.is_refused for one in self.people)

    @property
    def has_failed(self) -> bool:
        """True if its call ended with an error before it asked a person."""
        return not self.asks and any(map(failed_unasked, self.people))

    @property
    def is_told(self) -> bool:
        """True if a report has more about it than that it did not ask."""
        return bool(self.lost or self.asks or self.awaits or self.must_ask or self.breaches)

    @property
    def breaches(self) -> tuple[CheckVerdict, ...]:
        """The checks that are broken, accepted ones among them."""
        found = [each for one in self.people for each in self.verdicts(one)]
        return tuple(each for each in found if each.is_broken or each.reason)

    @property
    def is_broken(self) -> bool:
        return any(each.is_broken for each in self.breaches)

    def verdicts(self, one: Observed) -> tuple[CheckVerdict, ...]:
        """The checks on the call of one person."""
        found = {each.who: each for each in self.people if each.was_sent and not each.not_possible}
        first = found.get(FIRST)
        # A call without a question is done as if it had been accepted.
        compared = found.get(Who.ACCEPTS) or (first if first and not first.asked else None)
        if compared is not None and compared.is_refused:
            compared = None
        others = Others(compared, first, self.must_ask, self.has_failed, self.accepts)
        return judge(one, others)

    def standings(self) -> set[Standing]:
        """The results of its checks."""
        return {each.standing for one in self.people for each in self.verdicts(one)}


@dataclass
class ConsentTrial:
    """One tool in one era: its arguments, settings and result."""

    era: Era
    given: ToolInput
    settings: RunSettings
    found: ToolConsent


def trial(settings: RunSettings, era: Era, given: ToolInput) -> ConsentTrial:
    """Prepare the calls of a tool in an era."""
    of_era = replace(settings, options=with_protocol(settings.options, era.protocol))
    found = ToolConsent(given, era.version, problem=given.problem, accepts=settings.accepts)
    if given.problem:
        found.not_called = NotCalled.NO_INPUT if given.tool.callable else NotCalled.NOT_CALLABLE
    return ConsentTrial(era, given, of_era, found)


async def try_tool(
    trials: Sequence[ConsentTrial], *, must_ask: bool, is_only: bool = False
) -> list[ToolConsent]:
    """Let each person call one tool in each era; `must_ask`: it was named as one that asks.

    If the person who declines is not asked, the others do not call. A tool that
    should have asked is tried by the client that cannot be asked, too.
    """
    await _beside(*(_play(one, FIRST) for one in trials))
    for one in trials:
        _look_at_first(one.found)
    asking = [one for one in trials if one.found.asks]
    for one in trials:
        one.found.must_ask = must_ask or bool(asking)
        one.found.is_only = is_only
        others = [each.era.protocol for each in asking if each is not one]
        one.found.asks_in = others[0] if others else ""
    await _beside(*(_play(one, who) for one in trials for who in _further(one.found)))
    order = list(Who)
    for one in trials:
        one.found.people.sort(key=lambda each: order.index(each.who))
    return [one.found for one in trials]


async def _beside(*calls: Coroutine[Any, Any, None]) -> None:
    """Wait for all of them; the settings limit how many run at the same time."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in calls:
                group.create_task(one)
    except ExceptionGroup as problems:
        raise problems.exceptions[0] from None


def _further(found: ToolConsent) -> Sequence[Who]:
    """Who calls after the first person."""
    if not found.people or found.lost:
        return ()
    waits = (Who.WITHDRAWS,) if any(one.awaited for one in found.people) else ()
    if found.asks:
        return [who for who in Who if who not in (FIRST, Who.WITHDRAWS)] + list(waits)
    return ((Who.UNABLE,) if found.must_ask and not found.awaits else ()) + waits


async def _play(one: ConsentTrial, who: Who) -> None:
    found, given = one.found, one.given
    if found.problem or found.lost:
        return
    began = time.monotonic()
    try:
        observed = await play(one.settings, who, given.tool.name, given.arguments, given.other)
        found.people.append(observed)
    except NotConnected as problem:
        found.lost = found.lost or str(problem)
        found.not_called = None if found.people else NotCalled.LOST
    found.seconds += time.monotonic() - began


def _look_at_first(found: ToolConsent) -> None:
    """A call that was not sent leaves nothing to judge."""
    for first in found.people:
        if not first.was_sent:
            found.people = []
            found.problem = first.not_possible or first.response.reason or "the call was denied"
            found.not_called = NotCalled.NOT_APPROVED
