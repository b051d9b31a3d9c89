"""`signoff audit`: what it prints of a log, and with which status it ends."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest

from signoff.app.features.audit.command import run_show, run_verify
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage import audit_log
from signoff.app.storage.audit_files import rotate
from signoff.app.storage.audit_log import AuditLog, default_path
from signoff.app.storage.auditing.rows import FilterWords
from tests.approved import approved

PROSE = approved("cli-audit")

DEMO = {"name": "demo", "identity": "ab" * 32}
HOSTILE = "\x1b[2J\x1b]0;x\x07\u202eevil"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of one call that was asked, approved, sent and answered, in two files."""
    place = tmp_path / "audit.jsonl"
    log = AuditLog(place)
    by = {"identity": DEMO["identity"]}
    log.append("opened", Severity.NOTE, {"server": DEMO, "trust": "trusted", "policy": "cautious"})
    verdict = {"answer": "ask", "strong": True, "policy": "cautious", "rule": "destructive"}
    log.append("asked", Severity.WARNING, {"server": DEMO, "tool": "wipe", "verdict": verdict})
    log.close()
    rotate(place, 5)
    decision = {"answer": "approve", "by": "you", "basis": "asked", "seconds": 2.5}
    log.append("decided", Severity.ERROR, {"server": by, "tool": "wipe", "decision": decision})
    log.append("sent", Severity.ERROR, {"server": by, "tool": "wipe", "session": "abc"})
    ending = {"outcome": "ok", "duration_ms": 1_200.0, "schema": "invalid"}
    log.append("ended", Severity.ERROR, {"server": by, "tool": "wipe", **ending})
    log.append("asked", Severity.NOTE, {"server": by, "tool": HOSTILE})
    return place


Printed = pytest.CaptureFixture[str]


class TestShow:
    def test_one_line_a_record(self, path: Path, capsys: Printed) -> None:
        assert run_show(FilterWords(), path=str(path)) == ExitStatus.OK
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 6
        assert lines[0].endswith("trusted, policy cautious")
        assert "* warning" in lines[1]
        PROSE.holds("show: asked", lines[1][20:])
        assert lines[2].split()[2:] == [
            *("!", "error", "decided", "demo", "wipe"),
            *("approved", "by", "you,", "asked,", "after", "2.5", "s"),
        ]
        PROSE.holds("show: ended", lines[4][20:])

    def test_nothing_in_a_log_reaches_the_terminal_as_it_is(
        self, path: Path, capsys: Printed
    ) -> None:
        path.write_bytes(path.read_bytes() + b"\x1b[31mrubbish\xff\n")
        assert run_show(FilterWords(), path=str(path)) == ExitStatus.OK
        out = capsys.readouterr().out
        assert "evil" in out
        assert "rubbish" in out
        assert all(char.isprintable() or char == "\n" for char in out)

    @pytest.mark.parametrize(
        ("given", "count"),
        [
            ({"tool": "wipe"}, 4),
            ({"server": "demo"}, 6),
            ({"server": "other"}, 0),
            ({"severity": "error"}, 3),
            ({"outcome": "ok"}, 1),
            ({"event": "asked", "tool": "w*"}, 1),
            ({"session": "ab"}, 1),
            ({"text": "CAUTIOUS"}, 2),
            ({"since": "1h"}, 6),
            ({"until": "1h"}, 0),
            ({}, 6),
        ],
    )
    def test_filters(self, path: Path, capsys: Printed, given: dict[str, str], count: int) -> None:
        assert run_show(FilterWords(**given), path=str(path)) == ExitStatus.OK
        assert len(capsys.readouterr().out.splitlines()) == count

    def test_json_is_the_lines_of_the_log(self, path: Path, capsys: Printed) -> None:
        assert run_show(FilterWords(event="sent"), as_json=True, path=str(path)) == ExitStatus.OK
        out = capsys.readouterr().out
        assert out.encode() in path.read_bytes()
        assert json.loads(out)["event"] == "sent"

    def test_what_cannot_be_filtered_by(self, path: Path, capsys: Printed) -> None:
        assert run_show(FilterWords(since="yesterday"), path=str(path)) == ExitStatus.USAGE
        PROSE.holds("show: a time that is none", capsys.readouterr().err)

    def test_the_usual_log(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
    ) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        assert run_show(FilterWords()) == ExitStatus.USAGE
        PROSE.holds("show: no log", capsys.readouterr().err, FILE=default_path())
        assert run_verify() == ExitStatus.USAGE
        AuditLog(default_path()).append("opened", Severity.NOTE, {})
        assert run_show(FilterWords()) == ExitStatus.OK
        assert run_verify() == ExitStatus.OK


def read_out(capsys: Printed) -> str:
    """What was printed, without the hashes, which depend on times."""
    return re.sub(r"\b[0-9a-f]{64}\b", "HASH", capsys.readouterr().out)


class TestVerify:
    def test_an_intact_log(self, path: Path, capsys: Printed) -> None:
        assert run_verify(str(path)) == ExitStatus.OK
        out = read_out(capsys)
        PROSE.holds("verify: an intact log", out)

    def test_an_edited_line(self, path: Path, capsys: Printed) -> None:
        path.write_bytes(path.read_bytes().replace(b'"abc"', b'"abd"'))
        assert run_verify(str(path)) == ExitStatus.LOG_CHANGED
        out = read_out(capsys)
        PROSE.holds("verify: an edited line", out)

    def test_a_removed_line(self, path: Path, capsys: Printed) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([lines[0], *lines[2:]]))
        assert run_verify(str(path)) == ExitStatus.LOG_CHANGED
        PROSE.holds("verify: a removed line", read_out(capsys))

    def test_a_removed_file(self, path: Path, capsys: Printed) -> None:
        os.unlink(path.with_name("audit.jsonl.1"))
        assert run_verify(str(path)) == ExitStatus.LOG_NOT_WHOLE
        out = read_out(capsys)
        PROSE.holds("verify: a removed file", out)
        assert run_verify(str(path), first=2) == ExitStatus.LOG_NOT_WHOLE
        capsys.readouterr()
        for first in (3, 4):
            assert run_verify(str(path), first=first) == ExitStatus.OK
            out = read_out(capsys)
            kept = out.splitlines()[0].replace("record 3", "record FIRST")
            PROSE.holds("verify: begins later", kept)
            assert "--from-record" not in out

    @pytest.mark.parametrize("first", [0, -1])
    def test_no_record_has_that_number(self, path: Path, first: int) -> None:
        assert run_verify(str(path), first=first) == ExitStatus.USAGE

    def test_a_log_whose_newest_file_is_gone(self, path: Path, capsys: Printed) -> None:
        path.unlink()
        assert run_verify(str(path)) == ExitStatus.LOG_NOT_WHOLE
        out = read_out(capsys)
        PROSE.holds("verify: a log whose newest file is gone", out)

    def test_an_empty_log(self, path: Path, capsys: Printed) -> None:
        path.write_bytes(b"")
        os.unlink(path.with_name("audit.jsonl.1"))
        assert run_verify(str(path)) == ExitStatus.LOG_NOT_WHOLE
        PROSE.holds("verify: an empty log", read_out(capsys))
        assert run_verify(str(path), "a" * 64) == ExitStatus.LOG_CHANGED
        assert run_verify(str(path), first=9) == ExitStatus.LOG_NOT_WHOLE

    def test_a_log_that_another_one_was_put_behind(
        self, path: Path, tmp_path: Path, capsys: Printed
    ) -> None:
        other = tmp_path / "other.jsonl"
        for _ in range(9):
            AuditLog(other).append("opened", Severity.NOTE, {"server": DEMO})
        path.write_bytes(path.read_bytes() + other.read_bytes())
        assert run_verify(str(path)) == ExitStatus.LOG_CHANGED
        PROSE.holds("verify: another log put behind", read_out(capsys))

    def test_times_that_go_backwards_are_told_and_are_no_breach(
        self, tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = tmp_path / "audit.jsonl"
        hours = iter((12, 13, 10, 10, 9, 14))

        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Clock:
                return cls(2026, 11, 21, next(hours), 0, 0, tzinfo=UTC)

        monkeypatch.setattr(audit_log, "datetime", Clock)
        for _ in range(6):
            AuditLog(place).append("opened", Severity.NOTE, {"server": DEMO})
        assert run_verify(str(place)) == ExitStatus.OK
        out = read_out(capsys)
        PROSE.holds("verify: times that go back", out)

    def test_a_line_that_breaks_off(self, path: Path, capsys: Printed) -> None:
        path.write_bytes(path.read_bytes()[:-9])
        assert run_verify(str(path)) == ExitStatus.LOG_CHANGED
        PROSE.holds("verify: a line that breaks off", read_out(capsys))

    def test_a_torn_line_that_is_accounted_for(self, path: Path, capsys: Printed) -> None:
        path.write_bytes(path.read_bytes()[:-9])
        AuditLog(path).append("closed", Severity.NOTE, {})
        assert run_verify(str(path)) == ExitStatus.OK
        PROSE.holds("verify: a torn line", read_out(capsys))

    def test_an_end_that_was_cut_off(self, path: Path, capsys: Printed) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        head = json.loads(lines[-1])["hash"]
        assert run_verify(str(path), head) == ExitStatus.OK
        PROSE.holds("verify: nothing after the hash", read_out(capsys))
        path.write_bytes(b"".join(lines[:-1]))
        assert run_verify(str(path)) == ExitStatus.OK
        capsys.readouterr()
        assert run_verify(str(path), head) == ExitStatus.LOG_CHANGED
        PROSE.holds("verify: no such hash", read_out(capsys))

    def test_a_log_that_has_grown_since(self, path: Path, capsys: Printed) -> None:
        head = json.loads(path.read_bytes().splitlines()[1])["hash"]
        assert run_verify(str(path), f" {head.upper()} ") == ExitStatus.OK
        PROSE.holds("verify: a log that has grown since", read_out(capsys))

    @pytest.mark.parametrize("expect", ["abc", "g" * 64, "a" * 65])
    def test_what_is_no_hash(self, path: Path, expect: str) -> None:
        assert run_verify(str(path), expect) == ExitStatus.USAGE

    def test_what_is_no_log(self, tmp_path: Path, capsys: Printed) -> None:
        assert run_verify(str(tmp_path / "missing")) == ExitStatus.USAGE
        assert run_show(FilterWords(), path=str(tmp_path)) == ExitStatus.USAGE
        assert "directory" in capsys.readouterr().err


def test_filters_that_no_record_passes_are_reported(path: Path, capsys: Printed) -> None:
    assert run_show(FilterWords(tool="nope"), path=str(path)) == ExitStatus.OK
    said = capsys.readouterr()
    assert said.out == ""
    assert "no record matches" in said.err
