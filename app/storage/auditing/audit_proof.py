"""The audit log proved: that its records are whole, in order, and all there from the first one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .audit import (
    START,
    TORN_LINE,
    Seal,
    read_record,
    read_seal,
    torn_fields,
)

CLOCK_SLACK = 1.0
"""Seconds by which a time may lie before the one above it: a clock is kept right by fractions."""

_STAMP = re.compile(rb'\{"ts":"([0-9T:.+Z-]{1,40})"')


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
    back: ClockBack | None = None
    """Where times go backwards; None where they never do. No breach: clocks are set."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing was changed, and nothing is missing before the last record."""
        return not self.kind and self.begins_by(1)

    @property
    def starts_midway(self) -> bool:
        """The first records are not there; rotation removes the oldest files."""
        return self.count > 0 and self.first_seq > 1

    def begins_by(self, seq: int) -> bool:
        """Whether all records from number `seq` on are there, as far as the last one.

        Rotation removes the oldest files; of an empty log nothing is known.
        """
        return 0 < self.first_seq <= seq


@dataclass(frozen=True, slots=True)
class ClockBack:
    """Records with a time before that of the record above them."""

    count: int
    line: int
    """The first of them."""
    seconds: float
    """By how much, there."""


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
        self._stamp = b""
        self._back: ClockBack | None = None

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
        if last is None and (found.seq == 1) is not (found.prev == START):
            return _Bad("edited", self._line, "only record 1 begins a chain")
        if last is not None and found.prev != last.hash:
            return _Bad("", self._line, "", found)
        if last is not None and found.seq != last.seq + 1:
            return _Bad("edited", self._line, f"record {found.seq} has a wrong number")
        self._first = self._first or found
        self._last = found
        self._count += 1
        self._look_at_time(line)
        self._lines[bytes.fromhex(found.hash)] = self._line
        if found.hash == self._expect:
            self._expected_seq = found.seq
        return None

    def _look_at_time(self, line: bytes) -> None:
        match = _STAMP.match(line)
        if match is None:
            return
        before, self._stamp = self._stamp, match.group(1)
        # Times of one length and zone, the usual case, are in order as texts are.
        is_alike = len(before) == len(self._stamp) and before[-6:] == self._stamp[-6:]
        if not before or (is_alike and self._stamp >= before):
            return
        gone = _seconds_between(self._stamp, before)
        if gone >= CLOCK_SLACK:
            first = self._back or ClockBack(0, self._line, gone)
            self._back = ClockBack(first.count + 1, first.line, first.seconds)

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
        elif found.prev == first.prev == START:
            kind, words = "inserted", f"another log begins here, where record {due} should be"
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
            back=self._back,
        )


def _changed(line: int) -> _Bad:
    return _Bad("edited", line, "its content does not match its hash")


def _accounts_for(line: bytes, torn: bytes) -> bool:
    """Whether a record says that the line before it was torn, and that it was this very one."""
    record = read_record(line) or {}
    return record.get("event") == TORN_LINE and record.get("torn") == torn_fields(torn)["torn"]


def _seconds_between(one: bytes, other: bytes) -> float:
    """From one time to another; 0 where one of them cannot be read, or has no zone."""
    try:
        gone = datetime.fromisoformat(other.decode()) - datetime.fromisoformat(one.decode())
    except (ValueError, TypeError):
        return 0.0
    return gone.total_seconds()
