"""Verifies the audit log: its records are whole, in order, and complete from the first one.

The result is described in words that are safe to show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from ...content.frozen import frozen
from ...content.text import count, seconds, visible
from .chain import START, TORN_LINE, Seal, read_record, read_seal, torn_fields

CLOCK_SLACK = 1.0
"""Seconds by which a time may lie before the one above it: a clock is kept right by fractions."""

_STAMP = re.compile(rb'\{"ts":"([0-9T:.+Z-]{1,40})"')


@frozen
class Verification:
    """Result of verifying the chain. `line` is the first bad one, counted from 1 over all lines.

    `kind` is one of edited, removed, inserted, reordered, truncated; empty while all is well.
    """

    count: int
    """Records in order, up to the first bad line."""
    first_seq: int = 0
    last_seq: int = 0
    head: str = START
    """The hash of the last record in order: a copy of it reveals a cut end of the log."""
    torn: int = 0
    """Lines that a crash left unfinished and that the next record accounts for."""
    kind: str = ""
    line: int | None = None
    problem: str = ""
    """The first mistake found, in words that are safe to show."""
    expected_seq: int | None = None
    """The number of the record with the expected hash; None if the log does not have it."""
    back: ClockBack | None = None
    """Where times go backwards; None where they never do. No breach: clocks are set."""

    @property
    def is_intact(self) -> bool:
        """True if nothing was changed, and nothing is missing before the last record."""
        return not self.kind and self.begins_by(1)

    @property
    def starts_midway(self) -> bool:
        """The first records are not there; rotation removes the oldest files."""
        return self.count > 0 and self.first_seq > 1

    def begins_by(self, seq: int) -> bool:
        """True if all records from number `seq` on are there, as far as the last one.

        Rotation removes the oldest files; of an empty log nothing is known.
        """
        return 0 < self.first_seq <= seq


@frozen
class ClockBack:
    """Records with a time before that of the record above them."""

    count: int
    line: int
    """The first of them."""
    seconds: float
    """By how much, there."""


def verify(lines: Iterable[bytes], expect: str = "") -> Verification:
    """Verify the chain over lines with their ends, those of the oldest file first.

    Names the first bad line and the likely cause. `expect` is a hash that was noted earlier.
    """
    chain = _Chain(expect)
    rest = iter(lines)
    for raw in rest:
        bad = chain.take(raw)
        if bad is not None:
            return chain.stray(bad, rest) if bad.seal is not None else chain.result(bad)
    return chain.result(chain.unfinished())


@frozen
class _Bad:
    kind: str
    line: int
    problem: str
    seal: Seal | None = None
    """Set for a whole record in a wrong place."""


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
        """Check one line; returns an error in it, or in the one before it."""
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
        """Return an error in the very last line."""
        if self._pending is None:
            return None
        line, _, is_ended = self._pending
        return _changed(line) if is_ended else _Bad("truncated", line, "the last line breaks off")

    def stray(self, bad: _Bad, rest: Iterable[bytes]) -> Verification:
        """A whole record that does not continue the one before it: look on for the reason."""
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
            words = f"record {found.seq} is in the place of record {due} should"
        elif found.seq > due:
            count = found.seq - due
            which = f"record {due}" if count == 1 else f"records {due} to {found.seq - 1}"
            kind, words = "removed", f"{which} {'is' if count == 1 else 'are'} missing before it"
        else:
            kind = "edited"
            words = f"it does not continue line {bad.line - 1}: one of them was rewritten"
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
    """True for a record that the line before it was torn, with the digest of this very line."""
    record = read_record(line) or {}
    return record.get("event") == TORN_LINE and record.get("torn") == torn_fields(torn)["torn"]


def _seconds_between(one: bytes, other: bytes) -> float:
    """From one time to another; 0 if one of them cannot be read, or has no zone."""
    try:
        gone = datetime.fromisoformat(other.decode()) - datetime.fromisoformat(one.decode())
    except (ValueError, TypeError):
        return 0.0
    return gone.total_seconds()


CANNOT_SHOW = (
    "The chain alone cannot show that records were cut off at its end: keep the hash of the last\n"
    "record elsewhere, and give it with --expect."
)


@frozen
class Places:
    """The files of a log, and the places of findings in them: `line 7 of audit.jsonl`."""

    files: int
    has_newest: bool
    """True if the file itself exists, rather than those alone that rotation put aside."""
    bad: str = ""
    back: str = ""


def is_whole(found: Verification, places: Places, first: int = 1) -> bool:
    """True if nothing is missing from record `first` on, as far as a chain can show it."""
    return not found.kind and found.begins_by(first) and places.has_newest


def verdict_lines(
    found: Verification, places: Places, expect: str = "", first: int = 1
) -> Iterator[str]:
    """Line by line; `expect` is a hash and `first` a number that were given."""
    records = count(found.count, "record")
    if found.kind:
        yield f"broken ({found.kind}) at {visible(places.bad)}: {found.problem}"
        yield f"before it: {records} in order"
    elif not found.count:
        yield f"empty: no record in {count(places.files, 'file')}"
        yield "nothing was ever written to it, or all of it was removed"
    elif not is_whole(found, places, first):
        yield f"not whole: {records} in {count(places.files, 'file')}, in order"
    elif found.starts_midway:
        files = count(places.files, "file")
        yield f"intact from record {found.first_seq:,} on: {records} in {files}"
    else:
        yield f"intact: {records} in {count(places.files, 'file')}"
    if found.starts_midway:
        yield f"it begins with record {found.first_seq:,}: rotation has removed older ones, or"
        told = f"; --from-record {found.first_seq} accepts that" if found.first_seq > first else ""
        yield f"somebody has{told}"
    if not places.has_newest and found.count:
        yield "the newest file is missing, and with it the last records"
    if found.torn:
        yield f"{count(found.torn, 'line')} torn by a crash, as the next record confirms"
    if found.back is not None:
        yield _back_words(found, places)
    if found.head != START:
        yield f"last record {found.last_seq:,}, hash {found.head}"
    if expect and found.expected_seq is None:
        yield "the expected record is not there: the log was cut off, or is another one"
    elif expect:
        later = found.last_seq - (found.expected_seq or 0)
        yield f"record {found.expected_seq:,} has the expected hash; {later:,} came after it"
    elif not found.kind and found.count:
        yield CANNOT_SHOW


def short_verdict(found: Verification, places: Places) -> str:
    """In a few sentences, for the screen."""
    records = count(found.count, "record")
    if found.kind:
        words = f"Broken ({found.kind}) at {visible(places.bad)}: {found.problem}. Before it"
        return f"{words} {records} in order."
    if not places.files:
        return "The log does not exist yet."
    if not found.count:
        return "Empty: nothing was ever written to it, or all of it was removed."
    files = count(places.files, "file")
    if is_whole(found, places):
        words = f"Intact: {records} in {files}."
    else:
        words = f"Not whole: {records} in {files}, in order."
    if found.starts_midway:
        words += f" It begins with record {found.first_seq:,}: rotation removed older ones,"
        words += " or somebody did."
    if not places.has_newest:
        words += " The newest file is not there."
    if found.torn:
        words += f" {found.torn} torn by a crash, and accounted for."
    if found.back is not None:
        told = _back_words(found, places)
        words += f" {told[:1].upper()}{told[1:]}."
    return (
        f"{words} The last hash is {found.head}.\n"
        "The chain cannot show whether records were removed from its end: keep this hash elsewhere."
    )


def _back_words(found: Verification, places: Places) -> str:
    assert found.back is not None
    often = "" if found.back.count == 1 else f"{found.back.count:,} times, first "
    by, where = seconds(found.back.seconds), visible(places.back)
    return f"the time goes back {often}at {where}, by {by}: a clock was set, the order is intact"
