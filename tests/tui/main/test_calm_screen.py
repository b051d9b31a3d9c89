"""What a busy server may not do to the person: a flood of notices, a screen that moves below."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from signoff.app.calls.call import Call
from signoff.app.engine.events import FindingAdded
from signoff.app.protocol.findings.findings import note, warning
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main import changed_calls
from signoff.app.tui.main.calls_shown import CallsShown
from signoff.app.tui.main.workplace import Workplace
from signoff.widgets.lists.call_list import CallList
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm, press_slowly


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
