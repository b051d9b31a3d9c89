"""One line on standard error that shows how far a command is, drawn again and again.

Without a terminal it is a plain line now and then, so that the log of a job stays short.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from rich.cells import cell_len, set_cell_size

from .printing import encodable, width_of

EVERY_SECONDS: Final = 15.0
"""Seconds between two plain lines, if there is something new."""
EVERY_STEPS: Final = 12
"""Steps after which a plain line comes sooner."""
_TICK: Final = 1.0


class ProgressLine:
    """The line; `words` returns its text for so many cells of width."""

    def __init__(self, words: Callable[[int], str], clock: Callable[[], float] = time.monotonic):
        self._words = words
        self._clock = clock
        self._is_drawn = bool(width_of(sys.stderr)) and os.environ.get("TERM") != "dumb"
        self._shown = ""
        self._told_at = clock()
        self._told_steps = 0
        self._steps = 0

    @property
    def is_drawn(self) -> bool:
        """True on a terminal, where the line is drawn over itself."""
        return self._is_drawn

    def step(self, steps: int) -> None:
        """Show that so many steps are done in total."""
        self._steps = steps
        self.show()

    def show(self) -> None:
        """Draw the line, or print it if it is time for a plain one."""
        if self._is_drawn:
            width = (width_of(sys.stderr) or 80) - 1
            self._draw(encodable(set_cell_size(self._words(width), width), sys.stderr).rstrip())
            return
        late = self._clock() - self._told_at >= EVERY_SECONDS and self._steps > self._told_steps
        if late or self._steps - self._told_steps >= EVERY_STEPS:
            self._told_at, self._told_steps = self._clock(), self._steps
            print(f"signoff: {encodable(self._words(200), sys.stderr)}", file=sys.stderr)

    def clear(self) -> None:
        """Remove the line from the terminal, before anything else is printed."""
        if self._shown:
            self._draw("")

    def _draw(self, words: str) -> None:
        rest = " " * max(0, cell_len(self._shown) - cell_len(words))
        self._shown = words
        end = f"{rest}\r" if not words else rest
        with contextlib.suppress(OSError):
            print(f"\r{words}{end}", end="", file=sys.stderr, flush=True)

    @contextlib.asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Draw it every second as long as the block runs, and remove it at the end."""
        task = asyncio.ensure_future(self._tick())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            self.clear()

    async def _tick(self) -> None:
        while True:
            self.show()
            await asyncio.sleep(_TICK)
