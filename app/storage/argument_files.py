"""Arguments in files of the person's own: one JSON object each."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from pathlib import Path

from ..content.json.jsonio import JsonError, JsonValue, Limits, parse
from ..content.text import visible
from ..platforms.files import NO_LINK, NO_WAIT, open_file
from .place import FILE_MODE, shown, why

LOAD_MAX = 2_000_000
"""Bytes of a file that is read."""

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<is_name>\s*:)?|[{}]', re.DOTALL)


class FileProblem(Exception):
    """A file cannot be read or written as arguments; the text is safe to show."""


class Exists(FileProblem):
    """There is a file of this name already: it is overwritten only if that is wanted."""


def path_of(typed: str) -> Path:
    """The absolute path that was typed; `~` is the home folder. Raises FileProblem."""
    if not typed.strip():
        raise FileProblem("type the path of a file")
    try:
        return Path(typed.strip()).expanduser().absolute()
    except (RuntimeError, OSError, ValueError):
        raise FileProblem(f"{visible(typed)} is not a path") from None


def load_arguments(path: Path) -> dict[str, JsonValue]:
    """The one JSON object in a regular file of at most 2 MB. Raises FileProblem.

    What is wrong is said with its line and column.
    """
    try:
        # Opening a pipe must not wait for its other end.
        with open(open_file(path, os.O_RDONLY | NO_WAIT), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise FileProblem(f"{shown(path)} is not a regular file")
            data = file.read(LOAD_MAX + 1) if found.st_size <= LOAD_MAX else b""
    except OSError as problem:
        raise FileProblem(f"{shown(path)} cannot be read: {why(problem)}") from None
    except ValueError:
        raise FileProblem(f"{shown(path)} is not a path") from None
    if max(found.st_size, len(data)) > LOAD_MAX:
        size = max(found.st_size, len(data))
        raise FileProblem(f"{shown(path)} has {size:,} bytes, at most {LOAD_MAX:,} are read")
    try:
        parsed = parse(data, Limits(size=LOAD_MAX))
    except JsonError as problem:
        raise FileProblem(f"{shown(path)} is not JSON: {visible(problem.reason)}") from None
    if parsed.duplicates:
        name = parsed.duplicates[0]
        where = _second_place(data.decode("utf-8"), name)
        words = f"the key {visible(repr(name))} is given twice{where}"
        raise FileProblem(f"{shown(path)}: {words}")
    if not isinstance(parsed.value, dict):
        raise FileProblem(f"{shown(path)}: arguments are one JSON object, at line 1, column 1")
    return parsed.value


def save_arguments(path: Path, text: str, *, overwrites: bool = False) -> None:
    """Write a file that only its owner can read. Raises Exists, and FileProblem."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        if not overwrites:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
            _write(open_file(path, flags, FILE_MODE), data, path)
        else:
            # Whole or not at all, and with the rights of a new file.
            real = path.resolve()
            if real.exists() and not real.is_file():
                raise FileProblem(f"{shown(path)} is not a regular file")
            number, made = tempfile.mkstemp(prefix=f".{real.name[:100]}.", dir=real.parent)
            _write(number, data, Path(made))
            os.replace(made, real)
    except FileExistsError:
        what = "is a folder" if path.is_dir() else "exists already"
        kind = FileProblem if path.is_dir() else Exists
        raise kind(f"{shown(path)} {what}") from None
    except OSError as problem:
        raise FileProblem(f"{shown(path)} cannot be written: {why(problem)}") from None
    except ValueError:
        raise FileProblem(f"{shown(path)} is not a path") from None


def _write(number: int, data: bytes, path: Path) -> None:
    """Write it all, or leave nothing behind."""
    try:
        with open(number, "wb") as file:
            file.write(data)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def _second_place(text: str, name: str) -> str:
    """Where an object has a name for the second time, in words; empty where it is not found."""
    open_objects: list[set[str]] = []
    for match in _TOKENS.finditer(text):
        token = match.group()
        if token == "{":
            open_objects.append(set())
        elif token == "}":
            open_objects = open_objects[:-1]
        elif match.group("is_name") and open_objects:
            found = str(parse(token[: token.rindex('"') + 1]).value)
            if found == name and found in open_objects[-1]:
                line = text.count("\n", 0, match.start()) + 1
                column = match.start() - text.rfind("\n", 0, match.start())
                return f", again at line {line}, column {column}"
            open_objects[-1].add(found)
    return ""
