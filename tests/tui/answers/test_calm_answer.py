"""While an answer is awaited the panes keep their rows: what one types in does not jump twice."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from signoff.app.hosts.measured.patience import slow_findings
from signoff.app.tui.answers import pane as answer_pane
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.tool_pane import ToolPane
from tests.tui.bench_stage import BenchStage, bench_stage


def heights_from_now(stage: BenchStage) -> list[tuple[int, bool]]:
    """Rows of the tool's pane at each layout that follows, and whether it is folded."""
    pane = stage.app.screen.query_one("#tool", ToolPane)
    whole = pane.query_one(".whole")
    found: list[tuple[int, bool]] = []

    def note(_: object) -> None:
        found.append((pane.size.height, not whole.display))

    stage.app.screen.screen_layout_refresh_signal.subscribe(pane, note)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [(120, 36), (80, 24), pytest.param((100, 30), marks=pytest.mark.thorough)]
)
async def test_one_more_call_moves_nothing(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may take longer over an answer than one is waited for.
    monkeypatch.setattr(answer_pane, "HOLD_SECONDS", 30.0)
    monkeypatch.setattr(answer_pane, "LAID_OUT_SECONDS", 1.0)
    async with bench_stage("--with", "all", size=size) as stage:
        await stage.choose("structured")
        await stage.press("enter")
        # The list of calls grows with the first ones.
        for _ in range(4):
            await stage.call("structured")
            await stage.rests()
        found = heights_from_now(stage)
        for _ in range(2):
            await stage.call("structured")
            await stage.rests()
        assert len(set(found)) <= 1, found


@pytest.mark.slow
async def test_an_answer_that_is_long_in_coming_gives_its_rows_back() -> None:
    async with bench_stage("--with", "all", size=(120, 36)) as stage:
        await stage.call("structured")
        await stage.rests()
        answer = stage.app.screen.query_one(AnswerPane)
        before = answer.rows_needed
        slow = stage.tool("slow")
        stage.engine.call(slow, {"steps": 9, "seconds": 60})
        await stage.sees("2  slow")
        assert answer.rows_needed == before
        await stage.until(lambda: answer.rows_needed < before, "the rows")
        stage.engine.cancel(2)
        await stage.end()


@pytest.mark.slow
async def test_an_answer_does_not_take_the_focus_from_a_filter_that_is_typed() -> None:
    """Its next letter would be a verb of the answer."""
    async with bench_stage("--with", "all", size=(80, 24)) as stage:
        await stage.choose("structured")
        await stage.press("f5")
        call = await stage.end()
        await stage.rests()
        await stage.press("f3", "e")
        stage.app.screen.query_one(Workplace)._calls.go_on_from(call)
        await stage.type("cho")
        assert stage.app.screen.query_one("#filter", Input).value == "echo"


@pytest.mark.slow
async def test_f5_in_the_filter_brings_the_running_call_into_sight() -> None:
    async with bench_stage("--with", "all", size=(80, 24)) as stage:
        await stage.choose("slow")
        await stage.press("enter", "tab")
        await stage.type("60")
        await stage.press("f3", "f5")
        await stage.sees("Response", "running", "ctrl+x: cancel")
        assert stage.app.screen.query_one(Workplace).current == "answer"
        await stage.press("ctrl+x")
        await stage.end()


def test_a_call_that_took_long_is_one_line_with_the_hosts_that_give_up() -> None:
    line = answer_pane.notes_line(slow_findings(70), 100).plain
    assert "note  took 70 s: " in line
    assert "hosts give up first" in line
    assert line.rstrip().endswith("n Whole")
