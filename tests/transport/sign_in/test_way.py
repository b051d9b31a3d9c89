"""Where a sign-in goes: by any metadata there is, nothing unsafe, and nothing set aside unasked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.findings.findings import Finding
from signoff.app.transport.sign_in.browser_options import LENIENT, BrowserOptions
from signoff.app.transport.sign_in.challenge import Challenge, Demand
from signoff.app.transport.sign_in.discovery import discover
from signoff.app.transport.sign_in.fetching import Fetched
from signoff.app.transport.sign_in.guard import guard_of, origin_of
from signoff.app.transport.sign_in.sign_in import SignInDeclined
from signoff.app.transport.sign_in.tokens import SignInFailed
from signoff.app.transport.sign_in.values import Discovery
from signoff.app.transport.sign_in.way import SignInTarget, way_of
from tests.transport.sign_in.test_tokens import ANY

URL, ISSUER = "https://mcp.example/mcp", "https://login.example"
PLACE = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
DEMAND = Demand(URL, 401, (Challenge("Bearer", {"resource_metadata": PLACE}),), "93.184.216.34")
RESOURCE = {"resource": URL, "authorization_servers": [ISSUER], "scopes_supported": ["a"]}
SERVER: dict[str, Any] = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "registration_endpoint": f"{ISSUER}/register",
    "response_types_supported": ["code"],
    "code_challenge_methods_supported": ["S256"],
}


def found_with(resource: dict[str, Any] | None, server: dict[str, Any] | None) -> Discovery:
    """The discovery of a server with these documents."""

    async def fetch(url: str, what: str, why: str) -> Fetched:
        document = resource if "protected-resource" in url else server
        status = 404 if document is None else 200
        return Fetched(what, url, why, status, document=document)

    guard = guard_of(URL, DEMAND.address)
    assert guard is not None
    making = discover(DEMAND, guard, fetch)
    try:
        making.send(None)
    except StopIteration as done:
        found: Discovery = done.value
        return found
    raise AssertionError("it waits for something")


def way(
    resource: dict[str, Any] | None, server: dict[str, Any] | None, *lenient: str
) -> tuple[SignInTarget, list[Finding]]:
    noticed: list[Finding] = []
    options = BrowserOptions(store=None, lenient=lenient)
    return way_of(found_with(resource, server), URL, options, noticed.append), noticed


def test_a_right_server_is_signed_in_to_without_doubts() -> None:
    found, noticed = way(RESOURCE, SERVER)
    assert (found.issuer, found.answers_as, found.resource) == (ISSUER, ISSUER, URL)
    assert (found.supported, found.doubts, noticed) == (("a",), (), [])
    assert found.endpoint("token") == f"{ISSUER}/token"
    assert not found.promises_iss


WRONG = {
    "issuer": (RESOURCE, SERVER | {"issuer": f"{ISSUER}/"}),
    "resource": (RESOURCE | {"resource": "https://other.example/mcp"}, SERVER),
    "pkce": (RESOURCE, SERVER | {"code_challenge_methods_supported": None}),
    "metadata": (RESOURCE, SERVER | {"response_types_supported": ["token"]}),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_problem_is_set_aside_by_its_name_alone(name: str) -> None:
    resource, server = WRONG[name]
    others = [one for one in LENIENT if one != name]
    for several in ((), *combinations(others, 2), tuple(others)):
        with pytest.raises(SignInDeclined):
            way(resource, server, *several)
    found, noticed = way(resource, server, name)
    assert len(found.doubts) == 1
    assert [one.code for one in noticed] == ["sign-in-lenient"]


UNSAFE = (
    *("javascript:alert(1)", "file:///etc/passwd", "http://login.example/x", "data:text/html,x"),
    *("https://127.0.0.1/x", "https://localhost/x", "https://169.254.169.254/x", "//x/y", "", 1),
    *("https://10.0.0.1/x", "https://0x7f000001/x", "https://[::1]/x", "https://a@b.example/"),
    *("https://login.example/x#f", "https://login.example\\@evil.example/", "https://l\u0131.x/"),
)


@pytest.mark.parametrize("endpoint", UNSAFE)
@pytest.mark.parametrize("name", ["authorization", "token"])
def test_nothing_unsafe_is_ever_set_aside(endpoint: Any, name: str) -> None:
    with pytest.raises(SignInDeclined):
        way(RESOURCE, SERVER | {f"{name}_endpoint": endpoint}, *LENIENT)


def test_a_query_is_kept_and_one_with_parameters_of_a_request_is_refused() -> None:
    kept, _ = way(RESOURCE, SERVER | {"authorization_endpoint": f"{ISSUER}/a?p=x"})
    assert kept.endpoint("authorization") == f"{ISSUER}/a?p=x"
    with pytest.raises(SignInFailed, match="has redirect_uri in its query already"):
        way(RESOURCE, SERVER | {"authorization_endpoint": f"{ISSUER}/a?redirect_uri=https://e"})


def test_the_way_of_2025_03_26_needs_no_resource_metadata() -> None:
    origin = "https://mcp.example"
    own = {key: str(one).replace(ISSUER, origin) for key, one in SERVER.items()}
    found, _ = way(None, own | {key: SERVER[key] for key in SERVER if key.endswith("supported")})
    assert (found.issuer, found.resource) == (origin, URL)
    with pytest.raises(SignInDeclined):
        way(None, None)
    with pytest.raises(SignInDeclined):
        way(None, SERVER)
    # Where there is resource metadata, nothing is guessed.
    with pytest.raises(SignInDeclined):
        way(RESOURCE, None, *LENIENT)


def documents(base: dict[str, Any]) -> Any:
    """A document in which some values are anything."""
    changes = st.fixed_dictionaries(
        {}, optional={key: ANY | st.sampled_from(UNSAFE) for key in (*base, "x")}
    )
    return changes.map(lambda changed: base | changed)


@given(documents(RESOURCE), documents(SERVER), st.lists(st.sampled_from([*LENIENT]), unique=True))
def test_any_metadata_is_a_safe_way_or_none(
    resource: dict[str, Any], server: dict[str, Any], lenient: Sequence[str]
) -> None:
    try:
        found, noticed = way(resource, server, *lenient)
    except (SignInDeclined, SignInFailed) as problem:
        assert str(problem).isprintable() or isinstance(problem, SignInDeclined)  # noqa: PT017
        return
    for name in ("authorization", "token"):
        origin = origin_of(found.endpoint(name))
        assert origin is not None
        assert origin.scheme == "https"
        assert found.endpoint(name).isascii()
    assert found.resource.isascii()
    assert bool(found.doubts) == bool(noticed)
    assert not found.doubts or lenient
    assert all(one.isprintable() for one in found.doubts)
