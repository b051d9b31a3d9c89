"""Responses of a token endpoint: any JSON is a token, or one bounded sentence."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.fetching import Fetched
from signoff.app.transport.sign_in.tokens import (
    LIFETIME_MAX,
    PAUSE_MAX,
    PAUSE_SECONDS,
    SignInFailed,
    Token,
    read_token,
)

ISSUER, RESOURCE = "https://login.example", "https://mcp.example/mcp"
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("access_token", "token_type", "expires_in", "scope", "error", "error_description")
DOCUMENTS = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, ANY))
GOOD = {"access_token": "abc", "token_type": "bearer"}


def read(document: Any, status: int = 200, retry: str = "") -> Token:
    found = Fetched("t", "u", "", status, document=document, retry_after=retry)
    return read_token(found, ISSUER, RESOURCE, ("a", "b"))


def outcome(document: Any, status: int, retry: str) -> Token | SignInFailed:
    try:
        return read(document, status, retry)
    except SignInFailed as failed:
        return failed


@given(DOCUMENTS, st.sampled_from([200, 201, 400, 401, 403, 404, 429, 500, 503]), st.text())
def test_any_response_is_a_token_or_one_bounded_sentence(
    document: dict[str, Any], status: int, retry: str
) -> None:
    found = outcome(document, status, retry)
    if isinstance(found, SignInFailed):
        assert found.words.isprintable()
        assert len(found.words) < 1_500
        assert found.pause is None or PAUSE_SECONDS <= found.pause <= PAUSE_MAX
        return
    assert status == 200
    assert found.value == document["access_token"]
    assert found.oddity.isprintable()


@given(ANY)
def test_a_lifetime_is_a_plausible_number_or_not_known(value: Any) -> None:
    token = read({**GOOD, "expires_in": value})
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_plausible = is_number and not math.isnan(value) and 0 < value <= LIFETIME_MAX
    assert token.lifetime == (float(value) if is_plausible else None)
    assert bool(token.oddity) is (not is_plausible and value is not None)


@pytest.mark.parametrize(
    ("given_scope", "expected"),
    [(None, ("a", "b")), ("", ("a", "b")), ("a", ("a",)), ("a  c", ("a", "c")), (5, ("a", "b"))],
)
def test_scopes_are_those_that_were_granted(given_scope: Any, expected: tuple[str, ...]) -> None:
    document = {**GOOD} if given_scope is None else {**GOOD, "scope": given_scope}
    assert read(document).scopes == expected


@pytest.mark.parametrize("kind", ["Bearer", "bearer", "BEARER"])
def test_the_case_of_the_token_type_does_not_matter(kind: str) -> None:
    assert read({**GOOD, "token_type": kind}).value == "abc"


@pytest.mark.parametrize(("status", "is_weather"), [(503, True), (429, True), (400, False)])
def test_weather_is_told_from_a_refusal(status: int, is_weather: bool) -> None:
    with pytest.raises(SignInFailed) as raised:
        read({"error": "invalid_client"}, status, "60")
    assert raised.value.pause == (60 if is_weather else None)
    assert ("the client was not refused" in raised.value.words) is is_weather


def test_a_token_is_not_in_its_repr() -> None:
    assert "abc" not in repr(read(GOOD))
