"""The screen of all servers: its rows, its filter, its groups, and what is said about a row."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.rules import NameCondition, NameOf, Rule, Then, exact_glob
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.engine.policy_state import read_rulebook
from signoff.app.features.matrix.servers_screen import ServersMatrixScreen, ServersMatrixState
from signoff.app.tui.servers.servers_list import (
    CallRow,
    ServerRow,
    ServersList,
    TogetherScreen,
    ToolRow,
)
from signoff.app.tui.servers.servers_screen import ToolOrder
from signoff.app.tui.startup import ServerNotOpened
from signoff.widgets.lists.row_list import Heading
from signoff.widgets.matrix.grid import MatrixGrid
from tests.approved import approved
from tests.tui.bench_stage import NARROW, WIDE
from tests.tui.servers.servers_stage import ServersStage, servers_stage

PROSE = approved("tui-servers")


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


async def test_servers_come_first_and_each_tool_names_its_server() -> None:
    missing = [ServerNotOpened("third", "run third", "third was not started")]
    async with servers_stage(
        {"one": (), "two": ("--with", "all")}, size=NARROW, missing=missing
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
            await stage.until(lambda: "running" not in about(stage), "the end of the call")
            said.append(about(stage))
        await stage.filter("third")
        said.append(about(stage))
        PROSE.holds("about rows", "\n\n".join(said))


async def test_what_they_could_do_together_and_how_they_are_grouped() -> None:
    async with servers_stage({"one": (), "two": ()}) as stage:
        await stage.listed("one", "two")
        await stage.press("f4")
        await stage.is_open(TogetherScreen)
        await stage.press("escape")
        await stage.has_left(TogetherScreen)
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


@pytest.mark.slow
async def test_the_matrix_has_the_tools_of_all_servers() -> None:
    async with servers_stage({"one": (), "two": ()}, size=NARROW) as stage:
        await stage.listed("one", "two")
        await stage.press("f2")
        await stage.is_open(ServersMatrixScreen)
        grid = stage.app.screen.query_one(MatrixGrid)
        engines = {name: stage.member(name).engine for name in ("one", "two")}
        tools = [row.tool for row in grid._rows]
        first = len(engines["one"].tools)
        assert {id(one) for one in tools[:first]} == {id(one) for one in engines["one"].tools}
        assert {id(one) for one in tools[first:]} == {id(one) for one in engines["two"].tools}
        headings = [row.heading.partition(":")[0] for row in grid._rows if row.heading]
        assert headings == ["one", "two"]
        # Hints are tried in the matrix of one server.
        await stage.press("1")
        assert not any(row.what_if for row in grid._rows)
        # Namesakes: the row decides which server is gone to.
        at = next(at for at, one in enumerate(tools) if one is engines["two"].tools[0])
        grid.move_to_tool(tools[at], 0)
        await stage.press("enter")
        await stage.until(lambda: stage.app.screen is stage.member("two").screen, "its screen")
        await stage.sees(tools[at].name)


async def test_rules_about_a_server_count_for_its_tools_and_the_open_matrix_follows_the_lists() -> (
    None
):
    async with servers_stage({"one": (), "two": ()}) as stage:
        await stage.listed("one", "two")
        condition = NameCondition(NameOf.SERVER, (exact_glob("two"),))
        refused = Rule(1, Then.REFUSE, "two", "", conditions=(condition,))
        policy = Policy("mine", (refused, Rule(2, Then.ALLOW)))
        state = ServersMatrixState(stage.servers.group.lists, [policy])
        found = {(state.server_of(row.tool), row.pairs[0].trusted.answer) for row in state.rows()}
        assert found == {("one", VerdictAnswer.ALLOW), ("two", VerdictAnswer.REFUSE)}
        await stage.listed("one", "two")
        state = ServersMatrixState(stage.servers.group.lists, read_rulebook().columns)
        column = next(at for at, one in enumerate(state.columns) if one.modes)
        state.turn_mode(column)
        state.mark(column)
        without_one = state.lists[1:]
        after = state.with_lists(without_one)
        assert after.columns == state.columns
        assert after.marked == [column]
        assert {after.server_of(row.tool) for row in after.rows()} == {"two"}
        after.turn_mode(column)
        assert after.columns[column] != state.columns[column]


async def test_texts_of_a_server_write_nothing_on_the_screen() -> None:
    async with servers_stage({"one": ("--hostile",), "two": ()}) as stage:
        await stage.listed("one", "two")
        await stage.until(lambda: len(rows(stage).rows) > 20, "the tools")
        for _ in range(len(rows(stage).rows)):
            await stage.press("down")
            text = stage.text + about(stage)
            assert not any(ord(sign) < 32 and sign != "\n" for sign in text)
            assert "\u202e" not in text
