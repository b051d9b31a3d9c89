"""Approvals for a session end with the process that holds it, however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.approval.grants import Scope
from signoff.app.storage.starts import Sessions
from tests.storage.stored import NOW, SESSION, grant, opened, snapshot

LIVING = """
import sys
from pathlib import Path
from signoff.app.approval.grants import Scope
from tests.storage.stored import NOW, grant, opened, snapshot
store = opened(Path(sys.argv[1]))
store.grants.give(grant(Scope.SESSION, snapshot("theirs"), session="their run"))
store.grants.give(grant(of=snapshot("dated")))
print("ready", flush=True)
sys.stdin.readline()
"""


def names(folder: Path) -> set[str]:
    with opened(folder) as store:
        return {one.tool for one in store.grants.all(NOW)}


def test_a_living_run_keeps_its_approvals_and_a_killed_one_loses_them(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    living = subprocess.Popen(
        [sys.executable, "-c", LIVING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert living.stdout is not None
        assert living.stdout.readline() == b"ready\n"
        assert names(folder) == {"theirs", "dated"}
        assert names(folder) == {"theirs", "dated"}
        living.kill()
        living.wait()
        assert names(folder) == {"dated"}
        assert list((folder / "sessions").iterdir()) == []
    finally:
        living.kill()
        living.communicate()


def test_a_session_is_gone_once_nobody_holds_it(tmp_path: Path) -> None:
    mine, other = Sessions(tmp_path / "s"), Sessions(tmp_path / "s")
    assert other.is_gone(SESSION)
    mine.begin(SESSION)
    mine.begin(SESSION)
    other.begin(SESSION)
    assert not Sessions(tmp_path / "s").is_gone(SESSION)
    other.tidy()
    assert len(os.listdir(tmp_path / "s")) == 1
    mine.end(SESSION)
    other.end(SESSION)
    other.end(SESSION)
    assert Sessions(tmp_path / "s").is_gone(SESSION)
    assert os.listdir(tmp_path / "s") == []


def test_tidying_between_opening_and_locking_takes_no_lock_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    import fcntl

    mine, other = Sessions(tmp_path / "s"), Sessions(tmp_path / "s")
    lock = fcntl.flock
    tidied: list[int] = []

    def slow(held: int, how: int) -> None:
        if how == fcntl.LOCK_SH and not tidied:
            tidied.append(held)
            other.tidy()
            assert os.listdir(tmp_path / "s") == []
        lock(held, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    mine.begin(SESSION)
    assert tidied
    assert not other.is_gone(SESSION)


def test_no_file_is_held_by_processes_started_meanwhile(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    store = opened(folder)
    store.grants.give(grant(Scope.SESSION, snapshot("mine")))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        store.close()
        assert names(folder) == set()
        assert os.listdir(folder / "sessions") == []
    finally:
        child.communicate(b"\n")
