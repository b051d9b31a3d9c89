"""Each way in which the HTTP answer to a call fails: what happened, where, and what it means.

The failure costs its call and nothing else: the next one is answered.
"""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from signoff.app.transport.events import Ended, Ending
from signoff.app.transport.http import bodies, transport
from tests.tiers import first_quick
from tests.transport.failing import FAILURES, Failing
from tests.transport.linked import call
from tests.transport.webbed import to_listed, web

UNREADABLE: Final = "unreadable"
REFUSED: Final = "not-taken"
FAILED: Final = "server-failed"
LOST: Final = "lost"

EXPECTED: dict[str, tuple[Ending | str, str]] = {
    "reset": (LOST, " broke before a response came: connection reset by peer"),
    "bad_request": (REFUSED, "400 Bad Request: “Missing header X-Team”"),
    "sign_in": (
        REFUSED,
        "401 Unauthorized: sign-in required, “invalid_token: The token expired”; "
        'WWW-Authenticate: “Bearer realm="x", scope="tools:read"”; Signoff cannot sign in yet',
    ),
    "forbidden": (REFUSED, "403 Forbidden: “Tool access is off for this workspace<U+202E> ␛[31m”"),
    "forbidden_rpc": (REFUSED, "403 Forbidden: “no such project”"),
    "forbidden_page": (REFUSED, "403 Forbidden: “Sign in – Example”"),
    "forbidden_silently": (REFUSED, "403 Forbidden: no reason given"),
    "not_allowed": (REFUSED, "405 Method Not Allowed: this path accepts no messages; Allow: “"),
    "not_acceptable": (REFUSED, "406 Not Acceptable: it supports neither JSON nor an"),
    "unsupported": (REFUSED, "415 Unsupported Media Type: it accepts no JSON"),
    "too_many": (REFUSED, "429 Too Many Requests: too many requests; it asks to wait 30 s"),
    "too_many_rpc": (REFUSED, "429 Too Many Requests: “no such project”; it asks to wait 7 s"),
    "broken": (FAILED, "500 Internal Server Error: “Traceback: KeyError 'x'”"),
    "bad_gateway": (FAILED, "502 Bad Gateway: “502 – Example”"),
    "unavailable": (FAILED, "it asks to wait until 2027-12-31 23:59:59 UTC (Retry-After)"),
    "gateway_time": (FAILED, "504 Gateway Timeout: a gateway got no response"),
    "elsewhere": (REFUSED, "redirects to http://127.0.0.2:1/x (307 Temporary Redirect), to anoth"),
    "found": (REFUSED, "/elsewhere (302 Found), in a way that loses the message; not followed"),
    "circle": (REFUSED, "redirects in a circle (6 times, last to http://127.0.0.1:"),
    "page": (UNREADABLE, "with text/html (“Sign in – Example”), which is neither JSON nor an"),
    "plain_text": (UNREADABLE, "with text/plain (“it works”), which is neither JSON nor an"),
    "empty": (UNREADABLE, "200 OK with an empty body"),
    "no_kind": (UNREADABLE, "200 OK without a content type"),
    "no_content": (UNREADABLE, "204 No Content with an empty body"),
    "accepted": (UNREADABLE, "accepted the request but sent no response (202 Accepted)"),
    "closed": (LOST, " broke before a response came: it was closed before the response"),
    "head_cut": (LOST, " broke before a response came: it was closed before the response"),
    "body_cut": (LOST, " broke in the middle of the response, after 10 bytes: it was closed"),
    "body_too_long": (UNREADABLE, "the body of 5 bytes is not a response to the request"),
    "odd_length": (LOST, "bad Content-Length"),
    "chunk_cut": (LOST, "in the middle of the response, after 4 bytes: it was closed before"),
    "bad_chunk": (LOST, "invalid chunk lengths in the body"),
    "stream_cut": (LOST, "the event stream ended without a response"),
    "stream_chunk_cut": (LOST, "in the middle of the event stream: it was closed before the end"),
    "headers_flood": (LOST, "the headers are over the limit of 100 kB"),
    "long_header": (LOST, "the headers are over the limit of 100 kB"),
    "switching": (LOST, "switched to another protocol (101), which was not requested"),
    "ssh": (LOST, "the response is not HTTP/1.1: “SSH-2.0-OpenSSH_9.6”"),
    "tls_alert": (LOST, "the response is not HTTP/1.1; try https://"),
    "brotli": (UNREADABLE, "compressed with br, which was not requested"),
    "zstd": (UNREADABLE, "compressed with zstd, which was not requested"),
    "bad_gzip": (UNREADABLE, "the compressed response is broken: "),
    "gzip_cut": (UNREADABLE, "the compressed response ends too early"),
    "layers": (UNREADABLE, "compressed 4 times (gzip, gzip, gzip, gzip)"),
    "bomb": (UNREADABLE, "expands to more than 4.0 MB: Signoff stopped reading"),
    "stacked_bomb": (UNREADABLE, "expands to more than 4.0 MB"),
    "idle_layers": (UNREADABLE, "expands to more than 4.0 MB"),
    "deflate_bomb": (UNREADABLE, "expands to more than 4.0 MB"),
    "bomb_in_events": (UNREADABLE, "one event of more than the limit of 1.0 MB"),
    "comment_bomb": (UNREADABLE, "expands to more than 4.0 MB"),
    "bomb_in_error": (REFUSED, "403 Forbidden: no reason given"),
    "dripping_error": (REFUSED, "403 Forbidden: “so far”"),
}
ENDS_SESSION: Final = {
    "forgotten": "(404 Not Found: “Session not found”); connect again for a new one",
    "forgotten_400": "(400 Bad Request: “Bad Request: No valid session ID”); connect again",
    "not_found": "the server no longer knows the session (404 Not Found); connect again",
}


def test_every_failure_is_tried() -> None:
    others = {"reset", "dripping_error", "forgotten", "forgotten_400"}
    assert {*EXPECTED, *ENDS_SESSION} == {*FAILURES, *others}


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bombs go off sooner; tests/headless/test_http.py has them at the true limits."""
    monkeypatch.setattr(bodies, "UNPACKED_LIMIT", 4_000_000)
    monkeypatch.setattr(transport, "BODY_LIMIT", 1_000_000)
    monkeypatch.setattr(bodies, "PAGE_SECONDS", 0.3)


@pytest.mark.parametrize("name", first_quick(EXPECTED, 16))
async def test_a_failure_says_what_happened_and_costs_one_call(name: str) -> None:
    ending, words = EXPECTED[name]
    async with (
        web(Failing([name])) as served,
        to_listed(served.url) as (link, heard),
    ):
        for _ in range(2):
            reply = await call(link, name)
            assert words in reply.problem
            assert (LOST if reply.lost else reply.ending) == ending
            assert not reply.has_result
            assert reply.error is None
            assert (await call(link, "fine")).has_result
        assert heard.of(Ended) == []


@pytest.mark.parametrize("name", ENDS_SESSION)
async def test_a_forgotten_session_ends_the_link_and_what_waits_is_unknown(name: str) -> None:
    async with (
        web(Failing([name])) as served,
        to_listed(served.url) as (link, heard),
    ):
        waiting = asyncio.create_task(call(link, "waits"))
        async with asyncio.timeout(60):
            while "tools/call" not in served.methods():
                await asyncio.sleep(0.01)
        reply = await call(link, name)
        ended = await heard.one(Ended)
        lost = await waiting
        after = await call(link, "fine")
    assert reply.ending == "not-taken"
    assert ENDS_SESSION[name] in reply.problem
    assert ended.words == reply.problem == lost.problem
    assert lost.lost
    assert after.lost


async def test_a_link_after_a_forgotten_session_begins_a_new_one() -> None:
    async with web(Failing([])) as served:
        for _ in range(2):
            async with to_listed(served.url) as (link, heard):
                assert (await call(link, "forgotten")).ending == "not-taken"
                await heard.one(Ended)
        greetings = [one for one in served.asked if one.method == "initialize"]
    assert len(greetings) == 2
    assert ["mcp-session-id" in one.headers for one in greetings] == [False, False]


@pytest.mark.slow
async def test_the_hundredth_failure_is_like_the_first() -> None:
    async with web(Failing(["forbidden", "body_cut"])) as served:
        async with to_listed(served.url) as (link, heard):
            for _ in range(50):
                assert "403 Forbidden: “Tool" in (await call(link, "forbidden")).problem
                assert "after 10 bytes" in (await call(link, "body_cut")).problem
            assert (await call(link, "fine")).has_result
        assert heard.of(Ended) == []
