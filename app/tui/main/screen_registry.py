"""Screens that keys open over the main screen, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from ...content.text import sentence
from ...presentation.feature import hook, load, screens
from ..servers.switching import SwitchesServers
from ..startup import AppConfig

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ..base.context import ScreenContext, Shown
    from .actions import MeantRequest
    from .workplace import Workplace

_OF_FEATURES: Final = {one.name: (feature, one) for feature, one in screens()}


class ScreenRegistry:
    """Opens the screens, and applies their results to the engine.

    Each is imported at its first use: the first paint does not wait for it.
    """

    def __init__(
        self, screen: Screen[None], opening: AppConfig, meant: Callable[[], MeantRequest | None]
    ) -> None:
        """`meant` returns the request that would be made now."""
        self._screen = screen
        self._opening = opening
        self._meant = meant
        self._workplace: Workplace | None = None
        self._has_opened_alone = False
        """Whether they opened by themselves, for want of tools."""
        self._open: list[Shown] = []
        """Screens that may still be open."""

    def note_workplace(self, workplace: Workplace) -> None:
        """The workplace is there, which some of them begin from and lead back to."""
        self._workplace = workplace

    def host_commands(self) -> list[tuple[str, Callable[[], object]]]:
        """Commands of features for the palette, each with the function that runs it."""
        hosts = hook("hosts in the palette")
        found: list[tuple[str, Callable[[], object]]] = (
            [] if hosts is None else hosts(self._context)
        )
        return found

    def open(self, name: str) -> None:
        """Open the screen of that name."""
        screen, engine = self._screen, self._engine
        if name in _OF_FEATURES:
            feature, entry = _OF_FEATURES[name]
            shown: Shown | None = load(feature, entry.show)(self._context)
            if shown is not None:
                self._open = [*(one for one in self._open if one[0].is_attached), shown]
            return
        match name:
            case "changes":
                from .changes import show_changes

                place = self._workplace
                if place is None:
                    return
                self._open.append(
                    show_changes(screen, engine, lambda: place.hosts.who_asks, place.show_marks)
                )
            case "command":
                self._show_command()
            case "model" if self._workplace is not None:
                from ..answers.model_view_screen import show_model_view

                show_model_view(screen, self._workplace.selected_call)
            case "server":
                from ..text.server_screen import ServerScreen

                screen.app.push_screen(ServerScreen(engine))
            case "servers" if isinstance(screen.app, SwitchesServers):
                screen.app.open_servers()

    def follow(self) -> None:
        """Update open screens after a change of policy, or of what the server offers."""
        for screen, update in self._open:
            if screen.is_attached:
                update()

    def open_offers_alone(self) -> None:
        """Open the resources screen, once, if the server has no tools to begin with."""
        engine, screen = self._engine, self._screen
        is_wanted = engine.is_listed and not engine.tools and engine.offers.has_any
        if is_wanted and not self._has_opened_alone and screen.is_current:
            self._has_opened_alone = True
            self.open("offers")

    def _show_command(self) -> None:
        """The call that is meant, as a command: to the clipboard, and to be read."""
        meant = self._meant()
        start, engine = self._opening.session.start, self._engine
        if meant is None or start is None:
            why = "choose a tool first" if start is not None else "no command line started this"
            self._screen.notify(f"Nothing to copy: {sentence(why)}", markup=False)
            return
        from ...calls.command_line import CurrentPolicy
        from ..text.command_screen import show_command

        rules = CurrentPolicy(engine.server.trust, engine.policy, self._opening.session.policy)
        show_command(self._screen, start, rules, *meant)

    @property
    def _engine(self) -> Engine:
        return self._opening.engine

    @property
    def _context(self) -> ScreenContext:
        from ..base.context import ScreenContext

        chosen = self._workplace.chosen_tool if self._workplace is not None else None
        return ScreenContext(self._screen, self._engine, chosen, self._workplace, self._opening)
