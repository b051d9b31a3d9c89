"""What stands on frames and at the foot fits at any width, and shows in few colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.color import Color, ColorSystem
from textual.app import App, ComposeResult
from textual.screen import Screen

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.approval.policies.verdicts import Case
from signoff.app.features.audit.screen import AuditScreen
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.protocol.definitions.change_values import ListDiff
from signoff.app.protocol.server import Trust
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.app.tui.appearance import DARK_THEME, FEW_COLOURS, has_few_colours
from signoff.app.tui.tools.tools_pane import ToolsPane
from signoff.widgets import key_footer
from signoff.widgets.lists.policy_list import PolicyList
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.matrix.grid import MatrixGrid
from tests.bindings import bindings
from tests.tui.bench_stage import BenchStage, bench_stage
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


ALWAYS = ("f5 Call", "f1 Help", "ctrl+q Quit")


def footer(stage: BenchStage) -> str:
    return stage.text.split("\n")[-1]


async def has_keys(stage: BenchStage, where: str) -> None:
    await stage.until(lambda: all(key in footer(stage) for key in ALWAYS), f"{ALWAYS} in {where}")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (44, 12)])
async def test_call_help_and_quit_stay_in_every_pane(size: tuple[int, int]) -> None:
    async with bench_stage(size=size) as stage:
        await has_keys(stage, "the list")
        await stage.choose("slow")
        await stage.press("f5")
        await stage.until(lambda: stage.engine.calls, "a call")
        for _ in range(5):
            await stage.press("f6")
            await has_keys(stage, f"{stage.app.focused} with a running call")
        await stage.press("f3")
        await has_keys(stage, "the filter")
        await stage.press("ctrl+x")
        await stage.end()
        await has_keys(stage, "the end")


@pytest.mark.slow
async def test_no_key_is_cut_a_wider_window_shows_more_and_names_the_matrix() -> None:
    async with bench_stage(size=(44, 18)) as stage:
        await has_keys(stage, "44 columns")
        assert "g Regroup" not in footer(stage)
        await stage.resize(120, 36)
        await stage.until(lambda: "g Regroup" in footer(stage), "more keys")
        await stage.resize(44, 18)
        await stage.until(lambda: "g Regroup" not in footer(stage), "fewer keys")
        await has_keys(stage, "44 columns again")
        await stage.resize(80, 24)
        await has_keys(stage, "80 columns")
        assert "f2 All hosts" in footer(stage)
        assert "ctrl+t" in stage.text.split("\n")[0]


def test_every_action_with_a_rank_of_its_own_has_a_key() -> None:
    known = {binding.action for _, binding in bindings()}
    ranked = [name for names in key_footer.ALWAYS for name in names]
    assert [one for one in ranked if one.removeprefix("app.") not in known] == []


BRIGHT_RED = 9


def on_a_console(name: str) -> int | None:
    return Color.parse(FEW_COLOURS.variables[name]).downgrade(ColorSystem.STANDARD).number


@pytest.mark.parametrize(
    ("environ", "has_few"),
    [
        ({"TERM": "linux"}, True),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({}, False),
    ],
)
def test_only_the_console_of_linux_has_few_colours(environ: dict[str, str], has_few: bool) -> None:
    assert has_few_colours(environ) is has_few


def test_what_destroys_is_bright_red_on_a_console() -> None:
    assert on_a_console("text-error") == BRIGHT_RED
    marks = ("text-error", "text-success", "text-warning", "text-primary")
    assert len({on_a_console(one) for one in marks}) == len(marks)
    decisions = ("error-muted", "warning-muted", "success-muted")
    assert len({on_a_console(one) for one in decisions}) == len(decisions)
    assert FEW_COLOURS.name == DARK_THEME.name


async def test_without_colour_a_tool_that_runs_is_not_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    class Shown(App[None]):
        def compose(self) -> ComposeResult:
            yield ToolList()
            yield PolicyList()
            yield MatrixGrid()

    app = Shown()
    async with app.run_test(size=(80, 24)):
        for kind, prefix in (
            (ToolList, "tool-list"),
            (PolicyList, "policy-list"),
            (MatrixGrid, "matrix"),
        ):
            shown = app.query_one(kind)
            run, ask = (shown.get_component_styles(f"{prefix}--{one}") for one in ("run", "ask"))
            contrast = abs(run.background.brightness - ask.background.brightness)
            assert contrast > 0.1, kind
