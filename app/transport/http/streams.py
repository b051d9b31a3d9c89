"""Event streams of Streamable HTTP: how one ended, and when it is opened again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import httpx2

from ...content.json.jsonio import JsonError, Limits, parse
from .bodies import EVENTS, UncompressedBody
from .refusals import BODY_READ, quoted, said_in

_BLANK_LINES: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
FIRST_PAUSE = 1_000
"""Milliseconds before a stream is opened again; doubled with each that ends without an event."""
RETRY_MIN: Final = 100
RETRY_MAX: Final = 30_000
"""Milliseconds after which a server may have a stream taken up again, at least and at most."""
ENDED_AT_ONCE: Final = 3
"""Streams in a row that end without an event, from which on that is reported."""


class StreamPace:
    """Delay before a stream of the server's own messages is opened again."""

    def __init__(self) -> None:
        self.ended_at_once = 0
        """Streams in a row that ended without an event."""

    def ended(self, events: int) -> int:
        """A stream ended after so many events; returns the milliseconds to wait, 0 for no word."""
        self.ended_at_once = 0 if events else self.ended_at_once + 1
        return 0 if events else min(RETRY_MAX, FIRST_PAUSE * 2**self.ended_at_once)


@dataclass(slots=True)
class StreamEnd:
    """How an event stream ended."""

    has_answered: bool = False
    """The answer to the request came, or a failure was reported in its place."""
    count: int = 0
    """Events that came."""
    last_id: str = ""
    retry: int = 0
    """Milliseconds that the server wants it to wait; 0 for no word."""
    reason: str = "the event stream ended without a response"
    rest: bytes = b""
    """What came after the last whole event."""
    problem: Exception | None = None
    """Why it broke; None for an end that HTTP knows as one."""


class UnfinishedBody(httpx2.AsyncByteStream):
    """Passes a body on and keeps the bytes after its last whole event."""

    def __init__(self, body: UncompressedBody) -> None:
        self._body = body
        self.rest = bytearray()

    def renew(self) -> None:
        """An event is complete."""
        self._body.renew()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self.rest += piece
            ends = max(self.rest.rfind(mark) + len(mark) for mark in _BLANK_LINES)
            if ends >= min(map(len, _BLANK_LINES)) and any(
                self.rest[:ends].endswith(mark) for mark in _BLANK_LINES
            ):
                del self.rest[:ends]
            del self.rest[BODY_READ:]
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


def why_unread(rest: bytes) -> str:
    """The reason why the bytes after the last whole event are not an event, with a quote.

    Empty for no bytes, and for half of an event: there the connection was lost.
    """
    if not rest:
        return ""
    said = quoted(said_in(rest, "text/plain"))
    if rest.startswith((b"{", b"[")):
        return f"the body is JSON, declared as {EVENTS}: {said}"
    lines = rest.replace(b"\r", b"\n").split(b"\n")
    data = b"".join(line[5:] for line in lines if line.startswith(b"data:"))
    if not data:
        return f"the body has no event: {said}"
    return f"the last event has no blank line after it: {said}" if _is_json(data) else ""


def _is_json(data: bytes) -> bool:
    try:
        parse(data, Limits(size=BODY_READ))
    except JsonError:
        return False
    return True
