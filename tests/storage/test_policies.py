from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy import PolicyKind
from signoff.app.approval.policies.policy_text import PolicyError
from signoff.app.platforms.files import user_id
from signoff.app.storage.policy_files import (
    PolicyNotFound,
    find_policy,
    own_names,
    policies_folder,
    policy_text,
    read_policy_file,
)
from tests.approved import approved

PROSE = approved("storage")

TEXT = 'name = "{name}"\nsummary = "A test."\n[[rule]]\nthen = "ask"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return policies_folder()


def keep(path: Path, name: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.format(name=name), encoding="utf-8")
    return path


def refused(name_or_path: str) -> str:
    with pytest.raises(PolicyError) as caught:
        find_policy(name_or_path)
    return str(caught.value)


def test_a_built_in_policy_by_its_name() -> None:
    assert find_policy("cautious").kind is PolicyKind.BUILT_IN
    assert policy_text("cautious").startswith('name = "cautious"')


def test_an_own_policy_by_its_name(folder: Path) -> None:
    assert own_names() == ()
    keep(folder / "mine.toml", "mine")
    keep(folder / "notes.txt", "notes")
    assert own_names() == ("mine",)
    found = find_policy("mine")
    assert (found.name, found.kind, found.source) == ("mine", PolicyKind.OWN, "mine.toml")
    assert policy_text("mine") == TEXT.format(name="mine")


@pytest.mark.parametrize("path", ["mine.toml", "./mine.toml", "sub/other"])
def test_a_policy_by_its_path(path: str) -> None:
    keep(Path(path), "mine")
    assert find_policy(path).name == "mine"


def test_a_file_in_the_current_folder_is_not_found_by_name() -> None:
    keep(Path("mine"), "mine")
    with pytest.raises(PolicyNotFound, match=r"unknown policy 'mine' \(known policies: cautious"):
        find_policy("mine")


def test_a_built_in_policy_cannot_be_replaced(folder: Path) -> None:
    keep(folder / "cautious.toml", "cautious")
    assert own_names() == ()
    assert find_policy("cautious").kind is PolicyKind.BUILT_IN
    message = refused(str(folder / "cautious.toml"))
    PROSE.holds("policy: a built-in name", message, FOLDER=folder)


def test_a_file_in_the_folder_has_the_name_of_its_policy(folder: Path) -> None:
    keep(folder / "mine.toml", "other")
    PROSE.holds("policy: another name", refused("mine"), FOLDER=folder)


def test_a_broken_file_is_refused_with_its_line(folder: Path) -> None:
    keep(folder / "mine.toml", "mine").write_text('name = "mine"\nsummary = 3\n', encoding="utf-8")
    PROSE.holds("policy: a broken file", refused("mine"), FOLDER=folder)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refused("./none.toml")
    assert "not a file" in refused(f"{tmp_path}/")
    assert "no file can have this name" in refused("a\0.toml")
    (tmp_path / "bad.toml").write_bytes(b'name = "a"\n\nsummary = "\xff"\n')
    PROSE.holds("policy: not UTF-8", refused("bad.toml"), FOLDER=tmp_path)


@pytest.mark.skipif(user_id() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read() -> None:
    keep(Path("mine.toml"), "mine").chmod(0)
    assert "permission denied" in refused("mine.toml")


@pytest.mark.timeout(10)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    os.mkfifo(tmp_path / "pipe.toml")
    assert "not a file" in refused("pipe.toml")


def test_a_relative_folder_for_settings_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    keep(Path("config/signoff/policies/mine.toml"), "mine")
    assert own_names() == ()


def test_a_host_is_read_from_a_file() -> None:
    head = 'title = "X"\nsource = "https://example.org"\ndate = 2026-11-15\n'
    path = keep(Path("x.toml"), "x")
    path.write_text(head + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_policy_file(path, PolicyKind.HOST).title == "X"
