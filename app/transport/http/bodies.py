"""The bodies of HTTP answers: read as they come, unfolded, bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import httpx2

from ...content.text import size
from ...protocol.rpc import Oversized
from ..stdio.lines import LARGE, LINE_LIMIT
from ..stdio.spool import SPOOL_LIMIT, Spool
from .refusals import BODY_READ, Refusal, beyond_status, said_in
from .unpacking import Unpackable, Unpacking

BODY_LIMIT: Final = LINE_LIMIT
"""Bytes of one JSON body, and of one event of a stream."""
PAGE_SECONDS = 3.0
"""How long the body of a refusal is waited for."""
_BREATH: Final = 64
"""Chunks that are read before others get their turn: a server can send them byte by byte."""


class Body(httpx2.AsyncByteStream):
    """The body of an answer without its compression.

    Reading raises httpx2.TransportError, and Unpackable for a compression that is too much.
    """

    def __init__(self, response: httpx2.Response) -> None:
        """Raises Unpackable for a compression that is not read."""
        self._response = response
        self._unpacking = Unpacking(response.headers.get("content-encoding", ""))
        self.length = 0
        """Bytes that came so far, as they came."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for raw in self._response.aiter_raw():
            self.length += len(raw)
            count += 1
            if count % _BREATH == 0:
                await asyncio.sleep(0)
            if not self._unpacking.is_needed:
                yield raw
                continue
            for piece in self._unpacking.feed(raw):
                await asyncio.sleep(0)
                if piece:
                    yield piece
        if self._unpacking.is_needed:
            self._unpacking.close()

    def renew(self) -> None:
        """An event is complete; the limit of unfolding is for each."""
        self._unpacking.renew()

    async def aclose(self) -> None:
        await self._response.aclose()


async def whole(body: Body) -> bytes | bytearray | Oversized:
    """All of a body; in a file where it is over the limit.

    Raises what reading it raises, and Unpackable where even the file does not take it.
    """
    kept, length = bytearray(), 0
    spool: Spool | None = None
    async for piece in body:
        length += len(piece)
        if length > SPOOL_LIMIT:
            words = f"the answer has more than {size(SPOOL_LIMIT)}"
            raise Unpackable(f"{words}: Signoff stopped reading it there")
        if spool is not None:
            spool.add(piece)
            continue
        kept += piece
        if length > BODY_LIMIT:
            spool = Spool()
            spool.add(kept)
            kept.clear()
    if spool is not None:
        return spool.done(length)
    return kept if length >= LARGE else bytes(kept)


async def beginning(response: httpx2.Response) -> bytes:
    """As much of the page of a refusal as comes soon; what cannot be read of it is left out."""
    page = bytearray()
    try:
        async with asyncio.timeout(PAGE_SECONDS):
            async for piece in Body(response):
                page += piece
                if len(page) >= BODY_READ:
                    break
    except (TimeoutError, httpx2.TransportError, Unpackable):
        pass
    return bytes(page[:BODY_READ])


def refusal_of(
    response: httpx2.Response, page: bytes, hidden: tuple[str, ...], proxy: str
) -> Refusal:
    """What a refusal says; `hidden` are words of ours that a server may repeat."""
    status = response.status_code
    said = beyond_status(said_in(page, kind_of(response), hidden), status)
    return Refusal(status, response.headers, said, proxy)


def kind_of(response: httpx2.Response) -> str:
    """The media type in lower case, without its parameters; empty where none is said."""
    kind: str = response.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower()
