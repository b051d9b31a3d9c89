"""Effective settings from all sources. Light: every start of the program imports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final, NamedTuple

from ...content.frozen import frozen

if TYPE_CHECKING:
    from ...content.files.tree import Problem

AUTO, DARK, LIGHT = "auto", "dark", "light"
DEFAULTS: Final[Mapping[str, object]] = {
    "theme": AUTO,
    "grouping": "effect",
    "decision_seconds": 120.0,
    "hosts": "",
    "policy": "cautious",
    "graphics": "auto",
    "timeout": 60.0,
    "max_time": 600.0,
    "connect_timeout": 60.0,
    "files": "",
    "experimental": "",
    "panes.tools": 42,
    "panes.answers": 50,
}
"""Every setting by its name in the file, with a dot if it is in a table."""
DEFAULT, FILE = "default", "file"


class SourcedValue(NamedTuple):
    """A value and its source: `default`, `file`, a variable or an option."""

    value: object
    source: str
    line: int = 0


class Mistake(NamedTuple):
    """An error at a place: a line of the file, or a variable. Both texts are safe to show."""

    place: str
    problem: Problem

    @property
    def words(self) -> str:
        return self.problem.words(self.place)


@frozen
class Settings:
    """Effective settings. A setting with a mistake has its default, except that `is_policy_sure` is
    False if the user may have wanted a stricter policy than that.
    """

    found: Mapping[str, SourcedValue] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    """Action id -> keys with commas between, the person's first."""
    mistakes: tuple[Mistake, ...] = ()
    is_policy_sure: bool = True
    file: str = ""
    """The path of the file, safe to show."""

    def value(self, name: str) -> object:
        return self.of(name).value

    def of(self, name: str) -> SourcedValue:
        return self.found.get(name) or SourcedValue(DEFAULTS[name], DEFAULT)

    def text(self, name: str) -> str:
        return str(self.value(name))

    def seconds(self, name: str) -> float:
        value = self.value(name)
        assert isinstance(value, float)
        return value
