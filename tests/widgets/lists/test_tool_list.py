from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from signoff.app.protocol.tool import Grouping, ToolDefinition, filter_tools, group_tools
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.lists.tool_rows import HostCells
from signoff.widgets.matrix.rows import CellWord
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.tool_samples import (
    HOSTILE,
    SAMPLE,
    assert_inert,
    by_effect,
    definitions,
    drawn,
    entry,
)

PROSE = approved("widgets")
TOOLS = definitions(SAMPLE)


class Shown(App[None]):
    def __init__(self, tools: tuple[ToolDefinition, ...] = TOOLS) -> None:
        super().__init__()
        self.tools = tools
        self.highlighted: list[ToolDefinition | None] = []
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield ToolList()

    def on_mount(self) -> None:
        self.list.focus()
        self.list.show(by_effect(self.tools), total=len(self.tools))

    @property
    def list(self) -> ToolList:
        return self.query_one(ToolList)

    def on_row_list_highlighted(self, message: ToolList.Highlighted[ToolDefinition]) -> None:
        self.highlighted.append(message.row)

    def on_row_list_chosen(self, message: ToolList.Chosen[ToolDefinition]) -> None:
        self.chosen.append(message.row.name)


def name_of(app: Shown) -> str | None:
    tool = app.list.highlighted
    return tool.name if tool else None


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def test_draws_headings_titles_names_and_signs() -> None:
    app = Shown()
    async with app.run_test(size=(46, 14)) as pilot:
        await pilot.pause()
        assert drawn(app.list)[:12] == [
            "  ○ read-only 2",
            "  › calculate_sum                        ◇",
            "    search_files                         ◇",
            "  + additive 1",
            "    create_record                        ◇",
            "  ! destructive 2",
            "    delete_file                          ◇ =",
            "    launch_confetti                      ↗",
            "  ? undeclared 1",
            "    undeclared_tool                      ↗",
            "  ≠ contradictory 1",
            "    contradictory_tool                   ↗   *",
        ]


@pytest.mark.parametrize("width", [30, 46, 90])
async def test_hosts_have_columns_that_go_before_a_short_name_is_cut(width: int) -> None:
    app = Shown()
    words = [
        CellWord("run", "run", "°"),
        CellWord("ASK", "strong", "*"),
        CellWord("ref", "refused"),
    ]
    async with app.run_test(size=(width, 14)) as pilot:
        await pilot.pause()
        app.list.fit_names(TOOLS)
        app.list.show_hosts(HostCells(["VSC", "Cod", "Zed"]))
        await pilot.pause()
        pending = drawn(app.list)
        app.list.show_hosts(HostCells(["VSC", "Cod", "Zed"], lambda tool: words))
        await pilot.pause()
        rows = drawn(app.list)
        count = app.list.hosts_in_sight
        assert count == {30: 2, 46: 3, 90: 3}[width]
        shown = "run°ASK ref"[: 4 * count].rstrip()
        assert any(row.endswith(shown) and "calculate_sum" in row for row in rows)
        assert any("contra" in row and row.endswith("*") for row in rows)
        assert [row[:20].rstrip() for row in rows] == [row[:20].rstrip() for row in pending]
        assert not any("◇" in row for row in rows)


async def test_what_is_not_called_like_other_tools_has_a_word_in_the_list() -> None:
    plain, task, app_only = entry("plain"), entry("long_one"), entry("refresh")
    task["execution"] = {"taskSupport": "required"}
    app_only["_meta"] = {"ui": {"visibility": ["app"]}}
    app = Shown(definitions([plain, task, app_only]))
    async with app.run_test(size=(46, 6)) as pilot:
        await pilot.pause()
        lines = drawn(app.list)
        assert lines[1].endswith("      ↗")
        assert lines[2].endswith(" task ↗   ·")
        assert lines[3].endswith(" app  ↗   *")
        app.list.mark({"refresh": "new"})
        await pilot.pause()
        assert drawn(app.list)[3].endswith(" new  ↗   *")
        app.list.show(group_tools(definitions([plain]), Grouping.EFFECT), total=3)
        app.list.mark({})
        await pilot.pause()
        assert drawn(app.list)[1] == "  › plain" + " " * 32 + "↗"


async def test_other_groupings_show_the_effect_as_a_sign() -> None:
    app = Shown()
    async with app.run_test(size=(60, 14)) as pilot:
        app.list.show(group_tools(TOOLS, Grouping.WORLD), total=len(TOOLS))
        await pilot.pause()
        lines = drawn(app.list)
        assert lines[0] == "  ↗ open world 3"
        assert any("delete_file" in line and line.endswith("! ◇ =") for line in lines)


@pytest.mark.slow
async def test_defaults_and_claims_do_not_look_alike() -> None:
    tools = definitions(
        [entry("silent", destructive=True), entry("claims", destructive=True, open_world=True)]
    )
    app = Shown(tools)
    async with app.run_test(size=(60, 6)) as pilot:
        await press(pilot, "home")
        silent, claims = (
            next(segment for segment in app.list.render_line(y) if segment.text == "↗")
            for y in (1, 2)
        )
        assert silent.style != claims.style


@pytest.mark.parametrize("width", first_quick([30, 44, 60, 100, 120]))
async def test_the_whole_name_is_shown_where_it_fits_and_cut_with_an_ellipsis_else(
    width: int,
) -> None:
    long = "a_rather_long_name_of_a_tool_" * 5
    tools = definitions([entry("short_name", "A title that is quite long for a list"), entry(long)])
    app = Shown(tools)
    async with app.run_test(size=(width, 6)) as pilot:
        await pilot.pause()
        lines = drawn(app.list)
        assert any("short_name" in line for line in lines)
        assert any("a_rather" in line and "…" in line and "_tool_ " in line for line in lines)
        assert_inert(app.list)


async def test_a_title_that_adds_something_is_shown_after_the_name() -> None:
    titles = {
        "search_files": "Search Files!",
        "list_all": "Every file",
        "delete": "\u200bdelete",
    }
    app = Shown(definitions(entry(*one, read_only=True) for one in titles.items()))
    async with app.run_test(size=(56, 5)) as pilot:
        await pilot.pause()
        same, other, hidden = drawn(app.list)[1:4]
        assert "search_files" in same
        assert "Search" not in same
        assert other.index("list_all") < other.index("Every file")
        assert "delete" in hidden
        assert "200B" in hidden.upper()
        assert_inert(app.list)


async def test_names_win_over_titles() -> None:
    app = Shown(definitions([entry("get_the_weather_of_tomorrow", "Weather", read_only=True)]))
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.pause()
        assert "get_the_weather_of_tomorrow" in drawn(app.list)[1]
        assert "Weather" not in drawn(app.list)[1]


async def test_keys_move_over_headings_and_page() -> None:
    tools = definitions(entry(f"tool_{i}", read_only=True) for i in range(100))
    app = Shown(tools)
    async with app.run_test(size=(60, 10)) as pilot:
        await press(pilot, "down", "j")
        assert name_of(app) == "tool_2"
        await press(pilot, "k", "up")
        assert name_of(app) == "tool_0"
        await press(pilot, "up")
        assert name_of(app) is None
        await press(pilot, "end")
        assert name_of(app) == "tool_99"
        assert any("tool_99" in line for line in drawn(app.list))
        await press(pilot, "pageup")
        assert name_of(app) == "tool_89"
        await press(pilot, "home", "pagedown")
        assert name_of(app) == "tool_9"
        await press(pilot, "ctrl+d")
        assert name_of(app) == "tool_14"
        await press(pilot, "ctrl+u")
        assert name_of(app) == "tool_9"


async def test_every_move_is_announced_and_enter_chooses() -> None:
    app = Shown()
    async with app.run_test() as pilot:
        await press(pilot, "down", "down", "down", "enter")
        names = [tool.name if tool else None for tool in app.highlighted]
        assert names == ["calculate_sum", "search_files", None, "create_record"]
        assert app.chosen == ["create_record"]


async def test_a_move_repaints_two_lines_only() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        painted: list[int] = []
        original = app.list.render_line

        def counting(y: int) -> object:
            painted.append(y)
            return original(y)

        app.list.render_line = counting  # type: ignore[method-assign,assignment]
        await press(pilot, "down")
        assert sorted(set(painted)) == [1, 2]


async def test_headings_fold_and_unfold() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "left")
        assert drawn(app.list)[0] == "› ○ read-only 2 ▸ folded"
        assert drawn(app.list)[1] == "  + additive 1"
        await press(pilot, "right", "down")
        assert name_of(app) == "calculate_sum"
        for key in ("enter", "space"):
            await press(pilot, "home", key)
            assert "folded" in drawn(app.list)[0]
            await press(pilot, key)
            assert "folded" not in drawn(app.list)[0]
        assert app.chosen == []


async def test_select_name_unfolds_and_finds_exact_names_only() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "left")
        assert not app.list.select_name("SEARCH_FILES")
        assert app.list.select_name("search_files")
        await pilot.pause()
        assert name_of(app) == "search_files"
        assert app.highlighted[-1] is TOOLS[1]


async def test_clicks_select_and_double_clicks_choose() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.click(ToolList, offset=(10, 6))
        await pilot.pause()
        assert name_of(app) == "delete_file"
        assert app.chosen == []
        await pilot.click(ToolList, offset=(10, 6), times=2)
        await pilot.pause()
        assert app.chosen == ["delete_file"]
        await pilot.click(ToolList, offset=(5, 0))
        await pilot.pause()
        assert "folded" in drawn(app.list)[0]
        await pilot.click(ToolList, offset=(5, 19))
        assert name_of(app) is None


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    app = Shown(definitions(entry(f"tool_{i}", read_only=True) for i in range(100)))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        app.list.scroll_to(y=40, animate=False)
        await pilot.pause()
        assert name_of(app) == "tool_0"
        app.list.show(by_effect(app.tools), total=100)
        await pilot.pause()
        assert app.list.scroll_offset.y == 40
        await press(pilot, "down")
        assert any("› tool_1 " in line for line in drawn(app.list))


async def test_a_resize_keeps_a_cursor_in_sight_but_does_not_fetch_one_from_afar() -> None:
    app = Shown(definitions(entry(f"tool_{i}", read_only=True) for i in range(100)))
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.select_name("tool_15")
        await pilot.resize_terminal(60, 8)
        await pilot.pause()
        assert any("› tool_15 " in line for line in drawn(app.list))
        app.list.scroll_to(y=60, animate=False)
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        assert app.list.scroll_offset.y == 60


class AtTheFirstTool(Shown):
    """Puts the cursor on a tool before the list has any room on the screen."""

    def on_mount(self) -> None:
        super().on_mount()
        self.list.leave_heading()


@pytest.mark.parametrize("height", first_quick([1, 2, 5]))
async def test_a_cursor_that_was_put_there_before_there_was_room_hides_no_heading(
    height: int,
) -> None:
    app = AtTheFirstTool()
    async with app.run_test(size=(46, height)) as pilot:
        await pilot.pause()
        rows = [row for row in drawn(app.list) if row]
        assert rows[min(height - 1, 1)].startswith("  › calculate_sum")
        assert height == 1 or rows[0] == "  ○ read-only 2"


async def test_the_cursor_stays_on_its_tool_when_tools_come_go_and_move() -> None:
    entries = [entry(f"tool_{i}", read_only=True) for i in range(50)]
    app = Shown(definitions(entries))
    async with app.run_test(size=(60, 10)) as pilot:
        app.list.select_name("tool_20")
        await pilot.pause()
        for changed in (
            [entry("new_at_the_top", read_only=True), *entries],
            entries[10:],
            list(reversed(entries)),
            [*entries[:20], entry("tool_20", destructive=True), *entries[21:]],
        ):
            tools = definitions(changed)
            app.list.show(by_effect(tools), total=len(tools))
            await pilot.pause()
            assert name_of(app) == "tool_20"
            assert any("› tool_20 " in text for text in drawn(app.list))
        app.list.show(by_effect(definitions(entries)), total=50)
        await pilot.pause()
        assert name_of(app) == "tool_20"


async def test_the_line_on_the_screen_stays_when_tools_are_added_above() -> None:
    entries = [entry(f"tool_{i}", read_only=True) for i in range(50)]
    app = Shown(definitions(entries))
    async with app.run_test(size=(60, 10)) as pilot:
        app.list.select_name("tool_20")
        await press(pilot, "up", "up")
        before = next(i for i, text in enumerate(drawn(app.list)) if "›" in text)
        more = definitions([entry("a", read_only=True), entry("b", read_only=True), *entries])
        app.list.show(by_effect(more), total=52)
        await pilot.pause()
        after = next(i for i, text in enumerate(drawn(app.list)) if "› tool_18 " in text)
        assert after == before


async def test_a_tool_that_is_gone_gives_its_place_to_the_one_at_its_index() -> None:
    entries = [entry(f"tool_{i}", read_only=True) for i in range(5)]
    app = Shown(definitions(entries))
    async with app.run_test(size=(60, 10)) as pilot:
        app.list.select_name("tool_3")
        renamed = definitions([*entries[:3], entry("renamed", read_only=True), entries[4]])
        app.list.show(by_effect(renamed), total=5)
        await pilot.pause()
        assert name_of(app) == "renamed"
        app.list.show(by_effect(definitions(entries[:2])), total=2)
        await pilot.pause()
        assert name_of(app) == "tool_1"


async def test_duplicate_names_are_told_apart_by_their_place() -> None:
    tools = definitions([entry("same", "One"), entry("same", "Two"), entry("same", "Three")])
    app = Shown(tools)
    async with app.run_test(size=(60, 10)) as pilot:
        await press(pilot, "down")
        app.list.show(by_effect(tools), total=3)
        await pilot.pause()
        assert app.list.highlighted is tools[1]


async def test_the_cursor_comes_back_after_an_empty_filter() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.select_name("delete_file")
        app.list.show(by_effect(filter_tools(TOOLS, "zzz")), total=len(TOOLS))
        await pilot.pause()
        PROSE.holds("tools: none matches", drawn(app.list)[0])
        assert app.list.highlighted is None
        assert app.highlighted[-1] is None
        await press(pilot, "down", "enter", "space", "left", "end", "pageup")
        app.list.show(by_effect(TOOLS), total=len(TOOLS))
        await pilot.pause()
        assert name_of(app) == "delete_file"


async def test_an_empty_list_says_so() -> None:
    app = Shown(())
    async with app.run_test() as pilot:
        await pilot.pause()
        PROSE.holds("tools: none listed", drawn(app.list)[0])


@pytest.mark.parametrize("width", first_quick([30, 80, 120]))
async def test_hostile_names_and_titles_are_literal(width: int) -> None:
    tools = definitions(entry(text, text[::-1]) for text in HOSTILE)
    app = Shown(tools)
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        for key in ("home", *["down"] * len(HOSTILE)):
            await pilot.press(key)
            assert_inert(app.list)
        text = "\n".join(drawn(app.list))
        assert "[red]x[/]" in text
        assert "␛[2J" in text
        assert "<U+202E>" in text
        for y in range(0, 24, 6):
            await pilot.click(ToolList, offset=(6, y))
        assert app.is_running


async def test_hidden_characters_are_drawn_inverse() -> None:
    app = Shown(definitions([entry("a\u202eb"), entry("a<U+202E>b")]))
    async with app.run_test(size=(60, 6)) as pilot:
        await press(pilot, "home")
        real, written = (
            [s.text for s in app.list.render_line(y) if s.style is not None and s.style.reverse]
            for y in (1, 2)
        )
        assert real == ["<U+202E>"]
        assert written == []


async def test_entries_that_are_no_tools_are_rows_like_others() -> None:
    app = Shown(definitions([{"title": "Nameless"}, 5, None, entry("good")]))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        text = "\n".join(drawn(app.list))
        assert text.count("(no name)") == 3
        assert "good" in text


async def test_without_colour_the_cursor_and_the_groups_can_still_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        await press(pilot, "down")
        screen = app.export_screenshot(simplify=True)
        for word in ("›", "destructive", "contradictory", "≠"):
            assert word in screen


@pytest.mark.slow
async def test_five_thousand_tools_paint_only_what_is_in_sight() -> None:
    tools = definitions(entry(f"tool_{i}", read_only=i % 2 == 0) for i in range(5_000))
    app = Shown(tools)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        painted: list[int] = []
        original = app.list.draw_row

        def counting(*args: object) -> object:
            painted.append(0)
            return original(*args)  # type: ignore[arg-type]

        app.list.draw_row = counting  # type: ignore[method-assign,assignment]
        app.list.show(by_effect(filter_tools(tools, "tool 9")), total=len(tools))
        await pilot.pause()
        assert 0 < len(painted) <= 72
        app.list.select_name("tool_4999")
        await pilot.pause()
        assert any("› tool_4999 " in line for line in drawn(app.list))


async def test_only_a_row_with_a_mark_gives_cells_to_it() -> None:
    title = "Search All The Records"
    tools = definitions([entry("search_all", title, read_only=True), entry("old", read_only=True)])
    app = Shown(tools)
    async with app.run_test(size=(60, 4)) as pilot:
        await pilot.pause()
        before = drawn(app.list)[1]
        assert title in before
        app.list.mark({"old": "gone"})
        await pilot.pause()
        plain, marked = drawn(app.list)[1:3]
        assert plain == before
        assert " gone " in marked


async def test_all_names_begin_in_one_column_whether_marked_or_not() -> None:
    tools = definitions(
        [entry("get_one", "Get One", read_only=True), entry("get_two", "Get Two", read_only=True)]
    )
    app = Shown(tools)
    async with app.run_test(size=(60, 4)) as pilot:
        app.list.mark({"get_two": "new"})
        await pilot.pause()
        plain, marked = drawn(app.list)[1:3]
        assert plain.index("get_one") == marked.index("get_two")
        assert len(plain.rstrip()) == len(marked.rstrip())


async def test_the_scrollbar_is_as_long_as_the_list_that_was_narrowed() -> None:
    tools = definitions(entry(f"tool_{at:03}", read_only=True) for at in range(300))
    app = Shown(tools)
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        for count in (100, 10, 200, 15):
            app.list.show(by_effect(tools[:count]), total=len(tools))
            await pilot.pause()
            rows, height = count + 1, app.list.virtual_size.height
            assert (height, app.list.max_scroll_y) == (rows, max(0, rows - 20))
            assert app.list.show_vertical_scrollbar is (rows > 20)
            assert rows <= 20 or app.list.vertical_scrollbar.window_virtual_size == rows
