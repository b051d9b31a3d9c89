"""`signoff doctor` finds what breaks the protocol, whichever era the server is of."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import lawless
from tests.servers.lawless import FAULTS
from tests.tiers import first_quick
from tests.transport.webbed import scripted

PROSE = approved("cli-tools")

CASES = [(era, fault) for era, faults in FAULTS.items() for fault in faults]


def doctor(folder: Path, era: str, fault: str, *words: str) -> Ended:
    argv = (sys.executable, "-S", lawless.__file__, era, fault)
    return run(folder, "doctor", *words, "--no-audit", "--no-memory", "--", *argv)


@pytest.mark.parametrize(("era", "fault"), first_quick(CASES, 4, several=True))
def test_one_fault_is_found_and_nothing_else(era: str, fault: str, tmp_path: Path) -> None:
    ended = doctor(tmp_path, era, fault, "--json")
    found = json.loads(ended.stdout)["findings"]
    wanted = FAULTS[era][fault]
    aside = {"list-failed", "no-tools", "asked-by-server"}
    aside |= {"not-examined", "clients-cannot-connect"} - set(wanted)
    assert {one["code"] for one in found} - aside == set(wanted), ended.stdout
    assert all(
        one["specification"]
        for one in found
        if one["code"] in wanted and not one["code"].startswith("clients-")
    )


def test_a_place_in_a_message_is_a_json_pointer(tmp_path: Path) -> None:
    found = json.loads(doctor(tmp_path, "legacy", "meta", "--json").stdout)["findings"]
    paths = {one["code"]: one["path"] for one in found}
    assert paths["malformed-meta-key"] == "/result/tools/0/_meta/-odd-"
    assert paths["reserved-meta-key"] == "/result/tools/0/_meta/com.mcp.tools~1x"


def test_a_server_that_cannot_be_gone_on_with_is_told_of_too(tmp_path: Path) -> None:
    ended = doctor(tmp_path, "legacy", "unheard-of", "--json")
    assert ended.status == 5
    report = json.loads(ended.stdout)
    assert report["exit_status"] == 5
    assert [one["code"] for one in report["findings"]] == [*("unknown-version", "not-examined")]
    assert "2099-01-01" in ended.stderr


def test_it_lists_and_pings_and_calls_nothing(tmp_path: Path) -> None:
    report = json.loads(doctor(tmp_path, "legacy", "nothing", "--json").stdout)
    assert report["offers"] == {"tools": 1, "resources": 1, "templates": 0, "prompts": 0}
    assert report["requests"] == {
        "server/discover": 1,
        "initialize": 1,
        "tools/list": 1,
        "resources/list": 1,
        "resources/templates/list": 1,
        "prompts/list": 1,
        "ping": 1,
    }
    assert list(report) == [
        *("server", "offers", "requests", "sign_in", "counts", "findings", "exit_status", "masked")
    ]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_over_http_a_sound_server_is_told_so(era: str, tmp_path: Path) -> None:
    with scripted("--only", "echo", "--era", era) as (url, _):
        ended = run(tmp_path, "doctor", "--strict", "--no-audit", "--no-memory", "--url", url)
    assert (ended.status, "no problems found" in ended.stdout) == (0, True)


def test_over_http_messages_are_read_along_too(tmp_path: Path) -> None:
    with scripted("--only", "echo", "--protocol-version", "2025-03-26") as (url, _):
        ended = run(tmp_path, "doctor", "--no-audit", "--no-memory", "--url", url)
    assert "note     other-version" in ended.stdout


def test_the_old_transport_is_told_of_as_deprecated(tmp_path: Path) -> None:
    with scripted("--old-sse") as (url, _):
        ended = run(tmp_path, "doctor", "--no-audit", "--no-memory", "--url", url)
    assert ended.status == 0
    [row] = [row for row in ended.stdout.splitlines() if "deprecated-feature" in row]
    PROSE.holds("doctor: the old transport", row)
