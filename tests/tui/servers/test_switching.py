"""Several servers: to each of them and back, and what one does to the others."""

from __future__ import annotations

import asyncio

import pytest

from signoff.app.approval.questions.questions import AboutCall
from signoff.app.calls.call import Outcome
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.phases import LifePhase
from signoff.app.tui.servers.servers_screen import ServersScreen
from tests.tui.servers.servers_stage import ServersStage, servers_stage

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
async def test_each_server_has_a_main_screen_that_is_kept() -> None:
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


@pytest.mark.slow
async def test_a_call_on_one_server_leaves_the_others_as_they_are() -> None:
    async with servers_stage(TWO) as stage:
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


@pytest.mark.slow
async def test_a_server_that_fails_or_never_answers_holds_no_other_up() -> None:
    servers = {"dead": ("--die-after-init", "3"), "silent": ("--list-never",), "good": ()}
    async with servers_stage(servers) as stage:
        await stage.listed("good")
        await stage.until(
            lambda: stage.member("dead").engine.server.phase in (Phase.FAILED, Phase.LOST), "it"
        )
        await stage.sees("read_thing", "dead", "silent")
        screen = await main_screen_of(stage, "good", "read_thing")
        assert screen.is_current


async def test_a_failed_server_names_the_way_back() -> None:
    async with servers_stage({"dead": ("--die-after-init", "3"), "good": ()}) as stage:
        await stage.listed("good")
        await stage.until(
            lambda: stage.member("dead").engine.server.phase in (Phase.FAILED, Phase.LOST), "it"
        )
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
