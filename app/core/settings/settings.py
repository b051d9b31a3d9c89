"""The settings that last: which there are, and what they come to from all their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.core.policies.policy_tables import Problem
from app.core.settings.kinds import Folder, Kind, Percent, PolicyName, Seconds, Word

AUTO, DARK, LIGHT = "auto", "dark", "light"
THEMES: Final = (
    *("textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula"),
    *("tokyo-night", "monokai", "flexoki", "catppuccin-latte", "catppuccin-frappe"),
    *("catppuccin-macchiato", "solarized-light", "solarized-dark", "rose-pine"),
    *("rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light", "ansi-dark"),
    "ansi-light",
)
GROUPINGS: Final = ("effect", "world", "retry safety")


class Setting(NamedTuple):
    """One setting: `name` is its key in the file, with a dot where it is in a table."""

    name: str
    kind: Kind
    default: object
    about: str

    @property
    def variable(self) -> str:
        """The environment variable that overrides the file."""
        return "SIGNOFF_" + self.name.upper().replace(".", "_")

    @property
    def option(self) -> str:
        """The name of the command line's option; empty where there is none."""
        return "" if self.name in ("files", "grouping") or "." in self.name else self.name


SETTINGS: Final = (
    Setting(
        "theme",
        Word((AUTO, DARK, LIGHT, *THEMES), (AUTO, DARK, LIGHT), 'a theme of Textual, as "nord"'),
        AUTO,
        "auto (light where the terminal is light), dark, light, or a theme of Textual: nord, ...",
    ),
    Setting("grouping", Word(GROUPINGS), "effect", "how tools are grouped: effect, world, ..."),
    Setting(
        "decision_seconds",
        Seconds(may_be_off=True),
        120.0,
        'seconds until an open question is denied, or "off"',
    ),
    Setting("policy", PolicyName(), "cautious", "who decides what is asked: a name or a file"),
    Setting(
        "graphics",
        Word(("auto", "on", "off", "kitty", "iterm2", "sixel")),
        "auto",
        "images in real pixels: auto, on, off, kitty, iterm2 or sixel",
    ),
    Setting("timeout", Seconds(), 60.0, "seconds without a sign of a call"),
    Setting("max_time", Seconds(), 600.0, "seconds of a call altogether"),
    Setting(
        "connect_timeout",
        Seconds(),
        60.0,
        "seconds until a command without a screen has to have the tools",
    ),
    Setting(
        "files", Folder(), "", "where answers and pictures are saved, if nothing else is typed"
    ),
    Setting("panes.tools", Percent(15, 70), 42, "the list of tools, in percent of the width"),
    Setting("panes.answers", Percent(20, 80), 50, "calls and answer, in percent of the height"),
)
BY_NAME: Final = {one.name: one for one in SETTINGS}
DEFAULT, FILE = "default", "file"


class Found(NamedTuple):
    """A value and where it comes from: `default`, `file`, a variable or an option."""

    value: object
    source: str
    line: int = 0


class Mistake(NamedTuple):
    """What is wrong at a place: a line of the file, or a variable. Both texts are safe to show."""

    place: str
    problem: Problem

    @property
    def words(self) -> str:
        line = f" line {self.problem.line}" if self.problem.line else ""
        return f"{self.place}{line}: {self.problem.message}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts. A setting with a mistake has its default, except that `is_policy_sure` tells
    whether the person may have wanted a stricter policy than that.
    """

    found: Mapping[str, Found] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    """Action id -> keys with commas between, the person's first."""
    mistakes: tuple[Mistake, ...] = ()
    is_policy_sure: bool = True
    file: str = ""
    """The path of the file, safe to show."""

    def value(self, name: str) -> object:
        return self.of(name).value

    def of(self, name: str) -> Found:
        return self.found.get(name) or Found(BY_NAME[name].default, DEFAULT)

    def text(self, name: str) -> str:
        return str(self.value(name))

    @property
    def panes(self) -> tuple[int, int]:
        """Percent of the width for the list of tools, of the height for calls and answer."""
        return int(self.text("panes.tools")), int(self.text("panes.answers"))
