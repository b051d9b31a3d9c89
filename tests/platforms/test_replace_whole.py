"""A file that is replaced is the old one or the new one, and nothing is left beside it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from signoff.app.platforms.files import replace_whole


@pytest.mark.parametrize("old", [None, b"", b"a longer text than the new one"])
def test_the_new_file_is_whole(tmp_path: Path, old: bytes | None) -> None:
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    replace_whole(path, b"new", 0o640)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_nothing_is_left_if_it_fails(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(OSError):  # noqa: PT011  (its kind depends on the system)
        replace_whole(tmp_path / "folder", b"new")
    assert os.listdir(tmp_path) == ["folder"]
    with pytest.raises(FileNotFoundError):
        replace_whole(tmp_path / "none" / "file", b"new")
