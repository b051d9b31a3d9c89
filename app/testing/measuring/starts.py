"""Measures a host: starts it until every probe was tried, and again for what one start cannot show.

If a host ends in the middle, the next start goes on with the probe after. A host that has its model
judge calls is started again with a model that allows them. One that asks is started again with a
person who answers yes: one yes may let more run than its question showed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, NamedTuple

from ... import __version__
from ...analysis.measured.values import UNASKED, Did, MeasuredCell, Measurement
from ...platforms.tracing import find_tracer
from .observing import ServerLog, cell_of
from .probe import Probe
from .probes import RENAMED_SERVER, all_probes, remembered_probes
from .running import Done, Person, Way, one_start
from .short_runs import Subject

STARTS_MAX: Final = 12
TOOLS_MOST: Final = 40
"""Tools of one start: hosts hide the tools of a server that has more than a hundred."""
JUDGED: Final = ("hints", "answers", "shown")
"""Families that are tried again with a model that allows them."""
SEEN_AGAIN: Final[dict[Way, str]] = {
    Way.ALLOWS: "if its model allows them",
    Way.APPROVES: "after one yes",
}


class Settings(NamedTuple):
    """How much is measured, and who hears of it."""

    probes: tuple[Probe, ...]
    starts: int = STARTS_MAX
    traces: bool = True
    """Whether reached addresses are listed, where strace works."""
    on_cell: Callable[[MeasuredCell], None] = lambda cell: None
    on_start: Callable[[int, int, Way], None] = lambda number, left, way: None


@dataclass
class _Measuring:
    subject: Subject
    person: Person
    settings: Settings
    tracer: str
    log: ServerLog | None = None
    reached: set[str] | None = None
    problems: dict[str, None] = field(default_factory=dict)
    starts: int = 0
    judgements: int = 0
    had_bundle: bool = False

    async def tried(
        self, probes: Sequence[Probe], starts_most: int, way: Way = Way.USUAL
    ) -> dict[str, MeasuredCell]:
        """The cell of each probe, of so many starts at most."""
        left = list(probes)
        cells: dict[str, MeasuredCell] = {}
        number = 0
        while left and number < starts_most:
            number += 1
            done = await self._start(left, way)
            wanted = {probe.id for probe in left}
            found = {cell.probe: cell for cell in done.cells if cell.probe in wanted}
            if not found:
                together = (one for one in _together(left) if one.id in wanted)
                found = {probe.id: cell_of(probe, (), done.end) for probe in together}
            self._tell(found.values(), way)
            cells |= found
            left = [probe for probe in left if probe.id not in found]
        why = f"not reached in {number} starts"
        missed = {one.id: MeasuredCell(one.id, one.hints, Did.UNKNOWN, why) for one in left}
        self._tell(missed.values(), way)
        return {**cells, **missed}

    async def _start(self, left: Sequence[Probe], way: Way) -> Done:
        self.starts += 1
        self.settings.on_start(self.starts, len(left), way)
        done = await one_start(self.subject, self.person, _together(left), self.tracer, way)
        if self.log is None or self.log.initialize is None:
            self.log = done.log
        self.problems.update(dict.fromkeys(done.problems))
        if done.reached is not None:
            self.reached = (self.reached or set()) | done.reached
        if way is Way.USUAL:
            self.judgements += done.judgements
            self.had_bundle = self.had_bundle or done.had_bundle
        return done

    def _tell(self, cells: Iterable[MeasuredCell], way: Way) -> None:
        for cell in cells if way is Way.USUAL else ():
            self.settings.on_cell(cell)


async def measure(subject: Subject, person: Person, settings: Settings) -> Measurement:
    """Try every probe; returns the measurement. Raises DriverError if the host cannot start."""
    tracer = find_tracer()[0] if settings.traces else ""
    measuring = _Measuring(subject, person, settings, tracer)
    oddities = sum(one.family == "reading" for one in settings.probes)
    cells = await measuring.tried(settings.probes, settings.starts + oddities)
    if measuring.judgements:
        again = _probes_of(_judged_again(cells.values()))
        found = await measuring.tried(again, settings.starts, Way.ALLOWS)
        cells |= {one: with_judge(cells[one], cell) for one, cell in found.items()}
    again = _probes_of(_asked_again(cells.values(), measuring.had_bundle))
    found = await measuring.tried(again, settings.starts, Way.APPROVES)
    cells |= {one: after_yes(cells[one], cell) for one, cell in found.items()}
    log = measuring.log
    return Measurement(
        host=subject.name,
        title=subject.title,
        version=subject.version,
        mode=subject.mode.name if subject.mode is not None else "",
        surface=subject.surface,
        system=sys.platform,
        date=date.today().isoformat(),
        signoff=__version__,
        cells=tuple(cells[probe.id] for probe in settings.probes),
        model="" if subject.mode is None else subject.mode.models.get(subject.surface, ""),
        starts=measuring.starts,
        declared=log.initialize if log is not None else None,
        variables=log.variables if log is not None else (),
        reached=None if measuring.reached is None else tuple(sorted(measuring.reached)),
        problems=tuple(measuring.problems),
    )


def with_judge(denied: MeasuredCell, allowed: MeasuredCell) -> MeasuredCell:
    """The cell of a call that was tried with both judgements of the host's model."""
    if allowed.did is Did.UNKNOWN:
        why = f"its model denied it: {denied.did.value}; its model allowed it: {allowed.why}"
        return replace(denied, did=Did.UNKNOWN, why=why)
    if allowed.did not in UNASKED or denied.did is Did.UNKNOWN:
        return denied
    why = f"its model allowed it: {allowed.why}; its model denied it: {denied.did.value}"
    return replace(denied, did=Did.JUDGED, why=why, model_got=allowed.model_got)


def after_yes(before: MeasuredCell, after: MeasuredCell) -> MeasuredCell:
    """The cell of a call that was tried again in a start in which all questions got a yes."""
    if before.did is not Did.ASKED:
        # A question about many calls was answered with no before.
        return after
    if after.did is Did.UNKNOWN:
        why = f"{before.why}; what one yes covers has no proof: {after.why}"
        return replace(before, did=Did.UNKNOWN, why=why)
    if after.did not in UNASKED:
        return before
    return replace(before, did=after.did, why=f"{before.why}; {after.why}")


def _judged_again(cells: Iterable[MeasuredCell]) -> list[str]:
    return [
        one.probe
        for one in cells
        if one.probe.partition("/")[0] in JUDGED and one.did not in (Did.RAN, Did.UNKNOWN)
    ]


def _asked_again(cells: Iterable[MeasuredCell], had_bundle: bool) -> list[str]:
    """The probes of hints with a question, and after a bundle all that did not run."""
    kinds = {Did.ASKED, *((Did.REFUSED, Did.HIDDEN) if had_bundle else ())}
    return [one.probe for one in cells if one.probe.startswith("hints/") and one.did in kinds]


def _probes_of(ids: Sequence[str]) -> list[Probe]:
    return [all_probes()[one] for one in ids]


def _together(left: Sequence[Probe]) -> Sequence[Probe]:
    """The probes of the next start: each oddity has one of its own, since it may cost all tools.

    What “always” covers is known only in a start in which it was answered, and after everything
    that it may cover. The session with another name comes last: what follows in it would be
    called by that name.
    """
    usual = (one for one in left if one.family != "reading")
    ordinary = sorted(usual, key=_place_in_start)[:TOOLS_MOST]
    first = remembered_probes()[0]
    remembered = [one for one in ordinary if one.family == "remembered"]
    if remembered and first not in ordinary:
        ordinary.insert(ordinary.index(remembered[0]), first)
    return ordinary or left[:1]


def _place_in_start(probe: Probe) -> tuple[bool, bool]:
    return probe.family == "remembered", probe.act == RENAMED_SERVER
