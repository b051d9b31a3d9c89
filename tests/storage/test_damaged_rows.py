"""A row with a value that Signoff never wrote there is damage; it covers nothing new."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.app.storage.database import LATER, TABLES
from signoff.app.storage.store import Store, StoreError
from tests.storage.stored import FILE, NOW, copied, coverage, fill, opened, use_everything
from tests.tiers import first_quick

OTHERS = ("arguments", *LATER)


def columns(table: str) -> list[str]:
    """The names of a table's columns."""
    connection = sqlite3.connect(":memory:")
    for statement in TABLES:
        connection.execute(statement)
    found = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    return found


COLUMNS = [
    (table, column)
    for table in ("clock", "grants", "servers", "definitions", "versions", "listing", *OTHERS)
    for column in columns(table)
]
SOME_COLUMNS = COLUMNS[::6]
"""Those of the quick tier, out of every table."""
OF_OTHER_TYPES = ("5", "9223372036854775807", "1.5", "9e999", "'text'", "x'ff'", "x'5b5d'", "NULL")


def put(file: Path, table: str, column: str, value: str) -> None:
    """Write a value into a column of every row, whatever the table declares of it."""
    with changed(file) as connection:
        (declared,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = ?", [table]
        ).fetchone()
        declare(connection, table, re.sub(r"(?<!IS) NOT NULL", "", declared))
    # Keys stay unique, and the parts of a key are never NULL.
    with contextlib.suppress(sqlite3.IntegrityError), changed(file) as connection:
        connection.execute(f"UPDATE {table} SET {column} = {value}")
    with changed(file) as connection:
        declare(connection, table, declared)


def declare(connection: sqlite3.Connection, table: str, sql: str) -> None:
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", [sql, table])


@contextlib.contextmanager
def changed(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own, so that a changed schema is read anew."""
    connection = sqlite3.connect(file)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("table", "column"),
    first_quick(
        [*SOME_COLUMNS, *(one for one in COLUMNS if one not in SOME_COLUMNS)], 3, several=True
    ),
)
def test_a_value_of_another_type_is_damage_and_no_fault(
    tmp_path: Path, table: str, column: str
) -> None:
    """A flipped bit in the head of a row turns a text into a number, or into nothing."""
    filled = fill(tmp_path / "filled")
    with opened(filled) as store:
        given = {coverage(one) for one in store.grants.all(NOW)}
    for number, value in enumerate(OF_OTHER_TYPES):
        folder = copied(filled, tmp_path / str(number))
        put(folder / FILE, table, column, value)
        store = Store.open(folder, NOW)
        with contextlib.suppress(StoreError):
            assert {coverage(one) for one in store.grants.all(NOW)} <= given
        use_everything(store)
        store.close()
