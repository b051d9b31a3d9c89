"""Rows are whole where there is room, and where there is none the one under the cursor is told."""

from __future__ import annotations

from app.screens.approval import ApprovalDialog
from tests.screens.bench_stage import bench_stage
from widgets.call_list import CallList

TITLE = "Generate a fantasy character"
REASON = "finished anyway"


async def test_a_call_keeps_its_whole_title_where_there_is_room() -> None:
    async with bench_stage(is_demo=True, size=(120, 36)) as stage:
        await stage.choose("generate_fantasy_character")
        await stage.press("f5")
        await stage.until(lambda: isinstance(stage.app.screen, ApprovalDialog), "the question")
        await stage.press("escape")
        await stage.sees("1  Generate Fantasy Character  ⊘ denied by you")


async def test_the_selected_call_is_told_whole_while_the_list_has_the_focus() -> None:
    async with bench_stage("--with", "late_after_cancel", size=(80, 24)) as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.until(lambda: stage.newest, "the call")
        await stage.press("f6")
        await stage.press("ctrl+x")
        await stage.end()
        calls = stage.app.screen.query_one(CallList)
        await stage.until(lambda: "…" in calls.render_line(0).text, "a row that is cut")
        before = calls.outer_size.height
        calls.focus()
        await stage.sees("late_after_cancel", "1 finding ·")
        await stage.until(lambda: calls.outer_size.height > before, "room for the whole row")
        rows = stage.text.split("\n")
        top = next(y for y, row in enumerate(rows) if "╭─ Calls" in row)
        told = " ".join(" ".join(rows[top + 2 : top + calls.outer_size.height - 1]).split())
        assert "cancel requested, late answer kept" in told.replace("│ │ ", "")
        await stage.press("f6")
        await stage.until(lambda: calls.outer_size.height == before, "its end")
