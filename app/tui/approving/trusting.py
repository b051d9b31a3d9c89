"""The switch of trust: turning it on asks first, taking it away asks nothing."""

from __future__ import annotations

from textual.screen import Screen

from ...approval.trusting import TrustEffect
from ...engine.engine import Bench
from ...protocol.server import Trust
from .trust_dialog import TrustDialog


class Trusting:
    """Asks over `screen`, and lets the hints of the bench's server count or not."""

    def __init__(self, screen: Screen[None], bench: Bench) -> None:
        self._screen = screen
        self._bench = bench
        self._dialog: TrustDialog | None = None

    def switch(self) -> None:
        """Whatever the way was: a key, a click, the palette."""
        bench = self._bench
        if bench.server.trust is Trust.TRUSTED:
            self._take_away()
        elif self._dialog is not None:
            return
        elif bench.is_listed:
            self._ask()
        else:
            words = "Its tools are not listed yet, so nobody can say what would run unasked."
            self._screen.notify(words, title="Not trusted", timeout=6, markup=False)

    def look_again(self) -> None:
        """The tools or the rules changed: what is being asked about may be something else."""
        if self._dialog is not None:
            self._dialog.show(self._bench.trust_effect())

    def _ask(self) -> None:
        bench, app = self._bench, self._screen.app
        click = getattr(app, "last_click", None)
        self._dialog = TrustDialog(bench.server, bench.trust_effect(), last_click=click)
        app.push_screen(self._dialog, self._take_answer)

    def _take_answer(self, agreed: TrustEffect | None) -> None:
        self._dialog = None
        if agreed is None:
            return
        if self._bench.trust_effect().key == agreed.key:
            self._bench.set_trust(Trust.TRUSTED)
            return
        words = "Its tools changed in that moment. Look at what would run now."
        self._screen.notify(words, title="Not trusted yet", timeout=6, markup=False)
        self._ask()

    def _take_away(self) -> None:
        self._bench.set_trust(Trust.UNTRUSTED)
        if self._bench.memory.grants():
            words = "Its hints do not count any more. Approvals you gave do: f10 revokes them."
            self._screen.notify(words, title="Not trusted", timeout=6, markup=False)
