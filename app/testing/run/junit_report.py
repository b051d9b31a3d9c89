"""What came of flows as JUnit XML, for whatever shows the results of a build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from ..results import FlowResult, Status, StepResult
from .readable_report import check_lines

_WIDTH: Final = 120


def junit_xml(results: tuple[FlowResult, ...], took: float) -> str:
    """The whole document; each flow is a suite, each step a case, each earlier try is told."""
    return "\n".join(_document(results, took)) + "\n"


def _document(results: tuple[FlowResult, ...], took: float) -> Iterator[str]:
    counts = _counts([step for one in results for step in one.steps], _unreached(results))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="signoff" {counts} time="{took:.3f}">'
    for one in results:
        yield from _suite(one)
    yield "</testsuites>"


def _unreached(results: tuple[FlowResult, ...]) -> int:
    return sum(bool(one.unreachable) for one in results)


def _counts(steps: list[StepResult], errors: int) -> str:
    failed = sum(one.status is Status.FAILED for one in steps)
    idle = sum(one.status is Status.NOT_RUN for one in steps)
    total = len(steps) + errors
    return f'tests="{total}" failures="{failed}" errors="{errors}" skipped="{idle}"'


def _suite(result: FlowResult) -> Iterator[str]:
    counts = _counts(list(result.steps), bool(result.unreachable))
    yield f'  <testsuite name={_attribute(result.file)} {counts} time="{result.seconds:.3f}">'
    yield "    <properties>"
    for name, value in (
        ("title", result.title),
        ("server", result.server),
        ("rules", result.rules),
    ):
        yield f"      <property name={_attribute(name)} value={_attribute(value)}/>"
    yield "    </properties>"
    if result.unreachable:
        yield f'    <testcase classname={_attribute(result.file)} name="the server is reached">'
        yield f'      <error message="not reached">{_text(result.unreachable)}</error>'
        yield "    </testcase>"
    for step in result.steps:
        yield from _case(result, step)
    yield "  </testsuite>"


def _case(result: FlowResult, step: StepResult) -> Iterator[str]:
    where = f"classname={_attribute(result.file)} file={_attribute(result.file)}"
    name = f'name={_attribute(step.title)} line="{step.spot.line}"'
    yield f'    <testcase {where} {name} time="{step.seconds:.3f}">'
    if step.status is Status.NOT_RUN:
        yield f"      <skipped message={_attribute(step.reason)}/>"
    if step.status is Status.FAILED:
        message = "; ".join(f"{one.name}: {one.expected}" for one in step.failures)
        yield f"      <failure message={_attribute(message)}>{_text(_told(step))}</failure>"
    facts = list(step.facts)
    if step.proof is not None:
        facts.append(step.proof.words)
    for number, one in enumerate(step.earlier, 1):
        facts += [f"try {number} failed:", *check_lines(one.failures, _WIDTH)]
    if facts:
        yield f"      <system-out>{_text(chr(10).join(facts))}</system-out>"
    yield "    </testcase>"


def _told(step: StepResult) -> str:
    lines = [*check_lines(step.failures, _WIDTH)]
    if step.dialog:
        lines += ["the dialog said", *step.dialog]
    if step.wire:
        lines.append("the wire of this step")
        lines += [f"{one.row}\n  {one.message}" for one in step.wire]
    return "\n".join(lines)


def _text(text: str) -> str:
    return escape(_allowed(text))


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _allowed(text: str) -> str:
    """XML knows no control characters and no halves of characters, not even escaped."""
    return "".join(
        char
        if char in "\t\n"
        or "\x20" <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
        else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )
