"""What stands on frames is there in a wording that fits, at 80 columns too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.screen import Screen

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.approval.policies.verdicts import Case
from signoff.app.features.audit.screen import AuditScreen
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.protocol.definitions.change_values import ListDiff
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.app.tui.tools.tools_pane import ToolsPane
from tests.tui.bench_stage import bench_stage
from tests.widgets.tool_samples import definitions, entry


async def frame_of(screen: Screen[Any], width: int, words: str) -> str:
    """The line of the screen with these words, once it is laid out."""
    app: App[None] = App()
    async with app.run_test(size=(width, 24)) as pilot:
        app.push_screen(screen)
        for _ in range(100):
            await pilot.pause(0.02)
            rows = [strip.text for strip in app.screen._compositor.render_strips()]
            found = [row for row in rows if words in row]
            if found:
                return found[0]
        raise AssertionError("\n".join(rows))


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, "Policy · verdicts on github_search_repositories, untrusted ─"),
        (
            120,
            "Policy for the next calls · verdicts on github_search_repositories, untrusted",
        ),
    ],
)
async def test_the_policies_say_whose_verdicts_they_show(width: int, words: str) -> None:
    (tool,) = definitions([entry("github_search_repositories")])
    case = Case(tool, Trust.UNTRUSTED, "demo")
    screen = PolicyScreen(built_ins(), "cautious", tool, case)
    assert words in await frame_of(screen, width, "verdicts on")


async def test_the_end_of_the_place_of_the_log_is_there(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 60) / "signoff" / "audit.jsonl"
    row = await frame_of(AuditScreen(path), 80, "Audit log")
    assert "  …/signoff/audit.jsonl ─" in row


async def test_the_keys_of_a_structured_answer_are_whole() -> None:
    screen = StructuredScreen({"a": 1}, None, tool="count_stock")
    row = await frame_of(screen, 80, "tab View")
    assert "esc Close  tab View  f Next error  / Search  y Copy value  s Save ─" in row


@pytest.mark.slow
async def test_what_changed_is_counted_on_the_frame_of_the_list() -> None:
    async with bench_stage(size=(80, 24)) as stage:
        await stage.rests()
        pane = stage.app.screen.query_one(ToolsPane)
        names = tuple(f"tool_{at}" for at in range(1_000))
        pane.mark({}, ListDiff(added=names, gone=names))
        await stage.sees("1,000 gone, 1,000 new  D Changes ─")
        await stage.resize(44, 16)
        await stage.sees("1,000 gone, 1,000 new  D Changes ─")
