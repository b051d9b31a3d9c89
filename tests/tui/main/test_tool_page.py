"""The page of a tool: who asks, what a hint would change, the arguments, its own last response."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from signoff.app.calls.call import Outcome
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.panes import PANES
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.hosts_line import HostsLine
from signoff.app.tui.tools.tool_pane import ToolPane
from tests.engine.opened import Denies
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage


def place_of(stage: BenchStage) -> Workplace:
    return stage.app.screen.query_one(Workplace)


def page(stage: BenchStage) -> ToolPane:
    return stage.pane


def answer(stage: BenchStage) -> AnswerPane:
    return stage.app.screen.query_one(AnswerPane)


def frames(stage: BenchStage) -> int:
    """Panes with a frame of their own."""
    return sum(bool(one.region.area) for one in stage.app.screen.query(".pane"))


@pytest.mark.slow
async def test_a_response_has_half_of_the_rows_and_no_pane_is_added() -> None:
    async with bench_stage(size=WIDE) as stage:
        await stage.choose("echo")
        await stage.press("enter")
        panes = frames(stage)
        await stage.type("some words")
        await stage.press("f5")
        await stage.sees("answered", "text=some words", "e Edit", "[ f5 Call ]")
        assert frames(stage) == panes <= 2
        rows = stage.app.screen.query_one("#work").size.height
        assert answer(stage).outer_size.height >= rows // 2
        assert place_of(stage).current == "answer"


async def test_the_page_is_made_of_known_places_and_shows_the_last_response_of_its_tool() -> None:
    async with bench_stage() as stage:
        await stage.choose("echo")
        pane = page(stage)
        verdict = pane.query_one(".verdict", Static)
        await stage.until(
            lambda: verdict.region.y - pane.form.region.bottom <= 1, "the verdict below the form"
        )
        await stage.call("echo")
        await stage.sees("echo  answered")
        await stage.choose("read_thing")
        await stage.until(lambda: not answer(stage).region.area, "no response")
        assert place_of(stage).selected_call is None
        await stage.choose("echo")
        await stage.sees("echo  answered", "no arguments", "e Edit")
        await stage.call("echo")
        await stage.sees("echo  answered")
        assert [one.id for one in stage.app.screen.query(".part")] == list(PANES[1:])


async def test_e_edits_the_arguments_again_and_typing_keeps_the_response() -> None:
    async with bench_stage() as stage:
        await stage.choose("echo")
        await stage.press("enter")
        await stage.type("one")
        await stage.press("f5")
        await stage.sees("text=one")
        await stage.press("e")
        await stage.until(lambda: page(stage).has_focus_within, "the form")
        await stage.press("end")
        await stage.type(" two")
        assert page(stage).arguments == {"text": "one two"}
        await stage.sees("1  echo  answered")
        await stage.press("f5")
        await stage.sees("2  echo  answered", "text=one two")


async def test_a_denied_call_leaves_the_form_as_it_was() -> None:
    async with bench_stage(is_demo=True) as stage:
        stage.engine.approver = Denies()
        await stage.choose("delete_file")
        await stage.press("enter")
        await stage.type("a.txt")
        await stage.press("f5")
        assert (await stage.end()).outcome is Outcome.DENIED
        await stage.sees("denied")
        assert not page(stage).is_away
        assert page(stage).has_focus_within


async def test_a_secret_is_not_in_the_row_of_the_arguments() -> None:
    async with bench_stage("--with", "all") as stage:
        tool = stage.tool("echo")
        await stage.choose("echo")
        await stage.engine.ended(stage.engine.call(tool, {"text": "a", "password": "hunter2"}))
        page(stage).fill({"text": "a", "password": "hunter2"})
        page(stage).put_away()
        await stage.sees("e Edit")
        assert "hunter2" not in str(page(stage).query_one(".arguments", Static).render())


async def test_the_calls_are_opened_gone_through_and_put_away() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.press("c")
        await stage.is_told("No call yet")
        await stage.call("echo")
        await stage.choose("read_thing")
        await stage.press("f5")
        await stage.end(after=1)
        await stage.sees("read_thing  answered")
        await stage.press("c")
        await stage.sees("Calls 2", "1  echo")
        await stage.press("down", "enter")
        await stage.sees("1  echo  answered")
        await stage.sees_tool("echo")
        await stage.no_longer_sees("Calls 2")
        await stage.press("c", "escape")
        await stage.no_longer_sees("Calls 2")


async def test_a_digit_tries_another_hint_outside_of_text_fields() -> None:
    async with bench_stage() as stage:
        await stage.choose("delete_thing")
        tool = page(stage).tool
        assert tool is not None
        line = stage.app.screen.query_one(HostsLine)
        await stage.sees("1 readOnly")
        before = line.render().plain
        await stage.press("1")
        await stage.until(lambda: stage.engine.overrides(tool) == {"readOnly": True}, "a what-if")
        await stage.until(lambda: "readOnly true" in line.render().plain, "its words")
        assert line.render().plain != before
        await stage.press("1", "1")
        await stage.until(lambda: not stage.engine.overrides(tool), "the server's own")
        await stage.until(lambda: line.render().plain == before, "the words of before")
        await stage.choose("echo")
        await stage.press("enter", "1")
        assert page(stage).arguments == {"text": "1"}


async def test_findings_are_one_line_until_they_are_wanted() -> None:
    async with bench_stage(size=NARROW) as stage:
        await stage.call("echo")
        await stage.sees("· note  structuredContent without", "n Whole")
        await stage.press("n")
        await stage.sees("· note ", "structured-without-sche")
        await stage.no_longer_sees("n Whole")
        await stage.press("n")
        await stage.sees("n Whole")


@pytest.mark.slow
async def test_the_end_of_a_call_of_another_tool_is_told() -> None:
    async with bench_stage("--with", "late_after_cancel") as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.until(lambda: stage.engine.calls[stage.newest].sent, "the sending")
        await stage.press("escape")
        await stage.choose("read_thing")
        await stage.until(lambda: not answer(stage).region.area, "no response")
        stage.engine.cancel(stage.newest)
        await stage.is_told("Call 1, late_after_cancel: cancelled", "(c: calls)")
        assert not answer(stage).region.area
