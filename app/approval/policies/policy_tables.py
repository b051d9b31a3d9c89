"""One table of a policy file: takes values by kind, and notes every mistake with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...content.suggest import did_you_mean
from ...content.text import shortened
from .toml_lines import Place

_SHOWN = 60
_KINDS = {bool: "true or false", str: "text in quotes", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A mistake. `line` counts from 1 and is 0 where there is none; `message` is safe to show."""

    line: int
    message: str


@dataclass(slots=True)
class Table:
    """A table that is being read. What is wrong is added to `problems`, and a harmless value
    stands for it, so that the rest is read and all mistakes are found at once.
    """

    values: Mapping[str, object]
    place: Place
    lines: Mapping[Place, int]
    problems: list[Problem]
    _asked: list[str] = field(default_factory=list)

    @property
    def line(self) -> int:
        return self.line_of()

    def line_of(self, *keys: str | int) -> int:
        """The line of a key; where that is not known, of the nearest thing around it."""
        place = (*self.place, *keys)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)

    def wrong(self, key: str, message: str, *below: str | int) -> None:
        self.problems.append(Problem(self.line_of(key, *below), message))

    def take(self, key: str, *, required: bool = False) -> object:
        """The value, or None where there is none."""
        self._asked.append(key)
        if key in self.values:
            return self.values[key]
        if required:
            self.problems.append(Problem(self.line, f"{key} is missing"))
        return None

    def text(self, key: str, *, required: bool = False) -> str:
        value = self.take(key, required=required)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.wrong(key, f"{key} is text in quotes, not {described(value)}")
            return ""
        if not value.strip():
            self.wrong(key, f"{key} is empty")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.optional_flag(key)
        return default if value is None else value

    def optional_flag(self, key: str) -> bool | None:
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return value
        self.wrong(key, f"{key} is true or false, not {described(value)}")
        return None

    def choice(self, key: str, allowed: Sequence[str], *, default: str) -> str:
        """One of a few words."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, str) and value in allowed:
            return value
        words = f"{key} is {one_of(allowed)}, not {described(value)}{near(value, allowed)}"
        self.wrong(key, words)
        return default

    def choices(
        self, key: str, allowed: Sequence[str], *, may_be_empty: bool = False
    ) -> tuple[str, ...]:
        """Some of a few words: one, or a list."""
        found = []
        for word, below in self.words(key, may_be_empty=may_be_empty):
            if word in allowed:
                found.append(word)
            else:
                words = f"{key} is {one_of(allowed)}, not {described(word)}{near(word, allowed)}"
                self.wrong(key, words, *below)
        return tuple(dict.fromkeys(found))

    def words(
        self, key: str, *, may_be_empty: bool = False
    ) -> list[tuple[str, tuple[str | int, ...]]]:
        """Texts, one or a list, each with where below the key it stands."""
        value = self.take(key)
        if value is None:
            return []
        if isinstance(value, str):
            return [(value, ())]
        if not isinstance(value, list):
            self.wrong(key, f"{key} is text in quotes or a list of it, not {described(value)}")
            return []
        if not value and not may_be_empty:
            self.wrong(key, f"{key} is an empty list, which nothing fits")
        found: list[tuple[str, tuple[str | int, ...]]] = []
        for index, item in enumerate(value):
            if isinstance(item, str):
                found.append((item, (index,)))
            else:
                self.wrong(key, f"{key} lists texts in quotes, not {described(item)}", index)
        return found

    def table(self, key: str) -> Table | None:
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, dict):
            return Table(value, (*self.place, key), self.lines, self.problems)
        self.wrong(key, f"{key} is a table, not {described(value)}")
        return None

    def tables(self, key: str) -> list[Table]:
        """The tables of `[[key]]`."""
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            heading = ".".join([str(step) for step in self.place if isinstance(step, str)] + [key])
            words = f"is written with two brackets, as [[{heading}]], for each"
            self.wrong(key, f"{key} {words}, not {described(value)}")
            return []
        if not value:
            self.wrong(key, f"{key} is an empty list")
        return [
            Table(one, (*self.place, key, index), self.lines, self.problems)
            for index, one in enumerate(value)
        ]

    def done(self) -> None:
        """Whatever was not asked for is not known here."""
        for key in self.values:
            if key not in self._asked:
                words = f"{shown(key)} is not a key that is known here{near(key, self._asked)}"
                self.wrong(key, words)


def described(value: object) -> str:
    """A value in a few words, safe to show."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return shown(value)
        case int() | float():
            return shown(str(value), quotes=False) if abs(value) < 1e30 else "a very large number"
        case list():
            return "a list"
        case dict():
            return "a table"
    return "a date or time"


def shown(text: str, *, quotes: bool = True) -> str:
    words = shortened(text, _SHOWN)
    return f'"{words}"' if quotes else words


def one_of(words: Sequence[str]) -> str:
    """`"a"`, `"a" or "b"`, `"a", "b" or "c"`."""
    listed = [f'"{word}"' for word in words]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"


def near(value: object, allowed: Sequence[str]) -> str:
    """`; did you mean x?`, or nothing."""
    if not isinstance(value, str):
        return ""
    return did_you_mean(value, allowed)
