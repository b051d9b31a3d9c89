"""Measurements as results of flows: for JUnit and HTML, with the expectation of a policy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case, VerdictAnswer
from ...cli.output.results import Check, FlowResult, Status, StepResult, WireLine
from ...content.files.tree import SourceLocation
from ...content.text import count, cut, visible
from ...hosts.measured.values import UNASKED, Did, MeasuredCell, Measurement
from ...presentation.exit_status import ExitStatus
from ...protocol.server import Trust
from ...protocol.tool_reading import read_tool
from .beside_results import without_words, words_beside
from .conclusion import conclusion, progress_words
from .probes.probe import SERVER_NAME
from .probes.probes import all_probes
from .words import families, got_words, shown_words

_STRICTER: Final = (VerdictAnswer.ASK, VerdictAnswer.REFUSE, VerdictAnswer.HIDE)
_EXPECTED: Final = {
    VerdictAnswer.ASK: "asked",
    VerdictAnswer.REFUSE: "refused",
    VerdictAnswer.HIDE: "hidden",
    VerdictAnswer.ALLOW: "anything",
    VerdictAnswer.JUDGE: "anything",
    VerdictAnswer.UNKNOWN: "anything",
}
_SCREEN: Final = 2_000


class Expectation(NamedTuple):
    """A policy that is the expectation, and whether the probe server counts as trusted."""

    policy: Policy
    trust: Trust


class ExpectedCell(NamedTuple):
    """A cell beside what the policy decides about its tool."""

    cell: MeasuredCell
    wanted: str
    """`asked`, `refused`, `hidden` or `anything`."""
    reason: str
    is_broken: bool
    """True if the host runs, without asking about it, what the policy asks about or refuses."""


def expected_cells(found: Measurement, wanted: Expectation) -> list[ExpectedCell]:
    """The cells of hints, each beside the policy's decision."""
    judged = []
    for cell in found.cells:
        probe = all_probes().get(cell.probe)
        if probe is None or probe.family != "hints":
            continue
        tool = read_tool(0, probe.tool)
        verdict = wanted.policy.judge(Case(tool, wanted.trust, SERVER_NAME))
        is_strict = verdict.answer in _STRICTER
        reason = "; ".join(verdict.reasons)
        words = _EXPECTED[verdict.answer]
        judged.append(ExpectedCell(cell, words, reason, is_strict and cell.did in UNASKED))
    return judged


def results_of(found: Measurement, wanted: Expectation | None, took: float) -> list[FlowResult]:
    """Each family of probes as the result of a flow."""
    judged = {one.cell.probe: one for one in expected_cells(found, wanted)} if wanted else {}
    beside = words_beside(found.cells)
    rules = visible(wanted.policy.name) if wanted is not None else "no expectation"
    return [
        FlowResult(
            file=family,
            title="",
            server=visible(f"{found.title} {found.version} {found.mode} {found.surface}"),
            rules=rules,
            steps=tuple(
                replace(
                    _step(cell, judged.get(cell.probe), beside), id=visible(found.cell_id(cell))
                )
                for cell in cells
            ),
            seconds=took,
            unreachable=_stopped(found) or _unproved(cells, judged),
        )
        for family, cells in families(found.cells) or (_NO_CELLS if found.stopped else ())
    ]


_NO_CELLS: Final[tuple[tuple[str, list[MeasuredCell]], ...]] = (("measure", []),)
"""A measurement that was stopped at once has a result, too: without one a report would pass."""


def _stopped(found: Measurement) -> str:
    """Why a measurement is not complete; empty if it is."""
    if not found.stopped:
        return ""
    return f"not complete ({visible(found.stopped)}): {progress_words(found)}"


def _unproved(cells: Sequence[MeasuredCell], judged: Mapping[str, ExpectedCell]) -> str:
    """Why decisions that a policy is about have no proof; empty if all have one."""
    missing = [one for one in cells if one.did is Did.UNKNOWN and one.probe in judged]
    if not missing:
        return ""
    return f"{len(missing)} of {len(judged)} decisions without proof: {visible(missing[0].why)}"


def _step(cell: MeasuredCell, judged: ExpectedCell | None, beside: str) -> StepResult:
    facts = (cell.did.value, visible(cell.why))
    if cell.did is Did.UNKNOWN:
        return StepResult(
            visible(cell.probe), SourceLocation(), Status.NOT_RUN, reason=visible(cell.why)
        )
    checks: tuple[Check, ...] = ()
    if judged is not None:
        is_fine = not judged.is_broken
        seen = f"{cell.did.value}: {visible(cell.why)}"
        expected = f"{judged.wanted}: {visible(judged.reason)}"
        checks = (Check("decision", expected, seen, passed=is_fine),)
    is_broken = judged is not None and judged.is_broken
    got = f"the model was given: {got_words(without_words(cell.model_got, beside))}"
    shown = shown_words(cell.shown) if cell.shown is not None else []
    return StepResult(
        visible(cell.probe),
        SourceLocation(),
        Status.FAILED if is_broken else Status.PASSED,
        facts=(*facts, got, *shown),
        checks=checks,
        wire=_proof(cell) if is_broken else (),
    )


def _proof(cell: MeasuredCell) -> tuple[WireLine, ...]:
    """The hints of the tool that ran, and the screen if there was one."""
    lines = [WireLine("hints as declared", visible(json.dumps(dict(cell.hints))))]
    if cell.screen:
        lines.append(WireLine("screen", visible(cut(cell.screen, _SCREEN).text)))
    return tuple(lines)


def expectation_words(found: Measurement, wanted: Expectation) -> str:
    """`The policy cautious does not hold: 12 of 16 decisions as expected, 3 broken, 1 without
    proof.`
    """
    judged = expected_cells(found, wanted)
    broken = sum(one.is_broken for one in judged)
    unproved = sum(one.cell.did is Did.UNKNOWN for one in judged)
    fine = len(judged) - broken - unproved
    policy = f"The policy {visible(wanted.policy.name)}"
    numbers = f"{fine} of {count(len(judged), 'decision')} as expected"
    numbers += f", {broken} broken" if broken else ""
    numbers += f", {unproved} without proof" if unproved else ""
    if broken:
        return f"{policy} does not hold: {numbers}."
    if unproved or found.stopped:
        return (
            f"{policy} is not proved: {numbers}{', the others not tried' if found.stopped else ''}."
        )
    return f"{policy} holds: {numbers}."


def sentences(found: Measurement, wanted: Expectation | None) -> str:
    """What the measurement found; first, whether the policy holds."""
    first = expectation_words(found, wanted) if wanted is not None else ""
    return " ".join(filter(None, (first, conclusion(found))))


def exit_status(found: Sequence[Measurement], wanted: Expectation | None) -> ExitStatus:
    """A cell that breaks the policy counts before cells without proof, or not tried."""
    judged = [one for each in found for one in expected_cells(each, wanted)] if wanted else []
    if any(one.is_broken for one in judged):
        return ExitStatus.FLOW_FAILED
    cells = [cell for each in found for cell in each.cells]
    unproved = [one.cell for one in judged] if wanted else cells
    is_lost = any if wanted else all
    if any(one.stopped for one in found):
        return ExitStatus.LOST
    if is_lost(cell.did is Did.UNKNOWN for cell in unproved):
        return ExitStatus.LOST
    return ExitStatus.OK
