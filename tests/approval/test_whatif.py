from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.matrix import HINT_NAMES, SET_BY_PERSON, overridden, strictest
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.protocol.hints import HINT_KEYS, Claim, Effect
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool, read_tools
from tests.content.json_values import json_values

OVERRIDES = st.dictionaries(st.sampled_from(HINT_NAMES), st.booleans() | st.none())
RAW = st.fixed_dictionaries(
    {"name": st.text(max_size=6)},
    optional={
        "annotations": st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans() | json_values())
        | json_values(),
        "inputSchema": json_values(),
        "title": st.text(max_size=4),
    },
)
VERDICTS = st.builds(
    Verdict,
    answer=st.sampled_from(VerdictAnswer),
    reasons=st.just(("because",)),
    strong=st.booleans(),
    reviews_result=st.booleans(),
    depends=st.booleans(),
).filter(lambda verdict: not verdict.strong or verdict.answer is VerdictAnswer.ASK)
MILDEST_FIRST = ("allow", "judge", "not known", "ask", "hide", "refuse")


def tool(**annotations: Any) -> ToolDefinition:
    return read_tool(
        0, {"name": "a", "inputSchema": {"type": "object"}, "annotations": annotations}
    )


def codes(shown: ToolDefinition) -> list[str]:
    return [finding.code for finding in shown.findings]


@given(RAW | json_values(), OVERRIDES)
def test_what_is_sent_and_what_an_approval_is_bound_to_stay(
    raw: Any, overrides: dict[str, bool | None]
) -> None:
    before = read_tool(3, raw)
    after = overridden(before, overrides)
    assert after.raw is before.raw
    assert after.digest == before.digest
    assert (after.index, after.name, after.title, after.description, after.callable) == (
        before.index,
        before.name,
        before.title,
        before.description,
        before.callable,
    )
    assert after.input_schema == before.input_schema


@given(RAW | json_values(), OVERRIDES)
def test_only_the_hints_that_are_set_change(raw: Any, overrides: dict[str, bool | None]) -> None:
    before = read_tool(0, raw)
    claims = {True: Claim.TRUE, False: Claim.FALSE, None: Claim.NOT_SET}
    for old, new in zip(before.hints, overridden(before, overrides).hints, strict=True):
        expected = claims[overrides[new.name]] if new.name in overrides else old.claim
        assert new.claim is expected
        assert new.default == old.default


@given(RAW)
def test_a_what_if_that_says_what_the_server_says_changes_nothing(raw: Any) -> None:
    before = read_tool(0, raw)
    values = {Claim.TRUE: True, Claim.FALSE: False, Claim.NOT_SET: None}
    same = {h.name: values[h.claim] for h in before.hints if h.claim is not Claim.MALFORMED}
    after = overridden(before, same)
    assert after.hints == before.hints
    assert sorted(codes(after)) == sorted(codes(before))


def test_destructive_means_something_once_read_only_is_taken_back() -> None:
    before = tool(readOnlyHint=True, destructiveHint=True)
    after = overridden(before, {"readOnly": False})
    assert not before.hints.destructive.meaningful
    assert after.hints.destructive.meaningful
    assert after.effect is Effect.DESTRUCTIVE


def test_what_was_found_in_the_hints_is_found_in_the_new_ones() -> None:
    malformed = tool(readOnlyHint="yes")
    assert "malformed-hint" in codes(malformed)
    assert "malformed-hint" not in codes(overridden(malformed, {"readOnly": True}))
    assert "malformed-hint" in codes(overridden(malformed, {"destructive": True}))
    both = overridden(tool(readOnlyHint=True), {"destructive": True})
    assert codes(both) == ["contradictory-hints"]
    assert codes(overridden(both, {"destructive": None})) == []


def test_what_was_found_elsewhere_stays() -> None:
    twice = read_tools([{"name": "a"}, {"name": "a"}])[0]
    assert "duplicate-name" in codes(overridden(twice, {"readOnly": True}))
    assert "malformed-schema" in codes(overridden(twice, {"readOnly": True}))


def test_without_overrides_it_is_the_same_tool() -> None:
    shown = tool()
    assert overridden(shown, {}) is shown


def test_a_name_that_no_hint_has_is_an_error() -> None:
    with pytest.raises(ValueError, match="readOnlyHint"):
        overridden(tool(), {"readOnlyHint": True})


def rank(verdict: Verdict) -> int:
    return MILDEST_FIRST.index(verdict.answer.value)


@given(VERDICTS, VERDICTS)
def test_the_strictest_is_never_milder_than_either(actual: Verdict, supposed: Verdict) -> None:
    found = strictest(actual, supposed)
    assert rank(found) == max(rank(actual), rank(supposed))
    assert found.reviews_result == (actual.reviews_result or supposed.reviews_result)
    assert found.depends == (actual.depends or supposed.depends)
    if found.answer is VerdictAnswer.ASK:
        assert found.strong == (actual.strong or supposed.strong)
    else:
        assert not found.strong


@given(VERDICTS, VERDICTS)
def test_a_what_if_that_changes_the_verdict_says_so(actual: Verdict, supposed: Verdict) -> None:
    found = strictest(actual, supposed)
    is_stricter = (found.answer, found.strong, found.reviews_result) != (
        actual.answer,
        actual.strong,
        actual.reviews_result,
    )
    assert (SET_BY_PERSON in found.reasons) == is_stricter


def test_a_remembered_approval_counts_only_where_nothing_stricter_is_said() -> None:
    allowed = Verdict(VerdictAnswer.ALLOW, (), grant_id=7)
    asked = Verdict(VerdictAnswer.ASK, ())
    assert strictest(allowed, allowed).grant_id == 7
    assert strictest(allowed, asked).grant_id is None
    assert strictest(asked, allowed) == asked
