"""The definitions that servers listed, each kept once, and the last list of every server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..protocol.definitions.lists import Listed, Past
from ..schemas.secrets.secrets import mask_text
from .database import Database
from .keys import as_key, as_text, is_time, server_key
from .place import StoreError
from .versions import (
    Entry,
    add_definitions,
    bound,
    missing_definitions,
    replace_list,
    server_id,
)

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
        """What the server listed last, in its order; None where it never listed anything here."""
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
                # Another Signoff may have deleted meanwhile what was still kept before.
                added = {digest for _, digest in {*new} - {*old}}
                for digest in missing_definitions(connection, added):
                    if digest not in texts:
                        texts[digest] = _text_of(digest, raws[digest])
                add_definitions(connection, texts)
                replace_list(connection, server, old, new, seen_at, float(now))
                bound(connection, server)

    def approved(self, server_identity: str, tool: str, digest: str, now: float) -> bool:
        """A call of the tool was approved under that definition; False where it is not kept."""
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
        """The canonical text of what is not kept yet: written before the store is locked."""
        with self._database.reading() as connection:
            listed = connection.execute(
                "SELECT digest FROM listing JOIN servers ON server = id WHERE server_digest = ?",
                [identity],
            ).fetchall()
            new = raws.keys() - {digest for (digest,) in listed}
            missing = missing_definitions(connection, new)
        return {digest: _text_of(digest, raws[digest]) for digest in missing}

    def _past(self, tool: bytes, digest: bytes, raw: bytes | None, at: float) -> Past:
        if not is_time(at):
            raise self._database.damaged("a time")
        return Past(self._text(tool), self._text(digest), self._raw(digest, raw), at)

    def _raw(self, digest: bytes, raw: bytes | None) -> JsonValue:
        if raw is None or _digest(raw) != digest:
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
