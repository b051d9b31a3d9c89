"""What is shown of a server that is not connected yet or never was, and starting it once more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...widgets.start_view import StartView
from ..protocol.findings import stdout_noise
from ..protocol.server import Phase

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from .opening import Opening


class StartShown:
    """Keeps the start view of a screen up to date, from the newest start on."""

    def __init__(self, screen: Screen[None], opening: Opening) -> None:
        self._screen = screen
        self._opening = opening
        self._since = time.monotonic()
        self._stderr_before = 0
        """Lines that the server wrote before it was started the last time."""

    @property
    def is_failed(self) -> bool:
        """Whether the server could not be reached, and nobody tries to."""
        return self._opening.server.phase is Phase.FAILED

    @property
    def can_start_again(self) -> bool:
        return self.is_failed and self._opening.bench.can_reconnect

    @property
    def is_shown(self) -> bool:
        return self._screen.query_one(StartView).display

    def hide(self) -> None:
        self._screen.query_one(StartView).display = False

    def show(self) -> None:
        """Draw what is known now, where it is shown at all."""
        view, bench = self._screen.query_one(StartView), self._opening.bench
        if not view.display:
            return
        new = min(bench.stderr_count - self._stderr_before, len(bench.stderr))
        view.show(
            bench.server,
            time.monotonic() - self._since,
            list(bench.stderr)[len(bench.stderr) - new :],
            stdout_noise(bench.findings),
            can_start_again=bench.can_reconnect,
        )

    def start_again(self, owner: Widget) -> None:
        """Start the server once more, or connect to it: it may have been mended meanwhile.

        `owner` is told where that fails.
        """
        self._since = time.monotonic()
        self._stderr_before = self._opening.bench.stderr_count
        owner.run_worker(self._start_again(), exit_on_error=False)

    async def _start_again(self) -> None:
        problem = await self._opening.bench.reconnect()
        if problem:
            words = f"Not started again: {problem}."
            self._screen.notify(words, severity="error", timeout=8, markup=False)
