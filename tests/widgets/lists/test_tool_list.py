from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool import Grouping, ToolDefinition, filter_tools, group_tools
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.lists.tool_rows import HostCells
from signoff.widgets.matrix.rows import CellWord
from tests.approved import approved
from tests.showing import Stage, showing
from tests.widgets.tool_samples import (
    HOSTILE,
    SAMPLE,
    assert_inert,
    by_effect,
    definitions,
    entry,
    painted_by,
)

PROSE = approved("widgets")
TOOLS = definitions(SAMPLE)
FIFTY = [entry(f"tool_{i}", read_only=True) for i in range(50)]


async def show(stage: Stage[ToolList], tools: Iterable[ToolDefinition], total: int = 50) -> None:
    stage.widget.show(by_effect(tools), total=total)
    await stage.pause()


@asynccontextmanager
async def listed(
    tools: tuple[ToolDefinition, ...] = TOOLS, size: tuple[int, int] = (60, 20)
) -> AsyncIterator[Stage[ToolList]]:
    """The list of these tools, which has the focus."""
    async with showing(ToolList(), size=size) as stage:
        stage.widget.focus()
        await show(stage, tools, len(tools))
        yield stage


def name_of(stage: Stage[ToolList]) -> str | None:
    tool = stage.widget.highlighted
    return tool.name if tool else None


def chosen(stage: Stage[ToolList]) -> list[str]:
    return [one.row.name for one in stage.posted(ToolList.Chosen)]


async def test_draws_headings_titles_names_signs_and_other_groupings() -> None:
    async with listed(size=(46, 14)) as stage:
        assert stage.drawn[:12] == [
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
        stage.widget.show(group_tools(TOOLS, Grouping.WORLD), total=len(TOOLS))
        await stage.pause()
        assert stage.drawn[0] == "  ↗ open world 3"
        assert any("delete_file" in line and line.endswith("! ◇ =") for line in stage.drawn)


@pytest.mark.parametrize(("width", "count"), [(30, 2), (46, 3), (90, 3)])
async def test_hosts_have_columns_that_go_before_a_short_name_is_cut(
    width: int, count: int
) -> None:
    words = [
        CellWord("run", "run", "°"),
        CellWord("ASK", "strong", "*"),
        CellWord("ref", "refused"),
    ]
    async with listed(size=(width, 14)) as stage:
        stage.widget.fit_names(TOOLS)
        stage.widget.show_hosts(HostCells(["VSC", "Cod", "Zed"]))
        await stage.pause()
        pending = stage.drawn
        stage.widget.show_hosts(HostCells(["VSC", "Cod", "Zed"], lambda tool: words))
        await stage.pause()
        rows = stage.drawn
        assert stage.widget.hosts_in_sight == count
        shown = "run°ASK ref"[: 4 * count].rstrip()
        assert any(row.endswith(shown) and "calculate_sum" in row for row in rows)
        assert any("contra" in row and row.endswith("*") for row in rows)
        assert [row[:20].rstrip() for row in rows] == [row[:20].rstrip() for row in pending]
        assert not any("◇" in row for row in rows)


async def test_what_is_not_called_like_other_tools_has_a_word_in_the_list() -> None:
    plain, task, app_only = entry("plain"), entry("long_one"), entry("refresh")
    task["execution"] = {"taskSupport": "required"}
    app_only["_meta"] = {"ui": {"visibility": ["app"]}}
    async with listed(definitions([plain, task, app_only]), size=(46, 6)) as stage:
        assert stage.drawn[1].endswith("      ↗")
        assert stage.drawn[2].endswith(" task ↗   ·")
        assert stage.drawn[3].endswith(" app  ↗   *")
        stage.widget.mark({"refresh": "new"})
        await stage.pause()
        assert stage.drawn[3].endswith(" new  ↗   *")
        await show(stage, definitions([plain]))
        stage.widget.mark({})
        await stage.pause()
        assert stage.drawn[1] == "  › plain" + " " * 32 + "↗"


@pytest.mark.parametrize(
    ("title", "width", "has_title"),
    [("Search Files!", 56, False), ("Every file", 56, True), ("Weather", 24, False)],
    ids=["the same words", "other words", "no room"],
)
async def test_a_title_that_adds_something_is_shown_if_the_name_leaves_room(
    title: str, width: int, has_title: bool
) -> None:
    async with listed(definitions([entry("search_files", title)]), size=(width, 5)) as stage:
        name, _, rest = stage.drawn[1].partition("search_files")
        assert name == "  › "
        assert (title in rest) is has_title


async def test_a_name_is_whole_if_it_fits_and_cut_with_an_ellipsis_else() -> None:
    long = "a_rather_long_name_of_a_tool_" * 5
    tools = definitions([entry("short_name", "A title that is quite long for a list"), entry(long)])
    async with listed(tools) as stage:
        for width in (30, 44, 60, 100, 120):
            await stage.resize(width, 6)
            lines = stage.drawn
            assert any("short_name" in line for line in lines)
            assert any("a_rather" in line and "…" in line and "_tool_ " in line for line in lines)
            assert_inert(stage.widget)


async def test_keys_move_over_headings_and_page() -> None:
    tools = definitions(entry(f"tool_{i}", read_only=True) for i in range(100))
    async with listed(tools, size=(60, 10)) as stage:
        for keys, name in (
            ("down j", "tool_2"),
            ("k up", "tool_0"),
            ("up", None),
            ("end", "tool_99"),
            ("pageup", "tool_89"),
            ("home pagedown", "tool_9"),
            ("ctrl+d", "tool_14"),
            ("ctrl+u", "tool_9"),
        ):
            await stage.press(*keys.split())
            assert name_of(stage) == name, keys
            assert name is None or any(f"› {name} " in line for line in stage.drawn)


async def test_every_move_is_announced_repaints_two_lines_and_enter_chooses() -> None:
    async with listed() as stage:
        with painted_by(stage.widget, "render_line") as painted:
            await stage.press("down")
        assert {y for (y,) in painted} == {1, 2}
        await stage.press("down", "down", "enter")
        rows = [one.row for one in stage.posted(ToolList.Highlighted)]
        names = [row and row.name for row in rows]
        assert names == ["calculate_sum", "search_files", None, "create_record"]
        assert chosen(stage) == ["create_record"]


async def test_headings_fold_and_a_selected_name_unfolds_them() -> None:
    async with listed() as stage:
        await stage.press("left")
        assert stage.drawn[:2] == ["› ○ read-only 2 ▸ folded", "  + additive 1"]
        await stage.press("right", "down")
        assert name_of(stage) == "calculate_sum"
        for key in ("enter", "space"):
            await stage.press("home", key)
            assert "folded" in stage.drawn[0]
            await stage.press(key)
            assert "folded" not in stage.drawn[0]
        assert chosen(stage) == []
        await stage.press("left")
        assert not stage.widget.select_name("SEARCH_FILES")
        assert stage.widget.select_name("search_files")
        await stage.pause()
        assert name_of(stage) == "search_files"
        assert stage.posted(ToolList.Highlighted)[-1].row is TOOLS[1]


async def test_clicks_select_and_double_clicks_choose() -> None:
    async with listed() as stage:
        await stage.click(10, 6)
        assert (name_of(stage), chosen(stage)) == ("delete_file", [])
        await stage.pilot.click(ToolList, offset=(10, 6), times=2)
        await stage.pause()
        assert chosen(stage) == ["delete_file"]
        await stage.click(5, 0)
        assert "folded" in stage.drawn[0]
        await stage.click(5, 19)
        assert name_of(stage) is None


async def test_scrolling_leaves_the_cursor_and_a_resize_keeps_it_in_sight() -> None:
    tools = definitions(entry(f"tool_{i}", read_only=True) for i in range(100))
    async with listed(tools) as stage:
        stage.widget.scroll_to(y=40, animate=False)
        await stage.pause()
        assert name_of(stage) == "tool_0"
        await show(stage, tools)
        assert stage.widget.scroll_offset.y == 40
        await stage.press("down")
        assert any("› tool_1 " in line for line in stage.drawn)
        stage.widget.select_name("tool_15")
        await stage.resize(60, 8)
        assert any("› tool_15 " in line for line in stage.drawn)
        stage.widget.scroll_to(y=60, animate=False)
        await stage.resize(50, 12)
        assert stage.widget.scroll_offset.y == 60, "it is not fetched from afar"


class AtTheFirstTool(ToolList):
    def on_mount(self) -> None:
        self.show(by_effect(TOOLS), total=len(TOOLS))
        self.leave_heading()


@pytest.mark.parametrize("height", [1, 2, 5])
async def test_a_cursor_that_was_put_there_before_there_was_room_hides_no_heading(
    height: int,
) -> None:
    async with showing(AtTheFirstTool(), size=(46, height)) as stage:
        rows = [row for row in stage.drawn if row]
        assert rows[min(height - 1, 1)].startswith("  › calculate_sum")
        assert height == 1 or rows[0] == "  ○ read-only 2"


async def test_the_cursor_stays_on_its_tool_when_tools_come_go_and_move() -> None:
    async with listed(definitions(FIFTY), size=(60, 10)) as stage:
        stage.widget.select_name("tool_20")
        await stage.pause()
        for changed in (
            [entry("new_at_the_top", read_only=True), *FIFTY],
            FIFTY[10:],
            list(reversed(FIFTY)),
            [*FIFTY[:20], entry("tool_20", destructive=True), *FIFTY[21:]],
            FIFTY,
        ):
            await show(stage, definitions(changed))
            assert name_of(stage) == "tool_20"
            assert any("› tool_20 " in text for text in stage.drawn)
        await stage.press("up", "up")
        before = next(i for i, text in enumerate(stage.drawn) if "›" in text)
        await show(stage, definitions([entry("a", read_only=True), *FIFTY]))
        assert "› tool_18 " in stage.drawn[before], "the line on the screen is another"


async def test_a_tool_that_is_gone_gives_its_place_to_the_one_at_its_index() -> None:
    async with listed(definitions(FIFTY[:5])) as stage:
        stage.widget.select_name("tool_3")
        renamed = definitions([*FIFTY[:3], entry("renamed", read_only=True), FIFTY[4]])
        for tools, name in ((renamed, "renamed"), (definitions(FIFTY[:2]), "tool_1")):
            await show(stage, tools)
            assert name_of(stage) == name
        same = definitions([entry("same", "One"), entry("same", "Two"), entry("same", "Three")])
        await show(stage, same)
        await stage.press("home", "down", "down")
        await show(stage, same)
        assert stage.widget.highlighted is same[1], "of one name, the one at its place"


async def test_an_empty_list_says_so_and_the_cursor_comes_back() -> None:
    async with listed(()) as stage:
        PROSE.holds("tools: none listed", stage.drawn[0])
        await show(stage, TOOLS)
        stage.widget.select_name("delete_file")
        await show(stage, filter_tools(TOOLS, "zzz"), len(TOOLS))
        PROSE.holds("tools: none matches", stage.drawn[0])
        assert stage.widget.highlighted is None
        assert stage.posted(ToolList.Highlighted)[-1].row is None
        await stage.press("down", "enter", "space", "left", "end", "pageup")
        await show(stage, TOOLS)
        assert name_of(stage) == "delete_file"


async def test_hostile_names_and_titles_are_literal_and_marks_are_inverse() -> None:
    tools = definitions(entry(text, text[::-1]) for text in HOSTILE)
    async with listed(tools) as stage:
        for width in (30, 80, 120):
            await stage.resize(width, 24)
            for key in ("home", *["down"] * len(HOSTILE)):
                await stage.press(key)
                assert_inert(stage.widget)
            assert all(one in stage.text for one in ("[red]x[/]", "␛[2J", "<U+202E>"))
            for y in range(1, 24, 6):
                await stage.click(6, y)
        assert stage.app.is_running
        odd: list[JsonValue] = [
            {"title": "Nameless"},
            5,
            None,
            entry("a\u202eb"),
            entry("a<U+202E>b"),
        ]
        await show(stage, definitions(odd))
        assert stage.text.count("(no name)") == 3, "entries that are not tools are rows as well"
        inverse = [
            segment.text
            for y, row in enumerate(stage.drawn)
            for segment in stage.widget.render_line(y)
            if "a<U+202E>b" in row and segment.style is not None and segment.style.reverse
        ]
        assert inverse == ["<U+202E>"], "the same characters written out have no mark"


async def test_the_cursor_and_the_groups_show_without_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with listed() as stage:
        await stage.press("down")
        screen = stage.app.export_screenshot(simplify=True)
        assert all(word in screen for word in ("›", "destructive", "contradictory", "≠"))


@pytest.mark.slow
async def test_five_thousand_tools_paint_only_what_is_in_sight() -> None:
    tools = definitions(entry(f"tool_{i}", read_only=i % 2 == 0) for i in range(5_000))
    async with listed(tools, size=(80, 24)) as stage:
        with painted_by(stage.widget, "draw_row") as painted:
            await show(stage, filter_tools(tools, "tool 9"))
        assert 0 < len(painted) <= 72
        stage.widget.select_name("tool_4999")
        await stage.pause()
        assert any("› tool_4999 " in line for line in stage.drawn)


async def test_only_a_row_with_a_mark_gives_cells_to_it_and_all_names_begin_in_one_column() -> None:
    title = "Search All The Records"
    tools = definitions([entry("search_all", title, read_only=True), entry("old", read_only=True)])
    async with listed(tools, size=(60, 4)) as stage:
        before = stage.drawn[1]
        assert title in before
        stage.widget.mark({"old": "gone"})
        await stage.pause()
        plain, marked = stage.drawn[1:3]
        assert plain == before
        assert " gone " in marked
        assert plain.index("search_all") == marked.index("old")
        assert len(plain) == len(marked)


async def test_the_scrollbar_is_as_long_as_the_list_that_was_narrowed() -> None:
    tools = definitions(entry(f"tool_{at:03}", read_only=True) for at in range(300))
    async with listed(tools, size=(40, 20)) as stage:
        shown = stage.widget
        for count in (100, 10, 200, 15):
            await show(stage, tools[:count])
            rows, height = count + 1, shown.virtual_size.height
            assert (height, shown.max_scroll_y) == (rows, max(0, rows - 20))
            assert shown.show_vertical_scrollbar is (rows > 20)
            assert rows <= 20 or shown.vertical_scrollbar.window_virtual_size == rows
