"""Reading files, pipes and devices with a limit: nothing is longer, nothing waits for ever."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from signoff.app.platforms import files
from signoff.app.platforms.files import read_bounded


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_a_file_up_to_the_limit_is_read_whole(size: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_bounded(tmp_path / "file", 100) == b"x" * size


def test_a_longer_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 101)
    with pytest.raises(OSError, match="more than 100 bytes"):
        read_bounded(tmp_path / "file", 100)


def test_a_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError if sys.platform != "win32" else PermissionError):
        read_bounded(tmp_path, 100)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "none", 100)


def test_an_endless_device_is_refused() -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such device")
    with pytest.raises(OSError, match="more than 3,000,000 bytes"):
        read_bounded("/dev/zero", 3_000_000)
    assert read_bounded("/dev/null", 1) == b""


def test_a_pipe_without_a_writer_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such files")
    monkeypatch.setattr(files, "PIPE_SECONDS", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TimeoutError, match="pipe or device"):
        read_bounded(tmp_path / "pipe", 100)


def test_a_writer_that_stops_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such files")
    monkeypatch.setattr(files, "PIPE_SECONDS", 0.1)
    reads, writes = os.pipe()
    try:
        os.write(writes, b"half")
        with pytest.raises(TimeoutError):
            read_bounded(f"/dev/fd/{reads}", 100)
    finally:
        os.close(reads)
        os.close(writes)


def test_what_a_writer_writes_late_and_in_pieces_is_read() -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such files")
    reads, writes = os.pipe()

    def write() -> None:
        for _ in range(3):
            os.write(writes, b"x" * 50_000)
        os.close(writes)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert len(read_bounded(f"/dev/fd/{reads}", 1_000_000)) == 150_000
    finally:
        writer.join()
        os.close(reads)
