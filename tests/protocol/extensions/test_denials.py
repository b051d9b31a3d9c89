"""Envelopes of denials: the draft's own shapes, broken ones, and those that lead elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.protocol.extensions.denials import (
    ENVELOPE,
    HANDLE_MAX,
    Remediation,
    contradictions,
    read_denial,
    read_denial_before,
    refusal_envelope,
)
from tests.tiers import examples

DETAILS = {"type": "authorization_remediation", "authorization_details": [{"type": "payment"}]}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


def envelope(remediation: str = "available", **more: Any) -> dict[str, JsonValue]:
    return {"reason": "insufficient_authorization", "remediation": remediation, **more}


def result(raw: JsonValue, **more: Any) -> dict[str, JsonValue]:
    return {"content": [], "isError": True, "_meta": {ENVELOPE: raw}, **more}


def codes(raw: JsonValue, origin: str = "") -> list[str]:
    return [one.code for one in read_denial(result(raw), origin)[1]]


def test_a_result_without_an_envelope_is_no_denial() -> None:
    values: list[JsonValue] = [{}, {"_meta": {}}, {"_meta": []}, None, 7]
    for one in values:
        assert read_denial(one) == (None, ())


@pytest.mark.parametrize(
    "raw",
    [
        envelope(authorizationContextId="authzctx_7c5d1d79", remediationHints=[{"type": "url"}]),
        envelope(remediationHints=[{"type": "task"}]),
        envelope(remediationHints=[DETAILS]),
        envelope(),
        envelope("unavailable", authorizationContextId="authzctx_2b7e9c"),
        envelope("undisclosed"),
    ],
)
def test_the_shapes_of_the_draft_are_read(raw: dict[str, JsonValue]) -> None:
    denial, findings = read_denial(result(raw))
    assert denial is not None
    assert findings == ()
    assert denial.remediation.value == raw["remediation"]
    assert denial.handle == raw.get("authorizationContextId", "")


def test_only_an_available_remedy_with_a_handle_invites_another_call() -> None:
    for remediation in Remediation:
        for handle in ({}, {"authorizationContextId": "h"}):
            denial, _ = read_denial(result(envelope(remediation.value, **handle)))
            assert denial is not None
            wanted = remediation is Remediation.AVAILABLE and bool(handle)
            assert denial.invites_retry is wanted


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "denied",
        {"remediation": "available"},
        {"reason": 7, "remediation": "available"},
        {"reason": "insufficient_authorization"},
        envelope("approved"),
        envelope(authorizationContextId=7),
        envelope(authorizationContextId=""),
        envelope(authorizationContextId="x" * (HANDLE_MAX + 1)),
        envelope(remediationHints={}),
        envelope(remediationHints=[{}]),
        envelope(remediationHints=["url"]),
        envelope(remediationHints=[{"type": "url"}] * 11),
        envelope("unavailable", remediationHints=[{"type": "url"}]),
        envelope("undisclosed", remediationHints=[]),
        envelope(remediationHints=[{"type": "authorization_remediation"}]),
        envelope(
            remediationHints=[{"type": "authorization_remediation", "authorization_details": [{}]}]
        ),
    ],
)
def test_a_broken_envelope_is_a_denial_whose_handle_is_not_sent_back(raw: JsonValue) -> None:
    denial, findings = read_denial(result(raw))
    assert denial is not None
    assert {one.code for one in findings} == {"malformed-denial"}
    assert denial.is_malformed
    assert denial.handle == ""
    assert not denial.invites_retry


def test_another_reason_and_another_hint_are_ignored_without_a_finding() -> None:
    raw = {**envelope(remediationHints=[{"type": "ciba", "x": 1}]), "reason": "expired"}
    denial, findings = read_denial(result(raw))
    assert denial is not None
    assert findings == ()
    assert [one.is_known for one in denial.hints] == [False]


@pytest.mark.parametrize(
    ("more", "origin", "wanted"),
    [
        ({"authorization_server": "https://evil.example"}, "", 1),
        ({"issuer": "https://evil.example"}, "", 1),
        ({"scope": "admin"}, "", 1),
        ({"requiredScopes": ["admin"]}, "", 1),
        ({"locations": ["https://a.example/x"]}, "https://a.example/mcp", 0),
        ({"locations": ["https://b.example/x"]}, "https://a.example/mcp", 1),
        ({"locations": ["http://a.example/x"]}, "https://a.example/mcp", 1),
        ({"locations": ["https://a.example.evil/x"]}, "https://a.example/mcp", 1),
        ({"locations": ["https://b.example/x"]}, "", 0),
        ({"locations": ["https://[b"]}, "https://a.example/mcp", 1),
    ],
)
def test_hints_that_lead_elsewhere_are_found(
    more: dict[str, JsonValue], origin: str, wanted: int
) -> None:
    inner = {**DETAILS, "authorization_details": [{"type": "payment", **more}]}
    for hint in ({**DETAILS, **more}, inner):
        found = codes(envelope(remediationHints=[hint]), origin)
        assert found == ["denial-leads-elsewhere"] * wanted


def test_hidden_text_is_found_and_shown_with_its_characters() -> None:
    hint = {**DETAILS, "authorization_reference": "a\u202eb\u200b"}
    denial, findings = read_denial(result(envelope(remediationHints=[hint])))
    assert denial is not None
    assert [one.code for one in findings] == ["hidden-characters"]
    assert "\u202e" not in denial.hints[0].words
    assert "U+202E" in denial.hints[0].words


def test_a_success_and_a_hint_of_another_kind_of_result_contradict() -> None:
    def wrong(raw: JsonValue, **more: Any) -> int:
        whole = result(raw, **more)
        return len(contradictions(whole, read_denial(whole)[0]))

    assert wrong(envelope("unavailable")) == 0
    assert wrong(envelope("unavailable"), isError=False) == 1
    assert wrong(envelope(remediationHints=[{"type": "url"}])) == 1
    assert wrong(envelope(remediationHints=[{"type": "task"}]), isError=False) == 2


def test_the_form_of_earlier_texts_is_read_and_marked() -> None:
    data: JsonValue = {
        "authorization": {"reason": "insufficient_authorization", "authorizationContextId": "h"}
    }
    denial, findings = read_denial_before(data)
    assert denial is not None
    assert (denial.remediation, denial.handle) == (Remediation.UNDISCLOSED, "")
    assert [one.code for one in findings] == ["malformed-denial"]
    assert read_denial_before({"authorization": "Bearer"}) == (None, ())
    assert read_denial_before(None) == (None, ())


def test_the_refusal_of_a_proxy_is_valid_and_invites_nothing() -> None:
    denial, findings = read_denial({"isError": True, "_meta": refusal_envelope()})
    assert denial is not None
    assert findings == ()
    assert not denial.invites_retry


@examples(100)
@given(raw=JSON)
def test_any_envelope_is_read_and_safe_to_show(raw: JsonValue) -> None:
    for one in (raw, {**envelope(), "remediationHints": raw}, {"reason": raw, "remediation": raw}):
        denial, findings = read_denial(result(one), "https://a.example")
        assert denial is not None
        for words in (
            denial.words,
            *(f"{hint.kind}{hint.words}" for hint in denial.hints),
            *(each.message for each in findings),
        ):
            assert visible(words) == words
