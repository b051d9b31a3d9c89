"""Measures a host: starts it until every probe was tried, and again for what one start cannot show.

If a host ends in the middle, the next start goes on with the probe after. A host that has its model
judge calls is started again with a model that allows them. One that asks is started again with a
person who answers yes: one yes may let more run than its question showed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, NamedTuple

from .... import __version__
from ....hosts.measured.values import NOT_AGAIN, UNASKED, Did, MeasuredCell, Measurement
from ....platforms.tracing import find_tracer
from ..drivers import DriverError
from ..observing import ProbeServerLog, cell_of
from ..probes.patience import FAMILY as PATIENCE_FAMILY
from ..probes.probe import Probe
from ..probes.probes import RENAMED_SERVER, all_probes, remembered_probes
from .planning import Way
from .running import Network, ShownByStart, SurfaceRunner, ending_all, one_start
from .short_runs import MeasureSubject
from .so_far import STOPPED

STARTS_MAX: Final = 12
SLOW_STARTS: Final = 2
"""Starts for the probe of a slow tool."""
TOLD_EVERY: Final = 60.0
"""Seconds between two words about slow calls, where the progress is not drawn."""
TOOLS_MOST: Final = 40
"""Tools of one start: hosts hide the tools of a server that has more than a hundred."""
JUDGED: Final = ("hints", "answers", "shown")
"""Families that are tried again with a model that allows them."""
SEEN_AGAIN: Final[dict[Way, str]] = {
    Way.ALLOWS: "if its model allows them",
    Way.APPROVES: "after one yes",
}


class MeasureStep(NamedTuple):
    """How far a measurement is: a start has begun, or one more probe has its cell."""

    way: Way
    start: int
    done: int
    """Probes that have a cell, of those that are tried in this way."""
    total: int
    probe: str = ""
    """The newest of them; empty at the beginning of a start."""
    did: Did | None = None
    """None if its proof comes only with the end of the start."""


class MeasureSettings(NamedTuple):
    """How much is measured, and who hears of it."""

    probes: tuple[Probe, ...]
    starts: int = STARTS_MAX
    traces: bool = True
    """Whether reached addresses are listed, where strace works."""
    on_step: Callable[[MeasureStep], None] = lambda step: None
    on_call: Callable[[str], None] = lambda probe: None
    """Gets the probe of each call as its model makes it."""
    on_wait: Callable[[], None] = lambda: None
    """Is called now and then while slow calls are waited for."""


@dataclass
class _Measuring:
    subject: MeasureSubject
    person: SurfaceRunner
    settings: MeasureSettings
    tracer: str
    log: ProbeServerLog | None = None
    reached: set[str] | None = None
    names: set[str] | None = None
    is_isolated: bool = True
    problems: dict[str, None] = field(default_factory=dict)
    starts: int = 0
    judgements: int = 0
    had_bundle: bool = False
    found: dict[Way, dict[str, MeasuredCell]] = field(default_factory=lambda: {w: {} for w in Way})
    """The cells of each way so far, by probe."""
    stopped: str = ""
    """Why probes are left; empty if all were tried."""

    async def all(self) -> None:
        """Try every probe in every way that it needs."""
        slow = [one for one in self.settings.probes if one.family == PATIENCE_FAMILY]
        usual = [one for one in self.settings.probes if one.family != PATIENCE_FAMILY]
        oddities = sum(one.family == "reading" for one in usual)
        await self._tried(usual, self.settings.starts + oddities, Way.USUAL)
        await self._waited(slow)
        for way in (Way.ALLOWS, Way.APPROVES):
            again = _probes_of(self._again(way, self.cells().values()))
            await self._tried(again, self.settings.starts, way)

    def cells(self) -> dict[str, MeasuredCell]:
        """The cell of each probe so far, of all ways in which it was tried."""
        cells = dict(self.found[Way.USUAL])
        for way, merged in ((Way.ALLOWS, with_judge), (Way.APPROVES, after_yes)):
            for one in self._again(way, cells.values()):
                later = self.found[way].get(one)
                cells[one] = _half(cells[one], way) if later is None else merged(cells[one], later)
        return cells

    def _again(self, way: Way, cells: Iterable[MeasuredCell]) -> list[str]:
        """The probes that this way tries after the others."""
        if way is Way.APPROVES:
            return _asked_again(cells, self.had_bundle)
        return _judged_again(cells) if self.judgements else []

    async def _tried(self, probes: Sequence[Probe], starts_most: int, way: Way) -> None:
        """Find the cell of each probe, in so many starts at most."""
        left = list(probes)
        number = 0
        while left and number < starts_most:
            number += 1
            done = await self._start(left, way, len(probes))
            wanted = {probe.id for probe in left}
            found = {cell.probe: cell for cell in done.cells if cell.probe in wanted}
            if done.is_stopped:
                self.found[way] |= found
                raise asyncio.CancelledError
            if not found:
                together = (one for one in _together(left) if one.id in wanted)
                found = {probe.id: cell_of(probe, (), done.end) for probe in together}
            self._keep(found, way, len(probes))
            left = [probe for probe in left if probe.id not in found]
        why = f"not reached in {number} starts"
        missed = {one.id: MeasuredCell(one.id, one.hints, Did.UNKNOWN, why) for one in left}
        self._keep(missed, way, len(probes))

    async def _waited(self, probes: Sequence[Probe]) -> None:
        """Find how long the host waits: a start for each probe, all at once."""
        left = list(probes)
        for _ in range(min(SLOW_STARTS, self.settings.starts)):
            problems: list[str] = []
            async with ending_all(problems), self._telling():
                ends = await asyncio.gather(
                    *(self._waited_once(one) for one in left), return_exceptions=True
                )
            self.problems.update(dict.fromkeys(problems))
            for problem in ends:
                if isinstance(problem, BaseException):
                    raise problem
            left = [one for one in left if self.found[Way.USUAL][one.id].did is Did.UNKNOWN]

    @contextlib.asynccontextmanager
    async def _telling(self) -> AsyncIterator[None]:
        """Report now and then that the host is waited for."""

        async def tell() -> None:
            while True:
                await asyncio.sleep(TOLD_EVERY)
                self.settings.on_wait()

        telling = asyncio.ensure_future(tell())
        try:
            yield
        finally:
            telling.cancel()

    async def _waited_once(self, probe: Probe) -> None:
        done = await self._start([probe], Way.USUAL, self._total, is_beside=True)
        cells = {one.probe: one for one in done.cells if one.probe == probe.id}
        if done.is_stopped:
            self.found[Way.USUAL] |= cells
            raise asyncio.CancelledError
        self._keep(cells or {probe.id: cell_of(probe, (), done.end)}, Way.USUAL, self._total)

    @property
    def _total(self) -> int:
        return len(self.settings.probes)

    def _keep(self, found: dict[str, MeasuredCell], way: Way, total: int) -> None:
        self.found[way] |= found
        if found:
            done, newest = len(self.found[way]), next(reversed(found.values()))
            self.settings.on_step(
                MeasureStep(way, self.starts, done, total, newest.probe, newest.did)
            )

    async def _start(
        self, left: Sequence[Probe], way: Way, total: int, *, is_beside: bool = False
    ) -> ShownByStart:
        self.starts += 1
        before = len(self.found[way])
        self.settings.on_step(MeasureStep(way, self.starts, before, total))
        seen = 0

        def on_cell(cell: MeasuredCell) -> None:
            nonlocal seen
            seen += 1
            did = None if cell.did is Did.UNKNOWN else cell.did
            done = min(before + seen, total)
            self.settings.on_step(MeasureStep(way, self.starts, done, total, cell.probe, did))

        together = _together(left)
        person = copy(self.person) if is_beside else self.person
        done = await one_start(
            *(self.subject, person, together, self.tracer, way),
            *(on_cell, self.settings.on_call),
            is_beside=is_beside,
        )
        if self.log is None or self.log.initialize is None:
            self.log = done.log
        self.problems.update(dict.fromkeys(done.problems))
        self._note(done.network)
        if way is Way.USUAL:
            self.judgements += done.judgements
            self.had_bundle = self.had_bundle or done.had_bundle
        return done

    def _note(self, network: Network) -> None:
        if network.reached is not None:
            self.reached = (self.reached or set()) | network.reached
        if network.names is not None:
            self.names = (self.names or set()) | network.names
        self.is_isolated = self.is_isolated and network.is_isolated
        if network.not_isolated:
            self.problems[f"not isolated: {network.not_isolated}"] = None


async def measure(
    subject: MeasureSubject, person: SurfaceRunner, settings: MeasureSettings
) -> Measurement:
    """Try every probe; returns the measurement. Raises DriverError if the host cannot start.

    If the task is cancelled, or a later start fails, the measurement has the cells so far and
    `stopped`, the reason.
    """
    tracer = find_tracer()[0] if settings.traces else ""
    measuring = _Measuring(subject, person, settings, tracer)
    try:
        await measuring.all()
    except asyncio.CancelledError:
        measuring.stopped = STOPPED
    except (DriverError, OSError) as problem:
        if not measuring.cells():
            raise
        measuring.stopped = str(problem)
    return _measurement(measuring)


def _measurement(measuring: _Measuring) -> Measurement:
    subject, log, cells = measuring.subject, measuring.log, measuring.cells()
    probes = measuring.settings.probes
    return Measurement(
        host=subject.name,
        title=subject.title,
        version=subject.version,
        mode=subject.mode.name if subject.mode is not None else "",
        surface=subject.surface,
        system=sys.platform,
        date=date.today().isoformat(),
        signoff=__version__,
        cells=tuple(cells[probe.id] for probe in probes if probe.id in cells),
        model="" if subject.mode is None else subject.mode.models.get(subject.surface, ""),
        starts=measuring.starts,
        declared=log.initialize if log is not None else None,
        variables=log.variables if log is not None else (),
        reached=_sorted(measuring.reached),
        isolated=measuring.is_isolated,
        names=_sorted(measuring.names),
        problems=tuple(measuring.problems),
        stopped=measuring.stopped,
        probes=len(probes),
    )


def _sorted(found: set[str] | None) -> tuple[str, ...] | None:
    return None if found is None else tuple(sorted(found))


def _half(cell: MeasuredCell, way: Way) -> MeasuredCell:
    """The cell of a call that was not tried in a second way that it needs."""
    return replace(cell, why=f"{cell.why}; {NOT_AGAIN} {SEEN_AGAIN[way]}")


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
