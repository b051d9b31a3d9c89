"""Arguments in files: read with what is wrong and where, written for their owner only."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signoff.app.storage.arguments import (
    LOAD_MAX,
    Exists,
    FileProblem,
    load_arguments,
    path_of,
    save_arguments,
)


def test_a_path_as_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert path_of(" ~/a.json ") == tmp_path / "a.json"
    assert path_of("b.json") == tmp_path / "b.json"
    for bad in ("", "  ", "~nobody-of-this-name/x"):
        with pytest.raises(FileProblem):
            path_of(bad)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save_arguments(path, '{"a": [1, 1.0, null]}\n')
    assert path.stat().st_mode & 0o777 == 0o600
    assert repr(load_arguments(path)) == "{'a': [1, 1.0, None]}"


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("mine", encoding="ascii")
    path.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(path)
    for one in (path, link):
        with pytest.raises(Exists, match="exists already"):
            save_arguments(one, "{}")
    assert path.read_text(encoding="ascii") == "mine"
    save_arguments(link, "{}", overwrites=True)
    assert path.read_text(encoding="ascii") == "{}"
    assert path.stat().st_mode & 0o777 == 0o600
    assert link.is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.json", "link"]


def test_a_device_or_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    path, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(path)
    link.symlink_to(path)
    for one in (path, link):
        with pytest.raises(FileProblem, match="not a regular file"):
            save_arguments(one, "{}", overwrites=True)
    assert path.is_fifo()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="is a folder") as raised:
        save_arguments(tmp_path, "{}")
    assert not isinstance(raised.value, Exists)
    with pytest.raises(FileProblem, match="cannot be written"):
        save_arguments(tmp_path / "no" / "a.json", "{}")
    with pytest.raises(FileProblem, match=r"regular file|cannot be read"):
        load_arguments(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n  "a": 1,\n}', r"not JSON: .*line 3, column 1|not JSON: .*line 2, column 9"),
        ("", "not JSON: empty"),
        ("{} {}", "line 1, column 4"),
        ("[1]", "one JSON object"),
        (
            '{"a": {"b": 1},\n "x": [{"b": "}"}],\n  "\\u0061": 2}',
            "key 'a' is given twice, again at line 3, column 3",
        ),
        ('{"o": {"k": 1, "k": 2}}', "key 'k' is given twice, again at line 1, column 16"),
        ('{"a": NaN}', "not JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem, match=words):
        load_arguments(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(FileProblem, match="not UTF-8: byte 0xe9 at offset 7"):
        load_arguments(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(LOAD_MAX + 1)
    with pytest.raises(FileProblem, match="has 2,000,001 bytes, at most 2,000,000 are read"):
        load_arguments(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(FileProblem, match="not a regular file"):
        load_arguments(path)
    with pytest.raises(FileProblem, match="no such file"):
        load_arguments(tmp_path / "nothing")
