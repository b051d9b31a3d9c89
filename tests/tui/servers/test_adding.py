"""One more server while others run: chosen on the start screen, and started after consent."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from signoff.app.cli.targets.targets import NotStarted
from signoff.app.hosts.files.starting import ServerStart
from signoff.app.presentation.openings import Opening, Section
from signoff.app.presentation.starts import AskStart
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.sheet_dialog import StartDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.opening.opening_screen import OpeningScreen
from signoff.app.tui.servers.servers_screen import ServersScreen
from signoff.app.tui.startup import AppConfig, MoreServers
from tests.approved import approved
from tests.tui.bench_stage import SMALL
from tests.tui.drawn import drawn
from tests.tui.servers.servers_stage import ServersStage, opening, servers_stage

PROSE = approved("tui-servers")


def start(name: str, *argv: str) -> ServerStart:
    return ServerStart(
        name=name,
        host="cursor",
        title="Cursor",
        scope="user",
        file="/home/one/.cursor/mcp.json",
        line=3,
        transport="stdio",
        argv=argv or ("/usr/bin/some-server", "--all"),
        folder="/home/one",
        env=(("TOKEN", "s3cret"),),
    )


class Choice:
    """A way to one more server, with what was asked and done."""

    def __init__(self, *argv: str) -> None:
        self.start = start("more", *argv)
        self.prepared: list[str] = []
        self.threads: list[threading.Thread] = []

    def prepare(self, row: Opening, others: Sequence[AppConfig], ask: AskStart) -> AppConfig:
        self.threads.append(threading.current_thread())
        if not ask(self.start, None):
            raise NotStarted("more was not started")
        self.prepared.append(row.name)
        return opening("more", "--with", "all")

    def more(self) -> MoreServers:
        row = Opening("key", "more", "/usr/bin/some-server", words=("--server=more",))
        return MoreServers(
            lambda: [Section("Here", (row,))], lambda row: None, self.prepare, (NotStarted,)
        )


async def asked(stage: ServersStage) -> StartDialog:
    """Choose the server on the start screen, and wait for the question."""
    await stage.press("ctrl+n")
    await stage.is_open(OpeningScreen)
    await stage.sees("Here")
    # No key opens a row right after the rows changed.
    for _ in range(40):
        await stage.pilot.pause(0.1)
        await stage.press("enter")
        if not isinstance(stage.app.screen, OpeningScreen):
            break
    return await stage.is_open(StartDialog)


async def test_a_server_is_added_after_consent_to_exactly_its_start() -> None:
    choice = Choice()
    async with servers_stage({"one": ()}, more=choice.more()) as stage:
        await stage.until(lambda: stage.engine.is_listed, "the tools")
        main = stage.app.screen
        await stage.press("S")
        await stage.is_open(ServersScreen)
        dialog = await asked(stage)
        PROSE.holds(
            "start dialog",
            f"{dialog.title_words()}\n{drawn(dialog.sheet)}",
            DIGEST=choice.start.digest,
        )
        assert not choice.prepared
        await stage.until(lambda: dialog.is_armed, "it to listen")
        await stage.press("tab")
        await stage.pilot.pause(0.5)
        await stage.press("enter")
        await stage.until(lambda: choice.prepared, "the consent")
        assert choice.threads != [threading.main_thread()]
        await stage.listed("one", "more")
        await stage.sees("more")
        # The first server is where it was.
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is main, "the first server")
        assert isinstance(main, MainScreen)


async def test_without_consent_nothing_is_added_and_the_reason_is_shown() -> None:
    choice = Choice()
    async with servers_stage({"one": (), "two": ()}, more=choice.more()) as stage:
        await stage.listed("one", "two")
        dialog = await asked(stage)
        await stage.until(lambda: dialog.is_armed, "it to listen")
        await stage.press("escape")
        await stage.is_told("more was not started")
        assert not choice.prepared
        assert len(stage.app.openings) == 2


async def test_a_long_command_has_to_be_read_to_its_end() -> None:
    words = [f"--option-{number}" for number in range(200)]
    choice = Choice("/usr/bin/some-server", *words)
    async with servers_stage({"one": (), "two": ()}, size=SMALL, more=choice.more()) as stage:
        await stage.listed("one", "two")
        dialog = await asked(stage)
        await stage.until(lambda: dialog.is_armed, "it to listen")
        assert not dialog.can_do
        await stage.press("end")
        await stage.until(lambda: dialog.sheet.end_seen, "the end")
        await stage.until(lambda: dialog.can_do, "the button")


async def test_the_question_about_a_start_waits_for_its_turn() -> None:
    choice = Choice()
    async with servers_stage({"one": (), "two": ()}, more=choice.more()) as stage:
        await stage.listed("one", "two")
        one = stage.member("one").engine
        tool = next(tool for tool in one.tools if tool.name == "delete_thing")
        dialog = await asked(stage)
        one.call(tool, {})
        one.call(tool, {})
        await stage.until(lambda: len(one.calls) == 2, "the calls")
        assert stage.app.screen is dialog
        await stage.until(lambda: dialog.is_armed, "it to listen")
        await stage.press("escape")
        await stage.is_open(ApprovalDialog)
