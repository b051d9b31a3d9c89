"""Agents that ask in their terminal, measured in a pseudo-terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, Ended, run
from tests.tiers import first_quick

pytest.importorskip("pyte")
HOST = ROOT / "tests" / "servers" / "measured_host.py"
AGENTS = ROOT / "tests" / "servers" / "agents"
SCREEN = ("measure", "--surface", "screen", "--json")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")


def measured(folder: Path, *command: str, only: str = "hints/none,answers/text") -> Ended:
    words = (*SCREEN, "--run-limit", "8", "--only", only)
    return run(folder, *words, "--", sys.executable, *command)


def did(report: dict[str, Any]) -> list[str]:
    return [cell["did"] for cell in report["cells"]]


@pytest.mark.parametrize(
    "words",
    first_quick(
        [
            ("choices", "--typed"),
            ("yes-no",),
            ("letters",),
            ("words", "--typed"),
            ("keys",),
            ("keys", "--typed"),
            ("keys-kept",),
        ],
        0,
    ),
)
def test_each_form_of_a_question_is_answered(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = measured(tmp_path, str(HOST), "asks", "--terminal", *words)
    assert ended.status == 0, ended.stderr
    assert did(ended.report) == ["asked", "ran"]
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
        1,
        several=True,
    ),
)
def test_agents_on_a_terminal_are_told_apart(tmp_path: Path, behaviour: str, wanted: str) -> None:
    ended = measured(tmp_path, str(HOST), behaviour, "--terminal", "yes-no")
    assert did(ended.report) == [wanted, "ran"]


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--choices",)])
def test_the_agent_of_the_manual_asks(tmp_path: Path, form: tuple[str, ...]) -> None:
    only = "hints/none,hints/readOnly=true,hints/readOnly=true,destructive=true"
    ended = measured(tmp_path, str(AGENTS / "terminal.py"), *form, only=only)
    assert did(ended.report) == ["asked", "ran", "asked"]


@pytest.mark.slow
def test_an_agent_that_never_asks_is_ended(tmp_path: Path) -> None:
    ended = measured(tmp_path, str(AGENTS / "careless.py"))
    assert did(ended.report) == ["ran", "ran"]


@pytest.mark.slow
def test_a_question_in_no_known_form_needs_a_file(tmp_path: Path) -> None:
    odd = (sys.executable, str(HOST), "asks", "--terminal", "odd")
    words = (*SCREEN, "--only", "hints/none", "--run-limit", "3")
    ended = run(tmp_path, *words, "--", *odd)
    assert did(ended.report) == ["unknown"]
    assert "needs --keys FILE" in ended.report["cells"][0]["why"]
    keys = tmp_path / "keys.toml"
    keys.write_text('question = "master\\\\?"\napprove = "aye\\r"\ndeny = "nay\\r"\n')
    ended = run(tmp_path, *words, "--keys", str(keys), "--", *odd)
    assert did(ended.report) == ["asked"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--keys", "x", "--", "y"), "--keys goes with --surface screen"),
        (("--keys", "x", "codex"), "--keys is for an agent of your own"),
        (("--surface", "screen", "--keys", "none", "--", sys.executable), "none cannot be read"),
    ],
)
def test_wrong_usage_is_named(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    ended = run(tmp_path, "measure", *words)
    assert ended.status == 2
    assert said in ended.stderr
