"""Several questions at once: one dialog at a time, with a count of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.approval.approval import NO_LIMIT
from signoff.app.calls.call import Outcome
from signoff.app.protocol.server import Phase
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.main_screen import MainScreen
from tests.servers import recorded
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import AheadClock


def open_dialog(stage: BenchStage) -> int | None:
    """The call that is asked about now; None while no dialog listens, and some time passes then."""
    screen, clock = stage.app.screen, stage.app.dialog_clock
    if not isinstance(screen, ApprovalDialog):
        return None
    if not screen.is_armed and isinstance(clock, AheadClock):
        clock.move_on(0.6)
    return screen.question.call.number if screen.is_armed else None


async def test_questions_are_asked_one_after_the_other(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    async with bench_stage("--record", str(record)) as stage:
        tool = stage.tool("delete_thing")
        asked = [stage.engine.call(tool, {}) for _ in range(3)]
        answered: list[int | None] = []
        for left in (2, 1, 0):
            await stage.until(lambda: open_dialog(stage) not in (None, *answered), "a question")
            if left:
                await stage.sees(f"{left} more waiting")
            else:
                assert "more waiting" not in stage.text
            answered.append(open_dialog(stage))
            await stage.press("escape")
        assert sorted(answered, key=str) == asked
        await stage.until(lambda: all(stage.engine.calls[one].is_over for one in asked), "the end")
        assert [stage.engine.calls[one].outcome for one in asked] == [Outcome.DENIED] * 3
    assert recorded(record) == []


async def test_a_lost_server_voids_the_open_question_and_those_that_wait(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    async with bench_stage("--record", str(record)) as stage:
        tool = stage.tool("delete_thing")
        asked = [stage.engine.call(tool, {}) for _ in range(3)]
        await stage.until(lambda: open_dialog(stage), "the first question")
        stage.engine.link.kill()
        await stage.until(lambda: stage.engine.server.phase is Phase.LOST, "the loss")
        await stage.until(lambda: all(stage.engine.calls[one].is_over for one in asked), "the end")
        await stage.until(lambda: open_dialog(stage), "the dialog to listen again")
        await stage.press("escape")
        await stage.has_left(ApprovalDialog)
    assert recorded(record) == []


async def test_what_is_denied_for_the_session_is_not_asked_about_again(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    async with bench_stage("--record", str(record)) as stage:
        tool = stage.tool("delete_thing")
        other = stage.tool("add_thing")
        asked = [stage.engine.call(tool, {}) for _ in range(3)]
        await stage.until(lambda: open_dialog(stage) in asked, "a question")
        await stage.sees("2 more waiting")
        different = stage.engine.call(other, {})
        await stage.sees("3 more waiting")
        await stage.press("tab")
        await stage.sees("▸ Deny for")
        await stage.press("enter")
        await stage.until(lambda: open_dialog(stage) == different, "the other tool's question")
        assert "more waiting" not in stage.text
        assert [stage.engine.calls[one].outcome for one in asked] == [Outcome.DENIED] * 3
        await stage.press("escape")
        await stage.until(lambda: stage.engine.calls[different].is_over, "the end")
    assert recorded(record) == []


@pytest.mark.slow
async def test_the_clock_is_switched_off_for_what_is_open_and_what_waits() -> None:
    async with bench_stage() as stage:
        bench_screen = stage.app.screen
        assert isinstance(bench_screen, MainScreen)
        tool = stage.tool("delete_thing")
        for _ in range(2):
            stage.engine.call(tool, {})
        await stage.until(lambda: open_dialog(stage), "the first question")
        await stage.sees("denies in ")
        bench_screen.is_timed = False
        await stage.sees("1 more waiting", "no time limit")
        first = open_dialog(stage)
        await stage.press("escape")
        await stage.until(lambda: open_dialog(stage) not in (None, first), "the second question")
        await stage.sees("no time limit")
        bench_screen.is_timed = True
        await stage.sees("denies in ")
        await stage.press("escape")


@pytest.mark.slow
async def test_a_session_without_a_limit_has_none() -> None:
    async with bench_stage() as stage:
        opening = stage.app._opening
        opening.session = replace(opening.session, decision_seconds=NO_LIMIT)
        bench_screen = stage.app.screen
        assert isinstance(bench_screen, MainScreen)
        bench_screen.is_timed = False
        bench_screen.is_timed = True
        tool = stage.tool("delete_thing")
        stage.engine.call(tool, {})
        await stage.until(lambda: open_dialog(stage), "the question")
        await stage.sees("no time limit")
        await stage.press("escape")
