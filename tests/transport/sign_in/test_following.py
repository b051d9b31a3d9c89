"""A page that is followed without a browser: its redirects, and no other machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.asking import SignInVisit
from signoff.app.transport.sign_in.following import HOPS, follow, is_followed
from tests.transport.webbed import Asked, answer, web

BACK = "http://127.0.0.1:9/back"


def redirect(place: str, status: str = "302 Found") -> bytes:
    return answer(status, more=f"Location: {place}\r\n")


async def followed(answers: Callable[[Asked], bytes]) -> tuple[str, list[str], list[str]]:
    """The problem, the paths that were requested, and what was taken as the end."""
    taken: list[str] = []

    def take(text: str) -> str:
        if not text.startswith(BACK):
            return "another address"
        taken.append(text)
        return ""

    async with web(answers) as server:
        until = asyncio.get_running_loop().time() + 5
        page = server.url.replace("/mcp", "/page") + "?state=secret-state"
        problem = await follow(SignInVisit(page, until, take))
        return problem, [one.path for one in server.asked], taken


async def test_redirects_are_followed_to_the_end() -> None:
    places = {"/page": "/second", "/second": "consent?x=1", "/consent": f"{BACK}?code=1&state=2"}

    def answers(asked: Asked) -> bytes:
        return redirect(places[asked.path.partition("?")[0]])

    problem, asked, taken = await followed(answers)
    assert problem == ""
    assert [one.partition("?")[0] for one in asked] == ["/page", "/second", "/consent"]
    assert taken == [f"{BACK}?code=1&state=2"]


@pytest.mark.parametrize(
    "place",
    [
        *("https://example.com/login", "//example.com/login", "http://169.254.169.254/latest"),
        *("http://10.0.0.1/x", "http://evil.localhost/x", "javascript:alert(1)"),
        *("file:///etc/passwd", "http://user@127.0.0.1.example.com/x", "http://[::2]/x"),
    ],
)
async def test_no_other_machine_is_requested(place: str) -> None:
    problem, asked, taken = await followed(lambda asked: redirect(place))
    assert "not of this machine" in problem
    assert len(asked) == 1
    assert not taken


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (answer("200 OK", b"<form>", "text/html"), "it wants a person"),
        (answer("500 Oops"), "does not lead back"),
        (answer("302 Found"), "does not lead back"),
        (answer("304 Not Modified", more="Location: /x\r\n"), "does not lead back"),
    ],
)
async def test_a_page_without_a_redirect(body: bytes, words: str) -> None:
    problem, _, taken = await followed(lambda asked: body)
    assert words in problem
    assert "secret-state" not in problem
    assert not taken


async def test_a_circle_ends() -> None:
    problem, asked, _ = await followed(lambda asked: redirect("/page"))
    assert str(HOPS) in problem
    assert len(asked) == HOPS


async def test_a_server_that_is_gone_is_told() -> None:
    visit = SignInVisit("http://127.0.0.1:9/page?state=x", 5, lambda text: "no")
    assert "cannot be requested" in await follow(visit)


@given(st.ip_addresses())
def test_an_address_by_number_is_followed_on_this_machine_alone(address: object) -> None:
    host = f"[{address}]" if ":" in str(address) else str(address)
    expected = str(address) == "::1" or str(address).startswith("127.")
    assert is_followed(f"http://{host}:1/x") is expected or "ffff" in host
