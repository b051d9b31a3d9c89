"""A frame as one row of a list or a page: time, direction, what it is, size, latency."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from ...content.text import cut, size
from .book import WireBook
from .frames import CLIENT, SERVER, SIGNOFF, Frame, Kind
from .reading import read
from .showing import Showing

ARROWS: Final = {CLIENT: "→", SERVER: "←", SIGNOFF: "·"}
DIRECTIONS: Final = {CLIENT: "sent", SERVER: "came", SIGNOFF: "note"}
_SHOWN: Final = 200
"""Characters of a line that is no message."""


class WireRow(NamedTuple):
    """Texts of a server in it are raw: whoever draws it sanitises them."""

    number: int
    time: str
    arrow: str
    direction: str
    kind: str
    what: str
    """The method, or what stands for it; raw."""
    id: str
    """Raw."""
    size: str
    latency: str
    call: str
    is_error: bool


def row_of(frame: Frame, book: WireBook, showing: Showing) -> WireRow:
    """The row of a frame."""
    found = read(frame)
    latency = book.latency(frame)
    call = book.call_of(frame)
    return WireRow(
        frame.number,
        clock(frame.at),
        ARROWS[frame.sender],
        DIRECTIONS[frame.sender],
        # A colour alone would not do.
        "isError" if found.kind is Kind.ANSWER and found.is_error else found.kind.value,
        _what(frame, book, showing),
        "" if found.id is None else str(found.id)[:40],
        "" if frame.sender == SIGNOFF or frame.is_http_only else size(frame.size),
        "" if latency is None else latency_words(latency),
        f"call {call}" if call else "",
        found.is_error,
    )


def clock(at: float) -> str:
    """The time of day, to the millisecond."""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S.%f")[:-3]


def latency_words(seconds: float) -> str:
    """`0.8 ms`, `12 ms`, `3.2 s`."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s"


def _what(frame: Frame, book: WireBook, showing: Showing) -> str:
    found = read(frame)
    if frame.http is not None and found.kind is Kind.HTTP:
        return frame.http.words
    if found.kind in (Kind.NOTE, Kind.NOISE, Kind.MALFORMED):
        raw = frame.raw[: _SHOWN * 4]
        line = Frame(0, 0.0, 0.0, frame.sender, raw, len(raw))
        return cut(showing.text(line), _SHOWN).text or "(an empty line)"
    method = book.method_of(frame)
    request = frame if found.method else book.partner(frame)
    subject = showing.subject(request) if request is not None else ""
    words = f"{method} {subject}".strip()
    if found.kind in (Kind.ANSWER, Kind.ERROR):
        return words or "an answer to no known request"
    return words
