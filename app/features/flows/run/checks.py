"""Checks the observations of a step against its expectations.

Patterns and schemas of flows are tried in the worker that can be killed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ....approval.approval import DecisionAnswer
from ....approval.server_questions import AboutElicitation, AboutSampling
from ....calls.call import Outcome
from ....cli.approving.people import AskedQuestion, Person
from ....cli.output.results import Check, StepObservation
from ....content.json.jsonio import JsonValue
from ....content.json.jsonio import pointer as place_words
from ....content.text import visible
from ....sandbox.worker import WorkerStopped, judge_in_worker, run_limited
from ....sandbox.worker_side import WorkerLimits
from ....schemas.schema import SchemaAnswer
from ..checking import OF_THE_DECISION, check
from ..flow import Step
from ..matching import json_excerpt, pointed
from ..settling import settlings
from ..updating import proposals
from .session import FlowSession

SECONDS: Final = 1.0
"""Processor time that one pattern may take on one text."""
WALL_SECONDS: Final = 10.0
"""The same by the clock: a busy machine must not fail an honest server."""


class WorkerJudges:
    """Tries what a server can make expensive if it can be stopped."""

    async def search(self, pattern: str, text: str) -> tuple[bool, str]:
        """Search a pattern in a text; the second value is the reason if that is unknown."""
        try:
            groups = await run_limited(found, pattern, text, limits=_limits())
        except WorkerStopped as stopped:
            return False, stopped.reason
        except (re.error, OverflowError) as problem:
            return False, visible(str(problem))
        return groups is not None, ""

    async def keeps(self, schema: JsonValue, value: JsonValue) -> str:
        """Describe how a value breaks a schema; empty if it is valid."""
        verdict = await judge_in_worker(True if schema is None else schema, value)
        if verdict.answer is SchemaAnswer.VALID:
            return ""
        said = [f"{place_words(one.path)}: {one.message}" for one in verdict.errors[:3]]
        return "; ".join(said) or verdict.reason or verdict.answer.value

    async def captured(self, pattern: str, text: str) -> tuple[str | None, str]:
        """Return a pattern's first group, or its whole match; and the reason if that is unknown."""
        try:
            return await run_limited(found, pattern, text, limits=_limits()), ""
        except WorkerStopped as stopped:
            return None, stopped.reason
        except (re.error, OverflowError) as problem:
            return None, visible(str(problem))


def _limits() -> WorkerLimits:
    return WorkerLimits(wall_seconds=WALL_SECONDS, cpu_seconds=SECONDS)


def found(pattern: str, text: str) -> str | None:
    """Return a pattern's first match, however long it takes; it belongs into a worker."""
    hit = re.search(pattern, text)
    if hit is None:
        return None
    return hit.group(1) or "" if hit.re.groups else hit.group()


JUDGES: Final = WorkerJudges()
_OF_THE_PERSON: Final = frozenset(("decided_by", "ended_because", "within"))
"""Expectations that differ from person to person, even with the same answer."""
_LASTS_NOT: Final = ("approve", "deny", "close", "absent")
"""Answers that mean something for one call alone."""
_LOST: Final = (Outcome.CONNECTION_LOST, Outcome.FAULT, Outcome.SERVER_FAILED)


async def checks_of(session: FlowSession, step: Step, seen: StepObservation) -> list[Check]:
    """All that is expected of a step, and what holds of every one."""
    left_out = left_out_of(session, step, seen)
    wanted = [one for one in step.expected if one.name not in left_out]
    found: list[Check] = []
    for one in wanted:
        found += await check(one, seen, JUDGES)
    found += _implied(session, step, seen, {one.name for one in wanted})
    for proof in seen.proofs:
        words, said = f"0 {proof.method} frames", proof.words
        if proof.frames:
            said += " sent without approval: an error of Signoff, not of the server"
        found.append(Check("wire", words, said, proof.holds, step.spot))
    return found


def left_out_of(session: FlowSession, step: Step, seen: StepObservation) -> tuple[str, ...]:
    """Expectations that are not checked, since a simulated person answered and not the flow's.

    All are checked for as long as they answer alike: an approved call is the same for either. From
    the first different answer on, everything after a decision may differ.
    """
    if session.simulated is None:
        return ()
    names = dict.fromkeys(one.name for one in step.expected)
    if session.has_strayed:
        return tuple(one for one in names if one not in OF_THE_DECISION)
    return tuple(one for one in names if one in _OF_THE_PERSON and seen.dialogs)


def answered_as_written(given: Person, asked: Sequence[AskedQuestion]) -> bool:
    """True if a simulated person has answered as the one of the flow would have."""
    return all(
        not isinstance(one.question, AboutElicitation | AboutSampling)
        and given.answer in _LASTS_NOT
        and given.remember == "once"
        and given.uses
        and not one.decision.for_session
        and (one.decision.answer is DecisionAnswer.APPROVE) == (given.answer == "approve")
        for one in asked
    )


def _implied(
    session: FlowSession, step: Step, seen: StepObservation, named: set[str]
) -> list[Check]:
    """Checks on every call unless a step has expectations of its own: the connection survives, and
    without expectations the call is answered, or denied.
    """
    call = seen.call
    if call is None or call.outcome is None or "outcome" in named:
        return []
    said = f"{call.outcome.value}: {call.reason}" if call.reason else call.outcome.value
    if call.outcome in _LOST:
        return [Check("outcome", "a running server", said, False, step.spot)]
    if step.expected or session.simulated is not None:
        return []
    is_fine = call.outcome in (Outcome.OK, Outcome.DENIED)
    return [Check("outcome", "ok or denied (the default)", said, is_fine, step.spot)]


def troubles_of(asked: list[AskedQuestion]) -> list[Check]:
    """Failed checks for actions that the person could not do."""
    return [
        Check("person", "an answer that the dialog offers", one.trouble, passed=False)
        for one in asked
        if one.trouble
    ]


async def captured(session: FlowSession, step: Step, seen: StepObservation) -> list[Check]:
    """Keep the values that later steps use; a value that is not there fails the step."""
    found: list[Check] = []
    raw = seen.told if seen.call is None else seen.call.raw
    for one in step.captures:
        session.values.pop(one.name, None)
        if one.regex:
            value, why = await JUDGES.captured(one.regex, seen.texts or "")
            if value is not None and (number := one.read(value)) is not None:
                session.values[one.name] = number
                continue
            expected, words = f"/{one.regex}/", why or json_excerpt(seen.texts)
        else:
            inside = pointed(raw, one.pointer or "")
            if inside and raw is not None:
                session.values[one.name] = inside[0]
                continue
            expected, words = f"something at {one.pointer or 'the result'}", json_excerpt(raw)
        if session.simulated is None:
            found.append(Check(f"capture {one.name}", expected, words, False, one.spot))
    return found


def instead(step: Step, seen: StepObservation, checks: list[Check]) -> dict[str, Any]:
    """Alternative expectations: the observed values, or the common part of both."""
    failed = {one.name for one in checks if not one.passed}
    if not failed:
        return {}
    return {
        "proposals": tuple(proposals(step, seen, failed)),
        "settlings": tuple(settlings(step, seen, failed)),
    }
