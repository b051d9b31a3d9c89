"""Agents that ask in their terminal, measured in a pseudo-terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, Ended, run
from tests.features.measure.apart import did
from tests.tiers import first_quick

pytest.importorskip("pyte")
HOST = ROOT / "tests" / "servers" / "measured_host.py"
AGENTS = ROOT / "tests" / "servers" / "agents"
SCREEN = ("measure", "--surface", "screen", "--json")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")


def measured(folder: Path, *command: str, only: str = "hints/none,answers/text") -> Ended:
    words = (*SCREEN, "--run-limit", "8", "--only", only)
    return run(folder, *words, "--", sys.executable, *command)


FORMS = (
    "choices --typed",
    "yes-no",
    "letters",
    "words --typed",
    "keys",
    "keys --typed",
    "keys-kept",
)


@pytest.mark.slow
@pytest.mark.parametrize("words", FORMS)
def test_each_form_of_a_question_is_answered(tmp_path: Path, words: str) -> None:
    ended = measured(tmp_path, str(HOST), "asks", "--terminal", *words.split())
    assert ended.status == 0, ended.stderr
    assert [*did(ended.report).values()] == ["asked", "ran"]
    cell = ended.report["cells"][0]
    assert cell["why"] == "denied, it did not come; approved, it came"
    assert (cell["shown"]["name"], cell["shown"]["argument"]) == (True, True)


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    first_quick(
        [
            ("lies", "ran"),
            ("ignores", "ran"),
            ("blank", "asked"),
            ("runs", "ran"),
            ("refuses", "refused"),
            ("hides", "hidden"),
            ("quits", "unknown"),
        ],
        several=True,
    ),
)
def test_agents_on_a_terminal_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, str(HOST), behaviour, "--terminal", "yes-no")
    assert [*did(ended.report).values()] == [wanted, "ran"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "first"),
    [("terminal.py", "asked"), ("terminal.py --choices", "asked"), ("careless.py", "ran")],
)
def test_the_agents_of_the_manual(tmp_path: Path, agent: str, first: str) -> None:
    only = "hints/none,hints/readOnly=true,hints/readOnly=true,destructive=true"
    program, *form = agent.split()
    ended = measured(tmp_path, str(AGENTS / program), *form, only=only)
    assert [*did(ended.report).values()] == [first, "ran", first]


@pytest.mark.slow
def test_a_question_in_no_known_form_needs_a_file(tmp_path: Path) -> None:
    odd = (sys.executable, str(HOST), "asks", "--terminal", "odd")
    words = (*SCREEN, "--only", "hints/none", "--run-limit", "3")
    (cell,) = run(tmp_path, *words, "--", *odd).report["cells"]
    assert cell["did"] == "unknown"
    assert "needs --keys FILE" in cell["why"]
    keys = tmp_path / "keys.toml"
    keys.write_text('question = "master\\\\?"\napprove = "aye\\r"\ndeny = "nay\\r"\n')
    ended = run(tmp_path, *words, "--keys", str(keys), "--", *odd)
    assert did(ended.report) == {"hints/none": "asked"}
