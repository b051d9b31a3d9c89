"""Values that a person wrote in a file, with their places, and the problems in them.

YAML, TOML and JSON give the same tree. All problems of a file are noted, each with its place.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

from ..frozen import frozen
from ..suggest import did_you_mean
from ..text import shortened

SHOWN: Final = 60
"""Characters of a written value in a message."""
_LARGE: Final = 1e30
"""Numbers from here on are not written out."""


@dataclass(frozen=True, slots=True, order=True)
class SourceLocation:
    """A place in a text; line and column count from 1, and are 0 if there is none."""

    line: int = 0
    column: int = 0


NOWHERE: Final = SourceLocation()


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in a file; `message` is safe to show."""

    spot: SourceLocation
    message: str

    @property
    def line(self) -> int:
        return self.spot.line

    def words(self, file: str) -> str:
        """The problem behind its place, as `a.flow.yaml line 3, column 5: ...`."""
        column = f", column {self.spot.column}" if self.spot.column else ""
        place = f" line {self.line}{column}" if self.line else ""
        return f"{file}{place}: {self.message}"


Written: TypeAlias = (
    "str | int | float | bool | datetime.date | datetime.time | list[Tree] | dict[str, Tree] | None"
)


@frozen
class Tree:
    """One value: a scalar, a list of trees, or trees by their keys."""

    value: Written
    spot: SourceLocation = NOWHERE
    keys: Mapping[str, SourceLocation] = field(default_factory=dict)
    """The place of each key."""

    @property
    def members(self) -> Mapping[str, Tree]:
        """The trees of a table by their keys; none of anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> Sequence[Tree]:
        """The trees of a list; none of anything else."""
        return self.value if isinstance(self.value, list) else ()

    def plain(self) -> Any:
        """The value without places."""
        match self.value:
            case list():
                return [one.plain() for one in self.value]
            case dict():
                return {name: one.plain() for name, one in self.value.items()}
            case scalar:
                return scalar


@frozen
class Notation:
    """Spelling of values in a language of files, for messages."""

    quotes: str
    """The opening and the closing one."""
    text: str
    """The name of a text."""
    mapping: str
    """The name of values under keys, with its article."""
    quotes_words: bool = False
    """Whether the words of a set are listed in quotes, and the names of unknown keys shown so."""
    text_hint: str = ""
    """Added to a problem about a scalar in place of a text."""
    flag_hint: str = ""
    list_hint: str = ""

    def quoted(self, text: str) -> str:
        return f"{self.quotes[0]}{shortened(text, SHOWN)}{self.quotes[1]}"

    def key(self, name: str) -> str:
        return self.quoted(name) if self.quotes_words else shortened(name, SHOWN)

    def one_of(self, words: Sequence[str]) -> str:
        """Words with `or` before the last one."""
        *most, last = [self._word(one) for one in words]
        return f"{', '.join(most)} or {last}" if most else last

    def shown(self, value: object) -> str:
        """A value in a few words, safe to show."""
        match value:
            case Tree():
                return self.shown(value.value)
            case None:
                return "nothing"
            case bool():
                return "true" if value else "false"
            case str():
                return self.quoted(value)
            case int() | float():
                is_small = abs(value) < _LARGE
                return shortened(str(value), SHOWN) if is_small else "a very large number"
            case list():
                return "a list"
            case dict():
                return self.mapping
        return "a date or time"

    def _word(self, word: str) -> str:
        return f"{self.quotes[0]}{word}{self.quotes[1]}" if self.quotes_words else word


YAML: Final = Notation(
    "“”",
    "a text",
    "a mapping",
    text_hint="; put it in quotes",
    flag_hint="; write true or false",
    list_hint="; begin each with -",
)
TOML: Final = Notation('""', "text in quotes", "a table", quotes_words=True)
JSON: Final = Notation("“”", "a text", "an object")


class Problems:
    """Collects the problems of a file, so that all of them are reported at once."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.found: list[Problem] = []

    def add(self, spot: SourceLocation, message: str) -> None:
        self.found.append(Problem(spot, message))

    def unfit(self, tree: Tree, name: str, words: str, hint: str = "") -> Any:
        """Note that a value is not what it has to be; returns WRONG."""
        self.add(tree.spot, f"{name}: expected {words}, got {self.notation.shown(tree)}{hint}")
        return WRONG

    def in_order(self) -> tuple[Problem, ...]:
        """Each problem once, in the order of the lines."""
        return tuple(sorted(set(self.found)))


class _Wrong:
    def __repr__(self) -> str:
        return "WRONG"


WRONG: Final[Any] = _Wrong()
"""The mark of a value that is not of its kind; the problem is noted."""


class Reader(Protocol):
    """Reads the value at a place."""

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        """The value, or WRONG with its problems noted; a list or table lacks wrong members."""


class TableReader:
    """Reads one table key by key, where keys depend on each other; at the end, unknown keys."""

    def __init__(self, tree: Tree, problems: Problems, heading: str = "") -> None:
        self.tree = tree
        self.problems = problems
        self._heading = heading
        self._asked: list[str] = []

    @property
    def spot(self) -> SourceLocation:
        return self.tree.spot

    def wrong(self, key: str, message: str) -> None:
        """Note a problem at a key, or at the table if it has no such key."""
        self.problems.add(self.tree.keys.get(key, self.spot), message)

    def take(self, key: str, *, required: bool = False) -> Tree | None:
        """The tree of a key, None if there is none."""
        self._asked.append(key)
        found = self.tree.members.get(key)
        if found is None and required:
            self.problems.add(self.spot, f"{key} is missing")
        return found

    def read(self, key: str, kind: Reader, default: Any = None, *, required: bool = False) -> Any:
        """The value of a key; the default if there is none, or a wrong one."""
        tree = self.take(key, required=required)
        value = WRONG if tree is None else kind.read(tree, key, self.problems)
        return default if value is WRONG else value

    def table(self, key: str) -> TableReader | None:
        tree = self.take(key)
        if tree is None:
            return None
        if isinstance(tree.value, dict):
            return TableReader(tree, self.problems, self._below(key))
        self.problems.unfit(tree, key, self.problems.notation.mapping)
        return None

    def tables(self, key: str) -> list[TableReader]:
        """The tables of `[[key]]`."""
        tree = self.take(key)
        if tree is None:
            return []
        listed = tree.value if isinstance(tree.value, list) else None
        if listed is None or not all(isinstance(one.value, dict) for one in listed):
            words = f"two brackets for each, as in [[{self._below(key)}]]"
            self.problems.unfit(tree, key, words)
            return []
        if not listed:
            self.wrong(key, f"{key} is an empty list")
        return [TableReader(one, self.problems, self._below(key)) for one in listed]

    def done(self) -> None:
        """Note the keys that were not read."""
        for key in self.tree.members:
            if key not in self._asked:
                shown = self.problems.notation.key(key)
                hint = did_you_mean(key, self._asked)
                self.wrong(key, f"{shown} is not a known key{hint}")

    def _below(self, key: str) -> str:
        return f"{self._heading}.{key}" if self._heading else key
