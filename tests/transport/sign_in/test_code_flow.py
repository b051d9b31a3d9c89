"""The page of a sign-in, and the answer of the browser: any text is a code, or one sentence."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.sign_in.code_flow import (
    ANSWER_MAX,
    CODE_MAX,
    CodeRequest,
    clashing,
    code_of,
    is_scope,
    query_of,
)
from signoff.app.transport.sign_in.tokens import SignInFailed
from tests.approved import approved

PROSE = approved("transport-code-flow")
ISSUER, REDIRECT = "https://login.example", "http://127.0.0.1:8765/callback"
REQUEST = CodeRequest(
    f"{ISSUER}/authorize",
    "one",
    REDIRECT,
    ("read", "call"),
    "https://mcp.example/mcp",
    verifier="v" * 64,
    state="the-state-of-it",
)
GOOD = {"code": "abc", "state": REQUEST.state, "iss": ISSUER}


def code(query: str, *, promised: bool = True) -> str:
    return code_of(query, REQUEST, ISSUER, is_iss_promised=promised)


def test_each_request_has_secrets_of_its_own_and_shows_none() -> None:
    one, two = (CodeRequest(ISSUER, "c", REDIRECT, (), "r") for _ in range(2))
    assert one.verifier != two.verifier
    assert one.state != two.state
    # RFC 7636, 4.1.
    assert 43 <= len(one.verifier) <= 128
    for secret in (one.verifier, one.state):
        assert secret not in repr(one)


def test_the_page_has_each_parameter_once() -> None:
    pairs = parse_qsl(urlsplit(REQUEST.url).query)
    digest = hashlib.sha256(REQUEST.verifier.encode()).digest()
    assert dict(pairs) == {
        "response_type": "code",
        "client_id": "one",
        "redirect_uri": REDIRECT,
        "state": REQUEST.state,
        "code_challenge": urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
        "resource": "https://mcp.example/mcp",
        "scope": "read call",
    }
    assert len(pairs) == len(dict(pairs))


def test_the_query_of_an_endpoint_is_kept() -> None:
    policy = CodeRequest(f"{ISSUER}/a?p=b2c_1%20x&q=", "c", REDIRECT, (), "r")
    assert policy.url.startswith(f"{ISSUER}/a?p=b2c_1%20x&q=&response_type=code&")
    assert "scope" not in dict(parse_qsl(urlsplit(policy.url).query))
    assert clashing(policy.endpoint) == []
    assert clashing(f"{ISSUER}/a?state=&p=1&scope=x") == ["state", "scope"]
    offline = CodeRequest(ISSUER, "c", REDIRECT, ("offline_access",), "r")
    assert "prompt=consent" in offline.url


def test_a_right_answer_is_a_code() -> None:
    assert code(urlencode(GOOD)) == "abc"
    assert code(urlencode(GOOD | {"session_state": "x"}) + "&x=1&x=2") == "abc"
    without = urlencode({"code": "abc", "state": REQUEST.state})
    assert code(without, promised=False) == "abc"


ANSWERS = {
    "no state": {"code": "abc", "iss": ISSUER},
    "another state": GOOD | {"state": "another"},
    "no iss": {"code": "abc", "state": REQUEST.state},
    "another iss": GOOD | {"iss": "https://evil.example"},
    "an iss with another case": GOOD | {"iss": ISSUER.upper()},
    "an iss with a slash more": GOOD | {"iss": f"{ISSUER}/"},
    "an empty iss": GOOD | {"iss": ""},
    "no code": {"state": REQUEST.state, "iss": ISSUER},
    "an empty code": GOOD | {"code": ""},
    "a long code": GOOD | {"code": "x" * (CODE_MAX + 1)},
    "an error": {"state": REQUEST.state, "iss": ISSUER, "error": "access_denied"},
    "an error with words": GOOD
    | {"error": "invalid_scope", "error_description": "no\x1b[31m " + "x" * 2_000},
    "an unknown error": GOOD | {"error": "<script>"},
    "an empty error": GOOD | {"error": ""},
    "an error of another issuer": GOOD | {"error": "access_denied", "iss": "https://evil.example"},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_answer_is_one_sentence(name: str) -> None:
    with pytest.raises(SignInFailed) as failed:
        code(urlencode(ANSWERS[name]))
    assert failed.value.words.isprintable()
    assert len(failed.value.words) < 800
    PROSE.holds(name, failed.value.words)


@pytest.mark.parametrize("name", ["code", "state", "iss", "error", "error_description"])
def test_a_parameter_that_comes_twice_is_refused(name: str) -> None:
    # RFC 6749, 3.1: also with the same value.
    value = (GOOD | {"error": "x", "error_description": "y"})[name]
    with pytest.raises(SignInFailed, match=f"has {name} twice"):
        code(urlencode([*GOOD.items(), (name, value), (name, value)]))


def test_many_parameters_and_long_answers_are_refused() -> None:
    with pytest.raises(SignInFailed, match="too many parameters"):
        code(urlencode(GOOD) + "&a=1" * 200)
    with pytest.raises(SignInFailed, match="1,000,0"):
        code(urlencode(GOOD | {"code": "x" * 1_000_000}))


@given(st.text(), st.booleans())
def test_any_answer_is_one_printable_sentence(query: str, promised: bool) -> None:
    with pytest.raises(SignInFailed) as failed:
        code(query, promised=promised)
    assert failed.value.words.isprintable()


NAMES = ("code", "state", "iss", "error", "error_description", "x")
PAIRS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from((REQUEST.state, ISSUER, "abc")) | st.text(max_size=9),
    ),
    max_size=6,
)


@given(PAIRS, st.booleans())
def test_a_code_is_used_only_with_the_right_state_and_issuer(
    pairs: list[tuple[str, str]], promised: bool
) -> None:
    query = "&".join(f"{name}={value}" for name, value in pairs)
    try:
        found = code(query, promised=promised)
    except SignInFailed:
        return
    read = parse_qsl(query, keep_blank_values=True)
    counted = {name: [value for one, value in read if one == name] for name in NAMES}
    assert counted["state"] == [REQUEST.state]
    assert counted["code"] == [found]
    assert counted["iss"] == [ISSUER] or (not promised and counted["iss"] == [])
    assert counted["error"] == []


def test_an_address_is_pasted_whole() -> None:
    query = urlencode(GOOD)
    for text in (f"{REDIRECT}?{query}", f"  {REDIRECT}?{query}#_=_\n", f"{REDIRECT}?\n{query}"):
        assert query_of(text, REDIRECT) == query
    assert query_of("http://localhost:1/?state=x", "http://localhost:1") == "state=x"
    assert query_of("HTTP://LOCALHOST:1/a?state=x", "http://localhost:1/a") == "state=x"


@pytest.mark.parametrize(
    "text",
    [
        *("", "state=x", f"{REDIRECT}", f"{REDIRECT}?code=x", f"{REDIRECT}/more?state=x"),
        *("http://127.0.0.1:8766/callback?state=x", "https://127.0.0.1:8765/callback?state=x"),
        *("http://127.0.0.1:8765@evil.example/callback?state=x", "http://[::1?state=x"),
        "x" * (ANSWER_MAX + 1),
    ],
)
def test_another_address_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="that ") as failed:
        query_of(text, REDIRECT)
    assert str(failed.value).isprintable()
    assert "urlsplit" not in str(failed.value)


@given(st.text())
def test_any_pasted_text_is_refused_or_used(text: str) -> None:
    with pytest.raises(ValueError, match="that "):
        query_of(text, REDIRECT)


@given(st.text())
def test_a_scope_has_no_blank_and_no_quote(text: str) -> None:
    assert is_scope("read:all")
    is_plain = text != "" and all("!" <= one <= "~" for one in text)
    assert is_scope(text) == (is_plain and not {*text} & {*'"\\'})
