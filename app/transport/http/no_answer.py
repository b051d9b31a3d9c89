"""Why a connection gave no answer, in words that are safe to show and name no credentials."""

from __future__ import annotations

import os
import re
import socket
import ssl

import httpx2

from ...content.text import cut, visible

CONNECT_SECONDS = 15.0
_LINE = re.compile(r"illegal (?:status line|request line)(?:: bytearray\(b'(.*)'\))?", re.DOTALL)
_NO_HTTP = "what answers there is not HTTP/1.1"
_PLAIN = (
    ("incomplete chunked read", "it was closed before the end of the body"),
    ("peer closed connection", "it was closed before the end of the body"),
    ("Server disconnected", "it was closed before a whole answer came"),
    ("Receive buffer too long", "more headers, or longer ones, than Signoff reads (100 kB)"),
    ("illegal chunk header", "the lengths in the body (chunked) cannot be read"),
    ("_SWITCH_UPGRADE", "the server switched to another protocol (101), which nobody asked for"),
)
_TLS = (
    ("wrong version number", "what answers there speaks no TLS: is it http:// and not https://?"),
    ("record layer failure", "what answers there speaks no TLS: is it http:// and not https://?"),
    ("unexpected eof", "the connection was closed in the middle of the TLS handshake"),
)


def never_left(problem: httpx2.TransportError) -> bool:
    """Whether no byte of the request can have reached the server."""
    gone = httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError
    return isinstance(problem, gone | httpx2.UnsupportedProtocol | httpx2.PoolTimeout)


def broken_words(
    url: httpx2.URL, problem: BaseException, *, when: str = "", proxy: str = ""
) -> str:
    """What happened, where; `when` says how far the answer had come, `proxy` what is in between."""
    where = visible(url.netloc.decode("ascii", "replace"))
    if proxy:
        where = f"{where} through the proxy {proxy}"
    if isinstance(problem, httpx2.ConnectTimeout):
        return f"no connection to {where} within {CONNECT_SECONDS:g} s"
    reason = visible(cut(_reason(problem), 200).text)
    if isinstance(problem, httpx2.ProxyError):
        return f"no connection to {where}: the proxy answered {reason}"
    if isinstance(problem, httpx2.ConnectError):
        return f"no connection to {where}: {reason}"
    moment = f" {when}" if when else ""
    if reason == _NO_HTTP and url.scheme == "http":
        reason += "; perhaps it wants https://"
    return f"the connection to {where} broke{moment}: {reason}"


def _reason(problem: BaseException) -> str:
    """The words of the operating system, which lie deepest, or else of our library."""
    words, inner = str(problem), problem
    for _ in range(20):
        if isinstance(inner, ssl.SSLCertVerificationError):
            why = inner.verify_message or inner.reason
            words = f"its certificate is not trusted ({why}); SSL_CERT_FILE names others to trust"
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
        return "what answers there is not HTTP but TLS: is it https:// and not http://?"
    return f"{_NO_HTTP}: “{cut(line, 60).text}”" if line else _NO_HTTP
