"""How long measured hosts wait for a slow tool: what the records have of it, for any surface.

A host gave up when it cancelled the call, or went on with another result, before the server
answered. Time limits are those of the host itself: none was set in its files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.text import count, visible
from ...protocol.findings.findings import Finding, note
from .records import by_age
from .values import PATIENCE, Did, MeasuredCell, Measurement, read_measurements

_FOLDER: Final = Path(__file__).parents[1] / "known"
SILENCE: Final = "silence"
PROGRESS: Final = "progress"
CONDITIONS: Final = (SILENCE, PROGRESS, "log", "ping")
"""What a host hears while it waits."""
WAITED: Final = "waited s"
"""How long the call was open."""
GAVE_UP: Final = "gave up after s"
"""Null if the host did not give up in that time."""
CANCELLED: Final = "cancelled after s"
WENT_ON: Final = "model got a result after s"
ENDED: Final = "host ended after s"
REASON: Final = "reason"
"""Why it cancelled, in its words."""
SERVER: Final = "server"
CALLS: Final = "calls"
TOKEN: Final = "wants progress"
ANSWERED: Final = "pings answered"
_NAMES_MOST: Final = 6
_SECONDS_MOST: Final = 1e9


class ServerFate(StrEnum):
    """What became of the server after a slow call."""

    KEPT = "kept"
    """The next call came to the same process."""
    RESTARTED = "restarted"
    GONE = "gone"
    """The next call of the model did not come."""
    NOT_SEEN = "not seen"
    """The model made no further call."""


@frozen
class SlowCall:
    """One slow call, as a host waited for it."""

    waited: float
    gave_up: float | None
    """Seconds; None if the host did not give up while it was watched."""
    has_cancelled: bool
    reason: str
    """Why it cancelled, in its words; hostile."""
    has_ended: bool
    """Whether the host ended before its model got any result."""
    server: ServerFate
    calls: int
    """How often the call came: more than once if the host repeated it by itself."""
    wants_progress: bool | None
    """None in a condition without progress."""
    pings: str
    """`179 of 180`; empty in a condition without pings."""
    got: JsonValue
    """What its model was given."""

    @classmethod
    def of(cls, cell: MeasuredCell) -> SlowCall | None:
        """The slow call of a cell; None if it has no proof."""
        facts = cell.facts or {}
        waited, gave_up = _seconds(facts.get(WAITED)), _seconds(facts.get(GAVE_UP))
        if cell.did is Did.UNKNOWN or waited is None:
            return None
        fate, calls, token = facts.get(SERVER), facts.get(CALLS), facts.get(TOKEN)
        return cls(
            waited=waited,
            gave_up=gave_up,
            has_cancelled=_seconds(facts.get(CANCELLED)) is not None,
            reason=str(facts.get(REASON) or ""),
            has_ended=_seconds(facts.get(ENDED)) is not None,
            server=ServerFate(fate) if fate in list(ServerFate) else ServerFate.NOT_SEEN,
            calls=calls if isinstance(calls, int) else 1,
            wants_progress=token if isinstance(token, bool) else None,
            pings=str(facts.get(ANSWERED) or ""),
            got=cell.model_got,
        )

    def gives_up_before(self, seconds: float) -> bool | None:
        """Whether it gives up on a call that takes so long; None if that is not known."""
        if self.gave_up is not None:
            return self.gave_up < seconds
        return False if seconds <= self.waited else None


class Patience(NamedTuple):
    """How long one host waits, by what it hears during the call."""

    measurement: Measurement
    calls: Mapping[str, SlowCall]

    def gives_up_before(self, seconds: float, condition: str) -> bool | None:
        """Whether it gives up on such a call; None if that is not known."""
        call = self.calls.get(condition)
        return None if call is None else call.gives_up_before(seconds)


def _seconds(value: JsonValue) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value < _SECONDS_MOST else None


@lru_cache(maxsize=1)
def packaged_slow_calls() -> tuple[Measurement, ...]:
    """The records of slow calls that come with the program."""
    found: list[Measurement] = []
    for path in sorted(_FOLDER.glob("*/patience-*.json")):
        name = path.name.replace("patience", path.parent.name, 1)
        found += read_measurements(path.read_text(encoding="utf-8"), name)
    return tuple(sorted(found, key=lambda one: (*one.key, one.date)))


def patience_of(measurements: Iterable[Measurement]) -> tuple[Patience, ...]:
    """The newest measurement of each host, mode and surface that has slow calls."""
    found: dict[tuple[str, str, str], Patience] = {}
    for one in sorted(measurements, key=by_age):
        slow = {
            c.probe.removeprefix(PATIENCE): c for c in one.cells if c.probe.startswith(PATIENCE)
        }
        calls = {name: call for name, cell in slow.items() if (call := SlowCall.of(cell))}
        if calls:
            found[(one.host, one.mode, one.surface)] = Patience(one, calls)
    return tuple(sorted(found.values(), key=lambda one: one.measurement.key))


def slow_findings(seconds: float, before: str = "") -> list[Finding]:
    """The note on a call that took longer than some hosts wait; none if all would have waited.

    `before` are words before it.
    """
    words = slow_words(seconds, patience_of(packaged_slow_calls()))
    return [note("hosts-give-up", f"{before}{words}")] if words else []


def slow_words(seconds: float, hosts: Iterable[Patience]) -> str:
    """`took 70 s: 3 of 9 hosts give up first, 2 of them even if progress comes`, then which.

    Empty if none gives up. Hosts of which it is not known do not count.
    """
    known = [one for one in hosts if one.gives_up_before(seconds, SILENCE) is not None]
    first = [one for one in known if one.gives_up_before(seconds, SILENCE)]
    if not first:
        return ""
    total = len({one.measurement.host for one in known})
    names = _names(first, seconds)
    also = {one.measurement.host for one in first if one.gives_up_before(seconds, PROGRESS)}
    gives = "gives" if len(names) == 1 else "give"
    words = (
        f"took {seconds_words(seconds)}: {len(names)} of {count(total, 'host')} {gives} up first"
    )
    listed = some_named(list(names.values()), _NAMES_MOST)
    return f"{words}, {_with_progress(len(also), len(names))} ({listed})"


def _with_progress(also: int, first: int) -> str:
    if first == 1:
        return "even if progress comes" if also else "but not if progress comes"
    if also == first:
        return "all of them even if progress comes"
    if not also:
        return "none of them if progress comes"
    return f"{also} of them even if progress comes"


def _names(first: Iterable[Patience], seconds: float) -> dict[str, str]:
    """Each host with its seconds, the most impatient first."""
    found: dict[str, str] = {}
    for one in sorted(first, key=_impatience):
        after = seconds_words(one.calls[SILENCE].gave_up or 0.0)
        kept = " without progress" if one.gives_up_before(seconds, PROGRESS) is False else ""
        title = visible(one.measurement.title)
        found.setdefault(one.measurement.host, f"{title} after {after}{kept}")
    return found


def _impatience(one: Patience) -> tuple[int, str]:
    """What hosts are sorted by: to a second, then by name."""
    return round(one.calls[SILENCE].gave_up or 0.0), one.measurement.host


def seconds_words(seconds: float) -> str:
    """`5 s`, `2.5 s`, `60 s`."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s".replace(".0 ", " ")
