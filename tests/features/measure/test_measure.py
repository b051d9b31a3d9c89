"""`signoff measure` with hosts of our own: which one asks, and which one only seems to."""

from __future__ import annotations

import json
import shlex
import sys
import xml.etree.ElementTree as ElementTree
from html import escape
from pathlib import Path

import pytest

from tests.cli.running import ROOT, Command, Ended, run
from tests.features.measure.apart import did
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
    return run(folder, "measure", "--json", *surface, *only, *words, "--", *command)


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    first_quick(
        [
            ("asks", "asked"),
            ("refuses", "refused"),
            ("hides", "hidden"),
            ("quits", "unknown"),
            ("runs", "ran"),
            ("lies", "ran"),
            ("ignores", "ran"),
        ],
        2,
        several=True,
    ),
)
def test_hosts_in_a_pipe_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, behaviour)
    assert ended.status == 0, ended.stderr
    found = did(ended.report)
    assert found == {"hints/none": wanted, "hints/readOnly=true": "ran", "answers/text": "ran"}


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    first_quick([("asks", "asked"), ("lies", "ran"), ("ignores", "ran")], several=True),
)
def test_agents_of_the_protocol_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, behaviour, acp=True)
    assert ended.status == 0, ended.stderr
    assert did(ended.report)["hints/none"] == wanted
    shown = ended.report["cells"][0]["shown"]
    assert (shown["name"], shown["server"]) == (True, False)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    first_quick([("runs", ("--surface", "acp")), ("hangs", ())], several=True),
    ids=["no ACP", "a time limit"],
)
def test_what_ends_a_run_is_no_proof(
    tmp_path: Path, behaviour: str, words: tuple[str, ...]
) -> None:
    only = ("--only", "hints/none", "--run-limit", "3")
    ended = measured(tmp_path, behaviour, *only, *words)
    assert (did(ended.report), ended.status) == ({"hints/none": "unknown"}, 5)


@pytest.mark.parametrize(
    ("behaviour", "template", "wanted", "status"),
    first_quick(
        [
            ("renames-hash", "", "ran", 1),
            ("renames-blind", "wrong_{tool}", "unknown", 5),
            ("hides-digest", "", "unknown", 5),
            ("renames-blind", "", "unknown", 5),
            ("renames-digest", "", "ran", 1),
            ("renames-camel", "", "ran", 1),
            ("renames-digest", "mcp__{server}__{tool}_*", "ran", 1),
            ("runs", "wrong_{tool}", "ran", 1),
        ],
        several=True,
    ),
)
def test_an_agent_that_names_tools_otherwise_is_no_match(
    tmp_path: Path, behaviour: str, template: str, wanted: str, status: int
) -> None:
    words = ("--expect-policy", "cautious", "--trust")
    named = ("--tool-name", template) if template else ()
    ended = measured(tmp_path, behaviour, *words, *named)
    assert did(ended.report)["hints/none"] == wanted
    assert ended.status == status, ended.stderr
    if behaviour == "renames-blind" and template:
        assert "no tool of the probe server was found" in ended.report["cells"][0]["why"]


@pytest.mark.slow
def test_a_host_that_asks_its_model_before_it_lists_the_tools_hides_none(tmp_path: Path) -> None:
    report = measured(tmp_path, "runs-late", "--tool-name", "{tool}").report
    assert set(did(report).values()) == {"ran"}
    assert not any(one["was_offered"] for one in report["cells"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "acp", "wanted", "questions", "shows"),
    first_quick(
        [
            ("asks", True, "asked", 2, True),
            ("swaps", False, "ran", 2, True),
            ("asks", False, "asked", 2, True),
            ("swaps", True, "ran", 2, True),
            *(("blank", acp, "asked", 2, False) for acp in (True, False)),
            *(("one-question", acp, "ran", 1, None) for acp in (True, False)),
            *(("one-for-all", acp, "asked", 1, None) for acp in (True, False)),
        ],
        several=True,
    ),
)
def test_two_questions_of_a_turn_belong_to_their_calls_and_one_has_to_show_both(
    tmp_path: Path, behaviour: str, acp: bool, wanted: str, questions: int, shows: bool | None
) -> None:
    ended = measured(tmp_path, behaviour, "--only", "dialog/two-at-once", acp=acp)
    assert ended.status == 0, ended.stderr
    (cell,) = ended.report["cells"]
    assert (cell["did"], cell["facts"]["questions"]) == (wanted, questions), cell
    if shows is not None:
        assert cell["facts"]["calls that came"] == 1
        assert cell["facts"]["each shows its call alone"] is shows


@pytest.mark.slow
@pytest.mark.parametrize(("behaviour", "renamed"), [("keeps", "asked"), ("keeps-tool", "ran")])
def test_what_always_covers(tmp_path: Path, behaviour: str, renamed: str) -> None:
    found = did(measured(tmp_path, behaviour, "--only", "remembered", acp=True).report)
    ran = {f"remembered/{name}" for name in ("same", "other-arguments", "new-session")}
    assert ran <= {name for name, one in found.items() if one == "ran"}
    asked = {f"remembered/{name}" for name in ("first", "other-tool")}
    assert asked <= {name for name, one in found.items() if one == "asked"}
    assert found["remembered/renamed-server"] == renamed


def test_one_probe_of_the_family_is_tried_after_an_always(tmp_path: Path) -> None:
    only = ("--only", "remembered/same,remembered/other-tool")
    found = did(measured(tmp_path, "keeps", *only, acp=True).report)
    assert found == {"remembered/same": "ran", "remembered/other-tool": "asked"}


def test_a_report_has_what_others_need(tmp_path: Path) -> None:
    junit, page = tmp_path / "junit.xml", tmp_path / "page.html"
    report = measured(tmp_path, "asks", "--junit", str(junit), "--html", str(page)).report
    assert (report["surface"], report["declared"]["clientInfo"]["name"]) == ("headless", "t")
    first = report["cells"][0]
    assert (first["hints"], first["when_denied"]) == ({}, "not approved")
    assert "written: word-01" in first["model_got"]
    assert "SIGNOFF_CANARY_TOKEN" in report["variables"]
    assert len(ElementTree.parse(junit).getroot().findall(".//testcase")) == 3
    assert "hints/none" in page.read_text()
    assert f"<p>{escape(report['conclusion'])}</p>" in page.read_text()


def test_an_id_with_commas_is_one_probe_and_lines_end_with_a_summary(tmp_path: Path) -> None:
    only = "hints/readOnly=true,destructive=true,answers/text,hints/readOnly=false,destructive=*"
    found = did(measured(tmp_path, "runs", "--only", only).report)
    assert list(found)[:2] == ["hints/readOnly=true,destructive=true", "answers/text"]
    assert len(found) > 3
    host = (sys.executable, str(HOST), "refuses")
    shown = run(tmp_path, "measure", "--only", PROBES, "--", *host).stdout
    assert "  refused   no hints" in shown
    assert "2 ran, 1 refused in 1 start" in shown


@pytest.mark.parametrize(
    ("behaviour", "status"), first_quick([("asks", 0), ("runs", 1), ("quits", 5)], several=True)
)
def test_a_policy_is_the_expectation(tmp_path: Path, behaviour: str, status: int) -> None:
    policy, junit = tmp_path / "careful.toml", tmp_path / "junit.xml"
    policy.write_text(CAREFUL)
    words = ("--only", PROBES, "--expect-policy", str(policy), "--junit", str(junit))
    ended = run(tmp_path, "measure", *words, "--", sys.executable, str(HOST), behaviour)
    assert ended.status == status, ended.stdout + ended.stderr
    suite = ElementTree.parse(junit).getroot()
    assert len(suite.findall(".//failure")) == (1 if behaviour == "runs" else 0)
    begins = {
        "asks": "",
        "runs": "The policy careful does not hold: 1 of 2 decisions as expected, 1 broken. Asked",
        "quits": "The policy careful is not proved: 1 of 2 decisions as expected, 1 without proof.",
    }
    assert ended.stdout.startswith(begins[behaviour])
    if behaviour == "runs":
        assert "BROKEN  hints/none: it ran (the call came to the server" in ended.stdout
        assert "the policy careful expects asked" in ended.stdout
    if behaviour == "quits":
        assert suite.get("errors") == "1"


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "status"), [("careless", 1), ("careful", 0)])
def test_the_agents_of_the_manual_fail_and_pass(tmp_path: Path, agent: str, status: int) -> None:
    program = ROOT / "tests" / "servers" / "agents" / f"{agent}.py"
    words = ("--only", "hints", "--expect-policy", "cautious", "--trust")
    ended = run(tmp_path, "measure", *words, "--", sys.executable, str(program))
    assert ended.status == status, ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_measurement_is_saved_and_compared(tmp_path: Path) -> None:
    old, new, junit = (tmp_path / name for name in ("old.json", "new.json", "junit.xml"))
    old.write_text(measured(tmp_path, "asks").stdout)
    assert measured(tmp_path, "asks").stdout == old.read_text()
    new.write_text(measured(tmp_path, "runs").stdout)
    ended = run(tmp_path, "measure", "--compare", str(old), str(new))
    assert (ended.status, "  hints/none: asked -> ran" in ended.stdout) == (1, True)
    assert run(tmp_path, "measure", "--compare", str(old), str(old)).status == 0
    changed = run(tmp_path, "measure", "--compare", str(old), str(new), "--json").report
    assert [one["probe"] for one in changed["comparisons"][0]["changes"]] == ["hints/none"]
    words = ("--compare", str(old), "--junit", str(junit), "--only", "hints/none")
    ended = run(tmp_path, "measure", *words, "--", sys.executable, str(HOST), "runs")
    assert (ended.status, "  hints/none: asked -> ran" in ended.stdout) == (1, True)
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


@pytest.mark.slow
def test_a_saved_agent_has_its_name(tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "data")}
    command = (sys.executable, str(HOST), "runs")
    words = ("measure", "--only", "hints/none", "--save", "--name", "mine", "--", *command)
    assert run(tmp_path, *words, **home).status == 0
    lines = run(tmp_path, "hosts", "mine", **home).stdout
    assert "measured headless" in lines


@pytest.mark.slow
def test_an_oddity_is_tried_in_a_start_of_its_own(tmp_path: Path) -> None:
    report = measured(tmp_path, "runs", "--only", "reading/null-title,reading/null-hint").report
    assert report["starts"] == 2
    facts = {"ordinary tools left": 2, "of": 2, "the tool itself left": True}
    assert report["cells"][0]["facts"] == facts


OWN = "is for an agent of your own"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "give a host"),
        ("codex -- x", "give a host"),
        ("nothing", "unknown host nothing"),
        ("codex:nothing", "codex has no mode nothing"),
        ("codex:exec --mode auto", "give the mode once"),
        ("codex --surface acp", "codex:exec has no surface acp"),
        ("codex --program /no/such", "program /no/such not found"),
        ("codex --program ./codex", "prints no version"),
        (f"google-adk --program {shlex.quote(sys.executable)}", "Google ADK is not installed in"),
        ("-- /no/such", "/no/such: program not found"),
        ("python agent.py", "put -- before its command"),
        ("--name a codex", f"--name {OWN}"),
        ("--tool-name {tool} codex", f"--tool-name {OWN}"),
        ("--tool-name x -- y", "--tool-name needs {tool} in it"),
        ("--trust -- x", "--trust goes with --expect-policy"),
        ("--expect-policy cautious --only answers -- x", "--only has none of them"),
        (f"-- '{sys.executable} agent.py'", "without quotes around it"),
        ("--only hints/readonly -- x", "--only: no probe matches"),
        ("--compare a b.json", "it cannot be read"),
        ("--keys x -- y", "--keys goes with --surface screen"),
        ("--keys x codex", f"--keys {OWN}"),
        (f"--surface screen --keys none -- {shlex.quote(sys.executable)}", "none cannot be read"),
        ("--patience 5 -- x", "--patience goes with --only patience"),
    ],
)
def test_wrong_usage_is_named(tmp_path: Path, words: str, said: str) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    ended = run(tmp_path, "measure", *shlex.split(words))
    assert (ended.status, said in ended.stderr) == (2, True), ended.stderr


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
    cells = Command(tmp_path, *words).end(500).report["cells"]
    assert len(cells) == 6
    # A busy machine may draw a question too late for its probe: then there is no proof.
    assert {cell["did"] for cell in cells} <= {"asked", "unknown"}
    assert any(cell["did"] == "asked" for cell in cells)
    for cell in cells:
        facts = cell.get("facts", {})
        assert facts.get("each shows its call alone", True), cell
        assert facts.get("the question stays open", True), cell
        assert not facts.get("the call came"), cell
