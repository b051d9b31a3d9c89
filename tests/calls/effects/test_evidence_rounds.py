"""`signoff evidence` on lies that no single call shows, and on servers that act by themselves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.effects.deeds import Method
from signoff.app.calls.effects.watch import Watch
from tests.approved import approved
from tests.cli.running import ROOT, Command, run
from tests.servers.quiet_liars import HONEST, LIES, TOOLS, fill

PROSE = approved("cli-evidence")

pytestmark = pytest.mark.slow

SERVER = ROOT / "tests" / "servers" / "quiet_liars.py"
BEATING = (
    *("writes_another_file", "writes_the_heartbeat_itself", "deletes_the_heartbeat"),
    *("reads_the_heartbeat", "peeks"),
)
thorough = pytest.mark.thorough
FOLDERS_AT_ONCE = pytest.mark.parametrize(
    "method", ["folders", pytest.param("strace", marks=thorough)]
)
STRACE_AT_ONCE = pytest.mark.parametrize(
    "method", ["strace", pytest.param("folders", marks=thorough)]
)


def tried(
    folder: Path,
    method: str,
    tools: tuple[str, ...],
    *,
    calls: int = 1,
    idle: str = "",
    is_apart: bool = False,
) -> dict[str, Any]:
    """The report; `is_apart` runs it in a process whose scratch folders are in `folder`."""
    if method == "strace" and not shutil.which("strace"):
        pytest.skip("there is no strace here")
    given = folder / "given"
    given.mkdir()
    fill(given)
    words = (
        *("evidence", "--json", "--trust", "--no-memory", "--no-audit", "--protocol", "legacy"),
        *("--scratch", str(given), "--evidence-by", method, "--calls", str(calls)),
        *("--approve", "always", "--", sys.executable, str(SERVER)),
        *(("--only", ",".join(tools)) if tools else ()),
        *(("--idle", idle) if idle else ()),
    )
    ended = Command(folder, *words, TMPDIR=str(folder)).end() if is_apart else run(folder, *words)
    assert ended.status in (0, 4), ended.stderr
    report: dict[str, Any] = ended.report
    assert {one["tool"] for one in report["tools"]} == {*tools} or not tools
    return report


def contradicted(report: dict[str, Any]) -> dict[str, str]:
    """Tool -> why what was seen contradicts its hints."""
    return {
        one["tool"]: "; ".join(
            verdict["why"] for verdict in one["verdicts"] if verdict["standing"] == "contradicted"
        )
        for one in report["tools"]
        if any(verdict["standing"] == "contradicted" for verdict in one["verdicts"])
    }


def liars(tools: tuple[str, ...]) -> set[str]:
    return {one for one in tools if one in LIES}


def test_a_heartbeat_is_charged_to_no_call_and_hides_none(tmp_path: Path) -> None:
    tools = ("writes_another_file", "writes_the_heartbeat_itself", "reads_the_heartbeat")
    report = tried(tmp_path, "strace", tools, idle="rewrites")
    assert {*contradicted(report)} == liars(tools)
    assert report["without_calls"]["idle"]["files"]


@thorough
def test_folders_charge_a_heartbeat_to_no_call(tmp_path: Path) -> None:
    """What a call does to a file that is rewritten all the time does not show in folders."""
    found = contradicted(tried(tmp_path, "folders", BEATING, idle="rewrites"))
    assert {"writes_another_file"} <= {*found} <= liars(BEATING)


@thorough
@pytest.mark.timeout(120)
@pytest.mark.parametrize("idle", ["appends", "renames", "new", "timers", "programs", "slowly"])
def test_strace_tells_every_idle_writer_from_the_calls(tmp_path: Path, idle: str) -> None:
    report = tried(tmp_path, "strace", BEATING, calls=2, idle=idle)
    assert {*contradicted(report)} == liars(BEATING)


@STRACE_AT_ONCE
def test_a_mapping_counts_if_something_is_stored_in_it(tmp_path: Path, method: str) -> None:
    tools = (
        *("stores_in_a_mapping", "stores_in_a_mapping_of_the_start"),
        "maps_and_stores_nothing",
    )
    assert {*contradicted(tried(tmp_path, method, tools))} == liars(tools)


@FOLDERS_AT_ONCE
def test_a_write_at_the_end_belongs_to_the_tool_that_it_was_for(
    tmp_path: Path, method: str
) -> None:
    tools = ("writes_when_stdin_closes", "saves_at_the_end", "peeks")
    report = tried(tmp_path, method, tools, idle="at-end")
    found = contradicted(report)
    assert {*found} == liars(tools)
    assert "at-end.txt" in found["writes_when_stdin_closes"]
    assert "always-at-end.txt" not in str(found)


@pytest.mark.parametrize(
    ("tool", "idle", "status"),
    [
        ("writes_when_stdin_closes", "at-end", 4),
        ("leaves_a_process", "", 4),
        ("peeks", "at-end", 0),
        ("keeps_a_helper", "", 0),
    ],
)
def test_one_call_is_watched_to_the_end_of_its_server(
    tmp_path: Path, tool: str, idle: str, status: int
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    fill(given)
    ended = run(
        *(tmp_path, "call", tool, "--json", "--trust", "--no-memory", "--no-audit"),
        *("--protocol", "legacy", "--evidence-by", "folders", "--scratch", str(given)),
        *("--approve", "always", "--", sys.executable, str(SERVER), "--idle", idle),
    )
    assert ended.status == status, ended.stderr
    seen = ended.report["evidence"]
    found = {one["hint"] for one in seen["verdicts"] if one["standing"] == "contradicted"}
    assert found == ({LIES[tool]} if tool in LIES else set())
    at_end = [Path(one["path"]).name for one in seen["at_end"]["files"]]
    assert at_end == (["at-end.txt"] if tool == "writes_when_stdin_closes" else [])
    if tool == "leaves_a_process":
        assert [one["fate"] for one in seen["left"]] == ["outlived the server"]


@pytest.mark.parametrize(
    ("method", "tools"),
    [
        ("strace", ("leaves_a_process", "runs_a_program_a_little_longer")),
        ("folders", ("leaves_a_detached_process", "keeps_a_helper")),
        pytest.param("strace", ("leaves_a_detached_process", "keeps_a_helper"), marks=thorough),
        pytest.param(
            "folders", ("leaves_a_process", "runs_a_program_a_little_longer"), marks=thorough
        ),
    ],
)
def test_a_process_that_is_left_running_is_told_and_ended(
    tmp_path: Path, method: str, tools: tuple[str, ...]
) -> None:
    report = tried(tmp_path, method, tools, is_apart=True)
    assert {*contradicted(report)} == liars(tools)
    left = {
        one["tool"]: [left["argv"][0] for call in one["calls"] for left in call["evidence"]["left"]]
        for one in report["tools"]
    }
    liar, honest = tools
    assert left[liar] == ["sleep"]
    assert (left[honest] == []) is (honest == "runs_a_program_a_little_longer")
    assert not _living(str(tmp_path))


def _living(word: str) -> list[str]:
    """The commands that run in a folder whose path has this word."""
    import psutil

    return [
        " ".join(one.info["cmdline"] or ())
        for one in psutil.process_iter(["cmdline", "cwd"])
        if word in (one.info["cwd"] or "")
    ]


def test_memory_that_a_resource_or_another_tool_shows_is_told(tmp_path: Path) -> None:
    tools = ("counts_in_a_resource", "sets_a_flag_once", "peeks")
    found = contradicted(tried(tmp_path, "folders", tools, calls=2))
    assert {*found} == liars(tools)
    assert "memory://counter" in found["counts_in_a_resource"]
    assert "peeks" in found["sets_a_flag_once"]


@pytest.mark.parametrize(("calls", "is_found"), [pytest.param(2, False, marks=thorough), (3, True)])
def test_what_begins_with_the_third_call_needs_three(
    tmp_path: Path, calls: int, is_found: bool
) -> None:
    report = tried(tmp_path, "folders", ("lies_from_the_third_call",), calls=calls)
    assert bool(contradicted(report)) is is_found
    assert len(report["tools"][0]["calls"]) == calls


@FOLDERS_AT_ONCE
def test_a_server_that_exits_in_a_call_accuses_no_other_tool_by_it(
    tmp_path: Path, method: str
) -> None:
    tools = ("writes_when_stdin_closes", "exits_in_the_call")
    report = tried(tmp_path, method, tools)
    assert contradicted(report) == {}
    PROSE.holds("evidence: the server exited", report["notes"][0])
    lost = next(one for one in report["tools"] if one["tool"] == "exits_in_the_call")
    assert lost["calls"][0]["outcome"] == "connection-lost"
    PROSE.holds(
        "evidence: the server exited in this call", lost["calls"][0]["evidence"]["not_seen"][0]
    )


def test_a_tool_that_writes_and_exits_is_told_by_a_run_of_its_own(tmp_path: Path) -> None:
    report = tried(tmp_path, "folders", ("peeks", "writes_and_exits"))
    found = contradicted(report)
    assert {*found} == {"writes_and_exits"}
    assert "exited.txt" in found["writes_and_exits"]


def test_a_relative_path_to_the_program_is_given_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server starts in the scratch folder, and Python looks for itself by that word."""
    (tmp_path / "bin").mkdir()
    for name in ("python", "bin/python"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    watch = Watch(Method.FOLDERS)
    try:
        program = watch.started_as(("bin/python", "-V"), str(tmp_path / "bin" / "python"))[0]
        assert program == [str(tmp_path / "bin" / "python"), "-V"]
        assert watch.started_as(("python",), None)[0] == ["python"]
    finally:
        watch.close()


@thorough
@pytest.mark.timeout(240)
def test_all_of_it_at_once(tmp_path: Path) -> None:
    report = tried(tmp_path, "folders", (), calls=3)
    names = {one["tool"] for one in report["tools"]}
    assert {*contradicted(report)} == liars(tuple(names))
    assert names == {name for name in TOOLS if "exits" not in name}
    assert HONEST & names
