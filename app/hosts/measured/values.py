"""Measurements of a host, as values and as JSON.

A cell without proof is `unknown`. Texts of a host are hostile: they are kept as they came, and made
safe for display.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from ...approval.policies.verdicts import VerdictAnswer
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.text import shortened

KEPT_WHOLE: Final = 4_000
"""Characters of JSON up to which a value is kept as it is."""
_EXCERPT: Final = 300
_COMPARED: Final = 80
_SHOWN: Final = 60
MEASUREMENTS_MAX: Final = 1_000
"""Measurements in one file."""
CELLS_MAX: Final = 2_000
"""Cells of one measurement: ten times the probes there are."""
_LIMITS: Final = Limits(size=100_000_000, nodes=5_000_000)
"""Of a record; the size of its file is checked before it is read."""


WITHOUT_QUESTION: Final = "the call came to the server without a question"
"""The usual proof of `ran`."""
EARLIER: Final = "only in an earlier update"
"""The parts that an ACP request leaves out, which an update before it has."""
ALONE: Final = "each shows its call alone"
"""The fact that each of two questions shows the argument of its call, and of no other."""
NOT_AGAIN: Final = "not tried again"
"""In the proof of a cell whose second start did not come: it may be less strict."""
PATIENCE: Final = "patience/"
"""How the probes of slow calls begin, which are not about decisions."""
LASTING: Final = "the answer lasts"
"""The fact that a host offers an answer that lasts, and was given it."""


class Did(StrEnum):
    """What a host did with a call of its model."""

    RAN = "ran"
    """The call came to the server, and no question was answered before."""
    ASKED = "asked"
    """Nothing came before a person approved exactly this call."""
    UNRELATED = "unrelated"
    """A question named another tool, showed other arguments, or named nothing."""
    ONCE = "once"
    """After one yes of a person, it came without a question of its own."""
    JUDGED = "judged"
    """It came without an approval where the host's model allowed it, and else did not."""
    REFUSED = "refused"
    """The tool was offered, its call did not come, and the model got an error."""
    HIDDEN = "hidden"
    """The model was not offered the tool and could not call it by its name."""
    UNKNOWN = "unknown"
    """Proof is missing."""


VERDICTS: Final[Mapping[Did, VerdictAnswer]] = {
    Did.RAN: VerdictAnswer.ALLOW,
    Did.ASKED: VerdictAnswer.ASK,
    Did.UNRELATED: VerdictAnswer.ALLOW,
    Did.ONCE: VerdictAnswer.ALLOW,
    Did.JUDGED: VerdictAnswer.JUDGE,
    Did.REFUSED: VerdictAnswer.REFUSE,
    Did.HIDDEN: VerdictAnswer.HIDE,
    Did.UNKNOWN: VerdictAnswer.UNKNOWN,
}
"""The verdict of a policy that decides as the host did."""
UNASKED: Final = frozenset((Did.RAN, Did.UNRELATED, Did.ONCE, Did.JUDGED))
"""The call came, or may come, without an approval of exactly this call."""
CAME: Final = UNASKED | {Did.ASKED}
"""The call came to the server, so the model was given its result."""


@frozen
class MeasuredCell:
    """One observation: a probe in a host."""

    probe: str
    hints: Mapping[str, JsonValue]
    """As the server declared them."""
    did: Did
    why: str = ""
    """The proof, or the reason why it is missing."""
    was_offered: bool = False
    model_got: JsonValue = None
    """What the model was given: of the call that ran, else of the one that did not."""
    when_denied: JsonValue = None
    """What the model was given after a denial; null if nothing was denied."""
    shown: Mapping[str, JsonValue] | None = None
    """What the question had of the tool and the call: part to `true`, `false` or a text."""
    facts: Mapping[str, JsonValue] | None = None
    """What else was seen, by name."""
    screen: str = ""
    """The screen as it stood, if there was one."""

    def as_json(self) -> dict[str, JsonValue]:
        """The cell for `--json` and for records."""
        found: dict[str, JsonValue] = {
            "probe": self.probe,
            "hints": dict(self.hints),
            "did": self.did.value,
            "why": self.why,
            "was_offered": self.was_offered,
            "model_got": bounded(self.model_got),
        }
        if self.when_denied is not None:
            found["when_denied"] = bounded(self.when_denied)
        if self.shown is not None:
            found["shown"] = {name: bounded(value) for name, value in self.shown.items()}
        if self.facts is not None:
            found["facts"] = {name: bounded(value) for name, value in self.facts.items()}
        if self.screen:
            found["screen"] = self.screen
        return found


class HostKey(NamedTuple):
    """What a measurement is about: hosts differ by all four."""

    host: str
    version: str
    mode: str
    surface: str

    def __str__(self) -> str:
        mode = f":{self.mode}" if self.mode else ""
        return f"{self.host}{mode} {self.version} ({self.surface})"


@frozen
class Measurement:
    """All cells of one host in one mode on one surface."""

    host: str
    title: str
    version: str
    mode: str
    surface: str
    system: str
    date: str
    """`2026-11-27`."""
    signoff: str
    """The version of Signoff."""
    cells: tuple[MeasuredCell, ...]
    model: str = ""
    """The rules of a host that this is compared with, as HOST:MODE."""
    starts: int = 0
    """How often the host was started."""
    declared: Mapping[str, JsonValue] | None = None
    """The `params` of its `initialize`; null if it did not come."""
    variables: tuple[str, ...] = ()
    """The names of the variables that the server was given."""
    reached: tuple[str, ...] | None = None
    """Addresses beyond the loopback that were reached for; None if connections were not watched."""
    isolated: bool | None = None
    """Whether it could reach nothing but this machine; None if that was not noted."""
    names: tuple[str, ...] | None = None
    """Names that were looked up; None if that was not watched."""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Words of a person on how some cells were measured."""
    stopped: str = ""
    """Why it ended before all probes were tried; empty if it is complete."""
    probes: int = 0
    """How many probes were to be tried; 0 if that is not known."""

    @property
    def key(self) -> HostKey:
        return HostKey(self.host, self.version, self.mode, self.surface)

    @property
    def has_only_slow_calls(self) -> bool:
        """True if no cell is about a decision, or about a result."""
        return bool(self.cells) and all(one.probe.startswith(PATIENCE) for one in self.cells)

    def cell(self, probe: str) -> MeasuredCell | None:
        """The cell of a probe; None if it was not tried."""
        return next((one for one in self.cells if one.probe == probe), None)

    def cell_id(self, cell: MeasuredCell) -> str:
        """`HOST@VERSION:MODE/SURFACE/PROBE`: the name of a cell in every report."""
        return f"{self.host}@{self.version}:{self.mode}/{self.surface}/{cell.probe}"

    def with_ids(self) -> dict[str, JsonValue]:
        """The measurement for `--json`: each cell has its id."""
        cells = [{"id": self.cell_id(one), **one.as_json()} for one in self.cells]
        return {**self.as_json(), "cells": list(cells)}

    def as_json(self) -> dict[str, JsonValue]:
        """The measurement for records."""
        return {
            "host": self.host,
            "title": self.title,
            "version": self.version,
            "mode": self.mode,
            "surface": self.surface,
            "system": self.system,
            "date": self.date,
            "signoff": self.signoff,
            "model": self.model,
            "starts": self.starts,
            "declared": None if self.declared is None else dict(self.declared),
            "variables": list(self.variables),
            "isolated": self.isolated,
            "names": None if self.names is None else list(self.names),
            "reached": None if self.reached is None else list(self.reached),
            "problems": list(self.problems),
            **({"notes": list(self.notes)} if self.notes else {}),
            **self._stopped_json(),
            "cells": [one.as_json() for one in self.cells],
        }

    def _stopped_json(self) -> dict[str, JsonValue]:
        """A complete measurement has none of these."""
        if not self.stopped:
            return {}
        return {"complete": False, "stopped": self.stopped, "probes": self.probes}


class RecordError(ValueError):
    """JSON that is not a measurement; the text has the place and the reason."""


def read_measurements(text: str, name: str) -> tuple[Measurement, ...]:
    """Read one measurement, or a list of them. Raises RecordError."""
    try:
        raw = parse(text, _LIMITS).value
    except JsonError as error:
        raise RecordError(f"{name}: no JSON: {error}") from None
    listed = raw if isinstance(raw, list) else [raw]
    if len(listed) > MEASUREMENTS_MAX:
        raise RecordError(f"{name}: more than {MEASUREMENTS_MAX:,} measurements")
    return tuple(_measurement(one, f"{name}: {at}") for at, one in enumerate(listed, 1))


def _measurement(raw: Any, where: str) -> Measurement:
    if not isinstance(raw, dict):
        raise RecordError(f"{where}: no object")
    for key in ("host", "version", "mode", "surface", "system", "date", "cells"):
        if key not in raw:
            raise RecordError(f"{where}: {key}: missing")
    if not isinstance(raw["cells"], list):
        raise RecordError(f"{where}: cells: no array")
    if len(raw["cells"]) > CELLS_MAX:
        raise RecordError(f"{where}: cells: more than {CELLS_MAX:,}")
    for key in ("host", "version", "mode", "surface", "system", "date"):
        if not isinstance(raw[key], str):
            raise RecordError(f"{where}: {key}: no text")
    cells = tuple(_cell(one, f"{where}: cell {at}") for at, one in enumerate(raw["cells"], 1))
    twice = [probe for probe, times in Counter(one.probe for one in cells).items() if times > 1]
    if twice:
        raise RecordError(f"{where}: cells: {shortened(twice[0], _SHOWN)!r} is there twice")
    reached, names, isolated = raw.get("reached"), raw.get("names"), raw.get("isolated")
    declared = raw.get("declared")
    return Measurement(
        host=str(raw["host"]),
        title=str(raw.get("title", raw["host"])),
        version=str(raw["version"]),
        mode=str(raw["mode"]),
        surface=str(raw["surface"]),
        system=str(raw["system"]),
        date=str(raw["date"]),
        signoff=str(raw.get("signoff", "")),
        cells=cells,
        model=str(raw.get("model", "")),
        starts=raw["starts"] if isinstance(raw.get("starts"), int) else 0,
        declared=declared if isinstance(declared, dict) else None,
        variables=_texts(raw.get("variables")),
        reached=_texts(reached) if isinstance(reached, list) else None,
        isolated=isolated if isinstance(isolated, bool) else None,
        names=_texts(names) if isinstance(names, list) else None,
        problems=_texts(raw.get("problems")),
        notes=_texts(raw.get("notes")),
        stopped=str(raw.get("stopped") or "") or ("" if raw.get("complete", True) else "stopped"),
        probes=raw["probes"] if isinstance(raw.get("probes"), int) else 0,
    )


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(map(str, raw)) if isinstance(raw, list) else ()


def _cell(raw: Any, where: str) -> MeasuredCell:
    if not isinstance(raw, dict):
        raise RecordError(f"{where}: no object")
    try:
        did = Did(raw["did"])
    except KeyError:
        raise RecordError(f"{where}: did: missing") from None
    except ValueError:
        known, given = ", ".join(Did), shortened(str(raw["did"]), _SHOWN)
        raise RecordError(f"{where}: did: {given!r} is none of {known}") from None
    hints, shown, facts = raw.get("hints"), raw.get("shown"), raw.get("facts")
    return MeasuredCell(
        probe=str(raw.get("probe", "")),
        hints=hints if isinstance(hints, dict) else {},
        did=did,
        why=str(raw.get("why", "")),
        was_offered=raw.get("was_offered") is True,
        model_got=raw.get("model_got"),
        when_denied=raw.get("when_denied"),
        shown=shown if isinstance(shown, dict) else None,
        facts=facts if isinstance(facts, dict) else None,
        screen=str(raw.get("screen", "")),
    )


def bounded(value: JsonValue) -> JsonValue:
    """The value, or its size, digest, beginning and end if it is long."""
    if is_cut(value):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= KEPT_WHOLE:
        return value
    return {
        "cut": True,
        "characters": len(text),
        "sha256": hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(),
        "begins": text[:_EXCERPT],
        "ends": text[-_EXCERPT:],
    }


_CUT: Final = frozenset(("cut", "characters", "sha256", "begins", "ends"))


def is_cut(value: JsonValue) -> bool:
    """True for a value that `bounded` made shorter, or that has exactly the form of one."""
    if not isinstance(value, dict) or value.keys() != _CUT or value["cut"] is not True:
        return False
    texts = [value[name] for name in ("sha256", "begins", "ends")]
    are_short = all(isinstance(one, str) and len(one) <= _EXCERPT for one in texts)
    return are_short and type(value["characters"]) is int


class CellChange(NamedTuple):
    """A cell that differs between two measurements."""

    probe: str
    before: MeasuredCell | None
    after: MeasuredCell | None

    @property
    def is_new(self) -> bool:
        """True for a probe that was not tried before: it is not a difference."""
        return self.before is None


def changes(before: Measurement, after: Measurement) -> Iterator[CellChange]:
    """The cells that did something else, or whose model was given something else."""
    olds, news = _by_probe(before), _by_probe(after)
    for probe in {**olds, **news}:
        old, new = olds.get(probe), news.get(probe)
        is_same = old is not None and new is not None and old.did is new.did
        if not is_same or not _is_same_got(_got(old), _got(new)):
            yield CellChange(probe, old, new)


def _by_probe(found: Measurement) -> dict[str, MeasuredCell]:
    return {one.probe: one for one in found.cells}


def _is_same_got(old: JsonValue, new: JsonValue) -> bool:
    """True for the same values; of long ones the beginning and about the length count, since hosts
    name a new file for the rest in each run.
    """
    if isinstance(old, dict) and isinstance(new, dict) and is_cut(old) and is_cut(new):
        lengths = old.get("characters"), new.get("characters")
        begins = [str(one.get("begins"))[:_COMPARED] for one in (old, new)]
        first, second = (one if isinstance(one, int) else 0 for one in lengths)
        return begins[0] == begins[1] and abs(first - second) <= _COMPARED
    return old == new


def _got(cell: MeasuredCell | None) -> JsonValue:
    return None if cell is None else bounded(cell.model_got)
