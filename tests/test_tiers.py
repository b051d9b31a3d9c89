"""The two tiers: what is quick, what is slow, and how many examples a property has in each."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.tiers import FULL, examples, first_quick


def slow(case: object) -> bool:
    return any(mark.name == "slow" for mark in getattr(case, "marks", ()))


def test_the_first_case_is_quick_and_a_tuple_is_one_argument() -> None:
    cases = first_quick([(80, 24), (60, 18), (40, 10)])
    assert [case.values for case in cases] == [((80, 24),), ((60, 18),), ((40, 10),)]
    assert [slow(case) for case in cases] == [False, True, True]


def test_as_many_are_quick_as_are_asked_for_and_those_that_are_slow_stay_slow() -> None:
    cases = first_quick([pytest.param(1, marks=pytest.mark.slow), 2, 3, 4], 2)
    assert [slow(case) for case in cases] == [True, False, False, True]


def test_several_arguments_are_told_from_one() -> None:
    cases = first_quick([("a", 1), ("b", 2)], several=True)
    assert [case.values for case in cases] == [("a", 1), ("b", 2)]
    assert [slow(case) for case in cases] == [False, True]


def test_a_property_has_as_many_more_examples_as_it_asks_for() -> None:
    of_tier = settings().max_examples
    assert examples(FULL).max_examples == of_tier
    assert examples(4 * FULL).max_examples == 4 * of_tier
