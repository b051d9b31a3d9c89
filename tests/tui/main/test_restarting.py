"""A server is restarted by key or by a change of its files; what is seen of it, and what stays."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input
from watchfiles import Change

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import read_target
from signoff.app.content.key_tables import key_rows
from signoff.app.engine.session_config import SessionConfig
from signoff.app.protocol.server import Phase, Trust
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main import program_look
from signoff.app.tui.main.program_look import ProgramLook
from signoff.app.tui.main.restarting import WantedFiles, changes_below
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.startup import AppConfig
from signoff.app.tui.tools.tools_pane import ToolsPane
from tests.approved import approved
from tests.servers import raw
from tests.tui.bench_stage import NARROW, SMALL, WIDE, BenchStage, bench_stage
from tests.tui.drawn import Notices


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


TEXTS = approved("tui-restart")


def test_it_has_one_name() -> None:
    words = [(row.label, row.about, row.why) for row in key_rows()]
    assert not [one for one in words if "econnect" in " ".join(one)]
    named = {row.keys for row in key_rows() if row.label == "Restart"}
    assert named == {"shift+f5"}


async def until_another(stage: BenchStage, pid: int | None) -> None:
    """Wait until another process than this one runs as the server."""

    def is_there() -> bool:
        return stage.engine.server.is_open and stage.engine.server.pid != pid

    await stage.until(is_there, "another process")
    await stage.engine.compared()


async def test_filter_form_and_tool_stay() -> None:
    async with bench_stage(is_demo=True, keeps=True) as stage:
        await stage.press("slash", *"delete_file")
        await stage.press("enter")
        await stage.sees_tool("delete_file")
        pane = stage.pane
        pane.focus_form()
        await stage.press("end", *"half")
        before = pane.arguments
        assert "half" in str(before)
        pid = stage.engine.server.pid
        await stage.press("shift+f5")
        await until_another(stage, pid)
        await stage.rests()
        assert pane.tool is not None
        assert pane.tool.name == "delete_file"
        assert pane.arguments == before
        assert stage.app.screen.query_one("#filter", Input).value == "delete_file"
        assert pane.has_focus_within
        await stage.sees("shift+f5 Restart")
        await stage.press("s")
        assert "halfs" in str(pane.arguments)


async def test_a_call_that_runs_takes_a_second_press_and_is_sent_once() -> None:
    async with bench_stage("--with", "never", keeps=True) as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        await stage.choose("never")
        await stage.press("f5")
        await stage.until(lambda: stage.newest and stage.engine.calls[1].sent, "the call")
        pid = stage.engine.server.pid
        notices = Notices(stage.app)
        await stage.press("shift+f5")
        TEXTS.holds("a call runs", await notices.next(stage.until))
        assert stage.engine.server.pid == pid
        await stage.press("shift+f5")
        await until_another(stage, pid)
        assert stage.engine.calls[1].outcome is Outcome.CONNECTION_LOST
        assert len(stage.engine.calls) == 1


@pytest.mark.slow
async def test_a_server_that_ends_while_it_lists_can_be_restarted() -> None:
    async with bench_stage("--with", "no_such_tool", is_listed=False, keeps=True) as stage:
        await stage.sees("could not be reached", "KeyError", "press shift+f5 to restart")


@pytest.mark.slow
async def test_a_server_that_never_lists_is_restarted_while_it_is_waited_for(
    tmp_path: Path,
) -> None:
    script = tmp_path / "server.py"
    script.write_text("import time\ntime.sleep(600)")
    async with bench_stage(
        argv=(sys.executable, str(script)), is_listed=False, keeps=True, size=SMALL
    ) as stage:
        await stage.sees("Starting the server", "server/discover")
        script.write_text(f"import os, sys\nos.execv({raw()[0]!r}, {[*raw('--only', 'echo')]!r})")
        await stage.press("shift+f5")
        await stage.sees("› echo")


@pytest.mark.slow
async def test_a_server_that_does_not_end_is_restarted_and_takes_no_call_meanwhile(
    tmp_path: Path,
) -> None:
    if sys.platform == "win32":
        pytest.skip("it cannot ignore being ended")
    script = tmp_path / "server.py"
    words = raw("--only", "read_thing")
    script.write_text(
        f"import runpy, signal, sys, time\nsignal.signal({int(signal.SIGTERM)}, signal.SIG_IGN)\n"
        f"sys.argv = {words[1:]!r}\n"
        "try:\n"
        f"    runpy.run_path({words[1]!r}, run_name='__main__')\n"
        "finally:\n    time.sleep(600)\n"
    )
    async with bench_stage(argv=(sys.executable, str(script)), keeps=True) as stage:
        pid = stage.engine.server.pid
        notices = Notices(stage.app)
        await stage.press("shift+f5", "shift+f5")
        await stage.until(lambda: stage.engine.server.phase is Phase.CONNECTING, "the restart")
        await stage.press("f5")
        assert "still connecting" in await notices.next(stage.until)
        await until_another(stage, pid)
        await stage.sees("connected")
        assert not stage.engine.calls


class Disk:
    """A link whose look at its files waits until it may end."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.looks = 0
        self.may_end = threading.Event()

    def changed_files(self) -> tuple[str, ...]:
        self.looks += 1
        self.may_end.wait(60)
        return self.names


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_look_that_hangs_is_not_waited_for_and_no_other_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_look, "LOOK_SECONDS", 0)
    disk, other = Disk("server.py"), Disk()
    links: list[Any] = [disk]
    look = ProgramLook(lambda: links[0])
    for _ in range(50):
        assert look.changed() == ()
    until(lambda: disk.looks)
    assert disk.looks == 1
    disk.may_end.set()
    until(lambda: look.changed() == ("server.py",))
    # What was seen of an earlier start is nothing to the next one.
    links[0] = other
    assert look.changed() == ()
    other.may_end.set()
    until(lambda: look.changed() == () and other.looks)
    look.end()
    until(lambda: not any(one.name == "program" for one in threading.enumerate()))


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_script_that_was_edited_is_named_until_the_restart(
    size: tuple[int, int], tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    words = raw("--only", "echo")
    code = f"import runpy, sys\nsys.argv = {words[1:]!r}\n"
    code += f"runpy.run_path({words[1]!r}, run_name='__main__')\n"
    script.write_text(code)
    command = (sys.executable, str(script))
    async with bench_stage(
        argv=command, size=size, keeps=True, command="python server.py"
    ) as stage:
        assert "changed on disk" not in stage.text
        script.write_text(code + "\n")
        await stage.sees("server.py changed on disk · shift+f5", "shift+f5 Restart")
        # In a field of the form others have the room.
        await stage.choose("echo")
        await stage.sees("shift+f5 Restart")
        await stage.press("shift+f5")
        await stage.no_longer_sees("changed on disk")
        await stage.sees("connected")
