"""`resources/read` over both links: the URI goes out as it is, and what comes is kept exactly."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import READ_METHOD
from signoff.app.transport.events import Ended, Listing, Reply
from signoff.app.transport.peer import PendingRequest
from tests.servers import library
from tests.transport.linked import Heard, linked
from tests.transport.webbed import (
    Asked,
    answer,
    answering,
    greets,
    greets_modern,
    result,
    to_listed,
    web,
)

ODD = "library://\u00fc\u202e?a=%zz b#\U0001f600"
ODD_RESULT: JsonValue = {"contents": "no array", "odd": [1, {"text": None}], "ttlMs": "never"}


class Reading:
    """One read, and what was told of it."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.progress: list[JsonValue] = []
        self.late: list[JsonValue] = []

    def pending(self) -> PendingRequest:
        return PendingRequest(self.sent.append, self.progress.append, self.late.append, READ_METHOD)

    async def make(self, link: Any, uri: str) -> Reply:
        async with asyncio.timeout(60):
            reply: Reply = await link.request(self.pending(), {"uri": uri})
            return reply


@contextlib.asynccontextmanager
async def over_stdio(*words: str) -> AsyncIterator[tuple[Any, Heard]]:
    async with linked([sys.executable, "-S", library.__file__, *words]) as (link, heard):
        await heard.one(Listing)
        yield link, heard


@pytest.mark.parametrize("base", [greets, greets_modern])
async def test_http_sends_the_uri_and_keeps_the_result(base: Callable[..., bytes]) -> None:
    answers = answering({READ_METHOD: lambda asked: result(asked, ODD_RESULT)}, base)
    async with web(answers) as served, to_listed(served.url) as (link, heard):
        reading = Reading()
        reply = await reading.make(link, ODD)
        asked = [one for one in served.asked if one.method == READ_METHOD]
    assert [one.message["params"]["uri"] for one in asked] == [ODD]
    assert [message["params"]["uri"] for message in reading.sent] == [ODD]
    assert reply.has_result
    assert reply.result == ODD_RESULT
    assert heard.of(Ended) == []


async def test_http_errors_refusals_and_broken_connections_end_the_read() -> None:
    problem = b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no such resource"}}'
    replies: dict[str, Callable[[Asked], bytes]] = {
        "error": lambda asked: answer("200 OK", problem % asked.message["id"]),
        "html": lambda asked: answer("200 OK", b"<p>", kind="text/html"),
        "cut": lambda asked: (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        ),
    }

    def reads(asked: Asked) -> bytes:
        return replies[asked.message["params"]["uri"]](asked)

    answers = answering({READ_METHOD: reads}, greets_modern)
    async with web(answers) as served, to_listed(served.url) as (link, heard):
        found = {uri: await Reading().make(link, uri) for uri in replies}
    assert found["error"].error is not None
    assert found["error"].error.code == -32602
    assert "text/html" in found["html"].problem
    assert found["cut"].lost
    assert heard.of(Ended) == []


async def test_progress_and_cancelling() -> None:
    async with over_stdio() as (link, _):
        reading = Reading()
        task = asyncio.create_task(reading.make(link, "library://slow"))
        async with asyncio.timeout(60):
            while not reading.progress:
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await Reading().make(link, "library://notes/1")).has_result
