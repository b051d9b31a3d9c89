"""Event streams that end before their answer, sessions, and what is given up on its way."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import Any

import pytest

from signoff.app.transport.events import Listing, Requested
from signoff.app.transport.http import streams
from tests.approved import approved
from tests.transport.linked import call
from tests.transport.webbed import (
    Asked,
    answer,
    answering,
    events,
    greets,
    never,
    result,
    to,
    to_listed,
    web,
)

PROSE = approved("http")

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def response(asked: Asked) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "result": {"n": 1}})


class Polling:
    """Answers a call by a stream that ends at once, and each GET for the rest by what is next."""

    def __init__(self, first: bytes, *rest: bytes) -> None:
        self.first = first
        self.rest = list(rest)
        self.text = ""

    def __call__(self, asked: Asked) -> bytes:
        if asked.method == "tools/call":
            self.text = response(asked)
            return HEAD + self.first
        if asked.verb == "GET" and "last-event-id" in asked.headers:
            return self.rest.pop(0) if self.rest else events(self.text)
        return greets(asked)

    def resumed(self, asked: list[Asked]) -> list[str]:
        return [one.headers["last-event-id"] for one in asked if "last-event-id" in one.headers]


async def test_an_empty_stream_is_no_failure_and_its_pause_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 60_000)
    data = b'id: 8\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'
    polling = Polling(b"id: 7\nretry: 100\ndata:\n\n", HEAD + data, HEAD + data)
    async with web(polling) as served, to_listed(served.url) as (link, heard):
        async with asyncio.timeout(30):
            assert (await call(link, "echo")).result == {"n": 1}
        assert polling.resumed(served.asked) == ["7", "8", "8"]
        assert heard.codes == []


async def test_streams_without_an_event_are_asked_for_more_rarely_but_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 10)
    polling = Polling(b"id: 7\ndata:\n\n", *[HEAD + b": nothing yet\n\n"] * 3)
    async with web(polling) as served, to_listed(served.url) as (link, _):
        assert (await call(link, "echo")).result == {"n": 1}
        assert polling.resumed(served.asked) == ["7"] * 4


async def test_an_id_beyond_ascii_takes_the_stream_up_again() -> None:
    polling = Polling("id: é1\nretry: 100\ndata:\n\n".encode())
    async with web(polling) as served, to_listed(served.url) as (link, _):
        assert (await call(link, "echo")).result == {"n": 1}
        assert [one.encode("latin-1").decode() for one in polling.resumed(served.asked)] == ["é1"]


@pytest.mark.parametrize("status", ["404 Not Found", "405 Method Not Allowed"])
async def test_why_a_stream_is_not_taken_up_again_is_said(status: str) -> None:
    refusal = answer(status, b'{"error":"Session not found"}')
    polling = Polling(b"id: 7\nretry: 100\ndata:\n\n", refusal, refusal)
    async with web(polling) as served, to_listed(served.url) as (link, heard):
        reply = await call(link, "echo")
        assert reply.lost
        assert f"GET was answered {status}" in reply.problem
        assert len(polling.resumed(served.asked)) == 1
        assert heard.codes == ([] if status.startswith("405") else ["get-not-served"])


async def test_half_an_event_after_an_id_is_named_and_not_asked_for() -> None:
    def calls(asked: Asked) -> bytes:
        return HEAD + b"id: 7\ndata:\n\n" + f"data: {response(asked)}\n".encode()

    answers = answering({"tools/call": calls})
    async with web(answers) as served, to_listed(served.url) as (link, _):
        reply = await call(link, "echo")
        PROSE.holds("stream: no blank line", reply.problem)
        assert served.methods().count("GET") == 0


async def test_a_stream_that_nobody_waits_for_is_not_taken_up_again() -> None:
    polling = Polling(b"id: 7\nretry: 300\ndata:\n\n")
    async with web(polling) as served, to_listed(served.url) as (link, _):
        calling = asyncio.create_task(call(link, "echo"))
        async with asyncio.timeout(30):
            while "tools/call" not in served.methods():
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        calling.cancel()
        await asyncio.wait({calling})
        await asyncio.sleep(0.5)
        assert polling.resumed(served.asked) == []


async def test_a_written_initialize_that_is_refused_does_not_end_the_session() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method == "initialize" and "mcp-session-id" in asked.headers:
            body = {"jsonrpc": "2.0", "id": asked.message["id"], "error": {"code": -1}}
            return answer("200 OK", json.dumps(body).encode())
        if asked.method == "tools/call":
            return result(asked, {"content": []})
        return greets(asked, session=True)

    async with web(answers) as served, to_listed(served.url) as (link, _):
        again = {"jsonrpc": "2.0", "id": "signoff-raw-1", "method": "initialize", "params": {}}
        await link.send_raw(again, 5)
        assert (await call(link, "echo")).has_result
    assert [asked.headers.get("mcp-session-id") for asked in served.asked[-2:]] == ["s1", "s1"]
    assert served.methods()[-1] == "DELETE"


async def test_a_session_that_is_closed_while_it_lists_is_ended() -> None:
    async with web(answering({"tools/list": never}, session=True)) as served, to(served.url):
        async with asyncio.timeout(30):
            while "tools/list" not in served.methods():
                await asyncio.sleep(0.01)
    assert "DELETE" in served.methods()


@pytest.mark.slow
async def test_a_call_that_is_given_up_before_it_was_written_is_never_sent() -> None:
    """The server takes no connection for a while; a cancelled call is not to reach it then."""
    served = socket.create_server(("127.0.0.1", 0), backlog=1)
    served.setblocking(False)
    loop, methods = asyncio.get_running_loop(), list[str]()

    async def serve(count: int) -> None:
        for _ in range(count):
            connection, _ = await loop.sock_accept(served)
            reader, writer = await asyncio.open_connection(sock=connection)
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = int(head.lower().partition("content-length: ")[2].split("\r\n")[0] or 0)
                asked = Asked("POST", "/", {}, json.loads(await reader.readexactly(length)))
                methods.append(asked.method)
                writer.write(greets(asked))
                await writer.drain()
            writer.close()

    serving = asyncio.create_task(serve(4))
    async with to(f"http://127.0.0.1:{served.getsockname()[1]}/mcp") as (link, heard):
        await heard.one(Listing)
        await serving
        waiting = []
        for _ in range(8):
            one = socket.socket()
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                one.connect(served.getsockname())
            waiting.append(one)
        calling = asyncio.create_task(call(link, "echo"))
        await asyncio.sleep(0.3)
        calling.cancel()
        await asyncio.wait({calling})
        for one in waiting:
            one.close()
        serving = asyncio.create_task(serve(20))
        await asyncio.sleep(1.5)
        serving.cancel()
        await asyncio.wait({serving})
        assert "tools/call" not in methods
        assert "notifications/cancelled" not in methods
    served.close()


async def test_a_cancellation_waits_for_no_other_message() -> None:
    released = asyncio.Event()

    async def answers(asked: Asked) -> bytes:
        if asked.method == "tools/call":
            if asked.message["params"]["name"] == "asks":
                asks = [{"jsonrpc": "2.0", "id": at, "method": "roots/list"} for at in range(1_200)]
                return events(*map(json.dumps, asks))
            await asyncio.sleep(60)
        if asked.method == "POST":
            # An answer of ours.
            await released.wait()
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        asking = asyncio.create_task(call(link, "asks"))
        await heard.until(lambda: len(heard.of(Requested)) == 1_200)
        calling = asyncio.create_task(call(link, "echo"))
        async with asyncio.timeout(30):
            while served.methods().count("tools/call") < 2:
                await asyncio.sleep(0.01)
            calling.cancel()
            while "notifications/cancelled" not in served.methods():
                await asyncio.sleep(0.01)
        released.set()
        asking.cancel()
        await asyncio.wait({asking, calling})


async def test_an_answer_in_the_response_to_another_request_is_named_as_such() -> None:
    first: list[Any] = []

    async def answers(asked: Asked) -> bytes:
        if asked.method == "tools/call":
            first.append(asked.message["id"])
            if len(first) == 1:
                await asyncio.sleep(60)
            wrong = {"jsonrpc": "2.0", "id": first[0], "result": {}}
            return events(json.dumps(wrong), response(asked))
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        waiting = asyncio.create_task(call(link, "echo"))
        async with asyncio.timeout(30):
            while "tools/call" not in served.methods():
                await asyncio.sleep(0.01)
        assert (await call(link, "echo")).result == {"n": 1}
        (code,) = heard.codes
        assert code == "answer-unknown"
        words = heard.of(type(heard.events[-1]))[-1]
        assert all(str(one) in str(words) for one in first)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.wait({waiting})
