"""What an authorization server says of a registration: a client, or one sentence."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.storage.sign_in_files import ClientIdentity
from signoff.app.transport.sign_in.fetching import Fetched
from signoff.app.transport.sign_in.registration import (
    BASIC,
    NONE,
    POST,
    authenticated,
    method_for,
    registered,
    registration_of,
)
from signoff.app.transport.sign_in.tokens import SignInFailed
from tests.approved import approved
from tests.transport.sign_in.test_tokens import ANY

PROSE = approved("transport-registration")
ISSUER, REDIRECT = "https://login.example", "http://127.0.0.1:1/a"
KEY = "token_endpoint_auth_methods_supported"


def client(document: Any, status: int = 201, **more: Any) -> ClientIdentity:
    found = Fetched("r", f"{ISSUER}/register", "", status, document=document, **more)
    return registered(found, REDIRECT, ISSUER)


@pytest.mark.parametrize("status", [200, 201])
@pytest.mark.parametrize(
    ("more", "method"),
    [
        ({}, NONE),
        ({"client_secret": "b"}, BASIC),
        ({"client_secret": "b", "token_endpoint_auth_method": POST}, POST),
        ({"client_secret": "b", "token_endpoint_auth_method": NONE}, NONE),
        ({"client_secret": None, "token_endpoint_auth_method": NONE}, NONE),
    ],
)
def test_a_client_of_each_kind(more: dict[str, Any], method: str, status: int) -> None:
    found = client({"client_id": "a", **more}, status)
    assert (found.client_id, found.method, found.kind) == ("a", method, "registered")
    assert found.redirect_uri == REDIRECT
    assert "b'" not in repr(found)


RESPONSES: dict[str, tuple[Any, int]] = {
    "no client": ({}, 201),
    "a client that is a number": ({"client_id": 1}, 201),
    "a client of 1 MB": ({"client_id": "x" * 1_000_000}, 201),
    "a client that no header can have": ({"client_id": "a\ud800\r\n"}, 201),
    "another method": ({"client_id": "a", "token_endpoint_auth_method": "private_key_jwt"}, 201),
    "a method that is a list": ({"client_id": "a", "token_endpoint_auth_method": [BASIC]}, 201),
    "no secret": ({"client_id": "a", "token_endpoint_auth_method": BASIC}, 201),
    "an empty secret": (
        {"client_id": "a", "client_secret": "", "token_endpoint_auth_method": POST},
        201,
    ),
    "a secret that is a number": ({"client_id": "a", "client_secret": 12345678}, 201),
    "a secret that is an object": ({"client_id": "a", "client_secret": {"a": 1}}, 201),
    "a secret of 1 MB": ({"client_id": "a", "client_secret": "x" * 1_000_000}, 201),
    "a secret with a line break": ({"client_id": "a", "client_secret": "b\r\nc"}, 201),
    "refused": ({"error": "invalid_redirect_uri", "error_description": "no\x1b[0m"}, 400),
    "refused in an unknown way": ({"error": "<b>"}, 403),
    "refused without words": (None, 404),
    "not now": ({"error": "temporarily_unavailable"}, 503),
    "too many": (None, 429),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_that_cannot_be_used_is_one_sentence(name: str) -> None:
    document, status = RESPONSES[name]
    with pytest.raises(SignInFailed) as failed:
        client(document, status)
    assert failed.value.words.isprintable()
    assert len(failed.value.words) < 800
    assert (failed.value.pause is not None) == (status in (429, 503))
    PROSE.holds(name, failed.value.words)


def test_a_key_that_comes_twice_is_refused() -> None:
    with pytest.raises(SignInFailed, match="has client_id twice"):
        client({"client_id": "a"}, repeated=("client_id",))


FIELDS = ("client_id", "client_secret", "token_endpoint_auth_method", "error", "error_description")
DOCUMENTS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(FIELDS, ANY | st.sampled_from(("a", NONE, BASIC, POST)))
)


@given(DOCUMENTS, st.sampled_from((200, 201, 400, 500)))
def test_any_response_is_a_usable_client_or_one_sentence(document: Any, status: int) -> None:
    try:
        found = client(document, status)
    except SignInFailed as failed:
        words = failed.words
        assert words.isprintable()
        return
    form, header = authenticated(found, {"grant_type": "x"})
    assert (header + json.dumps(form)).isascii()
    assert (found.method == NONE) or found.secret


def test_a_client_proves_who_it_is_in_one_way() -> None:
    form = {"grant_type": "x"}
    odd = ClientIdentity("a:b c", "ü&=%"[1:], BASIC)
    given_form, header = authenticated(odd, form)
    assert given_form == form | {"client_id": "a:b c"}
    # RFC 6749, 2.3.1: each part is a form's value of its own.
    assert b64decode(header.removeprefix("Basic ")) == b"a%3Ab+c:%26%3D%25"
    assert authenticated(ClientIdentity("a", "s", POST), form) == (
        form | {"client_id": "a", "client_secret": "s"},
        "",
    )
    assert authenticated(ClientIdentity("a", "s", NONE), form) == (form | {"client_id": "a"}, "")


@pytest.mark.parametrize(
    ("listed", "has_secret", "method"),
    [
        (None, False, NONE),
        (None, True, BASIC),
        ([BASIC], False, NONE),
        ([POST], True, POST),
        ([POST, BASIC], True, BASIC),
        ([NONE], False, NONE),
        ("none", True, BASIC),
        ([NONE], True, ""),
        (["private_key_jwt"], True, ""),
        ([], True, ""),
    ],
)
def test_the_method_is_one_that_both_have(listed: Any, has_secret: bool, method: str) -> None:
    server = {} if listed is None else {KEY: listed}
    if method:
        assert method_for(server, has_secret=has_secret, issuer=ISSUER) == method
        return
    with pytest.raises(SignInFailed, match="with a secret it is client_secret_basic or client"):
        method_for(server, has_secret=has_secret, issuer=ISSUER)


def test_a_registration_says_what_signoff_is() -> None:
    wanted = registration_of({KEY: [POST]}, REDIRECT, ("a", "b"))
    assert wanted == {
        "client_name": "Signoff",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": POST,
        "application_type": "native",
        "scope": "a b",
    }
    assert "scope" not in registration_of({}, REDIRECT, ())
    assert registration_of({}, REDIRECT, ())["token_endpoint_auth_method"] == NONE
