"""`signoff doctor`: what is odd about a server, by code, with a status for CI."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.headless.commands import Ended, run
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
