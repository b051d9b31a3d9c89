"""Remembered approvals on disk: found by exact keys, counted and revoked in one step each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..approval.grants import Grant
from .clock import clock_words, is_behind, note_time
from .database import Database
from .grant_rows import COLUMNS, MARKS, GrantRows, seal_of, values_of
from .keys import as_key, server_key
from .place import StoreError
from .sessions import Sessions
from .tables import UNBOUND

if TYPE_CHECKING:
    import sqlite3

    from ..approval.snapshot import Snapshot

_ID_MAX = 2**63


class GrantBook:
    """Every method may be called from any thread. Times are seconds since the epoch.

    Where the store cannot be used, it is as if it were empty, and only `give` raises StoreError. An
    operation that fails although the store was good raises StoreError and has changed nothing.
    """

    def __init__(self, database: Database, sessions: Sessions) -> None:
        self._database = database
        self._sessions = sessions
        self._rows = GrantRows(database)

    def give(self, grant: Grant) -> Grant:
        """Keep an approval; returns it with its id. The same approval given again is renewed.

        Raises StoreError where it cannot be kept, and ValueError for one that would never end.
        """
        values = values_of(grant)
        if self._database.problem:
            raise StoreError(self._database.problem)
        if grant.session is not None:
            self._sessions.begin(grant.session)
        with self._database.writing() as connection:
            if grant.session is None and (words := clock_words(connection, grant.given_at)):
                raise StoreError(words)
            connection.execute("DELETE FROM grants WHERE expires_at <= ?", [grant.given_at])
            same = connection.execute(
                "SELECT id, uses, last_used_at FROM grants WHERE server_digest = ? AND tool = ?"
                " AND definition = ? AND arguments IS ? AND session IS ? AND runs IS ?",
                [values[0], *values[3:7], values[9]],
            ).fetchone()
            number, uses, used_at = same or (None, 0, None)
            row = [number, *values[:9], uses, used_at, seal_of(values), values[9]]
            done = connection.execute(
                f"INSERT OR REPLACE INTO grants ({COLUMNS}) VALUES ({MARKS})",
                row,
            )
            note_time(connection, grant.given_at)
        return replace(grant, id=done.lastrowid or 0, uses=uses, last_used_at=used_at)

    def find(self, snapshot: Snapshot, session: str, now: float) -> Grant | None:
        """The narrowest approval that covers exactly this call in this run and at this time."""
        return self._find(snapshot, session, now, Grant.covers)

    def find_lapsed(self, snapshot: Snapshot, session: str, now: float) -> Grant | None:
        """An approval that would cover this call, were what runs what ran when it was given."""
        return self._find(snapshot, session, now, Grant.lapsed_for)

    def _find(
        self,
        snapshot: Snapshot,
        session: str,
        now: float,
        suits: Callable[[Grant, Snapshot, str, float], bool],
    ) -> Grant | None:
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE server_digest = ? AND tool = ?"
                " AND definition = ? AND (arguments IS NULL OR arguments = ?)"
                " AND (session IS NULL OR session = ?) AND runs IS NOT ?"
                " ORDER BY arguments IS NULL, session IS NULL, id DESC",
                [
                    server_key(snapshot.server_identity),
                    as_key(snapshot.tool),
                    as_key(snapshot.definition_digest),
                    as_key(snapshot.arguments_digest),
                    as_key(session),
                    UNBOUND,
                ],
            ).fetchall()
            for row in rows:
                grant = self._rows.read(row)
                if suits(grant, snapshot, session, now) and not is_behind(connection, grant, now):
                    return grant
        return None

    def use(self, grant_id: int, session: str, now: float) -> bool:
        """Count one use, if the approval still exists and holds now: only then may the call go.

        True once that is on the disk. Raises StoreError where it could not be written: then the
        call may not go either.
        """
        if self._database.problem or not 0 < grant_id < _ID_MAX:
            return False
        with self._database.writing() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE id = ? AND runs IS NOT ?",
                [grant_id, UNBOUND],
            ).fetchone()
            grant = None if row is None else self._rows.read(row)
            may_go = (
                grant is not None
                and grant.is_current(session, now)
                and not is_behind(connection, grant, now)
            )
            if may_go:
                connection.execute(
                    "UPDATE grants SET uses = uses + 1, last_used_at = ? WHERE id = ?",
                    [float(now), grant_id],
                )
                note_time(connection, now)
        return may_go

    def all(self, now: float) -> tuple[Grant, ...]:
        """Everything that is remembered and has not expired, of every run, newest first."""
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE (expires_at IS NULL OR expires_at > ?)"
                " AND runs IS NOT ? ORDER BY id DESC",
                [float(now), UNBOUND],
            ).fetchall()
            return tuple(self._rows.read(row) for row in rows)

    def revoke(self, grant_id: int) -> bool:
        """Forget one approval; False where there is none of that number."""
        if self._database.problem or not 0 < grant_id < _ID_MAX:
            return False
        with self._database.writing() as connection:
            return _delete(connection, "id = ?", grant_id) > 0

    def clear(self) -> int:
        """Forget every approval, of every run, and the times that the clock has shown."""
        if self._database.problem:
            return 0
        with self._database.writing() as connection:
            count = _delete(connection, "TRUE")
            connection.execute("UPDATE clock SET high = 0")
            return count

    def void_against(
        self, server_identity: str, listed: Iterable[tuple[str, str]]
    ) -> tuple[Grant, ...]:
        """Forget the approvals of listed tools (name, digest) under any definition not listed.

        Returns those that were forgotten. Approvals of tools that are not listed stay: they cover
        the same definition only, should it come back.
        """
        if self._database.problem:
            return ()
        kept: dict[str, set[str]] = {}
        for tool, digest in listed:
            kept.setdefault(tool, set()).add(digest)

        def void(connection: sqlite3.Connection) -> list[Grant]:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE server_digest = ? AND runs IS NOT ?",
                [server_key(server_identity), UNBOUND],
            ).fetchall()
            grants = [self._rows.read(row) for row in rows]
            return [
                grant
                for grant in grants
                if grant.definition_digest not in kept.get(grant.tool, {grant.definition_digest})
            ]

        with self._database.reading() as connection:
            if not void(connection):
                return ()
        with self._database.writing() as connection:
            found = void(connection)
            for grant in found:
                _delete(connection, "id = ?", grant.id)
        return tuple(found)

    def end_session(self, session: str) -> int:
        """Forget what was approved for one run of Signoff, which is over; returns how many."""
        try:
            if self._database.problem:
                return 0
            key = as_key(session)
            with self._database.reading() as connection:
                found = connection.execute(
                    "SELECT 1 FROM grants WHERE session = ? LIMIT 1", [key]
                ).fetchone()
            if found is None:
                return 0
            with self._database.writing() as connection:
                return _delete(connection, "session = ?", key)
        finally:
            self._sessions.end(session)

    def sweep(self, now: float) -> int:
        """Forget what has expired and what belongs to runs that are gone; returns how many."""
        if self._database.problem:
            return 0
        with self._database.writing() as connection:
            count = _delete(connection, "expires_at <= ?", float(now))
            # Whoever gives an approval for a session holds its lock first.
            sessions = connection.execute(
                "SELECT DISTINCT session FROM grants WHERE session IS NOT NULL"
            ).fetchall()
            for (key,) in sessions:
                if self._sessions.is_gone(self._rows.text(key)):
                    count += _delete(connection, "session = ?", key)
            note_time(connection, now)
        self._sessions.tidy()
        return count

    def end_unbound(self, now: float) -> tuple[Grant, ...]:
        """Forget what an older Signoff has kept that says nothing of what ran then.

        Returns what would have counted still.
        """
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            query = "SELECT 1 FROM grants WHERE runs = ? LIMIT 1"
            if connection.execute(query, [UNBOUND]).fetchone() is None:
                return ()
        with self._database.writing() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE runs = ? ORDER BY id", [UNBOUND]
            ).fetchall()
            _delete(connection, "runs = ?", UNBOUND)
        grants = [self._rows.read((*row[:-1], None)) for row in rows]
        return tuple(one for one in grants if one.expires_at is None or one.expires_at > now)

    def clock_words(self, now: float) -> str:
        """Why approvals until a date are not honoured now: the clock went back; '' if they are."""
        if self._database.problem:
            return ""
        with self._database.reading() as connection:
            return clock_words(connection, now)


def _delete(connection: sqlite3.Connection, where: str, *values: object) -> int:
    return connection.execute(f"DELETE FROM grants WHERE {where}", values).rowcount
