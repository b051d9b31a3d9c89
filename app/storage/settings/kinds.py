"""What a setting may hold: each kind reads a value of TOML, or the text of a variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...approval.approval import NO_LIMIT, OFF
from ...approval.policies.toml_tables import described, near, one_of
from ...content.text import visible

_MOST_SECONDS = 1e9
_LONGEST = 4096


class Kind(Protocol):
    """Reads what a person wrote. Raises ValueError with what is wanted instead, safe to show."""

    def read(self, value: object) -> object: ...


@dataclass(frozen=True, slots=True)
class Word:
    """One of a few words."""

    words: Sequence[str]
    shown: Sequence[str] = ()
    """Those that a message lists, where all would be too many."""
    others: str = ""
    """What the rest are, in a message."""

    def read(self, value: object) -> str:
        if isinstance(value, str) and value in self.words:
            return value
        listed = ", ".join(f'"{one}"' for one in self.shown) if self.shown else one_of(self.words)
        more = f" or {self.others}" if self.others else ""
        raise ValueError(f"is {listed}{more}, not {described(value)}{near(value, self.words)}")


@dataclass(frozen=True, slots=True)
class Seconds:
    """A number of seconds above 0; infinite where `off` is written and may be."""

    may_be_off: bool = False

    def read(self, value: object) -> float:
        if self.may_be_off and isinstance(value, str) and value.strip().casefold() == OFF:
            return NO_LIMIT
        number = _number(value)
        if number is not None and 0 < number < _MOST_SECONDS:
            return number
        off = f' or "{OFF}"' if self.may_be_off else ""
        raise ValueError(f"is a number of seconds above 0{off}, not {described(value)}")


@dataclass(frozen=True, slots=True)
class Percent:
    """A whole number of hundredths."""

    least: int
    most: int

    def read(self, value: object) -> int:
        number = _number(value)
        if number is not None and number == int(number) and self.least <= number <= self.most:
            return int(number)
        words = f"is a whole number from {self.least} to {self.most} (percent)"
        raise ValueError(f"{words}, not {described(value)}")


class Folder:
    """An absolute folder, or one below `~`; it need not exist."""

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"is the path of a folder in quotes, not {described(value)}")
        path = value.strip()
        if path.startswith(("/", "~")) and "\0" not in path and len(path) < _LONGEST:
            return path
        words = "is a path that begins with / or ~"
        raise ValueError(f"{words}, wherever Signoff is started from, not {described(value)}")


class PolicyName:
    """The name or the file of a policy. Whether there is one is not looked at."""

    def read(self, value: object) -> str:
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            raise ValueError(f"is the name of a policy or a file in quotes, not {described(value)}")
        name = value.strip()
        if name == "allow-all":
            raise ValueError(LOUD)
        return name


LOUD = (
    "lets what may destroy run unasked, which is nothing to keep: give it for one run, "
    "with --policy"
)


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
