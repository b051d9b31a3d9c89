"""The file of settings on a real disk: whatever lies there, it is read or refused in words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signoff.app.platforms.files import user_id
from signoff.app.storage.settings.file import (
    load_settings,
    make_file,
    read_file,
    replace_file,
    settings_file,
)
from signoff.app.storage.settings.values import Settings
from signoff.app.storage.state_dir import StoreError
from tests.approved import approved

PROSE = approved("settings")

IS_ROOT = user_id() == 0


def load(path: Path) -> Settings:
    return load_settings({"SIGNOFF_CONFIG": str(path)})


def refusal(path: Path) -> str:
    """Why the file is not used; nothing of it counts, and nobody takes the default policy."""
    settings = load(path)
    (mistake,) = settings.mistakes
    assert not settings.is_policy_sure
    assert settings.found == {}
    return mistake.words


def test_it_lies_beside_the_folder_of_hosts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_file({}) == tmp_path / "signoff" / "config.toml"


def test_an_empty_variable_is_no_file() -> None:
    assert settings_file({"SIGNOFF_CONFIG": ""}) is None
    assert load_settings({"SIGNOFF_CONFIG": ""}).mistakes == ()


def test_a_file_that_is_not_there_is_no_mistake_unless_it_was_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load_settings({}).mistakes == ()
    missing = tmp_path / "none.toml"
    PROSE.holds("file: missing", refusal(missing), FILE=missing)


def test_a_relative_folder_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: Path("here"))
    (mistake,) = load_settings({}).mistakes
    PROSE.holds("file: a relative folder", mistake.words)


def test_a_link_to_an_own_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text('theme = "nord"')
    (tmp_path / "link.toml").symlink_to("real.toml")
    assert load(tmp_path / "link.toml").text("theme") == "nord"


def odd_files(folder: Path) -> dict[str, Path]:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    places = {name: folder / name for name in ("pipe", "folder", "loop", "dangling", "large")}
    os.mkfifo(places["pipe"])
    places["folder"].mkdir()
    places["loop"].symlink_to("loop")
    places["dangling"].symlink_to("nowhere")
    places["large"].write_bytes(b"#" * 900_000)
    return places


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("pipe", "file: a pipe"),
        ("folder", "file: a folder"),
        ("loop", "file: links in a circle"),
        ("dangling", "file: a broken link"),
        ("large", "file: too large"),
    ],
)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, name: str, key: str) -> None:
    path = odd_files(tmp_path)[name]
    PROSE.holds(key, refusal(path), FILE=path)


def test_a_device_and_a_name_with_nul() -> None:
    PROSE.holds("file: a device", refusal(Path("/dev/zero")))
    with pytest.raises(StoreError, match="invalid file name"):
        read_file(Path("a\0b"))


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'theme = "nord"\n# \xff\n')
    PROSE.holds("file: not UTF-8", refusal(path), FILE=path)


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o646])
def test_what_others_can_write_does_not_count(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "nord"')
    path.chmod(mode)
    PROSE.holds("file: others can write", refusal(path), FILE=path)


def test_a_group_may_write_only_where_it_is_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "nord"')
    path.chmod(0o664)
    is_own_group = path.stat().st_gid == path.stat().st_uid
    assert (load(path).mistakes == ()) is is_own_group


@pytest.mark.skipif(not IS_ROOT, reason="only root can give files away")
def test_a_file_of_another_user_does_not_count(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    path = tmp_path / "config.toml"
    path.write_text('theme = "nord"')
    os.chown(path, 12345, 12345)
    PROSE.holds("file: of another user", refusal(path), FILE=path)
    os.chown(path, 0, 12345)
    path.chmod(0o660)
    PROSE.holds("file: others can write", refusal(path), FILE=path)


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("")
    path.chmod(0)
    assert "permission denied" in refusal(path)


def test_a_file_is_made_with_its_folder_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "signoff" / "config.toml"
    make_file(path, "# a\n")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    with pytest.raises(StoreError, match="file exists"):
        make_file(path, "")


def test_a_file_is_replaced_through_its_link_and_keeps_its_rights(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    real.write_text("a")
    real.chmod(0o644)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    replace_file(link, "b", "a")
    assert link.is_symlink()
    assert real.read_text() == "b"
    assert real.stat().st_mode & 0o777 == 0o644
    assert sorted(one.name for one in tmp_path.iterdir()) == ["config.toml", "real.toml"]
    with pytest.raises(StoreError, match="changed in the meantime"):
        replace_file(link, "c", "a")
