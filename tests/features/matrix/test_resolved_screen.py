"""The matrix with hints that a server resolves: the key, the arguments, both decisions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Static

from signoff.app.features.matrix.resolved_screen import ResolvedScreen
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.protocol.wire.reading import read
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.matrix.grid import MatrixGrid
from tests.approved import approved
from tests.engine.opened import opened
from tests.tiers import first_quick
from tests.tui.bench_stage import NARROW, WIDE
from tests.tui.regions import whole
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")
DRAFT = ("tool-resolution",)


@asynccontextmanager
async def on_matrix(
    mode: str = "honest",
    tool: str = "manage",
    *,
    size: tuple[int, int] = NARROW,
    experimental: tuple[str, ...] = DRAFT,
) -> AsyncIterator[ScreenStage]:
    """The matrix with its cursor on a tool of the scripted server."""
    async with (
        opened("--resolution", mode, "--era", "modern", experimental=experimental) as it,
        screen_stage(it.engine, size=size) as stage,
    ):
        stage.at_desk(tool).show_matrix()
        await stage.is_open(MatrixScreen)
        await stage.sees(tool)
        yield stage


async def opens(stage: ScreenStage) -> ResolvedScreen:
    await stage.press("b")
    await stage.is_open(ResolvedScreen)
    screen = stage.screen
    assert isinstance(screen, ResolvedScreen)
    return screen


def told(stage: ScreenStage) -> str:
    return whole(stage.screen.query_one("#told", Static))


@pytest.mark.parametrize("size", first_quick([NARROW, WIDE]))
async def test_decisions_by_static_and_resolved_hints_are_side_by_side(
    size: tuple[int, int],
) -> None:
    async with on_matrix(size=size) as stage:
        await stage.sees("b If resolved")
        screen = await opens(stage)
        PROSE.holds("if resolved: before the arguments are sent", stage.whole("#told"))
        screen.query_one(TextEditor).load_text('{"action": "read"}')
        await stage.press("f5")
        await stage.sees("would decide", "openWorld")
        text = stage.text
        assert "readOnly" in text
        changed = [row.partition("│ * ")[2].split() for row in text.split("\n")]
        assert ["readOnly", "false", "true"] in [row[:3] for row in changed]
        before = text
        await stage.press("pagedown")
        await stage.until(lambda: stage.text != before, "the rows below")
        screen.query_one(TextEditor).load_text('{"action": "delete"}')
        await stage.press("f5")
        await stage.until(lambda: "No host would" in told(stage), "the other decisions")
        await stage.press("escape")
        await stage.is_open(MatrixScreen)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "JSON"),
        ("[]", "a JSON object"),
        ('{"action": "burn"}', "do not match the input schema"),
        ('{"action": "read", "password": "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"}', "secret"),
    ],
)
async def test_what_is_not_sent_has_a_reason(text: str, words: str) -> None:
    async with on_matrix() as stage:
        screen = await opens(stage)
        screen.query_one(TextEditor).load_text(text)
        await stage.press("f5")
        await stage.until(lambda: words in told(stage), words)
        assert told(stage).startswith("▲ ")
        frames = stage.engine.link.wire.since(0)
        assert "tools/resolve" not in [read(one).method for one in frames]


async def test_an_error_of_the_server_is_shown() -> None:
    async with on_matrix("-32603") as stage:
        screen = await opens(stage)
        screen.query_one(TextEditor).load_text('{"action": "read"}')
        await stage.press("f5")
        await stage.until(lambda: "error -32603" in told(stage), "the error")


async def test_a_tool_that_is_not_marked_has_nothing_to_resolve() -> None:
    async with on_matrix(tool="echo") as stage:
        await stage.press("b")
        await stage.is_told("does not mark this tool as resolvable")
        assert isinstance(stage.screen, MatrixScreen)


async def test_without_the_draft_there_is_no_key() -> None:
    async with on_matrix(experimental=()) as stage:
        assert "If resolved" not in stage.text
        await stage.press("b")
        assert isinstance(stage.screen, MatrixScreen)
        assert stage.screen.query_one(MatrixGrid).row is not None
