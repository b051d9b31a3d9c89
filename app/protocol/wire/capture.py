"""Captures: wire traffic as lines of JSON, one a frame, written and read back.

A line is `{"n":1,"at":1700000000.25,"from":"client","raw":"..."}`, with `raw` last: the message as
it was. Bytes that are not UTF-8 are kept as `raw_base64`. `call` is the number of Signoff's call,
`http` has the HTTP facts around a message, `size` the full size of a message that is cut, `masked`
is true for a message that was saved with masked values.

A capture can be read as the original wire, and as a script of responses to requests. Ids are the
capture's own here; the player replaces them by current ones.
"""

from __future__ import annotations

import contextlib
import json
import re
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final, get_args

from ...content.json.jsonio import JsonError, JsonValue, canonical
from .frames import BEGAN, CLIENT, ENDED, RAW_KEPT, SIGNOFF, Frame, FrameKind, HttpPart, Sender
from .reading import Id, body_of, key_of, read

_RAW: Final = b'"raw":"'
CAPTURE_MAX: Final = 256_000_000
"""Bytes of the largest capture that is read."""
_OTHERS: Final = re.compile("[^ -~]")
_encoded: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NotACapture(ValueError):
    """The file is not a capture; the message gives the reason, in words of our own."""


def line_of(frame: Frame) -> bytes:
    """A frame as one line, without its end; a terminal that is shown it obeys nothing in it."""
    head: dict[str, Any] = {"n": frame.number, "at": round(frame.at, 6), "from": frame.sender}
    if frame.call:
        head["call"] = frame.call
    if (http := frame.http) is not None:
        head["http"] = {"words": http.words, "headers": dict(http.headers)}
        if http.request is not None:
            head["http"]["request"] = http.request
        if http.status:
            head["http"]["status"] = http.status
    if frame.is_cut:
        head["size"] = frame.size
    if frame.is_masked:
        head["masked"] = True
    try:
        head["raw"] = frame.raw.decode("utf-8")
    except UnicodeDecodeError:
        head["raw_base64"] = b64encode(frame.raw).decode("ascii")
    return _inert(_encoded(head)).encode("utf-8")


def _inert(text: str) -> str:
    """The same JSON with characters escaped that do not print, such as U+009B and U+202E.

    JSON itself escapes those below U+0020 only.
    """
    return text if text.isprintable() else _OTHERS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    return char if char.isprintable() else json.dumps(char)[1:-1]


def frame_of(line: bytes) -> Frame:
    """The frame of a line. Raises NotACapture."""
    try:
        head = json.loads(line)
        sender: Sender = head["from"]
        if sender not in get_args(Sender):
            raise NotACapture(f"unknown sender {sender!r}")
        raw = b64decode(head["raw_base64"]) if "raw_base64" in head else head["raw"].encode("utf-8")
        at = float(head["at"])
        http = _http(head["http"]) if "http" in head else None
        size = int(head.get("size", len(raw)))
        facts = (int(head["n"]), at, at, sender, raw, size, int(head.get("call", 0)), http)
        return Frame(*facts, is_masked=head.get("masked") is True)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
        if isinstance(problem, NotACapture):
            raise
        raise NotACapture("not a captured message") from None


def _http(given: dict[str, Any]) -> HttpPart:
    headers = tuple((str(name), str(value)) for name, value in given["headers"].items())
    return HttpPart(str(given["words"]), headers, given.get("request"), int(given.get("status", 0)))


class Capture:
    """A capture that was read: its frames are made when they are looked at."""

    def __init__(self, data: bytes) -> None:
        """Raises NotACapture if not even the first line is of one."""
        self._lines = data.split(b"\n")
        # The end of the last line, or the beginning of one that was not written whole.
        self._lines.pop()
        self._lowered: bytes | None = None
        self._starts: list[int] = [0]
        self._data = data
        if not self._lines and data.strip():
            raise NotACapture("no complete line")
        if self._lines:
            frame_of(self._lines[0])

    def __len__(self) -> int:
        return len(self._lines)

    def length(self, index: int) -> int:
        """Bytes of a line."""
        return len(self._lines[index])

    def frame(self, index: int) -> Frame:
        """Raises NotACapture if the line is damaged."""
        return frame_of(self._lines[index])

    def frames(self) -> list[Frame]:
        """All of them. Raises NotACapture, naming the line."""
        found = []
        for number, line in enumerate(self._lines, 1):
            try:
                found.append(frame_of(line))
            except NotACapture as problem:
                raise NotACapture(f"line {number:,}: {problem}") from None
        return found

    def containing(self, words: str) -> list[int]:
        """The messages that hold these words, whatever the case of their letters."""
        wanted = json.dumps(words, ensure_ascii=False)[1:-1].encode("utf-8", "replace").lower()
        if self._lowered is None:
            # All at once: looking into a hundred thousand lines takes longer.
            self._lowered = self._data.lower()
            self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        found, at, end = [], 0, self._starts[-1]
        while (at := self._lowered.find(wanted, at)) >= 0 and at < end:
            index = bisect_right(self._starts, at) - 1
            start, after = self._starts[index], self._starts[index + 1]
            # The text before the message is Signoff's.
            raw = self._lines[index].find(_RAW)
            if raw < 0:
                is_there = words.lower().encode() in self.frame(index).raw.lower()
            else:
                begin = start + raw + len(_RAW)
                is_there = at >= begin or self._lowered.find(wanted, begin, after) >= 0
            if is_there:
                found.append(index)
            at = after
        return found


_LONG: Final = 1_000_000
"""Bytes of a line that are read at once: when it is looked at, somebody would have to wait."""


class CapturedLog:
    """The frames of a capture, numbered by its lines; each is made at its first use.

    A damaged line becomes a note about the damage.
    """

    dropped = 0
    first = 1

    def __init__(self, capture: Capture, *, kept: int = RAW_KEPT) -> None:
        """`kept` is how many bytes of a message are."""
        self._capture = capture
        self._kept = kept
        self._long = {
            number: self._made(number)
            for number in range(1, self.count + 1)
            if capture.length(number - 1) > _LONG
        }

    @property
    def count(self) -> int:
        return len(self._capture)

    def since(self, number: int, most: int | None = None) -> list[Frame]:
        """The frames after that number, at most so many."""
        last = self.count if most is None else min(self.count, number + most)
        return [self._long.get(one) or self._made(one) for one in range(number + 1, last + 1)]

    def _made(self, number: int) -> Frame:
        try:
            found = self._capture.frame(number - 1)
        except NotACapture as problem:
            words = f"line {number:,} of the file: {problem}".encode()
            at = self._time_before(number)
            return Frame(number, at, at, SIGNOFF, words, len(words))
        raw = found.raw[: self._kept]
        return Frame(
            *(number, found.at, found.tick, found.sender),
            *(raw, max(found.size, len(found.raw)), found.call, found.http),
        )

    def _time_before(self, number: int) -> float:
        for index in range(number - 2, max(-1, number - 12), -1):
            with contextlib.suppress(NotACapture):
                return self._capture.frame(index).at
        return 0.0


def listed_schemas(capture: Capture) -> dict[str, JsonValue]:
    """The input schemas of the tools that the captured server listed; the newest of a name."""
    found: dict[str, JsonValue] = {}
    for index in capture.containing('"inputSchema"'):
        try:
            body = body_of(capture.frame(index))
        except (NotACapture, JsonError):
            continue
        result = body.get("result") if isinstance(body, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                found[name] = tool.get("inputSchema")
    return found


BY_METHOD: Final = ("initialize", "server/discover", "subscriptions/listen", "ping")
"""Methods with params about the client: any of them fit."""
LISTEN: Final = "subscriptions/listen"
"""Its answer ends the subscription, so that it is never given again."""
ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
CANCELLED: Final = "notifications/cancelled"

Key = tuple[str, str]


@dataclass(slots=True)
class ServerMessage:
    """Output of the server beside its responses: a message, or a line that is not one."""

    raw: bytes
    asks: Id | None = None
    """The id of a request of the server that the client answered."""


@dataclass(slots=True)
class Recorded:
    """A request of the client, and its response."""

    key: Key
    id: Id
    token: Id | None
    """The progress token of the request."""
    is_masked: bool = False
    """Whether the request or its response was saved with masked values."""
    answer: bytes | None = None
    """None where none came."""
    ends: int | None = None
    """The exit code with which the server exited instead of answering."""
    before: list[ServerMessage] = field(default_factory=list)
    """The server's messages between the request and its response."""
    after: list[ServerMessage] = field(default_factory=list)
    """The server's messages after the response, while no other request was open."""


@dataclass(slots=True)
class CapturedScript:
    """All that a captured session has."""

    opening: list[ServerMessage] = field(default_factory=list)
    """The server's messages before the first request."""
    requests: dict[Key, list[Recorded]] = field(default_factory=lambda: defaultdict(list))

    @property
    def methods(self) -> set[str]:
        return {method for method, _ in self.requests}


def key_for(method: str, params: JsonValue) -> Key:
    """Key of a request: its method and params, without those about the client."""
    if method in BY_METHOD:
        return method, ""
    plain = {}
    if isinstance(params, dict):
        plain = {name: value for name, value in params.items() if name != "_meta"}
    return method, canonical(plain)


def token_of(params: JsonValue) -> Id | None:
    """The progress token of a request; None without a valid one."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def script_of(frames: Iterable[Frame]) -> CapturedScript:
    """The script of a session, in the order of its wire."""
    writer = _CaptureWriter()
    for frame in frames:
        if not frame.is_http_only:
            writer.take(frame)
    writer.finish()
    return writer.script


class _CaptureWriter:
    def __init__(self) -> None:
        self.script = CapturedScript()
        self._pending: dict[tuple[bool, Id], Recorded] = {}
        self._theirs: dict[tuple[bool, Id], ServerMessage] = {}
        self._loose: list[ServerMessage] = []
        """The server's messages that belong to no response yet, since the last one."""
        self._last: Recorded | None = None

    def take(self, frame: Frame) -> None:
        if frame.sender == SIGNOFF:
            self._take_note(frame.raw.decode("utf-8", "replace"))
        elif frame.sender == CLIENT:
            self._take_from_client(frame)
        else:
            self._take_from_server(frame)

    def finish(self) -> None:
        waiting = next(iter(self._waiting()), None)
        if self._loose and waiting is not None:
            waiting.before += self._loose
        elif self._loose and self._last is not None:
            self._last.after += self._loose
        self._loose = []

    def _waiting(self) -> list[Recorded]:
        return [one for one in self._pending.values() if one.key[0] != LISTEN]

    def _take_note(self, words: str) -> None:
        if words.startswith(ENDED):
            code = words.rpartition(" ")[2]
            for one in self._waiting():
                one.ends = int(code) if code.isdigit() else 1
        if words.startswith((BEGAN, ENDED)):
            self.finish()
            self._pending.clear()
            self._theirs.clear()

    def _take_from_client(self, frame: Frame) -> None:
        found = read(frame)
        if found.kind is FrameKind.REQUEST and found.id is not None:
            params = _params(frame)
            key = key_for(found.method, params)
            one = Recorded(key, found.id, token_of(params), is_masked=frame.is_masked)
            self.script.requests[one.key].append(one)
            self._pending[key_of(found.id)] = one
        elif found.method == CANCELLED and found.about is not None:
            self._pending.pop(key_of(found.about), None)
        elif found.kind in (FrameKind.ANSWER, FrameKind.ERROR) and found.id is not None:
            asked = self._theirs.pop(key_of(found.id), None)
            if asked is not None:
                asked.asks = found.id

    def _take_from_server(self, frame: Frame) -> None:
        found = read(frame)
        if found.kind in (FrameKind.ANSWER, FrameKind.ERROR) and found.id is not None:
            one = self._pending.pop(key_of(found.id), None)
            if one is not None:
                one.is_masked = one.is_masked or frame.is_masked
                if one.key[0] != LISTEN:
                    one.answer, one.before, self._loose = frame.raw, self._loose, []
                    self._last = one
                return
        said = ServerMessage(frame.raw)
        if found.kind is FrameKind.REQUEST and found.id is not None:
            self._theirs[key_of(found.id)] = said
        listening = [one for one in self._pending.values() if one.key[0] == LISTEN]
        if found.method == ACKNOWLEDGED and listening:
            listening[-1].before.append(said)
        elif self._waiting():
            self._loose.append(said)
        elif self._last is not None:
            self._last.after.append(said)
        else:
            self.script.opening.append(said)


def _params(frame: Frame) -> JsonValue:
    try:
        body = body_of(frame)
    except JsonError:
        return None
    return body.get("params") if isinstance(body, dict) else None
