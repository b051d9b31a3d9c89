"""Consents to start configured servers, and the servers that were opened last, on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ..content.frozen import frozen
from .database import Database
from .keys import as_key, as_text, is_time, seal, server_key
from .state_dir import StoreError

if TYPE_CHECKING:
    import sqlite3

STARTS_MAX: Final = 1_000
RECENTS_MAX: Final = 30


@frozen
class StartConsent:
    """Consent of a person to exactly one start of a server of a configuration file."""

    digest: str
    """Of all that the start consists of; the key."""
    file: str
    name: str
    host: str
    facts: dict[str, list[str]]
    """What the person saw, by its labels: masked."""
    bound_to: str
    """SHA-256 of the file, or of the entry."""
    given_at: float
    used_at: float = 0.0


class StartBook:
    """Every method may be called from any thread. Times are seconds since the epoch.

    Where the store cannot be used, it is as if it were empty, and `keep` raises StoreError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, consent: StartConsent) -> None:
        """Keep a consent, in place of one of the same digest. Raises StoreError."""
        if self._database.problem:
            raise StoreError(self._database.problem)
        values = _values(consent)
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO starts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*values, float(consent.given_at), seal(values)],
            )
            _bound(connection, "starts", "used_at", STARTS_MAX)

    def use(self, digest: str, now: float) -> bool:
        """True if a person has consented to exactly this start; the time is noted."""
        if self._database.problem:
            return False
        with self._database.writing() as connection:
            row = connection.execute(f"{_SELECT} WHERE digest = ?", [digest]).fetchone()
            if row is None:
                return False
            self._read(row)
            connection.execute("UPDATE starts SET used_at = ? WHERE digest = ?", [now, digest])
        return True

    def latest(self, file: str, name: str) -> StartConsent | None:
        """The newest consent for a server of this name in this file."""
        found = self._rows("WHERE file = ? AND name = ?", as_key(file), as_key(name))
        return found[0] if found else None

    def all(self) -> tuple[StartConsent, ...]:
        """All consents, the newest first."""
        return self._rows("")

    def forget(self, digests: list[str]) -> int:
        """Forget consents by the beginnings of their digests; returns their number."""
        if self._database.problem:
            return 0
        count = 0
        with self._database.writing() as connection:
            for one in digests:
                done = connection.execute("DELETE FROM starts WHERE digest = ?", [one])
                count += done.rowcount
        return count

    def clear(self) -> int:
        """Forget all consents; returns their number."""
        return self.forget([one.digest for one in self.all()])

    def _rows(self, where: str, *values: Any) -> tuple[StartConsent, ...]:
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{_SELECT} {where} ORDER BY given_at DESC, digest", values
            ).fetchall()
            return tuple(self._read(row) for row in rows)

    def _read(self, row: tuple[Any, ...]) -> StartConsent:
        """Raises StoreError, and the store ends, where a row is not as it was written."""
        try:
            digest, file, name, host, facts, bound_to, given_at, used_at, sealed = row
            found = StartConsent(
                digest,
                as_text(file),
                as_text(name),
                host,
                json.loads(as_text(facts)),
                bound_to,
                given_at,
                used_at,
            )
            is_whole = is_time(given_at) and is_time(used_at) and sealed == seal(_values(found))
        except (ValueError, TypeError, AttributeError):
            is_whole = False
        if not is_whole:
            raise self._database.damaged("consent to a start")
        return found


_SELECT: Final = (
    "SELECT digest, file, name, host, facts, bound_to, given_at, used_at, seal FROM starts"
)


def _values(consent: StartConsent) -> list[Any]:
    facts = json.dumps(consent.facts, sort_keys=True)
    return [
        consent.digest,
        as_key(consent.file),
        as_key(consent.name),
        consent.host,
        as_key(facts),
        consent.bound_to,
        float(consent.given_at),
    ]


def _bound(connection: sqlite3.Connection, table: str, order: str, most: int) -> None:
    key = "digest" if table == "starts" else "server_digest"
    connection.execute(
        f"DELETE FROM {table} WHERE {key} NOT IN"
        f" (SELECT {key} FROM {table} ORDER BY {order} DESC LIMIT {most})"
    )


@frozen
class RecentServer:
    """A server that was opened, and how its last session ended."""

    key: bytes
    """Digest of its identity."""
    name: str
    shown: str
    """Its command or address, masked."""
    words: tuple[str, ...]
    """The words of the command line that open it again; none if they would have a secret."""
    folder: str
    """The folder that it was started in; empty for an address."""
    at: float
    """When it was opened last."""
    outcome: str
    """How that ended: empty while it has not."""


class RecentBook:
    """The servers that were opened last; every method may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(
        self,
        identity: str,
        name: str,
        shown: str,
        words: tuple[str, ...],
        folder: str,
        at: float,
        outcome: str,
    ) -> None:
        """Note a server; the same one is one row. Does nothing without a store."""
        if self._database.problem:
            return
        row = [
            server_key(identity),
            as_key(name),
            as_key(shown),
            as_key(json.dumps([folder, *words])) if words else None,
            float(at),
            as_key(outcome),
        ]
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO recents VALUES (?, ?, ?, ?, ?, ?)", row)
            _bound(connection, "recents", "at", RECENTS_MAX)

    def all(self) -> tuple[RecentServer, ...]:
        """The servers, the newest first."""
        if self._database.problem:
            return ()
        with self._database.reading() as connection:
            rows = connection.execute("SELECT * FROM recents ORDER BY at DESC").fetchall()
            return tuple(map(self._read, rows))

    def forget(self, key: bytes) -> bool:
        """Forget a server; False if there is none of this key."""
        if self._database.problem:
            return False
        with self._database.writing() as connection:
            done = connection.execute("DELETE FROM recents WHERE server_digest = ?", [key])
            return done.rowcount > 0

    def clear(self) -> int:
        """Forget all of them; returns their number."""
        return sum(self.forget(one.key) for one in self.all())

    def _read(self, row: tuple[Any, ...]) -> RecentServer:
        try:
            key, name, shown, words, at, outcome = row
            folder, *again = map(str, json.loads(as_text(words))) if words is not None else [""]
            found = RecentServer(
                key, as_text(name), as_text(shown), tuple(again), folder, at, as_text(outcome)
            )
            is_whole = is_time(at)
        except (ValueError, TypeError, AttributeError):
            is_whole = False
        if not is_whole:
            raise self._database.damaged("recent server")
        return found
