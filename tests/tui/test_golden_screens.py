"""The screens that matter, as text. UPDATE_GOLDEN=1 writes them anew; read the diff then."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.containers import VerticalScroll

from signoff.app.engine.events import ServerChanged
from signoff.app.protocol.server import Phase
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage, screen_text

FOLDER = Path(__file__).resolve().parent.parent / "golden"


async def check(stage: BenchStage, name: str) -> None:
    """Compare the screen, once it rests, with its golden text."""
    stage.engine._connection.server = replace(stage.engine.server, pid=4711)
    stage.engine._publish(ServerChanged())
    await stage.rests()
    shown = re.sub(r"\d\.\d s", "0.0 s", screen_text(stage.app))
    file = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


@pytest.mark.slow
async def test_bench_side_by_side() -> None:
    async with bench_stage(is_demo=True, size=WIDE, command="signoff-demo") as stage:
        await stage.choose("delete_file")
        await check(stage, "bench-120x36")


@pytest.mark.slow
async def test_bench_as_tabs() -> None:
    async with bench_stage(is_demo=True, size=NARROW, command="signoff-demo") as stage:
        await stage.choose("delete_file")
        await check(stage, "tools-80x24")
        await stage.press("enter")
        await stage.sees("╭─ delete_file", "path *")
        await stage.in_field()
        await stage.press("shift+tab")
        await stage.until(lambda: isinstance(stage.app.focused, VerticalScroll))
        await stage.press("home")
        await check(stage, "tool-80x24")


@pytest.mark.slow
async def test_invalid_answer() -> None:
    async with bench_stage("--only", "structured_mismatch", size=(100, 30), command="raw") as stage:
        await stage.call("structured_mismatch")
        await stage.sees("does not match its output schema", "structuredContent differ")
        await check(stage, "invalid-answer-100x30")


async def test_failed_start() -> None:
    async with bench_stage(
        "--die-at-start", "3", size=NARROW, command="raw --die-at-start 3", is_listed=False
    ) as stage:
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED)
        await stage.sees("could not be reached", "flux capacitor")
        await check(stage, "failed-start-80x24")


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
async def test_what_is_offered_beside_tools(size: tuple[int, int]) -> None:
    async with bench_stage(is_demo=True, size=size, command="signoff-demo") as stage:
        await stage.until(lambda: stage.engine.offers.has_any)
        await stage.press("P")
        await stage.sees("resources 9", "templates 2", "prompts 3")
        await check(stage, f"offers-{size[0]}x{size[1]}")
