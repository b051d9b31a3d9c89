"""`signoff experimental`: the drafts, and what a server does with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.protocol.extensions.register import EXTENSIONS
from tests.cli.running import Ended, run
from tests.servers import raw
from tests.tiers import first_quick

NAME = "tool-resolution"


def check(folder: Path, mode: str, *words: str, era: str = "modern") -> Ended:
    server = raw("--resolution", mode, "--era", era)
    return run(folder, "experimental", "check", "--json", "--no-audit", *words, "--", *server)


def codes(report: dict[str, Any]) -> set[str]:
    return {one["code"] for one in report["findings"]}


def test_the_drafts_are_listed(tmp_path: Path) -> None:
    found = run(tmp_path, "experimental", "--json").report["drafts"]
    assert [one["name"] for one in found] == list(EXTENSIONS)
    assert all(one["revision"] and one["stage"] and one["source"] for one in found)
    lines = run(tmp_path, "experimental").stdout
    assert all(name in lines for name in EXTENSIONS)


MODES = [
    ("weakens", {"resolution-weakens"}, 4),
    ("other-name", {"resolution-other-tool"}, 4),
    ("titled", {"resolution-malformed"}, 4),
    ("input", {"resolution-asks"}, 4),
    ("-32603", {"resolution-failed"}, 0),
    ("-32601", {"resolution-malformed"}, 4),
    ("-32021", {"resolution-not-negotiated"}, 4),
]


@pytest.mark.parametrize(("mode", "expected", "status"), first_quick(MODES, several=True))
def test_each_fault_of_a_result_is_found(
    tmp_path: Path, mode: str, expected: set[str], status: int
) -> None:
    ended = check(tmp_path, mode)
    assert expected <= codes(ended.report)
    assert ended.status == status


def test_a_server_that_refuses_nothing_is_found(tmp_path: Path) -> None:
    # The scripted server resolves any tool, with any capabilities.
    report = check(tmp_path, "honest").report
    refusals = [one for one in report["findings"] if one["code"] == "resolution-not-refused"]
    assert len(refusals) == 4
    assert all(NAME in one["clause"] for one in report["findings"])
    (tool,) = report["tools"]
    assert tool["arguments"] == {"action": "read"}
    assert tool["hosts"]


@pytest.mark.slow
def test_the_demo_is_honest_but_for_its_liars(tmp_path: Path) -> None:
    ended = run(tmp_path, "experimental", "check", "demo", "--json", "--no-audit")
    found = {(one["about"], one["code"]) for one in ended.report["findings"]}
    assert found == {
        ("tool resolve_worse", "resolution-weakens"),
        ("tool resolve_with_effect", "resolution-has-effect"),
        ("tool resolve_otherwise", "resolution-differs"),
        ("tool resolve_other_tool", "resolution-other-tool"),
        ("tool resolve_definition", "resolution-malformed"),
        ("tool show_note", "action-contradicts-hints"),
    }
    of_tools = {one["name"]: one["with_server"] for one in ended.report["drafts"]}
    assert of_tools["display-templates"].startswith("in use: ")
    assert ended.status == 4


def test_a_server_without_the_extension_is_not_asked(tmp_path: Path) -> None:
    ended = run(tmp_path, "experimental", "check", "--json", "--no-audit", "--", *raw())
    assert ended.report["drafts"][0]["with_server"] == "the server does not declare it"
    assert not ended.report["tools"]
    assert ended.status == 5


def test_what_no_tool_matches_is_no_pass(tmp_path: Path) -> None:
    ended = check(tmp_path, "honest", "--tools", "nothing_*")
    assert "no tool matches" in ended.stderr
    assert ended.status == 2


@pytest.mark.slow
def test_reports_have_the_same_findings(tmp_path: Path) -> None:
    files = ("--junit", "junit.xml", "--sarif", "found.sarif", "--html", "page.html")
    check(tmp_path, "weakens", *files)
    assert "resolution-weakens" in (tmp_path / "junit.xml").read_text()
    log = json.loads((tmp_path / "found.sarif").read_text())
    assert "resolution-weakens" in json.dumps(log["runs"][0]["results"])
    assert "resolution-weakens" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_an_older_revision_is_checked_without_the_capability_of_each_request(
    tmp_path: Path,
) -> None:
    report = check(tmp_path, "honest", era="legacy").report
    assert any("initialize" in words for words in report["not_checked"])
