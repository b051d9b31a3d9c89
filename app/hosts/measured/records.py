"""Records of measurements: which of several counts, and where they contradict the rules."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from ...approval.policies.measured import Claims, MeasuredDecision
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case, KnownBy, Verdict
from ...content.json.jsonio import JsonValue
from ...protocol.server import Trust
from ...protocol.tool_reading import read_tool
from .values import VERDICTS, Did, HostKey, MeasuredCell, Measurement, read_measurements

_FOLDER: Final = Path(__file__).parents[1] / "known"
_NAME_MAX: Final = 120


@lru_cache(maxsize=1)
def packaged_measurements() -> tuple[Measurement, ...]:
    """All records that come with the program, by host, mode, surface and date."""
    found: list[Measurement] = []
    for path in sorted(_FOLDER.glob("*/measured-*.json")):
        name = path.name.replace("measured", path.parent.name, 1)
        found += read_measurements(path.read_text(encoding="utf-8"), name)
    return tuple(sorted(found, key=lambda one: (*one.key, one.date)))


def file_name(key: HostKey) -> str:
    """The name of the file of a record, with no character but letters, digits, dots and dashes.

    A key that would lose something by that, or is long, gets a digest, so that no two share a name.
    """
    text = "-".join(part for part in (key.host, key.version, key.mode, key.surface) if part)
    name = "".join(
        one if one.isascii() and (one.isalnum() or one in ".-_") else "_" for one in text
    )
    if name != text or name.startswith(".") or not 0 < len(name) <= _NAME_MAX:
        digest = hashlib.sha256("\0".join(key).encode(errors="surrogatepass")).hexdigest()
        name = f"host-{digest[:12]}-{name[-_NAME_MAX:].lstrip('.')}"
    return f"{name}.json"


def by_age(found: Measurement) -> tuple[tuple[int, ...], str]:
    """What a measurement is sorted by: its version, and then its date.

    The newest version counts, also if an older one was measured later.
    """
    numbers = (int(one) for one in re.findall(r"\d{1,9}", found.version))
    return tuple(numbers), found.date


def newest(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """The measurement of the newest version of each host, mode and surface.

    One with slow calls alone is none of them: it has no decisions.
    """
    found: dict[tuple[str, str, str], Measurement] = {}
    for one in measurements:
        if one.has_only_slow_calls:
            continue
        key = (one.host, one.mode, one.surface)
        if key not in found or by_age(found[key]) <= by_age(one):
            found[key] = one
    return tuple(found.values())


NAMED: Final = "hints/name-"
"""How the probes begin whose names are at odds with their hints: a host may judge by names."""
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class MeasuredDecisions:
    """What was measured, by the rules of a host and by hints; the newest version counts.

    Args:
        load: reads the measurements, at the first question.
    """

    def __init__(self, load: Callable[[], Iterable[Measurement]]) -> None:
        self._load = load
        self._found: dict[tuple[str, Claims], MeasuredDecision] | None = None
        self._versions: dict[str, str] = {}

    def find(self, model: str, claims: Claims) -> MeasuredDecision | None:
        """The newest decision by a host's rules on these hints; None if it was not measured."""
        return self._read().get((model, claims))

    def version(self, model: str) -> str:
        """The newest measured version of the rules of a host; empty if none was measured."""
        self._read()
        return self._versions.get(model, "")

    def _read(self) -> dict[tuple[str, Claims], MeasuredDecision]:
        if self._found is None:
            decided = (one for one in self._load() if not one.has_only_slow_calls)
            measured = sorted(decided, key=by_age)
            self._found = _by_hints(measured)
            self._versions = {one.model: one.version for one in measured}
        return self._found


def _by_hints(
    measurements: Iterable[Measurement],
) -> dict[tuple[str, Claims], MeasuredDecision]:
    found: dict[tuple[str, Claims], MeasuredDecision] = {}
    for one in measurements:
        for cell in one.cells if one.model else ():
            claims = claims_in(cell.hints)
            is_plain = cell.probe.startswith("hints/") and not cell.probe.startswith(NAMED)
            if is_plain and claims is not None and cell.did is not Did.UNKNOWN:
                found[(one.model, claims)] = MeasuredDecision(
                    VERDICTS[cell.did],
                    one.version,
                    one.surface,
                    one.system,
                    one.date,
                    one.isolated is not False,
                )
    return found


def claims_in(hints: Mapping[str, JsonValue]) -> Claims | None:
    """The four hints of a probe; None if one is not a boolean."""
    values = [hints.get(name) for name in _HINTS]
    claims = [one for one in values if one is None or isinstance(one, bool)]
    if len(claims) != len(_HINTS):
        return None
    first, second, third, fourth = claims
    return first, second, third, fourth


class Compared(NamedTuple):
    """A measured cell beside the verdict of the rules."""

    measurement: Measurement
    cell: MeasuredCell
    verdict: Verdict
    known_by: KnownBy


class MeasuredMode(NamedTuple):
    """A mode of a host with what was measured of it."""

    policy: Policy | None
    """None for a mode without rules."""
    measurement: Measurement
    compared: tuple[Compared, ...]
    """The cells of hints; empty without rules."""

    @property
    def conflicts(self) -> tuple[Compared, ...]:
        return tuple(one for one in self.compared if one.known_by is KnownBy.CONFLICT)


def measured_modes(
    hosts: Iterable[Policy], measurements: Iterable[Measurement]
) -> tuple[MeasuredMode, ...]:
    """The newest measurement of each mode and surface, beside its rules."""
    policies = {one.name: one for host in hosts for one in host.variants}
    found = []
    for one in newest(measurements):
        policy = policies.get(one.model)
        compared = tuple(_compare(policy, one)) if policy is not None else ()
        found.append(MeasuredMode(policy, one, compared))
    return tuple(found)


def _compare(policy: Policy, measurement: Measurement) -> Iterator[Compared]:
    for cell in measurement.cells:
        if not cell.probe.startswith("hints/") or cell.probe.startswith(NAMED):
            continue
        if cell.did is Did.UNKNOWN:
            continue
        tool = read_tool(0, {"name": "probe", "annotations": dict(cell.hints)})
        verdict = policy.judge(Case(tool, Trust.UNTRUSTED))
        yield Compared(measurement, cell, verdict, _known_by(verdict, cell))


def _known_by(verdict: Verdict, cell: MeasuredCell) -> KnownBy:
    if verdict.answer is VERDICTS[cell.did]:
        return KnownBy.BOTH
    is_open = verdict.answer is VERDICTS[Did.UNKNOWN]
    return KnownBy.MEASURED if is_open else KnownBy.CONFLICT
