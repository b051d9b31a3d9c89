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

EXPECTED: dict[str, Ending | str] = {
    "reset": LOST,
    "bad_request": REFUSED,
    "sign_in": REFUSED,
    "forbidden": REFUSED,
    "forbidden_rpc": REFUSED,
    "forbidden_page": REFUSED,
    "forbidden_silently": REFUSED,
    "not_allowed": REFUSED,
    "not_acceptable": REFUSED,
    "unsupported": REFUSED,
    "too_many": REFUSED,
    "too_many_rpc": REFUSED,
    "broken": FAILED,
    "bad_gateway": FAILED,
    "unavailable": FAILED,
    "gateway_time": FAILED,
    "elsewhere": REFUSED,
    "found": REFUSED,
    "circle": REFUSED,
    "page": UNREADABLE,
    "plain_text": UNREADABLE,
    "empty": UNREADABLE,
    "no_kind": UNREADABLE,
    "no_content": UNREADABLE,
    "accepted": UNREADABLE,
    "closed": LOST,
    "head_cut": LOST,
    "body_cut": LOST,
    "body_too_long": UNREADABLE,
    "odd_length": LOST,
    "chunk_cut": LOST,
    "bad_chunk": LOST,
    "stream_cut": LOST,
    "stream_chunk_cut": LOST,
    "headers_flood": LOST,
    "long_header": LOST,
    "switching": LOST,
    "ssh": LOST,
    "tls_alert": LOST,
    "brotli": UNREADABLE,
    "zstd": UNREADABLE,
    "bad_gzip": UNREADABLE,
    "gzip_cut": UNREADABLE,
    "layers": UNREADABLE,
    "bomb": UNREADABLE,
    "stacked_bomb": UNREADABLE,
    "idle_layers": UNREADABLE,
    "deflate_bomb": UNREADABLE,
    "bomb_in_events": UNREADABLE,
    "comment_bomb": UNREADABLE,
    "bomb_in_error": REFUSED,
    "dripping_error": REFUSED,
}
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


@pytest.mark.parametrize("name", first_quick(EXPECTED, 16))
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
