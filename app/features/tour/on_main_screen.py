"""Shows the tour on the main screen: begun, focused and left by its keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from ....widgets.server_bar import ServerBar
from ...protocol.server import Trust
from ...tui.startup import AppConfig

if TYPE_CHECKING:
    from .dock import TourDock


class TourOnBench:
    """Puts the panel of the tour under the server bar, and takes it away.

    `set_timed` is called with False while it runs: the clock hurries no reader. The bundled server
    is trusted while it runs, as its steps are written for that, and afterwards as before.
    """

    def __init__(
        self, screen: Screen[None], opening: AppConfig, set_timed: Callable[[bool], None]
    ) -> None:
        self._screen = screen
        self._opening = opening
        self._set_timed = set_timed
        self._dock: TourDock | None = None
        self._trust_before: Trust | None = None

    def begin_if_wanted(self, go_back: Callable[[], None]) -> None:
        """Begin it where the command line wants that."""
        if self._opening.begins_tour and self._dock is None:
            self.enter(go_back)

    def enter(self, go_back: Callable[[], None] | None) -> None:
        """Begin it, go to its panel, or back to the main screen.

        `go_back` puts the focus on the main screen; None while it has no panes.
        """
        opening = self._opening
        if self._dock is not None:
            self._dock.enter()
        elif not opening.session.target.is_bundled:
            words = "The tour runs on the bundled server: signoff tour."
            self._screen.notify(words, title="Tour", timeout=6, markup=False)
        elif go_back is not None:
            from .dock import TourDock

            self._set_timed(False)
            self._trust()
            self._dock = TourDock(
                opening.engine,
                go_back,
                is_presenting=opening.is_presenting,
                keeps=opening.keeps_tour,
            )
            self._screen.mount(self._dock, after=self._screen.query_one(ServerBar))
            self._screen.add_class("-tour")

    async def leave(self) -> None:
        """Take the panel away."""
        if self._dock is not None:
            await self._dock.remove()
            self._dock = None
            self._set_timed(True)
            self._trust_as_before()
            self._screen.remove_class("-tour")

    def _trust(self) -> None:
        engine = self._opening.engine
        self._trust_before = engine.server.trust
        if self._trust_before is not Trust.TRUSTED:
            engine.set_trust(Trust.TRUSTED)
            words = "The demo server is trusted while the tour runs, and untrusted again after it."
            self._screen.notify(words, title="Tour", timeout=6, markup=False)

    def _trust_as_before(self) -> None:
        engine, before = self._opening.engine, self._trust_before
        if before is not None and before is not engine.server.trust:
            engine.set_trust(before)

    def hear(self, key: str, character: str | None) -> None:
        """Take a key pressed on the main screen."""
        if self._dock is not None:
            self._dock.hear(key, character)

    def look(self) -> bool:
        """Notice finished parts; True if the tour is open."""
        if self._dock is None:
            return False
        self._dock.look()
        return True
