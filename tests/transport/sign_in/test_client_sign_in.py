"""A client that signs in by itself: one token for many, and why there is none."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from signoff.app.demo.authorization import CLIENT, READ, SECRET
from signoff.app.demo.replies import json_reply, send_reply
from signoff.app.transport.events import Ended, Noticed
from signoff.app.transport.sign_in import tokens
from signoff.app.transport.sign_in.credentials import ClientCredentials
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.webbed import to, to_listed

PROSE = approved("transport-client-sign-in")
CREDENTIALS = ClientCredentials(CLIENT, SECRET)
TOGETHER = 4


class Behind:
    """A server of the modern era, of which calls wait until some of them are there at once."""

    def __init__(self, together: int = 1) -> None:
        self._together = together
        self._there = 0
        self._all = asyncio.Event()
        self.tokens: list[str] = []
        self.says: dict[str, Any] = {"content": []}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        token = headers[b"authorization"].decode().removeprefix("Bearer ")
        self.tokens.append(token)
        body = b""
        while True:
            part = await receive()
            body += part.get("body", b"")
            if not part.get("more_body"):
                break
        asked = json.loads(body)
        found: Any = {}
        match asked["method"]:
            case "server/discover":
                found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            case "tools/list":
                found = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
            case "tools/call":
                self._there += 1
                if self._there == self._together:
                    self._all.set()
                await self._all.wait()
                found = {**self.says, "_meta": {"token": token}} if self.says else {}
        reply = {"jsonrpc": "2.0", "id": asked.get("id"), "result": {"resultType": "complete"}}
        reply["result"] |= found
        await send_reply(send, json_reply(reply))


async def test_calls_wait_for_one_token_and_not_for_each_other() -> None:
    behind = Behind(TOGETHER)
    with signing_in_with("", behind) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            replies = await asyncio.gather(*(call(link, "echo") for _ in range(TOGETHER)))
    assert [one.problem for one in replies] == [""] * TOGETHER
    assert server.asked_by_clients == 1
    assert len(set(behind.tokens)) == 1


async def test_a_token_is_replaced_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(tokens, "monotonic", lambda: now[0])
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            await call(link, "echo")
            assert server.asked_by_clients == 1
            now[0] += 3_600 - 2 * tokens.EARLY_SECONDS
            await call(link, "echo")
            assert server.asked_by_clients == 1
            now[0] += 1.5 * tokens.EARLY_SECONDS
            # It is replaced beside this call, which still has the first one.
            before = link.signed_in.until
            assert not (await call(link, "echo")).problem
            assert len(set(behind.tokens)) == 1
            async with asyncio.timeout(20):
                while link.signed_in.until == before:
                    await asyncio.sleep(0.01)
            assert not (await call(link, "echo")).problem
            assert (server.asked_by_clients, len(set(behind.tokens))) == (2, 2)
            # After its end, a call waits for another one.
            now[0] += 3_601
            assert not (await call(link, "echo")).problem
            assert (server.asked_by_clients, len(set(behind.tokens))) == (3, 3)


async def test_a_new_connection_signs_in_again() -> None:
    with signing_in_with("", Behind()) as (url, server):
        for times in (1, 2):
            async with to_listed(url, credentials=CREDENTIALS):
                assert server.asked_by_clients == times


async def test_a_token_that_is_never_accepted_is_not_requested_again() -> None:
    with signing_in_with("always-401") as (url, server):
        async with to(url, credentials=CREDENTIALS) as (_, heard):
            words = (await heard.one(Ended)).words
    PROSE.holds("a token that is not accepted", told(words, url, server.issuer))
    assert server.asked_by_clients == 1


def told(words: str, url: str, issuer: str) -> str:
    return words.replace(url, "SERVER").replace(issuer, "ISSUER")


FINAL = (
    *("no-metadata", "many-scopes"),
    *("client-refused", "client-not-allowed", "scope-refused", "token-html", "token-redirect"),
    *("token-huge", "token-broken", "token-type", "token-missing", "token-unsendable"),
    *("token-unavailable", "token-too-many"),
    *("issuer-slash", "resource-mismatch", "file-endpoint", "points-inside"),
    *("no-resource-metadata", "huge", "bomb"),
)


@pytest.mark.parametrize("fault", first_quick(FINAL, 4))
async def test_a_fault_is_told_once_and_tried_once(fault: str) -> None:
    with signing_in_with(fault) as (url, server):
        async with to(url, credentials=CREDENTIALS) as (link, heard):
            words = (await heard.one(Ended)).words
            seen = repr(link.wire.since(0)) + repr(heard.events)
    assert SECRET not in words + seen
    assert len(words) < 1_000
    assert words.isprintable()
    PROSE.holds(fault, told(words, url, server.issuer))
    assert server.asked_by_clients <= 1


@pytest.mark.parametrize(
    "fault", first_quick(["no-pkce", "dcr-missing", "javascript-endpoint", "openid-only"])
)
async def test_faults_of_the_sign_in_of_people_do_not_matter(fault: str) -> None:
    with signing_in_with(fault, Behind()) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            assert link.signed_in.issuer == server.issuer


@pytest.mark.parametrize("fault", ["expires-negative", "expires-text"])
async def test_a_token_with_an_odd_lifetime_is_used_until_it_is_refused(fault: str) -> None:
    with signing_in_with(fault, Behind()) as (url, _):
        async with to_listed(url, credentials=CREDENTIALS) as (link, heard):
            found = [one.finding for one in heard.of(Noticed)]
            assert link.signed_in.until is None
    assert [one.code for one in found] == ["sign-in-token-lifetime"]
    PROSE.holds(fault, found[0].message)


async def test_too_few_rights_are_told() -> None:
    with signing_in_with("step-up", Behind()) as (url, _):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            reply = await call(link, "echo")
        PROSE.holds("too few rights", reply.problem)
        wide = ClientCredentials(CLIENT, SECRET, scope="demo:read demo:call")
        async with to_listed(url, credentials=wide) as (link, _):
            assert not (await call(link, "echo")).problem


async def test_the_secret_goes_to_no_other_issuer() -> None:
    other = ClientCredentials(CLIENT, SECRET, issuer="https://issuer.example")
    with signing_in_with() as (url, server):
        async with to(url, credentials=other) as (_, heard):
            words = (await heard.one(Ended)).words
    assert server.asked_by_clients == 0
    PROSE.holds("another issuer", told(words, url, server.issuer))


async def test_facts_have_no_token_and_a_repeated_token_is_hidden() -> None:
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, heard):
            behind.says = {"content": [{"type": "text", "text": "x"}]}
            reply = await call(link, "echo")
            facts = link.signed_in
            everything = repr((reply, link.wire.since(0), heard.events, facts, link.route))
    assert set(behind.tokens)
    for secret in (*behind.tokens, SECRET, *CREDENTIALS.secrets):
        assert secret not in everything
    assert "[hidden]" in everything
    assert (facts.client_id, facts.issuer, facts.scopes) == (CLIENT, server.issuer, (READ,))
    assert facts.end.endswith("UTC")


async def test_weather_at_a_renewal_leaves_the_token_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(tokens, "monotonic", lambda: now[0])
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            server.fault = "token-unavailable"
            now[0] += 3_600 - tokens.EARLY_SECONDS / 2
            assert not (await call(link, "echo")).problem
            async with asyncio.timeout(20):
                while not link.signed_in.problem:
                    await asyncio.sleep(0.01)
            assert not (await call(link, "echo")).problem
            rows = "\n".join(f"{label}: {words}" for label, words in link.signed_in.rows[-1:])
            PROSE.holds("not renewed", told(rows, url, server.issuer))
    # No other try before the time of Retry-After.
    assert server.asked_by_clients == 2
    assert len(set(behind.tokens)) == 1
