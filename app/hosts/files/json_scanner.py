"""JSON as a tree with lines and columns; comments, commas and doubled names are noted.

Comments and trailing commas are read whatever the host allows. What no host reads (JSON5) is an
error that names it. Size, depth and number of values are bounded; nothing but ScanError is raised.
"""

from __future__ import annotations

import json
import json.decoder
import math
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final

from ...content.files.tree import SourceLocation, Tree
from ...content.frozen import frozen
from ...content.text import visible

DEEPEST: Final = 60
MOST_VALUES: Final = 100_000
MOST_DIGITS: Final = 300
MOST_NOTED: Final = 50
"""Doubled names that are noted."""

TOO_MANY: Final = f"there are more than {MOST_VALUES:,} values"
TOO_DEEP: Final = f"the nesting has more than {DEEPEST} levels"
_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_LINE_COMMENT: Final = re.compile(r"//[^\n]*+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*+")
_WORDS: Final = {"true": True, "false": False, "null": None}
_AFTER: Final = re.compile(r"[\w.+-]")
_read_string: Final[Callable[[str, int, bool], tuple[str, int]]] = vars(json.decoder)["scanstring"]


class ScanError(ValueError):
    """A text is not JSON; the message is safe to show and has nothing of the text."""

    def __init__(self, message: str, spot: SourceLocation, fix: str = "") -> None:
        super().__init__(message)
        self.spot = spot
        self.fix = fix


@frozen
class Doubled:
    """A name that an object has twice: the last one counts."""

    path: tuple[str, ...]
    """The names above it."""
    name: str
    spot: SourceLocation
    first: SourceLocation


@frozen
class Scanned:
    """The tree of a text, and what a strict reader would refuse."""

    tree: Tree
    comment: SourceLocation | None
    """The first comment."""
    comma: SourceLocation | None
    """The first trailing comma."""
    doubled: tuple[Doubled, ...]


def scan_json(text: str) -> Scanned:
    """Read a text. Raises ScanError."""
    scanner = _Scanner(text)
    try:
        return scanner.document()
    except RecursionError:
        raise ScanError(TOO_DEEP, SourceLocation(1, 1)) from None


def end_of_value(text: str, start: int) -> int:
    """Return the offset behind the value that begins at an offset. Raises ScanError."""
    scanner = _Scanner(text)
    return scanner.end_of_value(start)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.count = 0
        self.comment: int | None = None
        self.comma: int | None = None
        self.doubled: list[Doubled] = []
        self.path: list[str] = []
        self.starts = [0, *(one.end() for one in re.finditer("\n", text))]

    def document(self) -> Scanned:
        self._blanks()
        tree = self._value(0)
        self._blanks()
        if self.at < len(self.text):
            raise self._error("there is more text after the end of the value")
        comment = None if self.comment is None else self._spot(self.comment)
        comma = None if self.comma is None else self._spot(self.comma)
        return Scanned(tree, comment, comma, tuple(self.doubled))

    def end_of_value(self, start: int) -> int:
        self.at = start
        self._value(0)
        return self.at

    def _value(self, depth: int) -> Tree:
        self.count += 1
        if self.count > MOST_VALUES:
            raise self._error(TOO_MANY)
        if depth > DEEPEST:
            raise self._error(TOO_DEEP)
        start = self.at
        char = self.text[start : start + 1]
        if char == "{":
            return self._object(depth)
        if char == "[":
            return self._list(depth)
        if char == '"':
            return Tree(self._string(), self._spot(start))
        return Tree(self._scalar(char), self._spot(start))

    def _object(self, depth: int) -> Tree:
        start = self._open()
        found: dict[str, Tree] = {}
        keys: dict[str, SourceLocation] = {}
        while not self._closes("}", "a name in double quotes"):
            at = self._spot(self.at)
            name = self._name()
            self._blanks()
            if not self.text.startswith(":", self.at):
                raise self._error("a : was expected after a name")
            self.at += 1
            self._blanks()
            if name in found:
                self._double(name, at, keys[name])
                # The last one counts, and has its place.
                del found[name], keys[name]
            keys[name] = at
            self.path.append(name)
            found[name] = self._value(depth + 1)
            self.path.pop()
            self._separator("}")
        return Tree(found, self._spot(start), keys)

    def _list(self, depth: int) -> Tree:
        start = self._open()
        found: list[Tree] = []
        while not self._closes("]", "a value"):
            found.append(self._value(depth + 1))
            self._separator("]")
        return Tree(found, self._spot(start))

    def _open(self) -> int:
        start = self.at
        self.at += 1
        self._blanks()
        return start

    def _closes(self, sign: str, wanted: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += 1
            return True
        if self.at >= len(self.text):
            raise self._ended(sign)
        if self.text.startswith(",", self.at):
            raise self._error(f"{wanted} was expected before the comma")
        return False

    def _separator(self, closing: str) -> None:
        """Skip the comma after a member; a trailing one is noted."""
        self._blanks()
        if self.text.startswith(",", self.at):
            comma = self.at
            self.at += 1
            self._blanks()
            if self.text.startswith(closing, self.at) and self.comma is None:
                self.comma = comma
        elif not self.text.startswith(closing, self.at):
            if self.at >= len(self.text):
                raise self._ended(closing)
            raise self._error(f"a comma or a {closing} was expected")

    def _name(self) -> str:
        if self.text.startswith('"', self.at):
            return self._string()
        if self.text.startswith("'", self.at):
            raise self._json5("single quotes", "use double quotes")
        if _WORD.match(self.text, self.at):
            raise self._json5("a name without quotes", "put the name in double quotes")
        raise self._error("a name in double quotes was expected")

    def _string(self) -> str:
        start = self.at
        try:
            value, self.at = _read_string(self.text, start + 1, True)
        except json.JSONDecodeError as problem:
            raise self._bad_string(problem, start) from None
        return value

    def _bad_string(self, problem: json.JSONDecodeError, start: int) -> ScanError:
        words = problem.msg.lower()
        if "escape" in words:
            self.at = problem.pos
            escape = visible(self.text[problem.pos : problem.pos + 2])
            fix = "write \\\\ for each backslash of a Windows path, or use /"
            return self._error(f"invalid escape {escape} in a text", fix)
        if "control" in words:
            self.at = problem.pos
            return self._error("a text has a line break or another control character in it")
        self.at = start
        return self._error("a text has no closing quote")

    def _scalar(self, char: str) -> Any:
        if found := _NUMBER.match(self.text, self.at):
            after = found.end()
            if _AFTER.match(self.text, after):
                raise self._json5("a number in another notation", "write it in decimal digits")
            if len(found.group()) > MOST_DIGITS:
                raise self._error(f"a number is longer than {MOST_DIGITS} digits")
            self.at = after
            value: int | float = json.loads(found.group())
            return value if isinstance(value, int) or math.isfinite(value) else 0.0
        if found := _WORD.match(self.text, self.at):
            if found.group() in _WORDS:
                self.at = found.end()
                return _WORDS[found.group()]
            raise self._error("a text needs double quotes")
        if char == "'":
            raise self._json5("single quotes", "use double quotes")
        if not char:
            raise self._error("the file ends before a value")
        raise self._error("a value was expected")

    def _blanks(self) -> None:
        """Skip blanks and comments."""
        while True:
            found = _BLANK.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            if not self.text.startswith("/", self.at):
                return
            start = self.at
            if line := _LINE_COMMENT.match(self.text, self.at):
                self.at = line.end()
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    raise self._error("a comment is not closed")
                self.at = end + 2
            else:
                return
            self.comment = start if self.comment is None else self.comment

    def _double(self, name: str, spot: SourceLocation, first: SourceLocation) -> None:
        if len(self.doubled) < MOST_NOTED:
            self.doubled.append(Doubled(tuple(self.path), name, spot, first))

    def _spot(self, at: int) -> SourceLocation:
        line = bisect_right(self.starts, at)
        return SourceLocation(line, at - self.starts[line - 1] + 1)

    def _error(self, message: str, fix: str = "") -> ScanError:
        at = self.at
        if at >= len(self.text) and self.text:
            # The line of the last sign, not the empty one after it.
            at = max(len(self.text.rstrip()) - 1, 0)
        return ScanError(message, self._spot(at), fix)

    def _ended(self, sign: str) -> ScanError:
        end = self._spot(len(self.text) - self.text.endswith("\n"))
        return ScanError(f"the file ends before a closing {sign}", end, f"add the missing {sign}")

    def _json5(self, what: str, fix: str) -> ScanError:
        return self._error(f"{what}: JSON5, which no known host reads", fix)
