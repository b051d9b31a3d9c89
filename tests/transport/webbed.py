"""HTTP links to test with: over the scripted server, and over a socket that says what it is told.

The second kind answers as the greeting needs it, until a test wants something else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.app.transport.events import Listing
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.sign_in.credentials import ClientCredentials
from tests.servers import http, raw
from tests.transport.linked import Heard, linked

Answers = Callable[["Asked"], bytes | Awaitable[bytes]]
ROOT = Path(__file__).resolve().parents[2]
ECHO = {"name": "echo", "inputSchema": {"type": "object"}}


@dataclass
class Asked:
    """One HTTP request as it came; `message` is the JSON-RPC message of a POST."""

    verb: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return str(self.message.get("method", self.verb))


class Web:
    """A socket that speaks just enough HTTP; `asked` is all that came."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.url = ""
        self.open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}

    async def close(self) -> None:
        """Drop every connection, and whoever is about to answer on it."""
        serving = [task for task in self.open.values() if task is not None]
        for writer, task in self.open.items():
            writer.transport.abort()
            if task is not None:
                task.cancel()
        if serving:
            await asyncio.wait(serving)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open[writer] = asyncio.current_task()
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await _read(reader)
            self.asked.append(asked)
            answer = self.answers(asked)
            try:
                data = answer if isinstance(answer, bytes) else await answer
                writer.write(data)
            except Reset:
                reset(writer)
                data = b""
            await writer.drain()
            if isinstance(data, Held):
                await asyncio.sleep(3_600)
        writer.close()

    def methods(self) -> list[str]:
        return [asked.method for asked in self.asked]


class Held(bytes):
    """An answer after which the connection stays open, as that of an event stream does."""


class Reset(Exception):
    """What answers drops the connection with a reset instead of an answer."""


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with RST."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    verb, path, _ = head[0].split(" ")
    headers = {}
    for line in head[1:]:
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(verb, path, headers, json.loads(body) if body else {})


def answer(status: str, body: bytes = b"", kind: str = "application/json", more: str = "") -> bytes:
    """A whole HTTP answer; the connection ends with it."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def result(asked: Asked, value: Any, more: str = "") -> bytes:
    body = {"jsonrpc": "2.0", "id": asked.message["id"], "result": value}
    return answer("200 OK", json.dumps(body).encode(), more=more)


def events(*texts: str) -> bytes:
    """The beginning of an event stream, which goes on."""
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    return (head + "".join(f"data: {text}\n\n" for text in texts)).encode()


def greets_modern(asked: Asked, *, tools: Any = (ECHO,)) -> bytes:
    """A plain server of the era without a handshake."""
    if asked.method == "server/discover":
        about = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        return result(asked, about)
    return greets(asked, tools=tools)


def greets(asked: Asked, *, session: bool = False, tools: Any = (ECHO,)) -> bytes:
    """A plain server of the handshake era."""
    match asked.method:
        case "initialize":
            about = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            more = "Mcp-Session-Id: s1\r\n" if session else ""
            return result(asked, about | {"serverInfo": {"name": "web", "version": "1"}}, more)
        case "tools/list":
            return result(asked, {"tools": list(tools)})
        case "ping":
            return result(asked, {})
        case method if method.startswith("notifications/"):
            return answer("202 Accepted")
        case "DELETE":
            return answer("200 OK")
    return answer("405 Method Not Allowed" if asked.verb == "GET" else "404 Not Found")


def for_calls(what: bytes) -> Answers:
    """Greets properly, and answers each call with these bytes."""
    return answering({"tools/call": what})


def answering(
    special: Mapping[str, bytes | Answers], base: Callable[..., bytes] = greets, **more: Any
) -> Answers:
    """Answers some methods or verbs in ways of their own, and the rest as `base` does."""

    def answers(asked: Asked) -> bytes | Awaitable[bytes]:
        found = special.get(asked.method)
        if found is None:
            return base(asked, **more)
        return found if isinstance(found, bytes) else found(asked)

    return answers


async def never(asked: Asked) -> bytes:
    """No answer as long as a test lasts."""
    await asyncio.sleep(3_600)
    return b""


@contextlib.asynccontextmanager
async def over(way: str, *switches: str) -> AsyncIterator[tuple[Any, Heard]]:
    """A listed link to the scripted server, over stdio, HTTP or HTTP+SSE (`sse`)."""
    if way != "stdio":
        with scripted(*switches, *(["--old-sse"] if way == "sse" else [])) as (url, _):
            async with to_listed(url) as found:
                yield found
        return
    async with linked(raw(*switches)) as (link, heard):
        await heard.one(Listing)
        yield link, heard


@contextlib.asynccontextmanager
async def web(answers: Answers) -> AsyncIterator[Web]:
    """A server on a port of its own."""
    served = Web(answers)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    try:
        yield served
    finally:
        server.close()
        await served.close()


@contextlib.asynccontextmanager
async def to(
    url: str, headers: Mapping[str, str] | None = None, credentials: ClientCredentials | None = None
) -> AsyncIterator[tuple[Any, Heard]]:
    """A link to a URL, and what it tells; nothing of it is left over."""
    before = asyncio.all_tasks()
    link = HttpLink(url, headers=headers, credentials=credentials)
    link.begin()
    heard = Heard(link)
    link.attach(heard)
    try:
        yield link, heard
    finally:
        async with asyncio.timeout(3):
            await link.close()
    left = {task for task in asyncio.all_tasks() - before if "Web.serve" not in repr(task)}
    if left:
        _, left = await asyncio.wait(left, timeout=1)
    assert not left, left


@contextlib.asynccontextmanager
async def to_listed(
    url: str, headers: Mapping[str, str] | None = None, credentials: ClientCredentials | None = None
) -> AsyncIterator[tuple[Any, Heard]]:
    async with to(url, headers, credentials) as (link, heard):
        await heard.one(Listing)
        yield link, heard


@contextlib.contextmanager
def failing(*tools: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """URL and process of a server whose calls fail, with these tools of `failing.py`."""
    with _served([sys.executable, "-m", "tests.transport.failing", *tools]) as found:
        yield found


@contextlib.contextmanager
def scripted(*switches: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The scripted server's URL and process."""
    with _served(http(*switches)) as found:
        yield found


@contextlib.contextmanager
def signing_in_demo(fault: str = "") -> Iterator[str]:
    """The URL of `signoff demo serve` in a process of its own, with a fault of its sign-in."""
    words = ["-m", "signoff.app.demo.serve", "0", "signed-in", fault]
    with _served([sys.executable, *words]) as (url, _):
        yield url


@contextlib.contextmanager
def _served(argv: list[str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = subprocess.Popen(
        argv,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.communicate()
