"""The list of settings: name, kind and purpose of each.

A value is one of TOML, or the text of a variable or an option.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

from ...approval.approval import NO_LIMIT, OFF
from ...content.files.kinds import Word
from ...content.files.tree import TOML, WRONG, Problem, Problems, Reader, Tree
from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...hosts.folders import hosts_with
from ...protocol.extensions.register import EXTENSIONS
from .values import AUTO, DARK, DEFAULTS, LIGHT

_MOST_SECONDS = 1e9
_LONGEST = 4096


@frozen
class Seconds:
    """A number of seconds above 0; infinite where `off` is written and may be."""

    may_be_off: bool = False

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        value = tree.value
        if self.may_be_off and isinstance(value, str) and value.strip().casefold() == OFF:
            return NO_LIMIT
        number = _number(value)
        if number is not None and 0 < number < _MOST_SECONDS:
            return number
        off = f' or "{OFF}"' if self.may_be_off else ""
        return problems.unfit(tree, name, f"a number of seconds above 0{off}")


@frozen
class Percent:
    """A whole number of hundredths."""

    least: int
    most: int

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        number = _number(tree.value)
        if number is not None and number == int(number) and self.least <= number <= self.most:
            return int(number)
        words = f"a whole number from {self.least} to {self.most} (percent)"
        return problems.unfit(tree, name, words)


class Folder:
    """An absolute folder, or one below `~`; it need not exist."""

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if not isinstance(tree.value, str):
            return problems.unfit(tree, name, "the path of a folder in quotes")
        path = tree.value.strip()
        if path.startswith(("/", "~")) and "\0" not in path and len(path) < _LONGEST:
            return path
        words = "a path that begins with / or ~, wherever Signoff is started from"
        return problems.unfit(tree, name, words)


class PolicyName:
    """The name or the file of a policy. Whether there is one is not looked at."""

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        value = tree.value
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            return problems.unfit(tree, name, "the name of a policy or a file in quotes")
        if value.strip() == "allow-all":
            problems.add(tree.spot, f"{name} {LOUD}")
            return WRONG
        return value.strip()


class KnownNames:
    """Names with commas between, of things that exist; `one` and `several` are nouns for these.

    `listed` is advice for a name that is unknown and like no other.
    """

    def __init__(
        self, one: str, several: str, listed: str, known: Callable[[], Collection[str]]
    ) -> None:
        self.one, self.several, self.listed, self.known = one, several, listed, known

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if not isinstance(tree.value, str) or len(tree.value) > _LONGEST:
            words = f"the names of {self.several} in quotes, with commas between"
            return problems.unfit(tree, name, words)
        names = [one.strip() for one in tree.value.split(",") if one.strip()]
        known = self.known()
        unknown = next((one for one in names if one not in known), None)
        if unknown is not None:
            hint = did_you_mean(unknown, known) or f"; {self.listed}"
            words = f"{name}: no {self.one} has the name {TOML.quoted(unknown)}{hint}"
            problems.add(tree.spot, words)
            return WRONG
        return ",".join(dict.fromkeys(names))


LOUD = "must not run destructive calls without asking: use --policy for one run"


def written(value: object) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f'"{OFF}"' if math.isinf(value) else f"{value:g}"
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{visible(text)}"'


def _number(value: object) -> float | None:
    if isinstance(value, str):
        # A variable of the environment is always text; in the file the text reads as well.
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and abs(value) < _MOST_SECONDS else None


THEMES: Final = (
    *("textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula"),
    *("tokyo-night", "monokai", "flexoki", "catppuccin-latte", "catppuccin-frappe"),
    *("catppuccin-macchiato", "solarized-light", "solarized-dark", "rose-pine"),
    *("rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light", "ansi-dark"),
    "ansi-light",
)
GROUPINGS: Final = ("effect", "world", "retry safety")


class Setting(NamedTuple):
    """One setting: `name` is its key in the file, with a dot if it is in a table."""

    name: str
    kind: Reader
    about: str
    example: object = ""
    """A value for the file that is made for a person, where the default is empty."""

    @property
    def default(self) -> object:
        return DEFAULTS[self.name]

    @property
    def variable(self) -> str:
        """The environment variable that overrides the file."""
        return "SIGNOFF_" + self.name.upper().replace(".", "_")

    def of_text(self, text: str, name: str = "") -> tuple[Any, Problem | None]:
        """The value of a text, or WRONG with its problem; `name` is for the message."""
        problems = Problems(TOML)
        value = self.kind.read(Tree(text), name or self.name, problems)
        return value, next(iter(problems.found), None)


SETTINGS: Final = (
    Setting(
        "theme",
        Word(
            (AUTO, DARK, LIGHT, *THEMES), (AUTO, DARK, LIGHT), 'a theme of Textual such as "nord"'
        ),
        "auto (light if the terminal is light), dark, light, or a theme of Textual such as nord",
    ),
    Setting("grouping", Word(GROUPINGS), "how tools are grouped: effect, world, ..."),
    Setting(
        "decision_seconds",
        Seconds(may_be_off=True),
        'seconds until an open question is denied, or "off"',
    ),
    Setting(
        "hosts",
        KnownNames("host", "hosts", "signoff hosts lists them", lambda: hosts_with("rules.toml")),
        "hosts with a column in the list of tools (default: those of your machine first)",
        "vscode,codex",
    ),
    Setting("policy", PolicyName(), "policy: a name or a file"),
    Setting(
        "graphics",
        Word(("auto", "on", "off", "kitty", "iterm2", "sixel")),
        "images in real pixels: auto, on, off, kitty, iterm2 or sixel",
    ),
    Setting("timeout", Seconds(), "cancel a call after so many seconds without progress"),
    Setting("max_time", Seconds(), "total time limit of a call in seconds"),
    Setting(
        "connect_timeout",
        Seconds(),
        "seconds to wait for the list of tools without a screen",
    ),
    Setting("files", Folder(), "default folder for saved responses and images", "~/signoff"),
    Setting(
        "experimental",
        KnownNames("draft", "drafts", f"there are {', '.join(EXTENSIONS)}", lambda: EXTENSIONS),
        "drafts of extensions to MCP that are in use, with commas between",
        "tool-resolution",
    ),
    Setting("panes.tools", Percent(15, 70), "width of the list of tools, in percent"),
    Setting("panes.answers", Percent(20, 80), "height of calls and response, in percent"),
)
BY_NAME: Final = {one.name: one for one in SETTINGS}
