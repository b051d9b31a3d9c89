"""`signoff audit`: what it prints of a log, and with which status it ends."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
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


def show(path: Path, capsys: Printed, **given: str) -> list[str]:
    """The lines of the records that pass."""
    assert run_show(FilterWords(**given), path=str(path)) == ExitStatus.OK
    return capsys.readouterr().out.splitlines()


def test_one_line_a_record_and_none_acts_on_the_terminal(path: Path, capsys: Printed) -> None:
    lines = show(path, capsys)
    assert len(lines) == 6
    assert lines[0].endswith("trusted, policy cautious")
    assert "* warning" in lines[1]
    PROSE.holds("show: asked", lines[1][20:])
    words = "! error decided demo wipe approved by you, asked, after 2.5 s"
    assert " ".join(lines[2].split()[2:]) == words
    PROSE.holds("show: ended", lines[4][20:])
    path.write_bytes(path.read_bytes() + b"\x1b[31mrubbish\xff\n")
    out = "".join(show(path, capsys))
    assert ("evil" in out, "rubbish" in out, out.isprintable()) == (True, True, True)


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
    ],
    ids=str,
)
def test_filters(path: Path, capsys: Printed, given: dict[str, str], count: int) -> None:
    assert run_show(FilterWords(**given), path=str(path)) == ExitStatus.OK
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == count
    assert ("no record matches" in said.err) is (count == 0)


def test_json_is_the_lines_of_the_log_and_a_time_that_is_none(path: Path, capsys: Printed) -> None:
    assert run_show(FilterWords(event="sent"), as_json=True, path=str(path)) == ExitStatus.OK
    out = capsys.readouterr().out
    assert out.encode() in path.read_bytes()
    assert json.loads(out)["event"] == "sent"
    assert run_show(FilterWords(since="yesterday"), path=str(path)) == ExitStatus.USAGE
    PROSE.holds("show: a time that is none", capsys.readouterr().err)


def test_the_usual_log_and_what_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run_show(FilterWords()) == ExitStatus.USAGE
    PROSE.holds("show: no log", capsys.readouterr().err, FILE=default_path())
    assert run_verify() == ExitStatus.USAGE
    AuditLog(default_path()).append("opened", Severity.NOTE, {})
    assert run_show(FilterWords()) == ExitStatus.OK
    assert run_verify() == ExitStatus.OK
    assert run_verify(str(tmp_path / "missing")) == ExitStatus.USAGE
    assert run_show(FilterWords(), path=str(tmp_path)) == ExitStatus.USAGE
    assert "directory" in capsys.readouterr().err


def read_out(capsys: Printed) -> str:
    """What was printed, without the hashes, which depend on times."""
    return re.sub(r"\b[0-9a-f]{64}\b", "HASH", capsys.readouterr().out)


CHANGED, NOT_WHOLE = ExitStatus.LOG_CHANGED, ExitStatus.LOG_NOT_WHOLE


def edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"abc"', b'"abd"'))


def without_a_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))


def without_the_newest_file(path: Path) -> None:
    path.unlink()


def with_another_log_behind(path: Path) -> None:
    other = path.with_name("other.jsonl")
    for _ in range(9):
        AuditLog(other).append("opened", Severity.NOTE, {"server": DEMO})
    path.write_bytes(path.read_bytes() + other.read_bytes())


def broken_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def torn_and_accounted_for(path: Path) -> None:
    broken_off(path)
    AuditLog(path).append("closed", Severity.NOTE, {})


@pytest.mark.parametrize(
    ("happens", "status", "key"),
    [
        (Path.touch, ExitStatus.OK, "verify: an intact log"),
        (edited, CHANGED, "verify: an edited line"),
        (without_a_line, CHANGED, "verify: a removed line"),
        (without_the_newest_file, NOT_WHOLE, "verify: a log whose newest file is gone"),
        (with_another_log_behind, CHANGED, "verify: another log put behind"),
        (broken_off, CHANGED, "verify: a line that breaks off"),
        (torn_and_accounted_for, ExitStatus.OK, "verify: a torn line"),
    ],
)
def test_what_happened_to_a_log_is_found(
    path: Path, capsys: Printed, happens: Callable[[Path], object], status: int, key: str
) -> None:
    happens(path)
    assert run_verify(str(path)) == status
    PROSE.holds(key, read_out(capsys))


def test_a_removed_file_and_the_first_record_that_is_expected(path: Path, capsys: Printed) -> None:
    for first in (0, -1):
        assert run_verify(str(path), first=first) == ExitStatus.USAGE
    os.unlink(path.with_name("audit.jsonl.1"))
    capsys.readouterr()
    assert run_verify(str(path)) == NOT_WHOLE
    PROSE.holds("verify: a removed file", read_out(capsys))
    assert run_verify(str(path), first=2) == NOT_WHOLE
    capsys.readouterr()
    for first in (3, 4):
        assert run_verify(str(path), first=first) == ExitStatus.OK
        out = read_out(capsys)
        kept = out.splitlines()[0].replace("record 3", "record FIRST")
        PROSE.holds("verify: begins later", kept)
        assert "--from-record" not in out
    path.write_bytes(b"")
    assert run_verify(str(path)) == NOT_WHOLE
    PROSE.holds("verify: an empty log", read_out(capsys))
    assert run_verify(str(path), "a" * 64) == CHANGED
    assert run_verify(str(path), first=9) == NOT_WHOLE


def test_times_that_go_backwards_are_told_and_are_no_breach(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
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
    PROSE.holds("verify: times that go back", read_out(capsys))


def test_a_hash_that_was_noted(path: Path, capsys: Printed) -> None:
    for expect in ("abc", "g" * 64, "a" * 65):
        assert run_verify(str(path), expect) == ExitStatus.USAGE
    capsys.readouterr()
    lines = path.read_bytes().splitlines(keepends=True)
    earlier, head = (json.loads(lines[at])["hash"] for at in (1, -1))
    assert run_verify(str(path), f" {earlier.upper()} ") == ExitStatus.OK
    PROSE.holds("verify: a log that has grown since", read_out(capsys))
    assert run_verify(str(path), head) == ExitStatus.OK
    PROSE.holds("verify: nothing after the hash", read_out(capsys))
    # An end that was cut off is found by the hash alone.
    path.write_bytes(b"".join(lines[:-1]))
    assert run_verify(str(path)) == ExitStatus.OK
    capsys.readouterr()
    assert run_verify(str(path), head) == CHANGED
    PROSE.holds("verify: no such hash", read_out(capsys))
