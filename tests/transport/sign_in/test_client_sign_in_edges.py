"""A client's sign-in at its edges: a token that ends, a cancelled call, the old transport."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import uvicorn

from signoff.app.demo.authorization import AuthorizationServer, IssuedGrant
from signoff.app.demo.replies import DemoReply, json_reply, send_reply
from signoff.app.demo.serve import HOST, Protected
from signoff.app.transport.http.frames import HIDDEN, hide_tokens
from tests.servers.signing_in import signing_in_with
from tests.transport.linked import call
from tests.transport.sign_in.test_client_sign_in import CREDENTIALS, Behind
from tests.transport.webbed import to_listed


class Gated(AuthorizationServer):
    """An authorization server that gives tokens once it may."""

    may: threading.Event | None = None
    asked: threading.Event | None = None

    def _token_of_client(self, given: Mapping[str, str], authorization: str) -> DemoReply:
        if self.may is not None and self.asked is not None:
            self.asked.set()
            assert self.may.wait(20)
        return super()._token_of_client(given, authorization)

    def forget(self) -> None:
        """Let all tokens end."""
        self._tokens.clear()


class Counts(Behind):
    """Counts the calls that were done."""

    def __init__(self) -> None:
        super().__init__()
        self.done = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        seen = b""

        async def noted() -> Any:
            nonlocal seen
            part = await receive()
            seen += part.get("body", b"")
            return part

        await super().__call__(scope, noted, send)
        self.done += b'"tools/call"' in seen


async def test_a_cancelled_call_stops_the_sign_in_of_no_other() -> None:
    behind = Counts()
    with signing_in_with("", behind, Gated) as (url, server):
        assert isinstance(server, Gated)
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            server.may, server.asked = threading.Event(), threading.Event()
            server.forget()
            first = asyncio.create_task(call(link, "echo"))
            assert await asyncio.to_thread(server.asked.wait, 20)
            second = asyncio.create_task(call(link, "echo"))
            first.cancel()
            await asyncio.wait({first})
            server.may.set()
            reply = await second
    assert (reply.problem, behind.done, server.asked_by_clients) == ("", 1, 2)


async def test_each_call_whose_token_has_ended_is_done_once_with_a_new_one() -> None:
    behind = Counts()
    with signing_in_with("", behind, Gated) as (url, server):
        assert isinstance(server, Gated)
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            for times in range(2, 6):
                server.forget()
                assert not (await call(link, "echo")).problem
                assert (behind.done, server.asked_by_clients) == (times - 1, times)


async def test_a_token_goes_to_the_origin_of_the_server_only() -> None:
    with signing_in_with("", Behind()) as (url, _):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _heard):
            sign_in = link._client_sign_in
            assert sign_in.authorization(url).startswith("Bearer ")
            port = url.split(":")[2].partition("/")[0]
            for other in (
                *("http://localhost:" + port, f"https://127.0.0.1:{port}/mcp"),
                *("http://127.0.0.1:1/mcp", f"http://127.0.0.1.example:{port}/mcp", "x"),
            ):
                assert sign_in.authorization(other) == ""


class OldSse:
    """A server of HTTP+SSE."""

    def __init__(self) -> None:
        self.answers: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "GET":
            kind = [(b"content-type", b"text/event-stream")]
            await send({"type": "http.response.start", "status": 200, "headers": kind})
            event = b"event: endpoint\ndata: /mcp?one=1\n\n"
            while True:
                await send({"type": "http.response.body", "body": event, "more_body": True})
                event = f"data: {json.dumps(await self.answers.get())}\n\n".encode()
        if scope["query_string"] != b"one=1":
            await send_reply(send, json_reply({}, 405))
            return
        asked = json.loads((await receive())["body"])
        found: dict[str, Any] = {"content": []}
        if asked["method"] == "initialize":
            found = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}}
            found["serverInfo"] = {"name": "old", "version": "1"}
        elif asked["method"] == "tools/list":
            found = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
        if "id" in asked:
            await self.answers.put({"jsonrpc": "2.0", "id": asked["id"], "result": found})
        await send_reply(send, DemoReply(202))


async def test_the_old_transport_is_signed_in_too() -> None:
    with signing_in_with("", OldSse()) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            assert not (await call(link, "echo")).problem
    assert server.asked_by_clients == 1


def test_a_repeated_token_is_hidden_wherever_it_is() -> None:
    assert hide_tokens(b'{"a": "x token-1 y"}', ("token-1", "")) == b'{"a": "x ' + HIDDEN + b' y"}'
    assert hide_tokens(bytearray(b"token-1token-1"), ("token-1",)) == HIDDEN * 2
    assert hide_tokens(b"none", ("token-1",)) == b"none"


@contextlib.contextmanager
def on_a_socket(path: Path) -> Iterator[AuthorizationServer]:
    """A protected server on a Unix socket, whose authorization server is on a port."""
    if sys.platform == "win32":
        raise NotImplementedError
    with socket.socket(socket.AF_UNIX) as first, socket.create_server((HOST, 0)) as second:
        first.bind(str(path))
        port = second.getsockname()[1]
        server = AuthorizationServer(f"http://{HOST}:{port}")
        protected = Protected(Behind(), "http://localhost", server, port)
        config = uvicorn.Config(
            protected, log_level="critical", lifespan="off", timeout_graceful_shutdown=0
        )
        web = uvicorn.Server(config)
        thread = threading.Thread(target=web.run, args=([first, second],), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            web.should_exit = True
            thread.join(10)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets")
async def test_a_server_on_a_unix_socket_is_signed_in() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        with on_a_socket(path) as server:
            url = f"unix://{path}#/mcp"
            async with to_listed(url, credentials=CREDENTIALS) as (link, _):
                assert not (await call(link, "echo")).problem
                assert link.signed_in.issuer == server.issuer
    assert server.asked_by_clients == 1


class Short(AuthorizationServer):
    """An authorization server whose token is a word of the protocol."""

    def _tokens_for(self, grant: IssuedGrant, *, has_refresh: bool = True) -> DemoReply:
        reply = super()._tokens_for(grant, has_refresh=has_refresh)
        found = json.loads(reply.body) | {"access_token": "result"}
        self._tokens["result"] = IssuedGrant(grant.client, grant.scope, until=float("inf"))
        return json_reply(found)


async def test_a_token_that_is_a_word_of_the_protocol_breaks_no_response() -> None:
    with signing_in_with("", Behind(), Short) as (url, _):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _heard):
            assert not (await call(link, "echo")).problem
