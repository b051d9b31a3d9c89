"""The guarded fetcher, on real sockets that say what a hostile server would."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import Awaitable, Callable

import httpcore2
import pytest

from signoff.app.transport.sign_in import fetching
from signoff.app.transport.sign_in.fetching import Fetched, Fetcher
from signoff.app.transport.sign_in.guard import guard_of
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.webbed import Asked, Held, answer, greets, to_listed, web

Answers = Callable[[Asked], bytes | Awaitable[bytes]]
GOOD = json.dumps({"resource": "x"}).encode()


async def fetched(
    answers: Answers, path: str = "/prm", host: str = ""
) -> tuple[Fetched, list[Asked]]:
    async with web(answers) as server:
        guard = guard_of(server.url, "127.0.0.1")
        assert guard is not None
        url = server.url.replace("/mcp", "/prm")
        async with contextlib.aclosing(Fetcher(guard)) as fetcher:
            found = await fetcher.fetch(host or url, "metadata", "because")
        return found, server.asked


async def test_a_document_is_fetched_without_anything_of_the_person() -> None:
    found, asked = await fetched(lambda asked: answer("200 OK", GOOD, more="Set-Cookie: a=b\r\n"))
    assert found.document == {"resource": "x"}
    assert found.outcome.startswith("200, ")
    assert not {"authorization", "cookie"} & asked[0].headers.keys()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"<html>sign in</html>", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'"x"', "not a JSON object"),
        (b'{"a": NaN}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": "' + b"x" * 300_000 + b'"}', "256"),
    ],
)
async def test_what_is_no_document_is_told(body: bytes, words: str) -> None:
    found, _ = await fetched(lambda asked: answer("200 OK", body))
    assert found.document is None
    assert words in found.problem
    assert not found.is_absent


async def test_a_compressed_bomb_is_cut_at_the_limit() -> None:
    bomb = gzip.compress(b'{"a": "' + b"x" * 60_000_000 + b'"}')
    gzipped = "Content-Encoding: gzip\r\n"
    found, _ = await fetched(lambda asked: answer("200 OK", bomb, more=gzipped))
    assert "stopped reading" in found.problem
    twice = gzip.compress(bomb)
    more = "Content-Encoding: gzip, gzip\r\n"
    found, _ = await fetched(lambda asked: answer("200 OK", twice, more=more))
    assert "stopped reading" in found.problem
    found, _ = await fetched(lambda asked: answer("200 OK", GOOD, more="Content-Encoding: br\r\n"))
    assert "br" in found.problem


async def test_sixty_megabytes_are_not_read_to_the_end() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\n"
    found, _ = await fetched(lambda asked: Held(head + b" " * 300_000))
    assert "256.0 kB" in found.problem


@pytest.mark.parametrize(
    "begun", first_quick([b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n{"])
)
async def test_slow_headers_and_bodies_have_a_limit(
    begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.2)
    began = time.monotonic()
    found, _ = await fetched(lambda asked: Held(begun))
    assert "not complete within" in found.problem
    assert time.monotonic() - began < 10


async def test_all_documents_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "TOTAL_SECONDS", 0.0)
    found, asked = await fetched(lambda asked: answer("200 OK", GOOD))
    assert "all documents together" in found.problem
    assert asked == []


async def test_a_redirect_within_the_origin_is_followed_and_a_circle_is_not() -> None:
    def once(asked: Asked) -> bytes:
        if asked.path == "/prm":
            return answer("302 Found", more="Location: /other\r\n")
        return answer("200 OK", GOOD)

    found, asked = await fetched(once)
    assert found.document == {"resource": "x"}
    assert [one.path for one in asked] == ["/prm", "/other"]
    found, asked = await fetched(lambda asked: answer("302 Found", more="Location: /prm\r\n"))
    assert "redirects more than" in found.problem
    assert len(asked) == fetching.HOPS_MAX + 1


@pytest.mark.parametrize(
    "target",
    [
        *("http://127.0.0.1:1/x", "https://as.example.com/", "http://169.254.169.254/"),
        *("http://[", "x:"),
    ],
)
async def test_a_redirect_elsewhere_is_told_and_not_followed(target: str) -> None:
    found, asked = await fetched(lambda asked: answer("302 Found", more=f"Location: {target}\r\n"))
    assert found.document is None
    assert "is not followed" in found.problem
    assert len(asked) == 1


async def test_nothing_is_sent_to_what_the_guard_refuses() -> None:
    found, asked = await fetched(lambda asked: answer("200 OK", GOOD), host="http://169.254.1.1/")
    assert found.is_refused
    assert found.outcome.startswith("not requested")
    assert asked == []


async def test_a_name_that_leads_inside_is_not_connected_to() -> None:
    async with web(lambda asked: answer("200 OK", GOOD)) as server:
        port = server.url.rpartition(":")[2].partition("/")[0]
        guard = guard_of("https://mcp.example.com/mcp", "93.184.216.34")
        assert guard is not None
        inner = fetching._GuardedNetwork(httpcore2.AsyncNetworkBackend(), guard)
        with pytest.raises(fetching.FetchRefused) as refused:
            await inner.connect_tcp("localhost", int(port))
        assert server.asked == []
    assert "this machine" in refused.value.words


@pytest.mark.parametrize(
    ("status", "is_absent"), [("404 Not Found", True), ("401 No", True), ("503 No", False)]
)
async def test_which_status_means_that_nothing_is_there(status: str, is_absent: bool) -> None:
    found, _ = await fetched(lambda asked: answer(status, GOOD))
    assert found.is_absent is is_absent


async def test_no_answer_and_no_http_are_told() -> None:
    found, _ = await fetched(lambda asked: b"")
    assert "closed" in found.problem
    found, _ = await fetched(lambda asked: b"SSH-2.0-x\r\n\r\n")
    assert "not HTTP" in found.problem
    found, _ = await fetched(lambda asked: b"", host="http://127.0.0.1:1/")
    assert "no connection" in found.problem


async def test_a_hundred_refused_calls_fetch_the_metadata_once() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method == "tools/call":
            return answer("401 Unauthorized", b"{}", more="WWW-Authenticate: Bearer scope=a\r\n")
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, _):
        replies = await asyncio.gather(*(call(link, "echo") for _ in range(100)))
        places = [one.path for one in served.asked if ".well-known" in one.path]
        assert await link.sign_in() is not None
    assert all("signoff doctor --url" in reply.problem for reply in replies)
    assert len(places) == len(set(places)) == 3


async def test_a_failure_of_another_kind_is_not_explained_by_an_earlier_refusal() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method == "server/discover":
            return answer("401 Unauthorized", b"{}")
        if asked.method == "tools/call":
            return answer("500 Internal Server Error", b"{}")
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, _):
        reply = await call(link, "echo")
    assert "500" in reply.problem
    assert "sign-in" not in reply.problem
