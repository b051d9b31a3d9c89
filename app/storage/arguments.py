"""Arguments of earlier calls and presets on disk, by server and tool.

Also loads and saves arguments in the user's own files: one JSON object each.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..calls.argument_history import ArgumentDocument, KeptArguments
from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, Limits, parse
from ..content.text import visible
from ..platforms.files import NO_LINK, NO_WAIT, open_file, why
from .database import Database
from .keys import as_key, as_text, is_time, seal, server_key
from .state_dir import FILE_MODE, StoreError, shown

if TYPE_CHECKING:
    import sqlite3

HISTORY_MAX = 50
"""Arguments kept of one tool, besides its presets."""
PRESETS_MAX = 50
"""Presets of one tool."""
ROWS_MAX, SIZE_MAX = 5_000, 20_000_000
"""Limits on the arguments of all tools of all servers: rows, and characters of them."""

_COLUMNS = """server_digest, tool, name, at, size, digest, document, not_kept, outcome, sent,
    invalid, times"""
_COUNT = 12
_MARKS = ",".join("?" * (_COUNT + 1))
_Row: TypeAlias = tuple[Any, ...]


@frozen
class Noted:
    """Facts about ended calls of a tool with the same arguments."""

    tool: str
    """Its exact name."""
    document: ArgumentDocument
    at: float
    """When the last of them ended."""
    outcome: str
    """Of the last of them."""
    was_sent: bool
    although_invalid: bool = False
    times: int = 1
    """How many there were."""


class ArgumentBook:
    """Every method may be called from any thread. Times are seconds since the epoch.

    Where the store cannot be used, it is as if it were empty, and `add` and `give_name` raise
    StoreError. An operation that fails although the store was good raises StoreError and has
    changed nothing.
    """

    def __init__(self, database: Database, *, is_on_disk: bool = True) -> None:
        self._database = database
        self._is_on_disk = is_on_disk

    def add(self, server_identity: str, noted: Iterable[Noted]) -> None:
        """Note calls that ended, all or none of them, the oldest first.

        The same arguments are one row, with the newest outcome.
        """
        self._insist()
        server = server_key(server_identity)
        with self._database.writing() as connection:
            for one in noted:
                _add(connection, server, one)
            _bound(connection)

    def give_name(
        self,
        server_identity: str,
        tool: str,
        document: ArgumentDocument,
        name: str,
        at: float,
        *,
        although_invalid: bool = False,
        outcome: str = "",
        was_sent: bool = False,
    ) -> None:
        """Keep arguments as a preset, in place of one that has this name.

        Raises ValueError, in words, if the tool has as many as it may.
        """
        self._insist()
        server, key, named = server_key(server_identity), as_key(tool), as_key(name)
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM arguments WHERE server_digest = ? AND tool = ? AND name = ?",
                [server, key, named],
            )
            (count,) = connection.execute(
                "SELECT count(*) FROM arguments WHERE server_digest = ? AND tool = ?"
                " AND name IS NOT NULL",
                [server, key],
            ).fetchone()
            if count >= PRESETS_MAX:
                raise ValueError(f"this tool has {count} presets already; delete one first")
            facts = [as_key(outcome), int(was_sent), int(although_invalid), 1]
            _insert(connection, [server, key, named, float(at), *_kept(document), *facts])

    def all(self, server_identity: str, tool: str) -> tuple[KeptArguments, ...]:
        """Presets by name, then earlier arguments, the newest first."""
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT id, {_COLUMNS}, seal FROM arguments WHERE server_digest = ? AND tool = ?"
                " ORDER BY name IS NULL, name, at DESC, id DESC",
                [server_key(server_identity), as_key(tool)],
            ).fetchall()
            return tuple(self._read(row) for row in rows)

    def remove(self, number: int) -> bool:
        """Forget one; False if there is none of that number."""
        if self._database.problem:
            return False
        with self._database.writing() as connection:
            done = connection.execute("DELETE FROM arguments WHERE id = ?", [number])
            return done.rowcount > 0

    def clear(self, server_identity: str, tool: str) -> int:
        """Forget the history of a tool, but keep its presets; returns the number of entries."""
        if self._database.problem:
            return 0
        with self._database.writing() as connection:
            return connection.execute(
                "DELETE FROM arguments WHERE server_digest = ? AND tool = ? AND name IS NULL",
                [server_key(server_identity), as_key(tool)],
            ).rowcount

    def _insist(self) -> None:
        if self._database.problem:
            raise StoreError(self._database.problem)

    def _read(self, row: _Row) -> KeptArguments:
        """Raises StoreError, and the store ends, where a row is not as it was written."""
        number, *values, sealed = row
        if sealed != seal(values) or not is_time(values[3]):
            raise self._database.damaged(f"arguments {number}")
        try:
            _, tool, name, at, size, digest, document, not_kept, outcome, *facts = values
            kept = ArgumentDocument(
                None if document is None else as_text(document),
                size,
                as_text(digest),
                tuple(tuple(place) for place in json.loads(not_kept)),
            )
            return KeptArguments(
                number,
                as_text(tool),
                "" if name is None else as_text(name),
                at,
                kept,
                as_text(outcome),
                bool(facts[0]),
                bool(facts[1]),
                facts[2],
                self._is_on_disk,
            )
        except (AttributeError, TypeError, ValueError):
            raise self._database.damaged("arguments that cannot be read") from None


def _add(connection: sqlite3.Connection, server: bytes, noted: Noted) -> None:
    tool, document, times = as_key(noted.tool), noted.document, noted.times
    same = connection.execute(
        "SELECT id, times FROM arguments WHERE server_digest = ? AND tool = ?"
        " AND digest = ? AND invalid = ? AND name IS NULL",
        [server, tool, as_key(document.digest), int(noted.although_invalid)],
    ).fetchone()
    if same is not None:
        times += same[1]
        connection.execute("DELETE FROM arguments WHERE id = ?", [same[0]])
    facts = [as_key(noted.outcome), int(noted.was_sent), int(noted.although_invalid), times]
    _insert(connection, [server, tool, None, float(noted.at), *_kept(document), *facts])
    connection.execute(
        "DELETE FROM arguments WHERE id IN (SELECT id FROM arguments"
        " WHERE server_digest = ? AND tool = ? AND name IS NULL"
        " ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)",
        [server, tool, HISTORY_MAX],
    )


def _kept(document: ArgumentDocument) -> list[Any]:
    """A document as it is kept, from `size` to `not_kept`."""
    return [
        document.size,
        as_key(document.digest),
        None if document.text is None else as_key(document.text),
        json.dumps(document.not_kept).encode("ascii"),
    ]


def _insert(connection: sqlite3.Connection, values: list[Any]) -> None:
    connection.execute(
        f"INSERT INTO arguments ({_COLUMNS}, seal) VALUES ({_MARKS})", [*values, seal(values)]
    )


def _bound(connection: sqlite3.Connection) -> None:
    """Keep within the bounds: the oldest calls go first, presets stay."""
    count, size = connection.execute(
        "SELECT count(*), total(length(document)) FROM arguments"
    ).fetchone()
    while count > ROWS_MAX or size > SIZE_MAX:
        oldest = connection.execute(
            "SELECT id, total(length(document)) FROM arguments WHERE id IN (SELECT id"
            " FROM arguments WHERE name IS NULL ORDER BY at, id LIMIT 1)"
        ).fetchone()
        if oldest[0] is None:
            return
        connection.execute("DELETE FROM arguments WHERE id = ?", [oldest[0]])
        count, size = count - 1, size - oldest[1]


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
    """Read the one JSON object in a regular file of at most 2 MB. Raises FileProblem.

    Errors have a line and a column.
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
    """Return the place of a repeated name in an object, in words; empty if it is not found."""
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
