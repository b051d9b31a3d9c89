"""Textual's driver for POSIX terminals that vanish, are suspended, or are not UTF-8.

Reads keys until stopped, without waiting for the reader. A thread writes to the terminal, so
that a slow one holds up as little as possible.
"""

from __future__ import annotations

import codecs
import contextlib
import math
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from textual._xterm_parser import XTermParser
from textual.app import App
from textual.constants import ESCAPE_DELAY
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from ...platforms import terminal
from .background import QUESTION, AnsweredParser

assert sys.platform != "win32"


class PosixDriver(LinuxDriver):
    """Writes to standard output, and leaves the handling of an outside stop to the app.

    The app may have `is_leaving`, and `stopped_from_outside` and `continued_from_outside`, which
    are called on the loop. If it has `asks_background`, its `heard_background` is called once or
    never, with True for a light terminal.
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
        """Whether the terminal belongs to Textual now, or to a shell or an editor."""

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
            read_keys(self.fileno, parser, self.process_message, self._input_over)

    def disable_mouse(self) -> None:
        """Turn mouse reports off, so that none reaches the shell."""
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


assert sys.platform != "win32"

TICK_SECONDS: Final = 0.1
"""How long nothing comes before the parser looks whether an escape was a key of its own."""
TICKS_AFTER_INPUT: Final = 2 + math.ceil(2 * ESCAPE_DELAY / TICK_SECONDS)
"""Looks after which no escape can be pending; then only input ends the wait."""
_PIECE: Final = 4096


def read_keys(
    descriptor: int, parser: XTermParser, tell: Callable[[Message], None], is_over: terminal.Waking
) -> None:
    """Report every key and click, until `is_over`, including those already received."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    is_last = False
    ticks_left = 0
    while not is_last:
        is_ready = is_over.has_input(descriptor, TICK_SECONDS if ticks_left else None)
        ticks_left = TICKS_AFTER_INPUT if is_ready else max(ticks_left - 1, 0)
        is_last = is_over.is_set()
        if is_last:
            is_ready = terminal.has_input(descriptor)
        # An empty read means that standard input is a pipe that has ended.
        if is_ready and (text := decode(os.read(descriptor, _PIECE))):
            for message in parser.feed(text):
                tell(message)
        for message in parser.tick():
            tell(message)


WAITING_MAX: Final = 30
"""Texts that may wait; a writer of more waits until they are drawn."""
_LOOK_SECONDS = 0.2
_STOP_SECONDS = 1.0


class TerminalWriter:
    """Writes texts in their order, as UTF-8 whatever the locale is.

    A terminal that is gone takes nothing more, and later text is lost. `is_leaving` is True when
    the program is about to end: then a blocked terminal is not waited for.
    """

    def __init__(self, descriptor: int, is_leaving: Callable[[], bool]) -> None:
        self._descriptor = descriptor
        self._is_leaving = is_leaving
        self._texts: deque[str] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._takes = False

    def start(self) -> None:
        """Begin to write, also again after `stop`."""
        self._takes = True
        self._thread = threading.Thread(target=self._write_on, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have it written; lost where the writer was not started, or the terminal is gone."""
        with self._changed:
            while self._takes and len(self._texts) >= WAITING_MAX:
                if self._is_leaving():
                    return
                # In slices: a signal that arrives between them changes `is_leaving`.
                self._changed.wait(_LOOK_SECONDS)
            if self._takes:
                self._texts.append(text)
                self._changed.notify_all()

    def stop(self) -> None:
        """Write pending text, and end the thread; it is abandoned if the terminal is blocked."""
        with self._changed:
            self._takes = False
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)
            self._thread = None

    def _write_on(self) -> None:
        while True:
            with self._changed:
                while not self._texts:
                    if not self._takes:
                        return
                    self._changed.wait()
                data = "".join(self._texts).encode("utf-8", "backslashreplace")
                self._texts.clear()
                self._changed.notify_all()
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                # Gone. The watcher of the terminal ends the program.
                with self._changed:
                    self._takes = False
                    self._texts.clear()
                    self._changed.notify_all()
                return
