"""Screens in a tiny window, and their keys: no screen is forgotten (`ways`, `alone`)."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input

import signoff.app.features
import signoff.app.tui
from signoff.app.calls.call import Outcome
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.approving.answer_form import FormScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.sheet_dialog import SheetDialog
from signoff.app.tui.approving.two_buttons import TwoButtonDialog
from signoff.app.tui.arguments.editing import FormDialog
from signoff.app.tui.base.browser_screen import BrowserDialog, BrowserScreen, DetailScreen
from signoff.app.tui.base.screen_mixin import ScreenMixin
from signoff.app.tui.base.window import TooSmallScreen, too_small_words
from signoff.app.tui.main.actions import MainActions
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.start_view import WaitsForTools
from signoff.app.tui.opening.opening_screen import FilteredListScreen
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.app.tui.text.reading_screen import ReadingScreen
from tests.tui.alone import ALONE
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


async def test_a_question_mark_that_is_typed_ahead_opens_nothing_over_a_dialog() -> None:
    async with opened() as stage:
        await show(stage, ApprovalDialog)
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        dialog.restart()
        await stage.press("question_mark", "f1")
        assert not dialog.is_armed
        assert stage.app.screen is dialog


@pytest.mark.slow
async def test_the_clock_of_a_dialog_goes_on_below_its_keys() -> None:
    async with opened() as stage:
        await show(stage, ApprovalDialog)
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
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
