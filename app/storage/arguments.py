"""Arguments of earlier calls and presets on disk, by server and tool."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..calls.argument_history import Document, KeptArguments
from .database import Database
from .keys import as_key, as_text, is_time, seal, server_key
from .place import StoreError

if TYPE_CHECKING:
    import sqlite3

HISTORY_MAX = 50
"""Arguments kept of one tool, besides its presets."""
PRESETS_MAX = 50
"""Presets of one tool."""
ROWS_MAX, SIZE_MAX = 5_000, 20_000_000
"""Of all tools of all servers: what is kept, and characters of it."""

_COLUMNS = """server_digest, tool, name, at, size, digest, document, not_kept, outcome, sent,
    invalid, times"""
_COUNT = 12
_MARKS = ",".join("?" * (_COUNT + 1))
_Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Noted:
    """What calls of a tool with the same arguments had, once they ended."""

    tool: str
    """Its exact name."""
    document: Document
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
        document: Document,
        name: str,
        at: float,
        *,
        although_invalid: bool = False,
        outcome: str = "",
        was_sent: bool = False,
    ) -> None:
        """Keep arguments as a preset, in place of one that has this name.

        Raises ValueError, in words, where the tool has as many as it may.
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
        """Presets by name, then what was called before, the newest first."""
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
        """Forget one; False where there is none of that number."""
        if self._database.problem:
            return False
        with self._database.writing() as connection:
            done = connection.execute("DELETE FROM arguments WHERE id = ?", [number])
            return done.rowcount > 0

    def clear(self, server_identity: str, tool: str) -> int:
        """Forget the history of a tool, and not its presets; returns how many."""
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
            kept = Document(
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


def _kept(document: Document) -> list[Any]:
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
    """Keep within the bounds: what was called longest ago goes first, presets stay."""
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
