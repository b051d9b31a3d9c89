"""What a busy server may not do to the person: floods of notices, questions, and changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from signoff.app.approval.approval import NO_LIMIT
from signoff.app.calls.call import Call, Outcome
from signoff.app.engine.events import FindingAdded
from signoff.app.protocol.findings.findings import note, warning
from signoff.app.protocol.server import Phase
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main import changed_calls
from signoff.app.tui.main.calls_shown import CallsShown
from signoff.app.tui.main.changed_calls import (
    BUSY_SECONDS,
    DRAWING_SECONDS,
    IDLE_TICKS_A_SECOND,
    MANY,
    MANY_SECONDS,
    TICKS_A_SECOND,
    ChangedCalls,
    Ticker,
)
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.workplace import Workplace
from signoff.widgets.lists.call_list import CallList
from tests.servers import recorded
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import AheadClock, arm, press_slowly
from tests.widgets.call_samples import ended, running


def notices(stage: BenchStage) -> list[str]:
    return [one.title for one in stage.app._notifications]


@pytest.mark.slow
async def test_the_same_finding_is_told_once_in_a_while() -> None:
    async with bench_stage() as stage:
        for number in range(20):
            stage.engine._publish(FindingAdded(warning("noise-on-stdout", f"line {number}")))
            stage.engine._publish(FindingAdded(warning("unknown-id", f"id {number}")))
        await stage.until(lambda: notices(stage), "a notice")
        assert sorted(notices(stage)) == ["Noise on stdout", "Unknown id"]
        stage.engine._publish(FindingAdded(note("a-note", "is no news")))
        await stage.rests()
        assert len(notices(stage)) == 2


@pytest.mark.slow
async def test_after_its_pause_it_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.app.tui.main.notices.REPEAT_SECONDS", 0.0)
    async with bench_stage() as stage:
        for number in range(3):
            stage.engine._publish(FindingAdded(warning("noise-on-stdout", f"line {number}")))
        await stage.until(lambda: len(notices(stage)) == 3, "every notice")


@pytest.mark.slow
async def test_nothing_is_painted_anew_under_an_open_dialog(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[bool] = []
    really = CallsShown.draw

    def draw(self: CallsShown) -> None:
        drawn.append(self._panes.screen.is_active)
        really(self)

    monkeypatch.setattr(CallsShown, "draw", draw)
    async with bench_stage() as stage:
        tools = {tool.name: tool for tool in stage.engine.tools}
        running = stage.engine.call(tools["slow"], {"steps": 400, "seconds": 60.0})
        await stage.until(lambda: stage.engine.progress_count > 2, "progress")
        await stage.until(lambda: len(drawn) > 4 and all(drawn), "the line of the call to move")
        asked = stage.engine.call(tools["delete_thing"], {})
        await stage.is_open(ApprovalDialog)
        await stage.rests()
        before, came = len(drawn), stage.engine.progress_count
        await stage.until(lambda: stage.engine.progress_count > came + 5, "more progress")
        assert len(drawn) == before
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        await arm(stage, dialog)
        await stage.press("escape")
        await stage.until(lambda: stage.engine.calls[asked].is_over, "the denial")
        await stage.until(lambda: len(drawn) > before + 2, "the line to move again")
        stage.engine.cancel(running)
        await stage.until(lambda: stage.engine.calls[running].is_over, "the end")


@pytest.mark.slow
async def test_many_calls_at_once_are_drawn_together(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    show = CallList.show

    def counted(calls: CallList, values: Sequence[Call], now: float) -> None:
        drawn.append(len(values))
        show(calls, values, now)

    monkeypatch.setattr(CallList, "show", counted)
    # A busy machine draws less often by itself, and must not let this pass by that.
    monkeypatch.setattr(changed_calls, "DRAWING_SECONDS", 0.2)
    async with bench_stage() as stage:
        tool = stage.tool("echo")
        drawn.clear()
        begun = [stage.engine.call(tool, {"text": str(number)}) for number in range(40)]
        for call_id in begun:
            await stage.engine.ended(call_id)
        await stage.press("c")
        await stage.sees("Calls 40", "answered")
        assert len(drawn) < 80
        place = stage.app.screen.query_one(Workplace)
        newest = stage.engine.calls[begun[-1]]
        await stage.until(lambda: place.selected_call is newest, "the newest call")
        await stage.until(lambda: "39" in stage.text, "the newest answer")


@pytest.mark.slow
async def test_arguments_that_are_given_back_are_in_the_form_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever else is drawn a moment later: it must not come after what is typed there."""
    monkeypatch.setattr(changed_calls, "DRAWING_SECONDS", 60.0)
    async with bench_stage(is_demo=True, size=(120, 36)) as stage:
        await stage.choose("delete_file")
        pane = stage.pane
        pane.fill({"path": "notes/todo.txt"})
        await stage.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        pane.fill({"path": "something else"})
        dialog.query_one("#edit").focus()
        await press_slowly(stage, "enter")
        await stage.has_left(dialog)
        await stage.until(lambda: pane.arguments == {"path": "notes/todo.txt"}, "the arguments")


class Drawing:
    """A clock that stands still, the timers that were set, and what was drawn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.waits: list[float] = []
        self.drawn: list[list[Call]] = []
        self.calls = ChangedCalls(cast(Any, self), self.drawn.append)
        monkeypatch.setattr(changed_calls, "time", SimpleNamespace(monotonic=lambda: self.now))

    def set_timer(self, wait: float, then: Callable[[], None]) -> Drawing:
        self.waits.append(wait)
        return self

    def set_interval(self, wait: float, then: Callable[[], None]) -> Drawing:
        self.waits.append(wait)
        self.tick = then
        return self

    def stop(self) -> None:
        """Nothing comes of a timer here."""


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Drawing:
    return Drawing(monkeypatch)


def test_a_single_change_is_drawn_at_once_and_the_next_soon(drawing: Drawing) -> None:
    first, second = running(1), ended(1)
    drawing.calls.add(first)
    drawing.calls.add(second)
    assert drawing.drawn == [[first]]
    assert drawing.waits == [pytest.approx(DRAWING_SECONDS)]
    drawing.calls.draw_now()
    assert drawing.drawn == [[first], [second]]


def test_while_many_are_open_they_are_drawn_less_often(drawing: Drawing) -> None:
    many = [running(number) for number in range(1, MANY + 1)]
    for call in many:
        drawing.calls.add(call)
    drawing.calls.draw_now()
    assert drawing.drawn == [many[:1], many[1:]]
    drawing.calls.add(many[0])
    assert drawing.waits[-1] == pytest.approx(MANY_SECONDS)
    drawing.calls.draw_now()
    drawing.now += 1
    for number in range(1, MANY):
        drawing.calls.add(ended(number))
        drawing.calls.draw_now()
    drawing.calls.add(many[-1])
    assert drawing.waits[-1] == pytest.approx(DRAWING_SECONDS)


def test_it_ticks_fast_while_there_is_work_and_slowly_without(drawing: Drawing) -> None:
    work = [True]
    ticker = Ticker(cast(Any, drawing), lambda: work[0])
    fast, slow = pytest.approx(1 / TICKS_A_SECOND), pytest.approx(1 / IDLE_TICKS_A_SECOND)
    drawing.now += 10 * BUSY_SECONDS
    drawing.tick()
    assert drawing.waits == [fast]
    work[0] = False
    drawing.now += BUSY_SECONDS / 2
    drawing.tick()
    assert drawing.waits == [fast], "the last change may not be drawn yet"
    drawing.now += BUSY_SECONDS
    drawing.tick()
    drawing.tick()
    assert drawing.waits == [fast, slow]
    ticker.speed_up()
    ticker.speed_up()
    assert drawing.waits == [fast, slow, fast]
    drawing.tick()
    assert drawing.waits == [fast, slow, fast], "it was just told of a change"
    drawing.now += 2 * BUSY_SECONDS
    drawing.tick()
    work[0] = True
    drawing.tick()
    assert drawing.waits == [fast, slow, fast, slow, fast]


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


@pytest.mark.slow
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
async def test_the_clock_is_switched_off_for_what_is_open_and_what_waits_and_for_a_session() -> (
    None
):
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
        await stage.is_open(MainScreen)
        opening = stage.app._opening
        opening.session = replace(opening.session, decision_seconds=NO_LIMIT)
        bench_screen.is_timed = False
        bench_screen.is_timed = True
        stage.engine.call(tool, {})
        await stage.until(lambda: open_dialog(stage), "the question")
        await stage.sees("no time limit")
        await stage.press("escape")
