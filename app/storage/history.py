"""The definitions that servers listed, each kept once, and the last list of every server.

A row is written for each change only, within bounds. The writing functions work inside a
transaction of their caller.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..protocol.definitions.lists import Listed, Past
from ..schemas.secrets.masks import mask_text
from .database import Database
from .keys import as_key, as_text, is_time, server_key
from .state_dir import StoreError

if TYPE_CHECKING:
    import sqlite3

    from ..content.json.jsonio import JsonValue

_AT = """CASE WHEN digest IN (SELECT digest FROM listing WHERE server = s.id AND tool = v.tool)
    THEN s.last_at ELSE v.last_at END"""


class HistoryBook:
    """Every method may be called from any thread. Times are seconds since the epoch.

    Where the store cannot be used, it is as if it were empty. An operation that fails although the
    store was good raises StoreError and has changed nothing.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def last_list(self, server_identity: str) -> tuple[Listed, ...] | None:
        """Return a server's last list, in its order; None if it never listed anything here."""
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT tool, digest, place FROM listing JOIN servers ON server = id"
                " WHERE server_digest = ? ORDER BY place",
                [server_key(server_identity)],
            ).fetchall()
            if not rows and not _is_known(connection, server_identity):
                return None
            try:
                return tuple(
                    [Listed(as_text(tool), as_text(digest), place) for tool, digest, place in rows]
                )
            except (AttributeError, UnicodeDecodeError):
                raise self._unreadable() from None

    def definitions(self, server_identity: str) -> tuple[Past, ...] | None:
        """`last_list` with the raw entries, which takes longer; `at` is when it was listed."""
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT l.tool, l.digest, raw, s.last_at FROM listing AS l"
                " JOIN servers AS s ON l.server = s.id LEFT JOIN definitions AS d USING (digest)"
                " WHERE server_digest = ? ORDER BY l.place",
                [server_key(server_identity)],
            ).fetchall()
            if not rows and not _is_known(connection, server_identity):
                return None
            return tuple(self._past(*row) for row in rows)

    def versions(self, server_identity: str, tool: str) -> tuple[Past, ...]:
        """Every definition kept of a tool, the one listed last first."""
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT v.tool, digest, raw, {_AT} AS at FROM versions AS v"
                " JOIN servers AS s ON v.server = s.id JOIN definitions USING (digest)"
                " WHERE server_digest = ? AND v.tool = ? ORDER BY at DESC, v.first_at DESC",
                [server_key(server_identity), as_key(tool)],
            ).fetchall()
            return tuple(self._past(*row) for row in rows)

    def last_approved(self, server_identity: str, tool: str) -> Past | None:
        """The definition under which a call of the tool was approved last, and when."""
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT v.tool, digest, raw, approved_at FROM versions AS v"
                " JOIN servers AS s ON v.server = s.id JOIN definitions USING (digest)"
                " WHERE server_digest = ? AND v.tool = ? AND approved_at IS NOT NULL"
                " ORDER BY approved_at DESC LIMIT 1",
                [server_key(server_identity), as_key(tool)],
            ).fetchone()
            return None if row is None else self._past(*row)

    def digest_approved(self, server_identity: str, tool: str) -> str | None:
        """The digest of `last_approved`, which is there at once however large the definition is."""
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT digest FROM versions AS v JOIN servers AS s ON v.server = s.id"
                " WHERE server_digest = ? AND v.tool = ? AND approved_at IS NOT NULL"
                " ORDER BY approved_at DESC LIMIT 1",
                [server_key(server_identity), as_key(tool)],
            ).fetchone()
            return None if row is None else self._text(row[0])

    def record(
        self,
        server_identity: str,
        server_name: str,
        entries: Sequence[tuple[str, str, JsonValue]],
        now: float,
    ) -> None:
        """Keep a whole list: (name, digest, raw entry) of each tool, in the server's order.

        Names may repeat. Raises ValueError for a digest that is not the one of the raw entry.
        """
        if self._database.problem:
            return
        identity, named = server_key(server_identity), as_key(mask_text(server_name))
        raws = {as_key(digest): raw for _, digest, raw in entries}
        texts = self._new_texts(identity, raws)
        new = [(as_key(name), as_key(digest)) for name, digest, _ in entries]
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO servers (server_digest, name, first_at, last_at)"
                " VALUES (?, ?, ?, ?)",
                [identity, named, float(now), float(now)],
            )
            server, seen_at = connection.execute(
                "SELECT id, last_at FROM servers WHERE server_digest = ?", [identity]
            ).fetchone()
            old: list[Entry] = connection.execute(
                "SELECT tool, digest FROM listing WHERE server = ? ORDER BY place", [server]
            ).fetchall()
            connection.execute(
                "UPDATE servers SET name = ?, last_at = ? WHERE id = ?",
                [named, float(now), server],
            )
            if old != new:
                # Another Signoff may have deleted versions since that were still kept before.
                added = {digest for _, digest in {*new} - {*old}}
                for digest in missing_definitions(connection, added):
                    if digest not in texts:
                        texts[digest] = _text_of(digest, raws[digest])
                add_definitions(connection, texts)
                replace_list(connection, server, old, new, seen_at, float(now))
                bound(connection, server)

    def approved(self, server_identity: str, tool: str, digest: str, now: float) -> bool:
        """A call of the tool was approved under that definition; False if it is not kept."""
        if self._database.problem:
            return False
        with self._database.writing() as connection:
            done = connection.execute(
                "UPDATE versions SET approved_at = ? WHERE tool = ? AND digest = ?"
                " AND server = (SELECT id FROM servers WHERE server_digest = ?)",
                [float(now), as_key(tool), as_key(digest), server_key(server_identity)],
            )
            return done.rowcount > 0

    def _new_texts(self, identity: bytes, raws: Mapping[bytes, JsonValue]) -> dict[bytes, bytes]:
        """Return the canonical texts not yet kept: written before the store is locked."""
        with self._database.reading() as connection:
            listed = connection.execute(
                "SELECT digest FROM listing JOIN servers ON server = id WHERE server_digest = ?",
                [identity],
            ).fetchall()
            new = raws.keys() - {digest for (digest,) in listed}
            missing = missing_definitions(connection, new)
        return {digest: _text_of(digest, raws[digest]) for digest in missing}

    def _past(self, tool: bytes, digest: bytes, raw: object, at: float) -> Past:
        if not is_time(at):
            raise self._database.damaged("a time")
        return Past(self._text(tool), self._text(digest), self._raw(digest, raw), at)

    def _raw(self, digest: bytes, raw: object) -> JsonValue:
        # A flipped bit in the head of a row turns the bytes into a number, or into nothing.
        if not isinstance(raw, bytes) or _digest(raw) != digest:
            raise self._database.damaged("a tool definition")
        value: JsonValue = json.loads(raw)
        return value

    def _text(self, key: bytes) -> str:
        try:
            return as_text(key)
        except (AttributeError, UnicodeDecodeError):
            raise self._unreadable() from None

    def _unreadable(self) -> StoreError:
        return self._database.damaged("text that cannot be read")


def _text_of(digest: bytes, raw: JsonValue) -> bytes:
    from ..content.json.jsonio import canonical

    text = canonical(raw).encode("ascii")
    if _digest(text) != digest:
        raise ValueError("a digest is not the one of its definition")
    return text


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode("ascii")


def _is_known(connection: sqlite3.Connection, server_identity: str) -> bool:
    return server_id(connection, server_key(server_identity)) is not None


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
    """Turn the old list into the new one; removed entries were last seen at `seen_at`."""
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

    Currently listed and last approved definitions go last, and never those of `server`.
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
    """Number of versions to drop for the store to be within its bounds."""
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
    """Delete the oldest versions, of one tool if it is given; returns how many could go."""
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
