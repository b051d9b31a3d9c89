"""The settings that last: which there are, what each may be, and what it is for."""

from __future__ import annotations

from typing import Final, NamedTuple

from .kinds import Folder, Kind, Percent, PolicyName, Seconds, Word
from .values import AUTO, DARK, DEFAULTS, LIGHT

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
    about: str

    @property
    def default(self) -> object:
        return DEFAULTS[self.name]

    @property
    def variable(self) -> str:
        """The environment variable that overrides the file."""
        return "SIGNOFF_" + self.name.upper().replace(".", "_")


SETTINGS: Final = (
    Setting(
        "theme",
        Word((AUTO, DARK, LIGHT, *THEMES), (AUTO, DARK, LIGHT), 'a theme of Textual, as "nord"'),
        "auto (light where the terminal is light), dark, light, or a theme of Textual: nord, ...",
    ),
    Setting("grouping", Word(GROUPINGS), "how tools are grouped: effect, world, ..."),
    Setting(
        "decision_seconds",
        Seconds(may_be_off=True),
        'seconds until an open question is denied, or "off"',
    ),
    Setting("policy", PolicyName(), "who decides what is asked: a name or a file"),
    Setting(
        "graphics",
        Word(("auto", "on", "off", "kitty", "iterm2", "sixel")),
        "images in real pixels: auto, on, off, kitty, iterm2 or sixel",
    ),
    Setting("timeout", Seconds(), "seconds without a sign of a call"),
    Setting("max_time", Seconds(), "seconds of a call altogether"),
    Setting(
        "connect_timeout",
        Seconds(),
        "seconds until a command without a screen has to have the tools",
    ),
    Setting("files", Folder(), "where answers and pictures are saved, if nothing else is typed"),
    Setting("panes.tools", Percent(15, 70), "the list of tools, in percent of the width"),
    Setting("panes.answers", Percent(20, 80), "calls and answer, in percent of the height"),
)
BY_NAME: Final = {one.name: one for one in SETTINGS}
