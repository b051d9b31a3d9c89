"""A list of tools without its end: nothing is compared with it, written or said of all tools."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.cli.running import Ended, run
from tests.decision_cases import entry
from tests.servers import http, raw
from tests.tiers import first_quick

FILED = Path(__file__).resolve().parents[2] / "servers" / "filed.py"
TOOLS = [
    entry("read_file", readOnly=True, openWorld=False),
    entry("delete_file", readOnly=False, destructive=True, openWorld=False),
]
CAUSES = {
    "err": "page 2 of the tools failed: no such method (code -32601)",
    "notools": "the list has no array of tools",
}
WORDS = "signoff: the list of tools is not whole: "


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a baseline of each kind of the whole list, for every test to copy."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    assert on(folder, "decide", "--write-baseline", "d.txt").status == 0
    assert on(folder, "diff", "--pin", "pin.json", "--update").status == 0
    table = on(folder, "matrix", "--hosts", "codex", "--markdown").stdout
    (folder / "table.md").write_text(table, encoding="utf-8")
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path


def on(folder: Path, *words: str, mode: str = "") -> Ended:
    server = (sys.executable, "-S", str(FILED), "tools.json", *([mode] if mode else []))
    return run(folder, *words, "--name", "filed", "--", *server)


def keep_list(folder: Path) -> None:
    """Let the server list its tools in this folder: the lists of another one are not its own."""
    assert on(folder, "diff").status == 0


@pytest.mark.parametrize("mode", first_quick(CAUSES))
@pytest.mark.parametrize(
    "words",
    [
        ("decide",),
        ("decide", "--json"),
        ("decide", "--baseline", "d.txt", "--comment", "new"),
        ("decide", "--baseline", "d.txt", "--write-baseline", "d.txt", "--badge", "new"),
        ("decide", "--write-baseline", "new"),
        ("diff",),
        ("diff", "--pin", "pin.json", "--json"),
        ("diff", "--pin", "pin.json", "--update"),
        ("lint", "--pin", "pin.json"),
        ("matrix", "--expect-decisions", "table.md"),
    ],
    ids=lambda words: " ".join(words),
)
def test_nothing_is_compared_or_written(folder: Path, words: tuple[str, ...], mode: str) -> None:
    if words == ("diff",):
        keep_list(folder)
    before = {one.name: one.read_bytes() for one in folder.glob("*.*") if one.is_file()}
    ended = on(folder, *words, mode=mode)
    assert (ended.status, ended.stdout) == (5, "")
    assert ended.stderr.startswith(f"{WORDS}{CAUSES[mode]}; nothing is compared")
    assert not (folder / "new").exists()
    assert {one.name: one.read_bytes() for one in folder.glob("*.*") if one.is_file()} == before


@pytest.mark.parametrize(
    "words", first_quick([("lint",), ("report",), ("matrix",), ("archetypes",)])
)
def test_a_report_on_the_listed_tools_says_so(folder: Path, words: tuple[str, ...]) -> None:
    ended = on(folder, *words, mode="err")
    assert ended.status == 5
    assert f"signoff: filed: the list of tools is not whole: {CAUSES['err']}" in ended.stderr
    assert "read_file" in ended.stdout


def test_the_next_whole_list_is_compared_with_the_last_whole_one(folder: Path) -> None:
    keep_list(folder)
    on(folder, "diff", mode="err")
    ended = on(folder, "diff")
    assert (ended.status, ended.stdout) == (0, "nothing changed\n")


@pytest.mark.parametrize("is_gateway", first_quick([True, False]))
def test_through_leaves_out_what_a_side_may_have(folder: Path, is_gateway: bool) -> None:
    whole = [sys.executable, "-S", str(FILED), "tools.json"]
    half = [*whole, "err"]
    first, second = (whole, half) if is_gateway else (half, whole)
    ended = run(folder, "through", "--json", "--", *first, ":::", *second)
    assert ended.status == 5
    assert ended.report["not_compared"] == ["delete_file"]
    assert ended.report["parts"]["tools"] == {
        "came through": 1,
        "changed": 0,
        "lost": 0,
        "added": 0,
    }
    lines = run(folder, "through", "--", *first, ":::", *second).stdout.splitlines()
    assert lines[-1] == (
        "none of the compared tools and hints was lost or changed; no call was compared (--tools); "
        "a list of tools is not whole"
    )


def test_a_step_for_each_tool_fails(folder: Path) -> None:
    flow = f"""
command: {json.dumps([sys.executable, "-S", str(FILED), str(folder / "tools.json"), "err"])}
host: vscode
steps:
  - each: {{effect: read-only}}
    expect: {{verdict: allow}}
"""
    (folder / "a.flow.yaml").write_text(flow, encoding="utf-8")
    ended = run(folder, "test", "a.flow.yaml")
    assert ended.status == 1
    assert CAUSES["err"] in ended.stdout


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_cursor_that_is_ignored_cuts_the_list_in_both_eras(tmp_path: Path, era: str) -> None:
    server = raw("--loop-cursor", "--only", "echo", "--era", era)
    ended = run(tmp_path, "decide", "--", *server)
    assert (ended.status, ended.stdout) == (5, "")
    assert "ignores the cursor; nothing is compared or written" in ended.stderr


def test_over_http_as_well(tmp_path: Path) -> None:
    words = http("--loop-cursor", "--only", "echo")
    with subprocess.Popen(words, stdin=PIPE, stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        ended = run(tmp_path, "decide", "--write-baseline", "d.txt", "--url", url)
        server.communicate()
    assert (ended.status, ended.stdout) == (5, "")
    assert not (tmp_path / "d.txt").exists()
