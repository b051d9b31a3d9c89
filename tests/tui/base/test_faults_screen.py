"""Faults of Signoff on the screen: said in words that name the trace, never with a value."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.widgets import Static

from signoff.app.engine.engine import Engine
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.protocol.server import Phase
from signoff.app.tui.base.failures import LeavesTrace, TellsFailures
from signoff.app.tui.main.main_screen import MainScreen
from tests.approved import approved
from tests.tui.bench_stage import NARROW, BenchStage, bench_stage

PROSE = approved("tui-faults")
SECRET = "-".join(("tok", "9f8e", "7d6c"))


def traces() -> str:
    folder = Path(os.environ["XDG_STATE_HOME"]) / "signoff" / "faults"
    return "\n".join(path.read_text() for path in folder.glob("*.txt"))


def fails(*given: Any) -> None:
    held = SECRET
    raise LookupError(held)


async def lose(stage: BenchStage) -> None:
    stage.engine.link.kill()
    await stage.until(lambda: stage.engine.server.phase is Phase.LOST, "the loss")


@pytest.mark.slow
async def test_r_says_each_time_that_the_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with bench_stage(keeps=True, size=NARROW) as stage:
        await lose(stage)
        folder.rmdir()
        for _ in range(2):
            await stage.press("R")
            await stage.is_told("Not restarted", "was deleted")
            stage.app.clear_notifications()
            await stage.until(lambda: "Not restarted" not in stage.text, "an empty corner")
        monkeypatch.chdir(tmp_path)
        await stage.press("R")
        await stage.until(lambda: stage.engine.server.is_open, "the new connection")


@pytest.mark.slow
async def test_r_that_breaks_names_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench_stage(keeps=True) as stage:
        await lose(stage)
        monkeypatch.setattr(stage.engine._connection, "_relink", fails)
        await stage.press("R")
        await stage.is_told("Not restarted", "internal error")
        assert SECRET not in stage.text
    assert SECRET not in traces()
    assert "LookupError" in traces()
    assert "new link" in traces()


@pytest.mark.slow
async def test_work_for_the_screen_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def breaks(engine: Engine) -> str:
        raise LookupError(SECRET)

    async with bench_stage(keeps=True) as stage:
        await lose(stage)
        monkeypatch.setattr(Engine, "restart", breaks)
        await stage.press("R")
        await stage.sees("Not restarted", "(LookupError)")
        assert SECRET not in stage.text


async def test_what_nobody_waits_for_is_told() -> None:
    async with bench_stage() as stage:
        asyncio.get_running_loop().call_soon(fails)
        await stage.sees("Internal error", "(LookupError)")
        assert SECRET not in stage.text


@pytest.mark.slow
async def test_what_ends_the_program_prints_no_variables(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    apps = []

    async def breaks() -> None:
        async with bench_stage() as stage:
            apps.append(stage.app)
            monkeypatch.setattr(MainScreen, "action_trust", fails)
            await stage.press("ctrl+t")
            await stage.until(lambda: stage.app.fault, "the end")

    with pytest.raises(LookupError):
        await breaks()
    (app,) = apps
    assert app.return_code == 70
    assert "(LookupError)" in app.fault
    place = app.fault.split()[-1]
    assert Path(place).is_file()
    PROSE.holds("fault: the end of the program", app.fault, FILE=place)
    assert app._exit_renderables == []
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err + traces()


def test_every_worker_that_may_fail_is_told_of() -> None:
    """Textual tells the widget that started a worker, and no other, that it failed."""
    root = Path(__file__).resolve().parents[3] / "app" / "tui"
    quiet = []
    for file in root.rglob("*.py"):
        if "exit_on_error=False" not in file.read_text():
            continue
        name = ".".join(("signoff.app.tui", *file.relative_to(root).with_suffix("").parts))
        module = importlib.import_module(name)
        own = [one for one in vars(module).values() if getattr(one, "__module__", "") == name]
        kinds = [one for one in own if isinstance(one, type)]
        if not any(issubclass(one, TellsFailures) for one in kinds):
            quiet.append(name)
    # Mixed into the pane of answers, and started by the pane of the tool or by the workplace: all
    # of them tell. Who asks for a server waits for what it started, and is told by that.
    assert sorted(quiet) == [
        "signoff.app.tui.approving.asker",
        "signoff.app.tui.main.hosts_shown",
        "signoff.app.tui.main.retry_actions",
        "signoff.app.tui.main.start_view",
    ]


class _Leaving(LeavesTrace):
    """Does something on the screen after it was told to exit."""

    def __init__(self, late: Callable[[App[None]], object]) -> None:
        super().__init__()
        self._late = late

    def on_mount(self) -> None:
        self.call_later(self._leave)

    def _leave(self) -> None:
        self.exit()
        self._late(self)


@pytest.mark.parametrize(
    "late",
    [lambda app: app.mount(Static()), lambda app: app.query_one("#gone")],
    ids=["mount", "query"],
)
async def test_a_change_of_the_screen_after_the_exit_is_no_fault(
    late: Callable[[App[None]], object],
) -> None:
    app = _Leaving(late)
    await app.run_async(headless=True)
    assert (app.fault, app.return_code) == ("", 0)


async def test_any_other_exception_after_the_exit_is_a_fault() -> None:
    app = _Leaving(fails)
    await app.run_async(headless=True)
    assert "LookupError" in app.fault
    assert app.return_code == ExitStatus.FAULT
