"""The audit log as lines: how a record is sealed into the chain, and how the chain is proved.

A line is one JSON object in ASCII. Its last two members are `prev`, the hash of the record before
it, and `hash`, the SHA-256 of all that stands in the line before `,"hash":`. So no byte of a record
can change, and no record can go, come or move, without the chain showing it. What a chain cannot
show by itself is that its end was cut off: for that the last hash has to be kept elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.core.jsonio import JsonValue

START = "0" * 64
"""What the first record of a log names as the hash before it."""

LINE_MAX = 262_144
"""Characters of one line, its end not counted."""

TEXT_MAX = 65_536
"""Characters of one string in a record."""

DEPTH_MAX = 100
TORN_LINE = "torn-line"

_HEAD = ("ts", "seq", "session", "event", "severity", "server", "tool")
_KEPT = {f'"{name}"' for name in ("ts", "seq", "event", "severity")}
_SEAL = re.compile(rb',"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}\Z')
_HASH_PART = len(b',"hash":""}') + 64
_SEQ = re.compile(rb'\{"ts":"[^"\\]{0,40}","seq":(\d{1,15}),')
_TIME = re.compile(r"[0-9T:.+Z-]{1,40}")


@dataclass(frozen=True, slots=True)
class Seal:
    """How one line stands in the chain. `is_whole`: its hash is that of its content."""

    seq: int
    prev: str
    hash: str
    is_whole: bool


def seal(fields: Mapping[str, object], previous_hash: str, seq: int) -> str:
    """One record as a line of ASCII JSON without its end; whatever the fields hold, it is one line.

    What JSON cannot carry is written in words. Strings over 65,536 characters are cut, and in a
    record over 262,144 characters the largest fields are left out; both say so in place.
    """
    at = fields.get("ts")
    time = at if isinstance(at, str) and _TIME.fullmatch(at) else ""
    given = {**fields, "ts": time, "seq": seq}
    names = [name for name in _HEAD if name in given]
    names += [name for name in given if name not in _HEAD and name not in ("prev", "hash")]
    parts = {_dumps(_cut(name)): _dumps(_plain(given[name], 0)) for name in names}
    _shrink(parts)
    members = ",".join(f"{name}:{text}" for name, text in parts.items())
    body = f'{{{members},"prev":"{previous_hash}"'
    return f'{body},"hash":"{hashlib.sha256(body.encode("ascii")).hexdigest()}"}}'


def read_seal(line: bytes) -> Seal | None:
    """Where a line (without its end) stands in the chain; None where it is no record at all."""
    found = _SEAL.search(line, max(0, len(line) - 160))
    place = _SEQ.match(line)
    if found is None or place is None:
        return None
    own = found.group(2).decode()
    content = hashlib.sha256(line[: len(line) - _HASH_PART]).hexdigest()
    return Seal(int(place.group(1)), found.group(1).decode(), own, own == content)


def read_record(line: bytes) -> dict[str, Any] | None:
    """The members of a line; None where it is no JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def torn_fields(torn: bytes) -> dict[str, JsonValue]:
    """What a record of a torn line says of it: enough to tell that very line from any other."""
    return {"torn": {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()}}


def _shrink(parts: dict[str, str]) -> None:
    """Leave out the largest fields until the rest fits a line; both names and values are JSON."""
    total = sum(len(name) + len(text) + 2 for name, text in parts.items())
    candidates = [name for name in parts if name not in _KEPT]
    for name in sorted(candidates, key=lambda name: -len(parts[name])):
        if total <= LINE_MAX - 300:
            return
        total -= len(parts[name])
        if len(parts[name]) > 100:
            parts[name] = _dumps(f"[left out: {len(parts[name]):,} characters]")
            total += len(parts[name])
        else:
            del parts[name]
            total -= len(name) + 2


def _plain(value: object, depth: int) -> JsonValue:
    """A value that JSON can carry, as near to the given one as can be."""
    match value:
        case None | bool():
            return value
        case int():
            return int(value) if abs(value) < 10**1000 else "[a number of over 1,000 digits]"
        case float():
            return float(value) if math.isfinite(value) else str(value)
        case str():
            return _cut(str(value))
        case _ if depth >= DEPTH_MAX:
            return "[nested too deeply]"
        case Mapping():
            return {_cut(str(name)): _plain(item, depth + 1) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item, depth + 1) for item in value]
        case _:
            return f"[{type(value).__name__}]"


def _cut(text: str) -> str:
    if len(text) <= TEXT_MAX:
        return text
    return f"{text[:TEXT_MAX]}[cut: {TEXT_MAX:,} of {len(text):,} characters]"


def _dumps(value: JsonValue) -> str:
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class Verification:
    """What the chain shows. `line` counts from 1 over all lines given, and is the first bad one.

    `kind` is one of edited, removed, inserted, reordered, truncated; empty while all is well.
    """

    count: int
    """Records in order, up to the first bad line."""
    first_seq: int = 0
    last_seq: int = 0
    head: str = START
    """The hash of the last record in order: whoever keeps it can see that an end was cut off."""
    torn: int = 0
    """Lines that a crash left unfinished and that the next record accounts for."""
    kind: str = ""
    line: int | None = None
    problem: str = ""
    """What is wrong, in words that are safe to show."""
    expected_seq: int | None = None
    """The number of the record with the hash that was expected; None where it is not there."""

    @property
    def is_intact(self) -> bool:
        return not self.kind

    @property
    def starts_midway(self) -> bool:
        """The first records are not there; rotation removes the oldest files."""
        return self.count > 0 and self.first_seq > 1


def verify(lines: Iterable[bytes], expect: str = "") -> Verification:
    """Prove the chain over lines with their ends, those of the oldest file first.

    Says which line is the first bad one and what is likely to have happened. `expect` is a hash
    that was noted earlier.
    """
    chain = _Chain(expect)
    rest = iter(lines)
    for raw in rest:
        bad = chain.take(raw)
        if bad is not None:
            return chain.stray(bad, rest) if bad.seal is not None else chain.result(bad)
    return chain.result(chain.unfinished())


@dataclass(frozen=True, slots=True)
class _Bad:
    kind: str
    line: int
    problem: str
    seal: Seal | None = None
    """Set for a whole record that does not belong where it stands."""


class _Chain:
    """The state of a proof, line by line."""

    def __init__(self, expect: str) -> None:
        self._expect = expect.lower()
        self._expected_seq: int | None = None
        self._line = self._count = self._torn = 0
        self._first: Seal | None = None
        self._last: Seal | None = None
        self._lines: dict[bytes, int] = {}
        self._pending: tuple[int, bytes, bool] | None = None

    def take(self, raw: bytes) -> _Bad | None:
        """One line; what is wrong with it, or with the one before it."""
        self._line += 1
        line = raw.removesuffix(b"\n")
        found = read_seal(line)
        if found is None or not found.is_whole:
            before, self._pending = self._pending, (self._line, line, raw != line)
            return _changed(before[0]) if before else None
        if self._pending is not None:
            if not _accounts_for(line, self._pending[1]):
                return _changed(self._pending[0])
            self._torn += 1
            self._pending = None
        last = self._last
        if last is not None and found.prev != last.hash:
            return _Bad("", self._line, "", found)
        if last is not None and found.seq != last.seq + 1:
            return _Bad("edited", self._line, f"record {found.seq} has a wrong number")
        self._first = self._first or found
        self._last = found
        self._count += 1
        self._lines[bytes.fromhex(found.hash)] = self._line
        if found.hash == self._expect:
            self._expected_seq = found.seq
        return None

    def unfinished(self) -> _Bad | None:
        """What is wrong with the last line of all."""
        if self._pending is None:
            return None
        line, _, is_ended = self._pending
        return _changed(line) if is_ended else _Bad("truncated", line, "the last line breaks off")

    def stray(self, bad: _Bad, rest: Iterable[bytes]) -> Verification:
        """A whole record that does not continue the one before it: look on to say why."""
        found, last, first = bad.seal, self._last, self._first
        assert found is not None
        assert last is not None
        assert first is not None
        has_follower = first.prev == found.hash
        goes_on = False
        for raw in rest:
            later = read_seal(raw.removesuffix(b"\n"))
            if later is not None:
                has_follower = has_follower or later.prev == found.hash
                goes_on = goes_on or later.prev == last.hash
        twin = self._lines.get(bytes.fromhex(found.hash))
        due = last.seq + 1
        if twin is not None:
            kind, words = "inserted", f"it repeats line {twin}"
        elif goes_on or found.seq < due:
            is_moved = has_follower or found.seq > due
            kind = "reordered" if is_moved else "inserted"
            words = f"record {found.seq} stands where record {due} should"
        elif found.seq > due:
            count = found.seq - due
            which = f"record {due}" if count == 1 else f"records {due} to {found.seq - 1}"
            kind, words = "removed", f"{which} {'is' if count == 1 else 'are'} missing before it"
        else:
            kind = "edited"
            words = f"it does not continue line {bad.line - 1}: one of them was written anew"
        return self.result(_Bad(kind, bad.line, words))

    def result(self, bad: _Bad | None) -> Verification:
        first, last = self._first, self._last
        return Verification(
            count=self._count,
            first_seq=first.seq if first else 0,
            last_seq=last.seq if last else 0,
            head=last.hash if last else START,
            torn=self._torn,
            kind=bad.kind if bad else "",
            line=bad.line if bad else None,
            problem=bad.problem if bad else "",
            expected_seq=self._expected_seq,
        )


def _changed(line: int) -> _Bad:
    return _Bad("edited", line, "its content does not match its hash")


def _accounts_for(line: bytes, torn: bytes) -> bool:
    """Whether a record says that the line before it was torn, and that it was this very one."""
    record = read_record(line) or {}
    return record.get("event") == TORN_LINE and record.get("torn") == torn_fields(torn)["torn"]
