"""The start view while a server starts, and the keys typed ahead for its tools."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Final

from textual import events
from textual.screen import Screen

from ....widgets.keys import Input, KeysInOrder, Press
from ....widgets.start_view import StartView
from ...content.key_tables import Mark
from ...protocol.findings.findings import stdout_noise
from ...protocol.server import Phase
from ..base.restart_key import RestartKey
from ..base.screen_mixin import ScreenMixin
from ..servers.switching import has_others
from .keys import ROWS
from .phases import PHASE_RULES, HeldInput, LifePhase

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ..startup import AppConfig


class StartShown:
    """Keeps the start view of a screen up to date, from the newest start on."""

    def __init__(
        self,
        screen: Screen[None],
        opening: AppConfig,
        after_restart: Callable[[], Awaitable[str]],
    ) -> None:
        """`after_restart` returns what a restart leaves to do, in words."""
        self._screen = screen
        self._after_restart = after_restart
        self._key = RestartKey(self._say)
        self._opening = opening
        self._since = time.monotonic()
        self._stderr_before = 0
        """Lines that the server wrote before it was started the last time."""

    @property
    def is_failed(self) -> bool:
        """True if the server was lost before it listed its tools, and no attempt is running."""
        phase = self._opening.server.phase
        is_lost = phase is Phase.LOST and not self._opening.engine.is_listed
        return phase is Phase.FAILED or is_lost

    @property
    def is_shown(self) -> bool:
        return self._screen.query_one(StartView).display

    def hide(self) -> None:
        self._screen.query_one(StartView).display = False

    def show(self) -> None:
        """Draw the current state, if the view is shown."""
        view, engine = self._screen.query_one(StartView), self._opening.engine
        if not view.display:
            return
        new = min(engine.stderr_count - self._stderr_before, len(engine.stderr))
        view.show(
            engine.server,
            time.monotonic() - self._since,
            list(engine.stderr)[len(engine.stderr) - new :],
            stdout_noise(engine.findings),
            can_start_again=engine.can_reconnect,
            has_others=has_others(self._screen),
        )

    def restart(self) -> None:
        """Restart the server, or connect to it again: it may have been changed since."""
        self._screen.run_worker(self._restart(), exit_on_error=False)

    async def _restart(self) -> None:
        self._since = time.monotonic()
        self._stderr_before = self._opening.engine.stderr_count
        words = await self._after_restart()
        if await self._key.press(self._opening.engine) and words:
            self._say(words)

    def _say(self, words: str, severity: SeverityLevel = "information") -> None:
        self._screen.notify(words, severity=severity, timeout=8, markup=False)


_TO_FILTER: Final = ("filter", "filter_at_once")


class WaitsForTools(ScreenMixin, Screen[None]):
    """Keeps the keys that are for the tools until these are listed, and lets the others pass.

    Its app has to be one of `TakesTypedAhead`.
    """

    has_begun_filter = False

    @property
    @abstractmethod
    def phase(self) -> LifePhase:
        """How far the screen has come."""

    def is_for_the_rest(self, event: events.Key | events.Paste) -> bool:
        """True if a key is for more than the list of tools and its filter."""
        return True

    def is_for_tools(self, event: events.Key | events.Paste, *, has_waiting: bool) -> bool:
        """True if a key does nothing yet, or continues typed text."""
        if isinstance(event, events.Paste) or (event.is_printable and has_waiting):
            return True
        active = self.active_bindings.get(event.key)
        return active is None or not active.enabled

    def is_too_early(self, event: events.Key | events.Paste) -> bool:
        """True if a key is to do nothing, now or later."""
        key = event.key if isinstance(event, events.Key) else ""
        actions = [one.action for one in self._bindings.key_to_bindings.get(key, ())]
        self.has_begun_filter |= any(action in _TO_FILTER for action in actions)
        acts = any(action in ROWS and Mark.SEEN in ROWS[action].marks for action in actions)
        return acts and not self.has_begun_filter


class TakesTypedAhead(KeysInOrder):
    """Replays typed keys once the tools are there, or all the other panes."""

    leaving_keys: Collection[str] = ()
    """Keys that take effect at once: earlier typing does not matter to them."""

    def has_to_wait(self, event: Input) -> bool:
        if not self.screen_stack:
            return not isinstance(event, Press)
        screen = self.screen
        if not isinstance(screen, WaitsForTools):
            return False
        holds = PHASE_RULES[screen.phase].holds
        if holds is HeldInput.FOR_PANES:
            return self._waits_for_the_rest(event, screen)
        if isinstance(event, Press) or holds is HeldInput.NOTHING:
            return False
        return event in self._held or screen.is_for_tools(event, has_waiting=bool(self._held))

    def _waits_for_the_rest(self, event: Input, screen: WaitsForTools) -> bool:
        """True for input that waits, in order: only keys that leave overtake it."""
        if isinstance(event, Press):
            return True
        if isinstance(event, events.Key) and event.key in self.leaving_keys:
            return False
        has_others = bool(self._held) and self._held[0] is not event
        return has_others or screen.is_for_the_rest(event)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            screen = self.screen if self.screen_stack else None
            if (
                isinstance(screen, WaitsForTools)
                and PHASE_RULES[screen.phase].holds is HeldInput.FOR_TOOLS
                and screen.is_too_early(event)
            ):
                return
        await super().on_event(event)
