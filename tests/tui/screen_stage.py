"""One screen over an empty program; the server of its engine, if it has one, may be in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias

from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from signoff.app.engine.engine import Engine
from signoff.app.features.matrix import archetypes_screen
from signoff.app.features.matrix import screen as matrix_screen
from signoff.app.tui.base.context import ScreenContext, Shown
from signoff.app.tui.main.changes import show_changes
from tests.tui import regions
from tests.tui.bench_stage import WIDE
from tests.tui.hand import Hand

ScreenClass: TypeAlias = type[Screen[Any]]


class Under(App[None]):
    """What a screen is opened over."""

    def compose(self) -> ComposeResult:
        yield Static("the main screen")


@dataclass
class ScreenStage(Hand):
    """What a person sees and does on a screen that a test opens."""

    given: Engine | None = None

    @property
    def engine(self) -> Engine:
        assert self.given is not None
        return self.given

    @property
    def screen(self) -> Screen[Any]:
        return self.app.screen

    @property
    def notices(self) -> str:
        return regions.notices(self.app)

    def whole(self, selector: str) -> str:
        """All that a text or a sheet of the screen says."""
        widget = self.screen.query_one(selector)
        assert isinstance(widget, regions.READABLE)
        return regions.whole(widget)

    def seen(self, selector: str) -> str:
        """The rows of a widget, as they stand on the screen."""
        return regions.seen(self.screen.query_one(selector))

    def frame(self, selector: str) -> str:
        """The title and the subtitle of a widget."""
        return regions.frame(self.screen.query_one(selector))

    async def is_told(self, words: str) -> None:
        """Wait for a notice that has these words."""
        await self.until(lambda: words in self.notices, f"a notice {words!r}")

    async def opens(self, screen: Screen[Any]) -> list[Any]:
        """Open a screen; what it is dismissed with comes into the list."""
        results: list[Any] = []
        await self.app.push_screen(screen, results.append)
        await self.pilot.pause()
        return results

    async def is_back(self) -> None:
        """Wait until no screen is open any more."""
        await self.until(lambda: len(self.app.screen_stack) == 1, "the end of the screen")

    def at_desk(self, tool: str = "") -> Desk:
        """The screens of features for this tool, which follow all that the engine publishes."""
        return Desk(self, tool)


class Desk:
    """Opens the screens of features as the main screen does."""

    def __init__(self, stage: ScreenStage, tool: str) -> None:
        chosen = next((one for one in stage.engine.tools if one.name == tool), None)
        self._context = ScreenContext(stage.screen, stage.engine, chosen)

    def show_matrix(self) -> None:
        self._follow(matrix_screen.show(self._context))

    def show_archetypes(self, go_to: Callable[[str], bool]) -> None:
        place: Any = SimpleNamespace(go_to_tool=go_to)
        self._follow(archetypes_screen.show(self._context._replace(workplace=place)))

    def show_changes(self) -> None:
        self._follow(show_changes(self._context.screen, self._context.engine))

    def _follow(self, shown: Shown | None) -> None:
        assert shown is not None
        self._context.engine.subscribe(lambda _: shown[1]())


@asynccontextmanager
async def screen_stage(
    engine: Engine | None = None, *, size: tuple[int, int] = WIDE
) -> AsyncIterator[ScreenStage]:
    """An empty program, in which a test opens screens, of this engine if they have one."""
    app = Under()
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=True) as pilot:
        yield ScreenStage(app, pilot, engine)
