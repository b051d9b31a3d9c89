"""Ctrl+Z without a screen: what has to happen when the shell stops the program and continues it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator

from signoff.app.flows.keyboard import Keyboard

_STOPPING_SECONDS = 1.0
"""How long a stop may take to arrive before it is taken for one that does not come."""
_SLICE = 0.01


@contextlib.contextmanager
def telling_of_stops(keyboard: Keyboard, on_continued: Callable[[float], None]) -> Iterator[None]:
    """Within it, `on_continued` is told on the loop for how many seconds the program was stopped.

    The terminal is given back as it was found before, and taken again after. Of a stop that no
    program hears (SIGSTOP) nobody knows how long it was: that is told as 0.
    """
    loop = asyncio.get_running_loop()
    is_stopping = has_continued = False

    def tell(seconds: float) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(on_continued, seconds)

    def stop(number: int, _: object) -> None:
        nonlocal is_stopping, has_continued
        is_stopping, has_continued = True, False
        keyboard.give_back()
        signal.signal(number, signal.SIG_DFL)
        since = time.monotonic()
        os.kill(os.getpid(), number)
        # Here the program stands still. Of several threads this one may run on for a moment, and
        # where there is no shell nothing stops at all.
        while not has_continued and time.monotonic() < since + _STOPPING_SECONDS:
            time.sleep(_SLICE)
        is_stopping = False
        signal.signal(number, stop)
        keyboard.take_again()
        tell(time.monotonic() - since)

    def continued(number: int, _: object) -> None:
        nonlocal has_continued
        has_continued = True
        if not is_stopping:
            keyboard.take_again()
            tell(0.0)

    before = {
        signal.SIGTSTP: signal.signal(signal.SIGTSTP, stop),
        signal.SIGCONT: signal.signal(signal.SIGCONT, continued),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
