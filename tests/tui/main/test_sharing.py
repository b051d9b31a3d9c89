"""How the panes of the column share its rows, whatever they need."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.tui.main.panes import LEAST_ANSWER, Needs, PaneRows, calls_in_sight, share

ROWS = st.integers(15, 80)
NEEDS = st.builds(
    lambda least, more, calls, answer: Needs(least + more, least, calls, answer),
    st.integers(5, 9),
    st.integers(0, 200),
    st.integers(3, 5),
    st.integers(3, 500),
)
FOCUSED = st.sampled_from(("tools", "tool", "calls", "answer"))


@given(ROWS, NEEDS, FOCUSED)
def test_all_rows_are_given_and_none_twice(rows: int, needs: Needs, focused: str) -> None:
    given = share(rows, needs, focused)
    assert given.tool + given.calls + given.answer == rows
    assert given.answer >= min(needs.answer, LEAST_ANSWER)
    assert given.tool >= min(needs.tool_least, rows - needs.calls - LEAST_ANSWER)


@given(ROWS, NEEDS, FOCUSED)
def test_beside_an_answer_a_tool_has_no_more_than_it_fills(
    rows: int, needs: Needs, focused: str
) -> None:
    assert share(rows, needs, focused).tool <= max(needs.tool, needs.tool_least)


@given(ROWS, NEEDS)
def test_the_one_with_the_focus_grows(rows: int, needs: Needs) -> None:
    assert share(rows, needs, "answer").answer >= share(rows, needs, "tool").answer


@given(ROWS, st.integers(5, 200))
def test_without_an_answer_the_tool_has_the_rows_that_it_fills(rows: int, need: int) -> None:
    assert share(rows, Needs(need, 5), "tool").tool == min(rows, need)


@given(ROWS, st.integers(1, 1000), st.booleans())
def test_few_calls_stand_there_and_one_at_least(rows: int, count: int, is_focused: bool) -> None:
    assert 1 <= calls_in_sight(count, rows, is_focused=is_focused) <= max(6, rows // 3)


@given(ROWS, NEEDS, FOCUSED, st.integers(20, 80))
def test_calls_and_answer_keep_the_part_that_somebody_chose(
    rows: int, needs: Needs, focused: str, percent: int
) -> None:
    given = share(rows, replace(needs, percent=percent), focused)
    least = min(needs.tool_least, rows - needs.calls - LEAST_ANSWER)
    kept = min(needs.calls + needs.answer, rows * percent // 100, rows - least)
    assert given.calls + given.answer >= kept
    assert given.tool >= least


@given(ROWS, NEEDS)
def test_a_broken_answer_has_more_and_the_field_stays(rows: int, needs: Needs) -> None:
    usual, broken = share(rows, needs, "tool"), share(rows, replace(needs, is_broken=True), "tool")
    assert broken.answer >= usual.answer
    assert broken.tool >= min(needs.tool_least, rows - needs.calls - LEAST_ANSWER)


def test_a_broken_answer_grows_where_rows_are_few() -> None:
    needs = Needs(40, 9, 3, 40)
    assert share(36, needs, "tool") == PaneRows(17, 3, 16)
    assert share(36, replace(needs, is_broken=True), "tool") == PaneRows(11, 3, 22)
