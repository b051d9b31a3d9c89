"""Captures: what went over the wire as lines of JSON, one a frame, written and read back.

A line is `{"n":1,"at":1700000000.25,"from":"client","raw":"..."}`, with `raw` last: what was sent,
as it was. Bytes that are not UTF-8 stand as `raw_base64`. `call` is the number of Signoff's call,
`http` says what HTTP had around a message, `size` how much came where that is not all here.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from bisect import bisect_right
from itertools import accumulate
from typing import Any, Final, get_args

from .frames import Frame, HttpPart, Sender

_RAW: Final = b'"raw":"'
_encoded: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NotACapture(ValueError):
    """A file is no capture; the message says why, in words of our own."""


def line_of(frame: Frame) -> bytes:
    """A frame as one line, without its end."""
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
    try:
        head["raw"] = frame.raw.decode("utf-8")
    except UnicodeDecodeError:
        head["raw_base64"] = b64encode(frame.raw).decode("ascii")
    return _encoded(head).encode("utf-8")


def frame_of(line: bytes) -> Frame:
    """The frame of a line. Raises NotACapture."""
    try:
        head = json.loads(line)
        sender: Sender = head["from"]
        if sender not in get_args(Sender):
            raise NotACapture(f"a message is from {sender!r}")
        raw = b64decode(head["raw_base64"]) if "raw_base64" in head else head["raw"].encode("utf-8")
        at = float(head["at"])
        http = _http(head["http"]) if "http" in head else None
        size = int(head.get("size", len(raw)))
        return Frame(int(head["n"]), at, at, sender, raw, size, int(head.get("call", 0)), http)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
        if isinstance(problem, NotACapture):
            raise
        raise NotACapture("a line is not one of a capture") from None


def _http(given: dict[str, Any]) -> HttpPart:
    headers = tuple((str(name), str(value)) for name, value in given["headers"].items())
    return HttpPart(str(given["words"]), headers, given.get("request"), int(given.get("status", 0)))


class Capture:
    """A capture that was read: its frames are made when they are looked at."""

    def __init__(self, data: bytes) -> None:
        """Raises NotACapture where not even the first line is of one."""
        self._lines = data.split(b"\n")
        # The end of the last line, or the beginning of one that was not written whole.
        self._lines.pop()
        self._lowered: bytes | None = None
        self._starts: list[int] = [0]
        self._data = data
        if not self._lines and data.strip():
            raise NotACapture("it has no whole line")
        if self._lines:
            frame_of(self._lines[0])

    def __len__(self) -> int:
        return len(self._lines)

    def length(self, index: int) -> int:
        """Bytes of a line."""
        return len(self._lines[index])

    def frame(self, index: int) -> Frame:
        """Raises NotACapture where the line is damaged."""
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
            # What stands before the message is of Signoff.
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
