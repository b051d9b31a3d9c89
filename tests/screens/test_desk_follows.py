"""What is open over the bench follows what happens behind it, and the cursor stays on its thing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from signoff.app.core.approvals.grants import Grant, Scope
from signoff.app.core.requests import ToolCall
from signoff.app.screens.desk.grants_screen import GrantsScreen
from signoff.app.store.store import Store
from signoff.widgets.grant_list import DeniedTool, GrantList
from tests.screens.bench_stage import BenchStage, bench_stage
from tests.screens.test_desk_screen import Approves, opens
from tests.servers import shifting

SHIFTING = (sys.executable, "-S", str(Path(shifting.__file__)))


async def calls(stage: BenchStage, tool: str) -> None:
    """As a call does that was begun before the screen was opened."""
    definition = next(one for one in stage.bench.tools if one.name == tool)
    await stage.bench.ended(stage.bench.call(definition, {"name": "x"}))


async def test_what_calls_remember_use_and_lose_is_followed() -> None:
    async with bench_stage("--with", "all", keeps=True) as stage:
        stage.bench.approver = Approves(Scope.UNTIL, 7)
        await calls(stage, "delete_thing")
        await opens(stage, "f10", GrantsScreen)
        rows = stage.app.screen.query_one(GrantList)
        await stage.sees("delete_thing", "0 uses")
        await calls(stage, "delete_thing")
        await stage.sees("1 use")
        await calls(stage, "add_thing")
        await stage.sees("add_thing")

        def on() -> str:
            row = rows.highlighted
            assert isinstance(row, Grant)
            return row.tool

        assert on() == "delete_thing"
        await stage.until(lambda: rows.row_count == 2, "both")
        add = next(one for one in stage.bench.tools if one.name == "add_thing")
        stage.bench.memory.deny_for_session(ToolCall(add))
        await stage.sees("denied, this session")
        assert on() == "delete_thing"
        # The next row, where its own is gone.
        await stage.press("home")
        assert isinstance(rows.highlighted, DeniedTool)
        stage.bench.consent.allow_again("add_thing")
        await stage.until(lambda: rows.row_count == 2, "the denial to go")
        assert isinstance(rows.highlighted, Grant)


async def test_what_another_signoff_revokes_is_followed() -> None:
    async with bench_stage("--with", "all", keeps=True) as stage:
        stage.bench.approver = Approves(Scope.UNTIL, 7)
        await calls(stage, "delete_thing")
        await opens(stage, "f10", GrantsScreen)
        await stage.sees("delete_thing")
        (given,) = stage.bench.memory.grants()
        with Store.open() as other:
            assert other.grants.revoke(given.id)
        await stage.sees("nothing is remembered")


async def test_the_grants_are_read_anew_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GrantsScreen, "_look", lambda screen: None)
    async with bench_stage("--with", "all", keeps=True) as stage:
        stage.bench.approver = Approves(Scope.UNTIL, 7)
        await opens(stage, "f10", GrantsScreen)
        await calls(stage, "delete_thing")
        await stage.rests()
        await stage.sees("nothing is remembered")
        await stage.press("f5")
        await stage.sees("tool, until a date")
