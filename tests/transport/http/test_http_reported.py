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
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.webbed import (
    Answers,
    Asked,
    answer,
    answering,
    events,
    greets,
    result,
    to_listed,
    web,
)

TEXT: dict[str, Any] = {"content": [{"type": "text", "text": "hello"}]}


def response(asked: Asked) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": asked.message["id"], "result": TEXT})


def received(link: Any) -> bytes:
    return b"".join(frame.raw for frame in link.wire.since(0) if frame.sender == SERVER)


EVENTS = "text/event-stream"


@pytest.mark.parametrize(
    ("body", "kind", "cause"),
    first_quick(
        [
            ("{}", EVENTS, "the body is JSON"),
            ("data: {}\n", EVENTS, "no blank line"),
            ("event: message\r\ndata: {}", EVENTS, "no blank line"),
            ("data: {}\n\n", "application/json", "is an event stream"),
            (": hi\ndata: {}\n\n", "application/json", "is an event stream"),
            ("plain words", EVENTS, "no event"),
            ("plain words", "application/json", "plain words"),
        ],
        2,
        several=True,
    ),
)
async def test_a_body_of_another_kind_is_quoted_and_captured(
    body: str, kind: str, cause: str
) -> None:
    def calls(asked: Asked) -> bytes:
        return answer("200 OK", body.replace("{}", response(asked)).encode(), kind)

    answers = answering({"tools/call": calls})
    async with web(answers) as served, to_listed(served.url) as (link, _):
        reply = await call(link, "echo")
        assert not reply.has_result
        assert not reply.lost
        assert cause in reply.problem
        quote = "hello" if "{}" in body else "plain words"
        assert quote in reply.problem
        assert quote.encode() in received(link)


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


REFUSED, ANSWERED = ["notification-refused"], ["notification-answered"]


@pytest.mark.parametrize(
    ("status", "body", "codes"),
    [
        ("202 Accepted", b"", []),
        ("202 Accepted", b"{}", ANSWERED),
        ("200 OK", b"", ANSWERED),
        ("204 No Content", b"", ANSWERED),
        ("200 OK", b'{"jsonrpc":"2.0","id":null,"result":{}}', ANSWERED),
        ("400 Bad Request", b"no session", REFUSED),
        ("401 Unauthorized", b"", REFUSED),
        ("500 Internal Server Error", b"boom", REFUSED),
    ],
)
async def test_how_a_notification_is_received_is_reported_and_costs_no_call(
    status: str, body: bytes, codes: list[str]
) -> None:
    said: dict[str, bytes | Answers] = {"notifications/initialized": answer(status, body)}
    answers = answering(said | {"tools/call": lambda one: result(one, TEXT)})
    async with web(answers) as served, to_listed(served.url) as (link, heard):
        assert (await call(link, "echo")).has_result
        assert heard.codes == codes
        assert body in received(link)


@pytest.mark.slow
async def test_a_server_without_a_stream_is_asked_for_it_once() -> None:
    async def check(what: bytes, codes: list[str]) -> None:
        answers = answering({"GET": what}, session=True)
        async with web(answers) as served, to_listed(served.url) as (_, heard):
            async with asyncio.timeout(30):
                while "GET" not in served.methods():
                    await asyncio.sleep(0.01)
            # The SDK asks a second time after a second.
            await asyncio.sleep(1.3)
            assert served.methods().count("GET") == 1
            assert heard.codes == codes

    await asyncio.gather(
        check(answer("405 Method Not Allowed"), []),
        check(answer("404 Not Found"), ["get-not-served"]),
        check(answer("200 OK", b"<h1>Welcome</h1>", "text/html"), ["get-not-served"]),
        check(answer("200 OK", b'{"status":"up"}'), ["get-not-served"]),
    )


async def test_a_stream_that_ends_at_once_is_asked_for_ever_more_rarely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "FIRST_PAUSE", 10)
    answers = answering({"GET": events()}, session=True)
    async with web(answers) as served, to_listed(served.url) as (_, heard):
        await heard.until(lambda: "stream-ends" in heard.codes)
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
