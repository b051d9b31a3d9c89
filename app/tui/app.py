"""The terminal application: opens the engine on one server and closes it in order."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import os
import signal
import threading
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from textual import constants, events, on
from textual.actions import parse
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits
from textual.dom import DOMNode
from textual.driver import Driver
from textual.geometry import Offset
from textual.notifications import Notify
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider

from ...widgets.bindings import bindings_of
from ..platforms.signals import ENDING
from ..presentation.feature import hook
from ..storage.fault_log import print_fault, watch
from .appearance import KEEP, THEME_NAMES, HasLook
from .approving.guarded_dialog import APPROVES, GuardedDialog
from .base.failures import LeavesTrace
from .base.window import NeedsRoom, Suspends, TooSmallScreen
from .main.main_screen import MainScreen
from .main.start_view import TakesTypedAhead
from .servers.switching import SwitchesServers
from .startup import AppConfig, MoreServers, ServerNotOpened
from .terminal.driver import TerminalDriver

if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..transport import Link


FIRST = ("main.call", "main.tour", "main.matrix", "main.trust", "main.policy")
"""Ids of the bindings that come first."""


MOVES = frozenset(
    (
        *("fold", "next_pane", "turn_page", "back", "close", "dismiss", "leave"),
        *("scroll_detail", "scroll_sheet", "scroll", "scroll_home", "scroll_end", "scroll_up"),
        *("scroll_down", "scroll_left", "scroll_right", "half_page", "first", "last", "step"),
        *("first_part", "to_row", "to_column", "move", "guess", "toggle_node"),
    )
)
"""Actions that only move about, fold or lead back: they are left out of the palette."""


def palette_place(verb: tuple[Binding, DOMNode]) -> int:
    """Return the place of a verb: the most wanted come first, the others keep their order."""
    identity = verb[0].id
    return FIRST.index(identity) if identity in FIRST else len(FIRST)


IN_DESCRIPTION = 0.001
"""The score of a command whose description alone has the searched words: after all others."""


class CommandsInOrder(SystemCommandsProvider):
    """The app's commands in the order in which it gives them; Textual's own provider sorts them,
    and searches titles only.
    """

    async def discover(self) -> Hits:
        for title, about, callback, is_discovered in self.app.get_system_commands(self.screen):
            if is_discovered:
                yield DiscoveryHit(title, callback, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        words = query.lower().split()
        for title, about, callback, _ in self.app.get_system_commands(self.screen):
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, matcher.highlight(title), callback, help=about)
            elif words and all(word in (about or "").lower() for word in words):
                yield Hit(IN_DESCRIPTION, title, callback, help=about)


ASKING = (GuardedDialog, TooSmallScreen, CommandPalette)
"""Screens over which no palette is opened."""
CLOSING_SECONDS = 10.0
"""After a signal or a quit that hangs, everything is ended by force."""


@runtime_checkable
class CanClose(Protocol):
    """A screen that shows that the servers are being ended."""

    def show_closing(self) -> None:
        """Show it."""


class SignoffApp(HasLook, LeavesTrace, Suspends, NeedsRoom, TakesTypedAhead, SwitchesServers):
    """A main screen for each server, one for all of them, and the dialogs over these."""

    TITLE = "Signoff"
    CSS_PATH = "main.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {CommandsInOrder}  # noqa: RUF012 - Textual reads the class attribute

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("app")

    def __init__(
        self,
        opening: AppConfig,
        others: Sequence[AppConfig] = (),
        missing: Sequence[ServerNotOpened] = (),
        more: MoreServers | None = None,
    ) -> None:
        """`others` are further servers, `missing` those that were not started; with any of them
        the first screen is that of all servers. `more` is how one more server is added."""
        super().__init__(opening.settings, opening.theme)
        self.always = frozenset(
            key
            for one in Binding.make_bindings(self.BINDINGS)
            if one.priority
            for key in self.keys_of(one.id or "", one.key)
        )
        self.leaving_keys = frozenset(
            key
            for one in Binding.make_bindings(self.BINDINGS)
            if one.id in ("app.quit", "app.suspend")
            for key in self.keys_of(one.id or "", one.key)
        )
        self._opening = opening
        self.openings = [opening, *others]
        self.missing = missing
        self.more = more
        self.begins_with_all = bool(others or missing)
        self.last_click: Offset | None = None
        """Where the mouse was last pressed: no Approve button may appear there."""
        self.last_chord_at = -math.inf
        """When the key that approves was last pressed, by the clock of the dialogs."""
        self.last_input = time.monotonic()
        """Time of the last sign of a key, the mouse or the clipboard."""
        self._closing_task: asyncio.Task[None] | None = None
        self.is_leaving = False
        """Whether a signal has ended it: from now on nothing waits for the terminal."""

    @property
    def engine(self) -> Engine:
        """The engine of the first server, made at the first use."""
        return self._opening.engine

    def get_default_screen(self) -> Screen[Any]:
        return self.all_servers_screen() if self.begins_with_all else MainScreen(self._opening)

    def main_screen_of(self, opening: AppConfig) -> Screen[None]:
        return MainScreen(opening, is_one_of_several=True)

    def get_driver_class(self) -> type[Driver]:
        # Textual's variable names another driver without a terminal, as in a browser.
        return super().get_driver_class() if constants.DRIVER else TerminalDriver

    def on_mount(self) -> None:
        self.tell_faults()
        loop = asyncio.get_running_loop()

        def hear(number: int, _: object) -> None:
            # Not on the loop, which may be waiting for a terminal that takes nothing.
            if not self.is_leaving:
                self.is_leaving = True
                end_by_force_later(self.links, 128 + number)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._on_signal, number)

        if not self.is_headless:
            for number in ENDING:
                signal.signal(number, hear)

    @property
    def links(self) -> list[Link]:
        """The current link to each server."""
        return [one.current_link for one in self.openings]

    @on(MainScreen.Completed)
    def _completed(self) -> None:
        self.completed()

    def completed(self) -> None:
        # A screen that is only half made cannot be ended in order.
        early = self._opening.early_signal()
        if early is not None:
            signal.raise_signal(early)
        self.tell_mistakes()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent | events.Paste):
            self.last_input = time.monotonic()
        if isinstance(event, events.MouseDown):
            self.last_click = Offset(int(event.screen_x), int(event.screen_y))
        elif isinstance(event, events.Key):
            if event.key == APPROVES:
                self.last_chord_at = self.dialog_clock.now()
            self._tell_screen(event)
        await super().on_event(event)

    def on_notify(self, event: Notify) -> None:
        """Extend a notification that is already shown instead of showing it twice."""
        new = event.notification
        for one in list(self._notifications):
            if (one.title, one.message, one.severity) == (new.title, new.message, new.severity):
                self._unnotify(one, refresh=False)

    def _tell_screen(self, event: events.Key) -> None:
        """Pass keys pressed on the main screen to it, except forwarded ones."""
        if isinstance(self.screen, MainScreen) and not event.is_forwarded:
            self.screen.hear_key(event.key, event.character)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every verb, with its key; also those whose key is a letter while text is typed."""
        for binding, node in sorted(_verbs(screen), key=palette_place):
            yield SystemCommand(
                f"{binding.description} ({self.get_key_display(binding)})",
                binding.tooltip,
                lambda action=binding.action, node=node: self.run_worker(
                    self.run_action(action, node)
                ),
            )
        if isinstance(screen, MainScreen):
            for title, show in screen.host_commands():
                about = "Show the matrix under this host"
                yield SystemCommand(f"{title}: what it would decide", about, show, discover=False)
        for command in super().get_system_commands(screen):
            if command.title == "Theme":
                about = "Try all themes, and take one"
                yield SystemCommand("Theme: choose from all", about, command.callback)
        for name, theme in THEME_NAMES.items():
            choose = functools.partial(setattr, self, "theme", theme)
            yield SystemCommand(f"Theme: {name}", f"Signoff's own {name} colours", choose)
        about = "Write theme, grouping and hosts, as they are now, into the file of settings"
        yield SystemCommand(KEEP, about, self.action_keep_look)
        if not isinstance(screen, MainScreen):
            about = "Show and change the settings: theme, columns of hosts, policy, limits of time"
            yield SystemCommand("Settings", about, self.open_settings)
        about = "Save a picture (SVG) of the screen in a file"
        yield SystemCommand("Screenshot", about, self.action_save_screenshot)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # A dialog that asks may be covered only by its own details.
        if action == "command_palette" and isinstance(self.screen, ASKING):
            return False
        if action == "toggle_help":
            return self._can_help
        return super().check_action(action, parameters)

    @property
    def _can_help(self) -> bool:
        screen = self.screen
        if isinstance(screen, GuardedDialog):
            return screen.is_armed and not screen.is_answered
        return not isinstance(screen, CommandPalette | TooSmallScreen)

    def action_toggle_help(self) -> None:
        """Show or hide help on the focused widget, with its keys."""
        from .text.keys_screen import KeysScreen

        screen = self.screen
        if isinstance(screen, KeysScreen):
            screen.dismiss()
            return
        if isinstance(screen, GuardedDialog):
            screen.interrupt()
        self.push_screen(KeysScreen(screen))

    def open_settings(self) -> None:
        """Show the settings of the first server."""
        hook("settings")(self, self._opening)

    def action_save_screenshot(self) -> None:
        """Ask where a picture of the screen is to be saved."""
        from .base.screenshots import ask_and_save

        # After the palette, which calls it, is gone from the screen.
        self.set_timer(0.1, lambda: ask_and_save(self))

    async def action_quit(self) -> None:
        """Close dialogs, cancel calls, end the server; a second time by force."""
        if self._closing_task is not None:
            for link in self.links:
                link.kill()
            self.exit()
            return
        if isinstance(self._driver, TerminalDriver):
            self._driver.disable_mouse()
        self._closing_task = asyncio.create_task(self._close())
        # What was open goes: a dialog, whose question is closed by now, would hide what happens.
        while len(self.screen_stack) > 1:
            self.pop_screen()
        if isinstance(self.screen, CanClose):
            self.screen.show_closing()

    def resumed_after(self, seconds: float) -> None:
        """Extend the time limits of calls by the time away."""
        for one in self.openings:
            one.engine.resumed_after(seconds)

    async def on_unmount(self) -> None:
        if self._closing_task is None:
            self._closing_task = asyncio.create_task(self._end_servers())
        await self._closing_task

    async def _close(self) -> None:
        try:
            await self._end_servers()
        finally:
            self.exit()

    async def _end_servers(self) -> None:
        """End all servers, at the same time; a fault in the end of one is raised after all."""
        if len(self.openings) == 1:
            await self.engine.close()
            return
        closing = (one.engine.close() for one in self.openings)
        ended = await asyncio.gather(*closing, return_exceptions=True)
        for one in ended:
            if isinstance(one, BaseException):
                raise one

    def _on_signal(self, number: int) -> None:
        self.exit(return_code=128 + number)


def _verbs(screen: Screen[Any]) -> Iterable[tuple[Binding, DOMNode]]:
    """List current key bindings, each once; those that only move about are left out."""
    active = screen.active_bindings.values()
    bindings = [(one.binding, one.node) for one in active]
    for own in Binding.make_bindings(screen.BINDINGS):
        _, name, parameters = parse(own.action)
        if screen.check_action(name, parameters):
            bindings.append((own, screen))
    seen = {"palette"}
    for binding, node in bindings:
        is_move = binding.id.startswith("list.") if binding.id else True
        known = not is_move and parse(binding.action)[1] not in MOVES
        if known and binding.description and binding.description not in seen:
            seen.add(binding.description)
            yield binding, node


def end_by_force_later(links: Sequence[Link], status: int) -> None:
    """End the servers and this process after a while, should the orderly way not get there."""

    def end() -> None:
        time.sleep(CLOSING_SECONDS)
        for link in links:
            link.kill()
        os._exit(status)

    threading.Thread(target=end, name="closing", daemon=True).start()


def run(
    opening: AppConfig,
    others: Sequence[AppConfig] = (),
    missing: Sequence[ServerNotOpened] = (),
    more: MoreServers | None = None,
) -> int:
    """Open the screen on links that have begun, one for each server; returns the exit status."""
    app = SignoffApp(opening, others, missing, more)
    app.run()
    watch()
    if app.fault:
        print_fault(app.fault)
    return app.return_code or 0
