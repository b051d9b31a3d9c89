"""A server whose files change is started again; what is seen of it, and which call is repeated."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from watchfiles import Change

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.engine.session_config import SessionConfig
from signoff.app.headless.targets import read_target
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main.restarting import WantedFiles
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from tests.servers import raw
from tests.tui.bench_stage import NARROW, BenchStage


def write(script: Path, *switches: str) -> None:
    """Replace the script as an editor does: write another file, and rename it."""
    words = raw(*switches)
    code = f"import runpy, sys; sys.argv = {words[1:]!r}\n"
    code += f"runpy.run_path({words[1]!r}, run_name='__main__')\n"
    other = script.with_suffix(".new")
    other.write_text(code, encoding="utf-8")
    os.replace(other, script)


@asynccontextmanager
async def restarted(
    script: Path, *, watched: Path | None = None, calls: bool = False
) -> AsyncIterator[BenchStage]:
    """The program on a server that is started again when the script changes."""
    target = read_target(argv=(sys.executable, str(script)), name="written")
    link = target.link()
    link.begin()
    runs_all = built_in("allow-all")
    session = SessionConfig(target, Trust.TRUSTED, runs_all, keeps_audit=False, keeps_memory=False)
    paths = (watched or script,)
    opening = AppConfig(link, session, restart_on=paths, calls_on_change=calls)
    app = SignoffApp(opening)
    app.animation_level = "none"
    try:
        async with app.run_test(size=NARROW, notifications=True) as pilot:
            stage = BenchStage(app, pilot, opening.engine)
            await stage.until(lambda: opening.engine.is_listed, "the tools")
            place = app.screen.query_one(Workplace)
            await stage.until(lambda: place.is_complete, "the other panes")
            await stage.until(lambda: is_watching(app), "the watching")
            yield stage
    finally:
        opening.current_link.kill()


def is_watching(app: SignoffApp) -> bool:
    return any(one.group == "restarting" for one in app.workers)


def names(stage: BenchStage) -> set[str]:
    return {tool.name for tool in stage.engine.tools}


@pytest.mark.slow
async def test_a_replaced_file_starts_the_server_again_each_time(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    write(script, "--only", "read_thing")
    async with restarted(script) as stage:
        pids = {stage.engine.server.pid}
        for more in ("delete_thing", "echo"):
            # It may be replaced before it is watched: until it is seen, again and again.
            async def is_seen(tool: str = more) -> None:
                for _ in range(20):
                    write(script, "--only", f"read_thing,{tool}")
                    for _ in range(40):
                        await stage.pilot.pause(0.1)
                        if tool in names(stage) and stage.engine.server.is_open:
                            return
                pytest.fail("the change was not seen")

            await is_seen()
            pids.add(stage.engine.server.pid)
        assert len(pids) >= 3
        assert not stage.engine.calls


@pytest.mark.slow
async def test_a_start_that_fails_keeps_the_list_and_shows_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    script = folder / "server.py"
    write(script, "--only", "read_thing")
    async with restarted(script, watched=folder) as stage:
        await stage.pilot.pause(1)
        script.write_text("def broken(:\n", encoding="utf-8")
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED, "the failure")
        await stage.sees("SyntaxError", "read_thing")
        assert names(stage) == {"read_thing"}


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "is_made"), [("read_thing", True), ("delete_thing", False)])
async def test_the_newest_call_is_made_again_only_if_that_is_harmless(
    tmp_path: Path, tool: str, is_made: bool
) -> None:
    script = tmp_path / "server.py"
    write(script, "--only", "read_thing,delete_thing")
    async with restarted(script, calls=True) as stage:
        engine = stage.engine
        found = next(one for one in engine.tools if one.name == tool)
        engine.call(found, {})
        await stage.until(lambda: engine.calls[1].is_over, "the call")
        await stage.pilot.pause(1)
        write(script, "--only", "read_thing,delete_thing", "--server-name", "other")
        if is_made:
            await stage.until(lambda: len(engine.calls) == 2, "the second call")
            assert engine.calls[2].request.name == tool
        else:
            await stage.is_told("Not called again")
            assert len(engine.calls) == 1


def test_of_the_files_beside_only_those_that_are_wanted_count() -> None:
    wanted = WantedFiles({Path("/code/server.py")})
    assert wanted(Change.modified, "/code/server.py")
    assert wanted(Change.added, "/code/server.py")
    assert not wanted(Change.deleted, "/code/server.py")
    assert not wanted(Change.modified, "/code/other.py")
