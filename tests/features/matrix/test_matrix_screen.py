from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from signoff.app.approval.matrix import column_title, is_host
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.features.matrix.screen import MatrixScreen, Trace
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
from tests.tui.regions import frame, notices, seen, whole
from tests.widgets.tool_samples import HOSTILE, SAMPLE, assert_inert, definitions, entry

PROSE = approved("tui-browse")
TOOLS = definitions(SAMPLE)
COLUMNS = (*built_ins(), *(read_host(name) for name in host_names()))


@dataclass
class Stage:
    app: App[None]
    pilot: Pilot[None]
    screen: MatrixScreen
    answers: list[str | None] = field(default_factory=list)
    told: list[Overrides] = field(default_factory=list)

    @property
    def grid(self) -> MatrixGrid:
        return self.screen.query_one(MatrixGrid)

    @property
    def text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips)

    @property
    def head(self) -> str:
        return whole(self.screen.query_one("#matrix-head", Static))

    @property
    def detail(self) -> str:
        """What is said about the cell, and in the title over it."""
        title = frame(self.screen.query_one("#matrix-detail"))
        return f"{title}\n{whole(self.screen.query_one(SheetView))}"

    @property
    def legend(self) -> str:
        return whole(self.screen.query_one("#matrix-legend", Static))

    @property
    def names(self) -> list[str]:
        return [row.tool.name for row in self.grid._rows]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def go_to(self, tool: str, column: str) -> None:
        names = [one.name for one in self.screen._state.columns]
        self.grid.move_to(self.names.index(tool), names.index(column))
        await self.pilot.pause()


CONSTANT = ("ask-always", "allow-all")
VARYING = len(COLUMNS) - len(CONSTANT)
"""Columns that are compared unless others are selected."""


@asynccontextmanager
async def stage(
    tools: tuple[ToolDefinition, ...] = TOOLS,
    columns: tuple[Policy, ...] = COLUMNS,
    *,
    size: tuple[int, int] = (120, 36),
    overrides: Overrides | None = None,
    has_sections: bool = False,
    trace: Trace | None = None,
) -> AsyncIterator[Stage]:
    app: App[None] = App()
    told: list[Overrides] = []
    async with app.run_test(size=size) as pilot:
        screen = MatrixScreen(
            tools,
            columns,
            "demo",
            Trust.UNTRUSTED,
            overrides,
            has_sections=has_sections,
            trace=trace,
            on_override=lambda all_of_them: told.append(
                {name: dict(hints) for name, hints in all_of_them.items()}
            ),
        )
        scene = Stage(app, pilot, screen, told=told)
        app.push_screen(screen, scene.answers.append)
        await pilot.pause()
        yield scene


async def test_tools_stand_in_the_order_of_their_effect() -> None:
    async with stage(tuple(reversed(TOOLS))) as scene:
        effects = [row.tool.effect for row in scene.grid._rows]
        assert effects == sorted(effects, key=list(Effect).index)
        PROSE.holds("matrix head: no column selected", scene.head, COLUMNS=VARYING)


async def test_the_detail_says_verdict_rule_reason_source_and_date() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        PROSE.holds("matrix detail: a host", scene.detail, DATE=read_host("codex").date)
        await scene.go_to("calculate_sum", "cautious")
        PROSE.holds("matrix detail: both sides of trust", scene.detail)


async def test_a_key_turns_the_mode_of_the_host_under_the_cursor() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        await scene.press("o")
        assert "under Codex exec" in scene.detail
        PROSE.holds("matrix detail: a measured mode", scene.detail)
        assert "exec" in scene.text
        await scene.press("enter")
        assert scene.answers == ["codex:exec"]


async def test_a_key_shows_why_the_host_under_the_cursor_decides_so() -> None:
    asked: list[tuple[str, str]] = []

    def trace(tool: ToolDefinition, host: str) -> list[str]:
        asked.append((tool.name, host))
        return [f"{tool.name} in {host}: run", "  ~/.codex/config.toml:5  decides: run"]

    async with stage(trace=trace) as scene:
        await scene.go_to(TOOLS[0].name, "codex")
        await scene.press("o", "v")
        await scene.app.workers.wait_for_complete()
        await scene.pilot.pause()
        assert isinstance(scene.app.screen, PagerScreen)
        assert "~/.codex/config.toml:5  decides: run" in scene.text
        await scene.press("escape")
        assert "~/.codex" not in scene.text
        await scene.go_to(TOOLS[0].name, "cautious")
        await scene.press("v")
        assert "Go to the column of a host first." in notices(scene.app)
    ((tool, host),) = asked
    assert (tool, host.partition(":")[0]) == (TOOLS[0].name, "codex")
    assert host != "codex"


async def test_without_files_to_look_at_the_key_is_not_offered() -> None:
    async with stage() as scene:
        assert scene.screen.check_action("trace", ()) is False


async def test_after_the_last_mode_comes_the_default() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "goose")
        titles = []
        for _ in range(4):
            await scene.press("o")
            titles.append(scene.screen._state.columns[scene.grid.column].title)
        assert titles == ["Goose smart", "Goose approve", "Goose chat", "Goose"]


async def test_the_key_is_offered_for_hosts_with_modes_only() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        assert scene.screen.check_action("mode", ())
        for name in ("spec", "cautious"):
            await scene.go_to("delete_file", name)
            assert not scene.screen.check_action("mode", ())
            before = scene.screen._state.columns
            scene.screen.action_mode()
            assert scene.screen._state.columns is before


async def test_a_mode_stays_when_tools_and_hints_change() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        await scene.press("1", "o", "space")
        scene.screen.take(TOOLS[:5], Trust.TRUSTED, scene.told[-1])
        await scene.pilot.pause()
        state = scene.screen._state
        assert "codex:exec" in [one.name for one in state.columns]
        column = [one.name for one in state.columns].index("codex:exec")
        state.turn_mode(column)
        assert state.columns[column].name == "codex:prompt"


def test_the_matrix_begins_with_the_mode_that_is_in_use() -> None:
    state = MatrixState(TOOLS, COLUMNS, "demo", {}, current="goose:smart")
    assert "goose:smart" in [one.name for one in state.columns]
    assert "goose" not in [one.name for one in state.columns]


@pytest.mark.parametrize("size", first_quick([(120, 36), (100, 30), (80, 24), (60, 18)]))
async def test_at_every_size_the_cell_its_detail_and_the_legend_are_to_be_seen(
    size: tuple[int, int],
) -> None:
    async with stage(size=size) as scene:
        await scene.go_to("delete_file", "vscode")
        text = scene.text
        assert "› ! delete_file" in text
        assert "delete_file under VS Code" in text
        assert "both       asks" in text
        assert " ASK  asks" in text
        await scene.press("1")
        assert "↳ ≠ what if" in scene.text
        assert "what if" in scene.text


async def test_keys_turn_a_hint_round_and_the_verdicts_move() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "vscode")
        await scene.press("1")
        assert scene.told[-1] == {"delete_file": {"readOnly": True}}
        PROSE.holds("matrix head: what if", scene.head, COLUMNS=VARYING)
        about_the_call, _, _ = scene.detail.partition("\nsource")
        PROSE.holds("matrix detail: what if", about_the_call)
        PROSE.holds("matrix legend: what if", scene.legend)
        await scene.press("1")
        assert scene.told[-1] == {"delete_file": {"readOnly": False}}
        await scene.press("1")
        # It says nothing about readOnly itself, so that step is left out.
        assert scene.told[-1] == {}
        assert "what if" not in scene.text.replace("1-4 What if", "").lower()


@pytest.mark.slow
async def test_each_hint_goes_through_all_that_the_server_does_not_say() -> None:
    tools = definitions(
        [entry("all", read_only=False, destructive=True, idempotent=False, open_world=False)]
    )
    state = MatrixState(tools, COLUMNS, "demo", {})
    seen: list[bool | None] = []
    for _ in range(3):
        state.turn(tools[0], "destructive")
        seen.append(state.overrides.get("all", {}).get("destructive", True))
    assert seen == [False, None, True]
    assert state.overrides == {}


async def test_reset_is_offered_where_there_is_something_to_reset() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "vscode")
        await scene.press("0")
        assert scene.told == []
        await scene.press("1", "4", "0")
        assert scene.told[-1] == {}
        assert not any(row.what_if for row in scene.grid._rows)


async def test_a_what_if_that_is_on_already_is_shown_and_kept_apart_from_the_servers_own() -> None:
    given: Overrides = {"undeclared_tool": {"readOnly": True, "openWorld": None}}
    async with stage(overrides=given) as scene:
        row = next(row for row in scene.grid._rows if row.what_if)
        assert row.tool.name == "undeclared_tool"
        assert row.tool.effect is Effect.UNDECLARED
        assert row.what_if_effect is Effect.READ_ONLY
        await scene.go_to("undeclared_tool", "goose")
        await scene.press("2")
    assert given == {"undeclared_tool": {"readOnly": True, "openWorld": None}}


async def test_marked_columns_are_the_ones_compared() -> None:
    async with stage() as scene:
        for name in ("codex", "docker-agent"):
            await scene.go_to("delete_file", name)
            await scene.press("space")
        PROSE.holds("matrix head: two columns selected", scene.head)
        await scene.press("d")
        # Both ask before what is destructive; only Codex runs what is additive in a closed world.
        assert "create_record" in scene.names
        assert "delete_file" not in scene.names
        PROSE.holds("matrix head: only what disagrees", scene.head)
        await scene.press("d")
        assert len(scene.names) == 7


@pytest.mark.slow
async def test_one_picked_column_is_not_a_comparison_and_says_so() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        await scene.press("space")
        PROSE.holds("matrix head: one column selected", scene.head, COLUMNS=VARYING)


async def test_the_constant_policies_are_compared_where_they_were_picked() -> None:
    columns = tuple(one for one in COLUMNS if one.name in ("cautious", "first-use", *CONSTANT))
    async with stage(columns=columns) as scene:
        PROSE.holds("matrix head: constant policies left out", scene.head)
        await scene.press("d")
        few = len(scene.names)
        assert 0 < few < 7
        assert f"{few} of 7" in scene.head
        for name in CONSTANT:
            await scene.go_to(scene.names[0], name)
            await scene.press("space")
        assert len(scene.names) == 7
        PROSE.holds("matrix head: constant policies selected", scene.head)


@pytest.mark.slow
@pytest.mark.parametrize("width", first_quick([120, 100, 80, 60]))
@pytest.mark.parametrize(
    "picked", [(), ("codex",), ("vscode", "codex"), ("vscode", "copilot-review")]
)
async def test_what_is_compared_is_always_on_the_screen(
    width: int, picked: tuple[str, ...]
) -> None:
    async with stage(size=(width, 24)) as scene:
        for name in picked:
            await scene.go_to("delete_file", name)
            await scene.press("space")
        for key in ("d", "1"):
            await scene.press(key)
            (head, *_) = scene.text.split("\n")
            assert " disagree" in head, head
            assert (
                ("selected" in head or "Codex" in head or "VS Code" in head)
                or len(picked) < 2
                or width < 80
            )


@pytest.mark.slow
async def test_a_what_if_is_never_filtered_away() -> None:
    async with stage() as scene:
        for name in ("codex", "docker-agent"):
            await scene.go_to("delete_file", name)
            await scene.press("space")
        await scene.press("4", "d")
        assert "delete_file" in scene.names


@pytest.mark.slow
async def test_where_nothing_disagrees_the_filter_is_not_offered() -> None:
    async with stage(columns=COLUMNS[:1]) as scene:
        await scene.press("d")
        assert len(scene.names) == 7


@pytest.mark.slow
async def test_the_filter_can_be_left_when_the_compared_columns_agree_on_everything() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "claude-code")
        await scene.press("space", "d")
        assert len(scene.names) == 7
        await scene.go_to("delete_file", "cursor")
        await scene.press("space")
        assert scene.names == []
        PROSE.holds("matrix: no tool left", seen(scene.grid))
        await scene.press("d")
        assert len(scene.names) == 7


async def test_trust_shows_one_side_or_both() -> None:
    async with stage() as scene:
        assert "untrusted│trusted" in scene.text
        await scene.press("t")
        assert "untrusted only" in scene.text
        await scene.press("t")
        assert "trusted only" in scene.text
        await scene.press("t")
        assert "untrusted│trusted" in scene.text


async def test_enter_takes_the_column_as_the_policy_and_escape_takes_none() -> None:
    async with stage() as scene:
        await scene.go_to("delete_file", "codex")
        await scene.press("enter")
        assert scene.answers == ["codex"]
    async with stage() as scene:
        await scene.press("escape")
        assert scene.answers == [None]


@pytest.mark.slow
async def test_a_long_detail_scrolls_by_key_and_says_that_there_is_more() -> None:
    async with stage(size=(60, 18)) as scene:
        await scene.go_to("delete_file", "vscode")
        assert "more, shift+↓" in scene.text
        sheet = scene.screen.query_one(SheetView)
        await scene.press(*["shift+down"] * 20)
        assert not sheet.below
        last = whole(sheet).split("\n")[-1].split()[-1]
        assert last in scene.text
        await scene.press("right")
        assert sheet.scroll_offset.y == 0


async def test_a_server_without_tools() -> None:
    async with stage(()) as scene:
        await scene.press("1", "d", "t", "0", "space", "enter", "down", "right")
        PROSE.holds("matrix: no tools", seen(scene.grid))
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
        assert str(scene.screen.query_one("#matrix-head", Static).render())


async def test_a_what_if_on_one_of_many_tools_judges_only_that_one() -> None:
    tools = definitions([entry(f"tool_{at}", read_only=at % 2 == 0) for at in range(2_000)])
    state = MatrixState(tools, COLUMNS, "demo", {})
    before = state.rows()
    state.turn(state.tools[5], "readOnly")
    changed = [
        at for at, (old, new) in enumerate(zip(before, state.rows(), strict=True)) if old != new
    ]
    assert changed == [5]


@pytest.mark.parametrize("width", first_quick([80, 120]))
async def test_the_name_of_the_screen_and_the_key_that_closes_it_are_always_there(
    width: int,
) -> None:
    async with stage(size=(width, 24)) as scene:
        for key in ("d", "1", "space"):
            await scene.press(key)
            head, *_, foot = scene.text.split("\n")
            assert head.startswith(" Matrix "), head
            assert "esc Close" in foot


@pytest.mark.slow
async def test_where_all_tools_disagree_the_filter_says_so_and_what_to_pick() -> None:
    async with stage(size=(80, 24)) as scene:
        await scene.press("d")
        assert len(scene.names) == 7
        assert "space: select columns" in scene.text.split("\n")[0]
        PROSE.holds("matrix notice: d hides nothing", notices(scene.app))
        await scene.press("d")
        assert len(scene.app._notifications) == 1


def _aside(at: int, name: str, section: ToolSection = ToolSection.GALLERY) -> ToolDefinition:
    raw: dict[str, JsonValue] = {
        **entry(name, read_only=True),
        "_meta": {SECTION_KEY: section.value},
    }
    return read_tool(at, raw)


async def test_the_gallery_stands_behind_the_lessons_under_a_heading() -> None:
    shown = (*TOOLS, _aside(len(TOOLS), "read_picture"))
    async with stage(shown, has_sections=True) as scene:
        assert scene.names[-1] == "read_picture"
        rows = [row.strip() for row in scene.text.split("\n")]
        assert rows[
            next(at for at, row in enumerate(rows) if "read_picture" in row) - 1
        ].startswith("Gallery 1")
        await scene.press("ctrl+end")
        assert scene.grid.row is not None
        assert scene.grid.row.tool.name == "read_picture"
        await scene.press("4")
        assert "what if" in scene.text
        await scene.press("up")
        assert scene.grid.row.tool.name == scene.names[-2]


@pytest.mark.slow
async def test_each_section_behind_the_lessons_has_a_heading() -> None:
    asks = _aside(len(TOOLS), "ask_something", ToolSection.CONVERSATION)
    shown = (asks, *TOOLS, _aside(len(TOOLS) + 1, "read_picture"))
    async with stage(shown, has_sections=True) as scene:
        assert scene.names[-2:] == ["read_picture", "ask_something"]
        rows = [row.strip() for row in scene.text.split("\n")]
        at = next(at for at, row in enumerate(rows) if "ask_something" in row)
        assert rows[at - 1].startswith("Conversation 1")
        assert rows[at - 3].startswith("Gallery 1")


@pytest.mark.slow
async def test_no_other_server_has_a_gallery() -> None:
    shown = (*TOOLS, _aside(len(TOOLS), "read_picture"))
    async with stage(shown) as scene:
        assert scene.names[-1] != "read_picture"
        assert "Gallery" not in scene.text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_star_stands_in_the_legend_with_its_word(width: int) -> None:
    told = legend(width, 2, sides=Sides.BOTH, marks="*°", what_ifs=False).plain
    assert " * asks before " in told
    without = legend(width, 2, sides=Sides.BOTH, marks="", what_ifs=False).plain
    assert "*" not in without


@pytest.mark.parametrize("size", [(80, 24), (220, 36)])
async def test_it_opens_on_the_hosts_if_not_all_columns_are_in_sight(size: tuple[int, int]) -> None:
    async with stage(size=size) as scene:
        await scene.pilot.pause()
        first_host = next(at for at, one in enumerate(COLUMNS) if is_host(one))
        is_narrow = size[0] == 80
        assert scene.grid.column == (first_host if is_narrow else 0)
        assert ("Codex" in scene.text, "‹" in scene.text) == (True, is_narrow)
        # The policies are one key away.
        await scene.press("home")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (180, 50)])
async def test_the_reasons_follow_a_short_grid_and_name_all_hosts(size: tuple[int, int]) -> None:
    async with stage(TOOLS[:4], size=size) as scene:
        rows = scene.text.split("\n")
        last = max(at for at, row in enumerate(rows) if scene.names[-1] in row)
        assert "under" in rows[last + 1]
        assert "all hosts, untrusted" in scene.detail
        hosts = [visible(column_title(one)) for one in COLUMNS if is_host(one)]
        assert [one for one in hosts if one not in scene.detail] == []


async def test_a_long_grid_keeps_the_rows() -> None:
    many = TOOLS * 12
    async with stage(many, size=(120, 36)) as scene:
        assert scene.grid.size.height > 20
        assert "all hosts" not in scene.detail
