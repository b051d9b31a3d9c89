from __future__ import annotations

import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from signoff.app.platforms import locks as locks_here


@pytest.fixture(params=["here", "windows"])
def locks(request: pytest.FixtureRequest) -> object:
    if request.param == "here":
        return locks_here
    return request.getfixturevalue("windows").load("locks")


def opened_twice(path: Path) -> tuple[int, int]:
    flags = os.O_RDWR | os.O_CREAT
    return os.open(path, flags, 0o600), os.open(path, flags, 0o600)


def test_a_lock_is_of_one_opening_until_it_is_let_go(
    locks: SimpleNamespace, tmp_path: Path
) -> None:
    one, other = opened_twice(tmp_path / "file")
    os.write(one, b"abc")
    locks.try_lock(one)
    with pytest.raises(BlockingIOError):
        locks.try_lock(other)
    locks.unlock(one)
    locks.try_lock(other)
    os.close(other)
    locks.try_lock(one)
    assert os.lseek(one, 0, os.SEEK_CUR) == 3, "where it is read and written has not moved"
    os.close(one)


def test_letting_go_of_a_lock_that_is_not_held_is_no_mistake(
    locks: SimpleNamespace, tmp_path: Path
) -> None:
    one, other = opened_twice(tmp_path / "file")
    locks.try_lock(other)
    locks.unlock(one)
    with pytest.raises(BlockingIOError):
        locks.try_lock(one)
    os.close(one)
    os.close(other)


def test_who_waits_for_a_lock_gets_it(locks: SimpleNamespace, tmp_path: Path) -> None:
    one, other = opened_twice(tmp_path / "file")
    locks.try_lock(one)
    waiting = threading.Thread(target=locks.wait_for_lock, args=(other,))
    waiting.start()
    assert waiting.is_alive()
    locks.unlock(one)
    waiting.join()
    with pytest.raises(BlockingIOError):
        locks.try_lock(one)
    os.close(one)
    os.close(other)


def test_locks_are_shared_where_the_system_has_that(tmp_path: Path) -> None:
    one, other = opened_twice(tmp_path / "file")
    locks_here.wait_for_lock(one, shared=True)
    locks_here.try_lock(other, shared=True)
    with pytest.raises(BlockingIOError):
        locks_here.try_lock(other)
    os.close(one)
    os.close(other)


def test_windows_does_not_wait_for_ever(
    windows: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = windows.load("locks")
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.03)
    one, other = opened_twice(tmp_path / "file")
    locks.wait_for_lock(one, shared=True)
    with pytest.raises(BlockingIOError):
        locks.wait_for_lock(other, shared=True)
    os.close(one)
    os.close(other)
