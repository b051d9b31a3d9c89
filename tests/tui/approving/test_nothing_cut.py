"""Rows are whole where there is room, and where there is none the one under the cursor is told."""

from __future__ import annotations

import re

import pytest
from textual.app import App, ComposeResult

from signoff.app.approval.policies.policy import Policy
from signoff.app.features.policies.grants_screen import GrantList
from signoff.app.presentation.grants import DeniedTool
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.widgets.lists.call_list import CallList
from signoff.widgets.lists.painted_list import PaintedList
from signoff.widgets.lists.policy_list import PolicyList, PolicyRow
from tests.approved import approved
from tests.tui.bench_stage import bench_stage

PROSE = approved("tui-approval")


@pytest.mark.slow
async def test_a_call_keeps_its_whole_title_where_there_is_room() -> None:
    async with bench_stage(is_demo=True, size=(120, 36)) as stage:
        await stage.choose("generate_fantasy_character")
        await stage.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        await stage.press("escape")
        await stage.has_left(dialog)
        await stage.press("c")
        await stage.sees("1  generate_fantasy_character  ⊘ denied")


@pytest.mark.slow
async def test_the_selected_call_is_told_whole_while_the_list_has_the_focus() -> None:
    async with bench_stage("--with", "late_after_cancel", size=(80, 24)) as stage:
        await stage.choose("late_after_cancel")
        await stage.press("f5")
        await stage.until(lambda: stage.newest, "the call")
        await stage.until(lambda: stage.engine.calls[stage.newest].sent, "the sending")
        await stage.press("ctrl+x")
        await stage.end()
        await stage.press("c", "f6")
        calls = stage.app.screen.query_one(CallList)
        await stage.until(lambda: "…" in calls.render_line(0).text, "a row that is cut")
        before = calls.outer_size.height
        calls.focus()
        await stage.sees("late_after_cancel", "1 note ·")
        await stage.until(lambda: calls.outer_size.height > before, "room for the whole row")
        rows = stage.text.split("\n")
        top = next(y for y, row in enumerate(rows) if "─Calls" in row)
        told = " ".join(" ".join(rows[top + 2 : top + calls.outer_size.height]).split())
        told = told.replace("│ │ ", "")
        assert "cancelled" in told
        PROSE.holds("calls: a row that is told whole", re.sub(r"\d+\.?\d* m?s", "TIME", told))
        await stage.press("f6")
        await stage.until(lambda: calls.outer_size.height == before, "its end")


class _Lists(App[None]):
    AUTO_FOCUS = None

    def compose(self) -> ComposeResult:
        yield GrantList()
        yield PolicyList()


async def test_a_cut_policy_and_a_denied_tool_are_told_whole_at_the_cursor() -> None:
    app = _Lists()
    name = "a_tool_with_a_long_name_" * 4
    summary = "asks about everything that is not read-only, and then some more words about it"
    async with app.run_test(size=(60, 24)) as pilot:
        grants, policies = app.query_one(GrantList), app.query_one(PolicyList)
        grants.show([DeniedTool(name)])
        policies.show([PolicyRow(Policy("own", (), summary=summary), "Own policy")])
        for shown, words in ((grants, name), (policies, summary)):
            assert words.replace(" ", "") not in _drawn(shown)
            shown.focus()
            await pilot.pause()
            assert words.replace(" ", "") in _drawn(shown)


def _drawn(shown: PaintedList) -> str:
    """All that is on its lines, without the spaces."""
    text = "".join(shown.render_line(y).text for y in range(shown.size.height))
    return text.replace(" ", "")
