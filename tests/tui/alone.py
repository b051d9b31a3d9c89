"""Screens before there is a server, of several servers, and beside one: how each is come to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

from textual.screen import Screen

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.features.agent.dialog import AgentDialog
from signoff.app.features.agent.screen import AgentScreen
from signoff.app.features.matrix.servers_screen import ServersMatrixScreen
from signoff.app.features.proxy.edit_screen import EditArguments
from signoff.app.features.proxy.watch_screen import HeldDialog, WatchScreen
from signoff.app.features.skills.dialog import SkillDialog
from signoff.app.features.skills.screen import SkillsScreen
from signoff.app.hosts.files.starting import ServerStart
from signoff.app.presentation.openings import BUILT_IN, Opening, Section
from signoff.app.storage.settings.values import Settings
from signoff.app.transport.sign_in.asking import SignInVisit
from signoff.app.tui.approving.sheet_dialog import StartDialog
from signoff.app.tui.approving.starts_dialog import StartsDialog
from signoff.app.tui.approving.visit_screen import VisitScreen
from signoff.app.tui.opening.opening_screen import OpeningScreen
from signoff.app.tui.serverless_app import ServerlessApp
from signoff.app.tui.servers.servers_list import TogetherScreen
from signoff.app.tui.servers.servers_screen import ServersScreen
from tests.features.agent.test_agent_screen import DELETE, launch
from tests.features.skills.skills_stage import dialog, on_skills
from tests.tui.bench_stage import WIDE
from tests.tui.clocks import AheadClock
from tests.tui.screen_stage import ScreenStage
from tests.tui.servers.servers_stage import servers_stage
from tests.tui.stage import ask

Way: TypeAlias = Callable[[], AbstractAsyncContextManager[ScreenStage]]

OPENINGS = (
    Section("Recent", (Opening("0", "git", "uvx mcp-server-git", "2 h ago", words=("--", "uvx")),)),
    Section("Cursor  ~/.cursor/mcp.json", (Opening("1", "lost", "", "", problem="no command"),)),
    BUILT_IN,
)


def start(name: str) -> ServerStart:
    """A server of a file of Cursor."""
    argv = ("node", f"/srv/{name}.js", "--folder", "/srv/a folder with a long name/and another")
    return ServerStart(name, "cursor", "Cursor", "user", "/srv/mcp.json", 1, "stdio", argv, "/srv")


def visit() -> VisitScreen:
    """The page of a sign-in."""
    return VisitScreen(SignInVisit(f"https://sign-in.example/?state={'s' * 120}", 1e12, str))


def watch() -> WatchScreen:
    """The screen of proxies; it finds none."""
    return WatchScreen(answers=False)


def together() -> TogetherScreen:
    """What servers could do together, with more lines than fit."""
    lines = [SheetLine(((f"line {at} " + "of many words " * 20, ""),)) for at in range(60)]
    return TogetherScreen(lambda: lines)


def over_nothing(make: Callable[[], Screen[Any]]) -> Way:
    """A screen of a program without a server."""

    @asynccontextmanager
    async def way() -> AsyncIterator[ScreenStage]:
        app = ServerlessApp(make(), Settings(), "dark")
        app.animation_level = "none"
        app.dialog_clock = AheadClock()
        async with app.run_test(size=WIDE, notifications=True) as pilot:
            yield ScreenStage(app, pilot)

    return way


def over_servers(*keys: str) -> Way:
    """A screen of two servers, after these keys."""

    @asynccontextmanager
    async def way() -> AsyncIterator[ScreenStage]:
        async with servers_stage({"one": (), "two": ()}, size=WIDE) as stage:
            await stage.listed("one", "two")
            if not isinstance(stage.app.screen, ServersScreen):
                await stage.all_servers()
            await stage.press(*keys)
            yield ScreenStage(stage.app, stage.pilot)

    return way


ALONE: dict[type[Screen[Any]], Way] = {
    OpeningScreen: over_nothing(lambda: OpeningScreen(lambda: OPENINGS)),
    StartDialog: over_nothing(lambda: StartDialog(start("one"), None)),
    StartsDialog: over_nothing(
        lambda: StartsDialog([(start(f"server {at}"), None) for at in range(12)])
    ),
    VisitScreen: over_nothing(visit),
    AgentScreen: over_nothing(lambda: AgentScreen(launch())),
    AgentDialog: over_nothing(lambda: AgentScreen(launch(), DELETE)),
    WatchScreen: over_nothing(watch),
    HeldDialog: over_nothing(lambda: HeldDialog(ask(), clock=AheadClock())),
    EditArguments: over_nothing(lambda: EditArguments(ask())),
    ServersScreen: over_servers(),
    ServersMatrixScreen: over_servers("f2"),
    TogetherScreen: over_nothing(together),
    SkillsScreen: on_skills,
    SkillDialog: over_nothing(dialog),
}
