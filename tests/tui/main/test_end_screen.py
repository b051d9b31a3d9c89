"""A server that dies, idle or during a call, and one that never came up."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.engine.engine import Engine
from signoff.app.protocol.server import Phase
from signoff.app.tui.answers.pane import AnswerPane
from signoff.widgets.server_bar import ServerBar
from signoff.widgets.start_view import StartView
from tests.approved import approved, untimed
from tests.servers import raw, shifting, unsteady
from tests.tui.bench_stage import SMALL, BenchStage, bench_stage
from tests.tui.drawn import Notices, drawn, flowing

TEXTS = approved("tui-server-gone")
SHOW = "f9: show all"


def bar(stage: BenchStage) -> str:
    """The texts of the bar of the server, each as one line."""
    texts = stage.app.screen.query_one(ServerBar).query(Static)
    return "\n".join(flowing(one) for one in texts if one.region)


def headline(stage: BenchStage) -> str:
    """What the pane of the response says above its parts."""
    return untimed(flowing(stage.app.screen.query_one(AnswerPane).query_one(".headline")))


def start(stage: BenchStage) -> str:
    """What stands in the place of the tools."""
    return drawn(stage.app.screen.query_one(StartView))


@pytest.mark.slow
async def test_dies_during_a_call() -> None:
    async with bench_stage("--with", "crash", size=(100, 30), command="python raw.py") as stage:
        pid = stage.engine.server.pid
        call = await stage.call("crash")
        assert call.outcome is Outcome.CONNECTION_LOST
        await stage.sees("lost?", f"pid {pid}", "flux capacitor")
        assert stage.app.screen.query_one(ServerBar).has_class("-gone")
        TEXTS.holds("bar: the server exited", bar(stage), PID=pid)
        await stage.until(lambda: "lost" in headline(stage), "the end in the response")
        TEXTS.holds("call: lost", headline(stage))

        notices = Notices(stage.app)
        while notices.take():
            pass
        await stage.press("f5")
        TEXTS.holds("told: not sent", await notices.next(stage.until), PID=pid)
        assert len(stage.engine.calls) == 1

        await stage.press("f9")
        await stage.sees("server test", "instructions", 'File "server.py", line 1')
        # From stderr round to the facts.
        await stage.press("tab", "tab", "tab", "tab", "tab")
        await stage.until(lambda: re.search("exit code +7", stage.text), "the exit code")
        assert re.search("state +lost", stage.text)
        await stage.press("f9")
        await stage.until(lambda: not re.search("state +lost", stage.text), "the bench")


async def test_dies_idle() -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    async with bench_stage("--crash-on-signal", size=SMALL, command="python raw.py") as stage:
        assert stage.engine.server.pid is not None
        os.kill(stage.engine.server.pid, signal.SIGUSR1)
        await stage.until(lambda: stage.engine.server.phase is Phase.LOST)
        await stage.sees(f"pid {stage.engine.server.pid}", "f9", "the flux", "› echo")
        TEXTS.holds("bar: the server exited, 60 columns", bar(stage), PID=stage.engine.server.pid)
        assert stage.app.is_running


@pytest.mark.slow
async def test_how_to_connect_again_from_a_field_that_takes_letters() -> None:
    """There R is a letter, and the key of a restart is none: the words name one that works."""
    async with bench_stage("--with", "crash", size=(100, 30), keeps=True) as stage:
        await stage.choose("echo")
        await stage.press("enter")
        await stage.sees("Fields")
        crash = stage.tool("crash")
        stage.engine.call(crash, {})
        await stage.until(lambda: stage.engine.server.phase is Phase.LOST)
        await stage.sees(f"{SHOW} · shift+f5: restart")
        notices = Notices(stage.app)
        while notices.take():
            pass
        await stage.press("f5")
        told = await notices.next(stage.until)
        TEXTS.holds("told: not sent, with the way to connect again", told)
        await stage.press("shift+f5")
        await stage.until(lambda: stage.engine.server.phase is Phase.CONNECTED, "the connection")


@pytest.mark.slow
async def test_never_came_up() -> None:
    argv = ("--die-at-start", "3")
    command = "python raw.py --die-at-start 3"
    async with bench_stage(*argv, size=SMALL, is_listed=False, command=command) as stage:
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED)
        await stage.sees("exit code 3", f"pid {stage.engine.server.pid}", "die-at-start")
        await stage.sees("flux capacitor")
        TEXTS.holds("start: the server exited", start(stage), PID=stage.engine.server.pid)
        await stage.press("f5", "slash", "ctrl+x", "escape", "f4")
        await stage.press("f9")
        await stage.sees("server test", "Traceback")


def _ended(engine: Engine) -> bool:
    """Whether the server could not be reached; whatever still runs of it is ended."""
    if engine.server.phase is not Phase.FAILED and engine.server.pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(engine.server.pid, signal.SIGTERM)
    return engine.server.phase is Phase.FAILED


@pytest.mark.slow
async def test_a_server_that_was_mended_is_started_again(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("raise SystemExit('no sun today')")
    argv = (sys.executable, str(script))
    shown: Any = {"size": SMALL, "command": "python server.py"}
    async with bench_stage(argv=argv, is_listed=False, keeps=True, **shown) as stage:
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED)
        await stage.sees("┃ no sun", "press shift+f5")
        TEXTS.holds("start: restart by shift+f5", start(stage), PID=stage.engine.server.pid)
        first = stage.engine.server.pid
        script.write_text("raise SystemExit('no moon either')")
        await stage.press("shift+f5")
        await stage.sees("┃ no moon", "press shift+f5")
        await stage.until(lambda: "no sun" not in stage.text, "only what it says now")
        assert stage.engine.server.pid != first
        script.write_text("import time\ntime.sleep(600)")
        await stage.press("R")
        await stage.sees("Starting the server", "server/discover")
        assert "no moon" not in stage.text
        # One that ended at the first question is started once more for the older greeting.
        await stage.until(lambda: _ended(stage.engine), "its end")
        await stage.sees("press shift+f5")
        script.write_text(f"import os, sys\nos.execv({raw()[0]!r}, {[*raw('--only', 'echo')]!r})")
        await stage.press("R")
        await stage.sees("› echo", "f5 calls")
        # It is the key of a retry again.
        await stage.press("R")
        assert stage.engine.server.phase is Phase.CONNECTED


@pytest.mark.slow
async def test_waiting_says_for_what_and_for_how_long() -> None:
    async with bench_stage("--list-never", is_listed=False) as stage:
        await stage.sees("Starting the server", "list of tools, ")
        seen = stage.text
        await stage.until(lambda: stage.text != seen and "list of tools, " in stage.text)


@pytest.mark.slow
async def test_what_the_answer_says_of_connecting_again_follows_the_focus(tmp_path: Path) -> None:
    argv = (sys.executable, "-S", unsteady.__file__, str(tmp_path / "lost"))
    async with bench_stage(argv=argv, keeps=True) as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        await stage.call("lose_repeatable")
        await stage.press("f6", "f6", "f6")
        await stage.sees("shift+f5: restart")
        assert "esc, then R" not in stage.text
        TEXTS.holds("call: lost, can be repeated", headline(stage))
        await stage.press("slash")
        await stage.sees("esc, then R")
        TEXTS.holds("call: lost, can be repeated after esc", headline(stage))
        await stage.press("escape")
        await stage.no_longer_sees("esc, then R")
        await stage.press("R")
        await stage.no_longer_sees("shift+f5: restart")
        await stage.sees("R: retry")
        TEXTS.holds("call: connected again", headline(stage))
        await stage.press("slash")
        await stage.sees("esc, then R")
        TEXTS.holds("call: connected again, after esc", headline(stage))


@pytest.mark.slow
async def test_what_the_list_says_of_its_changes_follows_the_focus() -> None:
    async with bench_stage(argv=(sys.executable, "-S", shifting.__file__), keeps=True) as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        change = stage.tool("change_definition")
        stage.engine.call(change, {"change": "weaken", "announce": True})
        await stage.sees("1 changed  D Changes")
        await stage.press("slash")
        await stage.sees("esc, then D")
        await stage.press("escape")
        await stage.sees("1 changed  D Changes")
