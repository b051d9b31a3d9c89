"""The tour on the bench: what ticks a step, what it says, where the keys go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.engine.session_config import SessionConfig
from signoff.app.features.tour import dock
from signoff.app.features.tour.course import Course, StepPhase, TourStep
from signoff.app.features.tour.dock import TourDock
from signoff.app.features.tour.list_screen import TourListScreen
from signoff.app.features.tour.player import TourPlayer
from signoff.app.features.tour.progress import load_tour, save_tour
from signoff.app.features.tour.steps import STEPS
from signoff.app.protocol.server import Trust
from signoff.app.storage.state_dir import state_folder
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main import main_screen
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.widgets import tour_panel
from signoff.widgets.tour_panel import TourPanel
from tests.approved import approved
from tests.tui.bench_stage import NARROW, WIDE, BenchStage
from tests.tui.clocks import AheadClock, press_slowly
from tests.tui.drawn import Notices, flowing

TEXTS = approved("tui-tour")
IDS = [step.id for step in STEPS]


class TourStage(BenchStage):
    @property
    def docked(self) -> TourDock:
        return self.app.screen_stack[0].query_one(TourDock)

    @property
    def panel(self) -> TourPanel:
        return self.docked.panel

    @property
    def course(self) -> Course:
        return self.docked.course

    async def phase(self, phase: StepPhase) -> None:
        await self.until(lambda: self.course.attempt.phase is phase, f"{phase}: {self.text}")

    async def focused(self, what: str = "the panel") -> None:
        await self.until(lambda: self.panel.has_focus, what)

    async def at_bench(self) -> None:
        await self.until(lambda: not self.panel.has_focus, "the bench")

    async def over(self) -> None:
        await self.until(lambda: not self.app.screen.query(TourDock), "the end of the tour")

    async def open_step(self, name: str, *keys: str) -> None:
        """Go to a step by the list, and press keys there."""
        at = IDS.index(name)
        await self.press("l")
        await self.is_open(TourListScreen)
        await self.press("home", *["down"] * at, "enter")
        await self.until(lambda: self.course.at == at, name)
        await self.focused()
        await self.rests()
        await self.press(*keys)

    def make(self, name: str) -> None:
        """Begin a call, by which no step knows that a form was not used."""
        given = {"calculate_sum": {"a": 1, "b": 2}, "delete_file": {"path": "notes/todo.txt"}}
        tool = self.tool(name)
        self.engine.call(tool, given[name])  # type: ignore[arg-type]


@asynccontextmanager
async def tour(
    size: tuple[int, int] = WIDE,
    *,
    is_bundled: bool = True,
    begins: bool = True,
    is_presenting: bool = False,
    animation: str = "none",
    shows: Callable[[MainScreen], None] | None = None,
) -> AsyncIterator[TourStage]:
    """`shows` is called once the panes are there, in the place of what shows the tools."""
    target = read_target(SessionOptions(is_bundled=True))
    link = target.link()
    link.begin()
    config = SessionConfig(target, Trust.TRUSTED, keeps_audit=False)
    engine = config.engine(link)
    opening = AppConfig(
        link,
        replace(config, target=replace(target, is_bundled=is_bundled)),
        begins_tour=begins,
        is_presenting=is_presenting,
        _engine=engine,
    )
    app = SignoffApp(opening)
    app.animation_level = animation  # type: ignore[assignment]
    app.dialog_clock = AheadClock()
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            stage = TourStage(app, pilot, engine)
            if shows is not None:
                await stage.until(lambda: app.screen.query(Workplace), "the workplace")
                late = app.screen.query_one(Workplace)
                await stage.until(lambda: engine.is_listed and late.is_complete, "the panes")
                assert isinstance(app.screen, MainScreen)
                shows(app.screen)
            await stage.until(lambda: engine.is_listed and app.focused, "the tools")
            place = app.screen.query_one(Workplace)
            await stage.until(lambda: place.is_complete, "the other panes")
            if begins:
                await stage.sees("Tour ")
                await stage.until(lambda: stage.panel.has_focus, "the panel's focus")
            yield stage
    finally:
        engine.link.kill()


ANSWERS = {
    "read-only": "┃ 5",
    "liar": "read_settings wrote this",
    "structured": "✓ structuredContent",
    "broken": "✗ structuredContent",
}
"""Words of the answer of a step that stand beside its result."""


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_a_whole_tour_at_80x24() -> None:
    async with tour(NARROW) as stage:
        player = TourPlayer(stage.app, stage.pilot)
        await player.begin()
        for at, step in enumerate(STEPS):
            assert stage.course.at == at
            assert stage.panel.has_focus
            assert "Guess first" not in stage.text
            await folds_and_unfolds(stage, step)
            await player.play(step)
            await stage.phase(StepPhase.TOLD)
            assert stage.course.attempt.told is not None, step.id
            await stage.focused(f"the result of {step.id}")
            await stage.sees("Right:" if stage.course.attempt.is_right else "Not quite")
            if step.id in ANSWERS:
                await stage.sees(ANSWERS[step.id], "enter Next")
                assert stage.panel.max_scroll_y == 0
                await stage.press("escape")
                await stage.at_bench()
                await stage.press("alt+t")
                await stage.focused()
            if step is not STEPS[-1]:
                await stage.press("enter")
        assert stage.course.done == {step.id for step in STEPS}
        await stage.sees(f"all {len(STEPS)} steps done")
        assert len(stage.course.guesses) == len(STEPS)
        await stage.press("q")
        await stage.no_longer_sees("Tour 1")


async def folds_and_unfolds(stage: TourStage, step: TourStep) -> None:
    """A guess folds the step to a few lines; it unfolds whole, and leaves the bench its rows."""
    await stage.sees(*(f" {at + 1} " for at in range(len(step.quiz.choices))), "s Skip")
    await stage.rests()
    assert stage.panel.max_scroll_y == 0, stage.text
    assert "Call" in stage.text.split("\n")[-1]
    await stage.press("2")
    await stage.phase(StepPhase.DO)
    await stage.at_bench()
    await stage.rests()
    assert stage.panel.region.height <= 4, stage.text
    await stage.press("T", "h")
    await stage.focused()
    await stage.rests()
    assert stage.panel.max_scroll_y == 0, stage.text
    assert stage.app.screen.query_one(Workplace).region.height >= 8
    await stage.press("escape")
    await stage.at_bench()


@pytest.mark.slow
async def test_a_call_that_was_approved_does_not_tick_the_step_that_wants_a_denial() -> None:
    async with tour() as stage:
        await stage.open_step("deny", "2")
        stage.make("delete_file")
        dialog = await stage.asks(ApprovalDialog)
        await press_slowly(stage, "ctrl+y", "ctrl+y")
        await stage.until(lambda: dialog.is_answered, "the approval")
        assert (await stage.end()).outcome is Outcome.OK
        await stage.rests()
        assert stage.course.attempt.phase is StepPhase.DO
        assert "deny" not in stage.course.done


@pytest.mark.slow
async def test_keys_that_are_typed_into_a_form_or_the_filter_are_text() -> None:
    async with tour() as stage:
        await stage.press("1", "f3")
        await stage.type("Tdelete1nsq")
        assert "Tdelete1nsq" in stage.text
        assert stage.course.at == 0
        await stage.press("alt+t")
        await stage.focused()
        await stage.press("alt+t")
        await stage.at_bench()
        await stage.press("end", "x")
        assert "Tdelete1nsqx" in stage.text
        hint = STEPS[0].parts[0].hint
        assert hint not in stage.text
        await stage.press("escape", "alt+t", "h")
        await stage.sees(hint[:40])


@pytest.mark.slow
async def test_what_was_typed_just_now_keeps_the_focus_when_a_step_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dock, "TYPING_SECONDS", 60.0)
    async with tour() as stage:
        await stage.open_step("read-only", "1", "f3")
        await stage.type("de")
        stage.make("calculate_sum")
        await stage.type("lete")
        await stage.phase(StepPhase.TOLD)
        assert not stage.panel.has_focus
        await stage.pilot.pause(dock.SETTLING_SECONDS * 2)
        await stage.type("_file")
        assert "delete_file" in stage.text
        await stage.sees("alt+t, enter: next")


@pytest.mark.slow
async def test_at_80x24_a_result_is_whole_without_the_focus_until_it_is_folded_or_in_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # On a busy machine the key may come late.
    monkeypatch.setattr(dock, "SETTLING_SECONDS", 1.5)
    async with tour(NARROW) as stage:
        for way in ("escape", "x"):
            await stage.open_step("read-only", "1", "f3")
            stage.make("calculate_sum")
            await stage.phase(StepPhase.TOLD)
            # A key that is pressed right then keeps the focus.
            await stage.press("end")
            await stage.pilot.pause(dock.SETTLING_SECONDS * 2)
            assert not stage.panel.has_focus
            await stage.sees("A read-only call", "enter: next")
            assert "enter Next" not in stage.text
            if way == "escape":
                await stage.press("alt+t")
                await stage.focused()
            await stage.press(way)
            await stage.no_longer_sees("A read-only call")
            await stage.press("alt+t")
            await stage.sees("A read-only call")


@pytest.mark.slow
async def test_the_panel_leaves_the_question_alone_and_no_clock_denies_meanwhile() -> None:
    async with tour(NARROW) as stage:
        await stage.open_step("deny", "2")
        stage.make("delete_file")
        await stage.asks(ApprovalDialog)
        assert "Tour" not in stage.text
        assert "no time limit" in stage.text
        await stage.press("T", "alt+t", "n", "1")
        assert isinstance(stage.app.screen, ApprovalDialog)
        await stage.press("escape")
        await stage.phase(StepPhase.TOLD)
        await stage.focused("the result")
        await stage.press("q")
        await stage.over()
        await stage.pilot.pause()
        stage.make("delete_file")
        await stage.asks(ApprovalDialog)
        assert "no time limit" not in stage.text


async def test_the_panel_has_the_focus_if_the_panes_were_there_before_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shows, complete = MainScreen._show_tools, MainScreen._complete

    async def complete_once_listed(screen: MainScreen) -> None:
        while not screen.engine.is_listed:
            await asyncio.sleep(0.01)
        await complete(screen)

    monkeypatch.setattr(MainScreen, "_complete", complete_once_listed)
    monkeypatch.setattr(main_screen, "LIST_PATIENCE", 0.001)
    monkeypatch.setattr(MainScreen, "_show_tools", lambda screen: None)
    async with tour(shows=shows) as stage:
        await stage.rests()
        assert stage.panel.has_focus


@pytest.mark.slow
async def test_a_result_that_comes_while_a_question_is_open_waits_for_its_end() -> None:
    async with tour() as stage:
        await stage.press("1")
        stage.make("delete_file")
        dialog = await stage.asks(ApprovalDialog)
        stage.make("calculate_sum")
        await stage.phase(StepPhase.TOLD)
        await stage.pilot.pause(dock.SETTLING_SECONDS * 2)
        assert not stage.panel.has_focus
        assert dialog.is_armed
        await stage.press("escape")
        await stage.focused("the result")


@pytest.mark.slow
async def test_skip_back_the_list_and_the_mouse_lead_to_any_step() -> None:
    async with tour() as stage:
        await stage.press("n")
        await stage.sees("Guess first")
        await stage.press("s", "s", "b")
        assert stage.course.at == 1
        await stage.press("b", "b", "b")
        assert stage.course.at == 0
        await stage.press("l")
        await stage.is_open(TourListScreen)
        await stage.sees(*(one.title for one in STEPS))
        await stage.press("end", "enter")
        await stage.until(lambda: stage.course.at == len(STEPS) - 1, "the last step")
        assert stage.course.done == frozenset()
        await stage.open_step(IDS[0])
        await stage.click_on("It asks")
        await stage.phase(StepPhase.DO)
        assert stage.course.attempt.guess == 1
        await stage.press("T")
        await stage.click_on("s Skip")
        await stage.until(lambda: stage.course.at == 1, "the next step")


@pytest.mark.slow
async def test_it_goes_on_where_it_was_left() -> None:
    save_tour("liar", {"read-only", "deny"}, {"deny": True})
    async with tour() as stage:
        await stage.sees("Wrong hints")
        assert stage.course.done == {"read-only", "deny"}
        await stage.press("s", "q")
        await stage.over()
        assert load_tour(IDS).at == IDS[IDS.index("liar") + 1]
        await stage.press("T")
        await stage.until(lambda: stage.app.screen.query(TourDock), "the tour")
        await stage.sees("Trust")
        await stage.press("l", "r")
        await stage.until(lambda: stage.course.at == 0, "the beginning")
        assert load_tour(IDS).done == frozenset()
    (state_folder() / "tour.json").write_text("{", encoding="utf-8")
    async with tour() as stage:
        TEXTS.holds("told: starts over", await Notices(stage.app).next(stage.until))
        assert (stage.course.at, stage.course.done) == (0, frozenset())


@pytest.mark.slow
async def test_it_runs_on_the_bundled_server_only_and_trusts_it_while_it_runs() -> None:
    async with tour(is_bundled=False, begins=False) as stage:
        await stage.press("T")
        TEXTS.holds("told: another server", await Notices(stage.app).next(stage.until))
        assert not stage.app.screen.query(TourDock)
    async with tour(begins=False) as stage:
        stage.engine.set_trust(Trust.UNTRUSTED)
        await stage.press("T")
        await stage.focused()
        assert stage.engine.server.trust is Trust.TRUSTED
        await stage.is_told("while the tour")
        await stage.press("q")
        await stage.until(lambda: stage.engine.server.trust is Trust.UNTRUSTED, "as before")


@pytest.mark.slow
async def test_a_way_out_is_shown_for_what_is_in_the_way() -> None:
    async with tour() as stage:
        await stage.open_step("approve", "1")
        stage.make("delete_file")
        await stage.asks(ApprovalDialog)
        await press_slowly(stage, "tab", "enter")
        await stage.end()
        await stage.sees("You denied it")
        TEXTS.holds("panel: denied for the session", flowing(stage.panel))
        stage.make("delete_file")
        await stage.end(after=1)
        await stage.sees("It was refused", "f10")
        TEXTS.holds("panel: it was refused", flowing(stage.panel))


@pytest.mark.slow
async def test_what_is_to_be_guessed_stands_nowhere_else_before_the_first_call() -> None:
    async with tour() as stage:
        await stage.rests()
        assert "What will Signoff" in stage.text
        assert not stage.engine.calls
        assert "calls it: " not in stage.text
        await stage.press("q")
        await stage.sees("calls it: ", " run, ")


@pytest.mark.slow
async def test_presenting_shows_the_words_one_after_the_other_and_the_keys_but_no_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tour_panel, "PACE_SECONDS", 60.0)
    async with tour((100, 40), is_presenting=True, animation="full") as stage:
        assert STEPS[0].quiz.question not in stage.text
        await stage.press("enter")
        await stage.sees("What will Signoff")
        await stage.press("1", "f3")
        await stage.type("secret")
        await stage.press("escape", "f6")
        await stage.until(lambda: "keys: " in stage.text, "the keys")
        line = next(one for one in stage.text.split("\n") if "keys: " in one)
        keys = line.partition("keys: ")[2]
        assert "f3" in keys
        assert "esc" in keys
        assert not set(keys.split()) & set("secret")


@pytest.mark.slow
async def test_presenting_at_80x24_leaves_the_bench_its_rows() -> None:
    async with tour(NARROW, is_presenting=True) as stage:
        await stage.sees("1  It runs", "l List")
        assert stage.panel.outer_size.height <= 10
        await stage.press("1")
        await stage.phase(StepPhase.DO)
        await stage.until(lambda: stage.panel.outer_size.height == 2, "two rows of it")
        for key in ("f3", "f6", "f6", "f6", "f6", "f3"):
            await stage.press(key)
            await stage.rests()
            (title,) = (row for row in stage.text.split("\n") if "Tour 1/17" in row)
            assert title.endswith(key)
            assert stage.panel.outer_size.height == 2
