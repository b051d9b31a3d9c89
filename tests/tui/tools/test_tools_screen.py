"""The list of tools: filtering, grouping, trust, and a pane that follows a resting cursor."""

from __future__ import annotations

import time

import pytest
from textual.widgets import Input

from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import Grouping
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.tools import tools_pane
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.app.tui.tools.tools_pane import legend
from signoff.widgets.lists.tool_list import ToolList
from tests.approved import approved
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.regions import notices, seen

PROSE = approved("tui-tools")


@pytest.mark.slow
async def test_filter_group_and_trust() -> None:
    async with bench_stage(is_demo=True, size=(120, 70), trust=Trust.UNTRUSTED) as stage:
        total = len(stage.engine.tools)
        await stage.sees(f"Tools {total}", "by effect", "○ read-only", "! destructive 6")

        await stage.press("slash")
        await stage.paste("delete_")
        await stage.sees(f"Tools 3 of {total}", "github_delete_branch", "delete_user")
        assert "calculate_fibonacci" not in stage.text
        await stage.press("down")
        assert isinstance(stage.app.focused, ToolList)
        await stage.sees_tool("delete_file")
        await stage.press("escape")
        await stage.sees(f"Tools {total}")

        await stage.press("o")
        await stage.sees("read-only ones")
        assert "! destructive 6" not in stage.text
        await stage.press("o")
        await stage.press("g")
        await stage.sees("by world", "closed world")
        await stage.press("g", "g")
        await stage.sees("by effect")

        await stage.choose("calculate_sum")
        await stage.sees("untrusted ctrl+t", "Then it asks")
        await stage.trust()
        await stage.sees("Then it runs")
        assert "untrusted" not in stage.text.split("\n")[0]
        await stage.click_on("trusted ctrl+t")
        await stage.sees("untrusted ctrl+t", "Then it asks")


@pytest.mark.slow
async def test_nothing_matches_and_the_filter_is_typed_anew_however_it_was_reached() -> None:
    async with bench_stage() as stage:
        await stage.press("f3")
        await stage.type("zzz")
        await stage.sees("Tools 0 of 8")
        PROSE.holds("tools: none matches", seen(stage.app.screen.query_one(ToolList)))
        await stage.press("enter", "f5", "f12", "f11", "f4", "ctrl+enter")
        await stage.sees("No tool matches")
        PROSE.holds("tools notice: none matches", "\n".join(set(notices(stage.app).split("\n"))))
        assert isinstance(stage.app.screen, MainScreen)
        assert stage.newest == 0
        await stage.press("escape")
        await stage.sees("Tools 8")
        assert isinstance(stage.app.focused, ToolList)
        await stage.press("f3")
        await stage.type("zzz")
        await stage.sees("Tools 0 of 8")
        await stage.press("f3")
        await stage.type("slow")
        await stage.sees("Tools 1 of 8")
        await stage.press("down", "f3")
        await stage.type("zzz")
        await stage.sees("Tools 0 of 8")
        assert stage.app.screen.query_one("#filter", Input).value == "zzz"


@pytest.mark.slow
async def test_no_match_chooses_nothing_on_its_way_and_a_match_what_is_meant() -> None:
    async with bench_stage(is_demo=True, size=(120, 36)) as stage:
        for chosen, words in (("launch_confetti", "qqq"), ("delete_file", "zzz")):
            await stage.choose(chosen)
            await stage.press("f3")
            await stage.type(words)
            await stage.sees("Tools 0 of 89")
            await stage.press("escape")
            await stage.sees("Tools 89")
            await stage.sees_tool(chosen)
            highlighted = stage.app.screen.query_one(ToolList).highlighted
            assert highlighted is not None
            assert highlighted.name == chosen
        await stage.choose("shape_shifter")
        await stage.press("f3")
        await stage.type("definition")
        await stage.sees_tool("change_definition")
        await stage.press("escape")
        assert isinstance(stage.app.focused, ToolList)
        await stage.press("slash")
        await stage.type("process")
        tools = stage.app.screen.query_one(ToolList)
        assert tools.highlighted is not None
        assert tools.highlighted.name == "bulk_process_files"
        await stage.press("enter")
        assert stage.pane.has_focus_within
        await stage.sees_tool(tools.highlighted.name)


@pytest.mark.slow
async def test_five_thousand_tools_stay_fluid() -> None:
    async with bench_stage("--tools", "4992") as stage:
        await stage.sees("Tools 5,000")
        pane = stage.pane
        shown: list[str] = []
        show = pane.show

        def count(tool, *, is_relisted=False):  # type: ignore[no-untyped-def]
            if tool is not pane.tool:
                shown.append(tool.name)
            show(tool, is_relisted=is_relisted)

        pane.show = count  # type: ignore[method-assign]
        started = time.monotonic()
        await stage.press(*["down"] * 15)
        took = time.monotonic() - started
        tool = stage.app.screen.query_one(ToolList).highlighted
        assert tool is not None
        await stage.sees_tool(tool.name)
        # The first press comes after a rest, and the last one before a rest.
        assert len(shown) <= 2 + took / 0.1, "the pane follows only where the cursor rests"
        assert shown[-1] == tool.name

        await stage.press("slash")
        await stage.type("4990")
        await stage.sees("Tools 1 of 5,000", "generated_4990")
        await stage.sees_tool("generated_4990")


@pytest.mark.slow
async def test_every_verb_is_in_the_palette_even_while_text_is_typed() -> None:
    async with bench_stage() as stage:
        await stage.choose("delete_thing")
        await stage.press("enter")
        await stage.until(lambda: stage.app.focused is not stage.app.screen.query_one(ToolList))
        commands = {one.title for one in stage.app.get_system_commands(stage.app.screen)}
        for verb in (
            "Call (f5)",
            "Filter (f3)",
            "Regroup (g)",
            "Read-only (o)",
            "Definition (f4)",
            "Zoom (f7)",
            "Steps (f8)",
            "Plain (m)",
            "Trust (ctrl+t)",
            "Server (f9)",
            "JSON (ctrl+j)",
            "Quit (ctrl+q)",
            "Theme: dark",
        ):
            assert verb in commands
        words = {one.partition(" (")[0] for one in commands}
        assert not words & {"Fold", "Unfold", "Next pane", "Previous pane", "Next page", "Back"}
        await stage.press("ctrl+p")
        await stage.sees("Search for")
        await stage.type("regr")
        await stage.sees("Regroup (g)")
        await stage.press("enter")
        await stage.sees("by world")


@pytest.mark.parametrize("width", [24, 26, 38, 80])
@pytest.mark.parametrize("grouping", list(Grouping))
def test_the_legend_parts_no_sign_from_its_word(grouping: Grouping, width: int) -> None:
    lines = legend(grouping, width).split("\n")
    assert all(len(line) <= width for line in lines)
    assert len(lines) <= 7
    words = [entry for line in lines for entry in line.split("  ")]
    world = ["◇ closed world", "↗ open world", *(["dim: by default"] if width >= 30 else [])]
    signs = [*world, "= idempotent", "* finding"]
    assert words[: len(signs)] == signs
    assert len(words) == len(signs) + (0 if grouping is Grouping.EFFECT else 5)
    more = legend(grouping, width, has_addressed=True)
    assert "▲ addresses a model" in more
    assert all(len(line) <= width for line in more.split("\n"))


@pytest.mark.parametrize("width", [24, 38, 80])
def test_the_legend_names_the_hosts_of_the_columns(width: int) -> None:
    lines = legend(Grouping.EFFECT, width, ["VS Code", "Copilot for Eclipse"]).split("\n")
    assert all(len(line) <= width for line in lines)
    words = [entry for line in lines for entry in line.split("  ")]
    assert words == ["VSC VS Code", "CoE Copilot for Eclipse", "° measured", "* finding"]


@pytest.mark.slow
async def test_a_cursor_that_has_rested_takes_the_pane_along_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.choose("calculate_sum")
        screen = stage.app.screen
        pane, tools = screen.query_one(ToolPane), screen.query_one(ToolList)
        monkeypatch.setattr(tools_pane, "SETTLE_SECONDS", 50.0)
        screen.query_one(tools_pane.ToolsPane)._moved_at -= 50.0
        await stage.press("down")
        first = tools.highlighted
        assert first is not None
        assert first.name != "calculate_sum"
        await stage.sees_tool(first.name)
        await stage.press("down", "down")
        assert tools.highlighted is not first
        assert pane.tool is first


def rows_in_sight(stage: BenchStage) -> list[str]:
    """The rows of the list as they are drawn."""
    tools = stage.app.screen.query_one(ToolList)
    return [tools.render_line(y).text.rstrip() for y in range(tools.size.height)]


@pytest.mark.slow
async def test_after_a_filter_the_list_looks_as_before_unless_a_tool_was_chosen_in_it() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("down", "down")
        tools = stage.app.screen.query_one(ToolList)
        assert tools.highlighted is not None
        chosen = tools.highlighted.name
        await stage.sees_tool(chosen)
        before = rows_in_sight(stage)
        for words in ("order", "delete_note_zzz", "web"):
            await stage.press("slash", *words)
            await stage.press("escape")
            await stage.sees_tool(chosen)
            await stage.rests()
            assert rows_in_sight(stage) == before
        await stage.press("slash", *"order_some", "enter")
        await stage.sees_tool("order_something")
        await stage.press("slash", "escape")
        await stage.sees_tool("order_something")
