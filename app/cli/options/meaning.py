"""The meaning of an option of a session outside of the command line, which is declared with it.

Derived from it are the command that repeats a session, the options that are kept with a recent
server, those that are refused for several servers, and the keys of flow files.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from .declared import opt


class Repeat(Enum):
    """How an option comes into a command that repeats a session, such as the copied one."""

    GIVEN = auto()
    """As it was given, or as the settings have it."""
    SOURCE = auto()
    """As where its value comes from: `NAME=@FILE`; never with the value itself."""
    TARGET = auto()
    """In the words for the server."""
    RULES = auto()
    """By the policy and the trust of the moment."""
    NEVER = auto()
    """It was for this run: a consent, or a file that another run would overwrite."""


class OptionScope(Enum):
    """For which servers a value is, if there are several."""

    SERVER = auto()
    """For one: it must not reach another, and is refused for several at once."""
    COMMAND = auto()
    """For those of the command line."""
    SESSION = auto()
    """For those, too, that are added later on a screen."""


class Fits(Enum):
    """Which servers an option is for."""

    ANY = auto()
    URL = auto()
    STARTED = auto()


class OptionMeaning(NamedTuple):
    """What an option of a session means outside of the command line."""

    repeat: Repeat
    scope: OptionScope
    is_kept: bool = False
    """Whether it belongs to the server, and is kept with it among the recent ones."""
    fits: Fits = Fits.ANY
    is_setting: bool = False
    """Whether the setting of its field's name counts if it is not given, also as a variable."""
    flow: str = ""
    """What it is in a flow file, with the name of its field as the key; empty: it is not there."""


def session_opt(
    words: str,
    help: str,
    repeat: Repeat,
    scope: OptionScope,
    *,
    kept: bool = False,
    fits: Fits = Fits.ANY,
    setting: bool = False,
    flow: str = "",
    **more: Any,
) -> Any:
    """Declare an option of a session. `repeat` and `scope` are needed; the others have the defaults
    of `OptionMeaning`.
    """
    means = OptionMeaning(repeat, scope, kept, fits, setting, flow)
    return opt(words, help, means=means, **more)


ALL_VALUES: Final = frozenset(("hosts", "policies"))
"""Names under which `LastAndAll` keeps all values of an option, beside its last one."""


class LastAndAll(argparse.Action):
    """Keeps the last value as `dest`, and all of them as `every`."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, *, every: str, **given: Any
    ) -> None:
        super().__init__(option_strings, dest, **given)
        self.every = every

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        setattr(namespace, self.every, (*vars(namespace).get(self.every, ()), values))


def time_limit(text: str) -> float:
    from ...approval.approval import read_time_limit

    try:
        return read_time_limit(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
