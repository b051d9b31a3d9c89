"""Each screen is opened once, and looked at in every way that tests look at all of them.

Opening a screen takes longer than a look at it. Every look is a test of its own all the same, and
where one fails, the ones after it get a screen that is new.
"""

from __future__ import annotations

from typing import Any

from textual import events
from textual.command import CommandPalette
from textual.geometry import Size
from textual.screen import Screen

from signoff.app.calls.call import Outcome
from signoff.app.features.matrix.resolved_screen import ResolvedScreen
from signoff.app.features.resources.form import OfferFormScreen
from signoff.app.features.wire.composing import RawScreen
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.base.window import TooSmallScreen, too_small_words
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.widgets.sheets import SheetView
from tests.tui.bench_stage import NARROW, BenchStage
from tests.tui.clocks import arm, passes
from tests.tui.test_contrast import can_be_read, hears
from tests.tui.test_toasts import covered
from tests.tui.ways import ROOMY, TINY, is_same, listens, opened, show

Kind = type[Screen[Any]]

WITHOUT_HELP = (CommandPalette, KeysScreen)
TYPED_INTO = (OfferFormScreen, RawScreen, ResolvedScreen, SaveScreen)
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


async def contrast(stage: BenchStage, kind: Kind) -> None:
    """In both themes and without colour, and back to how it was; with room for all panes."""
    await stage.resize(*ROOMY)
    await stage.rests()
    theme = stage.app.theme
    await can_be_read(stage)
    stage.app._begin_theme(theme)
    await stage.rests()


async def toasts(stage: BenchStage, kind: Kind) -> None:
    """What pops up covers nothing that is pressed."""
    if kind is CommandPalette:
        return
    found = await covered(stage)
    assert found == [], f"{found}\n{stage.text}"
    stage.app.clear_notifications()
    await stage.rests()


async def tiny(stage: BenchStage, kind: Kind) -> None:
    """A window that has no room for it: nothing is done, and all of it comes back."""
    screen = stage.app.screen
    if isinstance(screen, GuardedDialog):
        # One that has a form lets it be filled in only then.
        await hears(stage)
    focused = stage.app.focused
    before, size = stage.text, stage.app.size
    calls = len(stage.engine.calls)
    await stage.resize(*TINY)
    await stage.until(lambda: isinstance(stage.app.screen, TooSmallScreen), "the cover")
    lines = [line for line in stage.text.split("\n") if line]
    is_asked = isinstance(screen, GuardedDialog)
    assert lines == [too_small_words(Size(*TINY), is_asked=is_asked)]
    await passes(stage, 0.8)
    await stage.press(*ACTS)
    await stage.paste("yes\n")
    for event in (events.MouseDown, events.MouseUp):
        stage.app.post_message(event(None, 3, 3, 0, 0, 1, False, False, False, 3, 3))
    await stage.pilot.pause()
    await stage.resize(*size)
    await stage.until(lambda: stage.app.screen is screen, "the screen")
    await hears(stage)
    if kind is not CommandPalette:
        # It goes on to gather its commands meanwhile.
        await stage.until(lambda: is_same(stage.text, before), "all of it")
    if not is_asked:
        assert stage.app.focused is focused
    assert len(stage.engine.calls) == calls


async def help_is_there(stage: BenchStage, kind: Kind) -> None:
    """The keys are told by a key, which tells nothing else."""
    if kind in WITHOUT_HELP:
        return
    key = "f1" if kind in TYPED_INTO else "question_mark"
    screen: Screen[Any] = stage.app.screen
    first_stop = screen.first_stop if isinstance(screen, GuardedDialog) else None
    if isinstance(screen, GuardedDialog):
        await arm(stage, screen)
    calls = len(stage.engine.calls)
    await stage.press(key)
    await stage.until(lambda: isinstance(stage.app.screen, KeysScreen), "the keys")
    await stage.sees("esc Close")
    if "/ All keys" in stage.text:
        await stage.press("slash")
    while "Stop the server and quit" not in stage.text:
        assert stage.app.screen.query_one(SheetView).below
        await stage.press("pagedown")
        await stage.rests()
    await stage.press(key)
    await stage.until(lambda: stage.app.screen is screen, "the screen")
    if isinstance(screen, GuardedDialog):
        assert not listens(stage)
        assert stage.app.focused in (first_stop, screen.first_stop)
    assert len(stage.engine.calls) == calls


async def palette(stage: BenchStage, kind: Kind) -> None:
    """The palette opens over it, and takes what is typed then; a dialog that approves has none."""
    if kind is CommandPalette:
        return
    screen, calls = stage.app.screen, len(stage.engine.calls)
    if isinstance(screen, GuardedDialog):
        await arm(stage, screen)
        await stage.press("ctrl+p")
        await stage.rests()
        assert stage.app.screen is screen
        return
    focused, before = stage.app.focused, stage.text
    await stage.press("ctrl+p")
    await stage.until(lambda: isinstance(stage.app.screen, CommandPalette), "the palette")
    await stage.press(*"src")
    await stage.press("escape")
    await stage.until(lambda: stage.app.screen is screen, "the screen")
    await stage.until(lambda: is_same(stage.text, before), "all of it as before")
    assert stage.app.focused is focused
    assert len(stage.engine.calls) == calls


async def quitting(stage: BenchStage, kind: Kind) -> None:
    """The key that ends Signoff, also with a question that is deaf."""
    await stage.press("ctrl+q")
    await stage.until(lambda: not stage.app.is_running, "the end")
    assert stage.app.return_code == 0
    # What was asked is over and not sent, although the dialog was deaf as yet.
    assert all(call.is_over for call in stage.engine.calls.values())
    if kind is ApprovalDialog:
        (call,) = stage.engine.calls.values()
        assert (call.outcome, call.sent) == (Outcome.NOT_SENT, False)


LOOKS = (toasts, tiny, contrast, help_is_there, palette, quitting)
"""In this order, from what changes nothing to what ends it; the first two at 80x24."""

_told: dict[Kind, dict[str, Exception | None]] = {}


async def look(kind: Kind, name: str) -> None:
    """Raises what this look at a screen raised."""
    if kind not in _told:
        _told[kind] = await _visit(kind)
    trouble = _told[kind][name]
    if trouble is not None:
        raise trouble


async def _visit(kind: Kind) -> dict[str, Exception | None]:
    told: dict[str, Exception | None] = {}
    while len(told) < len(LOOKS):
        async with opened(NARROW) as stage:
            await show(stage, kind)
            await stage.rests()
            screen = stage.app.screen
            for one in LOOKS[len(told) :]:
                try:
                    assert stage.app.screen is screen
                    await one(stage, kind)
                except Exception as trouble:
                    told[one.__name__] = trouble
                    break
                told[one.__name__] = None
    return told
