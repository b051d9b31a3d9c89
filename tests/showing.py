"""A stage for widgets alone: an app that shows them, and keeps the messages that they post."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

W = TypeVar("W", bound=Widget)
M = TypeVar("M", bound=Message)


class Showing(App[None]):
    """The widgets one below the other. `scrolls`: in a container that scrolls."""

    def __init__(self, *widgets: Widget, scrolls: bool = False) -> None:
        super().__init__()
        self.animation_level = "none"
        self._widgets = widgets
        self._scrolls = scrolls

    def compose(self) -> ComposeResult:
        if self._scrolls:
            with VerticalScroll(can_focus=False):
                yield from self._widgets
        else:
            yield from self._widgets


@dataclass
class Stage(Generic[W]):
    """A widget as it is shown, and a hand at it."""

    app: App[Any]
    pilot: Pilot[Any]
    widget: W
    """The first of the widgets."""
    messages: list[Message]

    def posted(self, kind: type[M]) -> list[M]:
        """The messages of a kind, each once, in their order."""
        return [one for one in self.messages if isinstance(one, kind)]

    @property
    def strips(self) -> list[Strip]:
        return [Strip(one) for one in self.app.screen._compositor.render_strips()]

    @property
    def rows(self) -> list[str]:
        """The rows of the screen."""
        return [strip.text.rstrip() for strip in self.strips]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def drawn(self) -> list[str]:
        """The rows of the first widget, without trailing blanks."""
        view = self.widget
        return [strip.text.rstrip() for strip in view.render_lines(view.size.region)]

    async def pause(self) -> None:
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def click(self, x: int, y: int) -> None:
        await self.pilot.click(offset=(x, y))
        await self.pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()


@asynccontextmanager
async def showing(
    widget: W, *others: Widget, size: tuple[int, int] = (80, 24), scrolls: bool = False
) -> AsyncIterator[Stage[W]]:
    """Show a widget, with others below it."""
    messages: list[Message] = []

    def keep(message: Message) -> None:
        if not any(one is message for one in messages[-20:]):
            messages.append(message)

    app = Showing(widget, *others, scrolls=scrolls)
    async with app.run_test(size=size, notifications=True, message_hook=keep) as pilot:
        await pilot.pause()
        yield Stage(app, pilot, widget, messages)
