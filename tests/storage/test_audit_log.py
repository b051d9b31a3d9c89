"""The audit log on a real disk, with real processes: shared, torn, full, replaced."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from signoff.app.platforms.files import user_id
from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage.audit_files import LogLines, rotate, rotated_files
from signoff.app.storage.audit_log import AuditError, AuditLog, default_path
from signoff.app.storage.auditing.chain import START
from signoff.app.storage.auditing.verifying import verify
from tests.approved import approved
from tests.storage.audited import NOTE, proved, records, start, write, writer

PROSE = approved("storage")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


class TestWriting:
    def test_a_record_has_a_time_a_number_and_a_place_in_the_chain(self, path: Path) -> None:
        log = AuditLog(path)
        log.append("asked", Severity.WARNING, {"session": "s", "tool": "t"}, durable=True)
        log.append("decided", NOTE, {})
        first, second = records(path)
        assert list(first) == [
            *("ts", "seq", "session", "event", "severity", "tool", "prev", "hash"),
        ]
        assert (first["seq"], first["prev"], first["event"]) == (1, START, "asked")
        assert (second["seq"], second["prev"]) == (2, first["hash"])
        assert first["severity"] == "warning"
        assert len(first["ts"]) == len("2026-11-21T12:00:00.000+00:00")

    @pytest.mark.parametrize("mode", [0o640, 0o604])
    def test_nobody_else_may_read_it(self, path: Path, mode: int) -> None:
        AuditLog(path).append("asked", NOTE, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(mode)
        AuditLog(path).append("asked", NOTE, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_a_later_run_continues_the_chain(self, path: Path) -> None:
        for _ in range(3):
            log = AuditLog(path)
            write(log, 2)
            log.close()
        assert proved(path).count == 6

    def test_it_may_be_used_again_after_it_was_closed(self, path: Path) -> None:
        log = AuditLog(path)
        write(log, 1)
        log.close()
        write(log, 1)
        assert proved(path).count == 2

    def test_what_comes_from_outside_cannot_pass_for_fields_of_its_own(self, path: Path) -> None:
        forged = {"ts": "1970", "seq": 99, "event": "x", "severity": "y", "prev": "z", "hash": "z"}
        AuditLog(path).append("asked", NOTE, forged)
        (record,) = records(path)
        assert (record["seq"], record["event"], record["severity"]) == (1, "asked", "note")
        assert record["ts"] > "2026"
        assert proved(path).is_intact

    def test_a_very_large_record_can_be_continued(self, path: Path) -> None:
        AuditLog(path).append("asked", NOTE, {str(index): "x" * 60_000 for index in range(9)})
        write(AuditLog(path), 1)
        assert proved(path).count == 2

    def test_a_slow_disk_holds_up_only_who_waits_for_it(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = AuditLog(path)
        is_syncing, may_end = threading.Event(), threading.Event()

        def slow(fd: int) -> None:
            is_syncing.set()
            assert may_end.wait(60)

        monkeypatch.setattr(os, "fdatasync", slow)
        waiting = threading.Thread(
            target=log.append, args=("decided", NOTE, {}), kwargs={"durable": True}
        )
        waiting.start()
        assert is_syncing.wait(60)
        write(log, 3)
        assert log.probe() == ""
        assert proved(path).count == 4
        assert waiting.is_alive()
        may_end.set()
        waiting.join()

    def test_a_disk_that_cannot_keep_it_is_said(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(fd: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "fdatasync", broken)
        log = AuditLog(path)
        with pytest.raises(AuditError, match="input/output error"):
            log.append("decided", NOTE, {}, durable=True)

    def test_many_threads(self, path: Path) -> None:
        one, other = AuditLog(path, 20_000), AuditLog(path, 20_000)
        threads = [
            threading.Thread(target=write, args=(log, 50)) for log in (one, other, one, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = proved(path)
        assert found.is_intact
        assert found.count == 200


class TestRotation:
    def test_the_chain_goes_on_over_the_files(self, path: Path) -> None:
        log = AuditLog(path, max_bytes=2_000, keep=50)
        write(log, 60)
        assert len(rotated_files(path)) > 3
        assert all(file.stat().st_size <= 2_000 for file in (path, *rotated_files(path)))
        found = proved(path)
        assert found.is_intact
        assert (found.count, found.first_seq) == (60, 1)
        first = json.loads(path.read_bytes().splitlines()[0])
        last = json.loads(rotated_files(path)[0].read_bytes().splitlines()[-1])
        assert first["prev"] == last["hash"]

    def test_the_oldest_files_go(self, path: Path) -> None:
        write(AuditLog(path, max_bytes=1_000, keep=2), 60)
        assert [file.name for file in rotated_files(path)] == ["audit.jsonl.1", "audit.jsonl.2"]
        found = proved(path)
        assert not found.kind
        assert found.starts_midway
        assert not found.is_intact
        assert found.last_seq == 60

    def test_the_files_keep_their_mode(self, path: Path) -> None:
        write(AuditLog(path, max_bytes=1_000), 30)
        for file in (path, *rotated_files(path)):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_a_crash_in_the_middle_of_it_loses_nothing(self, path: Path) -> None:
        write(AuditLog(path, max_bytes=1_000, keep=5), 20)
        before = proved(path).count
        # It stops when all are one number up, and the newest has not been put aside yet.
        for number in range(len(rotated_files(path)), 0, -1):
            old = path.with_name(f"audit.jsonl.{number}")
            old.rename(path.with_name(f"audit.jsonl.{number + 1}"))
        assert proved(path).count == before
        write(AuditLog(path, max_bytes=1_000, keep=50), 20)
        found = proved(path)
        assert found.is_intact, found
        assert found.last_seq == 40

    def test_a_folder_that_forbids_it_does_not_stop_the_log(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = AuditLog(path, max_bytes=1_000)
        write(log, 1)

        def refuse(self: Path, target: Path) -> Path:
            raise PermissionError(errno.EACCES, "no")

        monkeypatch.setattr(Path, "rename", refuse)
        write(log, 20)
        assert proved(path).count == 21
        assert rotated_files(path) == []

    def test_other_files_are_left_alone(self, path: Path) -> None:
        for name in ("audit.jsonl.txt", "audit.jsonl.01", "other.jsonl.1", "audit.jsonl.1.gz"):
            path.with_name(name).write_text("x")
        write(AuditLog(path), 1)
        assert rotate(path, 3)
        assert [file.name for file in rotated_files(path)] == ["audit.jsonl.1"]


class TestTwoAtOnce:
    @pytest.mark.parametrize("max_bytes", ["10000000", "8000"])
    def test_no_record_is_lost(self, path: Path, max_bytes: str) -> None:
        options = ("--max-bytes", max_bytes, "--keep", "1000")
        both = [writer(path, 150, name, *options) for name in ("one", "two")]
        for process in both:
            start(process)
        for process in both:
            out, _ = process.communicate()
            assert out.splitlines() == [str(index) for index in range(150)]
        found = proved(path)
        assert found.is_intact, found
        assert found.count == 300
        written = [(record["session"], record["index"]) for record in records(path)]
        for name in ("one", "two"):
            assert [index for who, index in written if who == name] == list(range(150))
        times = [record["ts"] for record in records(path)]
        assert times == sorted(times)

    def test_a_lock_that_is_never_given_up_is_said(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if sys.platform == "win32":
            pytest.skip("this is for POSIX")
        import fcntl

        monkeypatch.setattr(
            "signoff.app.storage.audit_files.lock.__kwdefaults__",
            {
                "shared": False,
                "seconds": 0.05,
            },
        )
        write(AuditLog(path), 1)
        with path.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(AuditError, match="another program keeps it locked"):
                write(AuditLog(path), 1)
        write(AuditLog(path), 1)
        assert proved(path).count == 2


class TestAfterACrash:
    def test_kill_9_while_it_writes(self, path: Path) -> None:
        if sys.platform == "win32":
            pytest.skip("this is for POSIX")
        acknowledged = 0
        for run in range(4):
            process = writer(path, 100_000, f"run{run}", "--max-bytes", "30000", "--keep", "1000")
            start(process)
            assert process.stdout is not None
            for _ in range(40):
                last = process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read()
            process.communicate()
            numbers = [int(line) for line in [last, *rest.splitlines()] if line.strip().isdigit()]
            acknowledged += max(numbers) + 1
        write(AuditLog(path), 1)
        found = proved(path)
        assert found.is_intact, found
        # Nothing that was acknowledged is lost; one more a run may have been written.
        assert acknowledged + 1 <= found.count - found.torn <= acknowledged + 5

    @pytest.mark.parametrize("kept", [1, 20, 150])
    def test_a_torn_line_is_closed_and_accounted_for(self, path: Path, kept: int) -> None:
        write(AuditLog(path), 3)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
        write(AuditLog(path), 1)
        found = proved(path)
        assert found.is_intact, found
        assert found.torn == 1
        torn = json.loads(path.read_bytes().splitlines()[3])
        assert (torn["event"], torn["seq"], torn["severity"]) == ("torn-line", 3, "warning")
        assert torn["torn"]["bytes"] == kept

    def test_a_torn_line_is_not_rotated_away_from_its_account(self, path: Path) -> None:
        log = AuditLog(path, max_bytes=1_000)
        write(log, 2, filling="x" * 200)
        path.write_bytes(path.read_bytes() + b'{"ts":"2026')
        write(AuditLog(path, max_bytes=1_000), 5, filling="x" * 200)
        found = proved(path)
        assert found.is_intact, found
        assert found.torn == 1

    def test_a_torn_first_line(self, path: Path) -> None:
        path.write_bytes(b'{"ts":"20')
        write(AuditLog(path), 1)
        found = proved(path)
        assert found.is_intact, found
        assert (found.first_seq, found.torn) == (1, 1)

    def test_only_the_end_of_the_line_is_missing(self, path: Path) -> None:
        write(AuditLog(path), 2)
        path.write_bytes(path.read_bytes().rstrip())
        write(AuditLog(path), 1)
        found = proved(path)
        assert found.is_intact, found
        assert (found.count, found.torn) == (3, 0)

    def test_an_edited_last_line_stays_a_broken_one(self, path: Path) -> None:
        write(AuditLog(path), 3)
        path.write_bytes(path.read_bytes().replace(b'"index":2', b'"index":7'))
        write(AuditLog(path), 2)
        found = proved(path)
        assert (found.kind, found.line) == ("edited", 3)

    def test_rubbish_with_an_end_stays_a_broken_line(self, path: Path) -> None:
        write(AuditLog(path), 2)
        path.write_bytes(path.read_bytes() + b"rubbish\n")
        write(AuditLog(path), 2)
        found = proved(path)
        assert (found.kind, found.line) == ("edited", 3)


class TestProbing:
    def test_says_nothing_while_all_is_well(self, path: Path) -> None:
        log = AuditLog(path)
        assert log.probe() == ""
        write(log, 1)
        assert log.probe() == ""

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        if sys.platform == "win32":
            pytest.skip("this is for POSIX")
        assert "is a directory" in AuditLog(tmp_path).probe()
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        for path in (fifo, Path("/dev/null")):
            PROSE.holds("log: not a regular file", AuditLog(path).probe(), FILE=path)
            with pytest.raises(AuditError, match="not a regular file"):
                write(AuditLog(path), 1)

    @pytest.mark.skipif(user_id() == 0, reason="root may write everywhere")
    def test_a_file_that_may_not_be_written(self, path: Path) -> None:
        path.touch()
        path.chmod(0o400)
        assert "you may not write it" in AuditLog(path).probe()

    def test_names_are_safe_to_show(self, tmp_path: Path) -> None:
        assert "\x1b" not in AuditLog(tmp_path / "\x1b[2J" / "audit.jsonl").probe()


class TestTheUsualPlace:
    def test_is_a_private_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        log = AuditLog(default_path())
        assert log.path == tmp_path / "state" / "signoff" / "audit.jsonl"
        assert log.probe() == ""
        assert stat.S_IMODE(log.path.parent.stat().st_mode) == 0o700

    def test_one_that_others_can_write_in_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        (tmp_path / "signoff").mkdir()
        (tmp_path / "signoff").chmod(0o777)
        PROSE.holds("log: open to others", AuditLog(default_path()).probe(), FOLDER=tmp_path)


class TestReadingBack:
    def test_pages_from_the_end(self, path: Path) -> None:
        write(AuditLog(path, max_bytes=3_000, keep=100), 100)
        with LogLines(path) as lines:
            pages = []
            while lines.has_older:
                pages.append(lines.older(500))
            forwards = [line.rstrip() for line in lines]
        assert [line for page in reversed(pages) for line in page] == forwards
        assert len(pages) > 30

    def test_what_is_written_meanwhile_changes_nothing(self, path: Path) -> None:
        log = AuditLog(path, max_bytes=3_000, keep=2)
        write(log, 10)
        with LogLines(path) as lines:
            write(log, 200)
            assert verify(lines).last_seq == 10

    def test_nothing_to_read(self, path: Path) -> None:
        with LogLines(path) as lines:
            assert (lines.file_count, lines.has_older, lines.older()) == (0, False, [])
            assert list(lines) == []

    def test_the_place_of_a_line(self, path: Path) -> None:
        write(AuditLog(path), 3)
        rotate(path, 5)
        write(AuditLog(path), 2)
        with LogLines(path) as lines:
            assert len(list(lines)) == 5
            PROSE.holds("log: places of lines", f"{lines.place(3)}\n{lines.place(4)}")


def test_a_record_costs_one_look_at_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.append("opened", Severity.NOTE, {})
    looked: list[object] = []
    stat = os.stat

    def counted(path: Any, *args: Any, **options: Any) -> os.stat_result:
        looked.append(path)
        return stat(path, *args, **options)

    monkeypatch.setattr(os, "stat", counted)
    log.append("opened", Severity.NOTE, {})
    assert looked == [log.path]
