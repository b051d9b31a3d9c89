"""The view of archetypes: rows, reasons, disputes, and the way to a tool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.features.matrix.archetypes_screen import ArchetypeList, ArchetypesScreen
from signoff.app.protocol.server import Trust
from signoff.app.tui.main.main_screen import MainScreen
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.engine.bundled import bundled
from tests.engine.opened import opened
from tests.tiers import first_quick
from tests.tui.bench_stage import NARROW, WIDE, bench_stage
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")
ONLY = ("--only", "read_thing,delete_thing,send_with_key,count_up,slow,undeclared_thing")


@asynccontextmanager
async def on_archetypes(
    *switches: str, start: str = "", size: tuple[int, int] = NARROW
) -> AsyncIterator[tuple[ScreenStage, list[str]]]:
    """The view with the cursor on the tool `start`, and the tools that it leads to."""
    went: list[str] = []

    def go_to(name: str) -> bool:
        went.append(name)
        return True

    async with (
        opened(*switches, trust=Trust.TRUSTED) as it,
        screen_stage(it.engine, size=size) as stage,
    ):
        stage.at_desk(start).show_archetypes(go_to)
        await stage.is_open(ArchetypesScreen)
        yield stage, went


@pytest.mark.parametrize("size", first_quick([NARROW, WIDE]))
async def test_the_view_says_what_differs_and_why_and_goes_to_a_tool(
    size: tuple[int, int],
) -> None:
    only = ("--only", "old_echo,delete_thing,slow")
    async with on_archetypes(*only, start="delete_thing", size=size) as (stage, went):
        PROSE.holds("archetypes head: nothing differs", stage.whole("#head"))
        await stage.sees("› ", "delete_thing", "Delete", "fits")
        archetype, _, _ = stage.whole("SheetView").partition("\nhints")
        PROSE.holds("archetypes: a tool that fits", archetype)
        assert "more lines" in stage.frame("#detail")
        sheet = stage.screen.query_one(SheetView)
        while sheet.below:
            await stage.press("shift+down")
        assert "more lines" not in stage.frame("#detail")
        await stage.press("down")
        PROSE.holds("archetypes: a tool of no archetype", stage.whole("SheetView"))
        await stage.press("enter")
        await stage.is_back()
        assert went == ["slow"]


@pytest.mark.slow
async def test_a_chosen_tool_is_shown_on_the_main_screen() -> None:
    async with bench_stage("--only", "old_echo,delete_thing,slow", size=NARROW) as stage:
        await stage.choose("delete_thing")
        await stage.press("A")
        await stage.is_open(ArchetypesScreen)
        await stage.press("down", "enter")
        await stage.is_open(MainScreen)
        await stage.sees_tool("slow")


async def test_only_what_differs() -> None:
    async with on_archetypes(*ONLY) as (stage, _):
        stage.engine.consent.set_what_if("read_thing", {"readOnly": False})
        await stage.pilot.pause()
        assert "0 of 6" in stage.whole("#head")
        # A what-if of the person's is none of the server's claims.
        await stage.press("d")
        assert "0 of 6" in stage.whole("#head")
        await stage.press("escape")
        await stage.is_back()


@pytest.mark.slow
async def test_differing_tools_alone() -> None:
    async with bundled() as it, screen_stage(it.engine) as stage:
        stage.at_desk().show_archetypes(lambda _: True)
        await stage.is_open(ArchetypesScreen)
        rows = stage.screen.query_one(ArchetypeList)
        before = len(rows.rows)
        assert "only these" not in stage.whole("#head")
        await stage.press("d")
        assert "only these" in stage.whole("#head")
        assert 0 < len(rows.rows) < before
        assert all(row.differing for row in rows.rows)
        await stage.sees("≠ ", "is expected")
        await stage.press("d")
        assert len(rows.rows) == before


async def test_a_server_without_tools() -> None:
    async with on_archetypes("--only", "") as (stage, went):
        PROSE.holds("archetypes: a server without tools", stage.seen("ArchetypeList"))
        await stage.press("down", "enter", "d", "escape")
        await stage.is_back()
        assert not went
