"""Runs one step of a flow on the engine, and compares it with its expectations.

Facts of a step are short, without secrets, and safe to show. `changed` copies values with one of
them replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ....approval.approval import DecisionAnswer
from ....approval.questions.questions import AboutCall, AboutRead
from ....approval.server_questions import AboutElicitation, AboutSampling
from ....calls.call import Call
from ....cli.approving.people import AskedQuestion, Person
from ....cli.output.results import SIGN_IN_INDEX, Check, Status, StepObservation, StepResult
from ....cli.targets.live import find_tool
from ....cli.targets.targets import UsageError
from ....content.json.jsonio import JsonError, JsonValue
from ....content.text import cut, visible
from ....presentation.feature import hook
from ....protocol.wire.frames import SERVER, FrameKind
from ....protocol.wire.reading import body_of, read
from ....protocol.wire.rows import WireBook
from ....schemas.secrets.masks import mask_text
from ..flow import Step
from ..matching import UnknownVariable, filled_in, filled_text
from ..sign_in_grammar import FOLLOW
from .checks import (
    JUDGES,
    answered_as_written,
    captured,
    checks_of,
    instead,
    left_out_of,
    troubles_of,
)
from .session import FlowSession, limits_for, wire_lines
from .signing_in import filled_sign_in

if TYPE_CHECKING:
    from ....protocol.tool import ToolDefinition
    from ....protocol.wire.frames import WireLog
    from .signing_in import FlowSignIns

T = TypeVar("T")


def changed(original: T, /, **fields: Any) -> T:
    """A copy of a dataclass with these fields; itself where each has that very value already."""
    others = {name: one for name, one in fields.items() if getattr(original, name) is not one}
    return replace(original, **others) if others else original  # type: ignore[type-var]


LINE_SHOWN: Final = 400
"""Characters of a line of a dialog in a report."""


def facts_of(seen: StepObservation, left_out: Sequence[str] = ()) -> list[str]:
    """Events, in a few words each; raw."""
    call = seen.call
    if call is None:
        return ["it came" if seen.is_told else "subscribed"]
    facts = [call.verdict.words, "a dialog" if seen.dialogs else "no dialog"]
    if call.decision is not None and call.sent:
        facts.append(f"approved by {call.decision.by}")
    facts.append(call.status)
    facts += [f"asked for {one.method}" for one in seen.asked[:3]]
    if left_out:
        facts.append(f"not checked: {', '.join(left_out)}")
    return facts


def _facts(session: FlowSession, step: Step, seen: StepObservation) -> list[str]:
    if step.pause is not None:
        return ["waited"]
    return facts_of(seen, left_out_of(session, step, seen))


def dialog_lines(seen: StepObservation) -> tuple[str, ...]:
    """Content of the dialogs, as it is checked."""
    lines = [line for one in (*seen.dialogs, *seen.asked) for line in (*one.lines, "")]
    return tuple("\n".join(lines).strip("\n").split("\n")) if lines else ()


def safe(session: FlowSession, call: Call | None, result: StepResult, took: float) -> StepResult:
    """The result without secrets, and safe to show."""
    hiding = session.hiding(call)

    def shown(text: str) -> str:
        return visible(hiding.said(text)) if hiding.knows_any else _shown(text)

    return replace(
        result,
        title=shown(result.title),
        facts=tuple(shown(one) for one in result.facts),
        checks=tuple(
            changed(one, expected=shown(one.expected), seen=shown(one.seen))
            for one in result.checks
        ),
        dialog=tuple(
            visible(hiding.said(cut(one, LINE_SHOWN).text), max_blanks=LINE_SHOWN)
            for one in result.dialog
        ),
        seconds=took,
    )


@lru_cache(maxsize=256)
def _shown(text: str) -> str:
    """The same where no secret is known; most words of a flow come again in each step."""
    return visible(mask_text(text))


WAIT_SECONDS: Final = 10.0
LOOK_SECONDS: Final = 0.01
STRAYED: Final = "it depends on a question that was answered differently"


class CannotRun(Exception):
    """A step that makes no sense on this server; the wanted and the existing thing."""

    def __init__(self, name: str, expected: str, seen: str) -> None:
        super().__init__(seen)
        self.check = Check(name, expected, seen, passed=False)


@dataclass(slots=True)
class _Tried:
    """Result and observations of a step's action."""

    seen: StepObservation
    mark: int
    """The newest frame before it."""
    troubles: list[Check]


async def run_step(session: FlowSession, step: Step) -> StepResult:
    """Do it once."""
    try:
        return await _run_step(session, step)
    finally:
        session.sign_ins.end()


async def first_sign_in(
    session: FlowSession | None, sign_ins: FlowSignIns, wire: WireLog, gone: str = ""
) -> StepResult:
    """Compare the sign-in of the connection; `gone` is the reason for a missing session."""
    wanted = sign_ins.first
    assert wanted is not None
    engine = session.engine if session is not None else None
    checks = await sign_ins.checks(engine, wanted.spot, JUDGES)
    if gone and wanted.answer == FOLLOW:
        checks.append(Check("sign_in", "signed in", gone.partition("\n")[0], False, wanted.spot))
    failed = any(not one.passed for one in checks)
    status = Status.FAILED if failed else Status.PASSED
    facts = tuple(map(_shown, sign_ins.facts))
    shown = (replace(one, expected=_shown(one.expected), seen=_shown(one.seen)) for one in checks)
    lines = wire_lines(WireBook(wire)) if failed else ()
    return StepResult(
        "sign in", wanted.spot, status, facts, tuple(shown), wire=lines, index=SIGN_IN_INDEX
    )


async def _run_step(session: FlowSession, step: Step) -> StepResult:
    mark = session.wire.count
    began = time.monotonic()
    session.found.clear()
    try:
        step = _filled(step, session.values)
        session.sign_ins.begin(step.sign_in)
        if step.action == "consent":
            return await _consent(session, step)
        tried = await _done(session, step)
    except CannotRun as problem:
        if session.has_strayed:
            return not_run(step, STRAYED)
        own = replace(problem.check, spot=step.spot)
        took = time.monotonic() - began
        return safe(
            session, None, StepResult(step.title, step.spot, Status.FAILED, (), (own,)), took
        )
    if any(one.name == "messages" for one in step.expected):
        tried.seen = replace(tried.seen, messages=session.messages(tried.mark))
    checks = await checks_of(session, step, tried.seen)
    checks += tried.troubles
    checks += await captured(session, step, tried.seen)
    checks += await session.sign_ins.checks(session.engine, step.spot, JUDGES)
    failed = any(not one.passed for one in checks)
    if step.action != "wait":
        session.since = mark
    result = StepResult(
        title=step.title,
        spot=step.spot,
        status=Status.FAILED if failed else Status.PASSED,
        facts=(*_facts(session, step, tried.seen), *session.sign_ins.facts),
        checks=tuple(checks),
        proof=tried.seen.proofs[-1] if tried.seen.proofs else None,
        dialog=dialog_lines(tried.seen) if failed else (),
        wire=session.wire_lines(mark) if failed else (),
        **instead(step, tried.seen, checks),
    )
    return safe(session, tried.seen.call, result, time.monotonic() - began)


async def _consent(session: FlowSession, step: Step) -> StepResult:
    tool, watch = _tool(session, step.target), session.engine.link.watch
    if watch is None:
        raise CannotRun("consent", "a server that Signoff starts", "a server by its URL")
    if (run_consent := hook("step: consent")) is None:
        raise CannotRun("consent", "a Signoff that has `signoff consent`", "one without it")
    result: StepResult = await run_consent(session, step, tool, watch)
    return safe(session, None, result, result.seconds)


async def _done(session: FlowSession, step: Step) -> _Tried:
    match step.action:
        case "wait" if step.pause is not None:
            mark = session.wire.count
            await asyncio.sleep(step.pause)
            return _Tried(StepObservation(None, seconds=step.pause), mark, [])
        case "wait":
            return await _wait(session, step)
        case "subscribe":
            mark = session.wire.count
            began = time.monotonic()
            if problem := await session.engine.offers.subscribe(step.target):
                raise CannotRun("subscribe", f"updates of {step.target}", problem)
            return _Tried(StepObservation(None, seconds=time.monotonic() - began), mark, [])
    return await _call(session, step)


def _filled(step: Step, values: Mapping[str, JsonValue]) -> Step:
    try:
        replies = {
            kind: _each(several, lambda one: changed(one, values=filled_in(one.values, values)))
            for kind, several in step.replies.items()
        }
        person = step.person
        if person is not None and person.to is not None:
            person = changed(person, to=filled_in(person.to, values))
        return changed(
            step,
            target=filled_text(step.target, values),
            arguments=filled_in(step.arguments, values),
            expected=_each(
                step.expected, lambda one: changed(one, value=filled_in(one.value, values))
            ),
            person=person,
            replies=replies if replies else step.replies,
            sign_in=step.sign_in and filled_sign_in(step.sign_in, values),
        )
    except UnknownVariable as unknown:
        words = "it was not captured: the step that does failed, or was not run"
        raise CannotRun("variables", f"a value for ${{{unknown.name}}}", words) from None


def _each(several: tuple[T, ...], change: Callable[[T], T]) -> tuple[T, ...]:
    """Each of them changed; the very same where none is another one."""
    made = tuple(map(change, several))
    return several if all(map(operator.is_, several, made)) else made


async def _call(session: FlowSession, step: Step) -> _Tried:
    """Make the call, the read or the prompt; an edited one is made again."""
    engine, mark = session.engine, session.wire.count
    arguments = dict(step.arguments or {})
    tool = _tool(session, step.target) if step.action == "call" else None
    given = step.person or session.prepared.flow.person
    seconds = step.timeout if step.timeout is not None else session.prepared.flow.timeout
    engine.limits = limits_for(seconds)
    await engine.log_level_told()
    person = session.attend(given, step.replies)
    began = time.monotonic()
    proofs = []
    call = await _ended(session, step, tool, arguments)
    if not call.sent or _is_refused(person.asked):
        proofs.append(session.proof(call, mark))
    if call.decision is not None and call.decision.answer is DecisionAnswer.EDIT:
        person.person = Person(given.then, to=None, uses=given.uses)
        second, before = session.wire.count, len(person.asked)
        call = await _ended(session, step, tool, dict(given.to or {}))
        if not call.sent or _is_refused(person.asked[before:]):
            proofs.append(session.proof(call, second))
    took = time.monotonic() - began - person.waited
    if session.simulated is not None and not answered_as_written(given, person.asked):
        session.has_strayed = True
    is_server = [isinstance(one.question, AboutElicitation | AboutSampling) for one in person.asked]
    asked = list(zip(person.asked, is_server, strict=True))
    seen = StepObservation(
        call=call,
        dialogs=tuple(one for one, of_server in asked if not of_server),
        asked=tuple(one for one, of_server in asked if of_server),
        proofs=tuple(proofs),
        seconds=max(0.0, took),
        codes=tuple(one.code for one in session.found),
        is_unattended=session.simulated is None and given == Person(),
    )
    return _Tried(seen, mark, troubles_of(person.asked))


def _is_refused(asked: Sequence[AskedQuestion]) -> bool:
    """True if the last question about a call was answered with anything but its approval."""
    about = [one for one in asked if isinstance(one.question, AboutCall | AboutRead)]
    return bool(about) and about[-1].decision.answer is not DecisionAnswer.APPROVE


async def _ended(
    session: FlowSession, step: Step, tool: ToolDefinition | None, arguments: dict[str, Any]
) -> Call:
    try:
        return await session.ended(step, tool, arguments)
    except ValueError:
        raise CannotRun("with", "values that JSON can represent", "other values") from None


def _tool(session: FlowSession, name: str) -> ToolDefinition:
    try:
        return find_tool(session.engine, name)
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
            if found is None or found.kind is not FrameKind.NOTIFICATION or found.method != method:
                continue
            session.since = frame.number
            params: JsonValue = None
            with contextlib.suppress(JsonError):
                body = body_of(frame)
                params = body.get("params") if isinstance(body, dict) else None
            took = time.monotonic() - began
            return _Tried(StepObservation(None, seconds=took, told=params, is_told=True), mark, [])
        if time.monotonic() >= until:
            raise CannotRun("wait", method, f"not received within {until - began:g} s")
        await asyncio.sleep(LOOK_SECONDS)


def not_run(step: Step, reason: str) -> StepResult:
    """The result of a step that was left out."""
    return StepResult(visible(step.title), step.spot, Status.NOT_RUN, reason=visible(reason))
