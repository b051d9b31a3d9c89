"""A card that is requested again by its entity tag, on real sockets that say what a hostile server
would.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable

import pytest

from signoff.app.engine.session_config import Target
from signoff.app.features.cards.finding_card import FoundCard, find_card
from signoff.app.protocol.extensions.server_cards import CARD_TYPE, SCHEMA
from tests.transport.webbed import Asked, answer, web

Answers = Callable[[Asked], bytes | Awaitable[bytes]]
CARD = {"$schema": SCHEMA, "name": "a/b", "version": "1", "description": "A card"}
BODY = json.dumps(CARD).encode()
CORS = (
    "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: GET\r\n"
    "Access-Control-Allow-Headers: Content-Type, If-None-Match\r\n"
    "Access-Control-Expose-Headers: ETag\r\n"
)
STATUS = ("200 OK", "304 Not Modified")
KEPT = "Cache-Control: public, max-age=3600\r\n"


def served(
    body: bytes = BODY, etag: str = '"1"', more: str = KEPT, status: str = "200 OK"
) -> bytes:
    tag = f"ETag: {etag}\r\n" if etag else ""
    return answer(status, body, CARD_TYPE, f"{CORS}{tag}{more}")


def honest(asked: Asked) -> bytes:
    if not asked.path.endswith("/server-card"):
        return answer("404 Not Found")
    if asked.headers.get("if-none-match") == '"1"':
        return served(b"", status="304 Not Modified")
    return served()


async def found(answers: Answers) -> tuple[FoundCard, list[Asked]]:
    async with web(answers) as server:
        return await find_card(Target("a", url=server.url)), server.asked


async def lines(answers: Answers) -> list[tuple[str, str]]:
    """Code and severity of each finding."""
    card, _ = await found(answers)
    return [(one.code, one.severity.value) for one in card.findings]


async def test_a_card_that_is_not_modified_is_the_same_card() -> None:
    card, asked = await found(honest)
    assert card.card is not None
    assert card.findings == ()
    sent = [one.headers.get("if-none-match") for one in asked]
    assert sent == [None, '"1"', '"signoff-never-given"']
    assert not any({"authorization", "cookie"} & one.headers.keys() for one in asked)


@pytest.mark.parametrize("tag", ["\xe9", "\u20ac", "\x80[red]"])
async def test_a_tag_that_is_not_ascii_comes_back_byte_for_byte(tag: str) -> None:
    def answers(asked: Asked) -> bytes:
        given = asked.headers.get("if-none-match", "")
        # The socket reads Latin-1 and writes UTF-8.
        is_own = given.encode("latin-1") == f'"{tag}"'.encode()
        return served(b"" if is_own else BODY, f'"{tag}"', status=STATUS[is_own])

    assert await lines(answers) == []


CACHING: dict[str, tuple[Callable[[str], bytes], str]] = {
    "always 304": (lambda tag: served(b"", status="304 Not Modified"), "error"),
    "another content": (lambda tag: served(BODY.replace(b"A card", b"B card")), "error"),
    "ignored": (lambda tag: served(), "warning"),
    "another tag": (lambda tag: served(etag=f'"{len(tag)}2"'), "warning"),
    "gone": (lambda tag: answer("500 Oh"), "error"),
    "other tag of 304": (lambda tag: served(b"", '"9"', status="304 Not Modified"), "error"),
}


@pytest.mark.parametrize("what", CACHING)
async def test_a_promise_of_caching_that_is_not_kept_is_found(what: str) -> None:
    again, severity = CACHING[what]

    def answers(asked: Asked) -> bytes:
        tag = asked.headers.get("if-none-match", "")
        return again(tag) if tag else honest(asked)

    seen = await lines(answers)
    assert ("card-caching", severity) in seen
    assert {code for code, _ in seen} == {"card-caching"}


async def test_a_304_without_a_tag_is_found() -> None:
    seen = await lines(lambda asked: served(b"", status="304 Not Modified"))
    assert ("card-caching", "error") in seen
    assert ("card-missing", "error") in seen


@pytest.mark.parametrize(
    ("etag", "more"),
    [
        ("1", KEPT),
        ('"1', KEPT),
        ('"1"', "Cache-Control: no-store\r\n"),
        ('"1"', "Cache-Control: private, max-age=60\r\n"),
        ('"1"', "Cache-Control: public\r\n"),
        ('"1"', "Cache-Control: max-age=soon\r\n"),
    ],
)
async def test_headers_that_keep_nothing_are_found(etag: str, more: str) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.headers.get("if-none-match") == '"1"':
            return served(b"", status="304 Not Modified")
        return served(etag=etag, more=more)

    assert ("card-caching", "warning") in await lines(answers)


@pytest.mark.parametrize("value", ["max-age=60", "PUBLIC , Max-Age = 60", "no-cache", "s-maxage=5"])
async def test_other_headers_keep_it(value: str) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.headers.get("if-none-match") == 'W/"1"':
            return served(b"", '"1"', status="304 Not Modified")
        return served(etag='W/"1"', more=f"Cache-Control: {value}\r\n")

    assert await lines(answers) == []


BOMB = gzip.compress(b"[" + b" " * 3_000_000 + b"]")
BODIES = {
    "huge": answer("200 OK", b"[" + b" " * 300_000 + b"]", CARD_TYPE),
    "bomb": answer("200 OK", BOMB, CARD_TYPE, "Content-Encoding: gzip\r\n"),
    "page": answer("200 OK", b"<html>sign in</html>", "text/html"),
    "elsewhere": answer("302 Found", b"", more="Location: https://b.example/card\r\n"),
    "loop": answer("302 Found", b"", more="Location: /mcp/server-card\r\n"),
    "cut": b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{",
}


@pytest.mark.parametrize("what", BODIES)
async def test_a_body_that_is_no_card_is_named_and_not_followed(what: str) -> None:
    def answers(asked: Asked) -> bytes:
        return BODIES[what] if asked.path.endswith("/server-card") else answer("404 Not Found")

    card, asked = await found(answers)
    assert card.card is None
    assert "card-missing" in {one.code for one in card.findings}
    assert card.fetched[0].outcome
    assert ("card-elsewhere" in {one.code for one in card.findings}) is (what == "elsewhere")
    assert all(one.path.startswith(("/mcp/", "/.well-known/")) for one in asked)


async def test_a_compressed_card_is_read_and_another_type_is_named() -> None:
    def answers(asked: Asked) -> bytes:
        return answer("200 OK", gzip.compress(BODY), "text/plain", "Content-Encoding: gzip\r\n")

    card, _ = await found(answers)
    assert card.card is not None
    assert "card-headers" in {one.code for one in card.findings}


async def test_a_slow_card_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.app.transport.sign_in.fetching.FETCH_SECONDS", 0.1)

    async def slow(asked: Asked) -> bytes:
        await asyncio.sleep(3_600)
        return BODY

    card, _ = await found(slow)
    assert card.card is None
    assert "not complete within" in card.fetched[0].outcome
