"""`doctor --slow-calls`, and the same note on a call that took long."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ended, run

SERVER = (sys.executable, "-m", "signoff.app.features.measure.probes.probe_server")
SLOW = (*SERVER, "--probes", "patience/silence")


def doctor(folder: Path, log: Path, *words: str) -> Ended:
    given = ("--slow-calls", "--audit", str(log), "--no-memory", *words)
    return run(folder, "doctor", *given, "--", *SLOW)


def called(folder: Path, log: Path, seconds: float, *words: str) -> Ended:
    given = ("-a", "note=x", "--approve", "always", "--no-memory", "--audit", str(log), *words)
    return run(folder, "call", "probe_p_silence", *given, "--", *SLOW, "--patience", f"{seconds:g}")


def slow_notes(report: dict[str, Any]) -> list[str]:
    return [one["message"] for one in report["findings"] if one["code"] == "hosts-give-up"]


def test_without_a_call_there_is_nothing_to_compare(tmp_path: Path) -> None:
    ended = doctor(tmp_path, tmp_path / "log.jsonl")
    assert ended.status == 0, ended.stderr
    assert "no call of these tools is in the audit log" in ended.stdout
    assert "hosts-give-up" not in ended.stdout
    assert "no tool was called" in ended.stdout


def test_the_longest_call_of_a_tool_counts(tmp_path: Path) -> None:
    log, made = tmp_path / "log.jsonl", tmp_path / "made.jsonl"
    assert called(tmp_path, log, 0.1).status == 0
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ended = next(one for one in lines if one["event"] == "ended")
    others = [
        {**ended, "duration_ms": 70_000},
        {**ended, "duration_ms": 6_000},
        {**ended, "duration_ms": 500_000, "definition": "another"},
        {**ended, "duration_ms": "long"},
        {**ended, "duration_ms": 400_000, "method": "resources/read"},
    ]
    made.write_text("".join(f"{json.dumps(one)}\n" for one in others), encoding="utf-8")
    found = doctor(tmp_path, made, "--json")
    assert found.report["slow_calls"]["longest_seconds"] == {"probe_p_silence": 70.0}
    (note,) = slow_notes(found.report)
    assert note.startswith("a call took 70 s: ")
    assert "OpenAI Agents SDK after 5 s" in note
    assert found.status == 0
    plain = doctor(tmp_path, made)
    assert "hosts-give-up" in plain.stdout
    assert "longest calls of 1 tool in the audit log" in plain.stdout


def test_a_log_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    ended = doctor(tmp_path, tmp_path)
    assert ended.status in (0, 2, 3, 5)
    assert "Traceback" not in ended.stderr


def test_a_quick_call_has_no_note(tmp_path: Path) -> None:
    assert not slow_notes(called(tmp_path, tmp_path / "log.jsonl", 0.1, "--json").report)


@pytest.mark.slow
def test_a_call_that_took_long_is_told_with_the_hosts_that_give_up(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    ended = called(tmp_path, log, 6, "--json")
    assert ended.status == 0, ended.stderr
    (note,) = slow_notes(ended.report)
    assert note.startswith("took 6")
    assert "even if progress comes" in note
    assert "hosts-give-up" in doctor(tmp_path, log).stdout
    assert "hosts-give-up" in log.read_text(encoding="utf-8")
