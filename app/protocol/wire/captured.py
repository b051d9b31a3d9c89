"""A capture read as the wire that it was: the frames in its lines, and the tools listed there."""

from __future__ import annotations

import contextlib
from typing import Final

from ...content.json.jsonio import JsonError, JsonValue
from .capture import Capture, NotACapture
from .frames import RAW_KEPT, SIGNOFF, Frame
from .reading import body_of

_LONG: Final = 1_000_000
"""Bytes of a line that are read at once: when it is looked at, somebody would have to wait."""


class CapturedLog:
    """The frames of a capture, numbered by its lines; each is made when it is asked for.

    A line that is damaged is a note that says so.
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
