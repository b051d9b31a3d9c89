"""An option of Signoff behind `--` would go to the program there: a check would be left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.app.cli.command_line import command_of, make_parser, read_options, split_words
from signoff.app.cli.options.parser import DECIDING
from tests.cli.running import run

AGENT = ("python", "a.py")


def complaint(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The error of a command line; empty if it is taken."""
    before, behind = split_words(words.split())
    try:
        read_options(before, behind)
    except SystemExit:
        return capsys.readouterr().err
    return ""


@pytest.mark.parametrize(
    ("words", "option", "mended"),
    [
        (
            "measure -- python a.py --expect-policy cautious",
            "--expect-policy",
            "signoff measure --expect-policy cautious -- python a.py;",
        ),
        (
            "measure -- python a.py --expect=cautious",
            "--expect-policy",
            "signoff measure --expect=cautious -- python a.py;",
        ),
        ("measure -- python a.py --trust", "--trust", "signoff measure --trust -- python a.py;"),
        ("lint -- ./server --strict", "--strict", "signoff lint --strict -- ./server;"),
        ("decide -- ./s --fail-on", "--fail-on", "signoff decide --fail-on -- ./s;"),
        ("lint -- ./s --for chatgpt", "--review", "signoff lint --for chatgpt -- ./s;"),
        ("compat -- ./s --check", "--run-clients", "signoff compat --check -- ./s;"),
        ("diff -- ./s --pin a.json x", "--pin", "signoff diff --pin a.json -- ./s x;"),
        ("through -- ./a ::: ./b --strict", "--strict", "signoff through --strict -- ./a ::: ./b;"),
        (
            "matrix -- ./s --expect-decisions d",
            "--expect-decisions",
            "signoff matrix --expect-decisions d -- ./s;",
        ),
    ],
)
def test_a_lost_option_is_named_with_both_ways(
    words: str, option: str, mended: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = complaint(words, capsys)
    assert f"error: {option} is behind --, so it would go to the program there" in told
    assert f"write {mended}" in told
    passed = words.replace("--", "-- --", 1)
    assert f"if the program is to get it, signoff {passed}\n" in told
    assert complaint(passed, capsys) == ""


@pytest.mark.parametrize(
    "words",
    [
        "-- npx server --verbose --strict",
        "tools -- npx server --json --policy x",
        "lint -- npx server --json --name x - --",
        "call delete -- ./server --approve --trust",
        "measure -- gemini --approval-mode yolo -p x",
        "lint -- ./server --strictly",
    ],
)
def test_options_that_only_have_the_same_name_pass(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint(words, capsys) == ""


def test_every_deciding_option_is_one_of_a_command() -> None:
    known = {
        option
        for command in make_parser().commands.values()
        for option in command._option_string_actions
    }
    assert known >= DECIDING


def test_a_second_pair_of_dashes_is_no_part_of_the_command() -> None:
    assert command_of(("--", *AGENT, "--strict")) == (*AGENT, "--strict")
    assert command_of((*AGENT, "--", "x")) == (*AGENT, "--", "x")


def test_a_measurement_without_its_comparison_is_not_made(tmp_path: Path) -> None:
    ended = run(tmp_path, "measure", "--", *AGENT, "--expect-policy", "cautious")
    assert ended.status == 2
    assert "signoff measure: error: --expect-policy is behind --" in ended.stderr
