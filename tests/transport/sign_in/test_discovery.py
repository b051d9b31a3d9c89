"""The discovery of a sign-in and its checks, on documents in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.challenge import Challenge, Demand
from signoff.app.transport.sign_in.discovery import discover
from signoff.app.transport.sign_in.fetching import Fetched
from signoff.app.transport.sign_in.guard import guard_of
from signoff.app.transport.sign_in.server_checks import difference
from signoff.app.transport.sign_in.values import Discovery

SERVER = "https://mcp.example.com/mcp"
ISSUER = "https://as.example.com"
PLACE = "https://mcp.example.com/.well-known/oauth-protected-resource"
RESOURCE: dict[str, Any] = {"resource": SERVER, "authorization_servers": [ISSUER]}
METADATA: dict[str, Any] = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "registration_endpoint": f"{ISSUER}/register",
    "code_challenge_methods_supported": ["S256"],
    "client_id_metadata_document_supported": True,
    "authorization_response_iss_parameter_supported": True,
}
NAMED = {"scope": "files:read", "resource_metadata": f"{PLACE}/mcp"}
WHERE = f"{ISSUER}/.well-known/oauth-authorization-server"


async def explored(
    documents: Mapping[str, Any],
    challenge: Mapping[str, str] | None = None,
    url: str = SERVER,
    status: int = 401,
) -> Discovery:
    """The discovery on a web that has these documents; a number is a status."""
    params = dict(NAMED if challenge is None else challenge)
    demand = Demand(url, status, (Challenge("Bearer", params),), "93.184.216.34")
    guard = guard_of(url, demand.address)
    assert guard is not None

    async def fetch(place: str, what: str, why: str) -> Fetched:
        if refusal := guard.why_not(place):
            return Fetched(what, place, why, problem=refusal, is_refused=True)
        found = documents.get(place, 404)
        if isinstance(found, int):
            return Fetched(what, place, why, found)
        return Fetched(what, place, why, 200, length=1, document=found)

    return await discover(demand, guard, fetch)


def codes(found: Discovery) -> list[str]:
    return [one.finding.code for one in found.checks if one.finding is not None]


async def changed(
    resource: Mapping[str, Any] | None = None, server: Mapping[str, Any] | None = None
) -> list[str]:
    """The codes on a sound server with these changes; None as a value takes a key out."""
    documents = {PLACE + "/mcp": with_changes(RESOURCE, resource)}
    documents[WHERE] = with_changes(METADATA, server)
    return codes(await explored(documents))


def with_changes(document: Mapping[str, Any], changes: Mapping[str, Any] | None) -> dict[str, Any]:
    merged = {**document, **(changes or {})}
    return {key: value for key, value in merged.items() if value is not ...}


async def test_a_sound_server_passes_every_check() -> None:
    found = await explored({f"{PLACE}/mcp": RESOURCE, WHERE: METADATA})
    assert codes(found) == []
    assert not found.has_error
    assert found.issuer == ISSUER
    assert ISSUER in found.line


async def test_the_places_are_tried_in_the_order_of_the_specification() -> None:
    named = "https://mcp.example.com/elsewhere"
    found = await explored({}, {"resource_metadata": named})
    assert [one.url for one in found.fetched][:3] == [named, f"{PLACE}/mcp", PLACE]
    assert found.is_old_way
    old = "https://mcp.example.com/.well-known/oauth-authorization-server"
    assert [one.url for one in found.fetched][3:] == [old]
    found = await explored({f"{PLACE}/mcp": RESOURCE | {"authorization_servers": [f"{ISSUER}/t"]}})
    assert [one.url for one in found.fetched][1:] == [
        f"{ISSUER}/.well-known/oauth-authorization-server/t",
        f"{ISSUER}/.well-known/openid-configuration/t",
        f"{ISSUER}/t/.well-known/openid-configuration",
    ]
    found = await explored({PLACE: RESOURCE})
    assert [one.url for one in found.fetched][2:] == [
        WHERE,
        f"{ISSUER}/.well-known/openid-configuration",
    ]


async def test_a_server_at_the_root_has_one_well_known_place() -> None:
    found = await explored({}, {"scope": "a"}, url="https://mcp.example.com/")
    assert [one.url for one in found.fetched][:2] == [
        PLACE,
        "https://mcp.example.com/.well-known/oauth-authorization-server",
    ]


async def test_the_old_way_is_not_used_if_the_metadata_may_be_there() -> None:
    found = await explored({f"{PLACE}/mcp": 503})
    assert not found.is_old_way
    assert found.issuer == ""
    assert set(codes(found)) == {"sign-in-no-resource-metadata", "sign-in-unreadable"}


@pytest.mark.parametrize(
    ("issuer", "variant"),
    [
        (f"{ISSUER}/", "root-slash-added"),
        (ISSUER.upper(), "case"),
        (f"{ISSUER}:443", "normalized"),
        (f"{ISSUER}/tenant", "other"),
        ("http://as.example.com", "other"),
        ("https://other.example.com", "other"),
        (17, ""),
        (None, ""),
        ("", ""),
    ],
)
async def test_issuers_are_compared_as_plain_strings(issuer: Any, variant: str) -> None:
    found = await explored({PLACE: RESOURCE, WHERE: METADATA | {"issuer": issuer}})
    assert codes(found) == ["sign-in-issuer-mismatch"]
    (check,) = found.problems
    assert check.variant == variant
    assert check.fixer
    assert ISSUER in dict(check.compared)["issuer in use"]


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (SERVER, []),
        ("https://mcp.example.com", ["sign-in-resource-differs"]),
        (f"{SERVER}/", ["sign-in-resource-differs"]),
        ("https://mcp.example.com/mc", ["sign-in-resource-mismatch"]),
        ("https://mcp.example.com:8443/mcp", ["sign-in-resource-mismatch"]),
        ("http://mcp.example.com/mcp", ["sign-in-resource-mismatch"]),
        ("https://evil.example.com/mcp", ["sign-in-resource-mismatch"]),
        (["x"], ["sign-in-resource-mismatch"]),
        (..., ["sign-in-resource-mismatch"]),
    ],
)
async def test_the_metadata_has_to_be_about_this_server(resource: Any, expected: list[str]) -> None:
    assert await changed({"resource": resource}) == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("code_challenge_methods_supported", ..., "sign-in-no-pkce"),
        ("code_challenge_methods_supported", "S256", "sign-in-no-pkce"),
        ("code_challenge_methods_supported", ["plain"], "sign-in-no-s256"),
        ("code_challenge_methods_supported", [], "sign-in-no-s256"),
        ("authorization_endpoint", ..., "sign-in-endpoint-missing"),
        ("authorization_endpoint", "javascript:alert(1)", "sign-in-endpoint-unsafe"),
        ("authorization_endpoint", "file:///etc/passwd", "sign-in-endpoint-unsafe"),
        ("authorization_endpoint", f"{ISSUER}/a#b", "sign-in-endpoint-unsafe"),
        ("authorization_endpoint", "http://127.0.0.1:22/", "sign-in-endpoint-unsafe"),
        ("token_endpoint", "http://as.example.com/token", "sign-in-endpoint-unsafe"),
        ("token_endpoint", "https://10.0.0.1/token", "sign-in-endpoint-unsafe"),
        ("token_endpoint", 5, "sign-in-endpoint-unsafe"),
        ("registration_endpoint", "https://169.254.169.254/", "sign-in-endpoint-unsafe"),
        ("response_types_supported", ["token"], "sign-in-no-code-flow"),
        ("grant_types_supported", ["client_credentials"], "sign-in-no-code-flow"),
        ("token_endpoint_auth_methods_supported", ["tls_client_auth"], "sign-in-token-auth"),
        ("client_id_metadata_document_supported", False, "sign-in-registration-deprecated"),
        ("authorization_response_iss_parameter_supported", ..., "sign-in-no-iss"),
    ],
)
async def test_what_an_authorization_server_lacks(key: str, value: Any, expected: str) -> None:
    assert await changed(server={key: value}) == [expected]


async def test_without_any_way_to_register_a_client_needs_an_id_by_hand() -> None:
    none = {"registration_endpoint": ..., "client_id_metadata_document_supported": ...}
    assert await changed(server=none) == ["sign-in-no-registration"]


async def test_an_endpoint_may_have_a_query() -> None:
    assert await changed(server={"authorization_endpoint": f"{ISSUER}/a?p=B2C_1"}) == []


@pytest.mark.parametrize("servers", [..., [], "https://as.example.com", [7], None])
async def test_a_list_of_authorization_servers_is_needed(servers: Any) -> None:
    found = await changed({"authorization_servers": servers})
    assert found == ["sign-in-no-authorization-server"]


async def test_an_address_inside_is_named_and_not_requested() -> None:
    inside = {"resource_metadata": "http://169.254.169.254/latest"}
    found = await explored({f"{PLACE}/mcp": RESOURCE, WHERE: METADATA}, inside | {"scope": "a"})
    assert codes(found) == ["sign-in-not-requested"]
    found = await explored({PLACE: RESOURCE | {"authorization_servers": ["https://10.0.0.1"]}})
    assert found.server is None
    assert codes(found)[0] == "sign-in-no-server-metadata"
    assert set(codes(found)[1:]) == {"sign-in-not-requested"}


async def test_challenges_that_clients_read_differently() -> None:
    documents = {PLACE: RESOURCE, WHERE: METADATA}
    unnamed = ["sign-in-metadata-not-named", "sign-in-no-scope"]
    assert codes(await explored(documents, {})) == unnamed
    many = NAMED | {"scope": " ".join(f"s{n}" for n in range(10_000))}
    assert codes(await explored(documents, many)) == ["sign-in-many-scopes"]
    demand = Demand(SERVER, 401, (Challenge("Basic", {}),), "93.184.216.34")
    guard = guard_of(SERVER, demand.address)
    assert guard is not None

    async def fetch(place: str, what: str, why: str) -> Fetched:
        return Fetched(what, place, why, 404)

    assert codes(await discover(demand, guard, fetch))[0] == "sign-in-no-challenge"


async def test_metadata_at_another_origin_is_read_and_named() -> None:
    there = "https://docs.example.com/prm"
    found = await explored({there: RESOURCE, WHERE: METADATA}, NAMED | {"resource_metadata": there})
    assert codes(found) == ["sign-in-metadata-elsewhere"]


async def test_no_credential_of_the_url_is_in_a_check() -> None:
    url = "https://me:hunter2@mcp.example.com/mcp?token=hunter3"
    there = "https://docs.example.com/prm"
    for documents in ({}, {there: RESOURCE}, {there: RESOURCE | {"resource": url}}):
        found = await explored(documents, NAMED | {"resource_metadata": there}, url)
        for one in found.checks:
            own = [value for name, value in one.compared if name == "URL of the server"]
            assert "hunter" not in " ".join([one.fix, *own])
        assert "hunter" not in found.url


async def test_a_scope_for_refresh_tokens_is_not_the_server_s() -> None:
    documents = {f"{PLACE}/mcp": RESOURCE, WHERE: METADATA}
    found = await explored(documents, NAMED | {"scope": "a offline_access"})
    assert codes(found) == ["sign-in-offline-scope"]
    scopes = {"scopes_supported": ["a", "offline_access"]}
    assert await changed(scopes) == ["sign-in-offline-scope"]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(
    resource=st.dictionaries(st.sampled_from(sorted(RESOURCE)), ANYTHING),
    server=st.dictionaries(st.sampled_from(sorted(METADATA)), ANYTHING),
)
async def test_no_document_breaks_the_checks(
    resource: dict[str, Any], server: dict[str, Any]
) -> None:
    documents = {PLACE: {**RESOURCE, **resource}, WHERE: {**METADATA, **server}}
    found = await explored(documents)
    text = json.dumps([(one.words, one.fix, one.compared) for one in found.checks])
    assert "\\u0000" not in text
    assert found.line


@given(st.text(max_size=30), st.text(max_size=30))
def test_every_difference_has_words(found: str, expected: str) -> None:
    if found != expected:
        assert difference(f"https://{found}", f"https://{expected}")[1]
