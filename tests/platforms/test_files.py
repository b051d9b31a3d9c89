from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from signoff.app.platforms import files as files_here


@pytest.fixture(params=["here", "windows"])
def files(request: pytest.FixtureRequest) -> object:
    if request.param == "here":
        return files_here
    return request.getfixturevalue("windows").load("files")


def test_a_new_file_is_made_once_and_read_back(files: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "file"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | files.NO_LINK
    with open(files.open_file(path, flags, 0o600), "wb") as made:
        made.write(b"one two three")
    with pytest.raises(FileExistsError):
        files.open_file(path, flags, 0o600)
    reading = files.open_file(path, os.O_RDONLY | files.NO_WAIT | files.NO_CONTROL)
    assert files.read_at(reading, 3, 4) == b"two"
    assert files.read_at(reading, 3, 0) == b"one"
    with pytest.raises(OSError, match=r"\w"):
        os.write(reading, b"no")
    os.close(reading)
    with pytest.raises(FileNotFoundError):
        files.open_file(tmp_path / "none", os.O_RDONLY)


def test_a_symbolic_link_is_refused_where_that_is_wanted(
    files: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "there").write_bytes(b"there")
    link = tmp_path / "link"
    link.symlink_to("there")
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        files.open_file(link, os.O_RDWR | os.O_CREAT | files.NO_LINK, 0o600)
    opened = files.open_file(link, os.O_RDONLY)
    assert files.read_at(opened, 9, 0) == b"there"
    os.close(opened)


def test_what_is_appended_goes_to_the_end(files: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"before ")
    opened = files.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | files.NO_LINK, 0o600)
    assert files.read_at(opened, 3, 0) == b"bef"
    os.write(opened, b"after")
    files.sync_data(opened)
    files.sync_folder(tmp_path)
    is_read_only, free = files.room(opened, path)
    os.close(opened)
    assert path.read_bytes() == b"before after"
    assert not is_read_only
    assert free > 0


def test_modes_count_where_there_are_modes(windows: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "open"
    path.write_bytes(b"")
    path.chmod(0o666)
    found = path.stat()
    assert files_here.rights(found) == 0o666
    there = windows.load("files")
    assert there.rights(found) == 0o600
    with path.open("rb") as opened:
        there.set_rights(opened.fileno(), 0o600)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666
        files_here.set_rights(opened.fileno(), 0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_usual_mode_is_that_of_the_umask() -> None:
    before = os.umask(0o027)
    try:
        assert files_here.usual_rights() == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
