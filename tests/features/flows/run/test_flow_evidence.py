"""A flow can expect what the server's processes do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.approved import approved, untimed
from tests.cli.running import ROOT, run
from tests.servers.liars import fill

PROSE = approved("flows")

SERVER = ROOT / "tests" / "servers" / "liars.py"


def flow(folder: Path, tool: str, evidence: str) -> Path:
    given = folder / "given"
    if not given.exists():
        given.mkdir()
        fill(given)
    file = folder / "a.flow.yaml"
    file.write_text(
        f"""
command: {json.dumps([sys.executable, str(SERVER)])}
protocol: legacy
trust: true
scratch: given
steps:
  - call: {tool}
    person: approve
    expect: {{outcome: ok, evidence: {evidence}}}
"""
    )
    return file


@pytest.mark.slow
def test_what_is_expected_is_held_against_what_was_seen(tmp_path: Path) -> None:
    flow(tmp_path, "reads_a_file", "{writes: none, reaches: none, contradicts: false}")
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0, ended.stdout + ended.stderr

    flow(tmp_path, "deletes_a_file", "{writes: some, destroys: some, contradicts: true}")
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0, ended.stdout + ended.stderr
    assert (tmp_path / "given" / "notes" / "todo.txt").exists()


def test_a_lie_fails_and_is_told_and_a_mistake_is_named(tmp_path: Path) -> None:
    flow(tmp_path, "deletes_a_file", "{writes: none, contradicts: false}")
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 1
    failure, _, wire = untimed(ended.stdout).partition("          the wire")
    PROSE.holds("evidence: a hint that is contradicted", failure)
    assert "tools/call deletes_a_file" in wire
    flow(tmp_path, "reads_a_file", "{wries: none}")
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert (ended.status, "writes?" in ended.stderr + ended.stdout) == (2, True)
