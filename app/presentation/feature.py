"""Features as they declare themselves: their commands, screens and tables of the manual.

A feature is a folder of `features`; its `__init__.py` has `FEATURE`, imports only this module and
names everything else as `module:name`, which is imported at its first use.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

FEATURES: Final = (
    "tour",
    "resources",
    "skills",
    "cards",
    "matrix",
    "why",
    "decide",
    "changes",
    "doctor",
    "compat",
    "report",
    "evidence",
    "experimental",
    "consent",
    "agent",
    "measure",
    "proxy",
    "through",
    "lint",
    "servers",
    "sign_in",
    "policies",
    "audit",
    "wire",
    "flows",
    "manual",
    "settings",
)
"""The folders, in the order of their commands in `signoff --help`."""
_FOLDER: Final = f"{__name__.partition('.presentation')[0]}.features"


class CommandEntry(NamedTuple):
    """A command of `signoff --help`."""

    name: str
    words: str
    add: str
    """`module:function`, which adds the options to a parser and registers the work."""
    on_open: bool = False
    """Whether its work is an `OnOpen` or `AlsoOnOpen`, so that plain mode runs it on its server."""
    lists: str = ""
    """What plain mode numbers in its list, such as `resource`: words behind it leave fewer rows."""
    takes: str = ""
    """What its first word names, if that can be a number of such a list in plain mode."""


class ScreenEntry(NamedTuple):
    """Something that opens over the main screen by its name.

    Its keys are in `keys.txt` of the feature, below `[main: features]`.
    """

    name: str
    show: str
    """`module:function`: it gets a `ScreenContext`, and returns the screen with what updates it."""


class Feature(NamedTuple):
    """A feature as it declares itself."""

    commands: tuple[CommandEntry, ...] = ()
    screens: tuple[ScreenEntry, ...] = ()
    tables: tuple[str, ...] = ()
    """Tables of the manual with the rules that only this feature has: `module:function`, which
    returns Markdown."""
    hooks: tuple[tuple[str, str], ...] = ()
    """Parts for the frame, each by the frame's name for it, such as `record`: `module:name`."""


@cache
def features() -> Mapping[str, Feature]:
    """All features by name, in the order of their commands."""
    return {name: _one(name) for name in FEATURES}


def _one(name: str) -> Feature:
    found: Feature = importlib.import_module(f"{_FOLDER}.{name}").FEATURE
    return found


def feature_named(name: str) -> Feature | None:
    """The feature of a folder, without the others; None if there is none of that name."""
    return _one(name) if name in FEATURES else None


def load(feature: str, where: str) -> Any:
    """Import what a feature names by `module:name`."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f"{_FOLDER}.{feature}.{module}"), name)


def screens() -> Iterator[tuple[str, ScreenEntry]]:
    """All screens, each with the name of its feature."""
    for name, one in features().items():
        for screen in one.screens:
            yield name, screen


def has_hook(name: str) -> bool:
    """True if a feature has a part for the frame under this name; loads nothing."""
    return any(own == name for one in features().values() for own, _ in one.hooks)


def hook(name: str) -> Any:
    """The part that a feature has for the frame under this name; None if no feature has it."""
    for feature, one in features().items():
        for own, where in one.hooks:
            if own == name:
                return load(feature, where)
    return None
