"""The audit log on a full disk, and one whose file is replaced or that nobody may write."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.storage.audit_files import rotate
from signoff.app.storage.audit_log import AuditError, AuditLog
from tests.approved import approved
from tests.storage.audited import proved, records, start, write, writer

PROSE = approved("storage")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 192 KB, where mounting is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(place)]
    try:
        is_mounted = subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        is_mounted = False
    if not is_mounted:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


class TestAFullDisk:
    def test_a_limit_on_the_size_of_files(self, path: Path) -> None:
        process = writer(path, 10_000, "one", "--limit", "20000")
        start(process)
        out, _ = process.communicate()
        *written, problem, probe = out.splitlines()
        PROSE.holds("log: a limit on the size of files", f"{problem}\n{probe}", FILE=path)
        found = proved(path)
        assert found.is_intact, found
        assert found.count == len(written) > 20
        write(AuditLog(path), 1)
        assert proved(path).is_intact

    def test_a_file_system_that_is_full(self, small_disk: Path) -> None:
        path = small_disk / "audit.jsonl"
        log = AuditLog(path)
        assert log.probe() == ""
        filler = small_disk / "filler"
        filler.write_bytes(bytes(140_000))
        assert "bytes left" in log.probe()
        with pytest.raises(AuditError, match="the disk is full"):
            write(log, 200, filling="x" * 1_000)
        found = proved(path)
        assert found.is_intact, found
        assert found.count > 20
        filler.unlink()
        assert log.probe() == ""
        write(log, 1)
        log.close()
        assert proved(path).count == found.count + 1

    def test_half_a_line_is_taken_back(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = AuditLog(path)
        write(log, 2)
        before = path.read_bytes()
        really = os.write
        room = [50, 0]

        def half(fd: int, data: bytes) -> int:
            if not room[0]:
                raise OSError(errno.ENOSPC, "full")
            return really(fd, data[: room.pop(0)])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(AuditError, match="the disk is full"):
            write(log, 1)
        monkeypatch.undo()
        assert path.read_bytes() == before
        write(log, 1)
        assert proved(path).count == 3

    def test_after_a_failure_the_probe_tries(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = AuditLog(path)
        write(log, 1)

        def over_quota(fd: int, data: bytes) -> int:
            raise OSError(errno.EDQUOT, "quota")

        monkeypatch.setattr(os, "write", over_quota)
        with pytest.raises(AuditError, match="quota is used up"):
            write(log, 1)
        PROSE.holds("log: over quota", log.probe(), FILE=path)
        monkeypatch.undo()
        assert log.probe() == ""
        write(log, 1)
        assert [file.name for file in path.parent.iterdir()] == ["audit.jsonl"]

    def test_the_try_follows_no_link_and_takes_no_file(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if sys.platform == "win32":
            pytest.skip("this is for POSIX")
        victim = path.parent / "victim"
        victim.write_text("precious")
        bait = path.parent / f".audit.jsonl.{os.getpid()}.trial"
        bait.symlink_to(victim)
        log = AuditLog(path)
        write(log, 1)
        opened: list[tuple[object, int, int]] = []
        really = os.open

        def watched(name: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
            opened.append((name, flags, mode))
            return really(name, flags, mode, **more)

        def over_quota(fd: int, data: bytes) -> int:
            raise OSError(errno.EDQUOT, "quota")

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", over_quota)
            with pytest.raises(AuditError, match="quota is used up"):
                write(log, 1)
        monkeypatch.setattr(os, "open", watched)
        assert log.probe() == ""
        assert victim.read_text() == "precious"
        assert bait.is_symlink()
        nameless: int = getattr(os, "O_TMPFILE", -1)
        made = [one for one in opened if one[1] & os.O_CREAT or one[1] & nameless == nameless]
        assert made, "nothing was tried"
        for _, flags, mode in made:
            assert mode == 0o600
            assert flags & nameless == nameless or (flags & os.O_EXCL and flags & os.O_NOFOLLOW)


class TestAFileThatIsAnother:
    def test_a_symbolic_link_is_not_followed(self, path: Path) -> None:
        victim = path.with_name("victim")
        victim.write_text("precious")
        path.symlink_to(victim)
        log = AuditLog(path)
        PROSE.holds("log: a link", log.probe(), FILE=path)
        with pytest.raises(AuditError, match="it is a symbolic link"):
            write(log, 1)
        assert victim.read_text() == "precious"

    def test_removed_while_open(self, path: Path) -> None:
        log = AuditLog(path)
        write(log, 3)
        path.unlink()
        write(log, 2)
        lost, first, _ = records(path)
        assert (lost["event"], lost["severity"], lost["seq"]) == ("log-replaced", "error", 4)
        assert lost["expected"]["seq"] == 3
        assert first["event"] == "sent"
        found = proved(path)
        assert not found.kind
        assert found.starts_midway
        assert not found.is_intact

    def test_replaced_while_open(self, path: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        write(AuditLog(other), 5)
        log = AuditLog(path)
        write(log, 3)
        os.replace(other, path)
        write(log, 1)
        assert [record["event"] for record in records(path)[5:]] == ["log-replaced", "sent"]

    def test_cut_while_open(self, path: Path) -> None:
        log = AuditLog(path)
        write(log, 3)
        os.truncate(path, 0)
        write(log, 1)
        lost, _ = records(path)
        assert "was cut from" in lost["reason"]
        assert not proved(path).kind
        assert proved(path).starts_midway

    def test_a_copy_with_the_same_end_is_no_loss(self, path: Path, tmp_path: Path) -> None:
        log = AuditLog(path)
        write(log, 3)
        copy = tmp_path / "copy"
        copy.write_bytes(path.read_bytes())
        os.replace(copy, path)
        write(log, 1)
        assert proved(path).count == 4
        assert records(path)[-1]["event"] == "sent"

    def test_rotated_by_another(self, path: Path) -> None:
        log = AuditLog(path)
        write(log, 3)
        assert rotate(path, 5)
        write(AuditLog(path), 2)
        write(log, 1)
        assert {record["event"] for record in records(path)} == {"sent"}
        assert proved(path).count == 6

    def test_rotated_by_another_until_ours_was_removed(self, path: Path) -> None:
        log = AuditLog(path, keep=2)
        write(log, 3)
        write(AuditLog(path, max_bytes=1_000, keep=2), 60)
        write(log, 1)
        assert {record["event"] for record in records(path)} == {"sent"}
        assert not proved(path).kind
        assert proved(path).starts_midway

    def test_its_folder_is_gone(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        log = AuditLog(folder / "audit.jsonl")
        write(log, 1)
        (folder / "audit.jsonl").unlink()
        folder.rmdir()
        PROSE.holds("log: no folder", log.probe(), FOLDER=folder)
        with pytest.raises(AuditError, match="the folder does not exist"):
            write(log, 1)
