"""`signoff doctor`: what is odd about a server, by code, with a status for CI."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from signoff.app.engine.all_findings import LocatedFinding
from signoff.app.features.doctor.command import _by_finding, _subjects_words
from signoff.app.protocol.findings.findings import Finding, warning
from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import offering, raw

PROSE = approved("cli-tools")


def doctor(folder: Path, *words: str, argv: tuple[str, ...]) -> Ended:
    return run(folder, "doctor", *words, "--no-audit", "--no-memory", "--", *argv)


CLEAN = tuple(raw("--only", "echo"))
WARNED = tuple(raw("--only", "old_echo"))


def test_a_sound_server_is_told_so(tmp_path: Path) -> None:
    ended = doctor(tmp_path, "--strict", argv=CLEAN)
    assert ended.status == 0
    assert "no problems found" in ended.stdout
    PROSE.holds("doctor: a sound server", ended.stdout)


@pytest.mark.parametrize(("strict", "status"), [((), 0), (("--strict",), 1)])
def test_warnings_end_it_only_where_that_is_wanted(
    strict: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    ended = doctor(tmp_path, *strict, argv=WARNED)
    assert ended.status == status
    assert "warning  deprecated" in ended.stdout
    assert "tool old_echo" in ended.stdout


def finding(code: str, message: str) -> Finding:
    return warning(code, message, "$.annotations")


def test_a_finding_on_many_tools_is_printed_once_with_their_names() -> None:
    seen = [LocatedFinding(f"tool t{number}", finding("odd", "it is")) for number in range(14)]
    seen.insert(3, LocatedFinding("tool other", finding("odd", "it was")))
    seen += [LocatedFinding("the connection", finding("even", "it is"))]
    listed = [(_subjects_words(subjects), one.code) for subjects, one in _by_finding(seen)]
    first = ", ".join(f"t{number}" for number in range(12))
    assert listed == [
        (f"tools {first} and 2 more", "odd"),
        ("tool other", "odd"),
        ("the connection", "even"),
    ]
    assert _subjects_words(["tool a", "resource b"]) == "tool a, resource b"
    assert _subjects_words(["tool a", "tool b"]) == "tools a, b"


def test_of_a_server_that_did_not_start_nothing_is_counted(tmp_path: Path) -> None:
    ended = doctor(tmp_path, argv=(str(tmp_path / "nothing-here"),))
    assert ended.status == 5
    assert "0 tools" not in ended.stdout
    assert "asked    nothing\n" in ended.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_what_the_protocol_forbids_is_told_with_its_section(era: str, tmp_path: Path) -> None:
    argv = tuple(raw("--malformed-tool", "--only", "echo", "--era", era))
    revision = "2026-07-28" if era == "modern" else "2025-11-25"
    url = f"https://modelcontextprotocol.io/specification/{revision}/server/tools#tool"
    assert url in doctor(tmp_path, argv=argv).stdout
    found = json.loads(doctor(tmp_path, "--json", argv=argv).stdout)["findings"]
    malformed = next(one for one in found if one["code"] == "malformed-tool")
    assert malformed["specification"] == {
        "revision": revision,
        "page": "server/tools",
        "section": "Tool",
        "url": url,
    }


def test_an_error_in_anything_it_offers_ends_it(tmp_path: Path) -> None:
    record = str(tmp_path / "record")
    argv = (sys.executable, "-S", offering.__file__, record, "legacy")
    ended = doctor(tmp_path, "--json", argv=argv)
    assert ended.status == 4
    report = json.loads(ended.stdout)
    assert report["exit_status"] == 4
    assert report["counts"]["error"] == sum(
        one["severity"] == "error" for one in report["findings"]
    )
    codes = {one["code"]: one["about"] for one in report["findings"]}
    assert codes["malformed-template"].startswith("template ")
    assert report["findings"][0]["severity"] == "error"
