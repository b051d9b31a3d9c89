"""The listener for the address at which the browser ends: on this machine, for one answer.

It answers a GET of its one path under its one name (another name in `Host` could be a page of a
stranger that was made to lead here), with a constant page. Anything else gets a refusal, and the
wait goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from http import HTTPStatus
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import h11

from .tokens import SignInFailed
from .values import shown

REQUEST_SECONDS: Final = 5.0
"""How long one connection may take for its request."""
CONNECTIONS_MAX: Final = 20
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
        self._open = 0

    async def __aenter__(self) -> CallbackListener:
        """Raises SignInFailed if the port cannot be used."""
        wanted = self._wanted or f"http://127.0.0.1:0/{secrets.token_urlsafe(12)}"
        parts = urlsplit(wanted)
        host, port, path = parts.hostname or "", parts.port or 0, parts.path or "/"
        try:
            for address in _ADDRESSES[host]:
                with contextlib.ExitStack() as stack:
                    if self._servers:
                        # A machine without IPv6 has the other one.
                        stack.enter_context(contextlib.suppress(OSError))
                    await self._listen(address, port)
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise SignInFailed(
                f"port {port} of this machine, to which the page leads back, cannot be used: {why}"
            ) from None
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
        server = await asyncio.start_server(self._serve, address, port, family=family)
        self._servers.append(server)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= CONNECTIONS_MAX:
                async with asyncio.timeout(REQUEST_SECONDS):
                    await self._answered(reader, writer)
        except (TimeoutError, OSError, h11.ProtocolError):
            pass
        finally:
            self._open -= 1
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await reader.read(65_536))
        if not isinstance(event, h11.Request):
            return
        status, query = self._read(event)
        page = _PAGE if status is HTTPStatus.OK else status.phrase.encode()
        headers = [*_HEADERS, ("Content-Length", str(len(page)))]
        for part in (
            h11.Response(status_code=status.value, headers=headers),
            h11.Data(data=page),
            h11.EndOfMessage(),
        ):
            writer.write(connection.send(part) or b"")
        await writer.drain()
        if status is HTTPStatus.OK:
            self.take(query)

    def _read(self, request: h11.Request) -> tuple[HTTPStatus, str]:
        """The status for a request, and the query of the answer."""
        here = urlsplit(self.redirect)
        target = request.target.decode("latin-1")
        path, _, query = target.partition("?")
        hosts = [value for name, value in request.headers if name == b"host"]
        if [one.decode("latin-1").lower() for one in hosts] != [here.netloc.lower()]:
            return HTTPStatus.MISDIRECTED_REQUEST, ""
        if path != here.path:
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
