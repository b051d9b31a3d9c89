"""What is open over the main screen follows what happens behind it, the cursor on its thing."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.approval.grants import Grant, Scope
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.features.matrix.archetypes_screen import ArchetypeList, ArchetypesScreen
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.features.policies.grants_screen import (
    SLIPPED_SECONDS,
    GrantList,
    GrantsScreen,
)
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.presentation.grants import DeniedTool
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.storage.store import Store
from signoff.app.tui.main.changes import ChangesScreen
from signoff.app.tui.text.keys_screen import KeysScreen
from signoff.widgets.lists.policy_list import PolicyList, PolicyRow
from signoff.widgets.matrix.grid import MatrixGrid
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.engine.opened import Opened, Remembers, opened
from tests.features.policies.test_desk_screen import Approves, opens
from tests.servers import filed
from tests.tui.bench_stage import bench_stage
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")
READS = {"readOnlyHint": True, "openWorldHint": False}


class Listed:
    """What a server lists, which a test writes."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "tools.json"
        self.argv = (sys.executable, "-S", filed.__file__, str(self._file))

    def write(self, names: str, *read_only: str) -> None:
        tools = [
            {
                "name": name,
                "inputSchema": {"type": "object"},
                **({"annotations": READS} if name in read_only else {}),
            }
            for name in names.split()
        ]
        self._file.write_text(json.dumps(tools))


@pytest.fixture
def listed(tmp_path: Path) -> Listed:
    made = Listed(tmp_path)
    made.write("get_one get_two", "get_one", "get_two")
    return made


@asynccontextmanager
async def on_listed(
    listed: Listed, trust: Trust = Trust.TRUSTED, *, store: Path | None = None
) -> AsyncIterator[ScreenStage]:
    """An empty program whose engine has a server with these tools."""
    async with (
        opened(argv=listed.argv, trust=trust, store=store) as it,
        screen_stage(it.engine) as stage,
    ):
        yield stage


@asynccontextmanager
async def on_grants(store: Path) -> AsyncIterator[tuple[Opened, ScreenStage, GrantList]]:
    """The grants in this folder, and a session in which each approval counts for a week."""
    async with (
        opened("--with", "all", trust=Trust.TRUSTED, store=store) as it,
        screen_stage(it.engine) as stage,
    ):
        it.engine.approver = Remembers(Scope.UNTIL, 7)
        await stage.opens(GrantsScreen(it.engine))
        yield it, stage, stage.screen.query_one(GrantList)


@pytest.mark.slow
async def test_what_calls_remember_use_and_lose_is_followed(tmp_path: Path) -> None:
    async with on_grants(tmp_path) as (it, stage, rows):

        async def has(count: int) -> None:
            await stage.until(lambda: rows.row_count == count, f"{count} rows")

        await it.call("delete_thing", name="x")
        await stage.sees("delete_thing", "0 uses")
        await it.call("delete_thing", name="x")
        await stage.sees("1 use")
        await it.call("add_thing", name="x")
        await stage.sees("add_thing")
        given = rows.highlighted
        assert isinstance(given, Grant)
        assert given.tool == "delete_thing"
        await has(2)
        it.engine.memory.deny_for_session(ToolCall(it.tool("add_thing")))
        await has(3)
        assert isinstance(rows.highlighted, Grant)
        assert rows.highlighted.tool == "delete_thing"
        # The next row, where its own is gone.
        await stage.press("home")
        assert isinstance(rows.highlighted, DeniedTool)
        it.engine.consent.allow_again("add_thing")
        await has(2)
        assert isinstance(rows.highlighted, Grant)
        # Another Signoff revokes one.
        with Store.open(tmp_path) as other:
            assert other.grants.revoke(given.id)
        await has(1)


def test_a_row_is_known_by_what_it_is_and_not_by_its_tool() -> None:
    grant = Grant(1, "ab" * 32, "demo", "stdio:demo", "add_thing", "cd" * 32, None, "s", 1.0, None)
    denied = DeniedTool("add_thing")
    key = GrantList().key
    assert key(grant) == key(replace(grant, uses=1, last_used_at=2.0))
    assert key(grant) != key(replace(grant, id=2))
    assert key(grant) != key(denied)
    assert key(denied) == key(DeniedTool("add_thing"))


@pytest.mark.slow
async def test_a_row_that_comes_under_the_cursor_is_seen_before_it_is_revoked(
    tmp_path: Path,
) -> None:
    async with on_grants(tmp_path) as (it, stage, rows):
        for tool in ("delete_thing", "add_thing", "delete_thing"):
            await it.call(tool, name="x")
        await stage.until(lambda: rows.row_count == 2, "both")
        await stage.press("home")
        first = rows.highlighted
        assert isinstance(first, Grant)
        with Store.open(tmp_path) as other:
            assert other.grants.revoke(first.id)
        await stage.until(lambda: rows.row_count == 1, "the row to go")
        await stage.press("r")
        PROSE.holds("grants notice: another row under the cursor", stage.notices)
        (second,) = it.engine.memory.grants()
        await stage.pilot.pause(SLIPPED_SECONDS)
        await stage.press("r")
        assert it.engine.memory.grants() == ()
        assert second.id != first.id


@pytest.mark.slow
async def test_the_grants_are_read_anew_by_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GrantsScreen, "_look", lambda screen: None)
    async with on_grants(tmp_path) as (it, stage, rows):
        await it.call("delete_thing", name="x")
        await stage.rests()
        assert not rows.row_count
        await stage.press("f5")
        await stage.until(lambda: rows.row_count, "the grant")


@pytest.mark.slow
async def test_the_matrix_follows_tools_trust_and_what_if(listed: Listed) -> None:
    async with on_listed(listed, Trust.UNTRUSTED) as stage:
        stage.at_desk("get_two").show_matrix()
        await stage.is_open(MatrixScreen)
        matrix = stage.screen
        grid = matrix.query_one(MatrixGrid)
        await stage.press("home", "right", "right", "space")

        def at() -> tuple[str, int]:
            assert grid.row is not None
            return grid.row.tool.name, grid.column

        assert at() == ("get_two", 2)
        listed.write("get_zero get_one get_two", "get_zero", "get_one")
        await stage.engine.definitions.recheck()
        await stage.sees("get_zero", "? get_two")
        assert at() == ("get_two", 2)
        assert "untrusted" in stage.whole("#matrix-head")
        stage.engine.set_trust(Trust.TRUSTED)
        await stage.until(lambda: "untrusted" not in stage.whole("#matrix-head"), "the trust")
        stage.engine.consent.set_what_if("get_one", {"destructive": True})
        await stage.sees("what if")
        listed.write("get_zero", "get_zero")
        await stage.engine.definitions.recheck()
        await stage.no_longer_sees("get_two")
        assert at() == ("get_zero", 2)
        # Of no tools it says nothing of the last one.
        await stage.until(lambda: "get_zero" in stage.frame("#matrix-detail"), "the title")
        assert matrix.query_one(SheetView)._rows
        listed.write("")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: not matrix.query_one(SheetView)._rows, "the words to go")
        await stage.until(lambda: not stage.frame("#matrix-detail"), "the title to go")
        for key in ("enter", "space", "1"):
            stage.app.clear_notifications()
            await stage.press(key)
            PROSE.holds("matrix notice: no row", stage.notices)
        assert stage.screen is matrix


@pytest.mark.slow
async def test_the_policies_follow_the_tool_trust_and_who_decides(listed: Listed) -> None:
    async with bench_stage(argv=listed.argv) as stage:
        await stage.choose("get_two")
        await opens(stage, "ctrl+o", PolicyScreen)
        rows = stage.app.screen.query_one(PolicyList)

        def row(name: str) -> PolicyRow:
            return next(one for one in rows.rows if one.policy.name == name)

        def verdict(name: str = "cautious") -> object:
            found = row(name).verdict
            return found.answer if found is not None else None

        await stage.press("down")
        assert rows.highlighted == row("first-use")
        assert verdict() is VerdictAnswer.ALLOW
        for trust, answer in (
            (Trust.UNTRUSTED, VerdictAnswer.ASK),
            (Trust.TRUSTED, VerdictAnswer.ALLOW),
        ):
            stage.engine.set_trust(trust)
            await stage.sees(f"get_two, {trust.value}")
            assert verdict() is answer
        listed.write("get_zero get_two", "get_zero")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: verdict() is VerdictAnswer.ASK, "the new definition")
        stage.engine.consent.set_policy(built_in("ask-always"))
        await stage.until(lambda: row("ask-always").is_current, "the new policy")
        assert rows.highlighted == row("first-use")
        # What was approved on a call that ended in between holds for the next.
        stage.engine.approver = Approves()
        await stage.engine.ended(stage.engine.call(stage.engine.tools[1], {}))
        await stage.until(lambda: verdict("first-use") is VerdictAnswer.ALLOW, "the approval")
        listed.write("get_zero", "get_zero")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: verdict() is None, "the tool to go")
        await stage.no_longer_sees("verdicts on")


@pytest.mark.slow
async def test_archetypes_follow_the_tools(listed: Listed) -> None:
    went: list[str] = []

    def go_to(name: str) -> bool:
        went.append(name)
        return True

    async with on_listed(listed) as stage:
        stage.at_desk("get_two").show_archetypes(go_to)
        await stage.is_open(ArchetypesScreen)
        rows = stage.screen.query_one(ArchetypeList)
        assert rows.cursor == 1
        listed.write("delete_zero get_one get_two", "delete_zero")
        await stage.engine.definitions.recheck()
        await stage.sees("delete_zero")
        assert rows.cursor == 2
        await stage.until(lambda: "get_two" in stage.frame("#detail"), "the title")
        PROSE.holds("archetypes: keys of a row", stage.frame("#detail").split("\n")[1])
        await stage.press("enter")
        await stage.is_back()
        assert went == ["get_two"]
        stage.at_desk("get_two").show_archetypes(go_to)
        await stage.is_open(ArchetypesScreen)
        listed.write("")
        await stage.engine.definitions.recheck()
        await stage.until(lambda: not stage.frame("#detail"), "the title and the keys to go")
        PROSE.holds("archetypes: no tools", stage.seen("ArchetypeList"))


@pytest.mark.slow
async def test_archetypes_say_why_none_is_left_of_those_that_differ(listed: Listed) -> None:
    listed.write("get_one delete_two", "get_one", "delete_two")
    async with on_listed(listed) as stage:
        stage.at_desk().show_archetypes(lambda _: True)
        await stage.is_open(ArchetypesScreen)
        await stage.press("d")
        assert ("get_one" in stage.text, "delete_two" in stage.text) == (False, True)
        listed.write("frobnicate", "frobnicate")
        await stage.engine.definitions.recheck()
        await stage.no_longer_sees("delete_two")
        PROSE.holds("archetypes: none differs", stage.seen("ArchetypeList"))


@pytest.mark.slow
async def test_a_screen_under_another_follows_as_well(listed: Listed) -> None:
    async with bench_stage(argv=listed.argv, trust=Trust.UNTRUSTED) as stage:
        await opens(stage, "f2", MatrixScreen)
        matrix = stage.app.screen
        assert "untrusted" in str(matrix.query_one("#matrix-head").render())
        await opens(stage, "f1", KeysScreen)
        stage.engine.set_trust(Trust.TRUSTED)
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is matrix, "the matrix")
        head = matrix.query_one("#matrix-head")
        await stage.until(lambda: "untrusted" not in str(head.render()), "the trust")


@pytest.mark.slow
async def test_what_changed_follows_the_next_change(listed: Listed, tmp_path: Path) -> None:
    async with on_listed(listed, store=tmp_path) as stage:
        stage.at_desk().show_changes()
        await stage.is_open(ChangesScreen)
        await stage.sees("first session with this server")
        PROSE.holds("changes: first list", stage.seen("#ours"))
        for names, seen in (("get_one get_two get_three", "get_three"), ("get_one", "get_two")):
            listed.write(names, "get_one", "get_two")
            await stage.engine.definitions.recheck()
            await stage.sees(seen)
