"""One key saves what was done in the session as a flow file."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import Vertical
from textual.widgets import Static

from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.features.flows.reading import read_flow
from signoff.app.features.flows.run.recorder import FlowRecorder
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.main.main_screen import MainScreen
from tests.approved import approved
from tests.tui.bench_stage import bench_stage

TEXTS = approved("tui-main")


@pytest.mark.slow
async def test_what_was_done_is_saved_where_the_person_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recorded.flow.yaml").write_text("mine")
    recorder = FlowRecorder("", read_target(SessionOptions(is_bundled=True)))
    async with bench_stage(is_demo=True) as stage:
        recorder.attach(stage.engine)
        screen = stage.app.screen
        assert isinstance(screen, MainScreen)
        screen._opening.recorded = recorder.text
        await stage.press("alt+r")
        TEXTS.holds("flow: nothing to save", await stage.notice())
        (tool,) = [one for one in stage.engine.tools if one.name == "calculate_sum"]
        await stage.engine.ended(stage.engine.call(tool, {"a": 1, "b": 2}))
        await stage.press("alt+r")
        await stage.is_open(SaveScreen)
        await stage.sees("./recorded-2.flow.yaml")
        texts = [one.render() for one in stage.app.screen.query(Static)]
        title = stage.app.screen.query_one(Vertical).border_title
        words = "\n".join(map(str, [title, *texts]))
        TEXTS.holds("flow: question", words, FOLDER=tmp_path)
        await stage.press("enter")
        await stage.sees("saved the")
    assert (tmp_path / "recorded.flow.yaml").read_text() == "mine"
    flow = read_flow((tmp_path / "recorded-2.flow.yaml").read_bytes(), "x")
    assert [(one.target, one.arguments) for one in flow.steps] == [
        ("calculate_sum", {"a": 1, "b": 2})
    ]
