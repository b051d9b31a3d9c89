"""`signoff test` on real servers: what passes, how a failure reads, and the wire proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved, untimed
from tests.cli.running import Ended, run
from tests.servers import raw

PROSE = approved("flows")


VSCODE = """\
server: demo
host: vscode
steps:
  - name: all destructive tools ask
    each: {effect: destructive, except: crash_*}
    expect: {verdict: ask, dialog: true, sent: false}
"""


def write(folder: Path, text: str, name: str = "a.flow.yaml") -> str:
    folder.joinpath(name).write_text(text, encoding="utf-8")
    return name


def result_of(folder: Path, text: str, *words: str) -> Ended:
    return run(folder, "test", write(folder, text), *words)


def failed(report: dict[str, Any]) -> list[str]:
    return [
        f"{step['title']}: {check['name']} {check['expected']} | {check['seen']}"
        for flow in report["flows"]
        for step in flow["steps"]
        for check in step["checks"]
        if not check["passed"]
    ]


def test_every_destructive_tool_asks_under_the_rules_of_a_host(tmp_path: Path) -> None:
    ended = result_of(tmp_path, VSCODE)
    assert ended.status == 0, ended.stdout
    lines = ended.stdout.splitlines()
    assert lines[0] == "a.flow.yaml  demo, vscode"
    assert len(lines) > 7
    assert all(line.startswith("  passed  all ") for line in lines[1:-1])
    assert all("0 tools/call frames" in line for line in lines[1:-1])


BROKEN = {
    *("verdict", "dialog", "sent", "outcome", "content", "within", "structured", "schema"),
    *("findings", "call", "capture", "variables"),
}
"""The checks of TEN_WAYS that fail."""
TEN_WAYS = """\
server: demo
steps:
  - call: delete_file
    with: {path: notes/todo.txt}
    expect: {verdict: allow, dialog: rm -rf, sent: true}
  - call: delete_file
    with: {path: nowhere.txt}
    person: approve
    expect: {outcome: ok, content: Saturday, within: 0}
  - call: increment_counter
    with: {id: visits}
    person: approve
    expect:
      structured: {at: /value, equals: 99}
      schema: invalid
      findings: schema-mismatch
  - call: delete_fiel
  - call: calculate_sum
    with: {a: 1, b: 2}
    capture: {id: /structuredContent/id}
  - call: calculate_sum
    with: {a: "${id}", b: 2}
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Ended]:
    folder = tmp_path_factory.mktemp("broken")
    return result_of(folder, TEN_WAYS), result_of(folder, TEN_WAYS, "--json")


@pytest.mark.slow
def test_a_broken_flow_ends_with_one(broken: tuple[Ended, Ended]) -> None:
    assert [one.status for one in broken] == [1, 1]
    last = broken[0].stdout.splitlines()[-1]
    PROSE.holds("run: six failed", last.rpartition(" in ")[0])


@pytest.mark.slow
def test_a_failure_says_what_was_expected_and_seen(broken: tuple[Ended, Ended]) -> None:
    found = [
        check
        for step in broken[1].report["flows"][0]["steps"]
        for check in step["checks"]
        if not check["passed"]
    ]
    assert {check["name"].split()[0] for check in found} == BROKEN
    assert all(check["line"] for check in found)
    lines = "\n".join(line[:160] for line in failed(broken[1].report))
    PROSE.holds("failures: expected and seen", untimed(lines))


def test_a_failure_reads_side_by_side_with_its_dialog_and_its_wire(
    broken: tuple[Ended, Ended],
) -> None:
    text = broken[0].stdout
    step = text.partition("\n  FAILED  ")[2].partition("text of the dialog\n")[0]
    PROSE.holds("failures: a denied call", step)
    assert '           ┃   "path": "notes/todo.txt"' in text
    assert "→ request " in text


def test_flows_with_mistakes_run_nothing(tmp_path: Path) -> None:
    write(tmp_path, VSCODE)
    write(tmp_path, "server: demo\npolicy: cautios\nsteps: [{call: a}]\n", "b.flow.yaml")
    ended = run(tmp_path, "test", ".")
    assert ended.status == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("b.flow.yaml line 2,")
    assert "cautios" in ended.stderr


def test_a_server_that_cannot_be_reached(tmp_path: Path) -> None:
    ended = result_of(tmp_path, "command: [python3, -c, exit(3)]\nsteps: [{call: a}]\n")
    assert ended.status == 5, ended.stdout
    assert "not run" in ended.stdout
    PROSE.holds("run: no server", ended.stdout.splitlines()[-1].rpartition(" in ")[0])


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_server_of_either_era(tmp_path: Path, era: str) -> None:
    text = f"""\
command: {json.dumps(raw("--with", "all", "--era", era))}
steps:
  - call: echo
    with: {{text: hello, number: 1}}
    person: deny
    expect: {{verdict: ask, sent: false}}
  - call: echo
    with: {{text: hello, number: 1}}
    person: approve
    expect: {{outcome: ok, content: hello}}
  - call: progress_jumps
    person: approve
    expect: {{progress: {{reports: 2, increasing: true, total: 10}}}}
"""
    ended = result_of(tmp_path, text, "--json")
    assert failed(ended.report) == []


def test_a_pattern_that_never_ends_is_stopped(tmp_path: Path) -> None:
    text = f"""\
command: {json.dumps(raw("--with", "all"))}
steps:
  - call: echo
    with: {{text: {"a" * 60}!, number: 1}}
    person: approve
    expect: {{content: {{regex: "(a|aa)+$"}}}}
"""
    ended = result_of(tmp_path, text, "--json")
    assert ended.status == 1
    assert "not checked: " in failed(ended.report)[0]
