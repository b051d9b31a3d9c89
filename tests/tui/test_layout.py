"""One walk over all screens, at four sizes and in four looks: nothing breaks the law of layout.

`layout` has the rules. The quick test opens each screen once, at the smallest size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import pytest
from textual.command import CommandPalette
from textual.filter import Monochrome
from textual.screen import Screen
from textual.widget import Widget

from signoff.app.tui.appearance import DARK_THEME, LIGHT_THEME
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.widgets.key_footer import KeyFooter
from tests.tui import layout
from tests.tui.alone import ALONE
from tests.tui.bench_stage import NARROW, SMALL, WIDE, BenchStage
from tests.tui.clocks import arm
from tests.tui.screen_stage import ScreenStage
from tests.tui.ways import WAYS, opened, show

Kind: TypeAlias = type[Screen[Any]]
Stage: TypeAlias = BenchStage | ScreenStage

VAST, HUGE = (200, 50), (300, 90)
SIZES = (SMALL, NARROW, WIDE, VAST)
NO_COLOUR = "no colour"
LOOKS = (DARK_THEME.name, LIGHT_THEME.name, NO_COLOUR, "gruvbox")
FOCUS_AT = (NARROW, WIDE)
"""Sizes at which every widget gets the focus: each of both has an arrangement of its own."""


class Walk:
    """Looks at one screen, and keeps what breaks the law."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.screen = stage.app.screen
        self.words: set[str] = set()
        self.found: defaultdict[str, list[str]] = defaultdict(list)

    async def resize(self, size: tuple[int, int]) -> None:
        await self.stage.resize(*size)
        await self.settle()
        assert self.stage.app.screen is self.screen

    async def settle(self) -> None:
        """Wait until all is drawn, nothing pops up over it, and a dialog hears."""
        self.stage.app.clear_notifications()
        await self.stage.pilot.pause(0.02)
        await self.stage.pilot.pause()
        if isinstance(self.screen, GuardedDialog):
            await arm(self.stage, self.screen)

    async def read_words(self) -> None:
        """Learn the words of the screen where there is room for all."""
        await self.resize(HUGE)
        self.words = layout.words_of(self.screen)

    def read(self, where: str) -> None:
        for rule in layout.RULES:
            self.keep(rule.__name__, rule(self.screen), where)
        self.keep("cut_words", layout.cut_words(self.screen, self.words), where)

    async def focus(self, where: str) -> None:
        """Give the focus to each widget that takes it."""
        before = self.screen.focused
        stops = [one for one in self.screen.focus_chain if layout.in_sight(one).area]
        if len(stops) < 2:
            return  # keys go nowhere else
        for widget in stops:
            self.keep("unseen_focus", await self._focus_of(widget), where)
        self.screen.set_focus(before)
        await self.settle()

    async def _focus_of(self, widget: Widget) -> list[str]:
        self.screen.set_focus(widget)
        await self.settle()
        if self.screen.focused is not widget:
            return []  # a form that is left checks its values, and goes on by itself
        place = layout.framed(widget)
        cells = layout.cells_of(self.screen)
        self.screen.set_focus(None)
        await self.settle()
        return layout.unseen_focus(widget, place, layout.cells_of(self.screen), cells)

    def keep(self, rule: str, faults: list[str], where: str) -> None:
        for fault in faults:
            self.found[f"{rule}: {fault}"].append(where)

    @property
    def faults(self) -> list[str]:
        return [f"{', '.join(where)}: {fault}" for fault, where in self.found.items()]


@asynccontextmanager
async def wearing(stage: Stage, look: str) -> AsyncIterator[None]:
    """The program in a look."""
    app: Any = stage.app
    app._begin_theme(DARK_THEME.name if look == NO_COLOUR else look)
    if look == NO_COLOUR:
        app._filters.append(Monochrome())
    await stage.pilot.pause()
    try:
        yield
    finally:
        if look == NO_COLOUR:
            app._filters.pop()


@asynccontextmanager
async def walked(kind: Kind) -> AsyncIterator[Walk]:
    """A screen of its own program."""
    if kind in WAYS:
        async with opened() as stage:
            await show(stage, kind)
            yield Walk(stage)
        return
    async with ALONE[kind]() as alone:
        await alone.is_open(kind)
        yield Walk(alone)


def name_of(kind: Kind) -> str:
    return kind.__name__


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [*WAYS, *ALONE], ids=name_of)
async def test_the_law_holds_at_every_size_in_every_look(kind: Kind) -> None:
    async with walked(kind) as walk:
        await walk.read_words()
        for look in LOOKS:
            async with wearing(walk.stage, look):
                for size in SIZES:
                    where = f"{size[0]}x{size[1]} {look}"
                    await walk.resize(size)
                    walk.read(where)
                    if size in FOCUS_AT and kind is not CommandPalette:
                        await walk.focus(where)
        assert not walk.faults, "\n".join(walk.faults)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [*WAYS, *ALONE], ids=name_of)
async def test_each_key_of_the_footer_does_something(kind: Kind) -> None:
    pressed: set[str] = set()
    while True:
        async with walked(kind) as walk:
            await walk.settle()
            key = next((one for one in footer_keys(walk.screen) if one not in pressed), None)
            if key is None:
                return
            pressed.add(key)
            before = state_of(walk.stage)
            await walk.stage.press(key)
            await walk.stage.until(lambda: state_of(walk.stage) != before, f"what {key} does")  # noqa: B023


def footer_keys(screen: Screen[Any]) -> list[str]:
    """The keys that the footer shows as active, but those that end the program."""
    places = [place for one in screen.query(KeyFooter) for place in one.places]
    return [key.key for key, _ in places if key.is_enabled and "quit" not in key.action]


def state_of(stage: Stage) -> object:
    """All that a key can change: what is drawn, the screens, what pops up, the clipboard."""
    app: Any = stage.app
    if not app.is_running:
        return "the end"
    notices = [one.identity for one in app._notifications]
    return layout.cells_of(app.screen), app.screen_stack[:], app.focused, notices, app.clipboard


@pytest.mark.timeout(300)
async def test_every_screen_opens_obeys_the_law_and_closes_by_keyboard() -> None:
    faults: list[str] = []
    async with opened(SMALL) as stage:
        # The last one leaves the server untrusted.
        for kind in sorted(WAYS, key=lambda kind: kind is TrustDialog):
            await show(stage, kind)
            faults += await quick_look(stage, kind)
            while not isinstance(stage.app.screen, MainScreen):
                screen = stage.app.screen
                if isinstance(screen, GuardedDialog):
                    await arm(stage, screen)
                await stage.press("escape")
                await stage.until(lambda left=screen: stage.app.screen is not left, kind.__name__)  # type: ignore[misc]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("kind", ALONE, ids=name_of)
async def test_a_screen_without_a_server_obeys_the_law(kind: Kind) -> None:
    async with ALONE[kind]() as stage:
        await stage.is_open(kind)
        faults = await quick_look(stage, kind)
    assert not faults, "\n".join(faults)


async def quick_look(stage: Stage, kind: Kind) -> list[str]:
    walk = Walk(stage)
    if stage.app.size != SMALL:
        await walk.resize(SMALL)
    await walk.settle()
    walk.read(kind.__name__)
    return walk.faults
