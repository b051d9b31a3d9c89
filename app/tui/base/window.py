"""The terminal window: too small for a dialog, and suspending to the shell."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Final

from textual import events
from textual.app import App, ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from ....widgets.keys import KeysInOrder
from ...content.text import sentence
from ...platforms.jobs import stop_until_continued, why_not_suspended
from ..approving.clock import REAL, Clock
from ..approving.guarded_dialog import GuardedDialog
from ..terminal.driver import TerminalDriver
from .screen_mixin import ScreenMixin

LEAST: Final = Size(40, 10)
"""Cells; in fewer of them no screen can be read."""


def is_too_small(size: Size) -> bool:
    return size.width < LEAST.width or size.height < LEAST.height


def too_small_words(size: Size, *, is_asked: bool) -> str:
    """One line, the longest that the width takes; `is_asked`: whether a question waits."""
    least = f"{LEAST.width}x{LEAST.height}"
    now = f"{size.width}x{size.height}"
    asked = [
        f"A dialog waits, but the terminal is too small: {now}, {least} needed",
        f"A question waits: {least} needed",
    ]
    plain = [f"Too small: {now}, {least} needed", f"Too small: {least}", "Too small", "small"]
    fitting = (one for one in [*(asked if is_asked else []), *plain] if len(one) <= size.width)
    return next(fitting, "")


class TooSmallScreen(ScreenMixin, ModalScreen[None], inherit_bindings=False):
    """Lies over whatever is open, until the window is larger."""

    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    DEFAULT_CSS: ClassVar[str] = """
    TooSmallScreen { background: $background; overflow: hidden; }
    TooSmallScreen > Static { height: 1; width: 1fr; text-wrap: nowrap; }
    TooSmallScreen Toast { display: none; }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        # Another one may have lain over this one, and the window is large by now.
        if not is_too_small(self.app.size):
            self.dismiss()

    def _draw(self) -> None:
        is_asked = any(isinstance(one, GuardedDialog) for one in self.app.screen_stack)
        words = too_small_words(self.app.size, is_asked=is_asked)
        self.query_one(Static).update(Content.styled(words, "bold $text-warning"))


class NeedsRoom(KeysInOrder):
    """Covers every screen while the window is too small; keys and the mouse then do nothing.

    `always` are the keys that work all the same.
    """

    always: frozenset[str] = frozenset()
    is_too_small = False
    dialog_clock: Clock = REAL
    """What the guarded dialogs of this program take their time from."""

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        # A covered screen keeps its size, and so its scrolling, until there is room again.
        return [] if isinstance(self.screen, TooSmallScreen) else super()._background_screens

    def on_mount(self) -> None:
        self.screen_change_signal.subscribe(self, lambda _: self._cover())
        self._make_room(self.size)

    def on_resize(self, event: events.Resize) -> None:
        self._make_room(event.size)

    async def on_event(self, event: events.Event) -> None:
        is_input = isinstance(event, events.InputEvent | events.Paste)
        if self.is_too_small and is_input and getattr(event, "key", "") not in self.always:
            # It would act on a screen that is not visible.
            event.stop()
            return
        await super().on_event(event)

    def _make_room(self, size: Size) -> None:
        self.is_too_small = is_too_small(size)
        self._cover()

    def _cover(self) -> None:
        if not self.screen_stack:
            return
        is_covered = isinstance(self.screen, TooSmallScreen)
        if isinstance(self.screen, GuardedDialog) and self.screen.is_answered:
            # Out of time: the screen uncovered itself to be dismissed; the event is of another one.
            return
        if self.is_too_small and not is_covered:
            self.push_screen(TooSmallScreen())
        elif is_covered and not self.is_too_small:
            self.screen.dismiss()


class Suspends(App[None]):
    """An app that can be stopped from its shell and from outside."""

    def resumed_after(self, seconds: float) -> None:
        """The whole program stood still for so long."""

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`."""
        driver = self._driver
        if not isinstance(driver, TerminalDriver):
            return
        why_not = why_not_suspended(driver.fileno)
        if why_not:
            self.notify(f"Not suspended: {sentence(why_not)}", timeout=6, markup=False)
        else:
            self._suspend(driver)

    def stopped_from_outside(self) -> None:
        """Handle SIGTSTP, the signal of the shell's ctrl+z."""
        # While an editor has the terminal, the stop is its own.
        if isinstance(self._driver, TerminalDriver) and self._driver.is_drawing:
            self.action_suspend_process()

    def continued_from_outside(self) -> None:
        """Restore the terminal after a signal that cannot be handled stopped it."""
        driver = self._driver
        if isinstance(driver, TerminalDriver) and driver.is_drawing:
            driver.suspend_application_mode()
            self._draw_again(driver)

    def _suspend(self, driver: TerminalDriver) -> None:
        # Before as well: no press that waits for its stillness may find it in here.
        self.app_suspend_signal.publish(self)
        driver.suspend_application_mode()
        since = time.monotonic()
        stop_until_continued(driver.fileno)
        self.resumed_after(time.monotonic() - since)
        self._draw_again(driver)

    def _draw_again(self, driver: TerminalDriver) -> None:
        driver.resume_application_mode()
        self.app_resume_signal.publish(self)
        self.refresh(layout=True)
