"""`signoff decide` on a real server: the baseline, the difference, its outputs and its status."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.decision_cases import entry
from tests.servers import raw

PROSE = approved("cli-decide")
FILED = Path(__file__).resolve().parents[2] / "servers" / "filed.py"
READS = entry("read_file", readOnly=True, openWorld=False)
DROPS = entry("delete_file", readOnly=False, destructive=True, openWorld=False)
ADDS = entry("delete_file", readOnly=False, destructive=False, openWorld=False)
DRAFT = ("--experimental", "tool-resolution")
HOSTS = ("--hosts", "vscode,codex", "--hosts", "codex:exec")


def decide(folder: Path, tools: list[Any], *words: str) -> Ended:
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return run(folder, "decide", *words, "--", sys.executable, "-S", str(FILED), "tools.json")


def written(folder: Path, *words: str) -> None:
    ended = decide(folder, [READS, DROPS], "--write-baseline", "decisions.txt", *HOSTS, *words)
    assert ended.status == 0, ended.stderr


def test_a_removed_hint_fails_with_the_sentence(tmp_path: Path) -> None:
    written(tmp_path)
    words = ("--baseline", "decisions.txt", "--fail-on", "refused,stops-asking")
    ended = decide(tmp_path, [READS, ADDS], *words, "--comment", "c.md", "--badge", "b.json")
    assert ended.status == 4
    PROSE.holds("a hint changed", ended.stdout)
    assert "delete_file" in (tmp_path / "c.md").read_text(encoding="utf-8")
    badge = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert badge["schemaVersion"] == 1
    # Without --fail-on the same difference is only printed, in the hosts of the baseline.
    ended = decide(tmp_path, [READS, ADDS], "--baseline", "decisions.txt", "--json")
    assert ended.status == 0
    assert ended.report["difference"]["counts"] == {"stops-asking": 1}
    assert [one["name"] for one in ended.report["hosts"]] == ["vscode", "codex", "codex:exec"]


def test_a_tool_that_stops_asking_under_another_name_fails(tmp_path: Path) -> None:
    written(tmp_path)
    words = ("--baseline", "decisions.txt", "--badge", "b.json", "--fail-on", "stops-asking")
    ended = decide(tmp_path, [READS, {**ADDS, "name": "clean_up"}], *words)
    assert ended.status == 4
    PROSE.holds("a hint changed with the name", ended.stdout)
    badge = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert (badge["message"], badge["color"]) == ("stops-asking 1, renamed 1", "red")


@pytest.mark.parametrize("kind", ["new-runs", "new"])
def test_a_new_tool_that_runs_fails(tmp_path: Path, kind: str) -> None:
    written(tmp_path)
    words = ("--baseline", "decisions.txt", "--badge", "b.json", "--fail-on", kind)
    more = entry("look", "Looks", readOnly=True, openWorld=False)
    assert decide(tmp_path, [READS, DROPS, more], *words).status == 4
    badge = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert (badge["label"], badge["message"]) == ("who is asked", "new-runs 1")


def test_a_description_alone_is_silent(tmp_path: Path) -> None:
    written(tmp_path)
    changed = entry("read_file", "Reads it", readOnly=True, openWorld=False)
    every = "stops-asking,starts-asking,hidden,refused,lost,new-runs,new,renamed,gone,other"
    words = ("--baseline", "decisions.txt", "--fail-on", every, "--comment", "c.md")
    ended = decide(tmp_path, [changed, DROPS], *words)
    assert ended.status == 0
    assert "1 definition changed without a change of decisions." in ended.stdout
    assert (tmp_path / "c.md").read_bytes() == b""


def test_the_same_tools_write_the_same_bytes(tmp_path: Path) -> None:
    written(tmp_path)
    first = (tmp_path / "decisions.txt").read_bytes()
    words = ("--hosts", "codex:exec,codex,vscode", "--write-baseline", "two.txt")
    assert decide(tmp_path, [DROPS, READS], *words).status == 0
    assert (tmp_path / "two.txt").read_bytes() == first
    assert b"Does it" not in first


@pytest.mark.slow
def test_one_file_is_compared_with_and_written_again(tmp_path: Path) -> None:
    words = ("--baseline", "d.txt", "--write-baseline", "d.txt", "--fail-on", "stops-asking")
    assert decide(tmp_path, [READS, DROPS], *words).status == 0
    first = (tmp_path / "d.txt").read_bytes()
    assert decide(tmp_path, [READS, ADDS], *words).status == 4
    assert (tmp_path / "d.txt").read_bytes() != first
    assert decide(tmp_path, [READS, ADDS], *words).status == 0


def test_a_list_that_libraries_lose_is_lost(tmp_path: Path) -> None:
    written(tmp_path)
    broken = {**READS, "title": None}
    ended = decide(
        tmp_path, [broken, DROPS], "--baseline", "decisions.txt", "--fail-on", "lost", "--json"
    )
    assert ended.status == 4
    assert ended.report["failed"] == ["lost"]
    lost = [one["id"] for one in ended.report["libraries"] if not one["takes_list"]]
    assert lost == ["ts1", "ts2", "ai"]


def test_every_output_is_made_and_a_page_beside_it(tmp_path: Path) -> None:
    written(tmp_path)
    words = ("--baseline", "decisions.txt", "--html", "page.html")
    ended = decide(tmp_path, [READS, ADDS], *words, "--junit", "-")
    assert ElementTree.fromstring(ended.stdout).get("tests") == "1"
    assert "<script" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    sarif = decide(tmp_path, [READS, ADDS], *words[:2], "--sarif", "-").report
    assert sarif["runs"][0]["results"][0]["ruleId"] == "stops-asking"
    markdown = decide(tmp_path, [READS, ADDS], *words[:2], "--markdown").stdout
    assert markdown.startswith("# Who is asked: ")
    assert "**it runs in both without asking**" in markdown


def test_without_a_baseline_it_prints_the_decisions_of_the_usual_hosts(tmp_path: Path) -> None:
    report = decide(tmp_path, [READS], "--json").report
    assert len(report["hosts"]) == 12
    assert report["baseline"] is None
    assert report["difference"] is None


def test_a_host_without_a_person_refuses_what_would_ask(tmp_path: Path) -> None:
    words = ("--hosts", "cursor:unattended,codex:unattended", "--json")
    report = decide(tmp_path, [DROPS], *words).report
    assert [one["name"] for one in report["hosts"]] == ["cursor:unattended", "codex:exec"]
    decisions = report["tools"][0]["decisions"]
    assert [one["decision"] for one in decisions] == ["refused", "refused"]


def test_a_policy_is_compared_as_a_host_is(tmp_path: Path) -> None:
    words = ("--hosts", "cautious,vscode", "--write-baseline", "d.txt")
    ended = decide(tmp_path, [DROPS], *words)
    assert (
        "2 of 2 hosts and policies ask before each tool that may destroy, or do not run it"
        in ended.stdout
    )
    ended = decide(tmp_path, [DROPS, READS], "--baseline", "d.txt", "--fail-on", "new", "--json")
    assert ended.status == 4
    assert [one["name"] for one in ended.report["hosts"]] == ["vscode", "cautious"]


@pytest.mark.slow
def test_another_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("import sys\n", encoding="utf-8")
    ended = decide(tmp_path, [DROPS], "--write-baseline", "server.py")
    assert ended.status == 2
    PROSE.holds("usage: a file that is no baseline", ended.stderr, FOLDER=tmp_path)
    assert (tmp_path / "server.py").read_text(encoding="utf-8") == "import sys\n"
    (tmp_path / "d.txt").touch()
    for _ in range(2):
        ended = decide(tmp_path, [DROPS], "--write-baseline", "d.txt")
        assert ended.status == 0
        assert "written: d.txt" in ended.stderr


@pytest.mark.slow
def test_wrong_usage_has_a_sentence(tmp_path: Path) -> None:
    written(tmp_path)
    baseline = ("--baseline", "decisions.txt")

    def refused(key: str, *words: str) -> None:
        ended = decide(tmp_path, [READS, DROPS], *words)
        assert ended.status == 2
        assert ended.stdout == ""
        PROSE.holds(key, ended.stderr, FOLDER=tmp_path)

    refused("usage: a kind", *baseline, "--fail-on", "stop-asking")
    refused("usage: nothing to compare with", "--fail-on", "stops-asking")
    refused("usage: no such baseline", "--baseline", "none.txt")
    refused("usage: an unknown host", "--hosts", "vscod")
    refused("usage: an unknown mode", "--hosts", "zed:plan")
    refused("usage: other trust", *baseline, "--trust")
    refused("usage: no folder", "--write-baseline", "none/decisions.txt")
    (tmp_path / "decisions.txt").write_text("{}", encoding="utf-8")
    refused("usage: another file", *baseline)
    (tmp_path / "decisions.txt").write_bytes(b"\xff")
    refused("usage: not UTF-8", *baseline)


def test_a_host_that_is_gone_from_signoff_is_left_out(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "decisions.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("vscode", "vs-code-2"), "utf-8")
    ended = decide(tmp_path, [READS, DROPS], "--baseline", "decisions.txt")
    assert ended.status == 0
    assert "left out" in ended.stderr
    assert "Not compared, since only the baseline has them: vs-code-2." in ended.stdout


@pytest.mark.slow
def test_the_bundled_server_has_decisions(tmp_path: Path) -> None:
    ended = run(tmp_path, "decide", "demo", "--write-baseline", "d.txt", "--markdown")
    assert ended.status == 0
    assert "\ntrust trusted\n" in (tmp_path / "d.txt").read_text(encoding="utf-8")
    ended = run(tmp_path, "decide", "demo", "--baseline", "d.txt", "--fail-on", "other")
    assert "no decision changed" in ended.stdout
    assert ended.status == 0


@pytest.mark.parametrize(("words", "tools"), [((), None), (DRAFT, ["manage"])])
def test_resolvable_tools_count_only_with_the_draft(
    tmp_path: Path, words: tuple[str, ...], tools: list[str] | None
) -> None:
    server = raw("--resolution", "honest")
    found = run(tmp_path, "decide", "--json", *words, "--", *server).report["if_resolved"]
    assert (found and found["tools"]) == tools
