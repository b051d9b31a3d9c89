"""The reports of `signoff test` that others read: JUnit XML, a page, and which steps are run."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.approved import approved, untimed
from tests.cli.running import run
from tests.tiers import first_quick

PROSE = approved("flows")

FLOW = """\
flow: <two> & more
server: demo
steps:
  - call: calculate_sum
    with: {a: 1, b: 2}
    capture: {sum: /content/0/text}
  - name: fails <b>
    call: increment_counter
    with: {id: "${sum}"}
    person: deny
    expect: {outcome: ok}
  - name: comes after
    read: demo://config/settings.json
    person: approve
"""


def test_junit_and_the_page(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    ended = run(tmp_path, "test", "a.flow.yaml", "--junit", "out.xml", "--html", "out.html")
    assert ended.status == 1
    suites = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert {name: suites.get(name) for name in ("tests", "failures", "skipped", "errors")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "0",
        "errors": "0",
    }
    failure = suites.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "outcome: ok"
    assert "expected" in (failure.text or "")
    assert "denied" in (failure.text or "")
    case = suites.findall(".//testcase")[1]
    assert (case.get("name"), case.get("line")) == ("fails <b>", "7")
    page = (tmp_path / "out.html").read_text()
    assert "fails &lt;b&gt;" in page
    assert "fails <b>" not in page
    assert "<script" not in page
    assert "0 tools/call frames" in page


def test_chosen_steps_take_what_they_need_along(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    steps = run(tmp_path, "test", ".", "-k", "FAILS", "--json").report["flows"][0]["steps"]
    assert [one["status"] for one in steps] == ["passed", "failed", "not run"]
    PROSE.holds("choose: left out", steps[2]["reason"])
    ended = run(tmp_path, "test", ".", "-k", "nothing of it")
    assert (ended.status, "-k nothing of it" in ended.stderr) == (2, True)
    ended = run(tmp_path, "test", "a.flow.yaml", "--junit", "no/such/folder.xml")
    assert ended.status == 2
    PROSE.holds("report: cannot be written", ended.stderr)


FAILED = ["passed", "failed", "passed"]
STOPPED = ["passed", "failed", "not run"]


@pytest.mark.parametrize(
    ("words", "wanted"),
    first_quick([((), [FAILED, FAILED]), (("-x",), [STOPPED, ["not run"] * 3])], several=True),
)
def test_a_flow_that_fails_keeps_another_from_its_run_only_if_that_is_wanted(
    tmp_path: Path, words: tuple[str, ...], wanted: list[list[str]]
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.flow.yaml").write_text(FLOW)
    flows = run(tmp_path, "test", ".", *words, "--json").report["flows"]
    assert [[one["status"] for one in flow["steps"]] for flow in flows] == wanted


def test_several_flows_at_once_have_a_server_each(tmp_path: Path) -> None:
    counting = """\
server: demo
steps:
  - call: increment_counter
    with: {id: visits}
    person: approve
    expect: {structured: {at: /value, equals: 1}}
"""
    for name in "abc":
        (tmp_path / f"{name}.flow.yaml").write_text(counting)
    ended = run(tmp_path, "test", ".", "--jobs", "3")
    assert ended.status == 0, ended.stdout
    named = [line for line in ended.stdout.splitlines() if ".flow.yaml" in line]
    assert [line[0] for line in named] == ["a", "b", "c"]
    PROSE.holds("report: three flows", untimed(ended.stdout).splitlines()[-1])
