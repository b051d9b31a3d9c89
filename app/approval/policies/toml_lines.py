"""On which line each key of a TOML document stands, which `tomllib` does not tell."""

from __future__ import annotations

import re
import tomllib
from typing import TypeAlias

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
        """Go to what comes next, over blanks, line ends and comments; False at the end."""
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
