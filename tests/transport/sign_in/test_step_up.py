"""More rights in the middle of a session: asked for once, with those that are there (SEP-2350)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from signoff.app.demo.authorization import CALL, READ, IssuedGrant
from signoff.app.demo.replies import DemoReply, json_reply, send_reply
from signoff.app.demo.serve import MCP, Protected
from signoff.app.transport.events import Ended
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.sign_in.browsing import place_of, signed_in
from tests.transport.sign_in.rotating import Rotating, changed, refusing
from tests.transport.sign_in.test_client_sign_in import CREDENTIALS, Behind
from tests.transport.webbed import to_listed

PROSE = approved("transport-step-up")


async def test_a_call_that_needs_more_rights_asks_for_all_of_them() -> None:
    behind = Behind()
    with signing_in_with("step-up", behind, Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            assert not (await call(link, "echo")).problem
            assert [one.scopes for one in person.asked] == [(READ,), (READ, CALL)]
            asked = person.asked[1]
            assert (asked.added, asked.granted) == ((CALL,), (READ,))
            # The client is known already.
            assert asked.registration_endpoint == ""
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 2
            assert link.signed_in is not None
            assert link.signed_in.scopes == (READ, CALL)
    assert (server.registered, server.codes) == (1, 2)


class Offline(Rotating):
    """Gives refresh tokens for their scope alone, and does not repeat it."""

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {"scopes_supported": [READ, CALL, "offline_access"]}

    def _tokens_for(self, grant: IssuedGrant, *, has_refresh: bool = True) -> DemoReply:
        is_offline = "offline_access" in grant.scope.split()
        reply = super()._tokens_for(grant, has_refresh=is_offline)
        plain = " ".join(one for one in grant.scope.split() if one != "offline_access")
        return changed(reply, scope=plain)


async def test_more_rights_do_not_lose_the_refresh_token() -> None:
    with signing_in_with("step-up", Behind(), Offline) as (url, server):
        async with signed_in(url) as (link, person):
            assert not (await call(link, "echo")).problem
            assert {*person.asked[1].scopes} == {READ, CALL, "offline_access"}
            server.forget()
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 2
    assert server.refreshes == 1


async def test_several_calls_at_once_lead_to_one_question() -> None:
    with signing_in_with("step-up", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            replies = await asyncio.gather(*(call(link, "echo") for _ in range(10)))
            assert len(person.asked) == 2
    assert not any(one.problem for one in replies)
    assert server.codes == 2


async def test_a_refusal_fails_only_the_call() -> None:
    with signing_in_with("step-up", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            person.agrees = False
            first = (await call(link, "echo")).problem
            again = (await call(link, "echo")).problem
            # What the token is enough for goes on, also its renewal.
            assert await link.list_tools() is not None
            server.forget()
            assert await link.list_tools() is not None
            assert not person.of(Ended)
            # “Not now” is no answer to the next call.
            assert len(person.asked) == 3
    assert (server.codes, server.refreshes) == (1, 1)
    PROSE.holds("refused", place_of(first, url, server.issuer))
    assert first == again


async def test_nobody_to_ask_fails_only_the_call() -> None:
    with signing_in_with("step-up", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            person.agrees = None
            calling = asyncio.create_task(call(link, "echo"))
            await person.until(lambda: len(person.open) == 2)
            person.open[1].refuse("", is_by_nobody=True)
            words = (await calling).problem
            server.forget()
            assert await link.list_tools() is not None
    PROSE.holds("nobody", place_of(words, url, server.issuer))


async def test_rights_that_are_not_granted_are_asked_for_once() -> None:
    def narrow(reply: Any) -> Any:
        found = json.loads(reply.body)
        server._tokens[found["access_token"]].scope = READ
        return json_reply({**found, "scope": READ})

    with signing_in_with("step-up", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            server.of_code = narrow
            first, again = [(await call(link, "echo")).problem for _ in range(2)]
            assert first == again != ""
            assert len(person.asked) == 2
    PROSE.holds("not granted", place_of(first, url, server.issuer))


async def test_an_authorization_server_that_refuses_more_rights() -> None:
    with signing_in_with("step-up", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            server.of_code = refusing("invalid_scope")
            words = [(await call(link, "echo")).problem for _ in range(2)]
            assert len(person.asked) == 2
            server.of_code = None
            server.forget()
            assert await link.list_tools() is not None
    PROSE.holds("refused by the issuer", place_of(words[0], url, server.issuer))
    PROSE.holds("refused by the issuer before", place_of(words[1], url, server.issuer))


class Wants(Behind):
    """Requires for each call what a function names."""

    def __init__(self, wanted: Callable[[int], str]) -> None:
        super().__init__()
        self._wanted = wanted
        self.calls = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive()).get("body", b"")
        if b'"tools/call"' in body:
            self.calls += 1
            reply = json_reply({}, 403)
            named = self._wanted(self.calls)
            reply.headers["www-authenticate"] = f'Bearer error="insufficient_scope"{named}'
            await send_reply(send, reply)
            return

        async def again() -> Any:
            return {"type": "http.request", "body": body}

        await super().__call__(scope, again, send)


DEMANDS: dict[str, tuple[Callable[[int], str], int]] = {
    "no scope named": (lambda number: "", 0),
    "what it has": (lambda number: f', scope="{READ}"', 0),
    "many": (lambda number: f', scope="{" ".join(f"s{one}" for one in range(5_000))}"', 0),
    "one with a backslash": (lambda number: ', scope="a\\\\b"', 0),
    "another one each time": (lambda number: f', scope="s{number}"', 5),
}


@pytest.mark.parametrize("name", first_quick(DEMANDS))
async def test_a_demand_that_leads_nowhere_ends(name: str) -> None:
    wanted, questions = DEMANDS[name]
    behind = Wants(wanted)
    with signing_in_with("", behind, Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            words = (await call(link, "echo")).problem
            assert len(person.asked) == 1 + questions
            assert behind.calls == 1 + questions
            assert not person.of(Ended)
    assert len(words) < 1_000
    assert words.isprintable()
    PROSE.holds(name, place_of(words, url, server.issuer))


class OpenBut:
    """Needs a token for calls alone, and says so with 403."""

    def __init__(self, protected: Protected) -> None:
        self._protected = protected
        self._open = Behind()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] != MCP or b"authorization" in dict(scope["headers"]):
            await self._protected(scope, receive, send)
            return
        message = await receive()
        if b'"tools/call"' in message["body"]:
            reply = json_reply({}, 403)
            named = f'error="insufficient_scope", scope="{CALL}", {self._protected._metadata}'
            reply.headers["www-authenticate"] = f"Bearer {named}"
            await send_reply(send, reply)
            return

        async def again() -> Any:
            return message

        headers = [*scope["headers"], (b"authorization", b"Bearer none")]
        await self._open(scope | {"headers": headers}, again, send)


async def test_a_call_that_needs_rights_and_has_no_token_leads_to_a_sign_in() -> None:
    with signing_in_with("", Behind(), Rotating, OpenBut) as (url, _):
        async with signed_in(url) as (link, person):
            assert person.asked == []
            assert not (await call(link, "echo")).problem
            assert [one.scopes for one in person.asked] == [(CALL,)]


async def test_a_client_by_itself_signs_in_for_such_a_call_too() -> None:
    with signing_in_with("", Behind(), Rotating, OpenBut) as (url, server):
        async with to_listed(url, credentials=CREDENTIALS) as (link, _):
            assert not (await call(link, "echo")).problem
    assert server.asked_by_clients == 1
