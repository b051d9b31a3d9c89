"""The terminal goes without SIGHUP: everything ends, at once and in order."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import is_alive, seconds_of_work, wait_gone
from tests.e2e.program import call, server_pid, signoff, wait_for_armed_dialog, wait_for_tools
from tests.e2e.steps import choose, wait_for_start
from tests.e2e.terminal import Terminal
from tests.servers import pids, raw, recorded

SOON = 15.0
"""Seconds that the end may take on a busy machine; alone it takes half of one."""
HUNG_UP = 129


class Scene:
    """Where a server writes what it did, and where the audit log is."""

    def __init__(self, folder: Path) -> None:
        self.pid_file = folder / "pids"
        self.record = folder / "calls"
        self.log = folder / "audit.jsonl"

    def server(self, *switches: str) -> list[str]:
        return raw("--pid-file", str(self.pid_file), "--record", str(self.record), *switches)

    def screen(self, *switches: str) -> list[str]:
        return signoff("--audit", str(self.log), "--", *self.server(*switches))

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def expect_end(self, terminal: Terminal, status: int = HUNG_UP) -> None:
        """It ended in order, with little work, and left nothing."""
        left = [pid for kind in pids(self.pid_file).values() for pid in kind]
        assert left
        before = seconds_of_work(terminal.pid)
        after = before
        deadline = time.monotonic() + SOON
        while is_alive(terminal.pid):
            assert time.monotonic() < deadline, "it lives on"
            after = max(after, seconds_of_work(terminal.pid))
            time.sleep(0.02)
        assert terminal.wait_exit() == status
        assert after - before < 2.0
        for pid in left:
            wait_gone(pid)

    def expect_closed_log(self) -> None:
        verified = subprocess.run(
            signoff("audit", "verify", "--audit", str(self.log)),
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).resolve().parents[2],
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert self.events[-1]["event"] == "closed"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_at_rest(scene: Scene) -> None:
    with Terminal(scene.screen(), takes_terminal=False) as terminal:
        wait_for_start(terminal)
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()


def test_although_the_signal_is_ignored(scene: Scene) -> None:
    # What nohup does, before it looks at the streams.
    deaf = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *scene.screen()]
    with Terminal(deaf) as terminal:
        wait_for_start(terminal)
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()


def test_with_a_server_that_does_not_want_to_end(scene: Scene) -> None:
    stubborn = scene.screen("--ignore-eof", "--ignore-sigterm", "--grandchild")
    with Terminal(stubborn, takes_terminal=False) as terminal:
        wait_for_tools(terminal)
        terminal.hang_up()
        scene.expect_end(terminal)


@pytest.mark.started_anew
def test_before_the_first_picture(scene: Scene) -> None:
    with Terminal(scene.screen("--start-never"), takes_terminal=False) as terminal:
        server_pid(terminal, scene.pid_file)
        terminal.hang_up()
        scene.expect_end(terminal)


def test_an_open_question_ends_unsent(scene: Scene) -> None:
    with Terminal(scene.screen("--only", "delete_thing"), takes_terminal=False) as terminal:
        call(terminal, "delete_thing")
        wait_for_armed_dialog(terminal)
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()
    assert not recorded(scene.record)
    (ended,) = [event for event in scene.events if event["event"] == "ended"]
    assert (ended["outcome"], ended["sent"]) == ("not-sent", False)
    assert [event["event"] for event in scene.events][-3:] == ["asked", "ended", "closed"]


def test_a_running_call_is_cancelled(scene: Scene) -> None:
    with Terminal(scene.screen("--only", "never"), takes_terminal=False) as terminal:
        wait_for_start(terminal)
        call(terminal, "never")
        terminal.wait_until(lambda: recorded(scene.record) or "Approve once" in terminal.text)
        if not recorded(scene.record):
            wait_for_armed_dialog(terminal)
            terminal.click("Approve once")
            terminal.wait_until(lambda: recorded(scene.record))
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()


EDITOR = """
import os, pathlib, sys, time
pathlib.Path({note!r}).write_text(str(os.getpid()))
while True:
    time.sleep(1)
"""


def test_while_an_editor_has_it(scene: Scene, tmp_path: Path) -> None:
    note, script = tmp_path / "note", tmp_path / "editor.py"
    script.write_text(EDITOR.format(note=str(note)))
    env = {"VISUAL": f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"}
    with Terminal(
        scene.screen("--only", "delete_thing"), env=env, takes_terminal=False
    ) as terminal:
        wait_for_start(terminal)
        choose(terminal, "delete_thing", has_arguments=False)
        terminal.press("ctrl+e")
        terminal.wait_until(lambda: note.exists() and note.read_text())
        terminal.hang_up()
        scene.expect_end(terminal)
    wait_gone(int(note.read_text()))


@pytest.fixture
def output() -> Iterator[tuple[int, int]]:
    """The ends of a second terminal: what is held of it, and what a program writes to."""
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    master, slave = os.openpty()
    yield master, slave
    for descriptor in (master, slave):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_when_only_standard_output_goes(scene: Scene, output: tuple[int, int]) -> None:
    master, slave = output
    seen = bytearray()
    argv = scene.screen()
    with Terminal(argv, takes_terminal=False, stdout=slave) as terminal:
        os.close(slave)
        drawn = threading.Event()

        def drain() -> None:
            while b"read_thing" not in seen:
                seen.extend(os.read(master, 65536))
            drawn.set()

        threading.Thread(target=drain, daemon=True).start()
        assert drawn.wait(30)
        server_pid(terminal, scene.pid_file)
        os.close(master)
        scene.expect_end(terminal)
    scene.expect_closed_log()


def ask_on_the_line(scene: Scene) -> list[str]:
    words = ("call", "delete_thing", "--approve", "ask", "--audit", str(scene.log))
    return signoff(*words, "--", *scene.server("--only", "delete_thing"))


@pytest.mark.parametrize("typed", ["", "approve"])
def test_a_question_on_a_plain_terminal_is_denied(scene: Scene, typed: str) -> None:
    with Terminal(ask_on_the_line(scene), takes_terminal=False) as terminal:
        terminal.wait_for(r"Type approve and Enter")
        terminal.send(typed)
        terminal.settle()
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()
    assert not recorded(scene.record)


def test_a_word_that_was_not_sent_off_approves_nothing(scene: Scene) -> None:
    with Terminal(ask_on_the_line(scene)) as terminal:
        terminal.wait_for(r"Type approve and Enter")
        terminal.send("approve")
        terminal.wait_for(r": approve")
        # The first hands over what stands there, the second is the end of the input.
        terminal.send("\x04\x04")
        assert terminal.wait_exit() == 3
    assert not recorded(scene.record)


def test_a_call_without_a_question(scene: Scene) -> None:
    words = ("call", "never", "--approve", "always", "--audit", str(scene.log))
    argv = signoff(*words, "--", *scene.server("--only", "never"))
    with Terminal(argv, takes_terminal=False) as terminal:
        terminal.wait_until(lambda: recorded(scene.record))
        terminal.hang_up()
        scene.expect_end(terminal)
    scene.expect_closed_log()


def test_a_reader_that_has_read_enough(scene: Scene) -> None:
    argv = signoff("tools", "--audit", str(scene.log), "--", *scene.server("--with", "all"))
    with subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(30) == 128 + 13
    assert said == b""
    wait_gone(pids(scene.pid_file)["server"][-1])
