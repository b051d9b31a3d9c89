"""`signoff call` on denials and late approvals by the server: lines, JSON and exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Ended, run

DRAFTS = ("--experimental", "tool-approval", "--experimental", "structured-authorization-denials")


def call(folder: Path, tool: str, arguments: object, *words: str) -> Ended:
    """One call of the bundled server, with both drafts."""
    given = ("call", tool, "--args", json.dumps(arguments), "--approve", "always", *DRAFTS)
    return run(folder, *given, *words, "demo")


def test_a_denial_is_printed_and_is_no_success(tmp_path: Path) -> None:
    ended = call(tmp_path, "read_payroll_hidden", {})
    assert ended.status == 1
    assert "a remedy exists" in ended.stdout
    assert "not followed: authorization_remediation" in ended.stdout
    assert "\u202e" not in ended.stdout
    assert "<U+202E>" in ended.stdout


def test_json_has_the_denial_and_what_leads_elsewhere(tmp_path: Path) -> None:
    report = call(tmp_path, "read_payroll_elsewhere", {}, "--json").report
    assert report["outcome"] == "tool-error"
    denial = report["denial"]
    assert (denial["remediation"], denial["malformed"]) == ("available", False)
    assert denial["hints"] == ["authorization_remediation"]
    assert "denial-leads-elsewhere" in {one["code"] for one in report["findings"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("amount", "disposition", "status"),
    [(500, "approved-executed", 0), (5_000, "denied-not-executed", 1)],
)
def test_a_late_approval_ends_with_its_disposition(
    tmp_path: Path, amount: int, disposition: str, status: int
) -> None:
    given = {"to": "Ada", "amount": amount}
    ended = call(tmp_path, "transfer_after_approval", given, "--json")
    assert (ended.status, ended.report["disposition"]) == (status, disposition)
    assert ended.report["task"]["status"] == "completed"
