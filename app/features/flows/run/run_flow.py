"""Runs a whole flow: opens its server, does its steps in order, and closes it.

`chosen_steps` selects steps whose names have some words, and the steps that they need. Synchronous
code calls a server under test step by step.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from anyio.from_thread import BlockingPortal, start_blocking_portal

from ....cli.approving.person import Simulated
from ....cli.output.result_reports import flow_lines, step_lines
from ....cli.output.results import Check, FlowResult, Status, StepResult
from ....cli.targets.live import NotConnected
from ....cli.targets.own_environment import server_words
from ....content.frozen import frozen
from ....content.json.jsonio import JsonValue
from ....content.text import count, visible
from ....protocol.findings.findings import words as finding_words
from ....protocol.tool import ToolDefinition
from ....schemas.form.drafts import arguments_of, initial_draft
from ....schemas.form.form import build_form
from ....schemas.samples import sample_arguments
from ....transport import NoLink
from ..flow import Flow, Step, ToolSelector
from ..matching import TOOL, filled_in, used_in
from ..reading import load_flow, read_flow
from ..sign_in_grammar import DENY
from .session import FlowSession, PreparedFlow, opened_flow, prepare, sign_ins_of
from .signing_in import FlowSignIns
from .steps import first_sign_in, not_run, run_step


def chosen_steps(flow: Flow, words: str) -> frozenset[int]:
    """The indexes of the steps to run: all for empty words, or words that match the flow itself.

    A step that captures a variable of a chosen one is run as well.
    """
    everything = frozenset(range(len(flow.steps)))
    wanted = words.casefold()
    if not wanted or wanted in flow.file.casefold() or wanted in flow.title.casefold():
        return everything
    chosen = {at for at, step in enumerate(flow.steps) if wanted in step.title.casefold()}
    for at in sorted(everything, reverse=True):
        names = {one.name for one in flow.steps[at].captures}
        if any(names & _used(flow.steps[later]) for later in chosen if later > at):
            chosen.add(at)
    return frozenset(chosen)


def _used(step: Step) -> set[str]:
    values: list[object] = [step.target, step.arguments, step.person and step.person.to]
    values += [one.value for one in step.expected]
    values += [one.values for several in step.replies.values() for one in several]
    return {name for text in _texts(values) for name in used_in(text)}


def _texts(value: object) -> Iterable[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case Mapping():
            for one in value.values():
                yield from _texts(one)


def matching_tools(each: ToolSelector, tools: Iterable[ToolDefinition]) -> list[ToolDefinition]:
    """The tools that a step is done for, as the server lists them."""
    return [
        tool
        for tool in tools
        if (not each.effects or tool.effect.value in each.effects)
        and (not each.names or any(fnmatchcase(tool.name, one) for one in each.names))
        and not any(fnmatchcase(tool.name, one) for one in each.excepted)
    ]


def filled_arguments(tool: ToolDefinition) -> dict[str, JsonValue]:
    """Return the arguments of an untouched form, with a sample of each required value."""
    form = build_form(tool.input_schema)
    given = dict(arguments_of(form, initial_draft(form), as_typed=True).arguments)
    return {**given, **sample_arguments(tool.input_schema)}


STOPPED: Final = "a step before failed, and -x stops there"
LEFT_OUT: Final = "-k leaves it out"


@frozen
class RunWishes:
    """Options of a run."""

    words: str = ""
    """-k: which ones; empty for all."""
    stops: bool = False
    """-x: after the first that fails."""
    simulated: Simulated | None = None
    """Who answers in the place of everybody."""
    retries: int | None = None
    kind: type[FlowSession] = FlowSession
    """The surface that its calls are made on."""
    is_over: Callable[[], bool] = lambda: False
    """Whether another flow has failed, so that this one stops, too."""


async def run_flow(prepared: PreparedFlow, wishes: RunWishes) -> FlowResult:
    """Run it; what cannot be reached is part of the result."""
    flow = prepared.flow
    result = FlowResult(
        file=visible(flow.file),
        title=visible(flow.title),
        server=visible(prepared.config.target.name),
        rules=visible(prepared.policy.name),
        person="" if wishes.simulated is None else wishes.simulated.words,
    )
    chosen = chosen_steps(flow, wishes.words)
    began = time.monotonic()
    if not chosen or wishes.is_over():
        reason = STOPPED if chosen else LEFT_OUT
        return replace(result, steps=tuple(not_run(one, reason) for one in flow.steps))
    steps: list[StepResult] = []
    unreachable = ""
    sign_ins: FlowSignIns | None = None
    findings: tuple[str, ...] = ()
    try:
        people = None if wishes.simulated is None else wishes.simulated.people()
        sign_ins = sign_ins_of(prepared)
        async with opened_flow(prepared, people, sign_ins, wishes.kind) as session:
            if sign_ins.first is not None:
                steps.append(await first_sign_in(session, sign_ins, session.wire))
                sign_ins.end()
            async for one in _steps(session, chosen, wishes):
                steps.append(one)
            steps += await _afterwards(session, wishes)
            hiding = session.hiding(None)
            findings = tuple(
                hiding.said(finding_words(one)) for one in session.engine.observed.doubts()
            )
    except (NotConnected, NoLink) as problem:
        note = server_words(prepared.config.target)
        unreachable = f"{problem}\n{note}" if note else str(problem)
        why, wire = "the server was not reached", prepared.config.target.wire
        if sign_ins is not None and sign_ins.first is not None:
            first = await first_sign_in(None, sign_ins, wire, unreachable)
            steps.append(first)
            if sign_ins.first.answer == DENY and first.status is Status.PASSED:
                unreachable, why = "", "the sign-in was denied, as the flow expects"
        steps += [not_run(one, why) for one in flow.steps]
    took = time.monotonic() - began
    return replace(
        result, steps=tuple(steps), seconds=took, unreachable=unreachable, findings=findings
    )


async def _steps(
    session: FlowSession, chosen: frozenset[int], wishes: RunWishes
) -> AsyncIterator[StepResult]:
    why = ""
    for at, step in enumerate(session.prepared.flow.steps):
        if at not in chosen:
            yield not_run(step, LEFT_OUT)
            continue
        if not why and (gone := await session.reconnected()):
            why = gone
        if why or wishes.is_over():
            yield not_run(step, why or STOPPED)
            continue
        for one in _unfolded(session, step):
            result = one if isinstance(one, StepResult) else await _tried(session, one, wishes)
            # What one tool would want of a step for each is not what the others want.
            result = replace(result, index=at)
            yield replace(result, proposals=(), settlings=()) if step.each else result
            if result.status is Status.FAILED and wishes.stops:
                why = STOPPED
                break


async def _tried(session: FlowSession, step: Step, wishes: RunWishes) -> StepResult:
    """The step, again if it may be tried again; the tries before stay in the result."""
    own = session.prepared.flow.retries if step.retries is None else step.retries
    most = own if wishes.retries is None else wishes.retries
    earlier: list[StepResult] = []
    while True:
        result = await run_step(session, step)
        if result.status is not Status.FAILED or len(earlier) >= most:
            return replace(result, earlier=tuple(earlier))
        earlier.append(result)
        if await session.reconnected():
            return replace(earlier[-1], earlier=tuple(earlier[:-1]))


def _unfolded(session: FlowSession, step: Step) -> list[Step | StepResult]:
    """The step for each tool that matches; a step alone is itself."""
    if step.each is None:
        return [step]
    tools = matching_tools(step.each, session.engine.tools)
    if not tools:
        seen = f"none of {count(len(session.engine.tools), 'tool')}"
        return _unfulfilled(step, f"tools: {step.each.words}", seen)
    if missing := session.engine.definitions.missing:
        return _unfulfilled(step, "a whole list of tools", visible(missing))
    unfolded: list[Step | StepResult] = []
    for tool in tools:
        value = {TOOL: tool.name}
        given = filled_arguments(tool) if step.arguments is None else step.arguments
        name = f"{step.name}: {tool.name}" if step.name else f"each: call {tool.name}"
        unfolded.append(
            replace(
                step,
                action="call",
                target=tool.name,
                each=None,
                name=name,
                arguments=filled_in(given, {**session.values, **value}),
                expected=tuple(
                    replace(one, value=filled_in(one.value, {**session.values, **value}))
                    for one in step.expected
                ),
            )
        )
    return unfolded


def _unfulfilled(step: Step, expected: str, seen: str) -> list[Step | StepResult]:
    check = Check("each", expected, seen, passed=False, spot=step.spot)
    return [StepResult(visible(step.title), step.spot, Status.FAILED, checks=(check,), reason="")]


async def _afterwards(session: FlowSession, wishes: RunWishes) -> list[StepResult]:
    """Final checks: no forbidden request was sent late; and with a simulated person, the server
    survived.
    """
    flow = session.prepared.flow
    checks = []
    if late := session.late():
        words = f"{count(late, 'frame')} of calls that were denied"
        checks.append(Check("wire", "nothing left late", words, passed=False))
    if wishes.simulated is not None:
        gone = await _is_gone(session)
        expected = "the server still answers"
        checks.append(Check("survives", expected, gone or expected, not gone))
    if not checks:
        return []
    failed = any(not one.passed for one in checks)
    status = Status.FAILED if failed else Status.PASSED
    spot = flow.steps[-1].spot
    return [StepResult("after all steps", spot, status, checks=tuple(checks))]


async def _is_gone(session: FlowSession) -> str:
    """The reason why the server no longer answers; empty if it does."""
    engine = session.engine
    if not engine.server.is_open:
        return visible(engine.server.ended_words or "it is gone")
    from ....engine.definitions import Relisted

    listed = await engine.definitions.recheck()
    return "" if listed is Relisted.DONE else "its tools could not be listed again"


_NAME = "the test"
_WIDTH = 100


class StepFailed(AssertionError):
    """A step failed; the text compares expected and observed values."""


class ServerUnderTest:
    """One opened server. Each step is what a flow file has under `steps`."""

    def __init__(self, portal: BlockingPortal, session: FlowSession, keys: dict[str, Any]) -> None:
        self._portal = portal
        self._session = session
        self._keys = keys

    @property
    def values(self) -> Mapping[str, JsonValue]:
        """Values captured by earlier steps."""
        return self._session.values

    def step(self, **step: Any) -> StepResult:
        """Do one step; `with_` is the key `with`. Raises StepFailed, and FlowError for mistakes."""
        if "with_" in step:
            step["with"] = step.pop("with_")
        known = self._session.values
        flow = _read({**self._keys, "variables": dict(known), "steps": [step]})
        result = self._portal.call(run_step, self._session, flow.steps[0])
        if result.status is Status.FAILED:
            raise StepFailed("\n".join(step_lines(result, _WIDTH)))
        return result

    def call(
        self, tool: str, arguments: Mapping[str, JsonValue] | None = None, **step: Any
    ) -> StepResult:
        """Call a tool: `person`, `expect`, `capture` and the rest as in a flow file."""
        return self.step(call=tool, **{"with": dict(arguments or {})}, **step)


@contextlib.contextmanager
def server_under_test(place: Path, **keys: Any) -> Iterator[ServerUnderTest]:
    """Open the server that the keys of a flow file name: `command`, `policy`, `person`, ...

    Relative paths among them begin at the folder `place`. Raises FlowError, UsageError and
    StepFailed.
    """
    placeholder = [{"wait": "message"}]
    prepared = prepare(_read({**keys, "steps": placeholder}, place), {}, os.environ)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(opened_flow(prepared, None)) as session,
    ):
        if session.sign_ins.first is not None:
            result = portal.call(first_sign_in, session, session.sign_ins, session.wire)
            session.sign_ins.end()
            if result.status is Status.FAILED:
                raise StepFailed("\n".join(step_lines(result, _WIDTH)))
        yield ServerUnderTest(portal, session, keys)


def run_file(path: Path) -> FlowResult:
    """Run a flow file to its end. Raises FlowError for mistakes."""
    prepared = prepare(load_flow(path), {}, os.environ)
    return asyncio.run(run_flow(prepared, RunWishes()))


def report_of(result: FlowResult) -> str:
    """Describe the result of a flow, for people."""
    return "\n".join(flow_lines(result, _WIDTH))


def _read(keys: dict[str, Any], place: Path = Path()) -> Flow:
    # JSON is YAML.
    return read_flow(json.dumps(keys).encode("utf-8"), str(place / _NAME))
