"""Ctrl+Z without a screen: what has to happen when the shell stops the program and continues it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from ..platforms import jobs
from .keyboard import Keyboard


@contextlib.contextmanager
def telling_of_stops(keyboard: Keyboard, on_continued: Callable[[float], None]) -> Iterator[None]:
    """Within it, `on_continued` is told on the loop for how many seconds the program was stopped.

    The terminal is given back as it was found before, and taken again after; a stop of which
    nobody knows how long it was is told as 0.
    """
    loop = asyncio.get_running_loop()

    def tell(seconds: float) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(on_continued, seconds)

    with jobs.telling_of_stops(keyboard.give_back, keyboard.take_again, tell):
        yield
