"""The key that restarts a server: at any time, and what stays as it was."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from textual.widgets import Input

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.content.key_tables import key_rows
from signoff.app.protocol.server import Phase
from tests.approved import approved
from tests.servers import raw
from tests.tui.bench_stage import SMALL, BenchStage, bench_stage
from tests.tui.drawn import Notices

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
