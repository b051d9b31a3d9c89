"""Textual on a terminal of POSIX: it goes away, is stopped by the shell, or is not UTF-8."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from ...platforms import terminal
from . import terminal_keys
from .terminal_background import QUESTION, AnsweredParser
from .terminal_writer import TerminalWriter

assert sys.platform != "win32"


class PosixDriver(LinuxDriver):
    """Writes to standard output, and leaves it to the app what a stop from outside means.

    The app may have `is_leaving`, and `stopped_from_outside` and `continued_from_outside`, which
    are called on the loop. One that has `asks_background` is told in `heard_background`, once or
    never, whether the terminal is light.
    """

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        assert sys.__stdout__ is not None
        self._output = TerminalWriter(
            sys.__stdout__.fileno(), lambda: getattr(app, "is_leaving", False)
        )
        self._input_over = self.exit_event = terminal.Waking()
        self._has_asked = False
        self._asks_background = getattr(app, "asks_background", False)
        self.is_drawing = False
        """Whether the terminal is Textual's now, and not a shell's or an editor's."""

    def start_application_mode(self) -> None:
        self._output.start()
        self.is_drawing = True
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._asks_background and not self._has_asked and self.input_tty:
            self._has_asked = True
            self.write(QUESTION)

    def stop_application_mode(self) -> None:
        self.is_drawing = False
        super().stop_application_mode()

    def write(self, data: str) -> None:
        self._output.write(data)

    def close(self) -> None:
        super().close()
        self._output.stop()

    def run_input_thread(self) -> None:
        parser = (
            AnsweredParser(self._debug, self._tell_background)
            if self._asks_background
            else XTermParser(self._debug)
        )
        # A terminal that is gone gives EIO, which is nothing to show a traceback for.
        with contextlib.suppress(OSError):
            terminal_keys.read_keys(self.fileno, parser, self.process_message, self._input_over)

    def let_go_of_mouse(self) -> None:
        """Have no more told of the mouse: what is on its way is not to reach the shell."""
        self._disable_mouse_support()

    def _tell_background(self, is_light: bool) -> None:
        handler = getattr(self._app, "heard_background", None)
        if handler is not None:
            self._tell(partial(handler, is_light))

    # In a handler of a signal nothing may wait for a lock that the main thread may hold.

    def _sigtstp_application(self, *_: object) -> None:
        self._tell(getattr(self._app, "stopped_from_outside", None))

    def _sigcont_application(self, *_: object) -> None:
        self._tell(getattr(self._app, "continued_from_outside", None))

    def _tell(self, handler: Callable[[], None] | None) -> None:
        if handler is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(handler)
