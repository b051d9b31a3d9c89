"""A server whose files change is started again; what is seen of it, and which call is repeated."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from watchfiles import Change

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.engine.session_config import SessionConfig
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main.restarting import WantedFiles, changes_below
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.app.tui.tools.tools_pane import ToolsPane
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
    target = read_target(SessionOptions(name="written"), (sys.executable, str(script)))
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


async def until_seen(
    stage: BenchStage, change: Callable[[], None], is_seen: Callable[[], object]
) -> None:
    """Make a change again and again: it may come before the files are watched."""
    for _ in range(15):
        change()
        for _ in range(60):
            await stage.pilot.pause(0.1)
            if is_seen():
                return
    pytest.fail(f"the change was not seen:\n{stage.text}")


@pytest.mark.slow
async def test_a_replaced_file_starts_the_server_again_each_time(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    write(script, "--only", "read_thing")
    async with restarted(script) as stage:
        engine = stage.engine
        pids = {engine.server.pid}
        for tool in ("delete_thing", "echo"):

            def is_there(tool: str = tool) -> bool:
                return tool in names(stage) and engine.server.is_open

            only = f"read_thing,{tool}"
            await until_seen(stage, partial(write, script, "--only", only), is_there)
            pids.add(engine.server.pid)
        assert len(pids) >= 3
        assert not engine.calls


@pytest.mark.slow
async def test_a_start_that_fails_keeps_the_list_and_shows_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    script = folder / "server.py"
    write(script, "--only", "read_thing")
    async with restarted(script, watched=folder) as stage:
        engine = stage.engine

        def broken() -> None:
            script.write_text("def broken(:\n", encoding="utf-8")

        await until_seen(stage, broken, lambda: engine.server.phase is Phase.FAILED)
        await stage.sees("SyntaxError", "read_thing")
        assert names(stage) == {"read_thing"}
        assert stage.app.screen.query_one(ToolsPane).has_class("-gone")


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "is_made"), [("read_thing", True), ("delete_thing", False)])
async def test_the_newest_call_is_made_again_only_if_that_is_harmless(
    tmp_path: Path, tool: str, is_made: bool
) -> None:
    script = tmp_path / "server.py"
    write(script, "--only", "read_thing,delete_thing")
    async with restarted(script, calls=True) as stage:
        engine = stage.engine
        engine.call(next(one for one in engine.tools if one.name == tool), {})
        await stage.until(lambda: engine.calls[1].is_over, "the call")
        assert engine.calls[1].sent
        pid = engine.server.pid
        other = partial(
            write, script, "--only", "read_thing,delete_thing", "--server-name", "other"
        )
        if is_made:
            await until_seen(stage, other, lambda: len(engine.calls) > 1)
            assert engine.calls[2].request.name == tool
        else:
            await until_seen(stage, other, lambda: engine.server.pid not in (pid, None))
            await stage.until(lambda: told(stage, tool), "the reason")
            assert len(engine.calls) == 1


def told(stage: BenchStage, tool: str) -> bool:
    """Whether a notice, also one that is gone from the screen, is about this tool."""
    return any(tool in one.message for one in stage.app._notifications)


def test_of_the_files_beside_only_those_that_are_wanted_count() -> None:
    wanted = WantedFiles({Path("/code/server.py")})
    assert wanted(Change.modified, "/code/server.py")
    assert wanted(Change.added, "/code/server.py")
    assert not wanted(Change.deleted, "/code/server.py")
    assert not wanted(Change.modified, "/code/other.py")


@pytest.mark.slow
@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "renamed"])
async def test_a_folder_that_was_made_again_is_a_change_and_is_watched(
    tmp_path: Path, is_deleted: bool
) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    changes = changes_below(folder)

    async def changed(change: Callable[[], object]) -> set[str]:
        """The names of what has changed; the change is made until it is seen."""
        following = asyncio.ensure_future(anext(changes))
        while not following.done():
            change()
            await asyncio.wait([following], timeout=1.5)
        return {Path(path).name for _, path in following.result()}

    def write_file() -> None:
        (folder / "server.py").write_text("x = 1\n", encoding="utf-8")

    def make_again() -> None:
        if is_deleted:
            shutil.rmtree(folder)
        else:
            folder.rename(folder.with_name(f"old {next(numbers)}"))
        folder.mkdir()

    numbers = count()
    assert "server.py" in await changed(write_file)
    while "code" not in await changed(make_again):
        pass
    while "server.py" not in await changed(write_file):
        pass
