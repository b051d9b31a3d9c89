"""HTTP responses without a JSON-RPC response: status, headers and body, in words.

All of it comes from the server, and so it is bounded, sanitised and quoted. Failed connections are
described without credentials.
"""

from __future__ import annotations

import html
import os
import re
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

import httpx2

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.text import cut, shortened, visible
from ..events import Ending

BODY_READ: Final = 64_000
"""Bytes of an error page that are looked at."""
SAID_MAX: Final = 300
_HEADER_MAX: Final = 160
_JSON_LIMITS = Limits(size=BODY_READ)
_TITLE = re.compile(r"<(?:title|h1)\b[^<>]{0,200}>([^<>]{1,600})</", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style)\b[^<>]{0,200}>[^<]{0,60000}(?:</\1\s{0,9}>)?", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_BLANKS = re.compile(r"[ \t\r\n]+")
_NO_REFUSAL: Final = (408, 425)
"""Of the 4xx those that a proxy may give while the server works on."""

_SAYS_NOTHING: Final = {
    400: "the request was invalid",
    401: "sign-in required",
    403: "no reason given",
    404: "this path does not exist",
    405: "this path accepts no messages",
    406: "it supports neither JSON nor an event stream",
    410: "this path no longer exists",
    413: "the request is too large",
    415: "it accepts no JSON at this path",
    421: "it does not serve this host name",
    429: "too many requests",
    500: "internal error, no reason given",
    502: "a gateway got an invalid response from the server behind it",
    503: "not available now",
    504: "a gateway got no response from the server behind it in time",
    511: "the network requires a sign-in first",
}
_ADVICE: Final = {
    401: "sign in first with signoff sign-in --url URL, or give a token with --header "
    "Authorization=@FILE (the file has “Bearer TOKEN”)",
}
_OTHER_PATH: Final = (404, 405, 501)
USUAL_PATH: Final = "check the URL: many servers listen at /mcp"
"""The advice for an address that takes no messages. Signoff requests no other one by itself."""
CHECK_PATH: Final = "check the URL, such as a prefix before /mcp, and a slash at its end"
"""The same for an address that has the usual path."""


@frozen
class Refusal:
    """An HTTP response that is not a success; names in `headers` have any case."""

    status: int
    headers: Mapping[str, str]
    said: str
    """The message in the body, from `said_in`; empty for nothing."""
    proxy: str = ""
    """The program in between that may have answered itself; safe to show."""
    path: str = ""
    """That of the request."""

    @property
    def ending(self) -> Ending:
        """Classify the status by its meaning for the request (RFC 9110, 15.5 and 15.6)."""
        if self.status < 500 and self.status not in _NO_REFUSAL:
            return "not-taken"
        return "not-taken" if self.status in (501, 505) else "server-failed"

    @property
    def words(self) -> str:
        """Describe the event, its reason and the remedy; safe to show."""
        why = quoted(self.said) or _SAYS_NOTHING.get(self.status, "")
        if self.status == 401 and self.said:
            why = f"{_SAYS_NOTHING[401]}, {why}"
        more = [words for words in (self._header_words(), self._advice) if words]
        told = "; ".join([why, *more] if why else more)
        who = f"the server, or the proxy {self.proxy}," if self.proxy else "the server"
        return f"{who} answered {status_words(self.status)}{': ' if told else ''}{told}"

    @property
    def _advice(self) -> str:
        if self.status not in _OTHER_PATH:
            return _ADVICE.get(self.status, "")
        return CHECK_PATH if self.path.rstrip("/").endswith("/mcp") else USUAL_PATH

    def _header_words(self) -> str:
        match self.status:
            case 401:
                return self._header("WWW-Authenticate")
            case 405:
                return self._header("Allow")
            case 429 | 503:
                return retry_words(self.headers.get("retry-after", ""))
        return ""

    def _header(self, name: str) -> str:
        value = self.headers.get(name.lower(), "")
        return f"{name}: {quoted(visible(cut(value, _HEADER_MAX).text))}" if value else ""


def status_words(status: int) -> str:
    """The number and its standard phrase; the server's own phrase is not asked."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def quoted(said: str) -> str:
    """Words of the server as such; empty for none."""
    return "“{}”".format(said.replace("“", '"').replace("”", '"')) if said else ""


def said_in(body: bytes | bytearray, kind: str, hidden: tuple[str, ...] = ()) -> str:
    """Quote a body in one line that is safe to show and has none of `hidden`; may be empty."""
    text = bytes(body[:BODY_READ]).decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if "html" in kind or text[:200].lower().startswith(("<!doctype html", "<html")):
        text = _of_page(text)
    elif text.startswith("{"):
        text = _of_json(text)
    elif kind.startswith(("image/", "audio/", "video/", "application/octet-stream")):
        return ""
    for secret in hidden:
        text = text.replace(secret, "***")
    return shortened(_BLANKS.sub(" ", text).strip(), SAID_MAX)


def beyond_status(said: str, status: int) -> str:
    """Return a body's text unless it only repeats the status, as many frameworks write it."""
    plain = said.strip(" .").casefold()
    phrase = status_words(status).casefold()
    return "" if plain in (phrase, phrase.partition(" ")[2], str(status)) else said


def _of_page(text: str) -> str:
    """The title of an HTML page, or else its text."""
    if found := _TITLE.search(text):
        return html.unescape(found.group(1))
    return html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", text)))


def _of_json(text: str) -> str:
    """The message in a JSON error, in the shapes that servers and frameworks write."""
    try:
        value = parse(text.encode("utf-8", "replace"), _JSON_LIMITS).value
    except JsonError:
        return text
    return _message_in(value) or text


def _message_in(value: JsonValue) -> str:
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    found = []
    for key in ("error", "title", "error_description", "message", "detail", "reason"):
        if (words := _message_in(value.get(key))) and words not in found:
            found.append(words)
    return ": ".join(found)


def retry_words(value: str) -> str:
    """`Retry-After`: seconds or a date (RFC 9110, 10.2.3)."""
    if not value:
        return ""
    if value.isascii() and value.isdigit() and len(value) <= 9:
        return f"it asks to wait {int(value):,} s (Retry-After)"
    try:
        at = parsedate_to_datetime(cut(value, 60).text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return f"Retry-After: {quoted(visible(cut(value, 60).text))}"
    return f"it asks to wait until {at:%Y-%m-%d %H:%M:%S} UTC (Retry-After)"


def session_words(refusal: Refusal) -> str:
    """A server that does not know the session any more, in words that go on."""
    said = f": {quoted(refusal.said)}" if refusal.said else ""
    status = status_words(refusal.status)
    return f"the server no longer knows the session ({status}{said}); connect again for a new one"


CONNECT_SECONDS = 15.0
_LINE = re.compile(r"illegal (?:status line|request line)(?:: bytearray\(b'(.*)'\))?", re.DOTALL)
_NO_HTTP = "the response is not HTTP/1.1"
_PLAIN = (
    ("incomplete chunked read", "it was closed before the end of the body"),
    ("peer closed connection", "it was closed before the end of the body"),
    ("Server disconnected", "it was closed before the response was complete"),
    ("Receive buffer too long", "the headers are over the limit of 100 kB"),
    ("illegal chunk header", "invalid chunk lengths in the body"),
    ("_SWITCH_UPGRADE", "the server switched to another protocol (101), which was not requested"),
)
_TLS = (
    ("wrong version number", "the response is not TLS: use http://?"),
    ("record layer failure", "the response is not TLS: use http://?"),
    ("unexpected eof", "the connection was closed in the middle of the TLS handshake"),
)


def never_left(problem: httpx2.TransportError) -> bool:
    """True if no byte of the request can have reached the server."""
    gone = httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError
    return isinstance(problem, gone | httpx2.UnsupportedProtocol | httpx2.PoolTimeout)


def broken_words(
    url: httpx2.URL, problem: BaseException, *, when: str = "", proxy: str = "", socket: str = ""
) -> str:
    """Describe a broken connection; `when`: how far the response had come, `proxy`: in between,
    `socket`: the path of a Unix socket in place of the host.
    """
    where = visible(cut(socket, 200).text or url.netloc.decode("ascii", "replace"))
    if proxy:
        where = f"{where} through the proxy {proxy}"
    if isinstance(problem, httpx2.ConnectTimeout):
        return f"no connection to {where} within {CONNECT_SECONDS:g} s"
    reason = visible(cut(_reason(problem), 400).text)
    if isinstance(problem, httpx2.ProxyError):
        return f"no connection to {where}: the proxy answered {reason}"
    if isinstance(problem, httpx2.ConnectError):
        return f"no connection to {where}: {reason}"
    moment = f" {when}" if when else ""
    if reason == _NO_HTTP and url.scheme == "http":
        reason += "; try https://"
    return f"the connection to {where} broke{moment}: {reason}"


CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""The variables with trusted certificates; the first one that is set counts."""


def certificates_words(problem: OSError) -> str:
    """Describe trusted certificates that cannot be read, with the variable; safe to show."""
    named = next((one for one in CERTIFICATES if os.environ.get(one)), "")
    place = visible(cut(os.environ.get(named, ""), 200).text)
    is_file = isinstance(problem, ssl.SSLError)
    why = "has no certificate" if is_file else os.strerror(problem.errno or 0).lower()
    if not named:
        return f"the certificates of this system cannot be read: {why}"
    return f"{named} is {place}, which cannot be used: {why}; set it to a PEM file, or unset it"


def _trusted_instead() -> str:
    """Which certificates count, if a variable chooses them, and how to trust others."""
    advice = "give --ca FILE to trust others"
    named = next((one for one in CERTIFICATES if os.environ.get(one)), "")
    if folder := unread_certificates():
        return f"{advice}; SSL_CERT_DIR is {folder}, which does not exist"
    if not named:
        return advice
    place = visible(cut(os.environ[named], 200).text)
    return f"{advice}; {named} is set, so that only those of {place} are trusted"


def unread_certificates() -> str:
    """Return the folder that should have the certificates and does not exist; safe to show."""
    file, folder = (os.environ.get(name, "") for name in CERTIFICATES)
    return "" if file or not folder or os.path.isdir(folder) else visible(cut(folder, 200).text)


def _reason(problem: BaseException) -> str:
    """The words of the operating system, which lie deepest, or else of our library."""
    words, inner = str(problem), problem
    for _ in range(20):
        if isinstance(inner, ssl.SSLCertVerificationError):
            why = inner.verify_message or inner.reason
            words = f"its certificate is not trusted ({why}); {_trusted_instead()}"
        elif isinstance(inner, ssl.SSLError | socket.gaierror):
            words = inner.strerror or words
        elif isinstance(inner, OSError) and inner.errno:
            words = os.strerror(inner.errno).lower()
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
        elif following := inner.__cause__ or inner.__context__:
            inner = following
        else:
            break
    return _plainly(words) or type(problem).__name__


def _plainly(words: str) -> str:
    """The words of our libraries, for people."""
    if found := _LINE.search(words):
        return _no_http(found.group(1) or "")
    lower = words.lower().replace("_", " ")
    for mark, plain in (*((one.lower(), two) for one, two in _PLAIN), *_TLS):
        if mark.replace("_", " ") in lower:
            return plain
    return words


def _no_http(line: str) -> str:
    """`line` as Python writes bytes."""
    if line.startswith(r"\x15\x03"):
        return "the response is TLS, not HTTP: use https://?"
    return f"{_NO_HTTP}: “{cut(line, 60).text}”" if line else _NO_HTTP
