"""What the first dialogs need is brought in while the keyboard rests, and only then."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from signoff.app.tui import startup
from tests.tui.bench_stage import BenchStage, bench_stage

FOLDER = Path(startup.__file__).parent


def sheets_there(stage: BenchStage) -> list[str]:
    there = stage.app.stylesheet.has_source
    return [one for one in startup.SHEETS if there(os.path.normpath(FOLDER / one), "")]


@pytest.mark.parametrize("name", startup.MODULES)
def test_each_module_is_there(name: str) -> None:
    # One that was moved would be passed over without a word.
    assert importlib.util.find_spec(name) is not None


@pytest.mark.slow
async def test_the_style_sheets_of_dialogs_are_there_before_the_first_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "REST_SECONDS", 0.0)
    async with bench_stage("--only", "echo") as stage:
        all_sheets = list(startup.SHEETS)
        await stage.until(lambda: sheets_there(stage) == all_sheets, "the sheets")
        # Textual would parse one a second time that it knows by another name.
        await stage.press("W")
        await stage.sees("Only this call")
        paths = [path for path, name in stage.app.stylesheet.source if not name]
        assert len(paths) == len(set(map(Path, paths)))


@pytest.mark.slow
async def test_nothing_is_brought_in_while_a_person_types(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "REST_SECONDS", 600.0)
    monkeypatch.setattr(startup, "MODULES", ())
    async with bench_stage("--only", "echo") as stage:
        before = stage.app.last_input
        await stage.press("down")
        assert stage.app.last_input > before
        await stage.until(lambda: stage.app.screen.query("ToolPane"), "the other panes")
        await stage.pilot.pause(8 / startup.LOOKS_A_SECOND)
        assert sheets_there(stage) == []
