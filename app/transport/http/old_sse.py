"""HTTP+SSE of 2024-11-05: each message in a POST of its own, every response on one event stream.

Spec 2024-11-05, basic/transports "HTTP with SSE": the stream begins with an event `endpoint`, which
names where messages are posted. It is followed within the origin of the stream only.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

import httpx2

from ...content.text import cut, visible
from .bodies import beginning, is_stream, kind_of, status_and_kind
from .client import NotFollowed, request_id
from .refusals import quoted, said_in
from .transport import HttpTransport

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from ...content.json.jsonio import JsonValue

OPEN_SECONDS: Final = 15.0
"""How long a server may take until it names its endpoint, if this transport was asked for."""


class SseTransport(HttpTransport):
    """Posts the messages of one peer, and reads the one stream that all responses come on."""

    is_one_stream = True

    async def open(
        self, seconds: float, within: Callable[[float], AbstractAsyncContextManager[Any]]
    ) -> str:
        """Open the stream and wait for its endpoint; returns why there is none, empty if all is
        well. `within` limits the wait, for which a person may have to sign in.

        The reason is safe to show. Nothing is left open if there is one.
        """
        self._named: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reading: asyncio.Task[None] | None = None
        self._is_open = False
        try:
            async with within(seconds):
                response = await self.client.get()
                if not is_stream(response):
                    return await self._no_stream(response)
                self._reading = asyncio.create_task(self._read_on(response))
                ways: set[asyncio.Future[Any]] = {self._reading, self._named}
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            await self.end_session()
            return f"no event “endpoint” came within {seconds:g} s"
        except NotFollowed as problem:
            return problem.words
        except httpx2.TransportError as problem:
            return self.client.broken_words(problem, "before a response")
        words = self._take_endpoint() if self._named.done() else "the stream names no endpoint"
        if words:
            await self.end_session()
        self._is_open = not words
        return words

    async def end_session(self) -> None:
        """Close the stream."""
        self._is_open = False
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    def _take_endpoint(self) -> str:
        here = self.client.url
        named = self._named.result()
        shown = visible(cut(named, 200).text)
        try:
            there = httpx2.URL(urljoin(str(here), named.strip()))
        except (ValueError, TypeError, httpx2.InvalidURL):
            return f"the endpoint is not a URL: {shown}"
        is_same = (there.scheme, there.host, there.port) == (here.scheme, here.host, here.port)
        if not is_same:
            return f"the endpoint is of another origin, so it is not used: {shown}"
        self.client.post_url = str(there.copy_with(userinfo=here.userinfo))
        return ""

    async def _no_stream(self, response: httpx2.Response) -> str:
        try:
            body = await beginning(response)
        finally:
            await response.aclose()
        said = quoted(said_in(body, kind_of(response), self.client.hidden))
        words = f"GET was answered {status_and_kind(response)}, not with an event stream"
        return f"{words}{f': {said}' if said else ''}"

    def _endpoint_named(self, data: str) -> None:
        if not self._named.done():
            self._named.set_result(data)

    async def _read_on(self, response: httpx2.Response) -> None:
        """Hand all events to the peer until the stream ends, which ends the connection."""
        try:
            end = await self._read_events(response, None)
        finally:
            await response.aclose()
        if self._is_open:
            url = self.client.url
            where = visible(f"{url.host}:{url.port}" if url.port else url.host)
            ended = f"{where} ended the event stream, on which every response comes"
            self._on_unreachable(ended if end.problem is None else end.reason)

    async def _read_response(
        self, response: httpx2.Response, message: dict[str, JsonValue]
    ) -> None:
        """Take any success as a receipt: the answer comes on the stream. Report a refusal."""
        if response.status_code < 300:
            return
        self._note_status(message, response.status_code)
        identity = request_id(message)
        if identity is None:
            await self._read_receipt(response, message)
        else:
            self._refused(response, identity, await beginning(response))
