"""Several servers: to each of them and back, one more, and what one does to the others."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Sequence

import pytest

from signoff.app.approval.questions.questions import AboutCall
from signoff.app.calls.call import Outcome
from signoff.app.cli.targets.targets import NotStarted
from signoff.app.hosts.files.starting import ServerStart
from signoff.app.presentation.openings import Opening, Section
from signoff.app.presentation.starts import AskStart
from signoff.app.protocol.extensions.trust_annotations import TrustLabel, TrustLabels
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.sheet_dialog import StartDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.phases import LifePhase
from signoff.app.tui.opening.opening_screen import OpeningScreen
from signoff.app.tui.servers.servers_screen import ServersScreen
from signoff.app.tui.startup import AppConfig, MoreServers
from tests.approved import approved
from tests.tui.bench_stage import SMALL
from tests.tui.clocks import MovedClock
from tests.tui.drawn import drawn
from tests.tui.servers.servers_stage import ServersStage, opening, servers_stage

TWO = {"one": (), "two": ("--with", "all")}


async def main_screen_of(stage: ServersStage, name: str, tool: str = "") -> MainScreen:
    """Go to a server from the screen of all servers."""
    await stage.filter(f"{name} {tool}")
    rows = stage.servers._list
    wanted = ("tool", name, tool) if tool else ("server", name)
    keys = [rows.key(row) for row in rows.rows]
    at = next(
        i for i, key in enumerate(keys) if isinstance(key, tuple) and key[: len(wanted)] == wanted
    )
    row = rows.rows[at]
    rows.move_cursor(next(i for i in range(len(rows._rows)) if rows._rows[i] is row))
    await stage.press("enter")
    screen = await stage.is_open(MainScreen)
    assert screen is stage.member(name).screen
    await stage.until(lambda: screen.phase is LifePhase.READY, "its panes")
    return screen


async def deny(stage: ServersStage, dialog: ApprovalDialog) -> None:
    await stage.until(lambda: dialog.is_armed, "it to listen")
    await stage.press("escape")
    await stage.has_left(dialog)


@pytest.mark.slow
async def test_each_server_has_a_main_screen_that_is_kept_and_calls_of_its_own() -> None:
    async with servers_stage(TWO) as stage:
        await stage.listed("one", "two")
        first = await main_screen_of(stage, "one", "read_thing")
        await stage.sees_tool("read_thing")
        await stage.all_servers()
        second = await main_screen_of(stage, "two")
        assert second is not first
        await stage.all_servers()
        assert await main_screen_of(stage, "one") is first
        # From the list of tools, esc leads back.
        await stage.press("escape")
        await stage.press("escape")
        await stage.is_open(ServersScreen)
        await stage.listed("one", "two")
        one, two = stage.member("one").engine, stage.member("two").engine
        await main_screen_of(stage, "one", "read_thing")
        await stage.sees_tool("read_thing")
        await stage.press("f5")
        await stage.until(lambda: one.calls and one.calls[1].is_over, "the call")
        assert one.calls[1].outcome is Outcome.OK
        assert not two.calls
        await stage.all_servers()
        await stage.filter("read_thing")
        await stage.sees("Calls, the newest first", "1 read_thing")


async def test_a_question_of_one_server_comes_over_the_screen_of_another() -> None:
    async with servers_stage(TWO, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        await main_screen_of(stage, "one")
        two = stage.member("two").engine
        tool = next(one for one in two.tools if one.name == "delete_thing")
        two.call(tool, {})
        dialog = await stage.is_open(ApprovalDialog)
        assert dialog.question.server_name == "two"
        assert isinstance(dialog.question, AboutCall)
        assert dialog.question.also_on == ("one",)
        await stage.sees("two", "delete_thing", "also on one")
        await stage.until(lambda: dialog.is_armed, "it to listen")
        await stage.press("escape")
        await stage.until(lambda: two.calls[1].is_over, "the end")
        assert two.calls[1].outcome is Outcome.DENIED
        assert stage.app.screen is stage.member("one").screen


async def test_questions_of_two_servers_come_one_at_a_time() -> None:
    async with servers_stage(TWO, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        engines = [stage.member(name).engine for name in ("one", "two")]
        group = stage.app.group
        assert group is not None
        for _ in range(3):
            engines[0].call(engines[0].tools[0], {})
        await stage.is_open(ApprovalDialog)
        await stage.until(lambda: group.turns.waiting == 2, "the others of the first")
        engines[1].call(engines[1].tools[0], {})
        await stage.until(lambda: group.turns.waiting == 3, "that of the second")
        asked = []
        for _ in range(4):
            await stage.is_open(ApprovalDialog)
            dialogs = [one for one in stage.app.screen_stack if isinstance(one, ApprovalDialog)]
            assert len(dialogs) == 1
            asked.append(dialogs[0].question.server_name)
            await deny(stage, dialogs[0])
        assert asked == ["one", "two", "one", "one"]


async def test_a_denial_for_the_session_is_of_one_server_alone() -> None:
    async with servers_stage({"one": (), "two": ()}, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        one, two = (stage.member(name).engine for name in ("one", "two"))
        # As the same program under two names would be.
        assert one.server.identity == two.server.identity
        one.memory.deny_for_session(ToolCall(one.tools[0]))
        two.call(two.tools[0], {})
        await stage.is_open(ApprovalDialog)


async def test_a_question_about_a_lost_server_is_void_and_the_others_go_on() -> None:
    async with servers_stage(TWO, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        one, two = (stage.member(name).engine for name in ("one", "two"))
        two.call(two.tools[0], {})
        await stage.is_open(ApprovalDialog)
        two.link.kill()
        await stage.until(lambda: two.server.phase is Phase.LOST, "the end of it")
        await stage.until(lambda: two.calls[1].is_over, "the end of the call")
        assert not two.calls[1].sent
        assert one.server.is_open
        one.call(one.tools[0], {})
        await stage.until(lambda: one.calls and not one.calls[1].sent, "its question")


async def test_a_server_that_fails_or_never_answers_holds_no_other_up_and_names_the_way_back() -> (
    None
):
    servers = {"dead": ("--die-after-init", "3"), "silent": ("--list-never",), "good": ()}
    async with servers_stage(servers) as stage:
        await stage.listed("good")
        await stage.until(
            lambda: stage.member("dead").engine.server.phase in (Phase.FAILED, Phase.LOST), "it"
        )
        await stage.sees("read_thing", "dead", "silent")
        screen = await main_screen_of(stage, "good", "read_thing")
        assert screen.is_current
        await stage.all_servers()
        await stage.filter("dead")
        await stage.press("enter")
        await stage.sees("alt+e: all servers")
        await stage.all_servers()


async def test_the_first_server_of_a_single_session_is_one_of_them_later() -> None:
    async with servers_stage({"one": ()}) as stage:
        await stage.until(lambda: stage.engine.is_listed, "the tools")
        main = stage.app.screen
        assert isinstance(main, MainScreen)
        # No other server can be added: there is nothing to go to.
        assert not main.check_action("open", ("servers",))


async def test_all_servers_end_with_the_program() -> None:
    async with servers_stage(TWO) as stage:
        await stage.listed("one", "two")
        links = stage.app.links
        await stage.press("ctrl+q")
        for _ in range(1000):
            if all(link._life.process is None or link._life.process.exit for link in links):  # type: ignore[attr-defined]
                break
            await asyncio.sleep(0.02)
        else:
            pytest.fail("a server runs on")


async def test_a_private_result_of_one_server_makes_a_tool_of_another_ask() -> None:
    async with servers_stage({"mail": (), "web": ()}) as stage:
        await stage.listed("mail", "web")
        mail, web = (stage.member(name).engine for name in ("mail", "web"))
        tool = next(one for one in web.tools if one.hints.is_open_world)
        before = web.verdict(tool).reasons
        labels = TrustLabels(frozenset({TrustLabel.SENSITIVE}))
        mail.labels.take("mail", mail.tools[0], "digest", labels)
        after = [one for one in web.verdict(tool).reasons if one not in before]
    assert mail.labels is web.labels
    assert any("on mail was marked sensitive" in one for one in after)


KEYS = (
    "enter",
    "enter",
    "ctrl+y",
    "ctrl+y",
    "space",
    "tab",
    "right",
    "right",
    "end",
    "y",
    "a",
    "1",
)
ALL_TOOLS = {"one": ("--with", "all"), "two": ("--with", "all")}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
async def test_a_stream_of_keys_approves_nothing_on_either_server(seed: int) -> None:
    dice = random.Random(seed)
    asked = set()
    async with servers_stage(ALL_TOOLS, trust=Trust.UNTRUSTED) as stage:
        await stage.listed("one", "two")
        # It does not depend on the speed of the machine how quickly the keys come.
        stage.app.dialog_clock = clock = MovedClock()
        engines = {name: stage.member(name).engine for name in ALL_TOOLS}
        for number in range(200):
            if number % 8 == 0:
                for engine in engines.values():
                    engine.call(dice.choice(engine.tools), {})
            screen = stage.app.screen
            if isinstance(screen, ApprovalDialog):
                asked.add(screen.question.server_name)
            await stage.press(dice.choice(KEYS))
            clock.pass_by(dice.choice((0.02, 0.1, 0.25)))
            clock.look(dice.choice((0, 1, 3)))
        calls = [call for engine in engines.values() for call in engine.calls.values()]
        assert len(calls) == 50
        assert not [call for call in calls if call.sent]
        assert asked


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


@pytest.mark.slow
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
