"""`signoff call` with resolved hints: the lines, the JSON and the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.servers import raw

DRAFT = ("--experimental", "tool-resolution")


def call(folder: Path, mode: str, action: str, *words: str) -> Ended:
    given = ("--args", f'{{"action": "{action}"}}', "--approve", "policy", "--no-memory")
    server = raw("--resolution", mode)
    return run(folder, "call", "manage", *given, *DRAFT, *words, "--no-audit", "--", *server)


def test_both_kinds_of_hints_are_in_the_json(tmp_path: Path) -> None:
    ended = call(tmp_path, "honest", "read", "--trust", "--json")
    assert ended.status == 0
    report = ended.report
    assert report["effect"] == "destructive"
    found = report["resolution"]
    assert (found["status"], found["arguments_sent"]) == ("resolved", True)
    assert found["resolved"] == {
        "readOnly": True,
        "destructive": False,
        "idempotent": True,
        "openWorld": False,
    }
    assert found["static"]["readOnly"] is False
    assert report["verdict"]["answer"] == "allow"


@pytest.mark.slow
def test_the_lines_have_both_kinds_of_hints(tmp_path: Path) -> None:
    ended = call(tmp_path, "honest", "read", "--trust")
    assert "read-only (static: destructive)" in ended.stdout
    assert "denied" in call(tmp_path, "honest", "delete", "--trust").stdout


@pytest.mark.slow
def test_refused_arguments_are_not_sent(tmp_path: Path) -> None:
    report = call(tmp_path, "-32602", "read", "--trust", "--json").report
    assert report["sent"] is False
    assert report["outcome"] == "not-sent"
    assert report["resolution"]["status"] == "refused"


@pytest.mark.slow
def test_a_flow_file_turns_the_draft_on(tmp_path: Path) -> None:
    (tmp_path / "one.flow.yaml").write_text(
        "flow: resolved\n"
        "server: demo\n"
        "trust: true\n"
        "experimental: tool-resolution\n"
        "steps:\n"
        "  - call: manage_files\n"
        "    with: {path: notes/todo.txt, action: read}\n"
        "    expect: {verdict: allow, dialog: false, outcome: ok}\n"
    )
    assert run(tmp_path, "test", "one.flow.yaml").status == 0
