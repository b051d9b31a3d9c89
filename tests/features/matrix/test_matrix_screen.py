from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual.app import App

from signoff.app.approval.matrix import column_title, is_host
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.features.matrix.screen_lines import legend
from signoff.app.features.matrix.screen_state import MatrixState, Overrides
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.hints import Effect
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import SECTION_KEY, ToolDefinition, ToolSection
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.tui.text.pager import PagerScreen
from signoff.widgets.matrix.grid import MatrixGrid
from signoff.widgets.matrix.rows import Sides
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.screen_stage import ScreenStage
from tests.widgets.tool_samples import HOSTILE, SAMPLE, assert_inert, definitions, entry

PROSE = approved("tui-browse")
TOOLS = definitions(SAMPLE)
COLUMNS = (*built_ins(), *(read_host(name) for name in host_names()))


@dataclass
class Stage(ScreenStage):
    answers: list[str | None] = field(default_factory=list)
    told: list[Overrides] = field(default_factory=list)

    @property
    def matrix(self) -> MatrixScreen:
        found = self.app.screen_stack[1]
        assert isinstance(found, MatrixScreen)
        return found

    @property
    def state(self) -> MatrixState:
        return self.matrix._state

    @property
    def grid(self) -> MatrixGrid:
        return self.matrix.query_one(MatrixGrid)

    @property
    def head(self) -> str:
        return self.whole("#matrix-head")

    @property
    def detail(self) -> str:
        """What is said about the cell, and in the title over it."""
        return f"{self.frame('#matrix-detail')}\n{self.whole('SheetView')}"

    @property
    def names(self) -> list[str]:
        return [row.tool.name for row in self.grid._rows]

    async def go_to(self, tool: str, column: str, *keys: str) -> None:
        """Go to a cell, and press keys there."""
        names = [one.name for one in self.state.columns]
        self.grid.move_to(self.names.index(tool), names.index(column))
        await self.press(*keys)


CONSTANT = ("ask-always", "allow-all")
VARYING = len(COLUMNS) - len(CONSTANT)
"""Columns that are compared unless others are selected."""


@asynccontextmanager
async def stage(
    tools: tuple[ToolDefinition, ...] = TOOLS,
    columns: tuple[Policy, ...] = COLUMNS,
    *,
    size: tuple[int, int] = (120, 36),
    **more: Any,
) -> AsyncIterator[Stage]:
    app: App[None] = App()
    told: list[Overrides] = []

    def keep(overrides: Overrides) -> None:
        told.append({name: dict(hints) for name, hints in overrides.items()})

    async with app.run_test(size=size) as pilot:
        screen = MatrixScreen(
            tools, columns, "demo", Trust.UNTRUSTED, on_override=keep, **{"overrides": None, **more}
        )
        scene = Stage(app, pilot, told=told)
        app.push_screen(screen, scene.answers.append)
        await pilot.pause()
        yield scene


async def test_the_order_the_detail_trust_and_the_ways_out() -> None:
    async with stage(tuple(reversed(TOOLS))) as scene:
        effects = [row.tool.effect for row in scene.grid._rows]
        assert effects == sorted(effects, key=list(Effect).index)
        PROSE.holds("matrix head: no column selected", scene.head, COLUMNS=VARYING)
        # Without files to look at the key is not offered.
        assert scene.matrix.check_action("trace", ()) is False
        await scene.go_to("delete_file", "codex")
        PROSE.holds("matrix detail: a host", scene.detail, DATE=read_host("codex").date)
        await scene.go_to("calculate_sum", "cautious")
        PROSE.holds("matrix detail: both sides of trust", scene.detail)
        for sides in ("untrusted│trusted", "untrusted only", "trusted only", "untrusted│trusted"):
            assert sides in scene.text
            await scene.press("t")
        await scene.go_to("delete_file", "codex", "enter")
        assert scene.answers == ["codex"]
    async with stage() as scene:
        await scene.press("escape")
        assert scene.answers == [None]


async def test_modes_of_the_host_under_the_cursor() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "goose")
        titles = []
        for _ in range(4):
            await scene.press("o")
            titles.append(scene.state.columns[scene.grid.column].title)
        assert titles == ["Goose smart", "Goose approve", "Goose chat", "Goose"]
        for name in ("spec", "cautious"):
            await scene.go_to("delete_file", name)
            assert not scene.matrix.check_action("mode", ())
            before = scene.state.columns
            scene.matrix.action_mode()
            assert scene.state.columns is before
        await scene.go_to("delete_file", "codex")
        assert scene.matrix.check_action("mode", ())
        await scene.press("o")
        assert "under Codex exec" in scene.detail
        PROSE.holds("matrix detail: a measured mode", scene.detail)
        assert "exec" in scene.text
        # It stays when tools and hints change.
        await scene.press("1", "space")
        scene.matrix.take(TOOLS[:5], Trust.TRUSTED, scene.told[-1])
        state = scene.state
        await scene.press("enter")
        assert scene.answers == ["codex:exec"]
        column = [one.name for one in state.columns].index("codex:exec")
        state.turn_mode(column)
        assert state.columns[column].name == "codex:prompt"
    state = MatrixState(TOOLS, COLUMNS, "demo", {}, current="goose:smart")
    names = [one.name for one in state.columns]
    assert ("goose:smart" in names, "goose" in names) == (True, False)


async def test_a_key_shows_why_the_host_under_the_cursor_decides_so() -> None:
    asked: list[tuple[str, str]] = []

    def trace(tool: ToolDefinition, host: str) -> list[str]:
        asked.append((tool.name, host))
        return [f"{tool.name} in {host}: run", "  ~/.codex/config.toml:5  decides: run"]

    async with stage(trace=trace) as scene:
        await scene.go_to(TOOLS[0].name, "codex", "o", "v")
        await scene.app.workers.wait_for_complete()
        await scene.pilot.pause()
        assert isinstance(scene.app.screen, PagerScreen)
        assert "~/.codex/config.toml:5  decides: run" in scene.text
        await scene.press("escape")
        assert "~/.codex" not in scene.text
        await scene.go_to(TOOLS[0].name, "cautious", "v")
        assert "Go to the column of a host first." in scene.notices
    ((tool, host),) = asked
    assert (tool, host.partition(":")[0]) == (TOOLS[0].name, "codex")
    assert host != "codex"


@pytest.mark.parametrize("size", first_quick([(80, 24), (120, 36), (100, 30), (60, 18)]))
async def test_at_every_size_the_cell_its_detail_and_the_keys_are_to_be_seen(
    size: tuple[int, int],
) -> None:
    async with stage(size=size) as scene:
        await scene.go_to("delete_file", "vscode")
        for words in (
            "› ! delete_file",
            "delete_file under VS Code",
            "both       asks",
            " ASK  asks",
        ):
            assert words in scene.text
        for key in ("d", "1", "space"):
            await scene.press(key)
            head, *_, foot = scene.text.split("\n")
            assert head.startswith(" Matrix "), head
            assert "esc Close" in foot or size[0] < 80
        assert "↳ ≠ what if" in scene.text
        if size[1] > 18:
            return
        assert "more, shift+↓" in scene.text
        sheet = scene.screen.query_one(SheetView)
        await scene.press(*["shift+down"] * 20)
        assert not sheet.below
        assert scene.whole("SheetView").split()[-1] in scene.text
        await scene.press("right")
        assert sheet.scroll_offset.y == 0


async def test_keys_turn_a_hint_round_and_the_verdicts_move() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "vscode", "0")
        assert scene.told == []
        await scene.press("1")
        assert scene.told[-1] == {"delete_file": {"readOnly": True}}
        PROSE.holds("matrix head: what if", scene.head, COLUMNS=VARYING)
        PROSE.holds("matrix detail: what if", scene.detail.partition("\nsource")[0])
        PROSE.holds("matrix legend: what if", scene.whole("#matrix-legend"))
        await scene.press("1")
        assert scene.told[-1] == {"delete_file": {"readOnly": False}}
        await scene.press("1")
        # It says nothing about readOnly itself, so that step is left out.
        assert scene.told[-1] == {}
        assert "what if" not in scene.text.replace("1-4 What if", "").lower()
        await scene.press("1", "4", "0")
        assert scene.told[-1] == {}
        assert not any(row.what_if for row in scene.grid._rows)


def test_each_hint_goes_through_all_that_the_server_does_not_say_and_judges_one_tool() -> None:
    hints: Any = {"read_only": False, "destructive": True, "idempotent": False, "open_world": False}
    tools = definitions([entry("all", **hints)])
    state = MatrixState(tools, COLUMNS, "demo", {})
    seen: list[bool | None] = []
    for _ in range(3):
        state.turn(tools[0], "destructive")
        seen.append(state.overrides.get("all", {}).get("destructive", True))
    assert seen == [False, None, True]
    assert state.overrides == {}
    many = definitions([entry(f"tool_{at}", read_only=at % 2 == 0) for at in range(2_000)])
    state = MatrixState(many, COLUMNS, "demo", {})
    before = state.rows()
    state.turn(state.tools[5], "readOnly")
    pairs = enumerate(zip(before, state.rows(), strict=True))
    assert [at for at, (old, new) in pairs if old != new] == [5]


async def test_a_what_if_that_is_on_already_is_shown_and_kept_apart_from_the_servers_own() -> None:
    given: Overrides = {"undeclared_tool": {"readOnly": True, "openWorld": None}}
    async with stage(overrides=given) as scene:
        row = next(row for row in scene.grid._rows if row.what_if)
        assert row.tool.name == "undeclared_tool"
        assert row.tool.effect is Effect.UNDECLARED
        assert row.what_if_effect is Effect.READ_ONLY
        await scene.go_to("undeclared_tool", "goose", "2")
    assert given == {"undeclared_tool": {"readOnly": True, "openWorld": None}}


async def test_marked_columns_are_the_ones_compared() -> None:
    async with stage() as scene:
        # All tools disagree, so that the filter hides none.
        await scene.press("d")
        assert len(scene.names) == 7
        assert "space: select columns" in scene.head
        PROSE.holds("matrix notice: d hides nothing", scene.notices)
        await scene.press("d")
        assert len(scene.app._notifications) == 1
        await scene.go_to("delete_file", "codex", "space")
        PROSE.holds("matrix head: one column selected", scene.head, COLUMNS=VARYING)
        await scene.go_to("delete_file", "docker-agent", "space")
        PROSE.holds("matrix head: two columns selected", scene.head)
        await scene.press("d")
        # Both ask before what is destructive; only Codex runs what is additive in a closed world.
        assert ("create_record" in scene.names, "delete_file" in scene.names) == (True, False)
        PROSE.holds("matrix head: only what disagrees", scene.head)
        await scene.press("d")
        assert len(scene.names) == 7
        # A what-if is never filtered away.
        await scene.go_to("delete_file", "codex", "4", "d")
        assert "delete_file" in scene.names


@pytest.mark.slow
async def test_the_filter_can_be_left_when_the_compared_columns_agree_on_everything() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "claude-code", "space", "d")
        assert len(scene.names) == 7
        await scene.go_to("delete_file", "cursor", "space")
        assert scene.names == []
        PROSE.holds("matrix: no tool left", scene.seen("MatrixGrid"))
        await scene.press("d")
        assert len(scene.names) == 7
    async with stage(columns=COLUMNS[:1]) as scene:
        await scene.press("d")
        assert len(scene.names) == 7


async def test_the_constant_policies_are_compared_where_they_were_picked() -> None:
    columns = tuple(one for one in COLUMNS if one.name in ("cautious", "first-use", *CONSTANT))
    async with stage(columns=columns) as scene:
        PROSE.holds("matrix head: constant policies left out", scene.head)
        await scene.press("d")
        few = len(scene.names)
        assert 0 < few < 7
        assert f"{few} of 7" in scene.head
        for name in CONSTANT:
            await scene.go_to(scene.names[0], name, "space")
        assert len(scene.names) == 7
        PROSE.holds("matrix head: constant policies selected", scene.head)


@pytest.mark.slow
@pytest.mark.parametrize("width", [120, 80, 60])
@pytest.mark.parametrize("picked", [(), ("codex",), ("vscode", "codex")])
async def test_what_is_compared_is_always_on_the_screen(
    width: int, picked: tuple[str, ...]
) -> None:
    async with stage(size=(width, 24)) as scene:
        for name in picked:
            await scene.go_to("delete_file", name, "space")
        for key in ("d", "1"):
            await scene.press(key)
            (head, *_) = scene.text.split("\n")
            assert " disagree" in head, head
            is_named = any(one in head for one in ("selected", "Codex", "VS Code"))
            assert is_named or len(picked) < 2 or width < 80


async def test_a_server_without_tools() -> None:
    async with stage(()) as scene:
        await scene.press("1", "d", "t", "0", "space", "enter", "down", "right")
        PROSE.holds("matrix: no tools", scene.seen("MatrixGrid"))
        assert scene.answers == []


@pytest.mark.parametrize("text", first_quick(HOSTILE, 2))
async def test_hostile_names_are_shown_literally(text: str) -> None:
    tools = definitions([entry(text, title=text, read_only=text)])
    async with stage(tools, size=(80, 24)) as scene:
        await scene.press("1")
        for widget in (scene.grid, scene.screen.query_one(SheetView)):
            assert_inert(widget)
        title = scene.screen.query_one("#matrix-detail").border_title
        assert title is not None
        assert title.isprintable()
        assert scene.head


def _aside(at: int, name: str, section: ToolSection = ToolSection.GALLERY) -> ToolDefinition:
    meta: dict[str, JsonValue] = {"_meta": {SECTION_KEY: section.value}}
    return read_tool(at, {**entry(name, read_only=True), **meta})


async def test_each_section_behind_the_lessons_has_a_heading() -> None:
    asks = _aside(len(TOOLS), "ask_something", ToolSection.CONVERSATION)
    shown = (asks, *TOOLS, _aside(len(TOOLS) + 1, "read_picture"))
    async with stage(shown, has_sections=True) as scene:
        assert scene.names[-2:] == ["read_picture", "ask_something"]
        rows = [row.strip() for row in scene.text.split("\n")]
        at = next(at for at, row in enumerate(rows) if "ask_something" in row)
        assert rows[at - 1].startswith("Conversation 1")
        assert rows[at - 3].startswith("Gallery 1")
        await scene.press("ctrl+end")
        assert scene.grid.row is not None
        assert scene.grid.row.tool.name == "ask_something"
        await scene.press("4")
        assert "what if" in scene.text
        await scene.press("up")
        assert scene.grid.row.tool.name == scene.names[-2]
    # No other server has a gallery.
    async with stage(shown) as scene:
        assert scene.names[-1] != "ask_something"
        assert "Gallery" not in scene.text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_star_stands_in_the_legend_with_its_word(width: int) -> None:
    told = legend(width, 2, sides=Sides.BOTH, marks="*°", what_ifs=False).plain
    assert " * asks before " in told
    assert "*" not in legend(width, 2, sides=Sides.BOTH, marks="", what_ifs=False).plain


@pytest.mark.parametrize("size", [(80, 24), (220, 36)])
async def test_it_opens_on_the_hosts_and_the_reasons_follow_a_short_grid(
    size: tuple[int, int],
) -> None:
    async with stage(TOOLS[:4], size=size) as scene:
        first_host = next(at for at, one in enumerate(COLUMNS) if is_host(one))
        is_narrow = size[0] == 80
        assert scene.grid.column == (first_host if is_narrow else 0)
        assert ("Codex" in scene.text, "‹" in scene.text) == (True, is_narrow)
        rows = scene.text.split("\n")
        last = max(at for at, row in enumerate(rows) if scene.names[-1] in row)
        assert "under" in rows[last + 1]
        assert "all hosts, untrusted" in scene.detail
        hosts = [visible(column_title(one)) for one in COLUMNS if is_host(one)]
        assert [one for one in hosts if one not in scene.detail] == []
    async with stage(TOOLS * 12) as scene:
        assert scene.grid.size.height > 20
        assert "all hosts" not in scene.detail
