"""`signoff evidence` on a server that lies: no lie is missed, nobody honest is accused."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import ROOT, Command, Ended, run
from tests.servers import raw
from tests.servers.liars import HONEST, LIES, fill

PROSE = approved("cli-evidence")

SERVER = ROOT / "tests" / "servers" / "liars.py"
SEEN_IN_FOLDERS = {
    *("writes_a_file", "writes_in_a_grandchild", "writes_after_the_answer", "deletes_a_file"),
    *("appends_to_what_it_read", "makes_a_folder", "renames_a_file", "changes_the_mode"),
    *("writes_by_a_mapping", "leaves_a_daemon_that_writes", "links_a_file", "adds_by_deleting"),
    *("adds_by_writing_over", "adds_by_cutting", "drops_a_row", "appends_each_time", "counts_up"),
    *("a_new_file_each_time", "lists_one_more_each_time"),
}
"""The lies that are told by folders alone, however short a process or a connection lives."""
EACH_WAY = {
    *("writes_a_file", "writes_after_the_answer", "deletes_a_file", "appends_to_what_it_read"),
    *("makes_a_folder", "renames_a_file", "changes_the_mode", "writes_by_a_mapping"),
    *("leaves_a_daemon_that_writes", "links_a_file", "adds_by_cutting", "counts_up"),
    *("lists_one_more_each_time", "writes_and_puts_back", "connects"),
    *("uses_a_temporary_file", "appends_a_note", "sets_a_value", "asks_this_machine"),
}
"""Each way to change a file once, and a few that folders do not show or that are honest."""


def evidence(folder: Path, *words: str) -> Ended:
    given, outside = folder / "given", folder / "outside"
    given.mkdir()
    outside.mkdir()
    fill(given)
    before = {path: path.read_bytes() for path in given.rglob("*") if path.is_file()}
    ended = run(
        folder,
        *("evidence", "--json", "--trust", "--no-memory", "--no-audit", "--protocol", "legacy"),
        *("--scratch", str(given), "--env", f"LIARS_OUTSIDE={outside}", *words),
        *("--", sys.executable, str(SERVER)),
    )
    assert {path: path.read_bytes() for path in before} == before
    return ended


def contradicted(report: dict[str, Any]) -> dict[str, list[str]]:
    """Tool -> the hints that what was seen contradicts."""
    found = {}
    for one in report["tools"]:
        hints = [v["hint"] for v in one["verdicts"] if v["standing"] == "contradicted"]
        if hints:
            found[one["tool"]] = hints
    return found


@pytest.fixture
def needs_strace() -> None:
    if not shutil.which("strace"):
        pytest.skip("there is no strace here")


@pytest.mark.slow
@pytest.mark.timeout(150)
@pytest.mark.usefixtures("needs_strace")
def test_strace_misses_no_lie_and_accuses_nobody_honest(tmp_path: Path) -> None:
    ended = evidence(tmp_path, "--approve", "always")
    assert ended.status == 4, ended.stderr
    report = ended.report
    assert report["method"] == "strace"
    assert contradicted(report) == {tool: [hint] for tool, hint in LIES.items()}
    assert {one["tool"] for one in report["tools"]} == {*LIES, *HONEST}
    assert not (tmp_path / "given" / "written.txt").exists()


@pytest.mark.slow
@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    "tools",
    [EACH_WAY, pytest.param({*LIES, *HONEST}, marks=pytest.mark.thorough)],
    ids=["each way", "all"],
)
def test_folders_see_what_lasts_and_say_what_they_miss(tmp_path: Path, tools: set[str]) -> None:
    words = ("--tools", ",".join(sorted(tools)), "--evidence-by", "folders")
    ended = evidence(tmp_path, "--approve", "always", *words)
    found = contradicted(ended.report)
    assert {one["tool"] for one in ended.report["tools"]} == tools
    assert SEEN_IN_FOLDERS & tools <= set(found) <= set(LIES)
    assert all(found[tool] == [LIES[tool]] for tool in found)
    assert "files elsewhere" in ended.report["misses"]


def test_what_is_not_approved_is_not_called(tmp_path: Path) -> None:
    tools = "deletes_as_it_says,adds_two_numbers"
    ended = evidence(tmp_path, "--approve", "policy", "--tools", tools, "--strict")
    assert ended.status == 1, ended.stderr
    calls = {one["tool"]: one["calls"] for one in ended.report["tools"]}
    assert [call["sent"] for call in calls["deletes_as_it_says"]] == [False]
    assert [call["sent"] for call in calls["adds_two_numbers"]] == [True, True]


@pytest.mark.slow
def test_without_any_call_no_hint_is_confirmed(tmp_path: Path) -> None:
    ended = evidence(tmp_path, "--approve", "never", "--tools", "adds_two_numbers")
    assert ended.status == 3


def test_inputs_are_taken_from_a_file_and_mistakes_in_it_are_named(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps({"adds_two_numbers": [{"a": "{scratch}/x"}, {"b": 1}]}))
    words = ("--tools", "adds_*numbers", "--inputs", str(inputs), "--approve", "always")
    ended = evidence(tmp_path, *words)
    first, second = ended.report["tools"]
    assert first["arguments"]["a"].startswith("/")
    assert first["arguments"]["a"].endswith("/scratch/x")
    assert second["arguments"] == {"b": 1}

    shutil.rmtree(tmp_path / "given")
    shutil.rmtree(tmp_path / "outside")
    inputs.write_text(json.dumps({"adds_two_number": {}}))
    ended = evidence(tmp_path, *words)
    assert ended.status == 2
    assert "adds_two_numbers" in ended.stderr


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("--url", "http://127.0.0.1:9/mcp"), "usage: a URL"),
        (("--scratch", "/nowhere", "demo"), "usage: no folder"),
        (("--inputs", "/nowhere.json", "demo"), "usage: no inputs"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, words: tuple[str, ...], key: str) -> None:
    ended = run(tmp_path, "evidence", *words)
    assert ended.status == 2
    PROSE.holds(key, ended.stderr)


def test_a_call_under_watch_tells_what_was_seen(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    fill(given)
    words = ("call", "deletes_a_file", "--evidence-by", "folders", "--scratch", str(given))
    rest = ("--trust", "--protocol", "legacy", "--no-memory", "--", sys.executable, str(SERVER))
    ended = run(tmp_path, *words, *rest)
    assert ended.status == 4
    told = ended.stdout.partition("readOnlyHint ")[2].partition("\n\n")[0]
    PROSE.holds("call: contradicted", " ".join(told.split()))
    assert (given / "notes" / "todo.txt").exists()


@pytest.mark.slow
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    ended = Command(
        tmp_path,
        *("evidence", "--tools", "adds_two_numbers", "--approve", "always", "--trust"),
        *("--", sys.executable, str(SERVER)),
        TMPDIR=str(folder),
    ).end()
    assert ended.status == 0, ended.stderr
    assert list(folder.glob("signoff-evidence-*")) == []


@pytest.mark.slow
def test_a_list_without_its_end_is_not_tried_to_the_end(tmp_path: Path) -> None:
    server = raw("--only", "read_thing", "--loop-cursor")
    words = ("--approve", "always", "--trust", "--scratch", str(tmp_path))
    ended = run(tmp_path, "evidence", "--json", *words, "--", *server)
    assert ended.status == ended.report["exit_status"] == 5


@pytest.mark.slow
def test_a_slow_tool_is_named_and_an_interrupt_leaves_what_was_seen(tmp_path: Path) -> None:
    words = ("--tools", "read_thing,never", "--approve", "always", "--scratch", str(tmp_path))
    server = raw("--only", "read_thing,never")
    command = Command(tmp_path, "evidence", "--json", "--trust", *words, "--", *server)
    assert command.process.stderr is not None
    said = command.process.stderr.readline()
    while "takes a while" not in said:
        assert said
        said = command.process.stderr.readline()
    PROSE.holds("evidence: a slow tool", said)
    command.process.send_signal(signal.SIGINT)
    ended = command.end()
    assert ended.status == 130
    assert [one["tool"] for one in ended.report["tools"]] == ["read_thing"]
    assert (ended.report["not_tried"], ended.report["exit_status"]) == (1, 5)
    PROSE.holds("evidence: interrupted", ended.stderr)
