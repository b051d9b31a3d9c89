"""The frames of one call, found without reading the others: there may be many thousands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from ...content.text import size, visible
from .frames import BEGAN, SERVER, SIGNOFF, Frame, Kind
from .inside import messages_of
from .reading import Id, key_of, read
from .rows import ARROWS, DIRECTIONS, clock, latency_words

_ENDS: Final = 4_096
"""Bytes at either end of a message in which its id stands."""

_Keys = dict[tuple[bool, Id], Frame]


def frames_of_call(frames: Sequence[Frame], number: int) -> list[tuple[Frame, Frame | None]]:
    """Each frame of a call with the request that it belongs to; None for a request itself."""
    asked: _Keys = {}
    needles: list[bytes] = []
    found: list[tuple[Frame, Frame | None]] = []
    for frame in frames:
        if frame.call == number:
            known = read(frame)
            if known.kind is Kind.REQUEST and known.id is not None:
                asked[key_of(known.id)] = frame
                needles.append(json.dumps(known.id).encode())
            about = None if known.about is None else asked.get(key_of(known.about))
            found.append((frame, about))
        elif asked and frame.sender == SIGNOFF:
            if frame.raw.startswith(BEGAN.encode()):
                # From here on the ids are those of others.
                asked, needles = {}, []
        elif asked and frame.sender == SERVER and _may_be_of(frame, needles):
            found_in = (_request_of(message, asked) for message in messages_of(frame))
            request = next((one for one in found_in if one is not None), None)
            if request is not None:
                found.append((frame, request))
    return found


def call_lines(frames: Sequence[Frame], number: int) -> list[str]:
    """One line each: time, direction, what it is, method, id, size, latency; safe to show."""
    return [_line(frame, request) for frame, request in frames_of_call(frames, number)]


def _may_be_of(frame: Frame, needles: Sequence[bytes]) -> bool:
    if frame.is_http_only:
        return True
    raw = frame.raw
    # The messages of a batch have their ids anywhere.
    if len(raw) > 2 * _ENDS and raw.startswith(b"{"):
        raw = raw[:_ENDS] + raw[-_ENDS:]
    return any(one in raw for one in needles)


def _request_of(frame: Frame, asked: _Keys) -> Frame | None:
    known = read(frame)
    if known.kind in (Kind.ANSWER, Kind.ERROR, Kind.HTTP):
        return None if known.id is None else asked.get(key_of(known.id))
    return None if known.about is None else asked.get(key_of(known.about))


def _line(frame: Frame, request: Frame | None) -> str:
    known = read(frame)
    kind = "isError" if known.kind is Kind.ANSWER and known.is_error else known.kind.value
    what = known.method or (read(request).method if request is not None else "")
    if known.kind is Kind.HTTP and frame.http is not None:
        what = frame.http.words
    identity = known.id if known.id is not None else known.about
    facts = [] if identity is None else [f"id {visible(str(identity)[:40])}"]
    if frame.raw:
        facts.append(size(frame.size))
    if request is not None and known.kind in (Kind.ANSWER, Kind.ERROR):
        facts.append(latency_words(frame.tick - request.tick))
    head = f"{clock(frame.at)} {ARROWS[frame.sender]} {DIRECTIONS[frame.sender]:<4} {kind:<8}"
    return f"{head} {visible(what[:200])}  ({', '.join(facts)})"
