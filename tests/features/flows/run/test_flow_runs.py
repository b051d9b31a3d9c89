"""`signoff test` on real servers: what passes, how a failure reads, and the wire proof."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.flows.run.checks import JUDGES
from tests.approved import approved, untimed
from tests.cli.running import Ended, run
from tests.manual import page
from tests.servers import raw
from tests.tiers import first_quick

PROSE = approved("flows")
STOPPED = "used more than 1 s of processor time"


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


def test_a_failure_says_what_was_expected_and_seen_with_its_dialog_and_its_wire(
    broken: tuple[Ended, Ended],
) -> None:
    text, report = broken[0].stdout, broken[1].report
    assert [one.status for one in broken] == [1, 1]
    PROSE.holds("run: six failed", text.splitlines()[-1].rpartition(" in ")[0])
    checks = [one for step in report["flows"][0]["steps"] for one in step["checks"]]
    found = [check for check in checks if not check["passed"]]
    assert {check["name"].split()[0] for check in found} == BROKEN
    assert all(check["line"] for check in found)
    lines = "\n".join(line[:160] for line in failed(report))
    PROSE.holds("failures: expected and seen", untimed(lines))
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


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("pattern", "text", "found", "captured"),
    first_quick(
        [
            ("b(c)", "abcd", (True, ""), ("c", "")),
            ("bc", "abcd", (True, ""), ("bc", "")),
            ("(a+)+b", "a" * 60, (False, STOPPED), (None, STOPPED)),
        ],
        2,
        several=True,
    ),
)
async def test_a_pattern_is_searched_and_captured_or_stopped(
    pattern: str, text: str, found: object, captured: object
) -> None:
    assert await JUDGES.search(pattern, text) == found
    assert await JUDGES.captured(pattern, text) == captured


UNSEEN = """\
server: demo
steps:
  - call: calculate_sum
    with: {a: 1, b: 2}
    expect: {asked: {kind: sampling}, progress: {reports: 1}}
  - wait: tools/list_changed
    timeout: 0.2
  - subscribe: demo://nothing/like/it
  - call: ask_two_questions
    answers: {elicitation: accept}
"""


def test_what_was_not_asked_and_did_not_come_is_told(tmp_path: Path) -> None:
    found = failed(result_of(tmp_path, UNSEEN, "--json").report)
    PROSE.holds("events: what was not received", "\n".join(found))


def test_the_flow_of_the_manual_passes(tmp_path: Path) -> None:
    text = re.findall(r"```yaml\n(flow:.*?)```", page("how-to/flow-files"), flags=re.DOTALL)[0]
    ended = result_of(tmp_path, text)
    assert ended.status == 0, ended.stdout
    step = next(line for line in ended.stdout.splitlines() if "delete_file" in line)
    PROSE.holds("manual: a denied call", untimed(step))
