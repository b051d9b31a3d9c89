"""HTTP habits from public reports: what came is captured, the cause is named, nothing hangs."""

from __future__ import annotations

import asyncio
import json
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.conformance.watcher import Watcher
from signoff.app.protocol.wire.frames import SERVER
from signoff.app.transport.http import streams
from signoff.app.transport.http.bodies import events_in
from tests.transport.linked import call
from tests.transport.webbed import Asked, answer, events, greets, to_listed, web

TEXT: dict[str, Any] = {"content": [{"type": "text", "text": "hello"}]}


def response(asked: Asked) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "result": TEXT})


def received(link: Any) -> bytes:
    return b"".join(frame.raw for frame in link.wire.since(0) if frame.sender == SERVER)


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda text: answer("200 OK", text.encode(), "text/event-stream"), "the body is JSON"),
        (
            lambda text: answer("200 OK", f"data: {text}\n".encode(), "text/event-stream"),
            "no blank line",
        ),
        (
            lambda text: answer("200 OK", f"event: message\r\ndata: {text}".encode(), EVENTS),
            "no blank line",
        ),
        (lambda text: answer("200 OK", f"data: {text}\n\n".encode()), "is an event stream"),
        (lambda text: answer("200 OK", f": hi\ndata: {text}\n\n".encode()), "is an event stream"),
        (lambda text: answer("200 OK", b"plain words", EVENTS), "no event"),
        (lambda text: answer("200 OK", b"plain words"), "plain words"),
    ],
)
async def test_a_body_of_another_kind_is_quoted_and_captured(
    make: Callable[[str], bytes], cause: str
) -> None:
    def answers(asked: Asked) -> bytes:
        return make(response(asked)) if asked.method == "tools/call" else greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, _):
        reply = await call(link, "echo")
        assert not reply.has_result
        assert not reply.lost
        assert cause in reply.problem
        quote = "plain words" if "plain words" in cause or cause == "no event" else "hello"
        assert quote in reply.problem
        assert quote.encode() in received(link)


EVENTS = "text/event-stream"


@pytest.mark.parametrize("made", [lambda both: answer("200 OK", both.encode()), events])
async def test_each_message_of_a_batch_in_a_body_or_an_event_is_taken_and_judged(
    made: Callable[[str], bytes],
) -> None:
    log = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}'

    def answers(asked: Asked) -> bytes:
        if asked.method != "tools/call":
            return greets(asked)
        return made(f"[{log},{response(asked)}]")

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        assert (await call(link, "echo")).result == TEXT
        assert set(heard.codes) == {"batch"}
        watcher = Watcher(link.wire)
        watcher.catch_up()
        assert ("unknown-log-level", "/params/level") in [
            (one.code, one.path) for one in watcher.findings
        ]


@pytest.mark.parametrize(
    ("status", "body", "codes"),
    [
        ("202 Accepted", b"", []),
        ("202 Accepted", b"{}", ["notification-answered"]),
        ("200 OK", b"", ["notification-answered"]),
        ("204 No Content", b"", ["notification-answered"]),
        ("200 OK", b'{"jsonrpc":"2.0","id":null,"result":{}}', ["notification-answered"]),
        ("400 Bad Request", b"no session", ["notification-refused"]),
        ("401 Unauthorized", b"", ["notification-refused"]),
        ("500 Internal Server Error", b"boom", ["notification-refused"]),
    ],
)
async def test_how_a_notification_is_received_is_reported_and_costs_no_call(
    status: str, body: bytes, codes: list[str]
) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method == "notifications/initialized":
            return answer(status, body)
        if asked.method == "tools/call":
            return answer("200 OK", response(asked).encode())
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        assert (await call(link, "echo")).has_result
        assert heard.codes == codes
        assert body in received(link)


@pytest.mark.parametrize(
    ("what", "codes"),
    [
        (answer("405 Method Not Allowed"), []),
        (answer("404 Not Found"), ["get-not-served"]),
        (answer("200 OK", b"<h1>Welcome</h1>", "text/html"), ["get-not-served"]),
        (answer("200 OK", b'{"status":"up"}'), ["get-not-served"]),
    ],
)
async def test_a_server_without_a_stream_is_asked_for_it_once(
    what: bytes, codes: list[str]
) -> None:
    def answers(asked: Asked) -> bytes:
        return what if asked.verb == "GET" else greets(asked, session=True)

    async with web(answers) as served, to_listed(served.url) as (_, heard):
        async with asyncio.timeout(30):
            while "GET" not in served.methods():
                await asyncio.sleep(0.01)
        # The SDK asks a second time after a second.
        await asyncio.sleep(1.3)
        assert served.methods().count("GET") == 1
        assert heard.codes == codes


async def test_a_stream_that_ends_at_once_is_asked_for_ever_more_rarely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 10)

    def answers(asked: Asked) -> bytes:
        return events() if asked.verb == "GET" else greets(asked, session=True)

    async with web(answers) as served, to_listed(served.url) as (_, heard):
        async with asyncio.timeout(60):
            while "stream-ends" not in heard.codes:
                await asyncio.sleep(0.01)
        assert heard.codes == ["stream-ends"]
    assert served.methods().count("GET") == streams.ENDED_AT_ONCE


def test_the_pause_between_streams_doubles_to_a_limit() -> None:
    pace = streams.StreamPace()
    pauses = [pace.ended(0) for _ in range(10)]
    assert pauses[:3] == [2_000, 4_000, 8_000]
    assert pauses[-1] == streams.RETRY_MAX
    assert pace.ended(5) == 0
    assert pace.ended(0) == 2_000


class Pieces(httpx2.AsyncByteStream):
    """A body in these pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


@given(cuts=st.sets(st.integers(0, 12)), is_marked=st.booleans())
async def test_a_byte_order_mark_at_the_beginning_of_events_is_ignored(
    cuts: set[int], is_marked: bool
) -> None:
    whole = (BOM_UTF8 if is_marked else b"") + "data: é\ufeff\n\n".encode()
    places = [0, *sorted(cuts), len(whole)]
    body = Pieces([whole[start:end] for start, end in pairwise(places)])
    response = httpx2.Response(200, request=httpx2.Request("GET", "http://h/"))
    assert [event.data async for event in events_in(body, response, 1_000)] == ["é\ufeff"]
