"""A console of 16 colours, and none at all: what is strongest stays so, and run is not like ask."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem
from textual.app import App, ComposeResult

from signoff.app.tui.appearance import DARK_THEME, FEW_COLOURS, has_few_colours
from signoff.widgets.lists.policy_list import PolicyList
from signoff.widgets.lists.tool_list import ToolList
from signoff.widgets.matrix.grid import MatrixGrid

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
