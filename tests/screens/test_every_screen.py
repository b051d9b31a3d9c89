"""What holds on every screen: ctrl+q ends Signoff, and in a tiny window nothing can be done."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.command import CommandPalette
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input

import signoff.app.screens
from signoff.app.core.answers.openable import Openable
from signoff.app.core.calls import Outcome
from signoff.app.core.tour.course import begin
from signoff.app.core.tour.steps import STEPS
from signoff.app.core.trust import Trust
from signoff.app.screens.answers.hex_screen import HexScreen
from signoff.app.screens.answers.image_screen import ImageScreen
from signoff.app.screens.answers.opening_outside import ViewerDialog
from signoff.app.screens.answers.outside import OutsideDialog
from signoff.app.screens.answers.page_parameter import PageParameterScreen
from signoff.app.screens.answers.pane import AnswerPane
from signoff.app.screens.answers.part_header import PartHeader
from signoff.app.screens.answers.play_dialog import PlayDialog
from signoff.app.screens.answers.reader import ReaderScreen
from signoff.app.screens.answers.saving import SaveScreen
from signoff.app.screens.answers.structured_screen import StructuredScreen
from signoff.app.screens.approving.approval import ApprovalDialog
from signoff.app.screens.approving.guarded_dialog import GuardedDialog
from signoff.app.screens.approving.sheet_dialog import SheetDialog
from signoff.app.screens.approving.trust_dialog import TrustDialog
from signoff.app.screens.approving.two_buttons import TwoButtonDialog
from signoff.app.screens.arguments.past import ArgumentsScreen
from signoff.app.screens.bench_screen import BenchScreen
from signoff.app.screens.command_screen import CommandScreen
from signoff.app.screens.desk.archetypes_screen import ArchetypesScreen
from signoff.app.screens.desk.audit_screen import AuditScreen
from signoff.app.screens.desk.grants_screen import GrantsScreen
from signoff.app.screens.desk.matrix_screen import MatrixScreen
from signoff.app.screens.desk.policy_screen import PolicyScreen
from signoff.app.screens.keys_screen import KeysScreen
from signoff.app.screens.pager import PagerScreen
from signoff.app.screens.reading import ReadingScreen
from signoff.app.screens.too_small import TooSmallScreen, too_small_words
from signoff.app.screens.tour.list_screen import TourListScreen
from signoff.app.screens.typed_ahead import WaitsForTools
from tests.screens.bench_stage import BenchStage, bench_stage
from tests.screens.stage import stage

Step = Callable[[BenchStage], Awaitable[None]]


def by(*keys: str, tool: str = "delete_file") -> Step:
    """Keys on the bench, with a tool chosen."""

    async def open_it(stage: BenchStage) -> None:
        await stage.choose(tool)
        await stage.press(*keys)

    return open_it


def part(tool: str, key: str, says: str = "") -> Step:
    """A key on the first part of the answer of a tool whose header says this."""

    async def open_it(stage: BenchStage) -> None:
        call = await stage.call(tool)
        assert call.outcome is Outcome.OK
        await stage.rests()
        headers = [one for one in stage.app.screen.query(PartHeader) if says in str(one.render())]
        assert headers, stage.text
        headers[0].focus()
        await stage.until(lambda: stage.app.focused is headers[0], "the focus")
        await stage.press(key)

    return open_it


def pushed(make: Callable[[], Screen[Any]]) -> Step:
    """For what only a desktop or a loudspeaker would open."""

    async def open_it(stage: BenchStage) -> None:
        stage.app.push_screen(make())

    return open_it


def viewer() -> ViewerDialog:
    found = Openable("text/plain", ".txt")
    return ViewerDialog("a part", found, Path("part.txt"), 3, "/usr/bin/xdg-open")


async def turning(stage: BenchStage) -> None:
    """The question where a cursor goes."""
    await stage.call("list_repositories")
    await stage.sees("next page with >")
    stage.app.screen.query_one(AnswerPane).focus()
    await stage.press("greater_than_sign")


WAYS: dict[type[Screen[Any]], Step] = {
    BenchScreen: by("f1"),
    CommandPalette: by("ctrl+p"),
    AuditScreen: by("ctrl+l"),
    GrantsScreen: by("f10"),
    PolicyScreen: by("ctrl+o"),
    MatrixScreen: by("f2"),
    ArchetypesScreen: by("A"),
    PageParameterScreen: turning,
    PagerScreen: by("f9"),
    CommandScreen: by("c"),
    ArgumentsScreen: by("f11"),
    ReaderScreen: part("show_text", "enter"),
    ImageScreen: part("show_picture", "enter", "image"),
    HexScreen: part("show_binary", "enter"),
    StructuredScreen: part("count_stock", "enter", "structured"),
    SaveScreen: part("show_text", "s"),
    TourListScreen: pushed(lambda: TourListScreen(begin(STEPS))),
    ApprovalDialog: by("f12"),
    TrustDialog: by("ctrl+t", "ctrl+t"),
    KeysScreen: by("ctrl+l", "question_mark"),
    OutsideDialog: part("show_links", "o", "1.0 MB"),
    ViewerDialog: pushed(viewer),
    PlayDialog: pushed(lambda: PlayDialog("a sound", "/usr/bin/aplay")),
}

ABSTRACT = (GuardedDialog, ReadingScreen, SheetDialog, TwoButtonDialog, WaitsForTools)
TINY, ROOMY = (30, 8), (120, 36)


@asynccontextmanager
async def opened() -> AsyncIterator[BenchStage]:
    async with bench_stage(is_demo=True, trust=Trust.TRUSTED, keeps=True) as stage:
        yield stage


async def show(stage: BenchStage, kind: type[Screen[Any]]) -> None:
    await WAYS[kind](stage)
    await stage.until(lambda: type(stage.app.screen) is kind, kind.__name__)


def test_no_screen_is_forgotten() -> None:
    for module in pkgutil.walk_packages(signoff.app.screens.__path__, "signoff.app.screens."):
        importlib.import_module(module.name)

    def below(kind: type[Screen[Any]]) -> set[type[Screen[Any]]]:
        return {one for child in kind.__subclasses__() for one in (child, *below(child))}

    ours = {kind for kind in below(Screen) if kind.__module__.startswith("signoff.app.")}
    assert ours == {*WAYS, *ABSTRACT, TooSmallScreen} - {CommandPalette}


async def test_quitting_works_in_a_tiny_window() -> None:
    async with opened() as stage:
        await stage.resize(*TINY)
        await stage.sees("Too small: 30x8, 40x10 needed")
        await stage.press("ctrl+q")
        await stage.until(lambda: not stage.app.is_running, "the end")


ACTS = (
    "enter",
    "space",
    "escape",
    "q",
    "f5",
    "f12",
    "tab",
    "shift+tab",
    "left",
    "x",
    "y",
    "ctrl+y",
)


@pytest.mark.parametrize("kind", WAYS, ids=lambda kind: kind.__name__)
async def test_a_tiny_window_does_nothing_and_quitting_works(kind: type[Screen[Any]]) -> None:
    async with opened() as stage:
        await show(stage, kind)
        await stage.rests()
        screen, focused = stage.app.screen, stage.app.focused
        before = stage.text
        calls = len(stage.bench.calls)
        await stage.resize(*TINY)
        await stage.until(lambda: isinstance(stage.app.screen, TooSmallScreen), "the cover")
        lines = [line for line in stage.text.split("\n") if line]
        is_asked = isinstance(screen, GuardedDialog)
        assert lines == [too_small_words(Size(*TINY), is_asked=is_asked)]
        await stage.pilot.pause(0.8)
        await stage.press(*ACTS)
        await stage.paste("yes\n")
        for event in (events.MouseDown, events.MouseUp):
            stage.app.post_message(event(None, 3, 3, 0, 0, 1, False, False, False, 3, 3))
        await stage.pilot.pause()
        await stage.resize(*ROOMY)
        await stage.until(lambda: stage.app.screen is screen, "the screen")
        if kind is not CommandPalette:
            # It goes on to gather its commands meanwhile.
            await stage.until(lambda: is_same(stage.text, before), "all of it")
        if not is_asked:
            assert stage.app.focused is focused
        assert len(stage.bench.calls) == calls
        await stage.press("ctrl+q")
        await stage.until(lambda: not stage.app.is_running, "the end")
        assert stage.app.return_code == 0
        # What was asked is over and not sent, although the dialog was deaf as yet.
        assert all(call.is_over for call in stage.bench.calls.values())
        if kind is ApprovalDialog:
            (call,) = stage.bench.calls.values()
            assert (call.outcome, call.sent) == (Outcome.NOT_SENT, False)


def is_same(text: str, before: str) -> bool:
    """But for what a dialog counts down, and says of its own deafness."""

    def still(one: str) -> list[str]:
        rows = one.split("\n")
        return [row for row in rows if "denies in" not in row and "moment" not in row]

    return still(text) == still(before)


def listens(stage: BenchStage) -> bool:
    dialog: Any = stage.app.screen
    return isinstance(dialog, GuardedDialog) and bool(dialog.is_armed)


WITHOUT_HELP = (CommandPalette, KeysScreen)
TYPED_INTO = (SaveScreen,)


@pytest.mark.parametrize("kind", [one for one in WAYS if one not in WITHOUT_HELP])
async def test_help_is_there_on_every_screen(kind: type[Screen[Any]]) -> None:
    key = "f1" if kind in TYPED_INTO else "question_mark"
    async with opened() as stage:
        await show(stage, kind)
        await stage.rests()
        screen: Screen[Any] = stage.app.screen
        is_dialog = isinstance(screen, GuardedDialog)
        first_stop = screen.first_stop if isinstance(screen, GuardedDialog) else None
        if kind is BenchScreen:
            # It came with its help open.
            await stage.press("f1")
        if is_dialog:
            await stage.until(lambda: listens(stage), "the dialog to listen")
        calls = len(stage.bench.calls)
        await stage.press(key)
        if screen.is_modal:
            await stage.until(lambda: isinstance(stage.app.screen, KeysScreen), "the keys")
            await stage.sees("Esc goes back", "End the server and leave")
            await stage.press(key)
            await stage.until(lambda: stage.app.screen is screen, "the screen")
        else:
            await stage.until(lambda: screen.query("HelpPanel"), "the keys")
            await stage.press(key)
            await stage.until(lambda: not screen.query("HelpPanel"), "the screen")
        if is_dialog:
            assert not listens(stage)
            assert stage.app.focused is first_stop
        assert len(stage.bench.calls) == calls


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


async def test_the_clock_of_a_dialog_goes_on_below_its_keys() -> None:
    async with opened() as stage:
        await show(stage, ApprovalDialog)
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        await stage.until(lambda: dialog.is_armed, "it to listen")
        await stage.press("question_mark")
        await stage.until(lambda: isinstance(stage.app.screen, KeysScreen), "the keys")
        dialog.limit(0.0)
        await stage.until(lambda: isinstance(stage.app.screen, BenchScreen), "the bench")
        (call_id,) = stage.bench.calls
        assert (await stage.bench.ended(call_id)).outcome is Outcome.DENIED


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
        assert isinstance(stage.app.screen, BenchScreen)
        assert stage.bench.server.trust is Trust.TRUSTED


async def test_a_question_that_comes_in_a_tiny_window_waits_for_room() -> None:
    async with opened() as stage:
        await stage.choose("delete_file")
        await stage.resize(*TINY)
        tool = next(tool for tool in stage.bench.tools if tool.name == "delete_file")
        call_id = stage.bench.call(tool, {"path": "notes/todo.txt"})
        await stage.until(
            lambda: any(isinstance(one, ApprovalDialog) for one in stage.app.screen_stack),
            "the dialog",
        )
        await stage.sees("A question waits")
        assert isinstance(stage.app.screen, TooSmallScreen)
        await stage.press("ctrl+y", "enter")
        await stage.resize(*ROOMY)
        await stage.until(lambda: isinstance(stage.app.screen, ApprovalDialog), "the dialog")
        dialog = stage.app.screen
        assert isinstance(dialog, ApprovalDialog)
        assert not dialog.is_armed
        await stage.until(lambda: dialog.is_armed, "the end of its deafness")
        await stage.press("escape")
        call = await stage.bench.ended(call_id)
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
        (call_id,) = stage.bench.calls
        call = await stage.bench.ended(call_id)
        assert call.outcome is Outcome.DENIED
        await stage.resize(*ROOMY)
        await stage.sees("Tools 67")
        assert isinstance(stage.app.screen, BenchScreen)


@pytest.mark.parametrize("is_asked", [False, True])
@pytest.mark.parametrize("width", range(1, 60))
def test_the_line_fits(width: int, is_asked: bool) -> None:
    words = too_small_words(Size(width, 3), is_asked=is_asked)
    assert len(words) <= width
    assert bool(words) is (width >= 5)
