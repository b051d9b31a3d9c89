"""A frame as one row of a list or a page: time, direction, kind, size, latency; and an index.

Secrets are masked for display and export, as in the audit log. A value is secret by a tool's
schema, a telling name or its look; a secret argument of a call is masked in its response as well.
Sent messages, and a capture, are never touched. The frames of one call are found without reading
the others: there may be many thousands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from ...content.json.jsonio import JsonError, JsonValue
from ...content.text import cut, size, visible
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.masks import SecretScrubber, mask_text, mask_value
from ..rpc import CALL_METHOD
from .frames import BEGAN, CLIENT, SERVER, SIGNOFF, Frame, FrameKind, FrameLog
from .reading import Id, body_of, key_of, messages_of, read

AT_ONCE = 1_000
"""Frames that are read in before the rest of the program gets its turn."""

_Key = tuple[str, bool, Id]


class WireBook:
    """Reads a log in as it grows. For one reader, which calls `update` now and then."""

    def __init__(self, log: FrameLog) -> None:
        self._log = log
        self._frames: list[Frame] = []
        self._seen = 0
        self._asked: dict[_Key, int] = {}
        """The newest request of each side under an id, on this connection."""
        self._partners: dict[int, int] = {}
        self._about: dict[int, int] = {}
        self._calls: dict[int, int] = {}

    @property
    def frames(self) -> Sequence[Frame]:
        """Those that are kept and were read in, oldest first."""
        return self._frames

    @property
    def first(self) -> int:
        """The number of the oldest."""
        return self._frames[0].number if self._frames else self._seen + 1

    @property
    def seen(self) -> int:
        """The number of the newest that was read in."""
        return self._seen

    @property
    def is_behind(self) -> bool:
        """True if there is more to read in."""
        return self._seen < self._log.count

    def update(self, most: int = AT_ONCE) -> list[Frame]:
        """Read new frames, up to a number; returns them. Dropped frames are forgotten."""
        if not self.is_behind:
            return []
        new = self._log.since(self._seen, most)
        if new and new[0].number > self._seen + 1:
            # What came between was gone before it was read in, and so is all before it.
            self._forget(new[0].number)
        for frame in new:
            self._frames.append(frame)
            for message in messages_of(frame):
                self._link(message)
        self._seen = new[-1].number if new else self._log.count
        self._forget(self._log.first)
        return new

    def at(self, number: int) -> Frame | None:
        """The frame of that number, while it is kept."""
        index = number - self.first
        return self._frames[index] if 0 <= index < len(self._frames) else None

    def partner(self, frame: Frame) -> Frame | None:
        """The answer to a request, or the request that an answer or a notification is about."""
        number = frame.number
        return self.at(self._partners.get(number) or self._about.get(number, 0))

    def latency(self, frame: Frame) -> float | None:
        """Seconds between a request and its response, for either frame; None without a response."""
        other = self.at(self._partners.get(frame.number, 0))
        return None if other is None else abs(other.tick - frame.tick)

    def call_of(self, frame: Frame) -> int:
        """The number of the call that a frame belongs to; 0 for none."""
        return frame.call or self._calls.get(frame.number, 0)

    def method_of(self, frame: Frame) -> str:
        """The method of a message; of an answer or a status, that of its request. Raw."""
        own = read(frame).method
        if own:
            return own
        other = self.partner(frame)
        return "" if other is None else read(other).method

    def _link(self, frame: Frame) -> None:
        found, number = read(frame), frame.number
        if frame.sender == SIGNOFF:
            if frame.raw.startswith(BEGAN.encode()):
                self._asked.clear()
            return
        other = SERVER if frame.sender == CLIENT else CLIENT
        if found.kind is FrameKind.REQUEST and found.id is not None:
            self._asked[(frame.sender, *key_of(found.id))] = number
            return
        if found.kind in (FrameKind.ANSWER, FrameKind.ERROR) and found.id is not None:
            asked = self._asked.get((other, *key_of(found.id)), 0)
            if asked:
                # A line with several messages goes with the first request that it answers.
                self._partners.setdefault(number, asked)
                self._partners.setdefault(asked, number)
        else:
            identity = found.about if found.about is not None else found.id
            if identity is None:
                return
            side = frame.sender if found.method.endswith("/cancelled") else CLIENT
            asked = self._asked.get((side, *key_of(identity)), 0)
            if asked:
                self._about[number] = asked
        request = self.at(asked) if asked else None
        if request is not None and (call := self.call_of(request)):
            self._calls[number] = call

    def _forget(self, first: int) -> None:
        gone = max(0, first - self.first)
        for frame in self._frames[:gone]:
            for kept in (self._partners, self._about, self._calls):
                kept.pop(frame.number, None)
            found = read(frame)
            if found.kind is FrameKind.REQUEST and found.id is not None:
                key = (frame.sender, *key_of(found.id))
                if self._asked.get(key) == frame.number:
                    del self._asked[key]
        del self._frames[:gone]


ARROWS: Final = {CLIENT: "→", SERVER: "←", SIGNOFF: "·"}
NO_MATCH: Final = "no message passes the filter"
KIND_CELLS: Final = 12
"""Cells of the longest word for a kind of frame."""
_SHOWN: Final = 200
"""Characters shown of a line that is not a message."""


class WireRow(NamedTuple):
    """Texts of a server in it are raw: the code that draws it sanitises them."""

    number: int
    time: str
    arrow: str
    kind: str
    what: str
    """The method, or a word in place of it; raw."""
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
        # A colour alone would not do.
        "isError" if found.kind is FrameKind.ANSWER and found.is_error else found.kind.value,
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
    if frame.http is not None and found.kind is FrameKind.HTTP:
        return frame.http.words
    if found.kind in (FrameKind.NOTE, FrameKind.NOISE, FrameKind.MALFORMED):
        raw = frame.raw[: _SHOWN * 4]
        line = Frame(0, 0.0, 0.0, frame.sender, raw, len(raw))
        return cut(showing.text(line), _SHOWN).text or "(an empty line)"
    method = book.method_of(frame)
    request = frame if found.method else book.partner(frame)
    subject = showing.subject(request) if request is not None else ""
    words = f"{method} {subject}".strip()
    if found.kind in (FrameKind.ANSWER, FrameKind.ERROR):
        return words or "a response to an unknown request"
    return words


class Showing:
    """Takes secrets out of the frames of one book."""

    def __init__(
        self, book: WireBook, schema_of: Callable[[str], JsonValue] = lambda tool: None
    ) -> None:
        """`schema_of` gives the input schema of a tool."""
        self._book = book
        self._schema_of = schema_of
        self._known: set[str] = set()
        self._echoes = SecretScrubber(())

    def value(self, frame: Frame) -> JsonValue:
        """The message without its secrets. Raises JsonError if it is not JSON, or not whole."""
        return self._masked(frame)[0]

    def text(self, frame: Frame) -> str:
        """The bytes as text, exactly as they were where nothing in them is secret."""
        plain = frame.raw.decode("utf-8", "replace")
        if frame.sender == SIGNOFF:
            return plain
        try:
            value, has_secrets = self._masked(frame)
        except JsonError:
            return mask_text(self._echoes.text(plain))
        if not has_secrets:
            return plain
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def subject(self, frame: Frame) -> str:
        """Return the subject of a request, without secrets; raw otherwise."""
        found = read(frame).subject
        return mask_text(found) if found else ""

    def _masked(self, frame: Frame) -> tuple[JsonValue, bool]:
        request = self._book.partner(frame)
        if request is not None and request.number < frame.number:
            self._learn(request)
        body = body_of(frame)
        own = self._learn_from(body) if read(frame).method == CALL_METHOD else None
        masked = mask_value(body if own is None else own)
        before = self._echoes.count
        value = self._echoes.value(masked.value)
        is_changed = masked.count > 0 or self._echoes.count > before or own is not None
        return value, is_changed

    def _learn(self, request: Frame) -> None:
        if read(request).method == CALL_METHOD:
            try:
                self._learn_from(body_of(request))
            except JsonError:
                return

    def _learn_from(self, body: JsonValue) -> JsonValue:
        """A call without its secrets, which are known from now on; None if it has none."""
        params = body.get("params") if isinstance(body, dict) else None
        if not isinstance(body, dict) or not isinstance(params, dict):
            return None
        name, arguments = params.get("name"), params.get("arguments")
        schema = self._schema_of(name) if isinstance(name, str) else None
        masked = mask_arguments(arguments, schema)
        if not masked.count:
            return None
        if not masked.found <= self._known:
            self._known |= masked.found
            self._echoes = SecretScrubber(self._known)
        return {**body, "params": {**params, "arguments": masked.value}}


_ENDS: Final = 4_096
"""Bytes at either end of a message in which its id is looked for."""

_Keys = dict[tuple[bool, Id], Frame]


def frames_of_call(frames: Sequence[Frame], number: int) -> list[tuple[Frame, Frame | None]]:
    """Each frame of a call with the request that it belongs to; None for a request itself."""
    asked: _Keys = {}
    needles: list[bytes] = []
    found: list[tuple[Frame, Frame | None]] = []
    for frame in frames:
        if frame.call == number:
            known = read(frame)
            if known.kind is FrameKind.REQUEST and known.id is not None:
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
    """Return one line per frame: time, direction, kind, method, id, size, latency; safe to show."""
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
    if known.kind in (FrameKind.ANSWER, FrameKind.ERROR, FrameKind.HTTP):
        return None if known.id is None else asked.get(key_of(known.id))
    return None if known.about is None else asked.get(key_of(known.about))


def _line(frame: Frame, request: Frame | None) -> str:
    known = read(frame)
    kind = "isError" if known.kind is FrameKind.ANSWER and known.is_error else known.kind.value
    what = known.method or (read(request).method if request is not None else "")
    if known.kind is FrameKind.HTTP and frame.http is not None:
        what = frame.http.words
    identity = known.id if known.id is not None else known.about
    facts = [] if identity is None else [f"id {visible(str(identity)[:40])}"]
    if frame.raw:
        facts.append(size(frame.size))
    if request is not None and known.kind in (FrameKind.ANSWER, FrameKind.ERROR):
        facts.append(latency_words(frame.tick - request.tick))
    head = f"{clock(frame.at)} {ARROWS[frame.sender]} {kind:<{KIND_CELLS}}"
    return f"{head} {visible(what[:200])}  ({', '.join(facts)})"
