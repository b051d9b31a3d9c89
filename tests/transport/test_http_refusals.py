"""HTTP links to servers that refuse, break off, answer nonsense, or never answer."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Callable

import pytest

from signoff.app.transport.events import Ended, Listing, Stage
from signoff.app.transport.http import greeting
from tests.approved import approved
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.webbed import (
    ECHO,
    answer,
    events,
    for_calls,
    greets_modern,
    to,
    to_listed,
    web,
)

PROSE = approved("transport")

HTML = b"<html><title>Hello</title></html>"


@pytest.fixture
def short_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only for servers that answer nothing: others may be slow on a slow machine."""
    monkeypatch.setattr(greeting, "PROBE_SECONDS", 0.3)


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting, "ANSWER_SECONDS", 0.5)


async def ended_words(url: str) -> str:
    async with to(url) as (_, heard):
        return (await heard.one(Ended)).words


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def test_a_refused_connection_says_where() -> None:
    port = closed_port()
    words = await ended_words(f"http://user:secret@127.0.0.1:{port}/mcp")
    PROSE.holds("no connection: refused", words, PORT=port)


async def test_an_unknown_host_says_so() -> None:
    words = await ended_words("http://no-such-host.invalid/mcp")
    assert "no-such-host.invalid" in words


@pytest.mark.parametrize(
    ("what", "key"),
    first_quick(
        [
            (answer("404 Not Found"), "answered: 404"),
            (answer("401 Unauthorized"), "answered: 401"),
            (answer("500 Internal Server Error", HTML, "text/html"), "answered: 500"),
            (answer("799 \x1b[31m"), "answered: 799"),
            (answer("200 OK", HTML, "text/html; charset=x"), "answered: HTML"),
            (answer("200 OK", b"{}", ""), "answered: no content type"),
            (answer("202 Accepted"), "answered: 202"),
            (answer("200 OK", b"[]"), "answered: a list"),
            (answer("200 OK", b'{"jsonrpc":'), "answered: half of it"),
            (
                answer("307 Temporary Redirect", more="Location: http://127.0.0.2:1/x\r\n"),
                "answered: another origin",
            ),
            (b"", "answered: nothing"),
            (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "answered: SSH"),
        ],
        4,
        several=True,
    ),
)
async def test_what_is_no_server_says_why(what: bytes, key: str) -> None:
    async with web(lambda asked: what) as served:
        words = await ended_words(served.url)
    PROSE.holds(key, words, HOST=served.url.removeprefix("http://").removesuffix("/mcp"))


@pytest.mark.slow
@pytest.mark.usefixtures("short_probe", "short_wait")
async def test_a_server_that_never_answers_is_left_after_a_while() -> None:
    async with web(lambda asked: asyncio.sleep(60, b"")) as served, to(served.url) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds("initialize: no response", ended.words)
    PROSE.holds("stages: silent", "\n".join(stage.words for stage in heard.of(Stage)[1:3]))


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (answer("500 Internal Server Error", HTML, "text/html"), "500 Internal Server Error"),
        (answer("401 Unauthorized", b"{}"), "sign-in required"),
        (answer("200 OK", HTML, "text/html"), "text/html"),
        (
            answer("200 OK", b'{"jsonrpc":"2.0","id":999,"result":{}}'),
            "is not a response to the request",
        ),
        (answer("200 OK", b'{"jsonrpc":"2.0","method":"x"}'), "is not a response to the request"),
        (
            answer(
                "200 OK", b'{"jsonrpc":"2.0","id":null,"result":' + b"[" * 5000 + b"]" * 5000 + b"}"
            ),
            "nested",
        ),
        (events('{"jsonrpc":"2.0","id":null,"result":{"n":NaN}}'), "NaN is not JSON"),
    ],
)
async def test_an_odd_answer_fails_its_call_at_once(what: bytes, words: str) -> None:
    async with web(for_calls(what)) as served, to_listed(served.url) as (link, heard):
        reply = await call(link, "echo")
        assert words in reply.problem
        assert not reply.lost
        assert await link.list_tools() is not None
        assert heard.of(Ended) == []


def unpacks_to_70_megabytes() -> bytes:
    packed = gzip.compress(b" " * 70_000_000, 1)
    return answer("200 OK", packed, more="Content-Encoding: gzip\r\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: answer("200 OK", b'{"n":' + b"9" * 65_000_000 + b"}"), "limit of 64,000,000"),
        (unpacks_to_70_megabytes, "limit of 64,000,000"),
        (lambda: events("x" * 65_000_000), "limit of 64.0 MB"),
    ],
    ids=["json", "gzip", "event"],
)
async def test_an_answer_over_the_limit_fails_its_call_at_once(
    make: Callable[[], bytes], words: str
) -> None:
    await test_an_odd_answer_fails_its_call_at_once(make(), words)


@pytest.mark.parametrize(
    "what",
    [
        b"",
        events(),
        events('{"jsonrpc":"2.0","method":"notifications/message","params":{"a":"\\ud83d"}}'),
        b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a":',
    ],
    ids=["nothing", "no event", "no answer", "half a body"],
)
async def test_a_call_whose_answer_breaks_off_is_lost_and_no_more(what: bytes) -> None:
    async with web(for_calls(what)) as served, to_listed(served.url) as (link, heard):
        assert (await call(link, "echo")).lost
        async with asyncio.timeout(60):
            while "ping" not in served.methods():
                await asyncio.sleep(0.01)
        assert await link.list_tools() is not None
        assert heard.of(Ended) == []


async def test_an_error_with_a_status_of_its_own_is_the_protocols() -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"bad"}}'
    answers = for_calls(answer("400 Bad Request", body))
    async with web(answers) as served, to_listed(served.url) as (link, _):
        error = (await call(link, "echo")).error
    assert error is not None
    assert (error.code, error.message) == (-32602, "bad")


async def test_tools_with_impossible_headers_are_left_out_in_the_modern_era() -> None:
    bad = {"x-mcp-header": "not a token", "type": "string"}
    tool = {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": bad}}}

    async with (
        web(lambda asked: greets_modern(asked, tools=[ECHO, tool])) as served,
        to(served.url) as (_, heard),
    ):
        listing = await heard.one(Listing)
    assert listing.entries == (ECHO,)
    assert [finding.code for finding in listing.findings] == ["invalid-param-header"]
