"""What came of flows, for people: a line a step, and all that helps where one failed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from ...content.text import count, seconds
from ...headless.printing import say, width_of
from ...headless.wrapping import wrapped
from ..results import (
    Check,
    FlowResult,
    Status,
    StepResult,
    totals,
)

WORDS: Final = {Status.PASSED: "passed", Status.FAILED: "FAILED", Status.NOT_RUN: "not run"}
_INDENT: Final = " " * 10
_NAME: Final = 14
_WIDTH: Final = 100
_NARROW: Final = 60
"""Below so many cells expected and seen stand below each other."""
_MESSAGE: Final = 600
_OF_DIALOGS: Final = ("dialog", "asked", "person", "rule", "reason")
"""Failures that what a dialog said explains."""


def print_flow(result: FlowResult) -> None:
    """One flow, as soon as it is over."""
    for line in flow_lines(result, width_of(sys.stdout) or _WIDTH):
        say(line)


def print_totals(results: tuple[FlowResult, ...], took: float) -> None:
    """The last line."""
    say(f"{totals(results)} in {seconds(took)}")


def flow_lines(result: FlowResult, width: int = _WIDTH) -> Iterator[str]:
    """All of it, for a terminal of some width; nothing where none of it was run."""
    if result.status is Status.NOT_RUN and all(step.reason for step in result.steps):
        return
    title = f"{result.title}  " if result.title else ""
    person = f", person {result.person}" if result.person else ""
    yield f"{result.file}  {title}{result.server}, {result.rules}{person}"
    if result.unreachable:
        for line in result.unreachable.split("\n"):
            yield f"  {line}"
    for step in result.steps:
        yield from step_lines(step, width)
    for finding in result.findings:
        yield f"  {finding}"


def step_lines(step: StepResult, width: int) -> Iterator[str]:
    """One step; of the tries before it, too."""
    for number, one in enumerate(step.earlier, 1):
        yield f"  try {number} failed  {step.title}"
        yield from _failure(one, width)
    yield _head(step)
    if step.status is Status.FAILED:
        yield from _failure(step, width)


def _head(step: StepResult) -> str:
    place = f"line {step.spot.line}" if step.spot.line else ""
    if step.status is Status.NOT_RUN:
        return f"  {WORDS[step.status]:<7} {step.title}  {step.reason}"
    facts = [*step.facts]
    if step.proof is not None:
        facts.append(step.proof.words)
    if step.earlier:
        facts.append(f"after {count(len(step.earlier), 'failed try').replace('trys', 'tries')}")
    facts.append(place if step.status is Status.FAILED else seconds(step.seconds))
    return f"  {WORDS[step.status]:<7} {step.title}  {'; '.join(filter(None, facts))}"


def _failure(step: StepResult, width: int) -> Iterator[str]:
    yield from check_lines(step.failures, width)
    if step.dialog and any(one.name in _OF_DIALOGS for one in step.failures):
        yield f"{_INDENT}the dialog said"
        yield from (f"{_INDENT}  {line}" for line in step.dialog)
    if step.wire:
        yield f"{_INDENT}the wire of this step"
        for line in step.wire:
            yield f"{_INDENT}  {line.row}"
            if line.message:
                short = line.message[:_MESSAGE] + ("…" if len(line.message) > _MESSAGE else "")
                yield f"{_INDENT}    {short}"
    elif step.checks:
        yield f"{_INDENT}nothing went over the wire meanwhile"


def check_lines(checks: tuple[Check, ...], width: int) -> Iterator[str]:
    """What was expected beside what was seen."""
    if not checks:
        return
    room = (min(width, 160) - 1 - len(_INDENT) - _NAME - 3) // 2
    if width < _NARROW:
        for one in checks:
            yield f"{_INDENT}{one.name}{_line(one)}"
            yield f"{_INDENT}  expected  {one.expected}"
            yield f"{_INDENT}  seen      {one.seen}"
        return
    yield f"{_INDENT}{'':<{_NAME}}{'expected':<{room}} | seen"
    for one in checks:
        left = wrapped(one.expected, room)
        right = wrapped(one.seen, room)
        name = f"{one.name}{_line(one)}"
        if len(name) > _NAME - 1:
            yield f"{_INDENT}{name}"
            name = ""
        for number, (expected, seen) in enumerate(zip_longest(left, right, fillvalue="")):
            label = "" if number else name
            yield f"{_INDENT}{label:<{_NAME}}{expected:<{room}} | {seen}".rstrip()


def _line(one: Check) -> str:
    return f" :{one.spot.line}" if one.spot.line else ""
