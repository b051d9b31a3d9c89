"""One step of a flow: done on the bench, and held against what is expected of it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from signoff.app.core.approval_flows.checking import OF_THE_DECISION, check
from signoff.app.core.approval_flows.flow import Person, Step
from signoff.app.core.approval_flows.matching import json_excerpt, pointed
from signoff.app.core.approval_flows.results import Check, Status, StepResult
from signoff.app.core.approval_flows.seen import Asked, Seen
from signoff.app.core.approval_flows.updating import proposals
from signoff.app.core.approval_flows.variables import UnknownVariable, filled_in, filled_text
from signoff.app.core.approvals.approval import DecisionAnswer
from signoff.app.core.approvals.server_questions import AboutElicitation, AboutSampling
from signoff.app.core.calls import Call, Outcome
from signoff.app.core.jsonio import JsonError, JsonValue
from signoff.app.core.text import cut, visible
from signoff.app.core.wire.frames import SERVER, Kind
from signoff.app.core.wire.reading import body_of, read
from signoff.app.flows.live import find_tool
from signoff.app.flows.testing.flow_session import FlowSession, limits_for
from signoff.app.flows.testing.worker_judges import WorkerJudges
from signoff.app.targets import UsageError

if TYPE_CHECKING:
    from signoff.app.core.tools import ToolDefinition

WAIT_SECONDS: Final = 10.0
LOOK_SECONDS: Final = 0.01
LINE_SHOWN: Final = 400
"""Characters of a line of a dialog in a report."""
JUDGES: Final = WorkerJudges()
Proposed = tuple[tuple[tuple[str | int, ...], JsonValue], ...]
_LOST: Final = (Outcome.CONNECTION_LOST, Outcome.FAULT, Outcome.SERVER_FAILED)


class CannotRun(Exception):
    """A step that makes no sense on this server; what was wanted, and what there is."""

    def __init__(self, name: str, expected: str, seen: str) -> None:
        super().__init__(seen)
        self.check = Check(name, expected, seen, passed=False)


@dataclass(slots=True)
class _Tried:
    """What was done for a step, and all that was seen of it."""

    seen: Seen
    mark: int
    """The newest frame before it."""
    troubles: list[Check]


async def run_step(session: FlowSession, step: Step) -> StepResult:
    """Do it once."""
    mark = session.wire.count
    began = time.monotonic()
    session.found.clear()
    try:
        step = _filled(step, session.values)
        tried = await _done(session, step)
    except CannotRun as problem:
        own = replace(problem.check, spot=step.spot)
        took = time.monotonic() - began
        return _safe(
            session, None, StepResult(step.title, step.spot, Status.FAILED, (), (own,)), took
        )
    checks = await _checks(session, step, tried.seen)
    checks += tried.troubles
    checks += await _captured(session, step, tried.seen)
    failed = any(not one.passed for one in checks)
    if step.action != "wait":
        session.since = mark
    result = StepResult(
        title=step.title,
        spot=step.spot,
        status=Status.FAILED if failed else Status.PASSED,
        facts=tuple(_facts(tried.seen)),
        checks=tuple(checks),
        proof=tried.seen.proofs[-1] if tried.seen.proofs else None,
        dialog=_dialog_lines(tried.seen) if failed else (),
        wire=session.wire_lines(mark) if failed else (),
        proposals=_proposals(step, tried.seen, checks),
    )
    return _safe(session, tried.seen.call, result, time.monotonic() - began)


async def _done(session: FlowSession, step: Step) -> _Tried:
    match step.action:
        case "wait":
            return await _wait(session, step)
        case "subscribe":
            mark = session.wire.count
            began = time.monotonic()
            if problem := await session.bench.offers.subscribe(step.target):
                raise CannotRun("subscribe", f"updates of {step.target}", problem)
            return _Tried(Seen(None, seconds=time.monotonic() - began), mark, [])
    return await _call(session, step)


def _proposals(step: Step, seen: Seen, checks: list[Check]) -> Proposed:
    failed = {one.name for one in checks if not one.passed}
    return tuple(proposals(step, seen, failed)) if failed else ()


def _filled(step: Step, values: Mapping[str, JsonValue]) -> Step:
    try:
        replies = {
            kind: tuple(replace(one, values=filled_in(one.values, values)) for one in several)
            for kind, several in step.replies.items()
        }
        person = step.person
        if person is not None and person.to is not None:
            person = replace(person, to=filled_in(person.to, values))
        return replace(
            step,
            target=filled_text(step.target, values),
            arguments=filled_in(step.arguments, values),
            expected=tuple(
                replace(one, value=filled_in(one.value, values)) for one in step.expected
            ),
            person=person,
            replies=replies,
        )
    except UnknownVariable as unknown:
        words = "it was not captured: the step that does failed, or was not run"
        raise CannotRun("variables", f"a value for ${{{unknown.name}}}", words) from None


async def _call(session: FlowSession, step: Step) -> _Tried:
    """Make the call, the read or the prompt; an edited one is made anew."""
    bench, mark = session.bench, session.wire.count
    arguments = dict(step.arguments or {})
    tool = _tool(session, step.target) if step.action == "call" else None
    given = step.person or session.prepared.flow.person
    seconds = step.timeout if step.timeout is not None else session.prepared.flow.timeout
    bench.limits = limits_for(seconds)
    await bench.log_level_told()
    person = session.attend(given, step.replies)
    began = time.monotonic()
    proofs = []
    call = await _ended(session, step, tool, arguments)
    if not call.sent:
        proofs.append(session.proof(call, mark))
    if call.decision is not None and call.decision.answer is DecisionAnswer.EDIT:
        person.person = Person(given.then, to=None, uses=given.uses)
        second = session.wire.count
        call = await _ended(session, step, tool, dict(given.to or {}))
        if not call.sent:
            proofs.append(session.proof(call, second))
    took = time.monotonic() - began - person.waited
    is_server = [isinstance(one.question, AboutElicitation | AboutSampling) for one in person.asked]
    asked = list(zip(person.asked, is_server, strict=True))
    seen = Seen(
        call=call,
        dialogs=tuple(one for one, of_server in asked if not of_server),
        asked=tuple(one for one, of_server in asked if of_server),
        proofs=tuple(proofs),
        seconds=max(0.0, took),
        codes=tuple(one.code for one in session.found),
    )
    return _Tried(seen, mark, _troubles(person.asked))


async def _ended(
    session: FlowSession, step: Step, tool: ToolDefinition | None, arguments: dict[str, Any]
) -> Call:
    bench = session.bench
    try:
        if tool is not None:
            call_id = bench.call(tool, arguments)
        elif step.action == "read":
            call_id = bench.read(step.target)
        else:
            call_id = bench.get_prompt(step.target, arguments)
    except ValueError:
        raise CannotRun("with", "values that JSON can carry", "others") from None
    try:
        return await bench.ended(call_id)
    except asyncio.CancelledError:
        bench.cancel(call_id)
        with contextlib.suppress(asyncio.CancelledError):
            await bench.ended(call_id)
        raise


def _tool(session: FlowSession, name: str) -> ToolDefinition:
    try:
        return find_tool(session.bench, name)
    except UsageError as problem:
        raise CannotRun("call", f"the tool “{name}”", str(problem)) from None


async def _wait(session: FlowSession, step: Step) -> _Tried:
    """Wait for a notification that came since the step before began, or comes now."""
    method = f"notifications/{step.target}"
    began, mark = time.monotonic(), session.wire.count
    until = began + (WAIT_SECONDS if step.timeout is None else step.timeout)
    looked_at = session.since
    while True:
        for frame in session.wire.since(looked_at):
            looked_at = frame.number
            found = read(frame) if frame.sender == SERVER else None
            if found is None or found.kind is not Kind.NOTIFICATION or found.method != method:
                continue
            session.since = frame.number
            params: JsonValue = None
            with contextlib.suppress(JsonError):
                body = body_of(frame)
                params = body.get("params") if isinstance(body, dict) else None
            took = time.monotonic() - began
            return _Tried(Seen(None, seconds=took, told=params, is_told=True), mark, [])
        if time.monotonic() >= until:
            raise CannotRun("wait", method, f"it did not come within {until - began:g} s")
        await asyncio.sleep(LOOK_SECONDS)


async def _checks(session: FlowSession, step: Step, seen: Seen) -> list[Check]:
    wanted = step.expected
    if session.simulated is not None:
        # Whatever is said after the decision hangs on a person who is another one now.
        wanted = tuple(one for one in wanted if one.name in OF_THE_DECISION)
    found: list[Check] = []
    for one in wanted:
        found += await check(one, seen, JUDGES)
    found += _implied(session, step, seen, {one.name for one in wanted})
    for proof in seen.proofs:
        words = f"0 {proof.method} frames"
        found.append(Check("wire", words, proof.words, proof.holds, step.spot))
    return found


def _implied(session: FlowSession, step: Step, seen: Seen, named: set[str]) -> list[Check]:
    """What holds of every call unless a step says otherwise: it does not break the connection, and
    where nothing is expected it is answered, or denied."""
    call = seen.call
    if call is None or call.outcome is None or "outcome" in named:
        return []
    said = f"{call.outcome.value}: {call.reason}" if call.reason else call.outcome.value
    if call.outcome in _LOST:
        return [Check("outcome", "a server that is still there", said, False, step.spot)]
    if step.expected or session.simulated is not None:
        return []
    is_fine = call.outcome in (Outcome.OK, Outcome.DENIED)
    return [Check("outcome", "ok or denied, as nothing else is expected", said, is_fine, step.spot)]


def _troubles(asked: list[Asked]) -> list[Check]:
    return [
        Check("person", "an answer that the dialog offers", one.trouble, passed=False)
        for one in asked
        if one.trouble
    ]


async def _captured(session: FlowSession, step: Step, seen: Seen) -> list[Check]:
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


def _facts(seen: Seen) -> list[str]:
    """What happened, in a few words each; raw."""
    call = seen.call
    if call is None:
        return ["it came" if seen.is_told else "subscribed"]
    facts = [call.verdict.words, "a dialog" if seen.dialogs else "no dialog"]
    if call.decision is not None and call.sent:
        facts.append(f"approved by {call.decision.by}")
    facts.append(call.status)
    facts += [f"asked for {one.method}" for one in seen.asked[:3]]
    return facts


def _dialog_lines(seen: Seen) -> tuple[str, ...]:
    """What the dialogs said, as it is checked."""
    lines = [line for one in (*seen.dialogs, *seen.asked) for line in (*one.lines, "")]
    return tuple(lines[:-1])


def _safe(session: FlowSession, call: Call | None, result: StepResult, took: float) -> StepResult:
    """The result without secrets, and safe to show."""
    hiding = session.hiding(call)

    def shown(text: str) -> str:
        return visible(hiding.said(text))

    return replace(
        result,
        title=shown(result.title),
        facts=tuple(shown(one) for one in result.facts),
        checks=tuple(
            replace(one, expected=shown(one.expected), seen=shown(one.seen))
            for one in result.checks
        ),
        dialog=tuple(
            visible(hiding.said(cut(one, LINE_SHOWN).text), max_blanks=LINE_SHOWN)
            for one in result.dialog
        ),
        seconds=took,
    )


def not_run(step: Step, reason: str) -> StepResult:
    """The result of a step that was left out."""
    return StepResult(visible(step.title), step.spot, Status.NOT_RUN, reason=visible(reason))
