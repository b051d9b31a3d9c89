"""All people against the tools of a server: which tools ask, and what each person saw.

The step `consent: TOOL` of a flow does this for one tool, as `signoff consent` does.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ...analysis.consent.checks import Standing, Verdict, judge
from ...analysis.consent.people import Observed, Who
from ...content.json.jsonio import JsonValue
from ...content.text import count
from ...headless.live import NotConnected, Options
from ...protocol.tool import ToolDefinition
from ..flow import Step
from ..results import Check, Status, StepResult
from ..run.person import ScriptedPerson
from .runs import LIMIT, RunSettings, play, with_sandbox

if TYPE_CHECKING:
    from ...analysis.evidence.watch import Watch
    from ...engine.engine import Engine
    from ..run.session import FlowSession


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


CALLED: Final = "called"


async def consent_step(
    session: FlowSession, step: Step, tool: ToolDefinition, watch: Watch
) -> StepResult:
    """Let each person call the tool; the step's own person decides on each call."""
    person = step.person or session.prepared.flow.person
    config = session.prepared.config

    @contextlib.contextmanager
    def answering(engine: Engine) -> Iterator[None]:
        engine.approver = ScriptedPerson(person, {}, config.decision_seconds)
        yield

    options = Options(
        replace(config, target=replace(config.target, watch=watch), keeps_memory=False)
    )
    settings = RunSettings(
        with_sandbox(options), watch, answering, {}, LIMIT if step.timeout is None else step.timeout
    )
    found = await try_tool(settings, ToolInput(tool, step.arguments or {}), must_ask=True)
    checks = _checks(found)
    failed = any(not one.passed for one in checks)
    played = sum(one.was_sent and not one.not_possible for one in found.people)
    return StepResult(
        title=step.title,
        spot=step.spot,
        status=Status.FAILED if failed else Status.PASSED,
        facts=(f"{count(played, 'call')} by other people", *_notes(found)),
        checks=checks,
        seconds=found.seconds,
    )


def _checks(found: ToolConsent) -> tuple[Check, ...]:
    """The checks of all people; of one code the first that is broken, or else one that is kept."""
    if problem := found.problem or found.lost:
        return (Check(CALLED, "the tool is called", problem, passed=False),)
    checks: dict[str, Check] = {}
    for one in found.people:
        for each in found.verdicts(one):
            known = checks.get(each.code)
            if each.standing in (Standing.KEPT, Standing.BROKEN) and (
                known is None or known.passed
            ):
                seen = f"{one.who.value}: {each.seen}" if each.is_broken else each.seen
                checks[each.code] = Check(each.code, each.expected, seen, not each.is_broken)
    return tuple(checks.values())


def _notes(found: ToolConsent) -> Iterator[str]:
    standings = [each.standing for one in found.people for each in found.verdicts(one)]
    if Standing.NOT_SEEN in standings:
        yield "no effect was seen after accept"
