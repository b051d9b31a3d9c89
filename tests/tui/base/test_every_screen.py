"""Screens in a tiny window, their keys, and faults of Signoff that name a trace."""

from __future__ import annotations

import asyncio
import importlib
import os
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.command import CommandPalette
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input, Static

import signoff.app.features
import signoff.app.tui
from signoff.app.calls.call import Outcome
from signoff.app.engine.engine import Engine
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.approving.answer_form import FormScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.sheet_dialog import SheetDialog
from signoff.app.tui.approving.two_buttons import TwoButtonDialog
from signoff.app.tui.arguments.editing import FormDialog
from signoff.app.tui.base.browser_screen import BrowserDialog, BrowserScreen, DetailScreen
from signoff.app.tui.base.failures import LeavesTrace, TellsFailures
from signoff.app.tui.base.screen_mixin import ScreenMixin
from signoff.app.tui.base.window import TooSmallScreen, too_small_words
from signoff.app.tui.main.actions import MainActions
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.start_view import WaitsForTools
from signoff.app.tui.opening.opening_screen import FilteredListScreen
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.app.tui.text.reading_screen import ReadingScreen
from tests.approved import approved
from tests.tui.alone import ALONE
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.tui.clocks import arm
from tests.tui.stage import stage
from tests.tui.ways import ROOMY, TINY, WAYS, opened, show

ABSTRACT = (
    *(
        BrowserDialog,
        BrowserScreen,
        DetailScreen,
        FilteredListScreen,
        FormDialog,
        FormScreen,
        GuardedDialog,
        ReadingScreen,
        SheetDialog,
        TwoButtonDialog,
    ),
    MainActions,
    WaitsForTools,
)


def test_no_screen_is_forgotten() -> None:
    for package in (signoff.app.tui, signoff.app.features):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".terminal." not in module.name:  # a driver is for one system only
                importlib.import_module(module.name)

    def below(kind: type[Screen[Any]]) -> set[type[Screen[Any]]]:
        return {one for child in kind.__subclasses__() for one in (child, *below(child))}

    ours = {kind for kind in below(Screen) if kind.__module__.startswith("signoff.app.")}
    assert ours == {*WAYS, *ALONE, *ABSTRACT, TooSmallScreen} - {CommandPalette}
    assert not [kind for kind in ours if not issubclass(kind, ScreenMixin)]


@pytest.mark.slow
async def test_quitting_works_in_a_tiny_window() -> None:
    async with opened() as stage:
        await stage.resize(*TINY)
        await stage.sees("Too small: 30x8, 40x10 needed")
        await stage.press("ctrl+q")
        await stage.until(lambda: not stage.app.is_running, "the end")


@pytest.mark.slow
async def test_a_question_mark_is_typed_where_text_is() -> None:
    async with opened() as stage:
        await show(stage, SaveScreen)
        screen = stage.app.screen
        await stage.press("question_mark")
        await stage.rests()
        assert stage.app.screen is screen
        assert screen.query_one(Input).value.endswith("?")


async def test_a_question_mark_opens_the_keys_over_a_dialog_that_hears_and_its_clock_goes_on() -> (
    None
):
    async with opened() as stage:
        await show(stage, ApprovalDialog)
        dialog = await stage.is_open(ApprovalDialog)
        dialog.restart()
        await stage.press("question_mark", "f1")
        assert not dialog.is_armed
        assert stage.app.screen is dialog
        await arm(stage, dialog)
        await stage.press("question_mark")
        await stage.is_open(KeysScreen)
        dialog.limit(0.0)
        await stage.is_open(MainScreen)
        (call_id,) = stage.engine.calls
        assert (await stage.engine.ended(call_id)).outcome is Outcome.DENIED


@pytest.mark.parametrize("name", ["app_suspend_signal", "app_resume_signal"])
async def test_a_dialog_is_deaf_before_and_after_a_stop(name: str) -> None:
    async with stage() as scene:
        await scene.press("right", "right", "right")
        await scene.strike("enter", after=0.4)
        assert scene.dialog.keys.is_waiting()
        getattr(scene.app, name).publish(scene.app)
        assert not scene.dialog.is_armed
        assert not scene.dialog.keys.is_waiting()
        await scene.rest()
        assert scene.decisions == []


async def test_what_lies_open_for_a_moment_hears_nothing() -> None:
    async with opened() as stage:
        # As between a dialog that goes and the cover over what was below it.
        stage.app.is_too_small = True
        await stage.press("f2", "f5", "ctrl+t")
        await stage.rests()
        assert isinstance(stage.app.screen, MainScreen)
        assert stage.engine.server.trust is Trust.TRUSTED


@pytest.mark.slow
async def test_a_question_that_comes_in_a_tiny_window_waits_for_room() -> None:
    async with opened() as stage:
        await stage.choose("delete_file")
        await stage.resize(*TINY)
        tool = stage.tool("delete_file")
        call_id = stage.engine.call(tool, {"path": "notes/todo.txt"})
        await stage.until(
            lambda: any(isinstance(one, ApprovalDialog) for one in stage.app.screen_stack),
            "the dialog",
        )
        await stage.sees("A question waits")
        assert isinstance(stage.app.screen, TooSmallScreen)
        await stage.press("ctrl+y", "enter")
        await stage.resize(*ROOMY)
        dialog = await stage.is_open(ApprovalDialog)
        assert not dialog.is_armed
        await arm(stage, dialog)
        await stage.press("escape")
        call = await stage.engine.ended(call_id)
        assert call.outcome is Outcome.DENIED


@pytest.mark.slow
async def test_a_question_may_run_out_of_time_in_a_tiny_window() -> None:
    async with opened() as stage:
        await show(stage, ApprovalDialog)
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        await stage.resize(*TINY)
        await stage.sees("A question waits")
        dialog.limit(0.0)
        await stage.sees("Too small: 30x8")
        assert isinstance(stage.app.screen, TooSmallScreen)
        (call_id,) = stage.engine.calls
        call = await stage.engine.ended(call_id)
        assert call.outcome is Outcome.DENIED
        await stage.resize(*ROOMY)
        await stage.sees("Tools 89")
        assert isinstance(stage.app.screen, MainScreen)


@pytest.mark.parametrize("is_asked", [False, True])
def test_the_line_fits(is_asked: bool) -> None:
    for width in range(1, 60):
        words = too_small_words(Size(width, 3), is_asked=is_asked)
        assert len(words) <= width
        assert bool(words) is (width >= 5), width


PROSE = approved("tui-faults")
SECRET = "-".join(("tok", "9f8e", "7d6c"))


def traces() -> str:
    folder = Path(os.environ["XDG_STATE_HOME"]) / "signoff" / "faults"
    return "\n".join(path.read_text() for path in folder.glob("*.txt"))


def fails(*given: Any) -> None:
    held = SECRET
    raise LookupError(held)


async def lose(stage: BenchStage) -> None:
    stage.engine.link.kill()
    await stage.until(lambda: stage.engine.server.phase is Phase.LOST, "the loss")


@pytest.mark.slow
async def test_r_says_each_time_that_the_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with bench_stage(keeps=True, size=NARROW) as stage:
        await lose(stage)
        folder.rmdir()
        for _ in range(2):
            await stage.press("R")
            await stage.is_told("Not restarted", "was deleted")
            stage.app.clear_notifications()
            await stage.until(lambda: "Not restarted" not in stage.text, "an empty corner")
        monkeypatch.chdir(tmp_path)
        await stage.press("R")
        await stage.until(lambda: stage.engine.server.is_open, "the new connection")


@pytest.mark.slow
async def test_r_that_breaks_names_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench_stage(keeps=True) as stage:
        await lose(stage)
        monkeypatch.setattr(stage.engine._connection, "_relink", fails)
        await stage.press("R")
        await stage.is_told("Not restarted", "internal error")
        assert SECRET not in stage.text
    assert SECRET not in traces()
    assert "LookupError" in traces()
    assert "new link" in traces()


@pytest.mark.slow
async def test_work_for_the_screen_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(engine: Engine) -> str:
        raise LookupError(SECRET)

    async with bench_stage(keeps=True) as stage:
        await lose(stage)
        monkeypatch.setattr(Engine, "restart", breaks)
        await stage.press("R")
        await stage.sees("Not restarted", "(LookupError)")
        assert SECRET not in stage.text


async def test_what_nobody_waits_for_is_told() -> None:
    async with bench_stage() as stage:
        asyncio.get_running_loop().call_soon(fails)
        await stage.sees("Internal error", "(LookupError)")
        assert SECRET not in stage.text


@pytest.mark.slow
async def test_what_ends_the_program_prints_no_variables(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    apps = []

    async def breaks() -> None:
        async with bench_stage() as stage:
            apps.append(stage.app)
            monkeypatch.setattr(MainScreen, "action_trust", fails)
            await stage.press("ctrl+t")
            await stage.until(lambda: stage.app.fault, "the end")

    with pytest.raises(LookupError):
        await breaks()
    (app,) = apps
    assert app.return_code == 70
    assert "(LookupError)" in app.fault
    place = app.fault.split()[-1]
    assert Path(place).is_file()
    PROSE.holds("fault: the end of the program", app.fault, FILE=place)
    assert app._exit_renderables == []
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err + traces()


def test_every_worker_that_may_fail_is_told_of() -> None:
    """Textual tells the widget that started a worker, and no other, that it failed."""
    root = Path(__file__).resolve().parents[3] / "app" / "tui"
    quiet = []
    for file in root.rglob("*.py"):
        if "exit_on_error=False" not in file.read_text():
            continue
        name = ".".join(("signoff.app.tui", *file.relative_to(root).with_suffix("").parts))
        module = importlib.import_module(name)
        own = [one for one in vars(module).values() if getattr(one, "__module__", "") == name]
        kinds = [one for one in own if isinstance(one, type)]
        if not any(issubclass(one, TellsFailures) for one in kinds):
            quiet.append(name)
    # Mixed into the pane of answers, and started by the pane of the tool or by the workplace: all
    # of them tell. Who asks for a server waits for what it started, and is told by that.
    assert sorted(quiet) == [
        "signoff.app.tui.approving.asker",
        "signoff.app.tui.main.hosts_shown",
        "signoff.app.tui.main.retry_actions",
        "signoff.app.tui.main.start_view",
    ]


class _Leaving(LeavesTrace):
    """Does something on the screen after it was told to exit."""

    def __init__(self, late: Callable[[App[None]], object]) -> None:
        super().__init__()
        self._late = late

    def on_mount(self) -> None:
        self.call_later(self._leave)

    def _leave(self) -> None:
        self.exit()
        self._late(self)


@pytest.mark.parametrize(
    "late",
    [lambda app: app.mount(Static()), lambda app: app.query_one("#gone")],
    ids=["mount", "query"],
)
async def test_a_change_of_the_screen_after_the_exit_is_no_fault(
    late: Callable[[App[None]], object],
) -> None:
    app = _Leaving(late)
    await app.run_async(headless=True)
    assert (app.fault, app.return_code) == ("", 0)


async def test_any_other_exception_after_the_exit_is_a_fault() -> None:
    app = _Leaving(fails)
    await app.run_async(headless=True)
    assert "LookupError" in app.fault
    assert app.return_code == ExitStatus.FAULT
