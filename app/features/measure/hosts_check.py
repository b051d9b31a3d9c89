"""`signoff hosts check`: are the versions of the hosts on this machine measured?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from ...content.text import visible
from ...hosts.measured.records import newest
from ...hosts.measured.values import Measurement
from .drivers import Driver
from .installed import ProgramHere


class MeasuredAs(StrEnum):
    """How the version of a host on this machine compares with the measured ones."""

    SAME = "measured"
    """Every mode that was ever measured was measured in this version."""
    OTHER = "other-version"
    """A mode was measured only in another version."""
    NEVER = "not-measured"
    NOT_HERE = "not-here"
    NOT_AGREED = "not-looked-for"
    """Its driver is the person's, and its programs are not agreed to."""


class ModeOnSurface(NamedTuple):
    """A mode on a surface, with the newest version in which it was measured."""

    mode: str
    surface: str
    version: str
    """Empty for none."""


class Checked(NamedTuple):
    """A host on this machine."""

    here: ProgramHere
    state: MeasuredAs
    parts: tuple[ModeOnSurface, ...]
    """Those of its driver."""

    @property
    def is_fine(self) -> bool:
        """True if nothing is to be measured."""
        return self.state in (MeasuredAs.SAME, MeasuredAs.NOT_HERE)

    @property
    def others(self) -> tuple[ModeOnSurface, ...]:
        """The parts that were measured in another version only."""
        return tuple(one for one in self.parts if one.version not in ("", self.here.version))


def checked(here: Iterable[ProgramHere], measured: Sequence[Measurement]) -> list[Checked]:
    """Compare the programs of this machine with the newest records, complete ones only."""
    whole = [one for one in measured if not (one.stopped or one.has_only_slow_calls)]
    return [_checked(one, whole) for one in here]


def _checked(here: ProgramHere, measured: Sequence[Measurement]) -> Checked:
    own = [one for one in measured if one.host == here.driver.name]
    parts = tuple(_parts(here, own))
    if not here.is_looked_for:
        return Checked(here, MeasuredAs.NOT_AGREED, parts)
    if not here.version:
        return Checked(here, MeasuredAs.NOT_HERE, parts)
    if not any(one.version for one in parts):
        return Checked(here, MeasuredAs.NEVER, parts)
    is_same = all(one.version in ("", here.version) for one in parts)
    return Checked(here, MeasuredAs.SAME if is_same else MeasuredAs.OTHER, parts)


def _parts(here: ProgramHere, measured: Sequence[Measurement]) -> Iterator[ModeOnSurface]:
    for mode in here.driver.modes:
        for surface in mode.commands:
            same = [one for one in measured if (one.mode, one.surface) == (mode.name, surface)]
            exact = [one for one in same if one.version == here.version]
            found = exact or newest(same)
            yield ModeOnSurface(mode.name, surface, found[0].version if found else "")


def check_lines(found: Sequence[Checked], *, is_named: bool) -> Iterator[str]:
    """A line for each host that is here, or was named, with the commands that measure it."""
    shown = [one for one in found if is_named or one.state is not MeasuredAs.NOT_HERE]
    for one in shown:
        yield f"{one.here.driver.name:<18} {visible(_words(one))}"
        for command in commands(one):
            yield f"{'':<18} {visible(command)}"
    if not shown:
        yield "no known host is on this machine; signoff measure --list names them"


def _words(one: Checked) -> str:
    version = one.here.version
    if one.state in (MeasuredAs.NOT_AGREED, MeasuredAs.NOT_HERE):
        return one.here.missing
    if one.state is MeasuredAs.NEVER:
        return f"{version}: not measured"
    if one.state is MeasuredAs.SAME:
        return f"{version}: measured as it is"
    versions = ", ".join(dict.fromkeys(part.version for part in one.others))
    return f"{version}: measured at {versions}"


def commands(one: Checked) -> list[str]:
    """The commands after which the host is measured in the version that is here."""
    driver = one.here.driver
    if one.state is MeasuredAs.NEVER:
        return [f"signoff measure {driver.name} --save"]
    if one.state is not MeasuredAs.OTHER:
        return []
    return [_command(driver, part) for part in one.others]


def _command(driver: Driver, part: ModeOnSurface) -> str:
    is_first = next(iter(driver.mode(part.mode).commands)) == part.surface
    surface = "" if is_first else f" --surface {part.surface}"
    return f"signoff measure {driver.name}:{part.mode}{surface} --save"


def are_fine(found: Sequence[Checked], *, is_named: bool) -> bool:
    """True if nothing is to be measured; a host that was named has to be here."""
    is_missing = is_named and any(one.state is MeasuredAs.NOT_HERE for one in found)
    return all(one.is_fine for one in found) and not is_missing


def check_json(found: Sequence[Checked], *, is_named: bool = False) -> dict[str, Any]:
    """The same as JSON, with hosts that are not here."""
    return {
        "fine": are_fine(found, is_named=is_named),
        "hosts": [
            {
                "host": one.here.driver.name,
                "title": one.here.driver.title,
                "yours": bool(one.here.driver.file),
                "version": one.here.version or None,
                "program": one.here.program or None,
                "state": one.state.value,
                "modes": [
                    {
                        "mode": part.mode,
                        "surface": part.surface,
                        "measured_version": part.version or None,
                    }
                    for part in one.parts
                ],
                "commands": commands(one),
            }
            for one in found
        ],
    }
