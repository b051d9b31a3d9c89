"""A person signs in: the question, the page, the tokens, and each fault of a server in words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from signoff.app.demo.authorization import READ, AuthorizationServer
from signoff.app.demo.replies import DemoReply
from signoff.app.transport.events import Ended, Listing, Noticed
from signoff.app.transport.http import old_sse
from signoff.app.transport.http.http import SSE
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.sign_in.browsing import NOTHING_KEPT, at_browser, place_of, signed_in
from tests.transport.sign_in.test_client_sign_in import Behind
from tests.transport.sign_in.test_client_sign_in_edges import OldSse

PROSE = approved("transport-browser-sign-in")
PEOPLE = 10.0


async def test_a_person_is_asked_once_and_signed_in() -> None:
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with signed_in(url) as (link, person):
            assert not (await call(link, "echo")).problem
            asked, page = person.asked, person.pages
            facts = link.signed_in
    assert [len(asked), len(page), person.closed] == [1, 1, [""]]
    wanted = asked[0]
    assert (wanted.url, wanted.issuer, wanted.scopes) == (url, server.issuer, (READ,))
    assert wanted.page == f"{server.issuer}/authorize"
    assert wanted.token_endpoint == f"{server.issuer}/token"
    assert wanted.registration_endpoint == f"{server.issuer}/register"
    given = {name: one[0] for name, one in parse_qs(urlsplit(page[0]).query).items()}
    assert given["redirect_uri"] == wanted.redirect
    assert (given["code_challenge_method"], given["resource"]) == ("S256", url)
    assert facts is not None
    assert (facts.issuer, facts.is_by_person, facts.is_kept) == (server.issuer, True, False)
    assert len(set(behind.tokens)) == 1


async def test_a_refusal_is_kept_until_the_next_connection() -> None:
    with signing_in_with("", Behind()) as (url, server):
        async with at_browser(url) as (_, person):
            person.agrees = False
            words = (await person.one(Ended)).words
            assert len(person.asked) == 1
        async with signed_in(url) as (_, person):
            assert len(person.asked) == 1
    PROSE.holds("refused", place_of(words, url, server.issuer))


ANSWERS = ("iss-missing", "iss-wrong", "state-wrong", "access-denied")
METADATA = (
    *("issuer-mismatch", "issuer-case", "no-pkce", "no-metadata", "points-inside"),
    *("javascript-endpoint", "file-endpoint", "fragment-endpoint", "many-scopes", "unavailable"),
    *("issuer-slash", "pkce-plain", "no-resource-metadata", "resource-mismatch", "dcr-missing"),
    *("no-authorization-server", "not-json", "redirect", "huge", "bomb"),
)


@pytest.mark.parametrize("fault", ANSWERS)
async def test_a_wrong_answer_of_the_browser_is_told(fault: str) -> None:
    with signing_in_with(fault) as (url, server):
        async with at_browser(url) as (_, person):
            words = (await person.one(Ended)).words
    assert person.closed == [words.partition(": ")[2]]
    assert server._tokens == {}
    PROSE.holds(fault, place_of(words, url, server.issuer))


@pytest.mark.parametrize("fault", first_quick(METADATA, 4))
async def test_nobody_is_asked_about_a_server_that_cannot_be_signed_in_to(fault: str) -> None:
    with signing_in_with(fault) as (url, server):
        async with at_browser(url) as (_, person):
            words = (await person.one(Ended, PEOPLE)).words
    assert (person.asked, person.pages, server._clients) == ([], [], {})
    assert len(words) < 1_200
    assert words.isprintable()
    PROSE.holds(fault, place_of(words, url, server.issuer))


@pytest.mark.parametrize(
    "fault", first_quick(["no-challenge", "old-way", "resource-parent", "openid-only"], 2)
)
async def test_a_person_is_asked_where_a_sign_in_works(fault: str) -> None:
    with signing_in_with(fault, Behind()) as (url, _):
        async with signed_in(url) as (link, person):
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 1


async def test_no_token_is_requested_twice_from_a_server_that_accepts_none() -> None:
    with signing_in_with("always-401") as (url, server):
        async with at_browser(url) as (_, person):
            words = (await person.one(Ended)).words
    assert (len(person.asked), len(server._tokens)) == (1, 1)
    PROSE.holds("no token is accepted", place_of(words, url, server.issuer))


class SaysWhatItSays(AuthorizationServer):
    """Its answers name the issuer of its metadata, whatever that is."""

    def _authorize(self, given: Mapping[str, str]) -> DemoReply:
        reply = super()._authorize(given)
        here, told = (urlencode({"iss": one}) for one in (self.issuer, self.metadata()["issuer"]))
        reply.headers["location"] = reply.headers["location"].replace(here, told)
        return reply

    def metadata(self) -> dict[str, Any]:
        found = super().metadata()
        if self.fault == "no-code":
            found["response_types_supported"] = ["token"]
        return found


LENIENT = (
    ("issuer", "issuer-slash", "lenient about a slash"),
    ("issuer", "issuer-mismatch", "lenient about the issuer"),
    ("resource", "resource-mismatch", "lenient about the resource"),
    ("pkce", "no-pkce", "lenient about no PKCE"),
    ("pkce", "pkce-plain", "lenient about another PKCE"),
    ("metadata", "no-code", "lenient about the metadata"),
)


@pytest.mark.parametrize(("name", "fault", "told"), first_quick(LENIENT, 2, several=True))
async def test_what_is_set_aside_is_loud(name: str, fault: str, told: str) -> None:
    options = BrowserOptions(store=None, lenient=(name,))
    with signing_in_with(fault, Behind(), SaysWhatItSays) as (url, server):
        async with signed_in(url, options) as (link, person):
            found = [one.finding for one in person.of(Noticed)]
            assert link.signed_in is not None
            assert link.signed_in.doubts == person.asked[0].doubts != ()
    assert [one.code for one in found] == ["sign-in-lenient"]
    PROSE.holds(told, place_of(found[0].message, url, server.issuer))


@pytest.mark.parametrize(
    ("lenient", "fault"),
    first_quick(
        [
            (("issuer", "resource", "pkce", "metadata"), "iss-wrong"),
            (("issuer", "resource", "pkce", "metadata"), "iss-missing"),
        ],
        2,
        several=True,
    ),
)
async def test_nothing_else_is_set_aside(lenient: tuple[str, ...], fault: str) -> None:
    options = BrowserOptions(store=None, lenient=lenient)
    with signing_in_with(fault) as (url, server):
        async with at_browser(url, options) as (_, person):
            await person.one(Ended)
    assert server._tokens == {}


async def test_another_issuer_than_the_one_given_is_refused() -> None:
    options = BrowserOptions(store=None, issuer="https://issuer.example")
    with signing_in_with() as (url, server):
        async with at_browser(url, options) as (_, person):
            words = (await person.one(Ended)).words
    assert person.asked == []
    PROSE.holds("another issuer", place_of(words, url, server.issuer))


@pytest.mark.parametrize("visits", [False, True])
async def test_closing_leaves_no_question_no_port_and_no_task(visits: bool) -> None:
    with signing_in_with("") as (url, _):
        async with at_browser(url) as (_, person):
            person.agrees, person.visits_pages = (True if visits else None), False
            await person.until(lambda: person.pages if visits else person.asked)
            redirect = urlsplit(person.asked[0].redirect)
            assert redirect.port is not None
            assert await is_open(redirect.port)
        assert not await is_open(redirect.port)
        assert len(person.closed) == 1


async def is_open(port: int) -> bool:
    """True if something listens on a port."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def test_time_limits_stand_still_while_a_person_is_asked() -> None:
    with signing_in_with("", Behind()) as (url, _):
        async with at_browser(url, NOTHING_KEPT) as (link, person):
            person.agrees = None
            await person.until(lambda: person.open)
            asking = asyncio.create_task(link.ask("ping", {}, 0.3))
            await asyncio.sleep(0.6)
            assert not asking.done()
            person.open[0].allow()
            await person.settled()
            await asking


@pytest.mark.slow
async def test_nor_does_the_limit_of_the_old_transport_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_sse, "OPEN_SECONDS", 0.3)
    with signing_in_with("", OldSse()) as (url, _):
        async with at_browser(url, NOTHING_KEPT, SSE) as (link, person):
            person.agrees = None
            await person.until(lambda: person.open)
            await asyncio.sleep(0.6)
            person.open[0].allow()
            assert isinstance(await person.settled(), Listing)
            assert not (await call(link, "echo")).problem
