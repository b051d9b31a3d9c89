"""The HTTP client given to the SDK's transport: bounded, tolerant, and never the one to fail.

Whatever happens to a request of the session, the SDK sees a proper answer or a JSON-RPC error, so
that one bad answer costs one request and not the connection.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from typing import Any

import httpx2

from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.findings.findings import error, note, warning
from ...protocol.rpc import METHOD_NOT_FOUND, Oversized
from ...protocol.wire.frames import WireLog
from ..events import Ending
from ..gate import SendRefused
from .bodies import (
    BODY_LIMIT,
    PAGE_SECONDS,
    Body,
    Unpackable,
    beginning,
    kind_of,
    refusal_of,
    whole,
)
from .event_tap import EVENTS, EventTap, StreamPace, dump, read_all
from .frames import HttpFrames
from .refusals import (
    BODY_READ,
    CONNECT_SECONDS,
    broken_words,
    never_left,
    quoted,
    said_in,
    session_words,
    status_words,
)
from .tap import HttpTap

COURTESY_SECONDS = 5.0
"""For notifications, which nobody answers; meanwhile nothing else can be sent."""
FAREWELL_SECONDS = 1.0
REDIRECTS_MAX = 5
_JSON = "application/json"
_REQUEST_ID = "signoff.request"
_HOPS = "signoff.hops"
_MESSAGE = "signoff.message"
_ADMITTED = "signoff.admitted"
_SESSION_ID = "mcp-session-id"
_EVENT_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_IN_WORDS = (401, 403, 429)
"""Refusals that stay refusals although a JSON-RPC error comes with them."""


class NoProxy(Exception):
    """The proxy that the environment names cannot be used; the message is safe to show."""


class TappedClient(httpx2.AsyncClient):
    """Sends for the SDK's transport, and gives the tap all that comes back."""

    def __init__(
        self, tap: HttpTap, hidden: tuple[str, ...] = (), frames: HttpFrames | None = None
    ) -> None:
        """`hidden`: credentials that no word of a server may repeat. `frames` takes all that is
        sent and received. Raises NoProxy."""
        try:
            super().__init__(
                timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
                limits=httpx2.Limits(max_connections=None),
                # A compressed answer could unfold to any size.
                headers={"Accept-Encoding": "identity"},
                # There a request has all its headers.
                event_hooks={"request": [self._note_request]},
            )
        except (ImportError, ValueError) as problem:
            # httpx2 knows SOCKS only with another package, and writes no password.
            is_socks = isinstance(problem, ImportError)
            why = "Signoff does not speak SOCKS" if is_socks else str(problem)
            where = "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used"
            words = visible(cut(why, 200).text)
            raise NoProxy(f"{where}: {words}; unset it, or name the host in NO_PROXY") from problem
        self._tap = tap
        self._frames = frames or HttpFrames(WireLog(), tap.table)
        self._hidden = hidden
        self._stream_refusal = 0
        """The status that means that there is no stream to be had by GET; 0 for none."""
        self._pace = StreamPace()

    def build_request(self, method: str, url: Any, **given: Any) -> httpx2.Request:
        message = given.pop("json", None)
        if message is None:
            if method == "DELETE":
                given["timeout"] = httpx2.Timeout(FAREWELL_SECONDS)
            return super().build_request(method, url, **given)
        extensions = given["extensions"] = {_MESSAGE: message}
        if "method" in message and "id" in message:
            extensions[_REQUEST_ID] = message["id"]
        else:
            given["timeout"] = httpx2.Timeout(COURTESY_SECONDS)
        # ASCII, since a lone surrogate cannot be written otherwise, and approved is approved.
        content = json.dumps(message, separators=(",", ":")).encode("ascii")
        return super().build_request(method, url, content=content, **given)

    async def _note_request(self, request: httpx2.Request) -> None:
        body = await request.aread()
        self._frames.sent(request, body, request.extensions.get(_REQUEST_ID))

    async def send(self, request: httpx2.Request, **given: Any) -> httpx2.Response:
        identity = request.extensions.get(_REQUEST_ID)
        try:
            self._check(request)
        except SendRefused as refused:
            if identity is None:
                return httpx2.Response(202, request=request)
            return _plain(request, self._tap.failed(identity, str(refused), ending="not-taken"))
        if request.method == "GET" and self._stream_refusal:
            # The SDK asks twice; the server has answered that it has no such stream.
            return httpx2.Response(self._stream_refusal, request=request)
        try:
            response = await super().send(request, **given)
        except httpx2.TransportError as problem:
            return self._broken(request, identity, problem, "before an answer came")
        self._frames.answered(response, identity)
        if response.next_request is not None:
            return await self._redirected(response, identity)
        if request.method == "GET" and not _is_stream(response):
            return await self._without_stream(response)
        if kind_of(response) == EVENTS and response.status_code == 200:
            return await self._stream(response, identity)
        if identity is None:
            if request.method == "POST":
                await self._look_at_receipt(response)
            return await _without_body(response)
        try:
            return await self._answer(response, identity)
        finally:
            await response.aclose()

    def _check(self, request: httpx2.Request) -> None:
        """Compare the posted message with the admitted one. Raises SendRefused.

        A redirect that is followed sends the same again, marked by its extensions.
        """
        if request.method != "POST" or request.extensions.get(_ADMITTED) is request.stream:
            return
        message = request.extensions.get(_MESSAGE)
        if message is None:
            try:
                message = json.loads(request.content)
            except ValueError:
                raise self._tap.gate.block(None, "(no JSON)") from None
        self._tap.gate.check(message)
        request.extensions = {**request.extensions, _ADMITTED: request.stream}

    async def _without_stream(self, response: httpx2.Response) -> httpx2.Response:
        """Spec, basic/transports: GET is answered with an event stream, or with 405."""
        status = response.status_code
        if status < 500:
            self._stream_refusal = max(status, 400) if status != 200 else 405
        if status != 405:
            body = await beginning(response)
            self._frames.came(body)
            said = quoted(said_in(body, kind_of(response), self._hidden))
            words = f"GET was answered {_status_and_kind(response)}, not with a stream or 405"
            self._tap.notice(warning("get-not-served", f"{words}{f': {said}' if said else ''}"))
        await response.aclose()
        return httpx2.Response(self._stream_refusal or status, request=response.request)

    async def _look_at_receipt(self, response: httpx2.Response) -> None:
        """Spec, basic/transports: a notification or a response is received with 202, no body."""
        status = response.status_code
        has_body = response.headers.get("content-length", "0") != "0"
        if status == 202 and not has_body:
            return
        body = await beginning(response)
        self._frames.came(body)
        message = response.request.extensions.get(_MESSAGE) or {}
        what = visible(cut(str(message.get("method", "a response")), 60).text)
        if status == 202:
            words = f"{what} was answered 202 with a body, which should be empty"
            self._tap.notice(note("notification-answered", words))
            return
        words = f"{what} was answered {_status_and_kind(response)} in place of 202"
        if status < 400:
            self._tap.notice(warning("notification-answered", words))
            return
        said = quoted(said_in(body, kind_of(response), self._hidden))
        words = f"{words}, so the server may have dropped it{f': {said}' if said else ''}"
        self._tap.notice(error("notification-refused", words))

    async def _answer(self, response: httpx2.Response, identity: str | int) -> httpx2.Response:
        kind, is_refused = kind_of(response), response.status_code >= 300
        if is_refused:
            self._tap.note_status(identity, response.status_code)
        body: bytes | bytearray | Oversized
        length = 0
        try:
            if kind != _JSON:
                body = await beginning(response)
            else:
                reading = Body(response)
                try:
                    async with asyncio.timeout(PAGE_SECONDS if is_refused else None):
                        body = await whole(reading)
                finally:
                    length = reading.length
        except (TimeoutError, Unpackable, httpx2.TransportError) as problem:
            # A refusal counts although the rest of it does not come.
            body = b""
            self._frames.note(f"the answer to request {identity} broke off")
            if isinstance(problem, Unpackable) and not is_refused:
                return self._failed(response, identity, problem.words)
            if isinstance(problem, httpx2.TransportError) and not is_refused:
                when = f"in the middle of the answer, after {length:,} bytes"
                return self._broken(response.request, identity, problem, when)
        self._frames.came(body)
        if isinstance(body, Oversized):
            reason = f"a body of {body.size:,} bytes, over the limit of {BODY_LIMIT:,}"
            failure = self._tap.failed(identity, reason, whole=body)
            return _plain(response.request, failure)
        if is_refused and not self._says_more(response, body):
            return self._refused(response, identity, body)
        if kind != _JSON or not body or response.status_code == 202:
            return self._failed(response, identity, self._odd_kind(response, kind, body))
        if bytes(body[:200]).lstrip().startswith(_EVENT_FIELDS):
            said = quoted(said_in(bytes(body[:BODY_READ]), "text/plain", self._hidden))
            words = f"the body is an event stream, declared as {_JSON}: {said}"
            return self._failed(response, identity, words)
        beginning_of = bytes(body[:BODY_READ])
        shown = await read_all(self._tap, body, identity)
        answers = [message for message in shown if "method" not in message]
        if not answers:
            said = quoted(said_in(beginning_of, "text/plain", self._hidden))
            reason = f"the body of {length:,} bytes is no answer to the request"
            reason += f": {said}" if said else ""
            answers = [self._tap.failed(identity, reason)]
        return _plain(response.request, answers[0], _session_of(response))

    async def _stream(
        self, response: httpx2.Response, identity: str | int | None
    ) -> httpx2.Response:
        proxy = self.proxy_of(response.request.url)
        try:
            stream = EventTap(response, self._tap, identity, self._frames, self._pace, proxy=proxy)
        except Unpackable as problem:
            await response.aclose()
            if identity is None:
                return httpx2.Response(406, request=response.request)
            return self._failed(response, identity, problem.words)
        return httpx2.Response(
            200,
            headers={"Content-Type": EVENTS} | _session_of(response),
            stream=stream,
            request=response.request,
        )

    async def _redirected(
        self, response: httpx2.Response, identity: str | int | None
    ) -> httpx2.Response:
        """To where the SDK goes by itself, or a refusal in words."""
        following, request = response.next_request, response.request
        assert following is not None
        hops = request.extensions.get(_HOPS, 0) + 1
        following.extensions = {**request.extensions, _HOPS: hops}
        if identity is None or (hops <= REDIRECTS_MAX and _stays(request, following)):
            return await _without_body(response)
        await response.aclose()
        self._tap.note_status(identity, response.status_code)
        words = _redirect_words(response.status_code, request, following, hops)
        return self._failed(response, identity, words, "not-taken")

    def _refused(
        self, response: httpx2.Response, identity: str | int, body: bytes | bytearray
    ) -> httpx2.Response:
        proxy = self.proxy_of(response.request.url)
        refusal = refusal_of(response, bytes(body), self._hidden, proxy)
        if _ends_session(response, refusal.said):
            words = session_words(refusal)
            self._tap.on_unreachable(words)
            return self._failed(response, identity, words, "not-taken")
        return self._failed(response, identity, refusal.words, refusal.ending)

    def _says_more(self, response: httpx2.Response, body: bytes | bytearray) -> bool:
        """True if a refusal has a JSON-RPC error in its body."""
        if response.status_code in _IN_WORDS or b'"jsonrpc"' not in body or b'"error"' not in body:
            return False
        if _SESSION_ID not in response.request.headers:
            return True
        if response.status_code == 404:
            return str(METHOD_NOT_FOUND).encode() in body
        said = said_in(body, _JSON)
        return not _ends_session(response, said)

    def _odd_kind(self, response: httpx2.Response, kind: str, body: bytes | bytearray) -> str:
        status = status_words(response.status_code)
        if response.status_code == 202:
            return f"the server accepted the request and gave no answer ({status})"
        if not body and kind in ("", _JSON):
            return f"the server answered {status} with an empty body"
        if not kind:
            return f"the server answered {status} without saying what kind of content"
        said = quoted(said_in(body, kind, self._hidden))
        shown = visible(cut(kind, 60).text)
        more = f" ({said})" if said else ""
        words = f"the server answered with {shown}{more}, which is neither JSON nor an event stream"
        if "html" in kind:
            words += ": a page for people, perhaps of a proxy or of a sign-in"
        return words

    def _failed(
        self,
        response: httpx2.Response,
        identity: str | int,
        reason: str,
        ending: Ending = "unreadable",
    ) -> httpx2.Response:
        return _plain(response.request, self._tap.failed(identity, reason, ending=ending))

    def _broken(
        self,
        request: httpx2.Request,
        identity: str | int | None,
        problem: httpx2.TransportError,
        when: str,
    ) -> httpx2.Response:
        reason = broken_words(request.url, problem, when=when, proxy=self.proxy_of(request.url))
        self._frames.note(reason)
        is_gone = never_left(problem)
        if is_gone and request.method != "DELETE":
            self._tap.on_unreachable(reason)
        if identity is None:
            if request.method == "POST":
                return httpx2.Response(202, request=request)
            raise problem
        if is_gone:
            return _plain(request, self._tap.failed(identity, reason, ending="not-taken"))
        return _plain(request, self._tap.cut_off(identity, reason))

    def proxy_of(self, url: httpx2.URL) -> str:
        """The host of the proxy that the environment sets between; empty for none."""
        pool = getattr(self._transport_for_url(url), "_pool", None)
        found = getattr(pool, "_proxy_url", None)
        if found is None:
            return ""
        host = bytes(found.host).decode("ascii", "replace")
        return visible(f"{host}:{found.port}" if found.port else host)


def credentials(url: str) -> tuple[str, ...]:
    """Return name and password of a URL, in the forms that a server might repeat."""
    given = httpx2.URL(url)
    if not given.password:
        return ()
    pair = b64encode(f"{given.username}:{given.password}".encode()).decode()
    return (pair, given.password)


async def _without_body(response: httpx2.Response) -> httpx2.Response:
    """Return the response without its body, which is not needed, however long it is."""
    await response.aclose()
    headers = {key: value for key, value in response.headers.items() if key == "location"}
    bare = httpx2.Response(response.status_code, headers=headers, request=response.request)
    bare.next_request = response.next_request
    return bare


def _plain(
    request: httpx2.Request, message: dict[str, JsonValue], headers: dict[str, str] | None = None
) -> httpx2.Response:
    headers = {"Content-Type": _JSON} | (headers or {})
    return httpx2.Response(200, headers=headers, content=dump(message), request=request)


def _is_stream(response: httpx2.Response) -> bool:
    return kind_of(response) == EVENTS and response.status_code == 200


def _status_and_kind(response: httpx2.Response) -> str:
    kind = visible(cut(kind_of(response), 60).text)
    return f"{status_words(response.status_code)}{f' {kind}' if kind else ''}"


def _session_of(response: httpx2.Response) -> dict[str, str]:
    session = response.headers.get(_SESSION_ID)
    return {} if session is None else {_SESSION_ID: session}


def _ends_session(response: httpx2.Response, said: str) -> bool:
    """Spec, basic/transports "Session Management": 404 to a session id ends the session.

    Servers also answer 400 to an id that they do not know, and say so.
    """
    if _SESSION_ID not in response.request.headers:
        return False
    is_unknown = response.status_code == 400 and "session" in said.casefold()
    return response.status_code == 404 or is_unknown


def _stays(request: httpx2.Request, following: httpx2.Request) -> bool:
    """True if the SDK follows a redirect: same method, same origin, or from http to https there."""
    here, there = request.url, following.url
    is_upgrade = (here.scheme, there.scheme, here.port, there.port) == ("http", "https", None, None)
    same = (here.scheme, here.port) == (there.scheme, there.port) or is_upgrade
    is_ours = not there.userinfo or there.userinfo == here.userinfo
    return request.method == following.method and here.host == there.host and same and is_ours


def _redirect_words(
    status: int, request: httpx2.Request, following: httpx2.Request, hops: int
) -> str:
    there = following.url.copy_with(userinfo=b"", query=None, fragment=None)
    where, why = visible(cut(str(there), 200).text), ""
    if hops > REDIRECTS_MAX:
        return f"the server redirects in a circle ({hops} times, last to {where})"
    if request.url.scheme == "https" and there.scheme == "http":
        why = "from https to http"
    elif request.url.host != there.host or request.url.port != there.port:
        why = "to another origin"
    else:
        why = "in a way that loses the message"
    use = "use that URL if it is the server that you mean"
    return f"the server redirects to {where} ({status_words(status)}), {why}; not followed: {use}"
