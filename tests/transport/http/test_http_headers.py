"""Headers that a person gave: sent with every request to this origin, and shown nowhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from signoff.app.transport.events import Ended, Reply
from signoff.app.transport.http.http import HttpLink
from tests.transport.linked import Heard, call
from tests.transport.webbed import (
    Asked,
    Held,
    answer,
    answering,
    greets,
    greets_modern,
    result,
    to,
    to_listed,
    web,
)

TOKEN = "t0k3n-of-mine"
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Team": "blue-team-value"}
KEY = b"k" * 32


@pytest.mark.parametrize("hello", [greets, greets_modern])
async def test_every_request_has_them(hello: Callable[..., bytes]) -> None:
    more = {"session": True} if hello is greets else {}
    answers = answering({"tools/call": lambda one: result(one, {"content": []})}, hello, **more)
    async with web(answers) as served, to_listed(served.url, HEADERS) as (link, _):
        assert isinstance(await call(link, "echo"), Reply)
        await link.close()
        verbs = {one.verb for one in served.asked}
        assert verbs >= ({"POST", "GET", "DELETE"} if hello is greets else {"POST"})
        for one in served.asked:
            assert one.headers["authorization"] == f"Bearer {TOKEN}"
            assert one.headers["x-team"] == "blue-team-value"


async def test_no_header_of_the_transport_can_be_replaced() -> None:
    given = {"Accept": "text/plain", "Content-Type": "text/plain"}
    async with web(greets) as served, to_listed(served.url, given):
        assert all(one.headers["content-type"] == "application/json" for one in served.asked[:1])
        assert all("application/json" in one.headers["accept"] for one in served.asked[:1])


async def test_a_redirect_takes_them_along_within_the_origin_only() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.path == "/mcp":
            return answer("307 Temporary Redirect", more="Location: /other\r\n")
        return greets(asked)

    async with web(answers) as served, to_listed(served.url, HEADERS):
        others = [one for one in served.asked if one.path == "/other"]
        assert others
        assert all(one.headers["authorization"] == f"Bearer {TOKEN}" for one in others)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_another_origin_never_gets_them(status: str) -> None:
    async with web(greets) as thief:

        def answers(asked: Asked) -> bytes:
            return answer(status, more=f"Location: {thief.url}\r\n")

        async with web(answers) as served, to(served.url, HEADERS) as (_, heard):
            await heard.one(Ended)
        assert thief.asked == []


async def test_neither_the_wire_nor_a_refusal_shows_them() -> None:
    def answers(asked: Asked) -> bytes:
        told = f"bad token {TOKEN} of blue-team-value"
        return answer("401 Unauthorized", told.encode(), kind="text/plain")

    async with web(answers) as served, to(served.url, HEADERS) as (link, heard):
        ended = await heard.one(Ended)
        assert "401" in ended.words
        assert TOKEN not in ended.words
        assert "blue-team-value" not in ended.words
        shown = str([one.http for one in link.wire.since(0)]).lower()
        assert "x-team" in shown
        assert "blue-team-value" not in shown
        assert TOKEN not in shown


async def test_an_approval_is_bound_to_their_values() -> None:
    url = "http://127.0.0.1:1/mcp"
    plain = HttpLink(url)
    given = (HEADERS, dict(reversed(HEADERS.items())), HEADERS | {"X-Team": "red"})
    first, same, other = [await HttpLink(url, headers=one).fingerprint(KEY) for one in given]
    assert await plain.fingerprint(KEY) is None
    assert first is not None
    assert first == same != other
    assert [name for name, _ in first.values] == ["authorization", "x-team"]
    assert "blue" not in first.text
    assert plain.identity == HttpLink(url, headers=HEADERS).identity


@pytest.mark.parametrize("place", ["redirect", "challenge", "endpoint"])
async def test_words_of_signoff_never_repeat_them(place: str) -> None:
    async def answers(asked: Asked) -> bytes:
        if place == "redirect":
            return answer("307 Odd", more=f"Location: http://elsewhere.example/{TOKEN}\r\n")
        if place == "challenge":
            return answer("401 No", more=f'WWW-Authenticate: Bearer realm="{TOKEN}"\r\n')
        return Held(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            b"event: endpoint\ndata: http://elsewhere.example/" + TOKEN.encode() + b"\n\n"
        )

    async with web(answers) as served:
        way = "sse" if place == "endpoint" else "auto"
        link = HttpLink(served.url, headers=HEADERS, way=way)
        heard = Heard(link)
        link.attach(heard)
        ended = await heard.one(Ended)
        await link.close()
        assert TOKEN not in ended.words
        heads = [one.http for one in link.wire.since(0)]
        notes = [one.raw for one in link.wire.since(0) if one.http is None]
        assert TOKEN not in str((heads, notes))


async def test_a_password_in_the_address_of_a_configured_server_is_no_fault() -> None:
    url = "http://me:s3cret-s3cret@127.0.0.1:9/mcp"
    link = HttpLink(url, shown="http://me:[masked: 13 characters]@127.0.0.1:9/mcp")
    assert link.identity == "http:http://127.0.0.1:9/mcp"
    assert "s3cret" not in link.command
