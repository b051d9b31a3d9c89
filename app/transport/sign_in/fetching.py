"""The one fetcher of sign-in metadata: guarded, bounded, without cookies, tokens or headers of the
person.

Each address is compared with the guard before the request, and again as the connection is made:
the compared addresses are those that are connected to, so that a name cannot change in between.
Redirects are followed within the origin only.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import urljoin

import httpcore2
import httpx2

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.text import cut, shortened, size, visible
from ..http.bodies import UncompressedBody, Unpackable, kind_of
from ..http.frames import masked
from ..http.reach import SOCKET_HOST
from ..http.refusals import broken_words, status_words
from ..protocol import MODERN
from .guard import Guard, origin_of

DOCUMENT_MAX: Final = 256_000
"""Bytes of a metadata document, also without its compression."""
_BYTES: Final = "latin-1"
FETCH_SECONDS = 5.0
"""How long one document may take, from the name of its host to its last byte."""
TOKEN_SECONDS = 8.0
"""How long the response of a token endpoint may take."""
TOTAL_SECONDS = 15.0
"""How long all documents together may take."""
HOPS_MAX: Final = 3
SHOWN: Final = 300
_LIMITS: Final = Limits(size=DOCUMENT_MAX)


@frozen
class Fetched:
    """One document that was requested, or that was not; all texts are safe to show."""

    what: str
    """Which document it should be."""
    url: str
    why: str
    """Why it was looked for there."""
    status: int = 0
    """The status of HTTP; 0 without a response."""
    problem: str = ""
    """Why the document is missing; empty if it is there, or if the status is the reason."""
    is_refused: bool = False
    """Whether the guard kept it from being requested."""
    length: int = 0
    document: Mapping[str, JsonValue] | None = None
    """The JSON object as it came."""
    repeated: tuple[str, ...] = ()
    """Keys that it has more than once."""
    retry_after: str = ""
    """The header of this name, raw."""
    headers: tuple[tuple[str, str], ...] = ()
    """Those of the response, raw, their names in lower case."""
    digest: str = ""
    """SHA-256 of the document's bytes; empty without one."""
    leads_to: str = ""
    """The target of a redirect to another origin, which was not followed; raw."""

    @property
    def is_absent(self) -> bool:
        """True if the server has nothing there, so that the next place counts."""
        return self.document is None and 400 <= self.status < 500 and self.status != 429

    @property
    def outcome(self) -> str:
        """The result in short, safe to show."""
        if self.is_refused:
            return f"not requested: {self.problem}"
        if self.document is not None:
            return f"{self.status}, {size(self.length)}"
        told = status_words(self.status) if self.status else ""
        return ": ".join(one for one in (told, self.problem) if one)


class FetchRefused(Exception):
    """An address that is not connected to; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class _Unreadable(Exception):
    """A response without a document; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class _GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to addresses that the guard lets pass, and to none that was resolved again."""

    def __init__(self, inner: httpcore2.AsyncNetworkBackend, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                host, port, type=socket.SOCK_STREAM
            )
        except (OSError, UnicodeError) as problem:
            raise httpcore2.ConnectError(str(problem)) from problem
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        for address in addresses:
            if why := self._guard.why_not_address(host, address):
                raise FetchRefused(why)
        last: Exception = httpcore2.ConnectError("the name has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as problem:
                last = problem
        raise last

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise FetchRefused("a Unix socket")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class Fetcher:
    """Requests the metadata of one server's sign-in."""

    def __init__(
        self,
        guard: Guard,
        note: Callable[[str], None] = lambda words: None,
        verify: ssl.SSLContext | bool = True,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`note` gets a line on each request; `verify` is how certificates are checked;
        `transport` reaches the server's own origin if that is a Unix socket.

        Raises OSError for certificates that cannot be read, ImportError and ValueError for a proxy
        that cannot be used.
        """
        self._guard = guard
        self._note = note
        self._own = transport
        self._until: float | None = None
        self._web = httpx2.AsyncClient(
            timeout=httpx2.Timeout(FETCH_SECONDS),
            verify=verify,
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "MCP-Protocol-Version": MODERN,
            },
        )
        pool: Any = getattr(self._web._transport, "_pool", None)
        # Without this place the guard would have a hole: it fails here.
        pool._network_backend = _GuardedNetwork(pool._network_backend, guard)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._web.aclose()

    async def fetch(
        self, url: str, what: str, why: str, accept: str = "", if_none_match: str = ""
    ) -> Fetched:
        """Request one document, by default as JSON. Never raises, except if it is cancelled.

        `if_none_match`: entity tags for the header of this name (RFC 9110, section 13.1.2).
        """
        shown = shown_url(url)
        now = asyncio.get_running_loop().time()
        self._until = now + TOTAL_SECONDS if self._until is None else self._until
        if refusal := self._guard.why_not(url):
            found = Fetched(what, shown, why, problem=refusal, is_refused=True)
        elif now >= self._until:
            late = f"not requested: all documents together took over {TOTAL_SECONDS:g} s"
            found = Fetched(what, shown, why, problem=late)
        else:
            limit = min(FETCH_SECONDS, self._until - now)
            sent = {"Accept": accept, "If-None-Match": if_none_match}
            headers = {name: value.encode(_BYTES) for name, value in sent.items() if value}
            found = await self._in_time(url, what, why, limit, lambda: self._get(url, headers))
        self._note(f"sign-in: GET {shown} ({what}): {found.outcome}")
        return found

    async def post(
        self, url: str, what: str, form: Mapping[str, str], authorization: str = ""
    ) -> Fetched:
        """Post a form to a token endpoint. Never raises, except if it is cancelled.

        Redirects are not followed. Also the document of a refusal is read, and none is quoted: it
        may have a token in it.
        """
        headers = {"Authorization": authorization} if authorization else None
        return await self._post(url, what, headers=headers, data=dict(form))

    async def post_json(self, url: str, what: str, document: Mapping[str, JsonValue]) -> Fetched:
        """Post a JSON object to a registration endpoint; likewise."""
        return await self._post(url, what, json=dict(document))

    async def _post(self, url: str, what: str, **content: Any) -> Fetched:
        shown, why = shown_url(url), ""
        if refusal := self._guard.why_not(url):
            found = Fetched(what, shown, why, problem=refusal, is_refused=True)
        else:
            limit = httpx2.Timeout(TOKEN_SECONDS)
            request = self._web.build_request("POST", url, timeout=limit, **content)
            found = await self._in_time(
                url, what, why, TOKEN_SECONDS, lambda: self._send(request), is_post=True
            )
        self._note(f"sign-in: POST {shown} ({what}): {found.outcome}")
        return found

    async def _in_time(
        self,
        url: str,
        what: str,
        why: str,
        limit: float,
        ask: Callable[[], Awaitable[httpx2.Response]],
        *,
        is_post: bool = False,
    ) -> Fetched:
        shown, status, retry = shown_url(url), 0, ""
        try:
            async with asyncio.timeout(limit):
                async with _Closing(await ask()) as response:
                    status = response.status_code
                    # An entity tag may have any byte from 0x80 on, and is sent back as it came.
                    response.headers.encoding = _BYTES
                    retry = response.headers.get("retry-after", "")
                    headers = tuple((name.lower(), one) for name, one in response.headers.items())
                    if status != 200 and not (is_post and (status >= 400 or status == 201)):
                        why_not, target = _why_no_document(response), _target(response)
                        return Fetched(
                            what, shown, why, status, why_not, headers=headers, leads_to=target
                        )
                    data = await _bounded(response)
                    value, repeated = _object_in(data, response, is_quoted=not is_post)
        except FetchRefused as refused:
            return Fetched(what, shown, why, problem=refused.words, is_refused=True)
        except _Unreadable as problem:
            return Fetched(what, shown, why, status, problem.words, retry_after=retry)
        except (TimeoutError, httpx2.TimeoutException):
            words = f"it was not complete within {limit:.0f} s"
            return Fetched(what, shown, why, status, words)
        except (httpx2.TransportError, httpx2.InvalidURL) as problem:
            return Fetched(what, shown, why, status, broken_words(httpx2.URL(url), problem))
        return Fetched(
            what,
            shown,
            why,
            status,
            length=len(data),
            document=value,
            repeated=repeated,
            retry_after=retry,
            headers=headers,
            digest=hashlib.sha256(data).hexdigest(),
        )

    async def _get(self, url: str, headers: Mapping[str, bytes]) -> httpx2.Response:
        """The response after redirects within the origin; any other redirect is the response."""
        for _ in range(HOPS_MAX + 1):
            response = await self._send(self._request(url, headers))
            target = response.headers.get("location", "")
            if not (response.is_redirect and target):
                return response
            following = _joined(url, target)
            if origin_of(following) != origin_of(url) or self._guard.why_not(following):
                return response
            await response.aclose()
            url = following
        raise _Unreadable(f"it redirects more than {HOPS_MAX} times")

    def _request(self, url: str, headers: Mapping[str, bytes]) -> httpx2.Request:
        named = {name.encode(_BYTES): value for name, value in headers.items()}
        return self._web.build_request("GET", url, headers=named)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        self._web.cookies.clear()
        request.headers.pop("Cookie", None)
        if self._own is not None and origin_of(str(request.url)) == self._guard.origin:
            request.headers["Host"] = SOCKET_HOST
            response = await self._own.handle_async_request(request)
            response.request = request
            return response
        # A netrc file of the person is for other programs.
        return await self._web.send(request, stream=True, follow_redirects=False, auth=None)


class _Closing:
    """A response that is closed at the end."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aenter__(self) -> httpx2.Response:
        return self._response

    async def __aexit__(self, *problem: object) -> None:
        await self._response.aclose()


async def _bounded(response: httpx2.Response) -> bytes:
    """The whole body without its compression. Raises _Unreadable over the limit."""
    kept = bytearray()
    try:
        body = UncompressedBody(response)
        async for piece in body:
            kept += piece
            if max(len(kept), body.length) > DOCUMENT_MAX:
                raise _Unreadable(
                    f"it has more than {size(DOCUMENT_MAX)}, at which Signoff stopped reading"
                )
    except Unpackable as problem:
        raise _Unreadable(problem.words) from problem
    return bytes(kept)


def _object_in(
    data: bytes, response: httpx2.Response, *, is_quoted: bool
) -> tuple[Mapping[str, JsonValue], tuple[str, ...]]:
    """The JSON object of a body, with its repeated keys. Raises _Unreadable."""
    try:
        parsed = parse(data, _LIMITS)
    except JsonError as problem:
        kind = visible(cut(kind_of(response), 60).text)
        more = f" (declared as {kind})" if kind else ""
        why = f": {shortened(problem.reason, SHOWN)}" if is_quoted else ""
        raise _Unreadable(f"it is not JSON{more}{why}") from problem
    if not isinstance(parsed.value, dict):
        raise _Unreadable("it is not a JSON object")
    return parsed.value, tuple(shortened(one, 60) for one in parsed.duplicates)


def _why_no_document(response: httpx2.Response) -> str:
    """The reason beside a status; empty if the status is enough."""
    target = response.headers.get("location", "")
    if not (response.is_redirect and target):
        return ""
    here = str(response.request.url)
    there = _joined(here, target)
    plain = shown_url(there.partition("?")[0].partition("#")[0])
    is_same = origin_of(there) == origin_of(here)
    why = "is not followed" if is_same else "leads to another origin and is not followed"
    return f"the redirect to {plain} {why}"


def _target(response: httpx2.Response) -> str:
    """Where a redirect leads; empty for any other response."""
    target = response.headers.get("location", "")
    is_redirect = response.is_redirect and target
    return _joined(str(response.request.url), target) if is_redirect else ""


def shown_url(url: str) -> str:
    """A URL of a server without its password, cut and safe to show."""
    try:
        return shortened(masked(url), SHOWN)
    except ValueError:
        return shortened(url, SHOWN)


def _joined(url: str, target: str) -> str:
    """The target of a redirect; as it is if it cannot be read."""
    try:
        return urljoin(url, target)
    except ValueError:
        return target


FetchMetadata = Callable[[str, str, str], Awaitable[Fetched]]
"""Requests a document: its URL, which document it is, and why it is looked for there."""
