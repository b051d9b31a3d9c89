"""Signals that end a program, and handlers for them."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

HANG_UP: Final = 1
"""SIGHUP, for an exit status; the number is the same wherever there is that signal."""


@contextlib.contextmanager
def restored_handlers() -> Iterator[None]:
    """Give every signal its handler back at the end; call it on the main thread."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None and signal.getsignal(number) is not handler:
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, handler)


if sys.platform == "win32":
    ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    """What ends a program in order. SIGBREAK is Ctrl-Break, and a console that is being closed."""

    def hear(loop: AbstractEventLoop, number: int, on_signal: Callable[[], None]) -> None:
        """Call it on the loop when the signal comes; from the main thread."""

        def heard(number: int, frame: object) -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(on_signal)

        # No loop of Windows has handlers of signals, but every signal wakes one up.
        signal.signal(number, heard)

else:
    ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    """What ends a program in order."""

    def hear(loop: AbstractEventLoop, number: int, on_signal: Callable[[], None]) -> None:
        """Call it on the loop when the signal comes; from the main thread."""
        loop.add_signal_handler(number, on_signal)
