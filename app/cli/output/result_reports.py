"""Reports of flows: for people, as JSON, JUnit XML and a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

from ...content.text import count, seconds
from ...presentation.junit import Ending, TestCase, TestSuite, junit_text
from ...presentation.report_pages import (
    ReportBlock,
    ReportComparison,
    ReportEntry,
    ReportPage,
    ReportSection,
    Strong,
)
from .printing import say, width_of, wrapped
from .results import Check, FlowResult, Status, StepResult, totals

WORDS: Final = {Status.PASSED: "passed", Status.FAILED: "FAILED", Status.NOT_RUN: "not run"}
_INDENT: Final = " " * 10
_NAME: Final = 14
_WIDTH: Final = 100
_NARROW: Final = 60
"""Cells below which expected and seen values are on separate lines."""
_MESSAGE: Final = 600
_OF_DIALOGS: Final = ("dialog", "asked", "person", "rule", "reason")
"""Failures that the text of a dialog explains."""


def print_flow(result: FlowResult) -> None:
    """One flow, as soon as it is over."""
    for line in flow_lines(result, width_of(sys.stdout) or _WIDTH):
        say(line)


def print_totals(results: tuple[FlowResult, ...], took: float) -> None:
    """The last line."""
    say(total_line(results, took))


def total_line(results: tuple[FlowResult, ...], took: float) -> str:
    """How many flows and steps passed, and the time."""
    return f"{totals(results)} in {seconds(took)}"


def flow_lines(result: FlowResult, width: int = _WIDTH) -> Iterator[str]:
    """All of it, for a terminal of some width; nothing if none of it was run."""
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
        yield f"{_INDENT}text of the dialog"
        yield from (f"{_INDENT}  {line}" for line in step.dialog)
    if step.wire:
        yield f"{_INDENT}the wire of this step"
        for line in step.wire:
            yield f"{_INDENT}  {line.row}"
            if line.message:
                short = line.message[:_MESSAGE] + ("…" if len(line.message) > _MESSAGE else "")
                yield f"{_INDENT}    {short}"
    elif step.checks:
        yield f"{_INDENT}nothing went over the wire"


def check_lines(checks: tuple[Check, ...], width: int) -> Iterator[str]:
    """The expected beside the observed values."""
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


def tests_report(results: tuple[FlowResult, ...], took: float) -> dict[str, Any]:
    """`signoff test --json`."""
    return {
        "passed": all(one.status is not Status.FAILED for one in results),
        "seconds": round(took, 3),
        "steps": {status.value: sum(one.number(status) for one in results) for status in Status},
        "retried": sum(one.retried for one in results),
        "flows": [_json_flow(one) for one in results],
    }


def _json_flow(result: FlowResult) -> dict[str, Any]:
    return {
        "file": result.file,
        "title": result.title or None,
        "server": result.server,
        "rules": result.rules,
        "person": result.person or None,
        "status": result.status.value,
        "unreachable": result.unreachable or None,
        "seconds": round(result.seconds, 3),
        "steps": [_json_step(one) for one in result.steps],
        "findings": list(result.findings),
    }


def _json_step(step: StepResult) -> dict[str, Any]:
    proof = step.proof
    return {
        "title": step.title,
        "line": step.spot.line or None,
        "status": step.status.value,
        "reason": step.reason or None,
        "facts": list(step.facts),
        "checks": [_check(one) for one in step.checks],
        "proof": None
        if proof is None
        else {"method": proof.method, "frames": proof.frames, "holds": proof.holds},
        "dialog": list(step.dialog),
        "wire": [{"row": one.row, "message": one.message} for one in step.wire],
        "seconds": round(step.seconds, 6),
        "earlier": [_json_step(one) for one in step.earlier],
    }


def _check(one: Check) -> dict[str, Any]:
    return {
        "name": one.name,
        "passed": one.passed,
        "expected": one.expected,
        "seen": one.seen,
        "line": one.spot.line or None,
    }


_JUNIT_WIDTH: Final = 120
_REACHED: Final = "the server is reached"
_LOST: Final = "not reached"
_ENDINGS: Final = {
    Status.PASSED: Ending.PASSED,
    Status.FAILED: Ending.FAILED,
    Status.NOT_RUN: Ending.SKIPPED,
}


def junit_xml(command: str, results: tuple[FlowResult, ...], took: float) -> str:
    """The whole document; each flow is a suite, each step a case, with its earlier tries."""
    return junit_text(command, suites_of(results), seconds=took)


def suites_of(results: Sequence[FlowResult]) -> list[TestSuite]:
    """The cases of a report, as `junit_xml` has them."""
    return list(map(_suite, results))


def _suite(result: FlowResult) -> TestSuite:
    cases = [_case(result, step) for step in result.steps]
    if result.unreachable:
        words = result.unreachable
        lost = TestCase(result.file, _REACHED, Ending.ERROR, message=_LOST, words=words)
        cases.insert(0, lost)
    facts = (("title", result.title), ("server", result.server), ("rules", result.rules))
    return TestSuite(result.file, tuple(cases), result.seconds, facts)


def _case(result: FlowResult, step: StepResult) -> TestCase:
    is_failed = step.status is Status.FAILED
    message = "; ".join(f"{one.name}: {one.expected}" for one in step.failures)
    facts = list(step.facts)
    if step.proof is not None:
        facts.append(step.proof.words)
    for number, one in enumerate(step.earlier, 1):
        facts += [f"try {number} failed:", *check_lines(one.failures, _JUNIT_WIDTH)]
    return TestCase(
        result.file,
        step.title,
        _ENDINGS[step.status],
        step.failures[0].name if is_failed and step.failures else "",
        message=message if is_failed else step.reason,
        words=_failure_text(step) if is_failed else "",
        file=result.file,
        line=step.spot.line,
        output="\n".join(facts),
        seconds=step.seconds,
        properties=(("id", step.id),) if step.id else (),
    )


def _failure_text(step: StepResult) -> str:
    lines = [*check_lines(step.failures, _JUNIT_WIDTH)]
    if step.dialog:
        lines += ["text of the dialog", *step.dialog]
    if step.wire:
        lines.append("the wire of this step")
        lines += [f"{one.row}\n  {one.message}" for one in step.wire]
    return "\n".join(lines)


def page_of_results(results: Sequence[FlowResult], heading: str, lead: Sequence[str]) -> ReportPage:
    """The whole report: each flow is a section, each step an entry that opens on its proof."""
    failed = any(one.status is Status.FAILED for one in results)
    title = f"{heading}: {'failed' if failed else 'passed'}"
    return ReportPage(title, (*lead, "Secrets are masked."), tuple(map(_section, results)))


def _section(result: FlowResult) -> ReportSection:
    person = f", person {result.person}" if result.person else ""
    entries = list(map(_entry, result.steps))
    if result.unreachable:
        proof = (ReportBlock(text=result.unreachable),)
        lost = ReportEntry((Strong(_REACHED),), (), Ending.ERROR, "FAILED", _LOST, proof)
        entries.insert(0, lost)
    return ReportSection(
        ": ".join(filter(None, (result.file, result.title))),
        tuple(entries),
        lead=(f"{result.server}, {result.rules}{person}; {seconds(result.seconds)}",),
        notes=result.findings,
    )


def _entry(step: StepResult) -> ReportEntry:
    facts = [*step.facts, *([step.proof.words] if step.proof is not None else [])]
    if step.status is Status.NOT_RUN:
        facts = [step.reason]
    if step.earlier:
        facts.append(f"try {step.tries}")
    place = f"line {step.spot.line}, " if step.spot.line else ""
    aside = " - ".join(filter(None, ("; ".join(facts), f"{place}{seconds(step.seconds)}")))
    proof: list[ReportBlock] = []
    for number, one in enumerate(step.earlier, 1):
        proof += [ReportBlock(f"Try {number} failed:"), *_blocks(one)]
    proof += _blocks(step)
    title = (Strong(step.title),)
    ending = _ENDINGS[step.status]
    return ReportEntry(title, (), ending, WORDS[step.status], aside, tuple(proof), step.id)


def _blocks(step: StepResult) -> Iterator[ReportBlock]:
    if step.checks:
        yield ReportBlock(comparisons=tuple(map(_comparison, step.checks)))
    if step.dialog:
        yield ReportBlock("Text of the dialog", "\n".join(step.dialog))
    if step.wire:
        lines = (f"{one.row}\n  {one.message}" for one in step.wire)
        yield ReportBlock("The wire of this step", "\n".join(lines))
    elif step.status is Status.FAILED:
        yield ReportBlock("Nothing went over the wire.")


def _comparison(one: Check) -> ReportComparison:
    word = WORDS[Status.PASSED if one.passed else Status.FAILED]
    return ReportComparison(one.name, word, one.expected, one.seen, one.passed)
