"""Patterns mean what ECMA-262 says, wherever a schema has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.ecma_patterns import is_found, pattern_fault, unicode_fault
from signoff.app.schemas.evaluator import obeys
from signoff.app.schemas.schema import SchemaAnswer, judge


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\p{L}+$", "Ärger", True),
        (r"^\p{Lu}", "ärger", False),
        (r"^\cA$", "\x01", True),
        (r"^(?<year>\d{4})$", "2026", True),
        (r"^\d$", "\u0663", False),  # a digit to Python
        (r"^\w$", "é", False),  # a letter to Python
        (r"^\s$", "\ufeff", True),  # no space to Python
        (r"^\s$", "\x1c", False),  # a space to Python
        ("^a$", "a\n", False),
        ("^.$", "\U0001f600", True),
        ("^.$", "\u2028", False),
        (r"^\u{1F600}$", "\U0001f600", True),
        (r"^[^a]$", "\ud83d", True),  # half a character
        ("\ud83d", "a", False),
        (r"^it\'s$", "it's", True),  # only without the u flag
    ],
)
def test_found_or_not(pattern: str, text: str, found: bool) -> None:
    assert is_found(pattern, text) is found
    value = SchemaAnswer.VALID if found else SchemaAnswer.INVALID
    assert judge({"pattern": pattern}, text).answer is value
    assert judge({"propertyNames": {"pattern": pattern}}, {text: 1}).answer is value
    named: Any = {"patternProperties": {pattern: {}}, "additionalProperties": False}
    assert judge(named, {text: 1}).answer is value
    assert judge({**named, "additionalProperties": {"type": "null"}}, {text: 1}).answer is value
    left: Any = {"patternProperties": {pattern: {}}, "unevaluatedProperties": False}
    assert judge(left, {text: 1}).answer is value


@pytest.mark.parametrize("pattern", ["(", "(?P<a>x)", "[b-a]", "(?i)a", "a{2,1}", "(?#note)", "*"])
def test_what_is_no_pattern_has_a_fault(pattern: str) -> None:
    assert pattern_fault(pattern)
    assert unicode_fault(pattern)


def test_a_pattern_may_be_valid_only_without_the_flag() -> None:
    assert pattern_fault(r"a\_b") == ""
    assert unicode_fault(r"a\_b")


@given(st.text())
def test_any_text_as_a_pattern_is_read_or_has_a_fault(pattern: str) -> None:
    assert "\x1b" not in pattern_fault(pattern)
    verdict = judge({"pattern": pattern}, "a")
    assert (verdict.answer is SchemaAnswer.NOT_VALIDATED) == bool(pattern_fault(pattern))


_LITERALS = st.lists(st.sampled_from(["a", "b", r"\.", r"\-", "_", "\n", "\u2028"]), max_size=3)


@given(
    st.sampled_from(["", "^"]),
    _LITERALS.map("".join),
    st.sampled_from(["", "$", ".*", ".*$", ".+$", "(.*)", "(.*)$"]),
    st.text("ab.-_\n\r\u2028", max_size=4),
)
def test_what_a_form_knows_at_once_is_what_the_engine_finds(
    start: str, body: str, end: str, text: str
) -> None:
    known = obeys(start + body + end, text)
    assert known is None or known is is_found(start + body + end, text)
