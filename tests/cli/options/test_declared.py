"""An option is declared where its value is: its field says what the parser takes and reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

import signoff.app
from signoff.app.cli.options.declared import (
    OptionGroup,
    add_options,
    declared,
    one_of,
    opt,
    options,
    read_values,
)
from signoff.app.cli.options.parser import Parser, seconds
from tests.cli.running import run

MORE = OptionGroup("more options", "limits")
SHOWN = OptionGroup("shown options")


@options
class Sample(NamedTuple):
    """Options of each form."""

    word: str = opt("WORD", "a word")
    rest: tuple[str, ...] = opt("A | B [C]", "other words", nargs="*")
    plain: int = 7
    is_long: bool = opt("-l --long", "a flag")
    file: str = opt("--file FILE", "a value")
    wait: float | None = opt("--wait S", "seconds", type=seconds)
    each: tuple[str, ...] = opt("--each NAME[=VALUE]", "several", choices=("a", "b"))
    shape: str = one_of(("json", "print JSON"), ("html", "print HTML"), default="lines")
    shared: str | None = opt("--shared X", "in a group", group=MORE)
    shown: bool = opt("--shown", "in a group of the short help", group=SHOWN)
    here: bool = opt("--here", "one", rivals="place")
    there: bool = opt("--there", "or the other", rivals="place")
    some: bool = opt("--some", "some have it", only=("calls",), instead={"calls": "for calls"})
    hosts: str = opt("--hosts H", "hosts", earlier="--columns")


def parser(*having: str) -> Parser:
    made = Parser(prog="signoff x", usage="signoff x")
    add_options(made, Sample, having)
    return made


def read(*words: str) -> Sample:
    return read_values(Sample, parser("calls").parse_args(words))


@pytest.mark.parametrize("words", [("--file", ""), ("--file=",), ("--hosts", "")])
def test_an_empty_value_is_not_no_option(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read("w", *words)
    assert ended.value.code == 2
    assert words[0].rstrip("=") in capsys.readouterr().err


def test_what_is_not_given_is_the_value_of_its_type() -> None:
    empty = Sample()
    assert empty == ("", (), 7, False, "", None, (), "lines", None, *[False] * 4, "")
    assert read("w")._replace(word="") == empty
    assert list(declared(Sample)) == [one for one in Sample._fields if one != "plain"]


def test_values_come_from_the_words() -> None:
    words = ["w", "x", "y", "-l", "--file", "f", "--wait", "2", "--each", "a", "--each=b", "--html"]
    found = read(*words, "--shared", "s", "--shown", "--there", "--some", "--hosts", "h")
    wanted = Sample("w", ("x", "y"), 7, True, "f", 2.0, ("a", "b"), "html", "s")
    more: dict[str, Any] = {"shown": True, "there": True, "some": True, "hosts": "h"}
    assert found == wanted._replace(**more)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["w", "--each", "c"],
        ["w", "--here", "--there"],
        ["w", "--json", "--html"],
        ["w", "--wait", "x"],
        ["w", "--file"],
        ["w", "--columns", "h"],
    ],
)
def test_other_words_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        read(*words)


def test_the_help_has_groups_placeholders_and_what_the_command_has() -> None:
    with_calls, without = parser("calls"), parser()
    assert "--some" not in without._option_string_actions
    assert "for calls" in with_calls.format_help()
    short, whole = without.format_help(), without.format_whole_help()
    assert "--shared X" not in short
    assert "Options for limits: signoff x --help all" in short
    assert "--shown" in short
    assert "--shared X" in whole
    assert "--each NAME[=VALUE]" in whole
    assert "A | B [C]" in whole
    assert "--columns" not in whole
    assert without.earlier == {"--columns": "--hosts"}


def test_some_options_are_added_in_another_order_with_other_words() -> None:
    made = Parser(prog="signoff y")
    names = ("shared", "file", "some")
    add_options(made, Sample, names=names, group=SHOWN, help={"file": "another file"})
    group = next(one for one in made._action_groups if one.title == SHOWN.title)
    assert [one.dest for one in group._group_actions] == list(names)
    assert "another file" in made.format_help()
    given = made.parse_args(["--file", "f", "--shared", "s"])
    assert read_values(Sample, given, ("file",)) == Sample(file="f")


def test_an_option_before_the_command_is_kept_only_where_that_is_declared() -> None:
    @options
    class Inner(NamedTuple):
        person: str = opt("--person WHO", inherited=True)
        file: str = opt("--file FILE")

    outer = Parser(prog="signoff")
    outer.add_argument("--person")
    outer.add_argument("--file")
    add_options(outer.add_subparsers().add_parser("x"), Inner)
    given = outer.parse_args(["--person", "p", "--file", "f", "x"])
    assert read_values(Inner, given) == Inner(person="p")


BY_HAND = {
    "cli/command_line.py": "the version",
    "cli/options/declared.py": "what is declared",
    "cli/options/parser.py": "the help",
    "cli/options/server.py": "the bundled server, a word of many commands",
    "features/measure/probes/probe_server.py": "a program of its own",
}


def test_every_option_is_declared_where_its_value_is() -> None:
    app = Path(signoff.app.__file__).parent
    found = {
        file.relative_to(app).as_posix()
        for file in app.rglob("*.py")
        if ".add_argument(" in file.read_text(encoding="utf-8")
    }
    assert found == set(BY_HAND)


@pytest.mark.parametrize(
    "words",
    [
        ("proxy", "--policy", "", "--", "x"),
        ("tools", "--as=", "demo"),
        ("decide", "--hosts", "", "demo"),
        ("decide", "--baseline", "a", "--fail-on", "", "demo"),
    ],
    ids=" ".join,
)
def test_an_empty_policy_host_or_kind_is_not_the_default(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(tmp_path, *words)
    assert (ended.status, "the value is empty" in ended.stderr) == (2, True)
