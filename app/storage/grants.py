"""Remembered approvals on disk: found by exact keys, counted and revoked in one step each.

Each is a sealed row of its table. The latest time that the clock has shown is kept: setting the
clock back makes no approval last longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..approval.fingerprint import ServerFingerprint, read_fingerprint
from ..approval.grants import CLOCK_SLACK, Approvable, Grant
from ..schemas.secrets.commands import mask_identity
from ..schemas.secrets.masks import mask_text
from .database import Database
from .keys import as_key, as_text, is_time, seal, server_key
from .starts import Sessions
from .state_dir import StoreError

if TYPE_CHECKING:
    import sqlite3

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

        Raises StoreError if it cannot be kept, and ValueError for one that would never end.
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
            row = [number, *values, uses, used_at, seal(values)]
            done = connection.execute(
                f"INSERT OR REPLACE INTO grants ({COLUMNS}) VALUES ({MARKS})",
                row,
            )
            note_time(connection, grant.given_at)
        return replace(grant, id=done.lastrowid or 0, uses=uses, last_used_at=used_at)

    def find(self, snapshot: Approvable, session: str, now: float) -> Grant | None:
        """The narrowest approval that covers exactly this call in this run and at this time."""
        return self._find(snapshot, session, now, Grant.covers)

    def find_lapsed(self, snapshot: Approvable, session: str, now: float) -> Grant | None:
        """Return an approval that would cover this call if the same program were running."""
        return self._find(snapshot, session, now, Grant.lapsed_for)

    def _find(
        self,
        snapshot: Approvable,
        session: str,
        now: float,
        suits: Callable[[Grant, Approvable, str, float], bool],
    ) -> Grant | None:
        if self._database.problem:
            return None
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE server_digest = ? AND tool = ?"
                " AND definition = ? AND (arguments IS NULL OR arguments = ?)"
                " AND (session IS NULL OR session = ?)"
                " ORDER BY arguments IS NULL, session IS NULL, id DESC",
                [
                    server_key(snapshot.server_identity),
                    as_key(snapshot.tool),
                    as_key(snapshot.definition_digest),
                    as_key(snapshot.arguments_digest),
                    as_key(session),
                ],
            ).fetchall()
            for row in rows:
                grant = self._rows.read(row)
                if suits(grant, snapshot, session, now) and not is_behind(connection, grant, now):
                    return grant
        return None

    def use(self, grant_id: int, session: str, now: float) -> bool:
        """Count one use, if the approval still exists and holds now: only then may the call go.

        True once that is on the disk. Raises StoreError if it could not be written: then the
        call may not go either.
        """
        if self._database.problem or not 0 < grant_id < _ID_MAX:
            return False
        with self._database.writing() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE id = ?", [grant_id]
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
                f"SELECT {COLUMNS} FROM grants WHERE expires_at IS NULL OR expires_at > ?"
                " ORDER BY id DESC",
                [float(now)],
            ).fetchall()
            return tuple(self._rows.read(row) for row in rows)

    def revoke(self, grant_id: int) -> bool:
        """Forget one approval; False if there is none of that number."""
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
        self, server_identity: str, listed: Iterable[tuple[str, str]], *, of_skills: bool = False
    ) -> tuple[Grant, ...]:
        """Forget the approvals of listed tools (name, digest) under any definition not listed.

        Returns those that were forgotten. Approvals of tools that are not listed stay: they cover
        the same definition only, should it come back. `of_skills`: the same for skills (URI,
        digest), and tools are left alone.
        """
        if self._database.problem:
            return ()
        kept: dict[str, set[str]] = {}
        for tool, digest in listed:
            kept.setdefault(tool, set()).add(digest)

        def void(connection: sqlite3.Connection) -> list[Grant]:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM grants WHERE server_digest = ?",
                [server_key(server_identity)],
            ).fetchall()
            grants = [self._rows.read(row) for row in rows]
            return [
                grant
                for grant in grants
                if grant.is_of_skill is of_skills
                and grant.definition_digest not in kept.get(grant.tool, {grant.definition_digest})
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
        """Forget approvals of one run of Signoff, which is over; returns their number."""
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
        """Forget expired approvals and those of runs that are gone; returns their number."""
        if self._database.problem:
            return 0
        with self._database.writing() as connection:
            count = _delete(connection, "expires_at <= ?", float(now))
            # A session that gives an approval holds its lock first.
            sessions = connection.execute(
                "SELECT DISTINCT session FROM grants WHERE session IS NOT NULL"
            ).fetchall()
            for (key,) in sessions:
                if self._sessions.is_gone(self._rows.text(key)):
                    count += _delete(connection, "session = ?", key)
            note_time(connection, now)
        self._sessions.tidy()
        return count

    def clock_words(self, now: float) -> str:
        """The reason why approvals until a date are suspended: the clock went back; '' if not."""
        if self._database.problem:
            return ""
        with self._database.reading() as connection:
            return clock_words(connection, now)


def _delete(connection: sqlite3.Connection, where: str, *values: object) -> int:
    return connection.execute(f"DELETE FROM grants WHERE {where}", values).rowcount


COLUMNS = """id, server_digest, server_name, server_shown, tool, definition, arguments, session,
    given_at, expires_at, runs, uses, last_used_at, seal"""
MARKS = ",".join("?" * len(COLUMNS.split(",")))
Row: TypeAlias = tuple[Any, ...]


def values_of(grant: Grant) -> list[Any]:
    """Return the row of a grant, from `server_digest` on."""
    given_at = float(grant.given_at)
    expires_at = None if grant.expires_at is None else float(grant.expires_at)
    if expires_at is None and grant.session is None:
        raise ValueError("a remembered approval ends with a session or at a time")
    if not is_time(given_at) or not (expires_at is None or is_time(expires_at)):
        raise ValueError("not the times of an approval")
    return [
        as_key(grant.server_digest),
        as_key(mask_text(grant.server_name)),
        as_key(mask_identity(grant.masked_server)),
        as_key(grant.tool),
        as_key(grant.definition_digest),
        None if grant.arguments_digest is None else as_key(grant.arguments_digest),
        None if grant.session is None else as_key(grant.session),
        given_at,
        expires_at,
        None if grant.runs is None else as_key(grant.runs.text),
    ]


class GrantRows:
    """Reads rows; one that is not as it was written ends the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, row: Row) -> Grant:
        """Raises StoreError, and the store ends, where a row is not as it was written."""
        runs, uses, used_at, sealed = row[10:]
        counts = isinstance(uses, int) and (used_at is None or is_time(used_at))
        if not counts or sealed != seal(list(row[1:11])):
            raise self._database.damaged(f"approval {row[0]}")
        return Grant(
            id=row[0],
            server_digest=self.text(row[1]),
            server_name=self.text(row[2]),
            masked_server=self.text(row[3]),
            tool=self.text(row[4]),
            definition_digest=self.text(row[5]),
            arguments_digest=None if row[6] is None else self.text(row[6]),
            session=None if row[7] is None else self.text(row[7]),
            given_at=row[8],
            expires_at=row[9],
            uses=uses,
            last_used_at=used_at,
            runs=None if runs is None else self._fingerprint(row[0], runs),
        )

    def _fingerprint(self, number: object, kept: bytes) -> ServerFingerprint:
        try:
            return read_fingerprint(self.text(kept))
        except ValueError:
            raise self._database.damaged(f"approval {number}") from None

    def text(self, key: bytes) -> str:
        """A text of a row; likewise."""
        try:
            return as_text(key)
        except (AttributeError, UnicodeDecodeError):
            raise self._database.damaged("text that cannot be read") from None


def note_time(connection: sqlite3.Connection, now: float) -> None:
    """The clock shows this time."""
    connection.execute("UPDATE clock SET high = ? WHERE high < ?", [float(now)] * 2)


def _high(connection: sqlite3.Connection) -> float:
    row = connection.execute("SELECT high FROM clock WHERE typeof(high) = 'real'").fetchone()
    return math.inf if row is None else float(row[0])


def is_behind(connection: sqlite3.Connection, grant: Grant, now: float) -> bool:
    """True if the clock went back so far that an approval until a date does not count."""
    return grant.session is None and now < _high(connection) - CLOCK_SLACK


def clock_words(connection: sqlite3.Connection, now: float) -> str:
    """The reason why such approvals are suspended: the clock went back; '' if not."""
    behind = _high(connection) - now
    if behind <= CLOCK_SLACK:
        return ""
    from ..content.text import seconds

    ago = "the time it showed before was lost" if math.isinf(behind) else seconds(behind)
    return (
        f"the clock went back ({ago}): approvals until a date do not count until it has caught up;"
        " `signoff grants clear` forgets them all"
    )
