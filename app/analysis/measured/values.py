"""Measurements of a host, as values and as JSON.

A cell without proof is `unknown`. Texts of a host are hostile: they are kept as they came, and made
safe for display.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from ...approval.policies.verdicts import VerdictAnswer
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue

KEPT_WHOLE: Final = 4_000
"""Characters of JSON up to which a value is kept as it is."""
_EXCERPT: Final = 300


WITHOUT_QUESTION: Final = "the call came to the server without a question"
"""The usual proof of `ran`."""


class Did(StrEnum):
    """What a host did with a call of its model."""

    RAN = "ran"
    """The call came to the server, and no question was answered before."""
    ASKED = "asked"
    """Nothing came before a person answered."""
    REFUSED = "refused"
    """The tool was offered, its call did not come, and the model got an error."""
    HIDDEN = "hidden"
    """The model was not offered the tool and could not call it by its name."""
    UNKNOWN = "unknown"
    """Proof is missing."""


VERDICTS: Final[Mapping[Did, VerdictAnswer]] = {
    Did.RAN: VerdictAnswer.ALLOW,
    Did.ASKED: VerdictAnswer.ASK,
    Did.REFUSED: VerdictAnswer.REFUSE,
    Did.HIDDEN: VerdictAnswer.HIDE,
    Did.UNKNOWN: VerdictAnswer.UNKNOWN,
}
"""The verdict of a policy that decides as the host did."""


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
            found["shown"] = dict(self.shown)
        if self.facts is not None:
            found["facts"] = dict(self.facts)
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
    """The model of a host that this is compared with, as HOST:MODE."""
    starts: int = 0
    """How often the host was started."""
    declared: Mapping[str, JsonValue] | None = None
    """The `params` of its `initialize`; null if it did not come."""
    variables: tuple[str, ...] = ()
    """The names of the variables that the server was given."""
    reached: tuple[str, ...] | None = None
    """Addresses beyond the loopback that were reached for; None if connections were not watched."""
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> HostKey:
        return HostKey(self.host, self.version, self.mode, self.surface)

    def cell(self, probe: str) -> MeasuredCell | None:
        """The cell of a probe; None if it was not tried."""
        return next((one for one in self.cells if one.probe == probe), None)

    def as_json(self) -> dict[str, JsonValue]:
        """The measurement for `--json` and for records."""
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
            "reached": None if self.reached is None else list(self.reached),
            "problems": list(self.problems),
            "cells": [one.as_json() for one in self.cells],
        }


class RecordError(ValueError):
    """JSON that is not a measurement; the text has the place and the reason."""


def read_measurements(text: str, name: str) -> tuple[Measurement, ...]:
    """Read one measurement, or a list of them. Raises RecordError."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{name}: no JSON: {error}") from None
    listed = raw if isinstance(raw, list) else [raw]
    return tuple(_measurement(one, f"{name}: {at}") for at, one in enumerate(listed, 1))


def _measurement(raw: Any, where: str) -> Measurement:
    if not isinstance(raw, dict):
        raise RecordError(f"{where}: no object")
    for key in ("host", "version", "mode", "surface", "system", "date", "cells"):
        if key not in raw:
            raise RecordError(f"{where}: {key}: missing")
    if not isinstance(raw["cells"], list):
        raise RecordError(f"{where}: cells: no array")
    reached = raw.get("reached")
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
        cells=tuple(_cell(one, f"{where}: cell {at}") for at, one in enumerate(raw["cells"], 1)),
        model=str(raw.get("model", "")),
        starts=raw["starts"] if isinstance(raw.get("starts"), int) else 0,
        declared=declared if isinstance(declared, dict) else None,
        variables=tuple(map(str, raw.get("variables") or ())),
        reached=tuple(map(str, reached)) if isinstance(reached, list) else None,
        problems=tuple(map(str, raw.get("problems") or ())),
    )


def _cell(raw: Any, where: str) -> MeasuredCell:
    if not isinstance(raw, dict):
        raise RecordError(f"{where}: no object")
    try:
        did = Did(raw["did"])
    except KeyError:
        raise RecordError(f"{where}: did: missing") from None
    except ValueError:
        known = ", ".join(Did)
        raise RecordError(f"{where}: did: {raw['did']!r} is none of {known}") from None
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
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= KEPT_WHOLE or is_cut(value):
        return value
    return {
        "cut": True,
        "characters": len(text),
        "sha256": hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(),
        "begins": text[:_EXCERPT],
        "ends": text[-_EXCERPT:],
    }


def is_cut(value: JsonValue) -> bool:
    """True for a value that `bounded` made shorter."""
    return isinstance(value, dict) and value.get("cut") is True and "sha256" in value


class Change(NamedTuple):
    """A cell that differs between two measurements."""

    probe: str
    before: MeasuredCell | None
    after: MeasuredCell | None


def changes(before: Measurement, after: Measurement) -> Iterator[Change]:
    """The cells that did something else, or whose model was given something else."""
    probes = dict.fromkeys(one.probe for one in (*before.cells, *after.cells))
    for probe in probes:
        old, new = before.cell(probe), after.cell(probe)
        is_same = old is not None and new is not None and old.did is new.did
        if not is_same or _got(old) != _got(new):
            yield Change(probe, old, new)


def _got(cell: MeasuredCell | None) -> JsonValue:
    return None if cell is None else bounded(cell.model_got)
