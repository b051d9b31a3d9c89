"""An app of one screen, without engine and server: a captured wire, the choice of a server."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Any, ClassVar

from textual import constants
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen

from ...widgets.bindings import bindings_of
from ..platforms.signals import ENDING, restored_handlers
from ..storage.fault_log import print_fault, watch
from ..storage.settings.values import Settings
from .appearance import HasLook
from .base.failures import LeavesTrace
from .base.window import NeedsRoom, Suspends, TooSmallScreen
from .terminal.driver import TerminalDriver
from .text.keys_screen import KeysScreen


class ServerlessApp(HasLook, LeavesTrace, Suspends, NeedsRoom):
    """Ends when its screen is left; `chosen` is what that was left with."""

    TITLE = "Signoff"
    ENABLE_COMMAND_PALETTE = False

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("app: without a server")

    def __init__(self, first: Screen[Any], settings: Settings, theme: str) -> None:
        super().__init__(settings, theme)
        self.always = frozenset(self.keys_of("capture.quit", "ctrl+q"))
        self._first = first
        self.chosen: Any = None
        self.is_leaving = False
        """Whether a signal has ended it: from now on nothing waits for the terminal."""

    def get_driver_class(self) -> type[Driver]:
        # Textual's variable names another driver without a terminal, as in a browser.
        return super().get_driver_class() if constants.DRIVER else TerminalDriver

    def on_mount(self) -> None:
        self.tell_faults()
        self.push_screen(self._first, self._left)
        self.tell_mistakes()
        loop = asyncio.get_running_loop()

        def hear(number: int, _: object) -> None:
            self.is_leaving = True
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: self.exit(return_code=128 + number))

        if not self.is_headless:
            for number in ENDING:
                signal.signal(number, hear)

    def _left(self, chosen: Any) -> None:
        self.chosen = chosen
        self.exit()

    def action_help(self) -> None:
        """Show the keys of the open screen."""
        if isinstance(self.screen, KeysScreen):
            self.screen.dismiss()
        elif not isinstance(self.screen, TooSmallScreen):
            self.push_screen(KeysScreen(self.screen))


def run_app(app: ServerlessApp) -> int:
    """Show it until it is left; returns the exit status."""
    # What follows may be a question in lines: no handler of the ended app is left.
    with restored_handlers():
        app.run()
    watch()
    if app.fault:
        print_fault(app.fault)
    return app.return_code or 0
