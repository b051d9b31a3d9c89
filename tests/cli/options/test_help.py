"""The help of a command: its own options, one line on the others, and all of them if asked."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from signoff.app.cli.command_line import all_parsers
from signoff.app.cli.options.parser import Parser
from tests.cli.running import run

PARSERS = {name.removeprefix("signoff").strip(): parser for name, parser in all_parsers()}
MOST_LINES = 40


def visible(parser: Parser) -> set[str]:
    return {
        option
        for option, action in parser._option_string_actions.items()
        if action.help != argparse.SUPPRESS
    }


def shared(parser: Parser) -> set[str]:
    actions = [action for group in parser.shared for action in group._group_actions]
    return {option for action in actions for option in action.option_strings}


def named(text: str) -> set[str]:
    """The options that a help describes."""
    heads = [line.strip() for line in text.splitlines() if line.startswith("  -")]
    parts = [part for head in heads for part in head.split("  ")[0].split(", ")]
    return {part.split(" ")[0] for part in parts} - {"--"}


@pytest.mark.parametrize("command", [name for name in PARSERS if name])
def test_a_help_is_short_and_has_the_own_options_of_the_command(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = PARSERS[command]
    text = parser.format_help()
    assert len(text.splitlines()) <= MOST_LINES
    assert named(text) == visible(parser) - shared(parser)
    line = f": signoff {command} --help all"
    last = text.splitlines()[-1]
    assert (last.startswith("Options for ") and last.endswith(line)) is bool(shared(parser))


@pytest.mark.parametrize("command", PARSERS)
def test_the_whole_help_has_every_option(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = PARSERS[command]
    assert named(parser.format_whole_help()) == visible(parser)


def test_every_shared_option_has_a_group_that_the_line_names() -> None:
    parser = PARSERS["call"]
    last = parser.format_help().splitlines()[-1]
    assert last == "Options for the server, approval, limits and logs: signoff call --help all"
    assert set(parser.shared.values()) == {"the server", "approval", "limits", "logs"}
    for option in ("--url", "--server", "--policy", "--approve", "--timeout", "--audit"):
        assert option in shared(parser)


@pytest.mark.parametrize(
    "words",
    [("lint", "--help", "all"), ("lint", "--help-all"), ("help", "lint", "all")],
    ids=" ".join,
)
def test_each_way_to_the_whole_help(words: tuple[str, ...], tmp_path: Path) -> None:
    ended = run(tmp_path, *words)
    assert (ended.status, ended.stderr) == (0, "")
    assert "--connect-timeout S" in ended.stdout


@pytest.mark.parametrize(
    "words",
    [("lint", "--help"), ("lint", "-h"), ("help", "lint"), ("lint", "--help", "demo")],
    ids=" ".join,
)
def test_each_way_to_the_help(words: tuple[str, ...], tmp_path: Path) -> None:
    ended = run(tmp_path, *words)
    assert (ended.status, ended.stderr) == (0, "")
    assert "--connect-timeout S" not in ended.stdout
    assert ended.stdout.endswith("signoff lint --help all\n")


def test_the_help_of_the_program_keeps_its_end(tmp_path: Path) -> None:
    short, whole = run(tmp_path, "--help").stdout, run(tmp_path, "--help", "all").stdout
    assert "Options for the server, approval, limits and logs: signoff --help all" in short
    assert "--policy NAME|FILE" not in short
    assert "--policy NAME|FILE" in whole
    assert short[short.index("targets (one") :] == whole[whole.index("targets (one") :]


def test_completion_knows_the_options_that_the_short_help_leaves_out(tmp_path: Path) -> None:
    script = run(tmp_path, "completion", "bash").stdout
    [line] = [
        one for one in script.splitlines() if one.startswith("_shtab_signoff_lint_option_strings=")
    ]
    known = set(line.partition("(")[2].strip(")").replace("'", "").split())
    assert known == visible(PARSERS["lint"])
