"""TOML as a tree whose every value knows its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, TypeAlias

from ..frozen import frozen
from ..text import cut, visible
from .tree import NOWHERE, Problem, SourceLocation, Tree

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
    return _TomlScanner(text).document()


@frozen
class TomlSpan:
    """Offsets of a key and its value; of an item of an array, `key` is where the value begins."""

    key: int
    """The first part of a key with dots."""
    last: int
    """The last part of it."""
    start: int
    end: int


def spans_of(text: str) -> dict[Place, TomlSpan]:
    """The offsets of each value of a *valid* document that is behind a key or in an array.

    Raises ValueError as `lines_of` does.
    """
    scanner = _TomlScanner(text)
    scanner.document()
    return scanner.spans


class _TomlScanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counted = 0
        self.line = 1
        self.lines: dict[Place, int] = {(): 1}
        self.spans: dict[Place, TomlSpan] = {}
        self.last_key = 0
        """The offset of the part of a key that was read last."""
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
        """The place that a heading names: on the way, an array of tables means its last table."""
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
        line, key_at = self._line(), self.at
        place = table
        for key in self._keys():
            place = (*place, key)
            self.lines.setdefault(place, line)
        last = self.last_key
        self._skip("=")
        self._value(place, key_at, last)

    def _value(self, place: Place, key: int, last: int) -> None:
        self._blanks()
        start = self.at
        self._read_value(place)
        self.spans[place] = TomlSpan(key, last, start, self.at)

    def _read_value(self, place: Place) -> None:
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
            self._value((*place, index), self.at, self.at)
            self._comma()
            index += 1
        self._skip("]")

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._blanks()
            self.last_key = self.at
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
        """The line at the current offset; only forward, so that the whole is counted once."""
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line


def _unquoted(written: str) -> str:
    if written.startswith("'"):
        return written[1:-1]
    if written.startswith('"'):
        return next(iter(tomllib.loads(f"{written} = 0")))
    return written


BOM = "\ufeff"
_PARSER_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class TomlError(ValueError):
    """A text is not a usable TOML document; holds the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_toml(text: str, longest: int) -> Tree:
    """The document. Raises TomlError; `longest` is in characters."""
    text = text.removeprefix(BOM)
    if len(text) > longest:
        words = f"it has {len(text):,} characters; the limit is {longest:,}"
        raise TomlError(Problem(NOWHERE, words))
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise TomlError(TOO_DEEP) from None
    except ValueError as error:
        raise TomlError(_parser_problem(str(error), text)) from None
    try:
        lines = lines_of(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        lines = {(): 0}
    try:
        return _tree(values, (), lines, NOWHERE)
    except RecursionError:
        raise TomlError(TOO_DEEP) from None


TOO_DEEP = Problem(NOWHERE, "it is nested too deeply")


def _tree(value: Any, place: Place, lines: Mapping[Place, int], around: SourceLocation) -> Tree:
    """The tree of a value; its line, if that is not known, is that of the nearest table around."""
    spot = SourceLocation(lines[place]) if place in lines else around
    if isinstance(value, list):
        return Tree([_tree(one, (*place, at), lines, spot) for at, one in enumerate(value)], spot)
    if isinstance(value, dict):
        below = {key: _tree(one, (*place, key), lines, spot) for key, one in value.items()}
        return Tree(below, spot, {key: one.spot for key, one in below.items()})
    return Tree(value, spot)


def _parser_problem(message: str, text: str) -> Problem:
    """Convert the parser's message, taking the line number out of its words."""
    found = _PARSER_PLACE.search(message)
    words = message[: found.start()] if found else message
    line = 0
    if found:
        line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    return Problem(SourceLocation(line), f"it is not TOML: {visible(cut(words, 200).text)}")
