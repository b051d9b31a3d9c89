"""One word, one meaning: an option that two commands have takes the same value in both."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from signoff.app.cli.command_line import make_parser, read_options
from signoff.app.cli.options.declared import given_text
from signoff.app.cli.options.earlier import current_words
from signoff.app.cli.options.parser import Parser
from tests.cli.running import run

EXCEPTIONS = {
    ("audit show", "--server"): "a filter: the name in records, which is in no file of a host",
    ("audit verify", "--expect"): "the hash of a record, which names no algorithm",
    ("servers add", "--header"): "a file of servers keeps the name of a variable, and no value",
    ("servers add", "--transport"): "an entry of a file names its transport; nothing is tried",
}


def commands(parser: Parser, name: str = "") -> Iterator[tuple[str, Parser]]:
    """Every command and verb with its parser."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, inner in action.choices.items():
                yield from commands(inner, f"{name} {verb}".strip())


def form(action: argparse.Action) -> tuple[object, ...]:
    """All that decides what may be written behind the option."""
    choices = None if action.choices is None else tuple(map(str, action.choices))
    takes_several = isinstance(action, argparse._AppendAction)
    # A text that must not be empty is a text.
    read = None if action.type is given_text else getattr(action.type, "__qualname__", None)
    return action.metavar, action.nargs, read, choices, takes_several


def shared() -> list[tuple[str, str, str]]:
    """Each option with each two commands that have it."""
    having: dict[str, list[str]] = defaultdict(list)
    for name, parser in commands(make_parser()):
        for option in parser._option_string_actions:
            having[option].append(name)
    return [(option, *pair) for option, names in having.items() for pair in combinations(names, 2)]


FORMS = {
    (name, option): form(action)
    for name, parser in commands(make_parser())
    for option, action in parser._option_string_actions.items()
}


def test_an_option_takes_the_same_in_all_commands() -> None:
    pairs = shared()
    assert len({option for option, _, _ in pairs}) > 40
    different = [
        (option, one, other, FORMS[one, option], FORMS[other, option])
        for option, one, other in pairs
        if FORMS[one, option] != FORMS[other, option]
        and not {(one, option), (other, option)} & EXCEPTIONS.keys()
    ]
    assert different == []


@pytest.mark.parametrize("where", EXCEPTIONS, ids=" ".join)
def test_an_exception_is_one(where: tuple[str, str]) -> None:
    others = [found for (name, option), found in FORMS.items() if option == where[1] if name]
    assert others.count(FORMS[where]) < len(others)


OLD = [
    (tuple(name.split()), old, new)
    for name, parser in commands(make_parser())
    for old, new in parser.earlier.items()
]


def test_the_earlier_names_are_those_of_the_release_before() -> None:
    assert {(" ".join(command), old) for command, old, _ in OLD} == {
        ("matrix", "--columns"),
        ("compat", "--check"),
        ("lint", "--for"),
        ("consent", "--limit"),
        ("measure", "--limit"),
        *(("agent", old) for old in ("--host", "--answer", "--limit", "--mode")),
        ("probe-server", "--host"),
        ("audit verify", "--from"),
    }


@pytest.mark.parametrize(("command", "old", "new"), OLD)
def test_an_earlier_name_is_rewritten_with_a_note_and_in_no_help(
    command: tuple[str, ...], old: str, new: str
) -> None:
    names = dict(commands(make_parser()))
    parser = names[" ".join(command)]
    assert old not in parser._option_string_actions
    assert new in parser._option_string_actions
    words, notes = current_words([*command, old, "x", f"{old}=y", f"{old}x"], make_parser(command))
    assert words == [*command, new, "x", f"{new}=y", f"{old}x"]
    assert len(notes) == 1
    assert f"{old} of signoff {' '.join(command)} has another name: {new} " in notes[0]


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["matrix", "demo", "--columns", "codex"], ["matrix", "demo", "--hosts", "codex"]),
        (["consent", "--limit=2"], ["consent", "--call-limit=2"]),
        (["agent", "--host", "goose"], ["agent", "--agent", "goose"]),
        (["audit", "verify", "--from", "3"], ["audit", "verify", "--from-record", "3"]),
    ],
)
def test_an_earlier_name_still_works(
    words: list[str], same: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def values(given: list[str]) -> object:
        return getattr(read_options(given), "own", None)

    assert values(words) == values(same)
    assert capsys.readouterr().err.count("has another name") == 1


def test_hosts_are_given_several_times_too(tmp_path: Path) -> None:
    words = ("matrix", "demo", "--json", "--no-audit", "--no-memory")
    once = run(tmp_path, *words, "--hosts", "codex,cautious").report
    assert run(tmp_path, *words, "--hosts", "codex", "--hosts", "cautious").report == once
