"""What was seen of one call, and what it says of the hints, line by line. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ...calls.calls import Call
from ...calls.deeds import Seen, path_words
from ...content.text import count
from .claims import Standing, judge_call

TOLD = 8
"""Files, programs and addresses that are named, of each; the others are counted."""
CONTRADICTION = "evidence against a hint: "
END_NOT_WATCHED = "not watched after this call: the server's end; signoff evidence watches it"
NOTHING = "nothing was seen: no file, program or address"


def evidence_headline(call: Call) -> tuple[str, bool]:
    """One line on what a watched call was seen to do, and whether a hint is contradicted by it;
    empty where it was not watched."""
    seen = call.evidence
    if seen is None:
        return "", False
    for verdict in judge_call(call):
        if verdict.standing is Standing.CONTRADICTED:
            return f"{CONTRADICTION}{verdict.hint} {verdict.claim.value}, but {verdict.seen}", True
    changed = count(len(seen.changes), "change") + " of files"
    parts = [changed, count(len(seen.processes), "program"), f"{len(seen.addresses)} addresses"]
    return f"seen ({seen.method.value}): {', '.join(parts)}; no hint is contradicted", False


def evidence_lines(call: Call) -> Iterator[str]:
    """All that was seen of a watched call, and how the hints of its tool stand after it."""
    seen = call.evidence
    if seen is None:
        return
    yield f"watched by {seen.method.value}: {seen.method.sees}"
    yield f"not seen: {seen.method.misses}"
    yield ""
    for verdict in judge_call(call):
        yield f"{verdict.standing.sign} {verdict.words}"
    yield ""
    yield from list(seen_lines(seen)) or [NOTHING]
    if seen.ending is None:
        yield END_NOT_WATCHED
    else:
        yield from (f"at the server's end: {words}" for words in seen_lines(seen.ending))


def seen_lines(seen: Seen) -> Iterator[str]:
    """What was seen of one call, a line each; safe to show."""
    for one in seen.files[:TOLD]:
        own = " (of the language itself)" if one.is_own else ""
        temporary = " (in the temporary folder)" if one.is_temporary else ""
        yield f"{one.words(seen.scratch)}{own}{temporary}"
    if (more := len(seen.files) - TOLD + seen.more) > 0:
        yield f"{count(more, 'more file')}"
    for process in seen.processes[:TOLD]:
        yield f"started {process.words}"
    for address in seen.addresses[:TOLD]:
        yield f"reached for {address.words}"
    if (more := len(seen.processes) - TOLD) > 0:
        yield f"{count(more, 'more program')}"
    if (more := len(seen.addresses) - TOLD) > 0:
        yield f"{more:,} more addresses"
    for left in seen.left[:TOLD]:
        yield left.words
    counted = {one.path for one in seen.files}
    for path in [one for one in seen.idle if one not in counted][:TOLD]:
        yield f"not counted: {path_words(path, seen.scratch)}, written while idle, too"
    yield from seen.lists
    yield from seen.blind
