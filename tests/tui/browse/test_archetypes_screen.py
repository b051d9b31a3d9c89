"""The view of archetypes: rows, reasons, disputes, and the way to a tool."""

from __future__ import annotations

import pytest

from signoff.app.tui.browse.archetypes_screen import ArchetypeList, ArchetypesScreen
from signoff.app.tui.main.main_screen import MainScreen
from tests.tui.bench_stage import NARROW, WIDE, bench_stage

ONLY = ("--only", "read_thing,delete_thing,send_with_key,count_up,slow,undeclared_thing")


@pytest.mark.slow
async def test_the_view_says_what_differs_and_why_and_goes_to_a_tool() -> None:
    for size in (WIDE, NARROW):
        async with bench_stage("--only", "old_echo,delete_thing,slow", size=size) as stage:
            await stage.choose("delete_thing")
            await stage.press("A")
            await stage.sees("Archetypes", "0 of 3 tools differ", "2 fit none")
            await stage.sees("› ", "delete_thing", "Delete", "fits")
            await stage.sees("“delete” in its name decides")
            await stage.until(lambda: "more lines" in stage.text, "more lines")
            for _ in range(40):
                await stage.press("shift+down")
            await stage.sees("hosts")
            await stage.press("down")
            await stage.sees("hints are not compared")
            await stage.press("enter")
            await stage.until(lambda: isinstance(stage.app.screen, MainScreen), "the bench")
            await stage.sees_tool("slow")


async def test_only_what_differs() -> None:
    async with bench_stage(*ONLY, size=NARROW) as stage:
        stage.engine.consent.set_what_if("read_thing", {"readOnly": False})
        await stage.press("A")
        await stage.sees("0 of 6 tools differ")
        # A what-if of the person's is none of the server's claims.
        await stage.press("d")
        await stage.sees("0 of 6 tools differ")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen), "the bench")


@pytest.mark.slow
async def test_differing_tools_alone() -> None:
    async with bench_stage(is_demo=True, size=WIDE) as stage:
        await stage.press("A")
        await stage.until(lambda: isinstance(stage.app.screen, ArchetypesScreen), "the view")
        rows = stage.app.screen.query_one(ArchetypeList)
        before = len(rows.rows)
        await stage.press("d")
        await stage.sees("only these, d shows all")
        assert 0 < len(rows.rows) < before
        assert all(row.differing for row in rows.rows)
        await stage.sees("≠ ", "is expected")
        await stage.press("d")
        await stage.until(lambda: len(rows.rows) == before, "all")


@pytest.mark.slow
async def test_a_server_without_tools() -> None:
    async with bench_stage("--only", "", is_listed=False) as stage:
        await stage.until(lambda: stage.engine.is_listed, "the list")
        await stage.sees("this server lists no tools")
        await stage.press("A")
        await stage.sees("Archetypes", "this server has no tools")
        await stage.press("down", "enter", "d", "escape")
