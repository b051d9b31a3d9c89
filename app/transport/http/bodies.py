"""Bodies of HTTP responses: read in pieces, decompressed, bounded.

Also detects servers of the older transport, HTTP with SSE, which Signoff does not support.

Signoff asks for answers that are not compressed, and some servers compress all the same. A few
bytes can unfold to any size, and one layer can keep the next busy without anything coming out: so
the input of each layer counts, and its output.

Spec, basic/transports "Backward Compatibility": if a POST of `initialize` fails with a status of
4xx, a GET that opens an event stream whose first event is `endpoint` means that transport.
"""

from __future__ import annotations

import asyncio
import zlib
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

import httpx2

from ...content.text import cut, size, visible
from ...protocol.findings.findings import Finding, error, warning
from ...protocol.rpc import Oversized
from ..stdio.inbound import Inbound, MessageReader, Unreadable
from ..stdio.lines import LARGE, LINE_LIMIT, SPOOL_LIMIT, Spool
from .refusals import BODY_READ, Refusal, beyond_status, quoted, said_in, status_words

EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"
SESSION_ID: Final = "mcp-session-id"
BODY_LIMIT: Final = LINE_LIMIT
"""Bytes of one JSON body, and of one event of a stream."""
PAGE_SECONDS = 3.0
"""How long the body of a refusal is waited for."""
_BREATH: Final = 64
"""Chunks that are read before others get their turn: a server can send them byte by byte."""


class UncompressedBody(httpx2.AsyncByteStream):
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


class _Unmarked(httpx2.AsyncByteStream):
    """A stream without the byte order mark at its beginning (HTML Standard, "Event streams")."""

    def __init__(self, body: httpx2.AsyncByteStream) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        head: bytes | None = b""
        async for piece in self._body:
            if head is None:
                yield piece
                continue
            head += piece
            if len(head) < len(BOM_UTF8) and BOM_UTF8.startswith(head):
                continue
            whole, head = head.removeprefix(BOM_UTF8), None
            yield whole
        if head:
            yield head

    async def aclose(self) -> None:
        await self._body.aclose()


def events_in(
    body: httpx2.AsyncByteStream, response: httpx2.Response, limit: int
) -> AsyncGenerator[httpx2.ServerSentEvent, None]:
    """Parse the events of a body; reading raises httpx2.SSEError for one over `limit` bytes.

    httpx2 reads events from a response only, so one is made with the decompressed body.
    """
    unpacked = httpx2.Response(
        200, headers={"Content-Type": EVENTS}, stream=_Unmarked(body), request=response.request
    )
    events = aiter(httpx2.EventSource(unpacked, max_event_size=limit))
    # The library returns one, which a reader that stops early has to close.
    return cast("AsyncGenerator[httpx2.ServerSentEvent, None]", events)


async def whole(body: UncompressedBody) -> bytes | bytearray | Oversized:
    """Read all of a body; into a file if it is over the limit.

    Raises exceptions of reading it, and Unpackable if even the file is too small.
    """
    kept, length = bytearray(), 0
    spool: Spool | None = None
    async for piece in body:
        length += len(piece)
        if length > SPOOL_LIMIT:
            words = f"the response has more than {size(SPOOL_LIMIT)}"
            raise Unpackable(f"{words}: Signoff stopped reading")
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
            async for piece in UncompressedBody(response):
                page += piece
                if len(page) >= BODY_READ:
                    break
    except (TimeoutError, httpx2.TransportError, Unpackable):
        pass
    return bytes(page[:BODY_READ])


def refusal_of(
    response: httpx2.Response, page: bytes, hidden: tuple[str, ...], proxy: str
) -> Refusal:
    """Read a refusal; `hidden` are words of ours that a server may repeat."""
    status = response.status_code
    said = beyond_status(said_in(page, kind_of(response), hidden), status)
    return Refusal(status, response.headers, said, proxy, response.request.url.path)


def kind_of(response: httpx2.Response) -> str:
    """The media type in lower case, without its parameters; empty if it is not set."""
    kind: str = response.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower()


def is_stream(response: httpx2.Response) -> bool:
    """True if a response is an event stream."""
    return kind_of(response) == EVENTS and response.status_code == 200


def status_and_kind(response: httpx2.Response) -> str:
    """Status and media type of a response, safe to show."""
    kind = visible(cut(kind_of(response), 60).text)
    return f"{status_words(response.status_code)}{f' {kind}' if kind else ''}"


def ends_session(response: httpx2.Response, said: str) -> bool:
    """Spec, basic/transports "Session Management": 404 to a session id ends the session.

    Some servers answer 400 to an unknown id, with the word "session" in the body.
    """
    if SESSION_ID not in response.request.headers:
        return False
    is_unknown = response.status_code == 400 and "session" in said.casefold()
    return response.status_code == 404 or is_unknown


def odd_kind_words(
    response: httpx2.Response, kind: str, body: bytes | bytearray, hidden: tuple[str, ...]
) -> str:
    """Describe a body that is neither JSON nor an event stream; `hidden` as in `refusal_of`."""
    status = status_words(response.status_code)
    if response.status_code == 202:
        return f"the server accepted the request but sent no response ({status})"
    if not body and kind in ("", JSON):
        return f"the server answered {status} with an empty body"
    if not kind:
        return f"the server answered {status} without a content type"
    said = quoted(said_in(body, kind, hidden))
    shown = visible(cut(kind, 60).text)
    more = f" ({said})" if said else ""
    words = f"the server answered with {shown}{more}, which is neither JSON nor an event stream"
    if "html" in kind:
        words += ": an HTML page, perhaps of a proxy or a sign-in"
    return words


def read_text(data: bytes | bytearray) -> Sequence[Inbound]:
    """Parse one JSON text; a bytearray is emptied. It may run in a thread."""
    items = [_on_http(item) for item in MessageReader().read(data)]
    if items or not data.strip():
        return items
    reason = "the JSON ends too early, or more follows it"
    if b'"jsonrpc"' in data:
        return [
            error("unreadable-message", f"a message cannot be read: {reason}"),
            Unreadable(None, reason),
        ]
    return [warning("invalid-message", f"the server sent an invalid message ({reason})")]


def _on_http(finding: Inbound) -> Inbound:
    """A finding of the reader of lines, in the words of HTTP."""
    if not isinstance(finding, Finding) or finding.code != "noise-on-stdout":
        return finding
    return replace(
        finding,
        code="invalid-message",
        message=finding.message.replace("stdout carries", "the server sent", 1),
    )


PIECE: Final = 65_536
"""Bytes that are unfolded at a time."""
UNPACKED_LIMIT: Final = 4 * LINE_LIMIT
"""Bytes in and out of all layers: of a body, or of one event of a stream."""
LAYERS_MAX: Final = 3
_READ: Final = ("gzip", "x-gzip", "deflate")
_UNREAD: Final = ("br", "zstd", "compress", "x-compress", "dcb", "dcz")
_GZIP, _ZLIB, _BARE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class Unpackable(Exception):
    """A compressed body that is not read, or not read on; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Unpacking:
    """The layers of one body, by its `Content-Encoding` (RFC 9110, 8.4: the last comes off first).

    Unknown codings count as no compression: servers write all sorts of words there.
    """

    def __init__(self, header: str) -> None:
        """Raises Unpackable for a coding that cannot be read."""
        named = [word.strip().lower() for word in header.split(",") if word.strip()]
        if unread := [word for word in named if word in _UNREAD]:
            raise Unpackable(
                f"the response is compressed with {unread[0]}, which was not requested; Signoff "
                "supports gzip and deflate"
            )
        layers = [word for word in reversed(named) if word in _READ]
        if len(layers) > LAYERS_MAX:
            shown = visible(cut(header, 60).text)
            raise Unpackable(f"the response is compressed {len(layers)} times ({shown})")
        self._layers = [_Layer(word) for word in layers]
        self._spent = 0

    @property
    def is_needed(self) -> bool:
        return bool(self._layers)

    def renew(self) -> None:
        """Reset the limit after an event, since it applies to one event."""
        self._spent = 0

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """Yield decompressed bytes, at most `PIECE` at a time, with b"" after work without output.

        Raises Unpackable for broken data, and when the limit is reached.
        """
        yield from self._through(0, raw)

    def close(self) -> None:
        """The body is over. Raises Unpackable if a layer still waits for its end."""
        if any(layer.has_begun and not layer.is_over for layer in self._layers):
            raise Unpackable("the compressed response ends too early")

    def _through(self, depth: int, data: bytes) -> Iterator[bytes]:
        self._spend(len(data))
        for piece in self._layers[depth].feed(data):
            if depth + 1 == len(self._layers):
                self._spend(len(piece))
                yield piece
            else:
                yield from self._through(depth + 1, piece)
                yield b""

    def _spend(self, count: int) -> None:
        self._spent += count
        if self._spent > UNPACKED_LIMIT:
            raise Unpackable(
                f"the compressed response expands to more than {size(UNPACKED_LIMIT)}: Signoff "
                "stopped reading"
            )


class _Layer:
    """One gzip or deflate stream; what follows its end is dropped."""

    def __init__(self, word: str) -> None:
        self._is_deflate = word == "deflate"
        self._inflate = None if self._is_deflate else zlib.decompressobj(_GZIP)
        self.has_begun = False

    @property
    def is_over(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not data:
            return
        self.has_begun = True
        if self._inflate is None:
            # Servers send deflate with and without the frame of zlib (RFC 1950, 2.2: CM is 8).
            self._inflate = zlib.decompressobj(_ZLIB if data[0] & 0x0F == 8 else _BARE)
        while not self._inflate.eof:
            try:
                piece = self._inflate.decompress(data, PIECE)
            except zlib.error as problem:
                raise Unpackable(f"the compressed response is broken: {problem}") from problem
            data = self._inflate.unconsumed_tail
            yield piece
            # A full piece may leave more inside, although all of the data went in.
            if not data and len(piece) < PIECE:
                return


ENDPOINT: Final = "endpoint"
OLD_SSE: Final = (
    "this is probably a server of the old HTTP+SSE transport (2024-11-05): use its Streamable HTTP "
    "address, often /mcp, or --transport sse"
)
LOOK_SECONDS = 3.0
_OTHER_REASON: Final = (401, 403, 429)
"""Statuses that have a reason of their own, so that the old transport is not looked for."""


def may_be_old(status: int | None) -> bool:
    """True if servers of the old transport refuse `initialize` with this status."""
    return status is not None and 400 <= status < 500 and status not in _OTHER_REASON
