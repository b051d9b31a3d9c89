"""A server that sends without end in one answer holds up nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Final

import pytest

from signoff.app.transport.events import Listing, Noticed, Requested
from signoff.app.transport.http.outbox import UNSENT_MAX
from signoff.app.transport.peer import PendingRequest
from tests.transport.webbed import Asked, greets, to, web

OK: Final = b"HTTP/1.1 200 OK\r\nContent-Type: "
FLOODS: Final = {
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "comments": (OK + b"text/event-stream\r\n\r\n", b": waiting\n"),
    "events": (OK + b"text/event-stream\r\n\r\n", b"data: 1\n\n"),
    "bytes": (OK + b"application/json\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
}


@contextlib.contextmanager
def flooding() -> Iterator[tuple[str, set[str]]]:
    """A server in threads of its own, and which floods have begun."""
    flooded: set[str] = set()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), client.makefile("rb") as reading:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = reading.readline()
                if not line:
                    return
                head += line
            lengths = [one for one in head.lower().split(b"\r\n") if b"content-length" in one]
            body = reading.read(int(lengths[0].partition(b":")[2])) if lengths else b"{}"
            asked = Asked(head.split(b" ")[0].decode(), "/mcp", {}, json.loads(body))
            if asked.method != "tools/call":
                client.sendall(greets(asked))
                return
            name = asked.message["params"]["name"]
            start, flood = FLOODS[name]
            client.sendall(start)
            while True:
                client.sendall(flood * 1_000)
                flooded.add(name)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flooded
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


async def test_answers_that_a_server_does_not_take_are_kept_within_bounds() -> None:
    released = asyncio.Event()
    accepted = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"

    async def stubborn(asked: Asked) -> bytes:
        if asked.method == "tools/call":
            asks = [{"jsonrpc": "2.0", "id": at, "method": "roots/list"} for at in range(3_000)]
            events = "".join(f"data: {json.dumps(one)}\n\n" for one in asks)
            return OK + b"text/event-stream\r\n\r\n" + events.encode()
        if asked.method == "POST":
            # An answer of ours.
            await released.wait()
            return accepted
        return greets(asked)

    async with web(stubborn) as served, to(served.url) as (link, heard):
        await heard.one(Listing)
        pending = PendingRequest(lambda _: None)
        calling = asyncio.create_task(link.request(pending, {"name": "echo", "arguments": {}}))
        await heard.until(lambda: len(heard.of(Requested)) == 3_000, seconds=30)
        assert heard.codes.count("asks-too-much") == 1
        assert len(link._untold._unsent) == UNSENT_MAX
        released.set()
        calling.cancel()
        await asyncio.wait({calling}, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOODS)
async def test_what_never_ends_does_not_hold_up_the_rest(name: str) -> None:
    with flooding() as (url, flooded):
        async with to(url) as (link, heard):
            await heard.one(Listing)
            pending = PendingRequest(lambda _: None)
            calling = asyncio.create_task(link.request(pending, {"name": name, "arguments": {}}))
            async with asyncio.timeout(40):
                while name not in flooded:
                    await asyncio.sleep(0.01)
                assert await link.list_tools() is not None
            assert not calling.done()
            before, turns = len(heard.of(Noticed)), 20
            for _ in range(turns):
                await asyncio.sleep(0)
            assert len(heard.of(Noticed)) - before <= 64 * turns
            calling.cancel()
            await asyncio.wait({calling}, timeout=60)
            assert calling.cancelled()
