"""Challenges of HTTP are read as servers write them, in bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.challenge import (
    HEADER_MAX,
    PARAMS_MAX,
    Challenge,
    Demand,
    read_challenges,
)


def bearer(**params: str) -> Challenge:
    return Challenge("Bearer", params)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('Bearer resource_metadata="https://a/x", scope="a b"', {"scope": "a b"}),
        ('bearer realm="x",error="invalid_token"', {"realm": "x", "error": "invalid_token"}),
        ("Bearer resource_metadata=https://a/x", {"resource_metadata": "https://a/x"}),
        (r'Bearer realm="a \"b\", c", scope="s"', {"realm": 'a "b", c', "scope": "s"}),
        ('Bearer  SCOPE = "s"', {"scope": "s"}),
        ('Bearer realm="never closed', {"realm": "never"}),
    ],
)
def test_parameters_are_read_as_servers_write_them(header: str, expected: dict[str, str]) -> None:
    (found,) = read_challenges([header])
    assert found.is_bearer
    assert expected.items() <= found.params.items()


def test_several_challenges_in_one_header_and_in_several() -> None:
    found = read_challenges(['Basic realm="x", Bearer scope="a", DPoP algs="ES256"', "Negotiate"])
    assert [one.scheme for one in found] == ["Basic", "Bearer", "DPoP", "Negotiate"]
    assert found[1].params == {"scope": "a"}


def test_a_token68_is_no_parameter() -> None:
    found = read_challenges(["Negotiate YII=, Bearer scope=a"])
    assert [one.scheme for one in found] == ["Negotiate", "Bearer"]
    assert found[0].params == {}


def test_of_a_repeated_parameter_the_first_value_is_kept_and_it_is_named() -> None:
    (found,) = read_challenges(['Bearer scope="a", Scope="b"'])
    assert found.get("scope") == "a"
    assert found.repeated == ("scope",)


def test_of_two_bearer_challenges_the_one_with_metadata_is_followed() -> None:
    challenges = (bearer(realm="x"), bearer(resource_metadata="https://a/x"))
    assert Demand("https://a/", 401, challenges).bearer == challenges[1]


@pytest.mark.parametrize(
    ("status", "error", "is_sign_in"),
    [(401, "", True), (403, "insufficient_scope", True), (403, "", False), (403, "other", False)],
)
def test_which_refusals_a_sign_in_answers(status: int, error: str, is_sign_in: bool) -> None:
    params = {"error": error} if error else {}
    assert Demand("https://a/", status, (Challenge("Bearer", params),)).is_sign_in is is_sign_in


def test_no_header_costs_more_than_its_bounds() -> None:
    (found,) = read_challenges(["Bearer " + ", ".join(f"p{n}=v" for n in range(10_000))])
    assert len(found.params) < PARAMS_MAX
    (long,) = read_challenges([f'Bearer scope="{"x" * 300_000}"'])
    assert all(len(value) <= HEADER_MAX for value in long.params.values())


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for one in read_challenges([text]):
        assert one.scheme
