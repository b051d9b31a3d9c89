"""The way between the servers of a session, and to one more of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.app import App
from textual.screen import Screen

from ...content.text import sentence
from ...platforms.collector import resume_collection
from ...platforms.daemon import in_daemon

if TYPE_CHECKING:
    from ...hosts.files.starting import ServerStart
    from ...presentation.openings import Opening
    from ...storage.starts import StartConsent
    from ..startup import AppConfig, MoreServers, ServerNotOpened
    from .group import Member, ServerGroup
    from .servers_screen import ServersScreen


@runtime_checkable
class HasTools(Protocol):
    """A screen with the tools of a server."""

    def go_to_tool(self, name: str) -> None:
        """Go to a tool by its exact name."""


class SwitchesServers(App[None]):
    """An app with one or several servers, each with a main screen of its own.

    The main screens are kept: typed text stays, and calls go on while another one is shown.
    Questions come from all of them, one at a time.
    """

    openings: list[AppConfig]
    """The servers, in the order in which they were added."""
    more: MoreServers | None = None
    """How one more server is chosen and started; None if none can be."""
    missing: Sequence[ServerNotOpened] = ()
    """Servers that were to be opened and were not."""
    begins_with_all = False
    """Whether the screen of all servers lies below all others."""
    group: ServerGroup | None = None
    """All servers, once there is a screen for them."""
    _servers: ServersScreen | None = None
    _adding: asyncio.Task[None] | None = None

    def all_servers_screen(self) -> ServersScreen:
        """Make the screen of all servers, which begins them once it is mounted."""
        from .group import ServerGroup
        from .servers_screen import ServersScreen

        self.group = ServerGroup(missing=list(self.missing))
        self._servers = ServersScreen(
            self.group,
            self.open_server,
            self.add_server if self.more is not None else None,
            None if self.begins_with_all else self._back_to_first,
        )
        return self._servers

    def main_screen_of(self, opening: AppConfig) -> Screen[None]:
        """Make the main screen of one of several servers."""
        raise NotImplementedError

    def on_servers_screen_mounted(self, message: ServersScreen.Mounted) -> None:
        """Begin the servers once their screen is there."""
        message.stop()
        if self.begins_with_all:
            self.begin_servers()
            resume_collection()
            self.completed()

    def completed(self) -> None:
        """Everything is mounted, and every key works."""

    def begin_servers(self) -> None:
        """Listen to the servers that are not listened to yet, and list all of them."""
        group, screen = self.group, self._servers
        assert group is not None
        assert screen is not None
        for one in self.openings[len(group) :]:
            group.begin(screen, one)

    def open_servers(self) -> None:
        """Go to the screen of all servers, from any main screen."""
        if self.begins_with_all:
            self._back_to_first()
            return
        if self._servers is None:
            self.install_screen(self.all_servers_screen(), "servers")
        if self.screen is not self._servers:
            self._back_to_first()
            self.push_screen("servers")
        self.call_after_refresh(self._take_first)

    def _take_first(self) -> None:
        """Take in the server that was there before there was a screen for all of them."""
        group = self.group
        if group is not None and not group.members:
            self.begin_servers()
            group.members[0].screen = self.screen_stack[0]

    def open_server(self, member: Member, tool: str = "") -> None:
        """Go to the main screen of a server, and there to a tool by its exact name."""
        self._back_to_first()
        screen = member.screen
        if screen is None:
            screen = member.screen = self.main_screen_of(member.opening)
            self.install_screen(screen, f"server {self.openings.index(member.opening)}")
        if screen is not self.screen:
            if not self.begins_with_all and self.screen is not self._servers:
                self.open_servers()
            self.push_screen(screen)
        if tool and isinstance(screen, HasTools):
            screen.go_to_tool(tool)

    def _back_to_first(self) -> None:
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def add_server(self) -> None:
        """Choose one more server on the start screen."""
        from ..opening.opening_screen import OpeningScreen

        more = self.more
        if more is None:
            return

        def chosen(row: Opening | None) -> None:
            if row is not None and (self._adding is None or self._adding.done()):
                self._adding = asyncio.create_task(self._add(row))

        self.push_screen(OpeningScreen(more.sections, more.forget), chosen)

    async def _add(self, row: Opening) -> None:
        """Prepare the server in a thread; its consent is asked for in a dialog."""
        loop, context = asyncio.get_running_loop(), copy_context()
        more = self.more
        assert more is not None

        def ask(start: ServerStart, before: StartConsent | None) -> bool:
            """Wait in the thread for the answer that is given on the loop, as part of the app."""
            answer: Future[bool] = Future()

            def begin() -> None:
                asking = asyncio.create_task(self._ask(start, before))
                asking.add_done_callback(
                    lambda done: answer.set_result(not done.cancelled() and done.result())
                )

            loop.call_soon_threadsafe(begin, context=context)
            return answer.result()

        try:
            opening = await in_daemon(lambda: more.prepare(row, tuple(self.openings), ask))
        except more.problems as problem:
            words = f"Not opened: {sentence(str(problem))}"
            self.notify(words, severity="error", timeout=10, markup=False)
            return
        self.openings.append(opening)
        self.begin_servers()
        if self._servers is not None and self.group is not None:
            self._servers.show_server(self.group.members[-1])

    async def _ask(self, start: ServerStart, before: StartConsent | None) -> bool:
        """Ask whether a server may start, in the queue of all questions."""
        from ..approving.sheet_dialog import StartDialog

        assert self.group is not None
        turn = _StartTurn()
        await self.group.turns.take(turn)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def take(is_started: bool | None) -> None:
            if not answer.done():
                answer.set_result(bool(is_started))

        try:
            dialog = StartDialog(start, before, last_click=getattr(self, "last_click", None))
            self.push_screen(dialog, take)
            return await answer
        finally:
            self.group.turns.give()


class _StartTurn:
    """The question whether a server may start, in the queue of all questions."""

    own_waiting = 0

    def show_waiting(self, number: int) -> None:
        """Show nothing: its dialog counts no others."""


def can_switch(screen: Screen[Any]) -> bool:
    """True if the app of a screen has a way to other servers."""
    app = screen.app
    return isinstance(app, SwitchesServers) and (app.more is not None or len(app.openings) > 1)


def go_to_all(screen: Screen[Any]) -> None:
    """Go back to the screen of all servers, if the session has several."""
    app = screen.app
    if has_others(screen) and isinstance(app, SwitchesServers):
        app.open_servers()


def has_others(screen: Screen[Any]) -> bool:
    """True if the session of a screen has several servers."""
    app = screen.app
    if not isinstance(app, SwitchesServers):
        return False
    return app.begins_with_all or len(app.openings) > 1
