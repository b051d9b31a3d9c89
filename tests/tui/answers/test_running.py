"""The place of a response while a call runs, and what the model of a host gets of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.widgets import Input

from signoff.app.hosts.measured.patience import slow_findings
from signoff.app.hosts.model_view.response import read_response
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.protocol.answers.task_states import AWAITS_APPROVAL, read_task
from signoff.app.protocol.progress import Pace
from signoff.app.tui.answers import pane as answer_pane
from signoff.app.tui.answers.headline import BAR_MOST, RunningReport, running_words
from signoff.app.tui.answers.model_view_screen import (
    NO_RESPONSE,
    HostViewList,
    ModelViewScreen,
    rows_of,
)
from signoff.app.tui.answers.pane import AnswerPane
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.text.pager import PagerScreen
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.widgets.lists.call_row import short_status
from tests.approved import approved
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.screen_stage import screen_stage
from tests.widgets.call_samples import running

TEXTS = approved("tui-answers")
NOW = 4.0


@pytest.mark.parametrize("width", [20, 40, 76, 200])
def test_bar_figures_message_time_and_the_key_that_cancels(width: int) -> None:
    call = running(1, value=9, total=15, message="Running: 009_split_names.sql")
    first, message, time, key = running_words(call, NOW, width).plain.split("\n")
    assert first.endswith("9/15")
    assert cell_len(first) <= max(width, 11)
    assert cell_len(first) <= BAR_MOST + len("  9/15")
    assert message == call.progress.message
    assert time.startswith("3.0 s")
    assert key == "ctrl+x: cancel"


def test_the_rate_is_beside_the_time() -> None:
    reports = [(second, second * 10.0) for second in (1.0, 2.0, 3.0, 4.0)]
    call = running(1, value=40, total=100, pace=Pace().reported(reports))
    assert "/s" in running_words(call, NOW, 76).plain.split("\n")[-2]


def test_before_the_first_report_and_after_the_cancel() -> None:
    TEXTS.holds("running: no progress yet", running_words(running(1), NOW, 76).plain)
    cancelled = running(1, cancel_requested=True)
    words = running_words(cancelled, NOW, 76).plain
    assert "ctrl+x" not in words
    assert words.endswith(cancelled.status)


def test_the_whole_message_of_a_hostile_server_is_there_and_inert() -> None:
    message = "a" * 300
    assert message in running_words(running(1, message=message), NOW, 40).plain.replace("\n", "")


async def test_the_screen_is_laid_out_again_only_if_a_report_takes_other_rows() -> None:
    class Place(App[None]):
        def compose(self) -> ComposeResult:
            yield RunningReport()

    async with Place().run_test(size=(40, 24)) as pilot:
        report = pilot.app.screen.query_one(RunningReport)
        layouts: list[int] = []
        report.show(running(1, value=1, total=9, message="one"), NOW)
        await pilot.pause()
        pilot.app.screen.screen_layout_refresh_signal.subscribe(
            report, lambda _: layouts.append(report.size.height)
        )
        for value in range(2, 9):
            report.show(running(1, value=value, total=9, message=f"part {value}"), NOW + value)
            await pilot.pause()
        assert not layouts
        assert "part 8" in str(report.render())
        rows = report.size.height
        report.show(running(1, value=9, total=9, message="long " * 16), NOW)
        await pilot.pause()
        assert set(layouts) == {rows + 1}


def test_a_call_that_waits_for_an_approval_by_the_server_is_marked_before_its_message() -> None:
    message = "The treasury has to approve this transfer."
    call = running(1, message=message)
    task = read_task({"taskId": "t", "status": "working", "statusMessage": message})
    assert task is not None
    due = call.later(task=replace(task, awaits_approval=True))
    shown = running_words(due, NOW, 40).plain.replace("\n", " ")
    assert f"{AWAITS_APPROVAL}: {message}" in shown
    assert short_status(due) == "approval due"
    assert AWAITS_APPROVAL not in running_words(call.later(task=task), NOW, 40).plain


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


HOSTILE = "\x1b[31mred[/] [b]\u202eevil\u0007"


@pytest.mark.slow
async def test_each_host_is_shown_with_its_losses() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.call("count_stock")
        await stage.rests()
        await stage.press("M")
        await stage.is_open(ModelViewScreen)
        rows = stage.app.screen.query_one(HostViewList).rows
        ids = [one.host.id for one in rows]
        assert sorted(ids) == sorted(model_hosts())
        await stage.sees("What the model gets", "lose a part", "Claude Code", "loses text")
        await stage.sees("as above", "lost       ▲ text", "model gets one text")
        losing = next(at for at, one in enumerate(rows) if "result" in [x.name for x in one.losses])
        await stage.press(*["down"] * losing)
        await stage.sees("lost       ▲ the whole result: it becomes an error of the host")
        await stage.press(*["up"] * losing, "enter")
        await stage.is_open(PagerScreen)
        await stage.sees('"warehouse":"north"')
        await stage.press("escape", "M")
        await stage.is_open(MainScreen)


@pytest.mark.slow
async def test_without_a_response_there_is_a_notice() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.press("M")
        await stage.sees(NO_RESPONSE.split(":")[0])
        assert isinstance(stage.app.screen, MainScreen)


async def test_hostile_texts_are_harmless_and_a_copy_is_raw() -> None:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": HOSTILE}] * 3,
        "structuredContent": {HOSTILE: [HOSTILE]},
    }
    async with screen_stage(size=NARROW) as stage:
        await stage.opens(ModelViewScreen(read_response(result), "call 1 x"))
        for _ in model_hosts():
            await stage.press("down")
            shown = stage.text
            assert all(char.isprintable() or char == "\n" for char in shown)
            assert "\u202e" not in shown
        assert "<U+202E>" in stage.whole("SheetView")
        rows = stage.app.screen.query_one(HostViewList).rows
        place = [one.host.id for one in rows].index("gemini-cli")
        await stage.press("home", *["down"] * place, "y")
        await stage.is_told("copied the text of Gemini CLI's model")


def test_rows_with_the_same_texts_follow_each_other() -> None:
    rows = rows_of(read_response({"content": [{"type": "text", "text": "a"}]}))
    assert rows[0].begins.startswith("1 character: a") or not rows[0].is_same
    for before, row in pairwise(rows):
        if row.is_same:
            assert (before.begins, before.losses) == (row.begins, row.losses)
    texts = [one for one in rows if one.begins == "1 character: a"]
    assert sum(not one.is_same for one in texts if one.host.kind == "host") == 1
    assert len(texts) > 3


def test_texts_of_a_long_response_are_not_made_for_the_list() -> None:
    rows = rows_of(read_response({"content": [{"type": "text", "text": "a" * 300_000}]}))
    assert {(one.begins, one.is_same) for one in rows} == {("", False)}


async def test_a_large_response_opens() -> None:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": "word " * 50_000}],
        "structuredContent": {"rows": [{"at": one} for one in range(20_000)]},
    }
    async with screen_stage(size=NARROW) as stage:
        await stage.opens(ModelViewScreen(read_response(result), "call 1 x"))
        await stage.sees("lost       ▲ text", "shown here: the first 400 of 250,000 characters")
