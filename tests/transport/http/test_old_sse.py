"""HTTP+SSE of 2024-11-05: found by itself or asked for, one stream for all, one origin."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from signoff.app.transport.events import Ended, Greeting, Listing, Noticed, Stage
from signoff.app.transport.http import bodies, greeting, old_sse
from signoff.app.transport.http.bodies import OLD_SSE
from signoff.app.transport.http.http import HTTP, SSE, HttpLink
from tests.approved import approved
from tests.tiers import first_quick
from tests.transport.linked import Heard, call, methods
from tests.transport.webbed import Asked, Held, answer, scripted, to, to_listed, web

PROSE = approved("http")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting, "PROBE_SECONDS", 0.5)
    monkeypatch.setattr(greeting, "ANSWER_SECONDS", 1)


async def ended(url: str, way: str = "auto", protocol: str = "auto") -> tuple[str, Heard]:
    """How a link to a URL ends, reached in a way."""
    link = HttpLink(url, protocol, way=way)
    heard = Heard(link)
    link.attach(heard)
    try:
        return (await heard.one(Ended)).words, heard
    finally:
        await link.close()


def endpoint(data: bytes) -> bytes:
    return Held(HEAD + b"event: endpoint\ndata: " + data + b"\n\n")


@pytest.mark.parametrize("way", ["auto", SSE])
async def test_it_is_found_by_itself_or_asked_for(way: str) -> None:
    with scripted("--old-sse") as (url, _):
        link: Any = HttpLink(url, way=way)
        heard = Heard(link)
        link.attach(heard)
        await heard.one(Listing)
        assert [one.era for one in heard.of(Greeting)] == ["legacy"]
        assert heard.codes == (["deprecated-feature"] if way == "auto" else [])
        assert (await call(link, "echo")).has_result
        await link.close()
        assert heard.of(Ended) == []


async def test_streamable_http_alone_is_not_left() -> None:
    with scripted("--old-sse") as (url, _):
        words, _ = await ended(url, HTTP)
    assert words.startswith("the server answered 405")


@pytest.mark.parametrize("way", ["auto", SSE])
async def test_it_has_no_revision_without_the_handshake(way: str) -> None:
    with scripted("--old-sse") as (url, _):
        words, heard = await ended(url, way, "2026-07-28")
    assert "2026-07-28" in words or "405" in words
    assert heard.of(Greeting) == []


@pytest.mark.parametrize(
    "status", first_quick(["404 Not Found", "405 Not Allowed", "400 Bad", "415 Odd"])
)
async def test_these_refusals_may_mean_it(status: str) -> None:
    async def answers(asked: Asked) -> bytes:
        if asked.verb == "GET":
            return endpoint(b"/messages")
        return answer(status if asked.path == "/mcp" else "202 Accepted")

    async with web(answers) as served:
        _, heard = await ended(served.url)
        greeted = [one.path for one in served.asked if one.method == "initialize"]
    assert greeted == ["/mcp", "/messages"]
    PROSE.holds("stages: the old transport", heard.of(Stage)[-2].words)


@pytest.mark.slow
async def test_a_post_that_opens_an_old_stream_means_it_too() -> None:
    async def answers(asked: Asked) -> bytes:
        return endpoint(b"/messages")

    async with web(answers) as served:
        words, _ = await ended(served.url, HTTP)
        assert words == OLD_SSE
        assert "GET" not in served.methods()
        await ended(served.url)
        assert "GET" in served.methods()


async def gets(stream: bytes) -> tuple[str, str]:
    """How a link ends whose stream is this, after the one GET; and its URL."""

    async def answers(asked: Asked) -> bytes:
        return stream

    async with web(answers) as served:
        words, _ = await ended(served.url, SSE)
        assert served.methods()[:1] == ["GET"]
        assert "POST" not in [one.verb for one in served.asked]
        return words, served.url


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"http://elsewhere.example/steal", "endpoint: another host"),
        (b"//elsewhere.example/steal", "endpoint: a host without a scheme"),
        (b"https://127.0.0.1/messages", "endpoint: another scheme and port"),
        (b"http://[", "endpoint: no URL"),
    ],
)
async def test_messages_go_to_no_other_origin(data: bytes, key: str) -> None:
    words, _ = await gets(endpoint(data))
    PROSE.holds(key, words)


@pytest.mark.parametrize(
    ("stream", "key"),
    [
        (answer("405 Method Not Allowed"), "no stream: 405"),
        (answer("401 Unauthorized", b'{"error": "no token"}'), "no stream: 401"),
        (HEAD + b"event: message\ndata: {}\n\n", "no stream: another event"),
        (HEAD, "no stream: empty"),
    ],
)
async def test_a_stream_without_an_endpoint(stream: bytes, key: str) -> None:
    words, url = await gets(stream)
    PROSE.holds(key, words, URL=url)


async def test_a_server_that_names_no_endpoint_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_sse, "OPEN_SECONDS", 0.2)
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.2)

    async def answers(asked: Asked) -> bytes:
        if asked.verb == "GET":
            await asyncio.sleep(3600)
        return answer("404 Not Found")

    async with web(answers) as served:
        words, _ = await ended(served.url, SSE)
        PROSE.holds("no stream: silence", words)
        words, _ = await ended(served.url)
        assert words.startswith("the server answered 404")


async def test_the_end_of_the_stream_ends_every_call(tmp_path: Path) -> None:
    wire = tmp_path / "received"
    switches = ("--old-sse", "--with", "all", "--received", str(wire))
    with scripted(*switches) as (url, process):
        async with to_listed(url) as (link, heard):
            calling = asyncio.create_task(call(link, "never"))
            while "tools/call" not in methods(wire):
                await asyncio.sleep(0.01)
            process.kill()
            assert (await calling).lost
            await heard.one(Ended)
            assert (await call(link, "echo")).lost


async def test_headers_go_with_the_stream_and_with_every_message() -> None:
    async def answers(asked: Asked) -> bytes:
        if asked.verb == "GET":
            return endpoint(b"messages?session=1")
        return answer("404 Not Found" if asked.path == "/mcp" else "202 Accepted", b"Accepted")

    async with web(answers) as served, to(served.url, {"X-Key": "mine"}) as (_, heard):
        await heard.one(Ended)
        assert {one.headers.get("x-key") for one in served.asked} == {"mine"}
        assert "/messages?session=1" in [one.path for one in served.asked]
        noticed = [one.finding.code for one in heard.of(Noticed)]
        assert "notification-answered" not in noticed


async def test_a_refused_message_fails_its_request_alone() -> None:
    async def answers(asked: Asked) -> bytes:
        if asked.verb == "POST":
            return answer("401 Unauthorized", b"no token", "text/plain")
        return endpoint(b"/messages") if asked.path == "/mcp" else answer("404 Not Found")

    async with web(answers) as served:
        words, _ = await ended(served.url, SSE)
    assert "401" in words
    assert "no token" in words
