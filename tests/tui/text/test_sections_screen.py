"""The bundled server's list on the screen: lessons in sight, the other sections behind them."""

from __future__ import annotations

import pytest

from signoff.app.protocol.hints import Effect
from signoff.widgets.lists.tool_list import ToolList
from tests.demo.peer import COMMAND
from tests.tui.bench_stage import NARROW, bench_stage


@pytest.mark.slow
async def test_all_effects_and_sections_are_in_sight_at_once() -> None:
    async with bench_stage(is_demo=True, size=NARROW) as stage:
        await stage.sees(*(f"{one.sign} {one.value} " for one in Effect))
        await stage.sees("Gallery 33 ▸", "Conversation 22 ▸")
        await stage.sees("calculate_sum", "create_record", "delete_file", "contradictory_tool")
        await stage.press("end", "enter")
        assert stage.app.screen.query_one(ToolList).highlighted is None
        await stage.press("down")
        await stage.sees_tool("ask_every_field")
        await stage.press("up", "left", "up", "enter")
        assert stage.app.screen.query_one(ToolList).highlighted is None
        await stage.press("down")
        await stage.sees_tool("list_repositories")


@pytest.mark.slow
async def test_the_filter_finds_what_is_folded_away_and_the_choice_outlives_it() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("slash")
        await stage.type("shape")
        await stage.sees("Gallery 2", "shape_shifter", "change_definition")
        await stage.press("enter")
        await stage.sees_tool("shape_shifter")
        await stage.press("escape", "escape")
        await stage.sees("Tools 89")
        tools = stage.app.screen.query_one(ToolList)
        assert tools.highlighted is not None
        assert tools.highlighted.name == "shape_shifter"
        assert "shape_shifter" in stage.text


@pytest.mark.slow
async def test_another_server_with_the_same_words_hides_nothing() -> None:
    async with bench_stage(argv=COMMAND, size=(120, 96)) as stage:
        assert not stage.engine.server.is_bundled
        reading = sum(tool.effect is Effect.READ_ONLY for tool in stage.engine.tools)
        await stage.sees(f"○ read-only {reading}", "shape_shifter", "github_repo_summary")
        assert "Gallery" not in stage.text
        assert "more ▸" not in stage.text
