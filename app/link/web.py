"""The HTTP client that the SDK's transport is given: bounded, tolerant, and never the one to fail.

Whatever happens to a request of the session, the SDK sees a proper answer or a JSON-RPC error, so
that one bad answer costs one request and not the connection.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

import httpx2

from app.core.answers.oversized import Oversized
from app.core.findings import error
from app.core.jsonio import JsonValue
from app.core.text import cut, size, visible
from app.link.lines import LARGE, LINE_LIMIT
from app.link.spool import Spool
from app.link.tap import HttpTap, read_text

BODY_LIMIT = LINE_LIMIT
"""Bytes of one JSON body, and of one event of a stream."""
CONNECT_SECONDS = 15.0
COURTESY_SECONDS = 5.0
"""For notifications, which nobody answers; meanwhile nothing else can be sent."""
FAREWELL_SECONDS = 1.0
_IN_THREAD = 200_000
"""Bytes from which a text is parsed in a thread: the screen goes on meanwhile."""
_JSON = "application/json"
_EVENTS = "text/event-stream"
_REQUEST_ID = "signoff.request"
_SESSION_ID = "mcp-session-id"


class TappedClient(httpx2.AsyncClient):
    """Sends for the SDK's transport, and gives the tap all that comes back."""

    def __init__(self, tap: HttpTap) -> None:
        super().__init__(
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            limits=httpx2.Limits(max_connections=None),
            # A compressed answer could unfold to any size.
            headers={"Accept-Encoding": "identity"},
        )
        self._tap = tap

    def build_request(self, method: str, url: Any, **given: Any) -> httpx2.Request:
        message = given.pop("json", None)
        if message is None:
            if method == "DELETE":
                given["timeout"] = httpx2.Timeout(FAREWELL_SECONDS)
            return super().build_request(method, url, **given)
        if "method" in message and "id" in message:
            given["extensions"] = {_REQUEST_ID: message["id"]}
        else:
            given["timeout"] = httpx2.Timeout(COURTESY_SECONDS)
        # ASCII, since a lone surrogate cannot be written otherwise, and approved is approved.
        content = json.dumps(message, separators=(",", ":")).encode("ascii")
        return super().build_request(method, url, content=content, **given)

    async def send(self, request: httpx2.Request, **given: Any) -> httpx2.Response:
        identity = request.extensions.get(_REQUEST_ID)
        try:
            response = await super().send(request, **given)
        except httpx2.TransportError as problem:
            return self._broken(request, identity, problem)
        if response.next_request is not None:
            return await _without_body(response)
        if _kind(response) == _EVENTS and response.status_code == 200:
            return self._stream(response, identity)
        if identity is None:
            return await _without_body(response)
        return await self._answer(response, identity)

    async def _answer(self, response: httpx2.Response, identity: str | int) -> httpx2.Response:
        kind = _kind(response)
        try:
            body = await _body(response) if kind == _JSON else b""
        except httpx2.TransportError as problem:
            return self._broken(response.request, identity, problem)
        finally:
            await response.aclose()
        if isinstance(body, Oversized):
            reason = f"a body of {body.size:,} bytes, over the limit of {BODY_LIMIT:,}"
            failure = self._tap.failed(identity, reason, whole=body)
            return _plain(response.request, failure)
        if _ends_session(response):
            self._tap.on_unreachable("the server no longer knows the session (404 Not Found)")
            return self._failed(response, identity, _refusal(response))
        if response.status_code >= 300 and not _says_more(response, body):
            return self._failed(response, identity, _refusal(response))
        if kind != _JSON or response.status_code == 202:
            return self._failed(response, identity, _odd_kind(response, kind))
        shown = await read_all(self._tap, body, identity)
        answers = [message for message in shown if "method" not in message]
        if len(shown) != 1 or not answers:
            answers = [self._tap.failed(identity, "the body is no answer to the request")]
        return _plain(response.request, answers[0], _session_of(response))

    def _stream(self, response: httpx2.Response, identity: str | int | None) -> httpx2.Response:
        return httpx2.Response(
            200,
            headers={"Content-Type": _EVENTS} | _session_of(response),
            stream=EventTap(response, self._tap, identity),
            request=response.request,
        )

    def _failed(
        self, response: httpx2.Response, identity: str | int, reason: str
    ) -> httpx2.Response:
        return _plain(response.request, self._tap.failed(identity, reason))

    def _broken(
        self, request: httpx2.Request, identity: str | int | None, problem: httpx2.TransportError
    ) -> httpx2.Response:
        reason = broken_words(request.url, problem)
        is_gone = isinstance(problem, httpx2.ConnectError | httpx2.ConnectTimeout)
        if is_gone and request.method != "DELETE":
            self._tap.on_unreachable(reason)
        if identity is None:
            if request.method == "POST":
                return httpx2.Response(202, request=request)
            raise problem
        failure = (self._tap.failed if is_gone else self._tap.cut_off)(identity, reason)
        return _plain(request, failure)


class EventTap(httpx2.AsyncByteStream):
    """An event stream on its way to the SDK: every message passes the tap."""

    def __init__(self, response: httpx2.Response, tap: HttpTap, identity: str | int | None) -> None:
        self._response = response
        self._tap = tap
        self._identity = identity

    async def __aiter__(self) -> AsyncIterator[bytes]:
        has_answered = is_resumable = False
        reason = "the event stream ended without an answer"
        try:
            async for event in httpx2.EventSource(self._response, max_event_size=BODY_LIMIT):
                is_resumable = is_resumable or bool(event.id)
                shown: list[dict[str, JsonValue]] = []
                if event.event == "message" and event.data:
                    data = event.data.encode("utf-8", "surrogatepass")
                    shown = await read_all(self._tap, data, self._identity)
                has_answered = has_answered or any("method" not in one for one in shown)
                if text := _event(event, shown):
                    yield text
        except httpx2.TransportError as problem:
            is_too_long = isinstance(problem, httpx2.SSEError)
            reason = broken_words(self._response.request.url, problem)
            if is_too_long:
                reason = f"one event of more than the limit of {size(BODY_LIMIT)}"
                self._tap.notice(error("event-too-long", reason))
            if self._identity is None:
                raise
            if is_too_long and not has_answered:
                yield _event(None, [self._tap.failed(self._identity, reason)])
                return
        if self._identity is None or has_answered:
            return
        if is_resumable:
            # The SDK asks for the rest of the stream, and gives up after a while.
            self._tap.unanswered.add(self._identity)
        else:
            yield _event(None, [self._tap.cut_off(self._identity, reason)])

    async def aclose(self) -> None:
        await self._response.aclose()


async def read_all(
    tap: HttpTap, data: bytes | bytearray, identity: str | int | None
) -> list[dict[str, JsonValue]]:
    """The messages in a JSON text, as the SDK has to see them."""
    if len(data) < _IN_THREAD:
        return tap.take(read_text(data), identity)
    return tap.take(await asyncio.to_thread(read_text, data), identity)


def broken_words(url: httpx2.URL, problem: BaseException) -> str:
    """Why there was no answer, in words that are safe to show and name no credentials."""
    where = visible(url.netloc.decode("ascii", "replace"))
    if isinstance(problem, httpx2.ConnectTimeout):
        return f"no connection to {where} within {CONNECT_SECONDS:g} s"
    reason = visible(cut(_reason(problem), 200).text)
    if isinstance(problem, httpx2.ConnectError):
        return f"no connection to {where}: {reason}"
    return f"the connection to {where} broke: {reason}"


def _reason(problem: BaseException) -> str:
    """The words of the operating system, which lie deepest, or else of our library."""
    words, inner = str(problem), problem
    for _ in range(20):
        if isinstance(inner, ssl.SSLError | socket.gaierror):
            words = getattr(inner, "verify_message", "") or inner.strerror or words
        elif isinstance(inner, OSError) and inner.errno:
            words = os.strerror(inner.errno).lower()
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
        elif following := inner.__cause__ or inner.__context__:
            inner = following
        else:
            break
    return words or type(problem).__name__


async def _without_body(response: httpx2.Response) -> httpx2.Response:
    """The same answer with nothing to read: nobody needs the rest, however long it is."""
    await response.aclose()
    headers = {key: value for key, value in response.headers.items() if key == "location"}
    bare = httpx2.Response(response.status_code, headers=headers, request=response.request)
    bare.next_request = response.next_request
    return bare


async def _body(response: httpx2.Response) -> bytes | bytearray | Oversized:
    """The whole body; in a file where it is over the limit."""
    body, length = bytearray(), 0
    spool: Spool | None = None
    async for chunk in response.aiter_bytes():
        length += len(chunk)
        if spool is not None:
            spool.add(chunk)
            continue
        body += chunk
        if length > BODY_LIMIT:
            spool = Spool()
            spool.add(body)
            body.clear()
    if spool is not None:
        return spool.done(length)
    return body if length >= LARGE else bytes(body)


def _plain(
    request: httpx2.Request, message: dict[str, JsonValue], headers: dict[str, str] | None = None
) -> httpx2.Response:
    headers = {"Content-Type": _JSON} | (headers or {})
    return httpx2.Response(200, headers=headers, content=_dump(message), request=request)


def _dump(message: dict[str, JsonValue]) -> bytes:
    """For the SDK, whose parser knows no lone surrogates."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def _kind(response: httpx2.Response) -> str:
    kind: str = response.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower()


def _session_of(response: httpx2.Response) -> dict[str, str]:
    session = response.headers.get(_SESSION_ID)
    return {} if session is None else {_SESSION_ID: session}


def _ends_session(response: httpx2.Response) -> bool:
    """Spec, basic/transports "Session Management": 404 to a session id ends the session."""
    return response.status_code == 404 and _SESSION_ID in response.request.headers


def _says_more(response: httpx2.Response, body: bytes | bytearray) -> bool:
    """Whether a refusal says more than its status: a JSON-RPC error in the body."""
    return response.status_code not in (401, 403) and b'"jsonrpc"' in body and b'"error"' in body


def _refusal(response: httpx2.Response) -> str:
    code = response.status_code
    try:
        name = f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        name = str(code)
    more = {
        401: ": it wants a sign-in, and Signoff cannot sign in yet",
        403: ": these credentials, or none, are not enough",
        404: ": there is nothing at this path",
        405: ": this path takes no messages",
    }
    return f"the server answered {name}{more.get(code, '')}"


def _odd_kind(response: httpx2.Response, kind: str) -> str:
    if response.status_code == 202:
        return "the server accepted the request and gave no answer (202 Accepted)"
    if not kind:
        return f"the server answered {response.status_code} without saying what kind of content"
    shown = visible(cut(kind, 60).text)
    return f"the server answered with {shown}, which is neither JSON nor an event stream"


def _event(event: httpx2.ServerSentEvent | None, shown: list[dict[str, JsonValue]]) -> bytes:
    """The event as the SDK has to see it; where it sees no message, the place in the stream."""
    head = b""
    if event is not None and event.id:
        head += f"id: {event.id}\n".encode("utf-8", "replace")
    if event is not None and event.retry is not None:
        head += b"retry: %d\n" % event.retry
    if not shown:
        return head and head + b"data:\n\n"
    return head + b"".join(b"data: " + _dump(message) + b"\n\n" for message in shown)
