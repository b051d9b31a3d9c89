"""Measurements beside the models of hosts: where both agree, and where they contradict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case, KnownBy, Verdict
from ...protocol.server import Trust
from ...protocol.tool_reading import read_tool
from .records import NAMED, newest
from .values import VERDICTS, Did, MeasuredCell, Measurement


class Compared(NamedTuple):
    """A measured cell beside the verdict of the model."""

    measurement: Measurement
    cell: MeasuredCell
    verdict: Verdict
    known_by: KnownBy


class MeasuredMode(NamedTuple):
    """A mode of a host with what was measured of it."""

    model: Policy | None
    """None for a mode that no model has."""
    measurement: Measurement
    compared: tuple[Compared, ...]
    """The cells of hints; empty without a model."""

    @property
    def conflicts(self) -> tuple[Compared, ...]:
        return tuple(one for one in self.compared if one.known_by is KnownBy.CONFLICT)


def measured_modes(
    hosts: Iterable[Policy], measurements: Iterable[Measurement]
) -> tuple[MeasuredMode, ...]:
    """The newest measurement of each mode and surface, beside its model."""
    models = {one.name: one for host in hosts for one in host.variants}
    found = []
    for one in newest(measurements):
        model = models.get(one.model)
        compared = tuple(_compare(model, one)) if model is not None else ()
        found.append(MeasuredMode(model, one, compared))
    return tuple(found)


def _compare(model: Policy, measurement: Measurement) -> Iterator[Compared]:
    for cell in measurement.cells:
        if not cell.probe.startswith("hints/") or cell.probe.startswith(NAMED):
            continue
        if cell.did is Did.UNKNOWN:
            continue
        tool = read_tool(0, {"name": "probe", "annotations": dict(cell.hints)})
        verdict = model.judge(Case(tool, Trust.UNTRUSTED))
        yield Compared(measurement, cell, verdict, _known_by(verdict, cell))


def _known_by(verdict: Verdict, cell: MeasuredCell) -> KnownBy:
    if verdict.answer is VERDICTS[cell.did]:
        return KnownBy.BOTH
    is_open = verdict.answer is VERDICTS[Did.UNKNOWN]
    return KnownBy.MEASURED if is_open else KnownBy.CONFLICT
