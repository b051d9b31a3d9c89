"""Tokens of a person in the middle of a session: renewed, refused, used up, shared by processes."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.demo.authorization import LIFETIME
from signoff.app.demo.replies import DemoReply
from signoff.app.storage.sign_ins import SignInStore
from signoff.app.transport.events import Ended, Noticed
from signoff.app.transport.sign_in import tokens
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.sign_in.browsing import at_browser, kept_in, place_of, signed_in
from tests.transport.sign_in.rotating import Rotating, changed, huge, page, refusing
from tests.transport.sign_in.test_client_sign_in import Behind

PROSE = approved("transport-browser-tokens")


def rotating(app: Any = None, fault: str = "") -> Any:
    return signing_in_with(fault, app or Behind(), Rotating)


async def test_a_token_is_replaced_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(tokens, "monotonic", lambda: now[0])
    behind = Behind()
    with rotating(behind) as (url, server):
        async with signed_in(url) as (link, person):
            now[0] += LIFETIME - tokens.EARLY_SECONDS / 2
            # It is replaced beside this call, which still has the first one.
            assert not (await call(link, "echo")).problem
            async with asyncio.timeout(20):
                while not server.refreshes:
                    await asyncio.sleep(0.01)
            assert not (await call(link, "echo")).problem
            now[0] += LIFETIME + 1
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 1
    assert (server.codes, server.refreshes, server.reused) == (1, 2, 0)


async def test_a_refused_renewal_is_tried_once_and_the_token_used_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(tokens, "monotonic", lambda: now[0])
    with rotating() as (url, server):
        async with signed_in(url) as (link, person):
            server.of_refresh = refusing("invalid_grant")
            now[0] += LIFETIME - tokens.EARLY_SECONDS / 2
            for _ in range(5):
                assert not (await call(link, "echo")).problem
            assert (server.refreshes, len(person.asked)) == (1, 1)
            now[0] += LIFETIME
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 2
            assert "invalid_grant" in person.asked[1].why


async def test_a_token_that_the_server_forgets_is_replaced_and_the_call_sent_again() -> None:
    behind = Behind()
    with rotating(behind, "token-forgotten") as (url, server):
        async with signed_in(url) as (link, person):
            for _ in range(12):
                assert not (await call(link, "echo")).problem
            assert len(person.asked) == 1
    assert server.refreshes >= 2
    assert server.reused == 0


@pytest.mark.slow
async def test_tokens_of_two_seconds_are_replaced_all_the_time() -> None:
    with signing_in_with("token-short", Behind()) as (url, _):
        async with signed_in(url) as (link, person):
            for _ in range(50):
                assert not (await call(link, "echo")).problem
                await asyncio.sleep(0.1)
            assert len(person.asked) == 1


FINAL = {
    "invalid_grant": refusing("invalid_grant"),
    "an unknown client": refusing("invalid_client", 401),
    "invalid_grant with words": refusing("invalid_grant", error_description="gone\x1b[0m"),
    "no refresh tokens": refusing("unsupported_grant_type"),
    "no such page": page(404),
    "a page": page(200),
    "a forbidden page": page(403),
    "a refresh of 60 MB": huge,
    "a refresh without a token": lambda reply: changed(reply, access_token=None),
    "a refresh with another kind": lambda reply: changed(reply, token_type="DPoP"),
}
WEATHER = {
    "not available": refusing("temporarily_unavailable", 503),
    "too many": page(429),
    "behind a broken proxy": page(520),
}


@pytest.mark.parametrize("name", first_quick(FINAL))
async def test_a_refused_refresh_leads_to_the_question_with_the_reason(
    name: str, tmp_path: Path
) -> None:
    with rotating() as (url, server):
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            server.forget()
            server.of_refresh = FINAL[name]
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 2
            why = person.asked[1].why
    assert why.isprintable()
    assert server.registered == (2 if name == "an unknown client" else 1)
    PROSE.holds(name, place_of(why, url, server.issuer))


@pytest.mark.parametrize("name", first_quick(WEATHER, 1))
async def test_weather_leads_to_no_question_and_keeps_the_sign_in(
    name: str, tmp_path: Path
) -> None:
    with rotating() as (url, server):
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            server.forget()
            server.of_refresh = WEATHER[name]
            # No refresh token is spent in vain.
            server._token = lambda given: WEATHER[name](DemoReply(200))
            words = (await call(link, "echo")).problem
            assert len(person.asked) == 1
            del server._token
        server.of_refresh = None
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            assert not (await call(link, "echo")).problem
            assert person.asked == []
    PROSE.holds(name, place_of(words, url, server.issuer))


async def test_metadata_that_is_not_available_for_a_while_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("signoff.app.transport.sign_in.browser_sign_in.PAUSE_SECONDS", 0.0)
    with rotating() as (url, server):
        async with signed_in(url) as (link, person):
            server.forget()
            server.fault = "unavailable"
            words = (await call(link, "echo")).problem
            server.fault = ""
            assert not (await call(link, "echo")).problem
            assert len(person.asked) == 1
    PROSE.holds("metadata not available", place_of(words, url, server.issuer))


async def test_a_refusal_of_the_question_fails_the_calls_and_keeps_the_connection() -> None:
    with rotating() as (url, server):
        async with signed_in(url) as (link, person):
            server.forget()
            server.of_refresh = refusing("invalid_grant")
            person.agrees = False
            first, second = [(await call(link, "echo")).problem for _ in range(2)]
            assert first == second
            assert len(person.asked) == 2
            assert not person.of(Ended)
    PROSE.holds("a call without a sign-in", place_of(first, url, server.issuer))


async def test_what_could_not_be_written_is_used_instead_of_what_is_there(tmp_path: Path) -> None:
    def many_scopes(reply: DemoReply) -> DemoReply:
        return changed(reply, scope="a " * 100_000)

    with rotating() as (url, server):
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            server.of_refresh = many_scopes
            for _ in range(3):
                server.forget()
                assert not (await call(link, "echo")).problem
            assert (len(person.asked), server.refreshes, server.reused) == (1, 3, 0)
            found = [one.finding for one in person.of(Noticed)]
            assert {one.code for one in found} == {"sign-in-not-kept"}
    begin = "the sign-in is in memory alone, and lost at the end: the sign-in has 400,"
    assert found[0].message.startswith(begin)


async def test_two_with_one_store_refresh_once(tmp_path: Path) -> None:
    options = kept_in(tmp_path)
    with rotating() as (url, server):
        async with (
            signed_in(url, options) as (one, _),
            signed_in(url, kept_in(tmp_path)) as (two, _),
        ):
            for times in (1, 2, 3):
                server.forget()
                for link in (one, two):
                    assert not (await call(link, "echo")).problem
                assert (server.refreshes, server.reused) == (times, 0)
            server.forget()
            replies = await asyncio.gather(*(call(link, "echo") for link in (one, two) * 5))
            assert not any(one.problem for one in replies)
    assert (server.refreshes, server.codes, server.reused) == (4, 1, 0)


async def test_a_question_that_is_open_while_another_signs_in_harms_nobody(tmp_path: Path) -> None:
    with rotating() as (url, server):
        async with at_browser(url, kept_in(tmp_path)) as (first, person):
            person.agrees = None
            await person.until(lambda: person.open)
            async with signed_in(url, kept_in(tmp_path)):
                pass
            person.open[0].allow()
            await person.settled()
            server.forget()
            assert not (await call(first, "echo")).problem
    assert server.reused == 0


class Hasty(SignInStore):
    """Waits for no other process."""

    def locked(self, resource: str, issuer: str, seconds: float = 0.01) -> Any:
        return super().locked(resource, issuer, seconds)


async def test_nothing_is_refreshed_without_the_lock(tmp_path: Path) -> None:
    store = Hasty(tmp_path / "sign-ins", keyring=False)
    with rotating() as (url, server):
        async with signed_in(url, BrowserOptions(store=store)) as (link, person):
            server.forget()
            with SignInStore(tmp_path / "sign-ins", keyring=False).locked(url, server.issuer):
                words = (await call(link, "echo")).problem
            assert (server.refreshes, len(person.asked)) == (0, 1)
    PROSE.holds("the lock is held", place_of(words, url, server.issuer))


async def test_another_authorization_server_gets_no_token_of_the_first(tmp_path: Path) -> None:
    with rotating() as (url, old), rotating() as (_, new):
        async with signed_in(url, kept_in(tmp_path)) as (link, person):
            # The server's metadata names another one from now on.
            first, old.issuer = old.issuer, new.issuer
            old.forget()
            words = (await call(link, "echo")).problem
            assert person.asked[1].issuer_before == first
            assert person.asked[1].issuer == new.issuer
            assert person.asked[1].registration_endpoint.startswith(new.issuer)
    assert "does not accept a new token" in words
    assert (new.refreshes, new.registered, new.codes) == (0, 1, 1)


async def test_a_token_endpoint_at_another_machine_gets_no_refresh_token(tmp_path: Path) -> None:
    kept = kept_in(tmp_path)
    with rotating() as (url, server):
        async with signed_in(url, kept):
            pass
        assert kept.store is not None
        (entry,) = kept.store.all()
        assert entry.token_endpoint == f"{server.issuer}/token"
        kept.store.write(replace(entry, token_endpoint="http://127.0.0.1:9/token", until=1.0))
        async with signed_in(url, kept) as (_, person):
            assert server.refreshes == 0
            assert f"127.0.0.1:9/token, and is {server.issuer}/token now" in person.asked[0].why


async def test_a_later_run_does_not_ask_not_even_for_scopes_that_were_not_granted(
    tmp_path: Path,
) -> None:
    kept = kept_in(tmp_path, scope="demo:read demo:call")
    with rotating() as (url, server):
        server.of_code = lambda reply: changed(reply, scope="demo:read")
        async with signed_in(url, kept) as (_, person):
            assert len(person.asked) == 1
        async with signed_in(url, kept) as (link, person):
            assert not (await call(link, "echo")).problem
            assert person.asked == []
            assert link.signed_in is not None
            assert link.signed_in.scopes == ("demo:read",)
            assert (link.signed_in.issuer, link.signed_in.is_kept) == (server.issuer, True)


async def test_an_issuer_that_changes_gets_no_refresh_token() -> None:
    with rotating(fault="issuer-changes") as (url, server):
        async with signed_in(url) as (link, person):
            server.forget()
            words = (await call(link, "echo")).problem
            assert (len(person.asked), server.refreshes) == (1, 0)
    assert "the issuers differ: “https://issuer.example” in the metadata" in words


@pytest.mark.slow
async def test_metadata_that_never_arrives_is_given_up() -> None:
    with rotating(fault="slow") as (url, server):
        async with at_browser(url) as (_, person):
            words = (await person.one(Ended)).words
            assert person.asked == []
    PROSE.holds("metadata that never arrives", place_of(words, url, server.issuer))


REGISTRATIONS = {
    "registers with a key": lambda reply: changed(
        reply, token_endpoint_auth_method="private_key_jwt"
    ),
    "registers without a secret": lambda reply: changed(
        reply, token_endpoint_auth_method="client_secret_post"
    ),
    "registers with a number": lambda reply: changed(reply, client_secret=12_345_678),
    "registers with 60 MB": huge,
    "registers nobody": refusing("access_denied", 403),
    "registers nobody now": refusing("temporarily_unavailable", 503),
}


@pytest.mark.parametrize("name", first_quick(REGISTRATIONS, 2))
async def test_a_wrong_registration_opens_no_page(name: str) -> None:
    with rotating() as (url, server):
        server.of_registration = REGISTRATIONS[name]
        async with at_browser(url) as (_, person):
            words = (await person.one(Ended)).words
            assert (len(person.asked), person.pages, server.codes) == (1, [], 0)
    PROSE.holds(name, place_of(words, url, server.issuer))


@pytest.mark.parametrize("name", first_quick(["of_refresh", "of_registration", "of_code"]))
async def test_a_redirect_of_an_endpoint_is_not_followed(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, rotating() as (url, server):
        other.setblocking(False)
        place = f"http://127.0.0.1:{other.getsockname()[1]}/token"
        setattr(server, name, lambda reply: DemoReply(307, b"", {"location": place}))
        async with at_browser(url) as (link, person):
            await person.settled()
            if name == "of_refresh":
                server.forget()
                await call(link, "echo")
                words = person.asked[1].why
            else:
                words = person.of(Ended)[0].words
        with pytest.raises(BlockingIOError):
            other.accept()
    assert f"the redirect to {place} leads to another origin and is not followed" in words
