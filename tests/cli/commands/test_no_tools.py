"""A server without tools: a check of its tools does not pass, since nothing was checked."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.decision_cases import entry
from tests.servers import filed
from tests.tiers import first_quick

SERVER = (sys.executable, "-S", filed.__file__, "tools.json")
WORDS = "nothing was checked: no tools are listed"


def on(folder: Path, *words: str, tools: int = 0) -> Ended:
    listed = [entry(f"read_{at}", readOnly=True, openWorld=False) for at in range(tools)]
    (folder / "tools.json").write_text(json.dumps(listed), encoding="utf-8")
    return run(folder, *words, "--name", "filed", "--no-memory", "--no-audit", "--", *SERVER)


def test_lint_checked_nothing_and_is_strict_about_it(tmp_path: Path) -> None:
    assert (plain := on(tmp_path, "lint")).status == 0
    assert WORDS in plain.stdout
    assert (strict := on(tmp_path, "lint", "--strict")).status == 5
    assert WORDS in strict.stdout
    assert "no problems" not in strict.stdout
    assert WORDS in on(tmp_path, "lint", "--markdown", "--strict").stdout
    assert on(tmp_path, "lint", "--json", "--strict").report["exit_status"] == 5
    (tmp_path / "file.json").write_text('{"tools": []}', encoding="utf-8")
    assert run(tmp_path, "lint", "file.json", "--strict").status == 5


@pytest.mark.parametrize(("options", "kind"), [((), "skipped"), (("--strict",), "failure")])
def test_the_case_of_a_list_without_tools_did_not_pass(
    options: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    root = ElementTree.fromstring(on(tmp_path, "lint", "--junit", "-", *options).stdout)
    [case] = root.iter("testcase")
    assert [one.tag for one in case] == [kind]
    assert root.get("failures") == str(int(kind == "failure"))


@pytest.mark.parametrize(
    "words",
    first_quick(
        [
            ("decide",),
            ("decide", "--json"),
            ("decide", "--write-baseline", "new"),
            ("diff", "--pin", "new", "--update"),
            ("matrix", "--expect-decisions", "table.md"),
            ("evidence",),
            ("evidence", "--tools", "read_*"),
            ("consent",),
        ],
        3,
    ),
    ids=" ".join,
)
def test_a_check_of_no_tools_ends_with_5_and_writes_nothing(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "table.md").write_text("| tool | codex |\n|---|---|\n", encoding="utf-8")
    ended = on(tmp_path, *words)
    assert ended.status == 5, ended
    assert "the server lists no tools" in ended.stderr
    assert not (tmp_path / "new").exists()


def test_a_baseline_is_not_overwritten_by_a_list_without_tools(tmp_path: Path) -> None:
    assert on(tmp_path, "decide", "--write-baseline", "d.txt", tools=2).status == 0
    before = (tmp_path / "d.txt").read_bytes()
    gone = on(tmp_path, "decide", "--baseline", "d.txt", "--fail-on", "new-runs")
    assert gone.status == 5
    assert "read_0" in gone.stdout
    assert on(tmp_path, "decide", "--baseline", "d.txt", "--fail-on", "gone").status == 4
    assert on(tmp_path, "decide", "--baseline", "d.txt", "--write-baseline", "d.txt").status == 5
    assert (tmp_path / "d.txt").read_bytes() == before


def test_nothing_came_through_a_gateway_where_nothing_was(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text("[]", encoding="utf-8")
    words = ("through", "--no-memory", "--no-audit", "--", *SERVER, ":::", *SERVER)
    ended = run(tmp_path, *words)
    assert ended.status == 5
    assert "the server lists no tools" in ended.stderr
