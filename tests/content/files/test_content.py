"""Files that a person names: their text, or words about them that follow the name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.cli.targets.given_files import given_text, write_given
from signoff.app.cli.targets.usage import UsageError
from signoff.app.content.files.content import FileFault, read_data, read_text, write_text


@given(data=st.binary(max_size=40), most=st.integers(0, 40))
def test_a_file_is_read_whole_or_not_at_all(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, most: int
) -> None:
    path = tmp_path_factory.mktemp("files") / "one"
    path.write_bytes(data)
    fault = None
    try:
        text = read_text(path, most)
    except FileFault as problem:
        fault = problem
    if fault is None:
        assert text.encode("utf-8") == data == read_data(path, most)
    elif fault.line:
        lines = data.split(b"\n")[: fault.line]
        assert str(fault) == "is not UTF-8"
        b"".join(lines[:-1]).decode("utf-8")
        with pytest.raises(UnicodeDecodeError):
            lines[-1].decode("utf-8")
    else:
        assert len(data) > most


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("files") / "one"
    write_text(path, text)
    assert read_text(path, 1_000) == text


def test_the_words_follow_the_name(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "none", "cannot be read: no such file or directory"),
        (tmp_path, "cannot be read: "),
        ("a\0b", "cannot be read: no file can have this name"),
        ("~no-such-person/file", "cannot be read: "),
    ):
        with pytest.raises(FileFault) as caught:
            read_data(path, 10)
        assert str(caught.value).startswith(words)
    with pytest.raises(FileFault, match="cannot be written: no such file or directory"):
        write_text(tmp_path / "none" / "file", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_no_pipe_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileFault, match="is not a file"):
        read_text(tmp_path / "pipe", 10, waits=False)


def test_the_error_of_an_option_names_it(tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"^--keys: .*odd is not UTF-8$"):
        given_text(tmp_path / "odd", 10, "--keys")
    with pytest.raises(UsageError, match=r"^\S*none cannot be read: "):
        given_text(tmp_path / "none", 10)
    with pytest.raises(UsageError, match=r"^--html: .* cannot be written: "):
        write_given("--html", tmp_path, "")
