"""HTTP links from beginning to end: sessions, streams, many calls, closing, secrets."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from signoff.app.transport.events import Ended, Listing, Noticed
from signoff.app.transport.gate import LastGate
from signoff.app.transport.http import greeting
from signoff.app.transport.http.client import HttpClient
from signoff.app.transport.http.frames import HttpFrames
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.http.streams import RETRY_MAX, RETRY_MIN
from signoff.app.transport.http.transport import HttpTransport
from tests.tiers import first_quick
from tests.transport.linked import Heard, call
from tests.transport.webbed import (
    Answers,
    Asked,
    answer,
    answering,
    events,
    for_calls,
    greets,
    greets_modern,
    never,
    result,
    to,
    to_listed,
    web,
)

Greets = Callable[[Asked], bytes]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(greeting, "ANSWER_SECONDS", 0.5)


@pytest.mark.parametrize(
    ("named", "place"),
    [
        ("s\xe9ssion", "byte e9 at position 2"),
        # The same in UTF-8.
        ("s\xc3\xa9ssion", "byte c3 at position 2"),
        ("a b", "byte 20 at position 2"),
    ],
)
async def test_a_session_id_outside_visible_ascii_is_found_and_sent_back(
    named: str, place: str
) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method == "initialize":
            about = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            return result(asked, about).replace(
                b"Connection:", f"Mcp-Session-Id: {named}\r\nConnection:".encode("latin-1")
            )
        is_back = asked.headers.get("mcp-session-id") == named
        return greets(asked) if is_back else answer("404 Not Found")

    async with web(answers) as served, to_listed(served.url) as (_, heard):
        found = [one.finding for one in heard.of(Noticed)]
        (finding,) = found
    assert finding.code == "malformed-session-id"
    assert finding.message == f"the session id that the server sent is not visible ASCII: {place}"


@pytest.mark.parametrize(
    "deaf", first_quick(["server/discover", "tools/list", "DELETE", "GET", "tools/call"])
)
async def test_closing_never_waits_for_the_server(deaf: str) -> None:
    special: dict[str, bytes | Answers] = {"tools/call": lambda one: result(one, {"content": []})}
    answers = answering(special | {deaf: never}, session=True)
    async with web(answers) as served, to(served.url) as (link, heard):
        if deaf in ("DELETE", "GET", "tools/call"):
            await heard.one(Listing)
            calling = asyncio.create_task(call(link, "echo"))
        async with asyncio.timeout(60):
            while deaf != "DELETE" and deaf not in served.methods():
                await asyncio.sleep(0.01)
            await link.close()
        if deaf == "tools/call":
            assert (await calling).lost
        elif deaf in ("DELETE", "GET"):
            await calling
    assert heard.of(Ended) == []


async def test_a_method_that_is_not_found_ends_no_session() -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no such method"}}'
    answers = answering({"tools/call": answer("404 Not Found", body)}, session=True)
    async with web(answers) as served, to_listed(served.url) as (link, heard):
        error = (await call(link, "echo")).error
        assert error is not None
        assert error.code == -32601
        assert await link.list_tools() is not None
        assert heard.of(Ended) == []


@pytest.mark.parametrize(("said", "kept"), [(10, RETRY_MIN), (2_500, 2_500), (10**15, RETRY_MAX)])
async def test_no_server_has_a_broken_stream_wait_for_ever(said: int, kept: int) -> None:
    link, told = HttpLink("http://127.0.0.1:1/mcp"), list[Any]()
    frames = HttpFrames(link.wire)
    client = HttpClient(link._url, LastGate(told.append), frames)
    transport = HttpTransport(client, link._peer, frames, told.append, told.append)
    stream = httpx2.Response(
        200,
        stream=httpx2.ByteStream(b"id: 7\nretry: %d\ndata:\n\n" % said),
        request=httpx2.Request("POST", link._url),
    )
    end = await transport._read_events(stream, None)
    assert (end.last_id, end.retry, end.count) == ("7", kept, 1)
    assert told == []


@pytest.mark.parametrize("greeting", [greets, greets_modern])
async def test_fifty_calls_at_once_each_get_their_own_answer(greeting: Greets) -> None:
    async def answers(asked: Asked) -> bytes:
        if asked.method != "tools/call":
            return greeting(asked)
        calls.append(asked)
        while len(calls) < 50:
            await asyncio.sleep(0.01)
        return result(asked, asked.message["params"]["arguments"])

    calls: list[Asked] = []
    async with web(answers) as served, to_listed(served.url) as (link, _):
        replies = await asyncio.gather(*(call(link, "echo", {"n": n}) for n in range(50)))
    assert [reply.result for reply in replies] == [{"n": number} for number in range(50)]


async def test_credentials_and_query_are_sent_and_never_told() -> None:
    async with web(greets) as served:
        url = served.url.replace("http://", "http://me:s3cret@") + "?key=1"
        async with to_listed(url) as (link, heard):
            await call(link, "echo")
    assert {asked.path for asked in served.asked} == {"/mcp?key=1"}
    _, _, code = served.asked[0].headers["authorization"].partition(" ")
    assert b64decode(code) == b"me:s3cret"
    assert link.command == served.url.replace("http://", "http://me:***@") + "?key=1"
    assert "s3cret" not in str(heard.events) + link.identity


async def test_nothing_is_written_on_the_terminal(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    what = events('{"jsonrpc":"2.0","id":true}', '{"jsonrpc":"2.0","method":"x","params":[1]}')
    async with web(for_calls(what)) as served, to_listed(served.url) as (link, _):
        await call(link, "echo")
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_closing_what_was_never_attached_and_closing_twice_does_no_harm() -> None:
    link: Any = HttpLink("http://127.0.0.1:1/mcp")
    await link.close()
    heard = Heard()
    link.attach(heard)
    await link.close()
    await link.close()
    assert (await call(link, "echo")).lost
