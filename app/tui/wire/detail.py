"""One frame in full: what it is, what it belongs to, what HTTP said around it, and its message."""

from __future__ import annotations

from ...content.json.jsonio import JsonError, JsonValue
from ...content.labels import stamp
from ...content.text import Span, cut, size, spans, visible
from ...protocol.wire.book import WireBook
from ...protocol.wire.frames import CLIENT, SIGNOFF, Frame, Kind
from ...protocol.wire.reading import read
from ...protocol.wire.rows import Showing, clock, latency_words

Lines = list[list[Span]]
TEXT_MAX = 60_000
"""Characters of a message that are shown; copying and saving have what is kept."""

_TITLES = {
    Kind.REQUEST: "request",
    Kind.NOTIFICATION: "notification",
    Kind.ANSWER: "answer",
    Kind.ERROR: "error answer",
    Kind.NOISE: "a line that is no message",
    Kind.MALFORMED: "a message that cannot be read",
    Kind.HTTP: "HTTP",
    Kind.NOTE: "note of Signoff",
}


def head_lines(frame: Frame, book: WireBook) -> Lines:
    """Facts of a frame, one a line, in words of our own."""
    found = read(frame)
    side = "" if frame.sender == SIGNOFF else " to" if frame.sender == CLIENT else " from"
    where = f"{side} the server" if side else ""
    words = [f"{frame.number:,}  {_TITLES[found.kind]}{where}, {stamp(frame.at)[:10]}"]
    words[0] += f" {clock(frame.at)}"
    if frame.sender != SIGNOFF and not frame.is_http_only:
        words[0] += f", {size(frame.size)}"
    if call := book.call_of(frame):
        words.append(f"of call {call}")
    if (other := book.partner(frame)) is not None:
        latency = book.latency(frame)
        after = "" if latency is None else f" {latency_words(latency)}"
        way = "answered by" if other.number > frame.number else "belongs to"
        when = f",{after} later" if after and other.number > frame.number else ""
        when = f",{after} before" if after and other.number < frame.number else when
        words.append(f"{way} {other.number:,}{when}: enter goes there")
    elif found.kind is Kind.REQUEST:
        words.append("no answer came so far")
    if frame.is_cut:
        words.append(f"cut: {size(len(frame.raw))} of {size(frame.size)} are kept here")
    lines = [[Span(one, False)] for one in words]
    if frame.http is not None:
        lines += [[], spans(frame.http.words)]
        lines += [spans(f"{name}: {value}") for name, value in frame.http.headers]
    return lines


def body_lines(frame: Frame, showing: Showing) -> Lines:
    """The message as it was, without its secrets."""
    return [] if frame.is_http_only else _text_lines(showing.text(frame))


def tree_value(frame: Frame, showing: Showing) -> JsonValue:
    """The message without its secrets, to be folded. Raises JsonError where it is none."""
    if frame.is_http_only or frame.sender == SIGNOFF:
        raise JsonError("it is no message")
    value = showing.value(frame)
    if not isinstance(value, dict | list):
        raise JsonError("there is nothing to fold")
    return value


def _text_lines(text: str) -> Lines:
    shown = cut(text, TEXT_MAX)
    lines = [spans(line) for line in shown.text.split("\n")]
    if shown.is_cut:
        lines.append([Span(visible(shown.notice), True)])
    return lines
