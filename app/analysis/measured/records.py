"""Records of measurements: those that come with the program, and which of several counts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from ...content.frozen import frozen
from .values import Did, HostKey, Measurement, read_measurements

_FOLDER: Final = Path(__file__).parent / "hosts"


@lru_cache(maxsize=1)
def packaged_measurements() -> tuple[Measurement, ...]:
    """All records that come with the program, by host, mode, surface and date."""
    found: list[Measurement] = []
    for path in sorted(_FOLDER.glob("*.json")):
        found += read_measurements(path.read_text(encoding="utf-8"), path.name)
    return tuple(sorted(found, key=lambda one: (*one.key, one.date)))


def file_name(key: HostKey) -> str:
    """The name of the file of a record, with no character but letters, digits, dots and dashes."""
    text = "-".join(part for part in (key.host, key.version, key.mode, key.surface) if part)
    return "".join(one if one.isalnum() or one in ".-" else "_" for one in text) + ".json"


def newest(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """The newest measurement of each host, mode and surface."""
    found: dict[tuple[str, str, str], Measurement] = {}
    for one in measurements:
        key = (one.host, one.mode, one.surface)
        if key not in found or found[key].date <= one.date:
            found[key] = one
    return tuple(found.values())


@frozen
class MeasuredVerdict:
    """What was measured for one combination of hints in one mode of a host."""

    did: Did
    measurement: Measurement


NAMED: Final = "hints/name-"
"""How the probes begin whose names are at odds with their hints."""
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def hints_key(hints: object) -> tuple[object, ...] | None:
    """The declared values of the four hints, None for each that is not set; None for a value that
    is not a boolean.
    """
    if not isinstance(hints, dict):
        return (None,) * len(_HINTS)
    values = tuple(hints.get(name) for name in _HINTS)
    return values if all(one is None or isinstance(one, bool) for one in values) else None


def measured_verdict(
    model: str, hints: object, measurements: Iterable[Measurement]
) -> MeasuredVerdict | None:
    """The newest observation of the model HOST:MODE with exactly these hints; None without one.

    Only probes whose names suggest nothing count: a host may judge by names, too.
    """
    wanted = hints_key(hints)
    found: MeasuredVerdict | None = None
    for one in measurements:
        if one.model != model or (found is not None and found.measurement.date > one.date):
            continue
        for cell in one.cells:
            if (
                cell.probe.startswith("hints/")
                and not cell.probe.startswith(NAMED)
                and cell.did is not Did.UNKNOWN
                and hints_key(dict(cell.hints)) == wanted
                and wanted is not None
            ):
                found = MeasuredVerdict(cell.did, one)
    return found
