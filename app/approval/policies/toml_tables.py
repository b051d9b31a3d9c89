"""Tables of TOML files: values by kind, and every mistake with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...content.suggest import did_you_mean
from ...content.text import cut, shortened, visible

Place: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value, with the index of each table or item in an array."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*+")
_IN_LINE = re.compile(r"[ \t]*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*'""")
_TEXT = re.compile(
    r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*'"
)
_SCALAR = re.compile(r"[^,\]}#\r\n]++")


def lines_of(text: str) -> dict[Place, int]:
    """The line, from 1, on which each key, table and array item of a *valid* document begins.

    The document itself, `()`, begins on line 1. Raises ValueError for text in which it loses its
    way, which a valid document never is.
    """
    return _Scanner(text).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counted = 0
        self.line = 1
        self.lines: dict[Place, int] = {(): 1}
        self.tables: dict[Place, int] = {}
        """How many tables each array of tables has so far."""

    def document(self) -> dict[Place, int]:
        table: Place = ()
        while self._next():
            if self._starts("[["):
                table = self._heading("[[", "]]")
                count = self.tables.get(table, 0)
                self.tables[table] = count + 1
                table = (*table, count)
                self.lines[table] = self.line
                self.lines.setdefault(table[:-1], self.line)
            elif self._starts("["):
                table = self._heading("[", "]")
                self.lines.setdefault(table, self.line)
            else:
                self._pair(table)
        return self.lines

    def _heading(self, opening: str, closing: str) -> Place:
        """The place that a heading names: an array of tables on the way stands for its last."""
        self._skip(opening)
        keys = self._keys()
        self._skip(closing)
        place: Place = ()
        for index, key in enumerate(keys):
            place = (*place, key)
            if index < len(keys) - 1 and place in self.tables:
                place = (*place, self.tables[place] - 1)
        if opening == "[" and place in self.tables:
            place = (*place, self.tables[place] - 1)
        return place

    def _pair(self, table: Place) -> None:
        line = self._line()
        place = table
        for key in self._keys():
            place = (*place, key)
            self.lines.setdefault(place, line)
        self._skip("=")
        self._value(place)

    def _value(self, place: Place) -> None:
        self._blanks()
        if self._starts("["):
            self._items(place)
        elif self._starts("{"):
            self._skip("{")
            while self._next() and not self._starts("}"):
                self._pair(place)
                self._comma()
            self._skip("}")
        else:
            found = _TEXT.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
            self._token(found)

    def _items(self, place: Place) -> None:
        self._skip("[")
        index = 0
        while self._next() and not self._starts("]"):
            self.lines[(*place, index)] = self._line()
            self._value((*place, index))
            self._comma()
            index += 1
        self._skip("]")

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._blanks()
            written = self._token(_KEY.match(self.text, self.at))
            keys.append(_unquoted(written))
            self._blanks()
            if not self._starts("."):
                return keys
            self.at += 1

    def _comma(self) -> None:
        if self._next() and self._starts(","):
            self.at += 1

    def _next(self) -> bool:
        """Skip blanks, line ends and comments; False at the end."""
        found = _BLANK.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.at < len(self.text)

    def _blanks(self) -> None:
        found = _IN_LINE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def _starts(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _skip(self, sign: str) -> None:
        self._blanks()
        if not self._starts(sign):
            raise ValueError(f"no {sign} on line {self._line()}")
        self._line()
        self.at += len(sign)

    def _token(self, found: re.Match[str] | None) -> str:
        if found is None:
            raise ValueError(f"nothing to read on line {self._line()}")
        self.at = found.end()
        return found.group()

    def _line(self) -> int:
        """The line of where it stands; only forward, so that the whole is counted once."""
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line


def _unquoted(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    if written.startswith('"'):
        return next(iter(tomllib.loads(f"{written} = 0")))
    return written


_SHOWN = 60
_KINDS = {bool: "true or false", str: "text in quotes", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A mistake. `line` counts from 1 and is 0 if there is none; `message` is safe to show."""

    line: int
    message: str


@dataclass(slots=True)
class Table:
    """A table that is being read. Mistakes are added to `problems`, and a harmless value replaces a
    wrong one, so that the rest is read and all mistakes are found at once.
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
        """The line of a key; if that is not known, of the nearest thing around it."""
        place = (*self.place, *keys)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)

    def wrong(self, key: str, message: str, *below: str | int) -> None:
        self.problems.append(Problem(self.line_of(key, *below), message))

    def take(self, key: str, *, required: bool = False) -> object:
        """The value, or None if there is none."""
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
        """Report unknown keys: those that were not read."""
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


BOM = "\ufeff"
_TOO_DEEP = Problem(0, "it is nested too deeply")
_PARSER_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class TomlError(ValueError):
    """A text is not a usable TOML document; holds the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_toml(text: str, longest: int) -> tuple[dict[str, object], dict[Place, int]]:
    """The values, and the line of each. Raises TomlError; `longest` is in characters."""
    text = text.removeprefix(BOM)
    if len(text) > longest:
        words = f"it has {len(text):,} characters, and {longest:,} is the most"
        raise TomlError(Problem(0, words))
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TomlError(_TOO_DEEP) from None
    except ValueError as error:
        raise TomlError(_parser_problem(str(error), text)) from None
    try:
        lines = lines_of(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        lines = {(): 0}
    return values, lines


def _parser_problem(message: str, text: str) -> Problem:
    """Convert the parser's message, taking the line number out of its words."""
    found = _PARSER_PLACE.search(message)
    words = message[: found.start()] if found else message
    line = 0
    if found:
        line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    return Problem(line, f"it is not TOML: {visible(cut(words, 200).text)}")
