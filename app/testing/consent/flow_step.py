"""The step `consent: TOOL` of a flow: all people against one tool, as `signoff consent` does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...analysis.consent.checks import Standing
from ...content.text import count
from ...headless.live import Options
from ...protocol.tool import ToolDefinition
from ..flow import Step
from ..results import Check, Status, StepResult
from ..run.person import ScriptedPerson
from .runs import LIMIT, RunSettings, with_sandbox
from .tools import ToolConsent, ToolInput, try_tool

if TYPE_CHECKING:
    from ...analysis.evidence.watch import Watch
    from ...engine.engine import Engine
    from ..run.session import FlowSession

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
