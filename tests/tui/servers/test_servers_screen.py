"""The screen of all servers: its rows, its filter, its groups, and what is said about a row."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from signoff.app.tui.servers.servers_list import CallRow, ServerRow, ServersList, ToolRow
from signoff.app.tui.servers.servers_screen import ToolOrder
from signoff.app.tui.servers.together_screen import TogetherScreen
from signoff.app.tui.startup import ServerNotOpened
from signoff.widgets.lists.row_list import Heading
from tests.approved import approved
from tests.tui.bench_stage import NARROW, WIDE
from tests.tui.servers.servers_stage import ServersStage, servers_stage

PROSE = approved("tui-servers")
SIZES = pytest.mark.parametrize("size", [NARROW, WIDE])


def rows(stage: ServersStage) -> ServersList:
    return stage.servers.query_one(ServersList)


def headings(stage: ServersStage) -> list[str]:
    return [one.label for one in rows(stage)._rows if isinstance(one, Heading)]


def server_of(row: object) -> str:
    return row.member.name if isinstance(row, ServerRow | ToolRow | CallRow) else ""


async def put_on(stage: ServersStage, kind: type, name: str) -> None:
    """Put the cursor on the first row of this kind on this server."""

    def places() -> list[int]:
        all_rows = enumerate(rows(stage)._rows)
        return [at for at, row in all_rows if isinstance(row, kind) and server_of(row) == name]

    await stage.until(places, "such a row")
    rows(stage).move_cursor(places()[0])
    await stage.pilot.pause()


def about(stage: ServersStage) -> str:
    return str(stage.servers.query_one("#about", Static).render())


@SIZES
async def test_servers_come_first_and_each_tool_names_its_server(size: tuple[int, int]) -> None:
    missing = [ServerNotOpened("third", "run third", "third was not started")]
    async with servers_stage(
        {"one": (), "two": ("--with", "all")}, size=size, missing=missing
    ) as s:
        await s.listed("one", "two")
        await s.until(lambda: len(rows(s).rows) > 20, "the tools of both")
        found = rows(s).rows
        assert [type(one) for one in found[:3]] == [ServerRow, ServerRow, ServerNotOpened]
        tools = [one for one in found if isinstance(one, ToolRow)]
        engines = [s.member(name).engine for name in ("one", "two")]
        assert len(tools) == sum(len(engine.tools) for engine in engines)
        assert {one.others for one in tools if one.tool.name == "read_thing"} == {
            ("two",),
            ("one",),
        }
        assert {row.tool.effect for row in tools} == {t.effect for e in engines for t in e.tools}
        await s.sees("third", "one", "two")


async def test_tools_are_grouped_by_effect_by_server_and_by_both() -> None:
    async with servers_stage({"one": (), "two": ()}) as stage:
        await stage.listed("one", "two")
        await stage.until(lambda: len(headings(stage)) > 2, "the headings")
        by_effect = headings(stage)
        assert not any("two" in one for one in by_effect)
        await stage.press("ctrl+g")
        assert stage.servers._order is ToolOrder.SERVER
        assert [one.split()[0] for one in headings(stage)] == ["Servers", "one", "two"]
        await stage.press("ctrl+g")
        both = headings(stage)[1:]
        assert len(both) == 2 * (len(by_effect) - 1)
        assert all(one.startswith(("one: ", "two: ")) for one in both)
        await stage.press("ctrl+g")
        assert headings(stage) == by_effect


async def test_the_filter_takes_words_of_servers_and_of_tools() -> None:
    async with servers_stage({"one": (), "two": ("--with", "all")}) as stage:
        await stage.listed("one", "two")
        await stage.filter("two read_thing")
        tools = [one for one in rows(stage).rows if isinstance(one, ToolRow)]
        assert {(one.member.name, one.tool.name) for one in tools} >= {("two", "read_thing")}
        assert {one.member.name for one in tools} == {"two"}
        assert all("read_thing" in one.tool.search_text for one in tools)
        await stage.filter("nothing has these words")
        assert not rows(stage).rows
        await stage.press("escape")
        assert len(rows(stage).rows) > 20


async def test_the_cursor_keeps_its_row_while_others_come_and_go() -> None:
    async with servers_stage({"one": (), "two": ()}) as stage:
        await stage.listed("one", "two")
        await put_on(stage, ToolRow, "two")
        before = rows(stage).highlighted
        assert isinstance(before, ToolRow)
        one = stage.member("one").engine
        one.call(one.tools[0], {})
        await stage.until(lambda: any(isinstance(r, CallRow) for r in rows(stage).rows), "the call")
        now = rows(stage).highlighted
        assert isinstance(now, ToolRow)
        assert (now.member.name, now.tool.name) == (before.member.name, before.tool.name)


async def test_words_about_a_server_a_tool_a_call_and_a_server_that_was_not_started() -> None:
    missing = [ServerNotOpened("third", "run third", "third was not started: not agreed")]
    async with servers_stage({"one": (), "two": ()}, size=WIDE, missing=missing) as stage:
        await stage.listed("one", "two")
        one = stage.member("one").engine
        one.call(next(tool for tool in one.tools if tool.name == "read_thing"), {})
        await stage.until(lambda: one.calls and one.calls[1].is_over, "the call")
        await stage.until(lambda: any(isinstance(r, CallRow) for r in rows(stage).rows), "its row")
        said = []
        for kind in (ServerRow, ToolRow, CallRow):
            await put_on(stage, kind, "one")
            said.append(about(stage))
        await stage.filter("third")
        said.append(about(stage))
        PROSE.holds("about rows", "\n\n".join(said))


async def test_what_they_could_do_together_is_a_screen() -> None:
    async with servers_stage({"one": (), "two": ()}) as stage:
        await stage.listed("one", "two")
        await stage.press("f4")
        await stage.until(lambda: isinstance(stage.app.screen, TogetherScreen), "the screen")
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, TogetherScreen), "the list")


async def test_texts_of_a_server_write_nothing_on_the_screen() -> None:
    async with servers_stage({"one": ("--hostile",), "two": ()}) as stage:
        await stage.listed("one", "two")
        await stage.until(lambda: len(rows(stage).rows) > 20, "the tools")
        for _ in range(len(rows(stage).rows)):
            await stage.press("down")
            text = stage.text + about(stage)
            assert not any(ord(sign) < 32 and sign != "\n" for sign in text)
            assert "\u202e" not in text
