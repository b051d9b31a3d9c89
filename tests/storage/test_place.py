"""Only a place that is the owner's alone is used."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from signoff.app.platforms.files import user_id
from signoff.app.storage.state_dir import StoreError, private_file, private_folder, state_folder
from signoff.app.storage.store import Store
from tests.approved import approved
from tests.storage.stored import FILE, NOW, grant, opened

PROSE = approved("storage")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_and_every_file_are_the_owners_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        with opened(tmp_path / "state" / "signoff") as store:
            store.grants.give(grant())
            found = list((tmp_path / "state" / "signoff").iterdir())
            assert {file.name for file in found} == {FILE, f"{FILE}-wal", f"{FILE}-shm"}
            assert {mode(file) for file in found} == {0o600}
    finally:
        os.umask(umask)
    assert mode(tmp_path / "state" / "signoff") == 0o700


def test_what_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "signoff"
    folder.mkdir(mode=0o755)
    (folder / "file").touch(mode=0o644)
    assert private_folder(folder) == folder.resolve()
    private_file(folder / "file")
    assert (mode(folder), mode(folder / "file")) == (0o700, 0o600)


@pytest.mark.parametrize("bits", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_in_is_refused(tmp_path: Path, bits: int) -> None:
    folder = tmp_path / "signoff"
    folder.mkdir()
    folder.chmod(bits)
    with pytest.raises(StoreError, match="can be written to by other users"):
        private_folder(folder)
    assert list(folder.iterdir()) == []
    assert mode(folder) == bits


def test_a_file_that_others_may_write_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "s").close()
    (tmp_path / "s" / FILE).chmod(0o620)
    PROSE.holds("store: open", Store.open(tmp_path / "s", NOW).problem, FOLDER=tmp_path)


def test_the_log_of_the_file_is_looked_at_too(tmp_path: Path) -> None:
    opened(tmp_path / "s").close()
    log = tmp_path / "s" / f"{FILE}-wal"
    log.touch()
    log.chmod(0o666)
    PROSE.holds("store: an open log", Store.open(tmp_path / "s", NOW).problem, FOLDER=tmp_path)


@pytest.mark.skipif(user_id() != 0, reason="only root can give files away")
def test_what_belongs_to_another_user_is_refused(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    (tmp_path / "theirs").mkdir(mode=0o700)
    os.chown(tmp_path / "theirs", 12345, 12345)
    with pytest.raises(StoreError, match="belongs to another user"):
        private_folder(tmp_path / "theirs")
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    os.chown(tmp_path / "link", 12345, 12345, follow_symlinks=False)
    with pytest.raises(StoreError, match="a symbolic link of another user"):
        private_folder(tmp_path / "link")


def test_an_own_link_is_followed_to_a_place_that_is_checked(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert private_folder(tmp_path / "link") == (tmp_path / "real").resolve()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "real" / "file").symlink_to(tmp_path / "open" / "file")
    (tmp_path / "open" / "file").touch(mode=0o600)
    with pytest.raises(StoreError, match="not only yours"):
        private_file(tmp_path / "real" / "file")


@pytest.mark.parametrize("what", ["a file", "a dangling link"])
def test_what_is_no_folder_is_refused(tmp_path: Path, what: str) -> None:
    place = tmp_path / "signoff"
    place.touch() if what == "a file" else place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="is not a folder"):
        private_folder(place)


def test_the_place_is_named_safely(tmp_path: Path) -> None:
    place = tmp_path / "sign\x1b[2Joff"
    place.touch()
    with pytest.raises(StoreError) as raised:
        private_folder(place)
    assert "\x1b" not in str(raised.value)


def test_the_platforms_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert state_folder() == tmp_path / "state" / "signoff"
    with Store.open() as store:
        assert store.path == tmp_path / "state" / "signoff" / FILE


def test_a_relative_state_folder_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    # Newer versions of platformdirs ignore such a value themselves.
    with Store.open() as store:
        assert "not an absolute path" in store.problem or store.path.is_relative_to(
            tmp_path / "home"
        )
    assert list((tmp_path / "here").iterdir()) == []
