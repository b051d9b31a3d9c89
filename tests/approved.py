"""Sentences that people read, pinned in one text file a surface: `tests/approved/NAME.txt`.

A test names an entry and gives its text: `approved("cli-audit").holds("verify: intact", out)`.
What differs between machines has a name in the entry: `holds("no log", err, FOLDER=tmp_path)`.
UPDATE_GOLDEN=1 with `-n 0` writes the entries of the tests that run. Entries whose key is no
string of any test of the surface are removed then; read the difference.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping
from difflib import unified_diff
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
FOLDER = TESTS / "approved"
HEADING = "## "
_written: dict[tuple[Path, str], str] = {}
"""What this run has written."""
HOW_TO_UPDATE = "run the test with UPDATE_GOLDEN=1 and -n 0, and read the difference"


def approved(name: str) -> Approved:
    """The approved texts of one surface, such as a command."""
    return Approved(FOLDER / f"{name}.txt")


def untimed(text: str) -> str:
    """The text with 0.0 for all times in seconds."""
    return re.sub(r"\b\d+\.\d+ s\b", "0.0 s", text)


class Approved:
    def __init__(self, file: Path, tests: Path = TESTS) -> None:
        self.file = file
        self._tests = tests

    def holds(self, key: str, text: str, **named: object) -> None:
        """Fail unless the entry `key` is this text, apart from empty lines around it.

        Each of the named values, as text, is replaced by its name before.
        """
        __tracebackhide__ = True
        for name, value in named.items():
            text = text.replace(str(value), name)
        text = text.strip("\n")
        entries = read(self.file)
        if os.environ.get("UPDATE_GOLDEN"):
            entries = self._updated(entries, key, text)
        if key not in entries:
            raise AssertionError(f"{self.file.name} has no entry {key!r}: {HOW_TO_UPDATE}")
        if text != entries[key]:
            old, new = entries[key].split("\n"), text.split("\n")
            lines = unified_diff(old, new, f"{self.file.name}: {key}", "this test", lineterm="")
            raise AssertionError("\n".join(["not the approved text", *lines, HOW_TO_UPDATE]))

    def _updated(self, entries: dict[str, str], key: str, text: str) -> dict[str, str]:
        if "PYTEST_XDIST_WORKER" in os.environ:
            raise AssertionError("several processes would write the same file: update with -n 0")
        if _written.setdefault((self.file, key), text) != text:
            raise AssertionError(f"{key!r} has two texts in one run: give each a key of its own")
        used = used_keys(self.file.stem, self._tests)
        if key not in used:
            raise AssertionError(f"{key!r} has to be in a test as one string, not put together")
        updated = {one: entries[one] for one in entries if one in used} | {key: text}
        if updated != entries:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_text(written(updated), encoding="utf-8", newline="\n")
        return updated


def read(file: Path) -> dict[str, str]:
    """The entries of a file by their keys; none if there is no file."""
    if not file.exists():
        return {}
    entries: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line.startswith(HEADING):
            lines = entries[line.removeprefix(HEADING)] = []
        else:
            lines.append(line)
    return {key: "\n".join(lines).strip("\n") for key, lines in entries.items()}


def written(entries: Mapping[str, str]) -> str:
    """The file with these entries, sorted by their keys."""
    for key, text in entries.items():
        if "\n" in key or f"\n{HEADING}" in f"\n{text}":
            raise AssertionError(f"{key!r}: its text has a line that begins with {HEADING!r}")
    return "\n\n".join(f"{HEADING}{key}\n{entries[key]}" for key in sorted(entries)) + "\n"


def used_keys(name: str, tests: Path = TESTS) -> frozenset[str]:
    """All strings in the tests that have `approved(NAME)` in them: each could be a key."""
    return frozenset(one for names, strings in _strings(tests) if name in names for one in strings)


@cache
def _strings(tests: Path) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Of each test file with approved texts: the names of their surfaces, and its strings."""
    found = []
    for path in sorted(tests.rglob("*.py")):
        names, strings = set(), set()
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source if "approved(" in source else "")):
            match node:
                case ast.Call(func=ast.Name(id="approved"), args=[ast.Constant(value=str(name))]):
                    names.add(name)
                case ast.Constant(value=str(text)):
                    strings.add(text)
        found.append((frozenset(names), frozenset(strings)))
    return tuple(found)
