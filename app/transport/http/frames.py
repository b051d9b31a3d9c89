"""HTTP traffic as frames of the wire: messages, status, headers without secrets.

Also masks and names the URLs of servers.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from ...protocol.rpc import Oversized
from ...protocol.wire.frames import CLIENT, SERVER, HttpPart, WireLog
from ...schemas.secrets.masks import SHORTEST, SecretScrubber, mask_text, note
from ...schemas.secrets.names import is_secret_name

if TYPE_CHECKING:
    import httpx2

_SECRET: Final = ("authorization", "cookie", "mcp-session-id", "api-key", "signature")
"""Parts of header names with secret values, in addition to the names that are secret anywhere."""


Came = TypeVar("Came", bytes, bytearray, bytes | bytearray, bytes | bytearray | Oversized)
"""A body of a server."""
Bytes = TypeVar("Bytes", bytes, bytearray, bytes | bytearray)
HIDDEN: Final = b"[hidden]"
"""Replaces a secret that a server repeats."""


class HttpFrames:
    """Writes HTTP requests and responses into the wire log."""

    def __init__(
        self, wire: WireLog, given: Iterable[str] = (), hide: Callable[[str], str] = str
    ) -> None:
        """`given` are the names of headers that a person gave: their values are never shown.
        `hide` takes secrets of the connection out of a text."""
        self._wire = wire
        self._given = frozenset(name.lower() for name in given)
        self._hide = hide

    def sent(
        self, request: httpx2.Request, body: bytes, identity: str | int | None, number: int
    ) -> None:
        """A request is about to leave; `number` is the engine's of a call, 0 for none."""
        part = HttpPart(
            f"{request.method} {self._hide(mask_text(masked(str(request.url))))}",
            safe_headers(request.headers.items(), self._given, self._hide),
            identity,
        )
        self._wire.add(CLIENT, body, number, part)

    def answered(self, response: httpx2.Response, identity: str | int | None) -> None:
        """Status and headers of an answer came."""
        reason = response.reason_phrase[:80]
        part = HttpPart(
            f"{response.status_code} {reason}".strip(),
            safe_headers(response.headers.items(), self._given, self._hide),
            identity,
            response.status_code,
        )
        self._wire.add(SERVER, b"", 0, part)

    def came(self, body: bytes | bytearray | Oversized) -> None:
        """A body came, or the data of one event."""
        if isinstance(body, Oversized):
            self._wire.add(SERVER, body.head, size=body.size)
        elif body:
            self._wire.add(SERVER, body)

    def note(self, words: str) -> None:
        """Something about the connection, in words that are safe to show."""
        self._wire.note(self._hide(words))


def safe_headers(
    headers: Iterable[tuple[str, str]],
    given: frozenset[str] = frozenset(),
    hide: Callable[[str], str] = str,
) -> tuple[tuple[str, str], ...]:
    """Headers without their secrets: those of `given` names, of secret names, and by their look."""
    return tuple((name, _safe_value(name, value, given, hide)) for name, value in headers)


def _safe_value(name: str, value: str, given: frozenset[str], hide: Callable[[str], str]) -> str:
    is_secret = name.lower() in given or _is_secret(name)
    return note(len(value)) if is_secret else mask_text(hide(value))


def _is_secret(name: str) -> bool:
    lowered = name.lower()
    return any(part in lowered for part in _SECRET) or is_secret_name(name)


def hide_tokens(body: Came, tokens: Iterable[str]) -> Came:
    """A body in which the server repeats none of these texts."""
    known = [one.encode() for one in tokens if len(one) >= SHORTEST]
    if isinstance(body, Oversized):
        chunks = body.chunks
        return replace(
            body,
            head=_without(body.head, known),
            chunks=lambda: (_without(one, known) for one in chunks()),
        )
    return _without(body, known)


def _without(body: Bytes, known: Iterable[bytes]) -> Bytes:
    for one in known:
        if one in body:
            body = body.replace(one, HIDDEN)
    return body


def masked(url: str) -> str:
    """The URL without its password, for people; a name alone may be a token and is masked too."""
    parts = urlsplit(url)
    given, at, host = parts.netloc.rpartition("@")
    if not at:
        return url
    name, colon, _ = given.partition(":")
    return urlunsplit(parts._replace(netloc=f"{name}:***@{host}" if colon else f"***@{host}"))


def endpoint(url: str) -> str:
    """Origin and path: no credentials, no query, no default port; host and scheme in lower case."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix({"http": ":80", "https": ":443"}.get(parts.scheme, " "))
    return urlunsplit((parts.scheme, host, parts.path or "/", "", ""))


def without_credentials(url: str) -> str:
    """The URL without user name, password and fragment; its query stays."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def has_more(url: str) -> bool:
    """True if a URL has credentials or a query, which `endpoint` leaves out."""
    parts = urlsplit(url)
    return bool(parts.query) or "@" in parts.netloc


def credentials(url: str) -> tuple[str, ...]:
    """Return name and password of a URL, in the forms that a server might repeat."""
    try:
        parts = urlsplit(url)
        name, password = parts.username or "", parts.password
    except ValueError:
        return ()
    if not password:
        return ()
    pair = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return (pair, *dict.fromkeys((unquote(password), password)))


def header_secrets(values: Iterable[str]) -> Iterator[str]:
    """Return what a server must not repeat of given headers: `Bearer TOKEN`, and TOKEN alone."""
    for value in values:
        yield value
        scheme, _, rest = value.partition(" ")
        if rest.strip() and scheme.isalpha():
            yield rest.strip()


def secrets_hidden(url: str, values: Iterable[str]) -> Callable[[str], str]:
    """Return what takes these out of a text, also as a URL writes them."""
    known = (*credentials(url), *header_secrets(values))
    if not known:
        return str
    return SecretScrubber((*known, *map(quote, known))).text
