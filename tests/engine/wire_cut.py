"""A connection that can be cut and put together again, while both of its ends live on."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit


class WireCut:
    """Passes bytes on to one server, at an address of its own."""

    def __init__(self, url: str) -> None:
        there = urlsplit(url)
        assert there.port is not None
        self._there = there.port
        self._path = there.path
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}{self._path}"

    async def join(self) -> None:
        """Take connections, at the same address each time."""
        self._server = await asyncio.start_server(self._taken, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """End all connections, and take none."""
        assert self._server is not None
        self._server.close()
        for one in list(self._open):
            one.transport.abort()

    async def _taken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._there)
        self._open |= {writer, back}
        try:
            await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))
        finally:
            self._open -= {writer, back}


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
