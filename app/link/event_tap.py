"""Event streams on their way to the SDK: every message passes the tap."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import httpx2

from signoff.app.core.findings import error
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.text import size
from signoff.app.link.bodies import BODY_LIMIT, Body
from signoff.app.link.http_frames import HttpFrames
from signoff.app.link.no_answer import broken_words
from signoff.app.link.old_sse import ENDPOINT, OLD_SSE
from signoff.app.link.tap import HttpTap, read_text
from signoff.app.link.unpacking import Unpackable

EVENTS: Final = "text/event-stream"
_BREATH: Final = 64
_BREATH_SECONDS: Final = 0.005
"""How often, and how long, a stream that does not stop waits for the rest of the program."""
RETRY_MAX: Final = 30_000
"""Milliseconds that a server may have a broken stream wait before it is taken up again."""
_IN_THREAD = 200_000
"""Bytes from which a text is parsed in a thread: the screen goes on meanwhile."""


class EventTap(httpx2.AsyncByteStream):
    """An event stream as the SDK has to see it."""

    def __init__(
        self,
        response: httpx2.Response,
        tap: HttpTap,
        identity: str | int | None,
        frames: HttpFrames,
        *,
        proxy: str = "",
    ) -> None:
        """Raises Unpackable for a compression that is not read."""
        self._response = response
        self._tap = tap
        self._identity = identity
        self._frames = frames
        self._proxy = proxy
        self._body = Body(response)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_answered = is_resumable = False
        count = 0
        reason = "the event stream ended without an answer"
        identity = self._identity
        plain = httpx2.Response(
            200,
            headers={"Content-Type": EVENTS},
            stream=self._body,
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
            url, when = self._response.request.url, "in the middle of the event stream"
            reason = broken_words(url, problem, when=when, proxy=self._proxy)
            if identity is None:
                raise
        if identity is None or has_answered:
            return
        if is_resumable:
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


async def read_all(
    tap: HttpTap, data: bytes | bytearray, identity: str | int | None
) -> list[dict[str, JsonValue]]:
    """The messages in a JSON text, as the SDK has to see them."""
    if len(data) < _IN_THREAD:
        return tap.take(read_text(data), identity)
    return tap.take(await asyncio.to_thread(read_text, data), identity)


def event_bytes(event: httpx2.ServerSentEvent | None, shown: list[dict[str, JsonValue]]) -> bytes:
    """The event as the SDK has to see it; where it sees no message, the place in the stream."""
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
