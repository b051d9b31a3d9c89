"""Shows the wire of a captured session, without engine and server."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import ClassVar

from textual import constants
from textual.binding import Binding, BindingType
from textual.driver import Driver

from ...platforms.signals import ENDING
from ...storage.fault_log import print_fault, watch
from ...storage.settings.values import Settings
from ..appearance import HasLook
from ..failures import LeavesTrace
from ..terminal.driver import TerminalDriver
from ..text.keys_screen import KeysScreen
from ..window import NeedsRoom, Suspends, TooSmallScreen
from .listing import CapturedWire
from .wire_screen import WireScreen


class CaptureApp(HasLook, LeavesTrace, Suspends, NeedsRoom):
    """Ends when the screen of the wire is left."""

    TITLE = "Signoff"
    ENABLE_COMMAND_PALETTE = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", id="capture.quit", priority=True, tooltip="Leave."),
        Binding(
            "ctrl+z",
            "suspend_process",
            "Suspend",
            show=False,
            id="capture.suspend",
            priority=True,
            tooltip="Give the terminal back to the shell; fg continues.",
        ),
        Binding(
            "f1,question_mark",
            "help",
            "Help",
            id="app.help",
            priority=True,
            tooltip="Show all keys that work now.",
        ),
    ]

    def __init__(self, source: CapturedWire, start: str, settings: Settings) -> None:
        """`start` is the filter to begin with."""
        super().__init__(settings, settings.text("theme"))
        self.always = frozenset(self.keys_of("capture.quit", "ctrl+q"))
        self._source = source
        self._start = start
        self.is_leaving = False
        """Whether a signal has ended it: from now on nothing waits for the terminal."""

    def get_driver_class(self) -> type[Driver]:
        # Textual's variable names another driver without a terminal, as in a browser.
        return super().get_driver_class() if constants.DRIVER else TerminalDriver

    def on_mount(self) -> None:
        self.tell_faults()
        self.push_screen(WireScreen(self._source, self._start), lambda _: self.exit())
        self.tell_mistakes()
        loop = asyncio.get_running_loop()

        def hear(number: int, _: object) -> None:
            self.is_leaving = True
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: self.exit(return_code=128 + number))

        if not self.is_headless:
            for number in ENDING:
                signal.signal(number, hear)

    def action_help(self) -> None:
        """Show the keys of the open screen."""
        if isinstance(self.screen, KeysScreen):
            self.screen.dismiss()
        elif not isinstance(self.screen, TooSmallScreen):
            self.push_screen(KeysScreen(self.screen))


def run(source: CapturedWire, start: str, settings: Settings) -> int:
    """Show it until it is left; returns the exit status."""
    app = CaptureApp(source, start, settings)
    app.run()
    watch()
    if app.fault:
        print_fault(app.fault)
    return app.return_code or 0
