"""Streams, requests of a server and tasks on a signed-in server, across a token that ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from signoff.app.demo.replies import json_reply, send_reply
from signoff.app.transport.events import ListChanged, Listing, Requested
from signoff.app.transport.http import greeting, streams
from signoff.app.transport.http.http import HttpLink
from tests.servers.signing_in import signing_in_with
from tests.transport.linked import call
from tests.transport.sign_in.browsing import NOTHING_KEPT, AtBrowser
from tests.transport.sign_in.rotating import Rotating

ERAS = ("legacy", "2026-07-28")
ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"subscribe": True}}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Streaming:
    """A server of both eras with a stream of its own, which a test cuts."""

    def __init__(self) -> None:
        self.streams: list[str] = []
        """The token of each stream that was opened."""
        self.asks = False
        """Whether calls ask the person first, in the way of 2025."""
        self.cuts_calls = False
        """Whether the stream of each call breaks with an event id, and goes on with a GET."""
        self.answers: list[dict[str, Any]] = []
        self.tokens: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._cut = asyncio.Event()
        self._told = asyncio.Event()
        self._answered = asyncio.Event()
        self._open: Any = None

    def cut(self) -> None:
        """End each stream of the server's own."""
        self._soon(self._cut)

    def tell(self) -> None:
        """Tell on the stream that the list of tools is another one."""
        self._soon(self._told)

    def _soon(self, event: asyncio.Event) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(event.set)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._loop = asyncio.get_running_loop()
        headers = dict(scope["headers"])
        token = headers[b"authorization"].decode().removeprefix("Bearer ")
        self.tokens.append(token)
        if scope["method"] == "DELETE":
            await _accepted(send)
            return
        if scope["method"] == "GET" and b"last-event-id" in headers:
            await _begin(send)
            await _event(send, self._open)
            await send({"type": "http.response.body"})
            return
        if scope["method"] == "GET":
            await self._stream(send, token, None)
            return
        asked = await _message(receive)
        if asked.get("method") == "subscriptions/listen":
            await self._stream(send, token, asked["id"])
        elif asked.get("method") == "tools/call" and (self.asks or self.cuts_calls):
            await self._call(send, asked)
        elif "method" not in asked:
            self.answers.append(asked)
            self._answered.set()
            await _accepted(send)
        elif "id" not in asked:
            await _accepted(send)
        else:
            reply = json_reply(_response(asked, self._result(asked, token)))
            if asked["method"] == "initialize":
                reply.headers["mcp-session-id"] = "session"
            await send_reply(send, reply)

    def _result(self, asked: dict[str, Any], token: str) -> dict[str, Any]:
        match asked["method"]:
            case "initialize":
                info = {"name": "streaming", "version": "1"}
                version = asked["params"]["protocolVersion"]
                return {
                    "protocolVersion": version,
                    "capabilities": CAPABILITIES,
                    "serverInfo": info,
                }
            case "server/discover":
                return {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES}
            case "tools/list":
                return {"tools": [ECHO]}
            case "tools/call":
                return {"content": [], "_meta": {"token": token}}
        return {}

    async def _stream(self, send: Any, token: str, identity: Any) -> None:
        self.streams.append(token)
        await _begin(send)
        if identity is not None:
            meta = {"io.modelcontextprotocol/subscriptionId": identity}
            params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
            method = "notifications/subscriptions/acknowledged"
            await _event(send, {"jsonrpc": "2.0", "method": method, "params": params})
        else:
            await _event(send, {"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        waits = [asyncio.create_task(one.wait()) for one in (self._cut, self._told)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for one in waits:
            one.cancel()
        if self._told.is_set():
            self._told.clear()
            await _event(send, CHANGED)
        self._cut.clear()
        await send({"type": "http.response.body"})

    async def _call(self, send: Any, asked: dict[str, Any]) -> None:
        await _begin(send)
        last = _response(asked, {"content": []})
        if self.cuts_calls:
            self._open = last
            await _event(send, None, "1")
        else:
            params = {
                "mode": "url",
                "message": "m",
                "url": "https://example.com/x",
                "elicitationId": "e",
            }
            method = "elicitation/create"
            await _event(send, {"jsonrpc": "2.0", "id": 9, "method": method, "params": params})
            await self._answered.wait()
            await _event(send, last)
        await send({"type": "http.response.body"})


def _response(asked: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"resultType": "complete", **result}}


async def _message(receive: Any) -> Any:
    body = b""
    while True:
        part = await receive()
        body += part.get("body", b"")
        if not part.get("more_body"):
            return json.loads(body)


async def _begin(send: Any) -> None:
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _event(send: Any, message: Any, identity: str = "") -> None:
    lines = f"id: {identity}\nretry: 100\n" if identity else ""
    data = json.dumps(message) if message is not None else ""
    body = f"{lines}data: {data}\n\n".encode()
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _accepted(send: Any) -> None:
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 202, "headers": headers})
    await send({"type": "http.response.body"})


@contextlib.asynccontextmanager
async def streaming(
    era: str, behind: Streaming, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[HttpLink, AtBrowser, Any]]:
    """A signed-in link whose stream is open, and the authorization server."""
    monkeypatch.setattr(greeting, "RELISTEN_SECONDS", 0.01)
    monkeypatch.setattr(streams, "FIRST_PAUSE", 10)
    with signing_in_with("", behind, Rotating) as (url, server):
        link = HttpLink(url, era, browser=NOTHING_KEPT)
        link.begin()
        person = AtBrowser(link)
        link.attach(person)
        try:
            await person.one(Listing)
            await until(lambda: bool(behind.streams))
            yield link, person, server
        finally:
            await link.close()


async def until(condition: Any, seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def tells(behind: Streaming, person: AtBrowser) -> None:
    """The stream that is open tells of a change."""
    before = len(person.of(ListChanged))
    behind.tell()
    await until(lambda: len(person.of(ListChanged)) > before)


@pytest.mark.parametrize("era", ERAS)
async def test_a_stream_outlives_its_token_and_is_opened_again_with_another(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind = Streaming()
    async with streaming(era, behind, monkeypatch) as (link, person, server):
        server.forget()
        assert not (await call(link, "echo")).problem
        await tells(behind, person)
        assert (len(person.asked), server.refreshes) == (1, 1)
        # The stream and the calls wait for the same token.
        await until(lambda: len(behind.streams) > 1)
        server.forget()
        behind.cut()
        replies = await asyncio.gather(*(call(link, "echo") for _ in range(5)))
        assert not any(one.problem for one in replies)
        await until(lambda: len(behind.streams) > 2)
        await tells(behind, person)
        assert len({*behind.streams}) > 1
        assert (len(person.asked), server.refreshes, server.reused) == (1, 2, 0)
        assert "subscription-lost" not in person.codes
        # One that cannot be opened again asks the person.
        opened = len(behind.streams)
        server._refreshes.clear()
        server.forget()
        behind.cut()
        await until(lambda: len(behind.streams) > opened)
        assert len(person.asked) == 2


async def test_an_answer_to_the_server_is_sent_with_another_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    behind = Streaming()
    behind.asks = True
    async with streaming("legacy", behind, monkeypatch) as (link, person, server):
        person.answer = {"action": "accept"}
        running = asyncio.create_task(call(link, "echo"))
        await person.one(Requested)
        server.forget()
        behind.tokens.clear()
        assert not (await running).problem
        assert [one["result"] for one in behind.answers] == [{"action": "accept"}]
        assert len(person.asked) == 1


async def test_a_call_is_taken_up_again_with_another_token(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = Streaming()
    async with streaming("legacy", behind, monkeypatch) as (link, person, server):
        behind.cuts_calls = True
        running = asyncio.create_task(call(link, "echo"))
        await until(lambda: behind._open is not None)
        server.forget()
        reply = await running
        assert not reply.problem
        assert (len(person.asked), server.refreshes) == (1, 1)
