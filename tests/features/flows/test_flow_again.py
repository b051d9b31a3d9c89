"""`signoff test --update`, `--watch` and retries."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.flows.updating import Proposal, edited
from signoff.app.features.flows.yaml_tree import read_yaml
from tests.approved import approved, untimed
from tests.cli.running import Command, run
from tests.servers import raw

PROSE = approved("flows")

FLOW = """\
# what a careful host does
server:   demo
steps:
    - call: delete_file   # this one
      with: {path: notes/todo.txt}
      expect:
          verdict: allow  # really?
          strong:   false
          sent: true
          dialog: "notes/todo.txt"

    - call: increment_counter
      with: {id: visits}
      person: approve
      expect: {structured: {at: /value, equals: 7}, outcome: [denied]}
"""
AFTER = (
    FLOW.replace("allow  #", "ask  #")
    .replace("strong:   false", "strong:   true")
    .replace("sent: true", "sent: false")
    .replace("equals: 7", "equals: 1")
    .replace("[denied]", "ok")
)


@pytest.mark.slow
def test_what_was_seen_is_written_once_somebody_says_yes(tmp_path: Path) -> None:
    file = tmp_path / "a.flow.yaml"
    file.write_text(FLOW)
    ended = run(tmp_path, "test", "a.flow.yaml", "--update", stdin="no\n")
    assert ended.status == 1
    PROSE.holds("update: what becomes", ended.stderr)
    assert file.read_text() == FLOW
    run(tmp_path, "test", "a.flow.yaml", "--update", stdin="yes\n")
    assert file.read_text() == AFTER
    assert run(tmp_path, "test", "a.flow.yaml").status == 0


def test_values_of_several_lines_and_variables_are_left_alone() -> None:
    text = 'steps:\n- expect:\n    a:\n    - 1\n    b: "${x}"\n    c: {d: 1}  # c\n'
    wanted = [Proposal(0, ("expect", name), [2]) for name in "abc"]
    after, left = edited(text, wanted)
    assert after == text.replace("{d: 1}", "[2]")
    assert [one.path[1] for one in left] == ["a", "b"]


@pytest.mark.parametrize("value", ["a: b", "yes", "- x", "ü\n", "1", 1.5, None, True, {"a": [1]}])
def test_any_value_can_be_written(value: JsonValue) -> None:
    after, left = edited("steps: [{a: 1}] # c\r\n", [Proposal(0, ("a",), value)])
    assert left == []
    assert read_yaml(after.encode(), "x").plain() == {"steps": [{"a": value}]}
    assert after.endswith("}] # c\r\n")


@pytest.mark.slow
def test_a_step_that_passes_at_the_second_try_says_so(tmp_path: Path) -> None:
    text = """\
server: demo
steps:
  - call: increment_counter
    with: {id: visits}
    person: approve
    retries: 3
    expect: {structured: {at: /value, least: 2}}
"""
    (tmp_path / "a.flow.yaml").write_text(text)
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0
    lines = [
        line for line in untimed(ended.stdout).splitlines() if "try" in line or "tried" in line
    ]
    PROSE.holds("retries: the second try", "\n".join(lines))
    assert run(tmp_path, "test", "a.flow.yaml", "--retries", "0").status == 1
    (step,) = run(tmp_path, "test", "a.flow.yaml", "--json").report["flows"][0]["steps"]
    assert [one["status"] for one in step["earlier"]] == ["failed"]


def test_flows_are_run_again_when_they_change(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("needs SIGINT")
    file = tmp_path / "a.flow.yaml"
    flow = f"command: {json.dumps(raw())}\nsteps:\n  - call: echo\n    person: deny\n"
    file.write_text(flow)
    command = Command(tmp_path, "test", "a.flow.yaml", "--watch")
    assert command.process.stderr is not None
    PROSE.holds("watch: waiting", command.process.stderr.readline())
    deadline = time.monotonic() + 20
    file.write_text(flow.replace("call", "cal"))
    lines = [command.process.stderr.readline(), command.process.stderr.readline()]
    assert time.monotonic() < deadline
    assert "a.flow.yaml line 3" in lines[0]
    PROSE.holds("watch: waiting", lines[1])
    command.process.send_signal(signal.SIGINT)
    assert command.end().status == 130
