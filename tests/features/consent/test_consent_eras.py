"""`signoff consent` on servers that are different in the two protocol eras, and `--accept`."""

from __future__ import annotations

import json
import signal
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.consent.checks import RULES
from tests.cli.running import ROOT, Command, Ended, run
from tests.servers import raw

SERVER = ROOT / "tests" / "servers" / "two_eras.py"
MODERN, LEGACY = "2026-07-28", "2025-11-25"
pytestmark = pytest.mark.timeout(120)


def consent(folder: Path, mood: tuple[str, ...], *words: str) -> Ended:
    """The command with a short limit on a server of a mood."""
    return run(
        folder,
        *("consent", "--call-limit", "1", "--no-memory", "--no-audit", "--evidence-by", "folders"),
        *("--approve", "always", *words, "--", sys.executable, str(SERVER), *mood),
    )


def results(report: dict[str, Any], *wanted: str) -> dict[tuple[str, str], set[str]]:
    """(Tool, era) -> the codes of the checks with one of the results."""
    return {
        (tool["tool"], tool["protocol"]): {
            check["code"]
            for person in tool["people"]
            for check in person["checks"]
            if check["result"] in wanted
        }
        for tool in report["tools"]
    }


@pytest.mark.slow
def test_a_tool_that_asks_in_one_era_has_to_ask_in_the_other(tmp_path: Path) -> None:
    ended = consent(tmp_path, ("open",))
    assert ended.status == 1, ended.stderr
    assert f"delete in {MODERN}" in ended.stdout
    assert "never-asked" in ended.stdout
    last = ended.stdout.rstrip().split("\n")[-3:]
    assert last[0] == f"{MODERN}: 1 of 1 tool called: 1 did not ask"
    assert last[1] == f"{LEGACY}: 1 of 1 tool called: 1 asked"
    assert last[2].startswith("FAILED: 1 tool, 1 with a failed check; ")


@pytest.mark.slow
def test_an_interrupt_before_the_end_of_a_tool_passes_nothing(tmp_path: Path) -> None:
    junit, record = tmp_path / "a.xml", tmp_path / "record"
    words = ("--call-limit", "50", "--no-memory", "--no-audit", "--evidence-by", "folders")
    files = ("--approve", "always", "--json", "--junit", str(junit), "--tools", "never")
    server = raw("--only", "never", "--record", str(record))
    command = Command(tmp_path, "consent", *words, *files, "--", *server)
    while not record.exists() or "tools/call" not in record.read_text():
        assert command.process.poll() is None
    command.process.send_signal(signal.SIGINT)
    ended = command.end()
    assert ended.status == 130
    report = ended.report
    assert (report["passed"], report["not_tried"], report["exit_status"]) == (False, 1, 5)
    root = ElementTree.parse(junit).getroot()
    assert (root.get("tests"), root.get("skipped")) == ("1", "1")


@pytest.mark.slow
def test_a_list_without_its_end_passes_nothing(tmp_path: Path) -> None:
    junit = tmp_path / "a.xml"
    words = ("--no-memory", "--no-audit", "--evidence-by", "folders", "--approve", "always")
    server = raw("--only", "read_thing", "--loop-cursor")
    ended = run(tmp_path, "consent", *words, "--json", "--junit", str(junit), "--", *server)
    assert ended.status == ended.report["exit_status"] == 5
    assert not ended.report["passed"]
    assert all(one["problem"] for one in ended.report["eras"] if one["offered"])
    assert int(ElementTree.parse(junit).getroot().get("errors", "0")) > 0


def test_an_era_can_be_tested_alone(tmp_path: Path) -> None:
    ended = consent(tmp_path, ("open",), "--protocol", MODERN)
    assert ended.status == 0, ended.stderr
    assert ended.stdout.startswith(f"{MODERN}: 1 of 1 tool called: 1 did not ask\nNo tool asked.")
    assert LEGACY not in ended.stdout


@pytest.mark.slow
def test_a_call_that_fails_before_it_asks_is_told_with_what_helps(tmp_path: Path) -> None:
    ended = consent(tmp_path, ("no-channel",))
    assert ended.status == 1, ended.stderr
    assert "no back-channel" in ended.stdout
    assert "it asks with --protocol legacy" in ended.stdout
    assert "--accept call-failed=REASON" in ended.stdout
    assert "never-asked" not in ended.stdout
    assert f"{MODERN}: 1 of 1 tool called: 1 failed\n" in ended.stdout
    assert ended.stdout.count(f"{' ' * 10}call-failed") == 1


@pytest.mark.slow
def test_an_accepted_check_fails_nothing_and_is_in_each_report(tmp_path: Path) -> None:
    junit, html = tmp_path / "a.xml", tmp_path / "a.html"
    words = ("--accept", "call-failed=no back channel & <known>", "--accept", "hangs=never")
    files = ("--junit", str(junit), "--html", str(html))
    ended = consent(tmp_path, ("no-channel",), *words, *files)
    assert ended.status == 0, ended.stdout
    reason = "no back channel & <known>"
    assert f"accepted call-failed: {reason}" in ended.stdout
    assert f"accepted call-failed, 1 check: {reason}\n" in ended.stdout
    assert "--accept hangs matched nothing: never\n" in ended.stdout
    root = ElementTree.parse(junit).getroot()
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert any(reason in (one.text or "") for one in root.iter("system-out"))
    page = html.read_text(encoding="utf-8")
    assert "no back channel &amp; &lt;known&gt;" in page
    assert "matched nothing" in page


@pytest.mark.slow
def test_the_json_has_the_eras_and_the_reasons(tmp_path: Path) -> None:
    ended = consent(tmp_path, ("no-channel",), "--json", "--accept", "call-failed=known")
    report = ended.report
    assert (ended.status, report["passed"], report["exit_status"]) == (0, True, 0)
    assert results(report, "broken") == {("delete", MODERN): set(), ("delete", LEGACY): set()}
    assert results(report, "accepted")["delete", MODERN] == {"call-failed"}
    assert report["accepted"] == [{"code": "call-failed", "reason": "known", "checks": 1}]
    counts = [(one["protocol"], one["asked"], one["failed"]) for one in report["eras"]]
    assert counts == [(MODERN, 0, 1), (LEGACY, 1, 0)]
    modern = report["tools"][0]
    assert [one["person"] for one in modern["people"]] == ["unable", "declines"]
    sections = {one["section"]["revision"] for one in modern["people"][1]["checks"]}
    assert sections == {MODERN}


@pytest.mark.slow
def test_a_tool_of_one_era_is_tried_there_and_named(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps({"delete": {"path": "a"}}))
    ended = consent(tmp_path, ("one-sided",), "--inputs", str(inputs))
    assert ended.status == 0, ended.stdout
    assert f"delete in {LEGACY}  no other era lists it" in ended.stdout
    assert f"delete in {MODERN}" not in ended.stdout
    assert f"{MODERN}: 1 of 1 tool called: 1 did not ask\n" in ended.stdout
    assert f"{LEGACY}: 3 of 3 tools called: 2 asked, 1 did not ask\n" in ended.stdout
    assert "passed: 3 tools, " in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("era", [MODERN, pytest.param(LEGACY, marks=pytest.mark.slow)])
def test_an_era_in_which_the_server_dies_is_a_failure(tmp_path: Path, era: str) -> None:
    junit = tmp_path / "a.xml"
    ended = consent(tmp_path, ("dies", era), "--junit", str(junit), "--accept", "call-failed=x")
    assert ended.status == 5, ended.stdout
    assert f"all tools in {era}" in ended.stdout
    assert "exit code 3" in ended.stdout
    assert f"{era} was not tested: the server could not be opened\n" in ended.stdout
    assert "FAILED: 1 tool, 0 with a failed check" in ended.stdout
    assert ElementTree.parse(junit).getroot().get("errors") == "1"


@pytest.mark.slow
def test_a_silent_era_is_a_failure(tmp_path: Path) -> None:
    ended = consent(tmp_path, ("silent", MODERN), "--json", "--connect-timeout", "2")
    assert (ended.status, ended.report["passed"]) == (5, False)
    modern, legacy = ended.report["eras"]
    assert (modern["offered"], modern["tools"], legacy["asked"]) == (None, 0, 1)
    assert "server/discover" in modern["problem"]


def test_a_server_that_dies_in_both_eras_is_not_reached(tmp_path: Path) -> None:
    ended = run(tmp_path, "consent", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert ended.status == 5
    assert f"{MODERN}: " in ended.stderr
    assert f"{LEGACY}: " in ended.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("nothing=x",), f"the checks are {', '.join(RULES)}"),
        (("hangs=",), "give a reason"),
        (("hangs= ",), "give a reason"),
        (("hangs",), "give a reason"),
        (("hangs=a", "hangs=b"), "is given twice"),
    ],
)
def test_an_accept_needs_a_known_code_and_a_reason(
    tmp_path: Path, given: tuple[str, ...], words: str
) -> None:
    accepts = [word for one in given for word in ("--accept", one)]
    ended = consent(tmp_path, ("open",), *accepts)
    assert ended.status == 2
    assert words in " ".join(ended.stderr.split())
