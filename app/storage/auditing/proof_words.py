"""What a proof of the audit log has shown, in words that are safe to show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...content.text import count, seconds, visible
from .audit import START
from .audit_proof import Verification

CANNOT_SHOW = (
    "The chain alone cannot show that records were cut off at its end: keep the hash of the last\n"
    "record elsewhere, and give it with --expect."
)


@dataclass(frozen=True, slots=True)
class Places:
    """The files of a log, and where in them what was found is: `line 7 of audit.jsonl`."""

    files: int
    has_newest: bool
    """Whether the file itself is there, and not only those that rotation put aside."""
    bad: str = ""
    back: str = ""


def is_whole(found: Verification, places: Places, first: int = 1) -> bool:
    """Whether nothing is missing from record `first` on, as far as a chain can show it."""
    return not found.kind and found.begins_by(first) and places.has_newest


def verdict_lines(
    found: Verification, places: Places, expect: str = "", first: int = 1
) -> Iterator[str]:
    """Line by line; `expect` is a hash and `first` a number that were given."""
    records = count(found.count, "record")
    if found.kind:
        yield f"broken at {visible(places.bad)}: {found.kind}: {found.problem}"
        yield f"before it: {records} in order"
    elif not found.count:
        yield f"empty: no record in {count(places.files, 'file')}"
        yield "nothing was ever written to it, or all of it was removed"
    elif not is_whole(found, places, first):
        yield f"not whole: {records} in {count(places.files, 'file')}, in order"
    elif found.starts_midway:
        yield f"intact from record {first:,} on: {records} in {count(places.files, 'file')}"
    else:
        yield f"intact: {records} in {count(places.files, 'file')}"
    if found.starts_midway:
        yield f"it begins with record {found.first_seq:,}: rotation has removed older ones, or"
        told = f"; --from {found.first_seq} accepts that" if found.first_seq > first else ""
        yield f"somebody has{told}"
    if not places.has_newest and found.count:
        yield "the newest file is not there: with it, records are gone from the end"
    if found.torn:
        yield f"{found.torn} line(s) were torn by a crash; the records after them account for them"
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
        words = f"Broken at {visible(places.bad)}: {found.kind}: {found.problem}. Before it"
        return f"{words} {records} in order."
    if not places.files:
        return "There is no log yet."
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
        "That records were cut off at the end, a chain cannot show: keep this hash elsewhere."
    )


def _back_words(found: Verification, places: Places) -> str:
    assert found.back is not None
    often = "" if found.back.count == 1 else f"{found.back.count:,} times, first "
    by, where = seconds(found.back.seconds), visible(places.back)
    return f"the time goes back {often}at {where}, by {by}: a clock was set, the order stands"
