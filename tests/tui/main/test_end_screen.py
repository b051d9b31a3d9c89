"""A server that dies, idle or during a call, and one that never came up."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.engine.engine import Engine
from signoff.app.protocol.server import Phase
from signoff.widgets.server_bar import ServerBar
from tests.servers import raw, shifting, unsteady
from tests.tui.bench_stage import SMALL, bench_stage

LAST_WORDS = "RuntimeError: the flux capacitor is empty"


@pytest.mark.slow
async def test_dies_during_a_call() -> None:
    async with bench_stage("--with", "crash", size=(100, 30)) as stage:
        pid = stage.engine.server.pid
        call = await stage.call("crash")
        assert call.outcome is Outcome.CONNECTION_LOST
        await stage.sees("lost?", "its effect is not known")
        await stage.sees("the server exited: exit code 7", f"pid {pid}", LAST_WORDS)
        assert stage.app.screen.query_one(ServerBar).has_class("-gone")
        await stage.sees("Nothing can be sent: the server is gone")

        await stage.press("f5")
        await stage.is_told("Nothing was sent: the server exited: exit code")
        assert len(stage.engine.calls) == 1

        await stage.press("f9")
        await stage.sees("server test", "instructions", 'File "server.py", line 1')
        # From stderr round to the facts.
        await stage.press("tab", "tab", "tab", "tab", "tab")
        await stage.sees("exit code     7", "state         lost")
        await stage.press("f9")
        await stage.no_longer_sees("state         lost")


async def test_dies_idle() -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    async with bench_stage("--crash-on-signal", size=SMALL) as stage:
        assert stage.engine.server.pid is not None
        os.kill(stage.engine.server.pid, signal.SIGUSR1)
        await stage.until(lambda: stage.engine.server.phase is Phase.LOST)
        await stage.sees("the server exited: exit", f"pid {stage.engine.server.pid}", "f9")
        await stage.sees("RuntimeError: the flux", "› echo")
        assert stage.app.is_running


@pytest.mark.slow
async def test_how_to_connect_again_from_a_field_that_takes_letters() -> None:
    """There R is a letter: the words say which key comes first, and that way leads there."""
    async with bench_stage("--with", "crash", size=(100, 30), keeps=True) as stage:
        await stage.choose("echo")
        await stage.press("enter")
        await stage.sees("fields")
        crash = next(tool for tool in stage.engine.tools if tool.name == "crash")
        stage.engine.call(crash, {})
        await stage.until(lambda: stage.engine.server.phase is Phase.LOST)
        await stage.sees("f9: show everything · esc, then R: restart")
        await stage.press("f5")
        await stage.is_told("Nothing was sent: the server exited", "esc, then R connects again.")
        await stage.press("escape")
        await stage.sees("f9: show everything · R: restart")
        await stage.press("slash")
        await stage.sees("f9: show everything · esc, then R: restart")
        await stage.press("escape", "R")
        await stage.until(lambda: stage.engine.server.phase is Phase.CONNECTED, "the connection")


async def test_never_came_up() -> None:
    async with bench_stage("--die-at-start", "3", size=SMALL, is_listed=False) as stage:
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED)
        await stage.sees("The server could not be reached.", "exit code 3", LAST_WORDS)
        await stage.sees(f"pid {stage.engine.server.pid}", "not connected", "--die-at-start")
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
    async with bench_stage(argv=argv, size=SMALL, is_listed=False, keeps=True) as stage:
        await stage.until(lambda: stage.engine.server.phase is Phase.FAILED)
        await stage.sees("The server could not be reached.", "┃ no sun", "then press R to retry")
        first = stage.engine.server.pid
        script.write_text("raise SystemExit('no moon either')")
        await stage.press("R")
        await stage.sees("The server could not be reached.", "┃ no moon", "then press R to retry")
        await stage.until(lambda: "no sun" not in stage.text, "only what it says now")
        assert stage.engine.server.pid != first
        script.write_text("import time\ntime.sleep(600)")
        await stage.press("R")
        await stage.sees("Starting the server", "waiting for a response to server/discover or")
        assert "no moon" not in stage.text
        # One that ended at the first question is started once more for the older greeting.
        await stage.until(lambda: _ended(stage.engine), "its end")
        await stage.sees("The server could not be reached.", "then press R to retry")
        script.write_text(f"import os, sys\nos.execv({raw()[0]!r}, {[*raw('--only', 'echo')]!r})")
        await stage.press("R")
        await stage.sees("› echo", "f5 calls: the only one")
        # There is no start to try again any more.
        await stage.press("R")
        assert stage.engine.server.phase is Phase.CONNECTED


@pytest.mark.slow
async def test_waiting_says_for_what_and_for_how_long() -> None:
    async with bench_stage("--list-never", is_listed=False) as stage:
        await stage.sees("Starting the server", "waiting for the list of tools, ")
        seen = stage.text
        await stage.until(lambda: stage.text != seen and "list of tools, " in stage.text)


@pytest.mark.slow
async def test_what_the_answer_says_of_connecting_again_follows_the_focus(tmp_path: Path) -> None:
    argv = (sys.executable, "-S", unsteady.__file__, str(tmp_path / "lost"))
    async with bench_stage(argv=argv, keeps=True) as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        await stage.call("lose_repeatable")
        await stage.press("f6", "f6", "f6")
        await stage.sees("R connects again, then R retries")
        assert "esc, then R" not in stage.text
        await stage.press("slash")
        await stage.sees("esc, then R connects again, then R retries")
        await stage.press("escape")
        await stage.no_longer_sees("esc, then R")
        await stage.press("R")
        await stage.sees("R retries: lost in transit")
        await stage.press("slash")
        await stage.sees("esc, then R retries: lost in transit")


@pytest.mark.slow
async def test_what_the_list_says_of_its_changes_follows_the_focus() -> None:
    async with bench_stage(argv=(sys.executable, "-S", shifting.__file__), keeps=True) as stage:
        stage.engine.consent.set_policy(built_in("allow-all"))
        change = next(tool for tool in stage.engine.tools if tool.name == "change_definition")
        stage.engine.call(change, {"change": "weaken", "announce": True})
        await stage.sees("1 changed, D shows")
        await stage.press("slash")
        await stage.sees("esc, then D")
        await stage.press("escape")
        await stage.sees("1 changed, D shows")
