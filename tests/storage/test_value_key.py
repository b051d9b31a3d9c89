"""The key of keyed digests: made once, private, and never made anew over a damaged one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from signoff.app.storage.keys import FILE_NAME, KEY_BYTES, value_key
from signoff.app.storage.state_dir import StoreError


def test_it_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = value_key(folder)
    assert len(key) == KEY_BYTES
    assert value_key(folder) == key
    assert value_key(tmp_path / "other") != key
    assert (folder / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


def test_many_that_begin_at_once_have_the_same(tmp_path: Path) -> None:
    found: list[bytes] = []
    ready = threading.Barrier(8)

    def begin() -> None:
        ready.wait()
        found.append(value_key(tmp_path / "state"))

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


@pytest.mark.parametrize("content", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_said_and_left(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "state"
    value_key(folder)
    (folder / FILE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        value_key(folder)
    assert (folder / FILE_NAME).read_bytes() == content


def test_a_key_that_others_may_write_or_that_leads_elsewhere_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    value_key(folder)
    path = folder / FILE_NAME
    path.chmod(0o622)
    with pytest.raises(StoreError, match="written to by other users"):
        value_key(folder)
    path.rename(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", path)
    with pytest.raises(StoreError):
        value_key(folder)
