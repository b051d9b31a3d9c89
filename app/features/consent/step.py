"""The step `consent: TOOL` of a flow: all people call one tool, as in `signoff consent`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...cli.approving.person import ScriptedPerson
from ...cli.output.results import Check, Status, StepResult
from ...cli.targets.live import NotConnected, Options
from ...content.text import count
from ...protocol.tool import ToolDefinition
from ...protocol.wire.frames import WireLog
from ..flows.flow import Step
from .checks import Standing
from .eras import Era, eras_of
from .runs import AT_ONCE, LIMIT, RunSettings, with_sandbox
from .tools import ToolConsent, ToolInput, trial, try_tool

if TYPE_CHECKING:
    from ...calls.effects.watch import Watch
    from ...engine.engine import Engine
    from ..flows.run.session import FlowSession

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

    options = with_sandbox(
        Options(replace(config, target=replace(config.target, watch=watch), keeps_memory=False))
    )
    limit = LIMIT if step.timeout is None else step.timeout
    room = asyncio.Semaphore(AT_ONCE)
    settings = RunSettings(options, watch, answering, {}, limit, room=room)
    try:
        eras = await eras_of(options, watch, WireLog())
    except NotConnected as problem:
        check = Check(CALLED, "the tool is called", str(problem), passed=False)
        return StepResult(step.title, step.spot, Status.FAILED, checks=(check,))
    trials = [
        trial(settings, era, ToolInput(one, step.arguments or {}, is_given=True))
        for era in eras
        for one in era.tools
        if one.name == tool.name
    ]
    found = await try_tool(trials, must_ask=True)
    checks = (*_lost(eras), *_checks(found))
    failed = any(not one.passed for one in checks)
    people = [one for each in found for one in each.people]
    played = sum(one.was_sent and not one.not_possible for one in people)
    return StepResult(
        title=step.title,
        spot=step.spot,
        status=Status.FAILED if failed else Status.PASSED,
        facts=(f"{count(played, 'call')} by other people", *_notes(found, eras)),
        checks=checks,
        seconds=sum(one.seconds for one in found),
    )


def _lost(eras: Sequence[Era]) -> Iterator[Check]:
    for one in eras:
        if one.lost:
            yield Check(CALLED, f"the tool is called in {one.version}", one.lost, passed=False)


def _checks(found: Sequence[ToolConsent]) -> tuple[Check, ...]:
    """The checks of all people; of one code the first that is broken, or else one that is kept."""
    checks: dict[str, Check] = {}
    for of_era in found:
        if problem := of_era.problem or of_era.lost:
            seen = f"{of_era.era}: {problem}"
            checks.setdefault(CALLED, Check(CALLED, "the tool is called", seen, passed=False))
        for one in of_era.people:
            for each in of_era.verdicts(one):
                known = checks.get(each.code)
                if each.standing in (Standing.KEPT, Standing.BROKEN) and (
                    known is None or known.passed
                ):
                    where = f"{of_era.era}, {one.who.value}: "
                    seen = f"{where}{each.seen}" if each.is_broken else each.seen
                    checks[each.code] = Check(each.code, each.expected, seen, not each.is_broken)
    return tuple(checks.values())


def _notes(found: Sequence[ToolConsent], eras: Sequence[Era]) -> Iterator[str]:
    yield f"in {' and '.join(one.era for one in found)}"
    for era in eras:
        if era.not_offered:
            yield f"{era.version} is not offered"
    if any(Standing.NOT_SEEN in one.standings() for one in found):
        yield "no effect was seen after accept"
