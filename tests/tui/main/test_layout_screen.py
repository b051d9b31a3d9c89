"""Panes side by side and as tabs: how they share the rows, and how each is reached."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.panes import LEAST_ANSWER, PANES, Needs, PaneRows, calls_in_sight, share
from signoff.app.tui.text.pager import PagerScreen
from signoff.widgets.bars import PaneTabs
from signoff.widgets.lists.call_list import CallList
from signoff.widgets.lists.tool_list import ToolList
from tests.tui.bench_stage import NARROW, SMALL, BenchStage, bench_stage
from tests.tui.drawn import drawn


def focused_pane(stage: BenchStage) -> str:
    focused = stage.app.focused
    if focused is None:
        return ""
    return next((one.id for one in focused.ancestors_with_self if one.id in PANES), "") or ""


def tabs(stage: BenchStage) -> list[str]:
    """What stands on the tabs."""
    return re.split(r"\s{2,}", drawn(stage.app.screen.query_one(PaneTabs)).strip())


async def is_in(stage: BenchStage, pane: str) -> None:
    await stage.until(lambda: focused_pane(stage) == pane, pane)


@pytest.mark.slow
async def test_panes_by_key_zoom_and_help() -> None:
    async with bench_stage() as stage:
        await stage.call("echo")
        # With the answer everything has followed that the call changes, the focus, too.
        await stage.sees("─Response─", "1  echo  answered", "╭─ Tools 8", "╭─ echo")
        for pane in ("tool", "answer", "tools"):
            await stage.press("f6")
            await is_in(stage, pane)
        await stage.press("shift+f6")
        await stage.until(lambda: isinstance(stage.app.focused, AnswerPane))

        await stage.press("f7")
        await stage.no_longer_sees("╭─ Tools 8")
        assert tabs(stage) == ["Tools 8", "Tool", "Calls 1", "Response"]
        await stage.press("escape")
        await stage.sees("─Response─", "╭─ Tools 8")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.focused, ToolList))

        await stage.press("question_mark")
        await stage.sees("╭─ The tools", "Fold this group", "ask the hosts")
        await stage.press("f1")
        await stage.no_longer_sees("╭─ The tools")


@pytest.mark.slow
async def test_tabs_by_mouse_and_by_key() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.sees("Tools 8    Tool", "╭─ Tools 8")
        await stage.pilot.click("PaneTabs", offset=(15, 0))
        await stage.sees("╭─ echo", "runs without asking")
        await stage.click_on("[ f5 Call ]")
        await stage.end()
        await stage.sees("─Response─", "1  echo  answered")
        await stage.press("c")
        await stage.sees("─Calls 1─")
        await stage.click_on("› 1  echo")
        await stage.until(lambda: isinstance(stage.app.focused, CallList))
        await stage.click_on("Tools 8")
        await stage.sees("╭─ Tools 8")
        await stage.press("f6", "f6", "f6")
        await stage.sees("─Response─")

        await stage.resize(*SMALL)
        await stage.sees("1  echo  answered", "f5 Call")
        await stage.resize(120, 36)
        await stage.sees("╭─ Tools 8", "╭─ echo", "─Calls 1─", "─Response─")
        await stage.resize(120, 20)
        await stage.sees("╭─ Tools 8", "╭─ echo", "› 1  echo", "─Response─")
        await stage.resize(120, 16)
        await stage.no_longer_sees("› 1  echo")


@pytest.mark.slow
async def test_an_answer_waits_for_a_person_who_has_gone_on() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.choose("slow")
        await stage.press("enter", "tab")
        await stage.type("60")
        await stage.press("f5")
        await stage.sees("ctrl+x: cancel")
        await stage.press("f3", "escape")
        await stage.choose("read_thing")
        await stage.press("ctrl+x")
        await stage.end()
        await stage.sees("╭─ Tools 8")
        assert isinstance(stage.app.focused, ToolList)


@pytest.mark.slow
async def test_the_server_in_full_and_the_way_out() -> None:
    async with bench_stage("--instructions", "Be [b]kind[/b].", "--noise-at-start") as stage:
        await stage.sees("3 problems f9")
        await stage.press("f9")
        await stage.sees("server test", " raw 1.0", "2025-11-25")
        await stage.press("tab")
        await stage.sees("warning  noise-on-stdout")
        await stage.click_on("instructions")
        await stage.sees("┃ Be [b]kind[/b].")
        await stage.press("shift+tab")
        await stage.sees("0 log messages")
        await stage.press("shift+tab")
        await stage.sees("nothing")
        await stage.press("q")
        assert not isinstance(stage.app.screen, PagerScreen)
        await stage.press("ctrl+q")
        await stage.until(lambda: not stage.app.is_running, "the end")


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
