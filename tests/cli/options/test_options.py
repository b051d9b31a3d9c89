"""The words of the command line become typed values, and none of them is lost on the way."""

from __future__ import annotations

import argparse
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pytest

from signoff.app.cli.command import OnServer, WithoutServer
from signoff.app.cli.command_line import make_parser, read_options
from signoff.app.cli.commands.screen import OpenScreen
from signoff.app.cli.options.parser import Parser
from signoff.app.features.tour.command import Tour
from tests.tiers import first_quick

if TYPE_CHECKING:
    from signoff.app.cli.command import Command

WITHOUT_VALUES = ("help", "version")


def ends(parser: Parser, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Parser]]:
    """Every command by its words, and what parses the rest of it."""
    inner = [one.choices for one in parser._actions if isinstance(one.choices, dict)]
    # The demo opens its server without a verb, too.
    if not inner or not path or path == ("demo",):
        yield path, parser
    for choices in inner:
        for name, below in choices.items():
            yield from ends(below, (*path, name))


def sample(action: argparse.Action) -> str:
    """A value that an option takes and that is not its default."""
    if action.choices:
        return next(str(one) for one in list(action.choices)[::-1] if one != action.default)
    return {"theme": "dark", "assign": "x=1", "dashed_tool": "8"}.get(action.dest, "7")


def words_of(action: argparse.Action) -> list[str]:
    name = action.option_strings[-1]
    return [name] if action.nargs == 0 else [name, sample(action)]


COMMANDS = dict(ends(make_parser()))


def read(path: tuple[str, ...], *words: str) -> Command:
    needed = [
        sample(one)
        for one in (COMMANDS[path]._actions if path else ())
        if not one.option_strings and one.dest not in ("bundled", "mode", "verb", "words")
    ]
    if {"--tool", "--on"}.intersection(words):
        needed = []
    found = read_options([*path, *needed, *words])
    if isinstance(found, OpenScreen):
        return OpenScreen(found.session, found.screen)
    return found._replace(useless=()) if isinstance(found, Tour) else found


def assert_of_types(value: Any) -> None:
    """Every field of a named tuple holds what its annotation says, those within it, too."""
    if isinstance(value, OnServer | WithoutServer):
        # What does the work has no values.
        assert callable(value.work)
        if isinstance(value, OnServer):
            assert_of_types(value.session)
            assert_of_types(value.output)
        value = value.own
    if isinstance(value, str):
        return
    hints = {
        name: kind
        for name, kind in get_type_hints(type(value)).items()
        if kind is not Any and name != "read"
    }
    for name, kind in hints.items():
        one = getattr(value, name)
        if hasattr(one, "_fields"):
            assert_of_types(one)
        elif isinstance(kind, types.GenericAlias):
            assert isinstance(one, tuple), name
            assert all(isinstance(each, get_args(kind)[0]) for each in one), name
        else:
            assert isinstance(one, kind), (name, one, kind)


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 40
    assert ("policy", "explain") in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_without_options_has_values_of_its_types(path: tuple[str, ...]) -> None:
    assert_of_types(read(path))


@pytest.mark.parametrize("path", first_quick(COMMANDS, 6), ids=" ".join)
def test_no_option_is_lost(path: tuple[str, ...]) -> None:
    without = read(path)
    for action in COMMANDS[path]._actions:
        if action.option_strings and action.dest not in WITHOUT_VALUES:
            found = read(path, *words_of(action))
            assert_of_types(found)
            assert found != without, action.option_strings


@pytest.mark.parametrize(
    ("path", "is_shown"), [(("tools",), True), (("lint",), True), (("call",), False)]
)
def test_options_for_several_servers_are_in_the_help_of_commands_that_take_them(
    path: tuple[str, ...], is_shown: bool
) -> None:
    words = " ".join(COMMANDS[path].format_whole_help().split())
    assert ("--all " in words) is is_shown
    assert ("several servers at once" in words) is is_shown


@pytest.mark.parametrize(
    ("path", "is_shown"), [(("tools",), True), (("demo",), False), (("tour",), False)]
)
def test_help_offers_another_server_only_where_it_can_be_given(
    path: tuple[str, ...], is_shown: bool
) -> None:
    words = COMMANDS[path].format_whole_help()
    for option in ("--url", "--server", "--config", "--from", "--start", "--value", "--header"):
        assert (f"  {option} " in words) is is_shown, option
