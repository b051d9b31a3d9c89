"""`signoff watch` as a process beside a proxy: its lines, its JSON, and its sudden end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.test_proxy import SECONDS, HostStage

if sys.platform == "win32":
    pytest.skip("terminals of POSIX", allow_module_level=True)
import pty

pytestmark = pytest.mark.slow
WATCH = [sys.executable, "-m", "signoff.app", "watch"]


class Watcher(NamedTuple):
    """A `signoff watch` on a terminal."""

    process: subprocess.Popen[bytes]
    terminal: int

    def until(self, words: str) -> str:
        """What it prints, up to these words."""
        found = ""
        while words not in found:
            found += os.read(self.terminal, 65_536).decode("utf-8", "replace")
        return found

    def type(self, words: str) -> None:
        os.write(self.terminal, f"{words}\n".encode())


def watch(stage: HostStage, *options: str) -> Watcher:
    ours, theirs = pty.openpty()
    env = {**os.environ, "XDG_STATE_HOME": str(stage.state), "COLUMNS": "100"}
    process = subprocess.Popen(
        [*WATCH, *options], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    return Watcher(process, ours)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HostStage]:
    """A proxy that decides, before its first call."""
    stage = HostStage(tmp_path, "--policy", "cautious", "--hold", "20")
    try:
        stage.begin("listed")
        yield stage
    finally:
        stage.close()


def delete(stage: HostStage, identity: int) -> None:
    params = {"name": "delete_thing", "arguments": {"name": "a"}}
    stage.write(id=identity, method="tools/call", params=params)


def words(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])


def test_lines_put_back_deny_and_approve(held: HostStage) -> None:
    watcher = watch(held, "--plain")
    try:
        watcher.until("test-host")
        delete(held, 2)
        watcher.until("delete_thing")
        assert "later" in watcher.until("after")
        watcher.type("later")
        watcher.until("after")
        assert "delete_thing" not in held.got()
        watcher.type("deny")
        assert "denied by a person" in words(held.answer(2))
        delete(held, 3)
        watcher.until("after")
        watcher.type("approve")
        held.answer(3)
        assert "delete_thing" in held.got()
    finally:
        watcher.process.kill()
        watcher.process.wait(SECONDS)
        os.close(watcher.terminal)


def test_a_watcher_that_is_killed_before_its_answer_decides_nothing(held: HostStage) -> None:
    watcher = watch(held, "--plain")
    try:
        watcher.until("test-host")
        delete(held, 2)
        watcher.until("delete_thing")
        watcher.until("after")
    finally:
        watcher.process.kill()
        watcher.process.wait(SECONDS)
        os.close(watcher.terminal)
    other = watch(held, "--plain")
    try:
        other.until("delete_thing")
        other.until("after")
    finally:
        other.process.kill()
        other.process.wait(SECONDS)
        os.close(other.terminal)
    assert "The server got nothing" in words(held.answer(2))
    assert "delete_thing" not in held.got()
    log = held.state / "signoff" / "audit.jsonl"
    last = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [one["event"] for one in last if "time limit" in str(one.get("decision"))]


def test_json_has_each_held_call_and_its_end(held: HostStage) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(held.state)}
    watcher = subprocess.Popen([*WATCH, "--json"], stdout=subprocess.PIPE, env=env)
    other = watch(held, "--plain")
    assert watcher.stdout is not None
    try:
        other.until("test-host")
        delete(held, 2)
        while not (call := json.loads(watcher.stdout.readline())["call"] or {}).get("held_until"):
            pass
        assert call["held_until"] > call["at"]
        other.until("after")
        other.type("deny")
        held.answer(2)
        while not (call := json.loads(watcher.stdout.readline())["call"])["is_over"]:
            pass
        assert (call["held_until"], call["decision"], call["was_sent"]) == (None, "you", False)
    finally:
        for one in (watcher, other.process):
            one.kill()
            one.wait(SECONDS)
        watcher.stdout.close()
        os.close(other.terminal)
