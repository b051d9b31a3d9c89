"""Nothing that a server says becomes markup, an action or a control sequence on any screen."""

from __future__ import annotations

import pytest

from signoff.app.protocol.server import Trust
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage
from tests.widgets.hostile import assert_harmless


async def test_hostile_tools() -> None:
    async with bench_stage("--hostile", "--malformed-tool", size=(100, 30)) as stage:
        assert_harmless(stage.strips)
        pane = stage.pane
        hostile = [tool for tool in stage.engine.tools if tool.name.startswith("hostile_")]
        assert len(hostile) > 10
        for tool in hostile:
            pane.show(tool)
            await stage.pilot.pause()
            assert_harmless(stage.strips)
        await stage.press("end")
        assert_harmless(stage.strips)

        await stage.choose("hostile_clipboard")
        await stage.press("f4")
        for _ in range(4):
            assert_harmless(stage.strips)
            await stage.press("tab")
        assert stage.app.is_running


async def ask_and_answer(stage: BenchStage, tool: str) -> None:
    await stage.choose(tool)
    await stage.press("f5")
    await stage.sees("Approve this call?")
    assert_harmless(stage.strips)
    await stage.no_longer_sees("moment")
    assert_harmless(stage.strips)
    await stage.press("escape")
    await stage.end()
    assert_harmless(stage.strips)


@pytest.mark.slow
async def test_hostile_questions() -> None:
    async with bench_stage("--hostile", size=NARROW, trust=Trust.UNTRUSTED) as stage:
        await ask_and_answer(stage, "hostile_markup_action")


@pytest.mark.slow
async def test_hostile_answers() -> None:
    async with bench_stage(
        "--with", "all", "--instructions", "\x1b[2J[@click=app.quit]x[/]"
    ) as stage:
        for tool in ("hostile_answer", "error", "progress_hostile", "colours", "noise"):
            await stage.choose(tool)
            await stage.press("f5")
            assert_harmless(stage.strips)
            await stage.end()
            await stage.pilot.pause(0.1)
            assert_harmless(stage.strips)
        await stage.press("f8")
        assert_harmless(stage.strips)
        await stage.press("escape", "f9")
        for _ in range(5):
            assert_harmless(stage.strips)
            await stage.press("tab")
        await stage.press("escape")
        assert stage.app.is_running
