"""Screens that keys open over the main screen, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from ...content.text import sentence
from ..servers.switching import SwitchesServers, can_switch
from ..startup import AppConfig

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...features.resources.screen import OffersScreen
    from .actions import Actions
    from .desk import Desk
    from .workplace import Workplace

BEFORE_TOOLS = ("server", "record", "servers")
"""What can be opened while the tools are still waited for."""


class ScreenRegistry:
    """Opens the screens, and applies their results to the engine.

    Each is imported at its first use: the first paint does not wait for it.
    """

    def __init__(self, screen: Screen[None], opening: AppConfig) -> None:
        self._screen = screen
        self._opening = opening
        self._workplace: Workplace | None = None
        self._verbs: Actions | None = None
        self._offers: OffersScreen | None = None
        self._has_opened_alone = False
        """Whether they opened by themselves, for want of tools."""
        self._desks: list[Desk] = []
        """Whose screens may still be open."""

    def note_workplace(self, workplace: Workplace, verbs: Actions) -> None:
        """The workplace is there, which some of them begin from and lead back to."""
        self._workplace = workplace
        self._verbs = verbs

    def can_open(self, name: str) -> bool:
        """True if the server has the content of a screen."""
        engine = self._engine
        if name == "servers":
            return can_switch(self._screen)
        if name == "offers":
            return engine.offers.has_any
        if name == "tasks":
            has_own = any(call.task is not None for call in engine.calls.values())
            return engine.server.lists_tasks or has_own
        return True

    def host_commands(self) -> list[tuple[str, Callable[[], None]]]:
        """The modelled hosts by title, each with a function that opens the matrix under it."""
        from ...engine.policy_state import read_rulebook

        def show(name: str) -> Callable[[], None]:
            return lambda: self._desk.show_matrix(name)

        return [(host.title or host.name, show(host.name)) for host in read_rulebook().hosts]

    def open(self, name: str) -> None:
        """Open the screen of that name."""
        screen, engine = self._screen, self._engine
        match name:
            case "policy":
                self._desk.choose_policy()
            case "matrix":
                self._desk.show_matrix()
            case "grants":
                self._desk.show_grants()
            case "log":
                self._desk.show_log()
            case "changes":
                self._desk.show_changes()
            case "archetypes" if self._workplace is not None:
                self._desk.show_archetypes(self._workplace.go_to_tool)
            case "wire" if self._verbs is not None:
                self._verbs.show_wire()
            case "command":
                self._show_command()
            case "clients" if self._workplace is not None:
                from ...features.compat.screen import show_clients

                work = show_clients(screen, engine, self._workplace.selected_call)
                self._workplace.run_worker(
                    work, group="clients", exclusive=True, exit_on_error=False
                )
            case "model" if self._workplace is not None:
                from ..answers.model_view_screen import show_model_view

                show_model_view(screen, self._workplace.selected_call)
            case "server":
                from ..text.server_screen import ServerScreen

                screen.app.push_screen(ServerScreen(engine))
            case "servers" if isinstance(screen.app, SwitchesServers):
                screen.app.open_servers()
            case "roots":
                from ...features.resources.roots_screen import edit_roots

                edit_roots(screen, engine)
            case "report":
                from ...features.report.save import ask_and_save_report

                ask_and_save_report(screen, engine)
            case "record":
                from ...features.report.save import ask_and_save

                ask_and_save(screen.app, *self._opening.recorded())
            case "offers":
                from ...features.resources.screen import show_offers

                self._offers = show_offers(screen, engine)
            case "tasks":
                from ...features.resources.tasks_screen import TasksScreen

                screen.app.push_screen(TasksScreen(engine))

    def follow(self) -> None:
        """Update open screens after a change of policy."""
        for desk in self._desks:
            desk.follow()

    def open_offers_alone(self) -> None:
        """Open the resources screen, once, if the server has no tools to begin with."""
        engine, screen = self._engine, self._screen
        is_wanted = engine.is_listed and not engine.tools and engine.offers.has_any
        if is_wanted and not self._has_opened_alone and screen.is_current:
            self._has_opened_alone = True
            self.open("offers")

    def show_other_offers(self) -> None:
        """Update the open resources screen after a change of offers."""
        # Once it is mounted: before, it shows them as they are by then anyway.
        offers = self._offers
        if offers is not None and offers.is_attached and offers.is_mounted:
            offers.show_changes()

    def _show_command(self) -> None:
        """The call that is meant, as a command: to the clipboard, and to be read."""
        meant = self._verbs.meant if self._verbs is not None else None
        start, engine = self._opening.session.start, self._engine
        if meant is None or start is None:
            why = "choose a tool first" if start is not None else "no command line started this"
            self._screen.notify(f"Nothing to copy: {sentence(why)}", markup=False)
            return
        from ...calls.command_line import Rules
        from ..text.command_screen import show_command

        rules = Rules(engine.server.trust, engine.policy, self._opening.session.policy)
        show_command(self._screen, start, rules, *meant)

    @property
    def _engine(self) -> Engine:
        return self._opening.engine

    @property
    def _desk(self) -> Desk:
        """The screens about approval."""
        from .desk import Desk

        chosen = self._workplace.chosen_tool if self._workplace is not None else None
        desk = Desk(self._screen, self._engine, chosen)
        self._desks = [*(one for one in self._desks if one.is_open), desk]
        return desk
