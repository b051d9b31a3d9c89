"""Answers on a disk: whole or not at all, under names of our own, for nobody else to read."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.answer_files import NotSaved, is_taken, place_of, save_answer, save_file
from signoff.app.calls.manifest import CallContent, CallFacts
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.rpc import Oversized
from tests.approved import approved

PROSE = approved("calls")

TOLD = CallFacts("a server", "tool", "0" * 64, "answered")
RESULT: Any = {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
CAME = CallContent(read_answer(RESULT), RESULT)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_holds_all_of_it(tmp_path: Path) -> None:
    written = save_answer(tmp_path / "here", TOLD, CAME)
    folder = tmp_path / "here"
    names = {"part-01.txt", "part-02.txt", "raw-result.json", "manifest.json"}
    assert {one.name for one in folder.iterdir()} == names
    assert mode(folder) == 0o700
    assert {mode(one) for one in folder.iterdir()} == {0o600}
    assert (folder / "part-02.txt").read_bytes() == b"two"
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [one["file"] for one in manifest["files"]] == [
        "part-01.txt",
        "part-02.txt",
        "raw-result.json",
    ]
    assert written.place == folder
    assert written.files == 4
    assert written.size == sum(one.stat().st_size for one in folder.iterdir())
    assert list(tmp_path.iterdir()) == [folder]


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir(mode=0o755)
    assert is_taken(tmp_path / "here") == ""
    save_answer(tmp_path / "here", TOLD, CAME)
    assert mode(tmp_path / "here") == 0o700


def test_what_is_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "not empty" in is_taken(tmp_path)
    PROSE.holds("files: the name is taken", is_taken(tmp_path / "file"))
    assert is_taken(tmp_path / "none") == ""
    assert is_taken(tmp_path / "file" / "none") == ""
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert is_taken(tmp_path / "dangling")


def test_in_a_folder_with_files_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "part-01.txt").write_text("old")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.write_text("outside")
    (tmp_path / "part-02.txt").symlink_to(outside)
    save_answer(tmp_path, TOLD, CAME)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "part-01.txt").read_text() == "one"
    # A link is replaced, not followed.
    assert outside.read_text() == "outside"
    assert not (tmp_path / "part-02.txt").is_symlink()
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def full_disk() -> Iterator[bytes]:
    """The second time, when it is written rather than counted, the disk is full."""
    yield b"beginning"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_full_disk_leaves_nothing(tmp_path: Path, is_merged: bool) -> None:
    if is_merged:
        (tmp_path / "mine.txt").write_text("mine")
    times: list[int] = []

    def chunks() -> Iterator[bytes]:
        times.append(1)
        return iter([b"all"]) if len(times) == 1 else full_disk()

    came = CallContent(None, None, Oversized(3, 3, b"all", chunks))
    folder = tmp_path if is_merged else tmp_path / "here"
    with pytest.raises(NotSaved, match="no space is left"):
        save_answer(folder, TOLD, came)
    assert [one.name for one in tmp_path.iterdir()] == (["mine.txt"] if is_merged else [])


def test_a_file_is_replaced_only_by_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "part.txt"
    assert save_file(place, b"one").size == 3
    assert mode(place) == 0o600
    save_file(place, b"two")
    assert place.read_bytes() == b"two"

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("signoff.app.calls.answer_files.os.fsync", full)
    with pytest.raises(NotSaved, match="no space is left"):
        save_file(place, b"three")
    assert place.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [place]


def test_a_device_or_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    place = tmp_path / "pipe"
    os.mkfifo(place)
    with pytest.raises(NotSaved, match="a device or a pipe"):
        save_file(place, b"x")
    assert place.is_fifo()
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("none/here", "the folder does not exist"),
        ("file/here", "not a folder"),
        ("file", "a file with this name"),
        ("x" * 300, "the name is too long"),
        ("nul\0", "not a valid file name"),
        ("circle/here", "circle"),
    ],
)
def test_why_not_in_words(tmp_path: Path, where: str, words: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(NotSaved, match=words):
        save_answer(tmp_path / where, TOLD, CAME)
    if where != "file":
        with pytest.raises(NotSaved):
            save_file(tmp_path / where, b"x")
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    if os.geteuid() == 0:
        with pytest.raises(NotSaved):
            save_file(Path("/proc/part.txt"), b"x")
        return
    tmp_path.chmod(0o500)
    with pytest.raises(NotSaved, match="no permission to write"):
        save_answer(tmp_path / "here", TOLD, CAME)


def test_typed_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert place_of(" ~/x ") == Path("/home/somebody/x")
    for typed in ("", "  ", "~nobody-of-this-name/x"):
        with pytest.raises(NotSaved):
            place_of(typed)
