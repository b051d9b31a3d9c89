"""Writing the history: a row for each change only, and bounds on how much is kept.

Every function works inside a transaction of its caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import sqlite3

Entry: TypeAlias = tuple[bytes, bytes]
"""Tool name and digest of one listed definition, as keys."""

VERSIONS_OF_A_TOOL = 200
DEFINITIONS = 100_000
SIZE = 256_000_000
"""Bytes of the whole store: a server may list something large and new every second."""
_SHARE = 20
"""A bound that is passed costs a twentieth more, so that it is not passed again soon."""


def server_id(connection: sqlite3.Connection, server: bytes) -> int | None:
    """The number of a server, by its `server_key`."""
    row = connection.execute("SELECT id FROM servers WHERE server_digest = ?", [server]).fetchone()
    # A damaged index can lead to a row without a number.
    return None if row is None or row[0] is None else int(row[0])


def missing_definitions(connection: sqlite3.Connection, digests: Iterable[bytes]) -> list[bytes]:
    """Those of the digests whose definition is not kept."""
    known = "SELECT 1 FROM definitions WHERE digest = ?"
    return [one for one in digests if connection.execute(known, [one]).fetchone() is None]


def add_definitions(connection: sqlite3.Connection, texts: Mapping[bytes, bytes]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO definitions (digest, raw) VALUES (?, ?)", texts.items()
    )


def replace_list(
    connection: sqlite3.Connection,
    server: int,
    old: Sequence[Entry],
    new: Sequence[Entry],
    seen_at: float,
    now: float,
) -> None:
    """Turn the old list into the new one; what left it was last seen at `seen_at`."""
    gone = [(seen_at, server, *entry) for entry in {*old} - {*new}]
    come = [(server, *entry, now, now) for entry in {*new} - {*old}]
    connection.executemany(
        "UPDATE versions SET last_at = ? WHERE server = ? AND tool = ? AND digest = ?", gone
    )
    connection.executemany(
        "INSERT INTO versions (server, tool, digest, first_at, last_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET last_at = excluded.last_at",
        come,
    )
    connection.execute("DELETE FROM listing WHERE server = ? AND place >= ?", [server, len(new)])
    connection.executemany(
        "INSERT OR REPLACE INTO listing (server, place, tool, digest) VALUES (?, ?, ?, ?)",
        [
            (server, place, *entry)
            for place, entry in enumerate(new)
            if place >= len(old) or old[place] != entry
        ],
    )


def forget_server(connection: sqlite3.Connection, server: int) -> None:
    """Delete everything of a server but its remembered approvals."""
    digests = connection.execute("SELECT DISTINCT digest FROM versions WHERE server = ?", [server])
    found = digests.fetchall()
    connection.execute("DELETE FROM servers WHERE id = ?", [server])
    _drop_orphans(connection, (digest for (digest,) in found))


def bound(connection: sqlite3.Connection, server: int) -> None:
    """Keep within the bounds, the oldest goes first; `server` has just been written.

    What is listed now and what was approved last goes last, and never of `server`.
    """
    crowded = connection.execute(
        "SELECT tool, count(*) FROM versions WHERE server = ? GROUP BY tool HAVING count(*) > ?",
        [server, VERSIONS_OF_A_TOOL],
    ).fetchall()
    for tool, count in crowded:
        _drop_oldest(connection, count - VERSIONS_OF_A_TOOL, server, tool)
    while excess := _excess(connection):
        if _drop_oldest(connection, excess):
            continue
        oldest = connection.execute(
            "SELECT id FROM servers WHERE id != ? ORDER BY last_at, id LIMIT 1", [server]
        ).fetchone()
        if oldest is None:
            return
        forget_server(connection, oldest[0])


def _excess(connection: sqlite3.Connection) -> int:
    """How many versions have to go for the store to be within its bounds."""
    count = int(connection.execute("SELECT count(*) FROM versions").fetchone()[0])
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    if count > DEFINITIONS:
        return count - DEFINITIONS + DEFINITIONS // _SHARE
    return 1 + count // _SHARE if (pages - free) * size > SIZE else 0


def _drop_oldest(
    connection: sqlite3.Connection, count: int, server: int | None = None, tool: bytes = b""
) -> int:
    """Delete the oldest versions, of one tool where it is given; returns how many could go."""
    where = "" if server is None else "AND v.server = :server AND v.tool = :tool"
    rows = connection.execute(
        f"""SELECT server, tool, digest FROM versions AS v
        WHERE (server, tool, digest) NOT IN (SELECT server, tool, digest FROM listing) {where}
        AND (approved_at IS NULL OR approved_at < (
            SELECT max(approved_at) FROM versions AS other
            WHERE other.server = v.server AND other.tool = v.tool
        ))
        ORDER BY last_at LIMIT :count""",
        {"server": server, "tool": tool, "count": count},
    ).fetchall()
    connection.executemany(
        "DELETE FROM versions WHERE server = ? AND tool = ? AND digest = ?", rows
    )
    _drop_orphans(connection, (digest for _, _, digest in rows))
    return len(rows)


def _drop_orphans(connection: sqlite3.Connection, digests: Iterable[bytes]) -> None:
    connection.executemany(
        "DELETE FROM definitions WHERE digest = :digest"
        " AND NOT EXISTS (SELECT 1 FROM versions WHERE digest = :digest)",
        [{"digest": digest} for digest in {*digests}],
    )
