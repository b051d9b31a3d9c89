"""Several scripted servers in memory behind the whole program."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from textual.widgets import Input

from signoff.app.engine.session_config import SessionConfig, Target
from signoff.app.protocol.server import Trust
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.servers.group import Member
from signoff.app.tui.servers.servers_screen import ServersScreen
from signoff.app.tui.startup import AppConfig, MoreServers, ServerNotOpened
from tests.memory_link import MemoryLink
from tests.tui.bench_stage import NARROW, BenchStage


def opening(name: str, *switches: str, trust: Trust = Trust.TRUSTED, **more: Any) -> AppConfig:
    """A session with a scripted server of this name that has begun."""
    link = MemoryLink(switches)
    link.command = f"run {name}"
    link.begin()
    session = SessionConfig(
        Target(name, argv=("run", name)), trust, keeps_audit=False, keeps_memory=False, **more
    )
    return AppConfig(link, session)


class ServersStage(BenchStage):
    """What a person sees of several servers."""

    @property
    def servers(self) -> ServersScreen:
        screen = self.app.screen
        assert isinstance(screen, ServersScreen), screen
        return screen

    def member(self, name: str) -> Member:
        group = self.app.group
        assert group is not None
        found = group.named(name)
        assert found is not None
        return found

    async def listed(self, *names: str) -> None:
        """Wait until these servers have listed their tools."""
        group = self.app.group
        assert group is not None
        for name in names:
            await self.until(lambda name=name: group.named(name), name)  # type: ignore[misc]
            engine = self.member(name).engine
            await self.until(lambda engine=engine: engine.is_listed, name)  # type: ignore[misc]

    async def filter(self, words: str) -> None:
        """Put words into the filter."""
        self.servers.query_one(Input).value = words
        await self.pilot.pause()

    async def all_servers(self) -> None:
        """Go to the screen of all servers by its key, also from a field."""
        await self.press("alt+e")
        await self.until(lambda: isinstance(self.app.screen, ServersScreen), "all servers")


@asynccontextmanager
async def servers_stage(
    servers: Mapping[str, Sequence[str]],
    *,
    size: tuple[int, int] = NARROW,
    missing: Sequence[ServerNotOpened] = (),
    more: MoreServers | None = None,
    trust: Trust = Trust.TRUSTED,
) -> AsyncIterator[ServersStage]:
    """The program on servers by name, each with the switches of the scripted server."""
    openings = [opening(name, *switches, trust=trust) for name, switches in servers.items()]
    app = SignoffApp(openings[0], openings[1:], missing, more)
    app.animation_level = "none"
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            stage = ServersStage(app, pilot, openings[0].engine)
            if app.begins_with_all:
                await stage.until(lambda: app.group and len(app.group) == len(openings), "them")
            yield stage
    finally:
        for one in openings:
            one.current_link.kill()
