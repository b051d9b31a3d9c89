"""What a second run tells of a recording: `signoff test --settle`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run

PROSE = approved("flows")

ALTERED = Path(__file__).resolve().parents[3] / "servers" / "altered.py"


def record(folder: Path, tool: str, *words: str) -> Path:
    """A recording of one call, with a comment of somebody's own in it."""
    file = folder / "a.flow.yaml"
    server = ("--", sys.executable, str(ALTERED))
    ended = run(
        folder, "call", tool, *words, "--person", "approves", "--record", "a.flow.yaml", *server
    )
    PROSE.holds("record: to be settled", ended.stderr)
    file.write_text(file.read_text().replace("outcome: ok", "outcome:  ok   # my own words"))
    return file


@pytest.mark.slow
def test_values_that_differ_become_matchers_once_somebody_says_yes(tmp_path: Path) -> None:
    file = record(tmp_path, "report")
    text = file.read_text()
    assert re.search(r"- \{contains: \{pid: \d+, status: ok\}\}\n", text)
    assert r'- {at: "/made", regex: ' in text
    failed = run(tmp_path, "test", "a.flow.yaml")
    assert failed.status == 1
    PROSE.holds("settle: a hint after a failure", failed.stderr)
    ended = run(tmp_path, "test", "a.flow.yaml", "--settle", stdin="no\n")
    PROSE.holds("settle: no", ended.stderr.rstrip("\n").split("\n")[-1])
    assert file.read_text() == text
    run(tmp_path, "test", "a.flow.yaml", "--settle", stdin="yes\n")
    settled = file.read_text()
    assert "outcome:  ok   # my own words\n" in settled
    assert "      - {contains: {status: ok}}\n" in settled
    assert '      - {at: "/pid", least: 0}\n' in settled
    assert run(tmp_path, "test", "a.flow.yaml").status == 0
    ended = run(tmp_path, "test", "a.flow.yaml", "--settle")
    PROSE.holds("settle: nothing", ended.stderr)


def test_a_text_becomes_a_pattern_of_what_both_runs_said(tmp_path: Path) -> None:
    file = record(tmp_path, "report", "--args", '{"plain": true}')
    run(tmp_path, "test", "a.flow.yaml", "--settle", stdin="yes\n")
    assert r"content: {regex: '^job [0-9a-f]+ took \d+ ns, 3 notes$'}" in file.read_text()
    assert run(tmp_path, "test", "a.flow.yaml").status == 0


def test_what_failed_for_another_reason_is_not_settled(tmp_path: Path) -> None:
    file = record(tmp_path, "report", "--args", '{"plain": true}')
    file.write_text(file.read_text().replace("dialog: true", "dialog: false"))
    text = file.read_text()
    ended = run(tmp_path, "test", "a.flow.yaml", "--settle", stdin="yes\n")
    assert ended.status == 1
    PROSE.holds("settle: by hand", ended.stderr)
    assert "nothing to settle" in ended.stderr
    assert file.read_text() == text


@pytest.mark.slow
def test_a_number_is_expected_as_it_was_until_a_run_says_otherwise(tmp_path: Path) -> None:
    words = ("call", "calculate_sum", "demo", "--args", json.dumps({"a": 40, "b": 2}))
    run(tmp_path, *words, "--record", "a.flow.yaml")
    assert 'content: {equals: "42"}' in (tmp_path / "a.flow.yaml").read_text()
    assert run(tmp_path, "test", "a.flow.yaml").status == 0
