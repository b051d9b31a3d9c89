"""`signoff measure` with hosts of our own: which one asks, and which one only seems to."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, Command, Ended, run
from tests.tiers import first_quick

HOST = ROOT / "tests" / "servers" / "measured_host.py"
PROBES = "hints/none,hints/readOnly=true,answers/text"
CAREFUL = """
name = "careful"
summary = "Reads run, the rest asks."
[[rule]]
name = "reads"
hints = { readOnly = true }
then = "allow"
reason = "declared read-only"
[[rule]]
name = "rest"
then = "ask"
reason = "not declared read-only"
"""


def measured(folder: Path, behaviour: str, *words: str, acp: bool = False) -> Ended:
    surface = ("--surface", "acp") if acp else ()
    command = (sys.executable, str(HOST), behaviour, *(("--acp",) if acp else ()))
    only = () if "--only" in words else ("--only", PROBES)
    return run(folder, "measure", *surface, *only, *words, "--", *command)


def did(report: dict[str, Any]) -> dict[str, str]:
    return {cell["probe"]: cell["did"] for cell in report["cells"]}


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    first_quick(
        [
            ("asks", "asked"),
            ("runs", "ran"),
            ("refuses", "refused"),
            ("hides", "hidden"),
            ("lies", "ran"),
            ("ignores", "ran"),
            ("quits", "unknown"),
        ],
        4,
        several=True,
    ),
)
def test_hosts_in_a_pipe_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, behaviour, "--json")
    assert ended.status == 0, ended.stderr
    found = did(ended.report)
    assert found == {"hints/none": wanted, "hints/readOnly=true": "ran", "answers/text": "ran"}


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    first_quick([("asks", "asked"), ("lies", "ran"), ("ignores", "ran")], 2, several=True),
)
def test_agents_of_the_protocol_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, behaviour, "--json", acp=True)
    assert ended.status == 0, ended.stderr
    assert did(ended.report)["hints/none"] == wanted
    cell = ended.report["cells"][0]
    assert cell["shown"]["name"] is True
    assert cell["shown"]["server"] is False


@pytest.mark.parametrize(
    ("behaviour", "template", "wanted", "status"),
    first_quick(
        [
            ("renames-hash", "", "ran", 1),
            ("hides-digest", "", "unknown", 5),
            ("renames-blind", "", "unknown", 5),
            ("renames-digest", "", "ran", 1),
            ("renames-camel", "", "ran", 1),
            ("renames-digest", "mcp__{server}__{tool}_*", "ran", 1),
        ],
        2,
        several=True,
    ),
)
def test_an_agent_that_names_tools_otherwise_is_no_match(
    tmp_path: Path, behaviour: str, template: str, wanted: str, status: int
) -> None:
    words = ("--json", "--expect-policy", "cautious", "--trust")
    named = ("--tool-name", template) if template else ()
    ended = measured(tmp_path, behaviour, *words, *named)
    assert did(ended.report)["hints/none"] == wanted
    assert ended.status == status, ended.stderr


def test_hidden_tools_alone_prove_nothing(tmp_path: Path) -> None:
    words = ("--only", "hints/none", "--json", "--tool-name", "wrong_{tool}")
    ended = measured(tmp_path, "runs", *words)
    (cell,) = ended.report["cells"]
    assert (cell["did"], ended.status) == ("ran", 0)
    ended = measured(tmp_path, "renames-blind", *words)
    (cell,) = ended.report["cells"]
    assert (cell["did"], ended.status) == ("unknown", 5)
    assert "no tool of the probe server was found" in cell["why"]


def test_a_host_that_asks_its_model_before_it_lists_the_tools_hides_none(tmp_path: Path) -> None:
    ended = measured(tmp_path, "runs-late", "--json", "--tool-name", "{tool}")
    assert set(did(ended.report).values()) == {"ran"}
    assert not any(one["was_offered"] for one in ended.report["cells"])


TWO = ("--only", "dialog/two-at-once", "--json")


@pytest.mark.parametrize(
    ("behaviour", "wanted", "shows"),
    first_quick(
        [("asks", "asked", True), ("swaps", "ran", True), ("blank", "asked", False)],
        2,
        several=True,
    ),
)
@pytest.mark.parametrize("acp", [True, False])
def test_two_questions_of_a_turn_belong_to_their_calls(
    tmp_path: Path, behaviour: str, wanted: str, shows: bool, acp: bool
) -> None:
    ended = measured(tmp_path, behaviour, *TWO, acp=acp)
    assert ended.status == 0, ended.stderr
    (cell,) = ended.report["cells"]
    assert cell["did"] == wanted, cell
    assert cell["facts"]["questions"] == 2
    assert cell["facts"]["calls that came"] == 1
    assert cell["facts"]["each shows its call alone"] is shows


@pytest.mark.slow
@pytest.mark.parametrize("acp", [True, False])
@pytest.mark.parametrize(
    ("behaviour", "wanted"), [("one-question", "ran"), ("one-for-all", "asked")]
)
def test_one_question_for_two_calls_has_to_show_both(
    tmp_path: Path, behaviour: str, wanted: str, acp: bool
) -> None:
    (cell,) = measured(tmp_path, behaviour, *TWO, acp=acp).report["cells"]
    assert cell["did"] == wanted, cell
    assert cell["facts"]["questions"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("behaviour", "renamed"), [("keeps", "asked"), ("keeps-tool", "ran")])
def test_what_always_covers_is_told(tmp_path: Path, behaviour: str, renamed: str) -> None:
    ended = measured(tmp_path, behaviour, "--only", "remembered", "--json", acp=True)
    found = {name.partition("/")[2]: one for name, one in did(ended.report).items()}
    assert found["first"] == "asked"
    assert found["same"] == found["other-arguments"] == found["new-session"] == "ran"
    assert found["other-tool"] == "asked"
    assert found["renamed-server"] == renamed


def test_one_probe_of_the_family_is_tried_after_an_always(tmp_path: Path) -> None:
    words = ("--only", "remembered/same,remembered/other-tool", "--json")
    found = did(measured(tmp_path, "keeps", *words, acp=True).report)
    assert found == {"remembered/same": "ran", "remembered/other-tool": "asked"}


def test_a_report_has_what_others_need(tmp_path: Path) -> None:
    junit, page = tmp_path / "junit.xml", tmp_path / "page.html"
    words = ("--json", "--junit", str(junit), "--html", str(page))
    report = measured(tmp_path, "asks", *words).report
    assert report["surface"] == "headless"
    assert report["declared"]["clientInfo"]["name"] == "t"
    first = report["cells"][0]
    assert first["hints"] == {}
    assert first["when_denied"] == "not approved"
    assert "written: word-01" in first["model_got"]
    assert "SIGNOFF_CANARY_TOKEN" in report["variables"]
    assert len(ElementTree.parse(junit).getroot().findall(".//testcase")) == 3
    assert "hints/none" in page.read_text()
    assert f"<p>{escape(report['conclusion'])}</p>" in page.read_text()


@pytest.mark.parametrize(("behaviour", "status"), [("asks", 0), ("runs", 1), ("quits", 5)])
def test_a_policy_is_the_expectation(tmp_path: Path, behaviour: str, status: int) -> None:
    policy = tmp_path / "careful.toml"
    policy.write_text(CAREFUL)
    junit = tmp_path / "junit.xml"
    words = ("--expect-policy", str(policy), "--junit", str(junit))
    ended = measured(tmp_path, behaviour, *words)
    assert ended.status == status, ended.stdout + ended.stderr
    failures = ElementTree.parse(junit).getroot().findall(".//failure")
    assert len(failures) == (1 if behaviour == "runs" else 0)
    if behaviour == "runs":
        assert "BROKEN  hints/none: it ran (the call came to the server" in ended.stdout
        assert "the policy careful expects asked" in ended.stdout
        said = "The policy careful does not hold: 1 of 2 decisions as expected, 1 broken. Asked"
        assert ended.stdout.startswith(said)
    if behaviour == "quits":
        said = "The policy careful is not proved: 1 of 2 decisions as expected, 1 without proof."
        assert ended.stdout.startswith(said)
        assert ElementTree.parse(junit).getroot().get("errors") == "1"


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "status"), [("careless", 1), ("careful", 0)])
def test_the_agents_of_the_manual_fail_and_pass(tmp_path: Path, agent: str, status: int) -> None:
    program = ROOT / "tests" / "servers" / "agents" / f"{agent}.py"
    words = ("--only", "hints", "--expect-policy", "cautious", "--trust")
    ended = run(tmp_path, "measure", *words, "--", sys.executable, str(program))
    assert ended.status == status, ended.stdout + ended.stderr


def test_an_id_with_commas_is_one_probe(tmp_path: Path) -> None:
    only = "hints/readOnly=true,destructive=true,answers/text,hints/readOnly=false,destructive=*"
    report = measured(tmp_path, "runs", "--only", only, "--json").report
    assert list(did(report))[:2] == ["hints/readOnly=true,destructive=true", "answers/text"]
    assert len(report["cells"]) > 3


def test_lines_end_with_a_summary(tmp_path: Path) -> None:
    ended = measured(tmp_path, "refuses")
    assert "  refused   no hints" in ended.stdout
    assert "2 ran, 1 refused in 1 start" in ended.stdout


@pytest.mark.slow
def test_a_measurement_is_saved_and_compared(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(measured(tmp_path, "asks", "--json").stdout)
    new.write_text(measured(tmp_path, "runs", "--json").stdout)
    ended = run(tmp_path, "measure", "--compare", str(old), str(new))
    assert ended.status == 1
    assert "  hints/none: asked -> ran" in ended.stdout
    assert run(tmp_path, "measure", "--compare", str(old), str(old)).status == 0
    changed = run(tmp_path, "measure", "--compare", str(old), str(new), "--json").report
    assert [one["probe"] for one in changed["comparisons"][0]["changes"]] == ["hints/none"]


@pytest.mark.slow
def test_a_report_is_written_beside_a_comparison(tmp_path: Path) -> None:
    old, junit = tmp_path / "old.json", tmp_path / "junit.xml"
    old.write_text(measured(tmp_path, "asks", "--json").stdout)
    words = ("--compare", str(old), "--junit", str(junit), "--only", "hints/none")
    ended = measured(tmp_path, "runs", *words)
    assert ended.status == 1
    assert "  hints/none: asked -> ran" in ended.stdout
    assert "only in the older one" not in ended.stdout
    assert junit.exists()


def test_what_a_failed_agent_printed_is_shown_once(tmp_path: Path) -> None:
    agent = tmp_path / "broken.py"
    agent.write_text("raise SystemExit('no model configured')")
    words = ("measure", "--only", "hints", "--", sys.executable, str(agent))
    ended = run(tmp_path, *words)
    assert ended.status == 5
    assert ended.stderr.count("no model configured") == 1
    assert "16 probes: the host ended before this call" in ended.stdout
    assert "\nbroken, headless" in ended.stdout
    assert ended.stdout.startswith("Nothing is proved about 16 calls: the host ended before")


def test_an_agent_that_speaks_no_acp_has_no_proof(tmp_path: Path) -> None:
    ended = measured(tmp_path, "runs", "--json", "--surface", "acp", "--run-limit", "3")
    assert ended.status == 5
    assert set(did(ended.report).values()) == {"unknown"}


@pytest.mark.slow
def test_a_saved_agent_has_its_name(tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "data")}
    command = (sys.executable, str(HOST), "runs")
    words = ("measure", "--only", "hints/none", "--save", "--name", "mine", "--", *command)
    assert run(tmp_path, *words, **home).status == 0
    lines = run(tmp_path, "hosts", "mine", **home).stdout
    assert "measured headless" in lines


@pytest.mark.slow
def test_two_measurements_are_the_same(tmp_path: Path) -> None:
    one, two = (measured(tmp_path, "asks", "--json").report for _ in range(2))
    assert one == two


@pytest.mark.slow
def test_an_oddity_is_tried_in_a_start_of_its_own(tmp_path: Path) -> None:
    words = ("--only", "reading/null-title,reading/null-hint", "--json")
    report = measured(tmp_path, "runs", *words).report
    assert report["starts"] == 2
    assert report["cells"][0]["facts"] == {
        "ordinary tools left": 2,
        "of": 2,
        "the tool itself left": True,
    }


@pytest.mark.slow
def test_a_host_that_hangs_is_ended(tmp_path: Path) -> None:
    # Its only proof would be a time limit, which is none.
    words = ("--only", "hints/none", "--run-limit", "3", "--json")
    ended = measured(tmp_path, "hangs", *words)
    assert did(ended.report) == {"hints/none": "unknown"}
    assert ended.status == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("measure",), "give a host"),
        (("measure", "codex", "--", "x"), "give a host"),
        (("measure", "nothing"), "unknown host nothing"),
        (("measure", "codex:nothing"), "codex has no mode nothing"),
        (("measure", "codex:exec", "--mode", "auto"), "give the mode once"),
        (("measure", "codex", "--surface", "acp"), "codex:exec has no surface acp"),
        (("measure", "codex", "--program", "/no/such"), "program /no/such not found"),
        (("measure", "google-adk", "--program", sys.executable), "Google ADK is not installed in"),
        (("measure", "--", "/no/such"), "/no/such: program not found"),
        (("measure", "python", "agent.py"), "put -- before its command"),
        (("measure", "--name", "a", "codex"), "--name is for an agent of your own"),
        (("measure", "--tool-name", "{tool}", "codex"), "--tool-name is for an agent of your own"),
        (("measure", "--tool-name", "x", "--", "y"), "--tool-name needs {tool} in it"),
        (("measure", "--trust", "--", "x"), "--trust goes with --expect-policy"),
        (
            ("measure", "--expect-policy", "cautious", "--only", "answers", "--", "x"),
            "--only has none of them",
        ),
        (("measure", "--", f"{sys.executable} agent.py"), "without quotes around it"),
        (("measure", "--only", "hints/readonly", "--", "x"), "--only: no probe matches"),
        (("measure", "--compare", "a", "b.json"), "it cannot be read"),
    ],
)
def test_wrong_usage_is_named(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    ended = run(tmp_path, *words)
    assert ended.status == 2
    assert said in ended.stderr


def test_a_program_without_a_version_is_not_the_host(tmp_path: Path) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    ended = run(tmp_path, "measure", "codex", "--program", str(program))
    assert ended.status == 2
    assert "prints no version" in ended.stderr


def test_hosts_are_listed(tmp_path: Path) -> None:
    ended = run(tmp_path, "measure", "--list", "--json", PATH=str(tmp_path))
    hosts = {one["host"]: one for one in json.loads(ended.stdout)["hosts"]}
    assert hosts["codex"]["program"] is None
    assert {"name": "exec", "title": "exec", "surfaces": ["headless"]} in hosts["codex"]["modes"]
    lines = run(tmp_path, "measure", "--list", PATH=str(tmp_path)).stdout
    assert "install: npm install -g @openai/codex" in lines


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")
def test_the_own_dialog_withstands_keys_that_were_on_their_way(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("signoff")
    words = ("measure", "signoff", "--program", str(program), "--only", "dialog", "--json")
    ended = Command(tmp_path, *words).end(500)
    cells = ended.report["cells"]
    assert len(cells) == 6
    # A busy machine may draw a question too late for its probe: then there is no proof.
    assert {cell["did"] for cell in cells} <= {"asked", "unknown"}
    assert any(cell["did"] == "asked" for cell in cells)
    for cell in cells:
        facts = cell.get("facts", {})
        assert facts.get("each shows its call alone", True), cell
        assert facts.get("the question stays open", True), cell
        assert not facts.get("the call came"), cell
