"""`signoff consent` against a server whose tools ask in every right and wrong way."""

from __future__ import annotations

import json
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, Ended, run
from tests.servers.confirming import TOOLS

SERVER = ROOT / "tests" / "servers" / "confirming.py"
BEFORE = {"done-before-answer"}
LEGACY: dict[str, set[str]] = {
    "keeps": set(),
    "acts_first": BEFORE,
    "acts_on_any_answer": {
        *("done-after-decline", "done-after-cancel"),
        *("done-with-other-values", "done-after-no"),
    },
    "takes_any_values": {"done-with-other-values", "done-after-no"},
    "acts_again": {"done-twice"},
    "takes_old_state": set(),
    "asks_anyway": {"asked-undeclared", "missing-not-named"},
    "hangs": {"hangs"},
    "gives_up": {"missing-not-named"},
    "never_asks": {"never-asked", "done-without-capability", "missing-not-named"},
    "asks_vaguely": set(),
    "cannot": set(),
    "remembers": {"old-yes-taken"},
    "fails": {"call-failed"},
    "ignores": set(),
}
"""The broken checks of each tool, of a server that sends elicitations."""
MODERN = LEGACY | {"takes_old_state": {"done-twice", "changed-state-taken"}}
SHOWN_ELSEWHERE = ("acts_first", "takes_old_state", "cannot", "ignores")
RUNS = [
    *(("legacy", tool) for tool in TOOLS if tool not in SHOWN_ELSEWHERE),
    *(("modern", "keeps"), ("modern", "acts_again"), ("modern", "remembers"), ("tasks", "keeps")),
]
"""Each breach once, and what the other revisions ask in another way.

Not among these: `acts_first` and `takes_old_state` have tests of their own, and the advice on
`cannot` and `ignores` is tested on values in `test_consent_checks.py`.
"""
ADVICE = {
    "asks_vaguely": {"question-without-action", "question-without-values"},
    "cannot": {"not-done"},
    "ignores": {"answer-ignored"},
}


def consent(folder: Path, era: str, *words: str, by: str = "folders") -> Ended:
    """The command with a short limit, on the server of an era."""
    protocol = "legacy" if era == "legacy" else "2026-07-28"
    return run(
        folder,
        *("consent", "--call-limit", "1", "--no-memory", "--no-audit", "--evidence-by", by),
        *("--protocol", protocol),
        *words,
        *("--", sys.executable, str(SERVER), era),
    )


def results(report: dict[str, Any], result: str) -> dict[str, set[str]]:
    """Tool -> the checks with a result, of all people."""
    return {
        tool["tool"]: {
            check["code"]
            for person in tool["people"]
            for check in person["checks"]
            if check["result"] == result
        }
        for tool in report["tools"]
    }


def person(report: dict[str, Any], who: str) -> dict[str, Any]:
    """The call of one person, of a report with one tool."""
    (tool,) = report["tools"]
    found: dict[str, Any] = next(one for one in tool["people"] if one["person"] == who)
    return found


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("era", "tool"),
    [
        *RUNS,
        *(
            pytest.param(era, tool, marks=pytest.mark.thorough)
            for era in ("legacy", "modern", "tasks")
            for tool in TOOLS
            if (era, tool) not in RUNS
        ),
    ],
)
def test_each_breach_is_found_and_no_other(tmp_path: Path, era: str, tool: str) -> None:
    expected = MODERN[tool] if era == "modern" else LEGACY[tool]
    ended = consent(tmp_path, era, "--json", "--tools", tool, "--approve", "always")
    assert results(ended.report, "broken") == {tool: expected}
    assert results(ended.report, "advice")[tool] >= ADVICE.get(tool, set())
    assert ended.status == (1 if expected else 0), ended.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace here")
def test_system_calls_show_what_is_done_before_the_answer(tmp_path: Path) -> None:
    words = ("--json", "--tools", "acts_first", "--approve", "always")
    report = consent(tmp_path, "legacy", *words, by="strace").report
    assert results(report, "broken") == {"acts_first": BEFORE}
    assert person(report, "declines")["effects"]["before_answer"] == ["created done.txt"]


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_question_of_a_task_is_seen_and_answered_twice(tmp_path: Path) -> None:
    words = ("--json", "--tools", "acts_again", "--approve", "always")
    report = consent(tmp_path, "tasks", *words).report
    assert results(report, "broken") == {"acts_again": {"done-twice"}}
    (question,) = person(report, "declines")["asked"]
    assert question["answer"] == {"action": "decline"}
    assert person(report, "declines")["by"] == "task"
    silent = person(report, "silent")
    assert (silent["asked"][0]["answer"], silent["hung"]) == (None, True)
    assert person(report, "changed-arguments")["not_possible"] == "the server gives no requestState"


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_an_old_state_is_sent_with_changed_arguments(tmp_path: Path) -> None:
    junit, html = tmp_path / "report.xml", tmp_path / "report.html"
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps({"takes_old_state": [{"path": "a"}, {"path": "b"}]}))
    ended = consent(
        tmp_path,
        "modern",
        *("--json", "--tools", "takes_old_state", "--approve", "always"),
        *("--inputs", str(inputs), "--junit", str(junit), "--html", str(html)),
    )
    assert ended.status == 1, ended.stderr
    assert results(ended.report, "broken") == {"takes_old_state": MODERN["takes_old_state"]}
    changed = person(ended.report, "changed-arguments")
    assert (changed["arguments"], changed["changed_arguments"]) == ({"path": "a"}, {"path": "b"})
    assert changed["effects"]["again"] == ["created done.txt"]
    assert changed["second"]["text"] == "done"
    (question,) = person(ended.report, "other-values")["asked"]
    assert question["answer"]["content"] == {
        "confirm": "signoff-not-offered",
        "how": "signoff-not-offered",
    }
    assert person(ended.report, "silent")["asked"][0]["answer"] is None
    suites = ElementTree.parse(junit).getroot()
    assert suites.get("failures") == "2"
    assert "changed-state-taken" in html.read_text(encoding="utf-8")


def test_a_tool_that_is_not_approved_is_not_called(tmp_path: Path) -> None:
    ended = consent(tmp_path, "legacy", "--json", "--tools", "keeps", "--approve", "policy")
    assert ended.status == 3, ended.stderr
    (tool,) = ended.report["tools"]
    assert tool["people"] == []
    assert tool["problem"]


def test_usage_mistakes_are_named(tmp_path: Path) -> None:
    assert consent(tmp_path, "legacy", "--tools", "nothing").status == 2
    assert consent(tmp_path, "legacy", "--reads", "nothing").status == 2
    assert consent(tmp_path, "legacy", "--reads", "keeps").status == 2
    ended = run(tmp_path, "consent", "--url", "http://127.0.0.1:9/mcp")
    assert ended.status == 2


DEMO = {
    "send_after_asking": set(),
    "send_before_asking": BEFORE,
    "send_at_each_answer": {"done-twice"},
}
"""The broken checks of the bundled server's tools, since 2026-07-28."""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "tool",
    [
        "send_after_asking",
        *(pytest.param(name, marks=pytest.mark.thorough) for name in list(DEMO)[1:]),
    ],
)
def test_the_bundled_server_has_one_tool_of_each_kind(tmp_path: Path, tool: str) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps({tool: {"to": "Ada", "text": "Lunch?"}}))
    ended = run(
        tmp_path,
        *("consent", "demo", "--json", "--call-limit", "2", "--no-memory", "--no-audit"),
        *("--evidence-by", "folders"),
        *("--tools", tool, "--inputs", str(inputs), "--approve", "always"),
        *("--protocol", "2026-07-28"),
    )
    assert results(ended.report, "broken") == {tool: DEMO[tool]}
    assert not results(ended.report, "advice")[tool]
    accepted = ended.report["tools"][0]["people"][1]
    done = "before_answer" if BEFORE & DEMO[tool] else "after_answer"
    assert accepted["effects"][done] == ["created demo/outbox.txt"]


FLOW = """\
command: {command}
steps:
  - consent: {tool}
    with: {{path: a}}
    person: {person}
    timeout: 1
"""


def flow(folder: Path, tool: str, person: str) -> Ended:
    command = json.dumps([sys.executable, str(SERVER), "legacy"])
    text = FLOW.format(command=command, tool=tool, person=person)
    (folder / "a.flow.yaml").write_text(text)
    return run(folder, "test", "a.flow.yaml", "--json")


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("tool", "status"), [("keeps", 0), ("acts_first", 1)])
def test_a_step_of_a_flow_has_the_same_checks(tmp_path: Path, tool: str, status: int) -> None:
    ended = flow(tmp_path, tool, "approve")
    assert ended.status == status, ended.stderr
    (step,) = ended.report["flows"][0]["steps"]
    broken = {one["name"] for one in step["checks"] if not one["passed"]}
    assert broken == LEGACY[tool]


def test_a_step_whose_calls_are_denied_fails(tmp_path: Path) -> None:
    ended = flow(tmp_path, "keeps", "deny")
    assert ended.status == 1, ended.stderr
    (step,) = ended.report["flows"][0]["steps"]
    assert [one["name"] for one in step["checks"]] == ["called"]


def test_a_step_has_no_expectations_of_its_own(tmp_path: Path) -> None:
    text = "server: demo\nsteps:\n  - consent: x\n    expect: {sent: true}\n"
    (tmp_path / "a.flow.yaml").write_text(text)
    assert run(tmp_path, "flow", "check", "a.flow.yaml").status == 2
