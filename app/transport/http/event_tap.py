"""Passes event streams on to the SDK and shows every message to the tap."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import httpx2

from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.text import size
from ...protocol.findings.findings import error, warning
from .bodies import BODY_LIMIT, ENDPOINT, OLD_SSE, Body, Unpackable
from .frames import HttpFrames
from .refusals import BODY_READ, broken_words, quoted, said_in
from .tap import HttpTap, read_text

EVENTS: Final = "text/event-stream"
_BREATH: Final = 64
_BREATH_SECONDS: Final = 0.005
"""How often, and how long, a stream that does not stop waits for the rest of the program."""
ENDED_AT_ONCE: Final = 3
"""Streams in a row that end without an event, from which on that is reported."""
_BLANK_LINES: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
FIRST_PAUSE = 1_000
"""Milliseconds, doubled with each stream that ends without an event."""
RETRY_MAX: Final = 30_000
"""Milliseconds that a server may have a broken stream wait before it is taken up again."""
_IN_THREAD = 200_000
"""Bytes from which a text is parsed in a thread: the screen goes on meanwhile."""


class StreamPace:
    """Delay before a stream of the server's own messages is opened again."""

    def __init__(self) -> None:
        self.ended_at_once = 0
        """Streams in a row that ended without an event."""

    def ended(self, events: int) -> int:
        """A stream ended after so many events; returns the milliseconds to wait, 0 for no word."""
        self.ended_at_once = 0 if events else self.ended_at_once + 1
        return 0 if events else min(RETRY_MAX, FIRST_PAUSE * 2**self.ended_at_once)


class _Unfinished(httpx2.AsyncByteStream):
    """Passes a body on and keeps the bytes after its last whole event."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.rest = bytearray()

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


class EventTap(httpx2.AsyncByteStream):
    """An event stream as the SDK has to see it."""

    def __init__(
        self,
        response: httpx2.Response,
        tap: HttpTap,
        identity: str | int | None,
        frames: HttpFrames,
        pace: StreamPace,
        *,
        proxy: str = "",
    ) -> None:
        """Raises Unpackable for a compression that is not read."""
        self._response = response
        self._tap = tap
        self._identity = identity
        self._frames = frames
        self._proxy = proxy
        self._pace = pace
        self._body = Body(response)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_answered = is_resumable = is_broken = False
        count = 0
        reason = "the event stream ended without an answer"
        identity = self._identity
        body = _Unfinished(self._body)
        plain = httpx2.Response(
            200,
            headers={"Content-Type": EVENTS},
            stream=body,
            request=self._response.request,
        )
        try:
            async for event in httpx2.EventSource(plain, max_event_size=BODY_LIMIT):
                self._body.renew()
                count += 1
                if count % _BREATH == 0:
                    await asyncio.sleep(_BREATH_SECONDS)
                is_resumable = is_resumable or bool(event.id)
                shown: list[dict[str, JsonValue]] = []
                if event.event == ENDPOINT and identity is not None and not has_answered:
                    yield event_bytes(None, [self._tap.failed(identity, OLD_SSE)])
                    return
                if event.event == "message" and event.data:
                    data = event.data.encode("utf-8", "surrogatepass")
                    self._frames.came(data)
                    shown = await read_all(self._tap, data, identity)
                has_answered = has_answered or any("method" not in one for one in shown)
                if text := event_bytes(event, shown):
                    yield text
        except Unpackable as problem:
            for text in self._unread(problem.words, has_answered):
                yield text
            return
        except httpx2.SSEError:
            words = f"one event of more than the limit of {size(BODY_LIMIT)}"
            for text in self._unread(words, has_answered):
                yield text
            return
        except httpx2.TransportError as problem:
            is_broken = True
            url, when = self._response.request.url, "in the middle of the event stream"
            reason = broken_words(url, problem, when=when, proxy=self._proxy)
            if identity is None:
                raise
        rest = bytes(body.rest).strip()
        if rest:
            self._frames.came(rest)
        if identity is None:
            if self._response.request.method == "GET" and (pause := self._pace.ended(count)):
                if self._pace.ended_at_once == ENDED_AT_ONCE:
                    words = "the server's own event stream ends at once, again and again"
                    self._tap.notice(warning("stream-ends", words))
                yield b"retry: %d\ndata:\n\n" % pause
            return
        if has_answered:
            return
        if not is_broken and (why := _why_unread(rest)):
            yield event_bytes(None, [self._tap.failed(identity, f"{reason}: {why}")])
        elif is_resumable:
            # The SDK asks for the rest of the stream, and gives up after a while.
            self._tap.unanswered[identity] = f"{reason}, and it was not taken up again"
        else:
            yield event_bytes(None, [self._tap.cut_off(identity, reason)])

    def _unread(self, words: str, has_answered: bool) -> list[bytes]:
        """The stream is not read on; what waits for an answer there is told so."""
        self._tap.notice(error("event-too-long", words))
        if self._identity is None or has_answered:
            return []
        return [event_bytes(None, [self._tap.failed(self._identity, words)])]

    async def aclose(self) -> None:
        await self._response.aclose()


def _why_unread(rest: bytes) -> str:
    """Say why the bytes after the last whole event are not an event, with a quote.

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


async def read_all(
    tap: HttpTap, data: bytes | bytearray, identity: str | int | None
) -> list[dict[str, JsonValue]]:
    """The messages in a JSON text, as the SDK has to see them."""
    if len(data) < _IN_THREAD:
        return tap.take(read_text(data), identity)
    return tap.take(await asyncio.to_thread(read_text, data), identity)


def event_bytes(event: httpx2.ServerSentEvent | None, shown: list[dict[str, JsonValue]]) -> bytes:
    """The event for the SDK; if it gets no message, only the place in the stream."""
    head = b""
    if event is not None and event.id:
        head += f"id: {event.id}\n".encode("utf-8", "replace")
    if event is not None and event.retry is not None:
        head += b"retry: %d\n" % min(max(event.retry, 0), RETRY_MAX)
    if not shown:
        return head and head + b"data:\n\n"
    return head + b"".join(b"data: " + dump(message) + b"\n\n" for message in shown)


def dump(message: dict[str, JsonValue]) -> bytes:
    """For the SDK, whose parser knows no lone surrogates."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
