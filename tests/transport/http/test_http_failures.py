"""Each way in which the HTTP answer to a call fails: what happened, where, and what it means.

The failure costs its call and nothing else: the next one is answered.
"""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from signoff.app.transport.events import Ended, Ending
from signoff.app.transport.http import bodies, transport
from tests.approved import approved
from tests.tiers import first_quick
from tests.transport.failing import FAILURES, Failing
from tests.transport.linked import call
from tests.transport.webbed import to_listed, web

PROSE = approved("http-failures")

UNREADABLE: Final = "unreadable"
REFUSED: Final = "not-taken"
FAILED: Final = "server-failed"
LOST: Final = "lost"

ENDINGS: dict[Ending | str, tuple[str, ...]] = {
    LOST: (
        *("reset", "closed", "head_cut", "body_cut", "odd_length", "chunk_cut", "bad_chunk"),
        *("stream_cut", "stream_chunk_cut", "headers_flood", "long_header", "switching"),
        *("ssh", "tls_alert"),
    ),
    REFUSED: (
        *("bad_request", "sign_in", "forbidden", "forbidden_rpc", "forbidden_page"),
        *("forbidden_silently", "not_allowed", "not_acceptable", "unsupported", "too_many"),
        *("too_many_rpc", "elsewhere", "found", "circle", "bomb_in_error", "dripping_error"),
    ),
    FAILED: ("broken", "bad_gateway", "unavailable", "gateway_time"),
    UNREADABLE: (
        *("page", "plain_text", "empty", "no_kind", "no_content", "accepted", "body_too_long"),
        *("brotli", "zstd", "bad_gzip", "gzip_cut", "layers", "bomb", "stacked_bomb"),
        *("idle_layers", "deflate_bomb", "bomb_in_events", "comment_bomb"),
    ),
}
EXPECTED = {name: ending for ending, names in ENDINGS.items() for name in names}
QUICK: tuple[str, ...] = (
    "reset",
    "body_cut",
    "stream_cut",
    "ssh",
    "bad_chunk",
    "forbidden",
    "too_many_rpc",
)
QUICK += (
    "sign_in",
    "circle",
    "unavailable",
    "page",
    "empty",
    "body_too_long",
    "bad_gzip",
    "layers",
)
"""One of each kind."""
ENDS_SESSION: Final = ("forgotten", "forgotten_400", "not_found")


def host_of(url: str) -> str:
    return url.removeprefix("http://").removesuffix("/mcp")


def test_every_failure_is_tried() -> None:
    others = {"reset", "dripping_error", "forgotten", "forgotten_400"}
    assert {*EXPECTED, *ENDS_SESSION} == {*FAILURES, *others}


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bombs go off sooner; tests/cli/targets/test_http.py has them at the true limits."""
    monkeypatch.setattr(bodies, "UNPACKED_LIMIT", 4_000_000)
    monkeypatch.setattr(transport, "BODY_LIMIT", 1_000_000)
    monkeypatch.setattr(bodies, "PAGE_SECONDS", 0.3)


@pytest.mark.parametrize("name", first_quick(sorted(EXPECTED, key=lambda one: one not in QUICK), 4))
async def test_a_failure_says_what_happened_and_costs_one_call(name: str) -> None:
    ending = EXPECTED[name]
    async with web(Failing([name])) as served, to_listed(served.url) as (link, heard):
        for _ in range(2):
            reply = await call(link, name)
            PROSE.holds(name, reply.problem, HOST=host_of(served.url))
            assert (LOST if reply.lost else reply.ending) == ending
            assert not reply.has_result
            assert reply.error is None
            assert (await call(link, "fine")).has_result
        assert heard.of(Ended) == []


@pytest.mark.parametrize("name", ENDS_SESSION)
async def test_a_forgotten_session_ends_the_link_and_what_waits_is_unknown(name: str) -> None:
    async with web(Failing([name])) as served, to_listed(served.url) as (link, heard):
        waiting = asyncio.create_task(call(link, "waits"))
        async with asyncio.timeout(60):
            while "tools/call" not in served.methods():
                await asyncio.sleep(0.01)
        reply = await call(link, name)
        ended = await heard.one(Ended)
        lost = await waiting
        after = await call(link, "fine")
    assert reply.ending == "not-taken"
    PROSE.holds(name, reply.problem)
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
                assert "403" in (await call(link, "forbidden")).problem
                assert "10 bytes" in (await call(link, "body_cut")).problem
            assert (await call(link, "fine")).has_result
        assert heard.of(Ended) == []
