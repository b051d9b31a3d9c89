"""The commands of the frame and of the features, in the order of `signoff --help`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, cast

from ..presentation.feature import FEATURES, CommandEntry, feature_named, features, load
from .options.parser import DEMO, Parser

_FRAME: Final = (
    CommandEntry(DEMO, "open the bundled server", "commands.screen:add_demo"),
    CommandEntry(
        "tools",
        "list the tools with their hints, and the policy's decision on each",
        "commands.tools:add",
        on_open=True,
        lists="tool",
    ),
    CommandEntry("call", "call one tool", "commands.call:add", on_open=True),
    CommandEntry("config", "show, check and edit the settings", "commands.config:add"),
    CommandEntry(
        "completion", "print a script that completes words in a shell", "commands.completion:add"
    ),
)
"""The commands of the frame."""
_BEFORE_CALLS: Final = FEATURES[0]
"""The feature whose commands come before those of a call: the tour, for whom is new."""


def all_commands() -> Iterator[tuple[str, CommandEntry]]:
    """Every command with its feature, "" for the frame, in the order of the help."""
    demo, tools, call, *others = (("", one) for one in _FRAME)
    found = [(name, one) for name, feature in features().items() for one in feature.commands]
    first = sum(name == _BEFORE_CALLS for name, _ in found)
    yield from (demo, *found[:first], tools, call, *found[first:], *others)


def wanted(words: Collection[str]) -> tuple[str, CommandEntry] | None:
    """The command that the first word names, if it is the frame's or has the name of its folder:
    then no other feature is imported.
    """
    first = next(iter(words), "")
    folder = first.replace("-", "_")
    feature = feature_named(folder)
    for name, some in (("", _FRAME), (folder, feature.commands if feature else ())):
        for one in some:
            if one.name == first:
                return name, one
    return None


def add_of(feature: str, entry: CommandEntry) -> Callable[[Parser], None]:
    """The function that adds the options of a command to a parser."""
    if feature:
        return cast("Callable[[Parser], None]", load(feature, entry.add))
    where, _, name = entry.add.partition(":")
    module: Any = importlib.import_module(f".{where}", __package__)
    return cast("Callable[[Parser], None]", getattr(module, name))
