"""The listener for the address at which the browser ends: on this machine, for one answer.

It answers a GET of its one path under its one name (another name in `Host` could be a page of a
stranger that was made to lead here), with a constant page. Anything else gets a refusal, and the
wait goes on.
"""

from __future__ import annotations

import asyncio
import errno
import secrets
import socket
from http import HTTPStatus
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import h11

from ...platforms.files import why
from .code_flow import ANSWER_MAX
from .tokens import SignInFailed
from .values import shown

REQUEST_SECONDS: Final = 5.0
"""How long one connection may take for its request."""
REQUEST_MAX: Final = 64_000
"""Bytes of a request, with its headers."""
CONNECTIONS_MAX: Final = 20
_TOO_LONG: Final = 431
_NO_SUCH: Final = frozenset((errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT))
_ADDRESSES: Final = {
    "127.0.0.1": ("127.0.0.1",),
    "::1": ("::1",),
    "localhost": ("127.0.0.1", "::1"),
}
_PAGE: Final = (
    b"<!doctype html><meta charset=utf-8><title>Signoff</title>"
    b"<p>Signoff has the answer. You can close this page and go back to the terminal."
)
_HEADERS: Final = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Connection", "close"),
)


class CallbackListener:
    """Waits on a port of this machine for one answer."""

    def __init__(self, wanted: str = "") -> None:
        """`wanted` is the address to listen at; empty for any free port and a path of its own."""
        self._wanted = wanted
        self.redirect = wanted
        """The address that the page leads back to, once it listens."""
        self._servers: list[asyncio.Server] = []
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        """Connections that have not got their page, the oldest first."""

    async def __aenter__(self) -> CallbackListener:
        """Raises SignInFailed if the port cannot be used."""
        wanted = self._wanted or f"http://127.0.0.1:0/{secrets.token_urlsafe(12)}"
        parts = urlsplit(wanted)
        host, port, path = parts.hostname or "", parts.port or 0, parts.path or "/"
        try:
            for address in _ADDRESSES[host]:
                await self._listen(address, port)
        except OSError as problem:
            self._close()
            words = f"port {port} of this machine, to which the page leads back, cannot be used"
            raise SignInFailed(f"{words}: {why(problem)}") from None
        if not self._wanted:
            port = self._servers[0].sockets[0].getsockname()[1]
            self.redirect = f"http://127.0.0.1:{port}{path}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        left = list(self._open)
        for one in left:
            one.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _close(self) -> None:
        for one in self._servers:
            one.close()

    async def query(self) -> str:
        """Wait for the query of the answer."""
        return await asyncio.shield(self._answer)

    def take(self, query: str) -> None:
        """An answer has come; the first one counts."""
        if not self._answer.done():
            self._answer.set_result(query)

    async def _listen(self, address: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            server = await asyncio.start_server(self._serve, address, port, family=family)
        except OSError as problem:
            if not self._servers or problem.errno not in _NO_SUCH:
                raise
            # A machine without IPv6 has the other one. One that is in use is somebody else's.
            return
        self._servers.append(server)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        if len(self._open) > CONNECTIONS_MAX:
            # Silent connections must not keep the browser out.
            next(iter(self._open)).cancel()
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._answered(reader, writer)
        except (TimeoutError, OSError, h11.ProtocolError, asyncio.CancelledError):
            # No task waits for a connection: the listener alone cancels it.
            pass
        finally:
            self._open.pop(task, None)
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=REQUEST_MAX)
        began = b""
        try:
            while (event := connection.next_event()) is h11.NEED_DATA:
                data = await reader.read(65_536)
                began = began or data
                connection.receive_data(data)
        except h11.RemoteProtocolError as problem:
            self._take_too_long(began, problem.error_status_hint)
            await self._send(connection, writer, HTTPStatus(problem.error_status_hint))
            return
        if not isinstance(event, h11.Request):
            return
        status, query = self._read(event)
        await self._send(connection, writer, status)
        if status is HTTPStatus.OK:
            self.take(query)

    def _take_too_long(self, began: bytes, status: int) -> None:
        """An answer that is longer than any: it ends the wait, in words, as soon as it is ours."""
        path = urlsplit(self.redirect).path or "/"
        if status == _TOO_LONG and began.startswith(f"GET {path}?".encode()):
            self.take("x" * (ANSWER_MAX + 1))

    @staticmethod
    async def _send(
        connection: h11.Connection, writer: asyncio.StreamWriter, status: HTTPStatus
    ) -> None:
        page = _PAGE if status is HTTPStatus.OK else status.phrase.encode()
        headers = [*_HEADERS, ("Content-Length", str(len(page)))]
        for part in (
            h11.Response(status_code=status.value, headers=headers),
            h11.Data(data=page),
            h11.EndOfMessage(),
        ):
            writer.write(connection.send(part) or b"")
        await writer.drain()

    def _read(self, request: h11.Request) -> tuple[HTTPStatus, str]:
        """The status for a request, and the query of the answer."""
        here = urlsplit(self.redirect)
        target = request.target.decode("latin-1")
        path, _, query = target.partition("?")
        hosts = [value for name, value in request.headers if name == b"host"]
        ours = here.netloc.lower()
        # A browser leaves the usual port out.
        ours = ours.removesuffix(":80") if here.port == 80 else ours
        if [one.decode("latin-1").lower().removesuffix(":80") for one in hosts] != [ours]:
            return HTTPStatus.MISDIRECTED_REQUEST, ""
        if path != (here.path or "/"):
            return HTTPStatus.NOT_FOUND, ""
        if request.method != b"GET":
            return HTTPStatus.METHOD_NOT_ALLOWED, ""
        return (HTTPStatus.OK, query) if query else (HTTPStatus.BAD_REQUEST, "")


def why_no_callback(url: str) -> str:
    """Why an address cannot be the one that a page leads back to; empty if it can."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "it is not a URL"
    if parts.scheme != "http" or parts.hostname not in _ADDRESSES:
        return "it must be http:// on 127.0.0.1, [::1] or localhost: Signoff listens there"
    if not port:
        return "it needs a port, as in http://127.0.0.1:8765/callback"
    if parts.query or parts.fragment or parts.username is not None:
        return f"it has more than host, port and path: {shown(url)}"
    return ""
