"""Clocks of guarded dialogs that a test moves on, in the place of waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from signoff.app.tui.approving.clock import Clock
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.widgets.keys import KeysInOrder

LOOKS = 3
"""How often a dialog looks at a clock before it hears."""


class MovedClock(Clock):
    """Seconds that pass only when told; dialogs look only when told, too."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self._looks: list[tuple[Screen[Any], Callable[[], None]]] = []

    def now(self) -> float:
        return self.seconds

    def wake(self, dialog: Screen[Any], look: Callable[[], None]) -> None:
        self._looks.append((dialog, look))

    def pass_by(self, seconds: float) -> None:
        """Time in which no dialog looks, as in a busy program."""
        self.seconds += seconds

    def look(self, times: int = LOOKS) -> None:
        """Let the dialogs that are open look."""
        for _ in range(times):
            self._looks = [one for one in self._looks if one[0].is_running]
            for _, look in self._looks:
                look()


class AheadClock(Clock):
    """The real seconds, and those by which a test has moved on; dialogs look as ever, and then."""

    def __init__(self) -> None:
        self._ahead = MovedClock()

    def now(self) -> float:
        return super().now() + self._ahead.now()

    def wake(self, dialog: Screen[Any], look: Callable[[], None]) -> None:
        super().wake(dialog, look)
        self._ahead.wake(dialog, look)

    def move_on(self, seconds: float) -> None:
        self._ahead.pass_by(seconds)
        self._ahead.look()


async def many_steps() -> None:
    """Far more steps of the loop than the way of a key through the widgets takes."""
    for _ in range(100):
        await asyncio.sleep(0)


class Watched(Protocol):
    """A stage whose program has an `AheadClock`."""

    @property
    def app(self) -> App[Any]: ...

    @property
    def pilot(self) -> Pilot[Any]: ...


async def passes(stage: Watched, seconds: float) -> None:
    """Move the clock of the dialogs on, and let them look at it."""
    clock = getattr(stage.app, "dialog_clock", None)
    assert isinstance(clock, AheadClock)
    await _keys_have_passed(stage.app)
    await stage.pilot.pause()
    clock.move_on(seconds)
    await stage.pilot.pause()


async def _keys_have_passed(app: App[Any]) -> None:
    """Wait for the end of the keys before: one that closed a screen holds the next ones back."""
    for _ in range(1_000):
        if not isinstance(app, KeysInOrder) or not app._held:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("a key is held back for ever")


async def arm(stage: Watched, dialog: GuardedDialog[Any]) -> None:
    """Let as much time pass as the dialog wants to before it hears."""
    for _ in range(100):
        await passes(stage, 0.6)
        if dialog.is_armed:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the dialog does not listen")


async def press_slowly(stage: Watched, *keys: str) -> None:
    """Press each key by itself, as what is meant is pressed."""
    for key in keys:
        await passes(stage, 0.4)
        await stage.pilot.press(key)
        await stage.pilot.pause()
    await passes(stage, 0.8)
