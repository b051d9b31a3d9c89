"""What a test sees of a program and does in it, whatever is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import TextArea

from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from tests.settled import wait_for_idle
from tests.tui.clocks import arm
from tests.tui.drawn import Notices

S = TypeVar("S", bound=Screen[Any])
D = TypeVar("D", bound=GuardedDialog[Any])

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine before a test fails."""


@dataclass
class Hand:
    app: App[Any]
    pilot: Pilot[Any]

    def __post_init__(self) -> None:
        self.unread = Notices(self.app)

    @property
    def strips(self) -> list[Strip]:
        return [Strip(one) for one in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """The rows of the screen."""
        return "\n".join(strip.text.rstrip() for strip in self.strips)

    async def until(self, is_so: Callable[[], object], what: str = "it") -> None:
        """Wait for something that will come true by itself.

        It is looked for only while the program rests, as a person would see it.
        """
        end = time.monotonic() + PATIENCE
        await wait_for_idle()
        while not is_so():
            assert time.monotonic() < end, f"waited in vain for {what}:\n{self.text}"
            await asyncio.sleep(0.01)
            await wait_for_idle()

    async def sees(self, *words: str) -> None:
        """Wait until all these words are on the screen."""

        def are_there() -> bool:
            text = self.text
            return all(one in text for one in words)

        await self.until(are_there, repr(words))

    async def no_longer_sees(self, words: str) -> None:
        await self.until(lambda: words not in self.text, f"{words!r} to go")

    async def notice(self) -> str:
        """Wait for a notice that was not taken yet, and take it."""
        return await self.unread.next(self.until)

    async def is_open(self, kind: type[S]) -> S:
        """Wait for a screen of this kind."""
        await self.until(lambda: isinstance(self.app.screen, kind), kind.__name__)
        await self.pilot.pause()
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def asks(self, kind: type[D]) -> D:
        """Wait until a dialog of this kind is open and hears."""
        dialog = await self.is_open(kind)
        await arm(self, dialog)
        return dialog

    async def has_left(self, screen: Screen[Any] | type[Screen[Any]]) -> None:
        """Wait until this screen, or one of this kind, is on top no more."""
        kind = screen if isinstance(screen, type) else ()
        await self.until(
            lambda: self.app.screen is not screen and not isinstance(self.app.screen, kind),
            "the end of the screen",
        )

    async def in_field(self) -> TextArea:
        """Wait until a field for text has the focus."""
        await self.until(lambda: isinstance(self.app.focused, TextArea), "a field")
        assert isinstance(self.app.focused, TextArea)
        return self.app.focused

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*text)

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()

    async def rests(self) -> None:
        """Wait until the screen has been the same for a moment."""
        seen: list[str] = []
        while len(seen) < 4:
            await self.pilot.pause(0.05)
            now = self.text
            seen = [*seen, now] if not seen or seen[-1] == now else [now]
