"""The report of a running call, where its answer will be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from signoff.app.protocol.answers.task_states import AWAITS_APPROVAL, read_task
from signoff.app.protocol.progress import Pace
from signoff.app.tui.answers.headline import BAR_MOST, RunningReport, running_words
from signoff.widgets.lists.call_row import short_status
from tests.approved import approved
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
