"""The listed frames of the wire: filtering, one frame in full, saving as JSON lines or HTML.

`WireSource` is the origin of the frames: an engine, or a capture file.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from textual.screen import Screen

from ...calls.answer_files import SavedFiles, save_file
from ...content.json.jsonio import JsonError, JsonValue
from ...content.labels import stamp
from ...content.text import Span, count, cut, size, spans, visible
from ...protocol.wire.export import WireFilter, json_lines, wire_page
from ...protocol.wire.frames import CLIENT, SIGNOFF, Frame, FrameKind, FrameLog
from ...protocol.wire.reading import read
from ...protocol.wire.rows import (
    AT_ONCE,
    NO_MATCH,
    Showing,
    WireBook,
    WireRow,
    clock,
    latency_words,
    row_of,
)
from ...tui.answers.exporting import SaveScreen, saved_words

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...engine.raw_messages import RawMessages
    from ...protocol.server import Server

SIFT_SECONDS = 0.03
"""How long frames are looked through before the rest of the program gets its turn."""
_SIFTED = 200
"""Frames between two looks at the clock."""


class WireListing:
    """The frames of one wire that are wanted, oldest first."""

    def __init__(self, source: WireSource, wanted: WireFilter) -> None:
        self._source = source
        self._log = source.log
        self.book = WireBook(self._log)
        self.showing = Showing(self.book, source.schema_of)
        self.wanted = wanted
        self._numbers: list[int] = []
        self._sifted = 0
        """The number up to which it is known whether a frame is wanted."""

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def is_behind(self) -> bool:
        """True if there is more to take in."""
        return self.book.is_behind or self.is_sifting

    @property
    def is_sifting(self) -> bool:
        """True if it is not known of all frames yet if they are wanted."""
        return self._sifted < self.book.seen

    def take(self) -> int | None:
        """Take in new frames, up to a limit; returns the number of rows dropped at the top, None if
        there were no new ones.
        """
        self.book.update(AT_ONCE)
        if not self.is_sifting:
            return None
        self._sift()
        gone = bisect_left(self._numbers, self.book.first)
        del self._numbers[:gone]
        return gone

    def apply(self, wanted: WireFilter) -> None:
        """List what passes another filter; if there are many, some of it only by `take`."""
        self.wanted = wanted
        self._numbers, self._sifted = [], 0
        if wanted.is_empty:
            self._numbers = [one.number for one in self.book.frames]
            self._sifted = self.book.seen
        else:
            self._sift()

    def _sift(self) -> None:
        """Look which frames are wanted, for a moment."""
        book, end = self.book, time.perf_counter() + SIFT_SECONDS
        at = max(0, self._sifted + 1 - book.first)
        while at < len(book.frames):
            some = book.frames[at : at + _SIFTED]
            self._numbers += [one.number for one in some if self.wanted.matches(one, book)]
            at += len(some)
            if time.perf_counter() > end:
                break
        self._sifted = book.first + at - 1 if book.frames else book.seen

    def frame_at(self, index: int) -> Frame | None:
        """The frame of a row; None if there is none any more."""
        return self.book.at(self._numbers[index]) if 0 <= index < len(self) else None

    def row_at(self, index: int) -> WireRow | None:
        frame = self.frame_at(index)
        return None if frame is None else row_of(frame, self.book, self.showing)

    def index_of(self, number: int) -> int | None:
        """The row of a frame; None if it is not listed."""
        at = bisect_left(self._numbers, number)
        return at if at < len(self) and self._numbers[at] == number else None

    def frames(self) -> list[Frame]:
        """All that are listed."""
        found = (self.book.at(number) for number in self._numbers)
        return [one for one in found if one is not None]

    @property
    def empty_words(self) -> str:
        """Return why the list is empty."""
        number = self.wanted.call
        if not number:
            return "nothing yet" if self.wanted.is_empty else NO_MATCH
        if words := self._source.call_words(number):
            return words
        if self.wanted != WireFilter(call=number):
            return f"no message of call {number} passes the filter"
        if not self._source.is_live:
            return f"the file has no message of call {number}"
        return f"no message of call {number} is kept any more"

    @property
    def count_words(self) -> str:
        """Count the listed and the dropped frames."""
        count, dropped = len(self), self._log.dropped
        words = f"{count:,}" if self.wanted.is_empty else f"{count:,} of {self.book.seen:,}"
        return words + (f" · {dropped:,} older ones fell out" if dropped else "")


Lines = list[list[Span]]
TEXT_MAX = 60_000
"""Characters of a message that are shown; copying and saving use the whole kept text."""

_TITLES = {
    FrameKind.REQUEST: "request",
    FrameKind.NOTIFICATION: "notification",
    FrameKind.ANSWER: "response",
    FrameKind.ERROR: "error response",
    FrameKind.NOISE: "a line that is not a message",
    FrameKind.MALFORMED: "a message that cannot be read",
    FrameKind.HTTP: "HTTP",
    FrameKind.NOTE: "note of Signoff",
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
        way = "response" if other.number > frame.number else "request"
        when = f",{after} later" if after and other.number > frame.number else ""
        when = f",{after} before" if after and other.number < frame.number else when
        words.append(f"{way} {other.number:,}{when} (enter to go to it)")
    elif found.kind is FrameKind.REQUEST:
        words.append("no response yet")
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
    """The message without its secrets, to be folded. Raises JsonError if it is none."""
    if frame.is_http_only or frame.sender == SIGNOFF:
        raise JsonError("not a message")
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


def save_frames(screen: Screen[Any], kind: str, listing: WireListing, server: str) -> None:
    """Ask for a path and write the listed frames; `kind` is jsonl or html."""
    frames = listing.frames()
    if not frames:
        screen.notify("No message to save.", timeout=4, markup=False)
        return
    what = count(len(frames), "message")

    def pieces() -> Iterator[bytes]:
        if kind == "html":
            yield from wire_page(frames, listing.book, listing.showing, server)
        else:
            yield from json_lines(frames, listing.showing)

    def write(place: Path) -> SavedFiles:
        return save_file(place, pieces())

    def tell(written: SavedFiles | None) -> None:
        if written is not None:
            screen.notify(saved_words(what, written), timeout=8, markup=False)

    screen.app.push_screen(
        SaveScreen(
            f"Save {what}",
            f"{what}, secrets masked, into a file:",
            f"./wire.{kind}",
            write,
            replaces="replace it",
        ),
        tell,
    )


class WireSource(Protocol):
    """Facts that the screen needs besides the frames."""

    @property
    def name(self) -> str:
        """Of the server, or of the file; raw."""

    @property
    def log(self) -> FrameLog: ...

    @property
    def is_live(self) -> bool:
        """True if more may come."""

    @property
    def why_not_sent(self) -> str:
        """Reason why nothing can be sent from here; empty if it can."""

    @property
    def raw(self) -> RawMessages | None:
        """Sender of raw messages; None if nothing can be sent."""

    @property
    def server(self) -> Server | None:
        """Receiver of raw messages; None if there is none."""

    def schema_of(self, tool: str) -> JsonValue:
        """The input schema of a tool; None if it is not known."""

    def call_words(self, number: int) -> str:
        """Return why a call has no frames; empty if it should have some."""


class BenchWire:
    """The wire of a running engine."""

    is_live = True
    why_not_sent = ""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        return self._engine.server.name

    @property
    def raw(self) -> RawMessages:
        return self._engine.raw_messages

    @property
    def server(self) -> Server:
        return self._engine.server

    @property
    def log(self) -> FrameLog:
        return self._engine.link.wire

    def schema_of(self, tool: str) -> JsonValue:
        found = (one.input_schema for one in self._engine.tools if one.name == tool)
        return next(found, None)

    def call_words(self, number: int) -> str:
        call = self._engine.calls.get(number)
        if call is None:
            return f"no call {number}"
        return "" if call.sent else f"nothing was sent for call {number}: {call.status}"


class CapturedWire:
    """The wire of a captured session."""

    is_live = False
    raw = None
    server = None
    why_not_sent = "this is a file, with no server behind it; signoff replay serves it as one"

    def __init__(self, name: str, log: FrameLog, schemas: Mapping[str, JsonValue]) -> None:
        self.name = name
        self.log = log
        self._schemas = schemas

    def schema_of(self, tool: str) -> JsonValue:
        return self._schemas.get(tool)

    def call_words(self, number: int) -> str:
        return ""
