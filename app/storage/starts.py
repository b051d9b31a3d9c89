"""Consents to start configured servers, the servers that were opened last, and running sessions.

A running session holds a lock that the system drops when it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..content.frozen import frozen
from ..platforms.files import NO_LINK, open_file, why
from ..platforms.locks import try_lock, wait_for_lock
from .database import Database
from .keys import as_key, as_text, is_time, seal, server_key
from .state_dir import FILE_MODE, StoreError, private_folder, shown

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


class Sessions:
    """Lock files in a folder of their own, one for each session that has something to lose.

    A lock is better than a process id: it holds across containers, and no number is used again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()

    def begin(self, session: str) -> None:
        """Hold the lock of a session of this process. Raises StoreError."""
        with self._guard:
            if session in self._held:
                return
            try:
                private_folder(self._folder)
                self._held[session] = _hold(self._path(session))
            except OSError as problem:
                words = f"{shown(self._folder)}: a session cannot be marked as running"
                raise StoreError(f"{words}: {why(problem)}") from None

    def end(self, session: str) -> None:
        """Release the lock of a session; nothing happens if it never began."""
        with self._guard:
            held = self._held.pop(session, None)
            if held is not None:
                with contextlib.suppress(OSError):
                    self._path(session).unlink()
                os.close(held)

    @property
    def held(self) -> tuple[str, ...]:
        with self._guard:
            return tuple(self._held)

    def is_gone(self, session: str) -> bool:
        """True if no process holds it any more; in doubt it is alive."""
        return _is_free(self._path(session))

    def tidy(self) -> None:
        """Remove lock files without a holder."""
        with contextlib.suppress(OSError), os.scandir(self._folder) as found:
            for entry in found:
                _is_free(Path(entry.path))

    def _path(self, session: str) -> Path:
        return self._folder / hashlib.sha256(as_key(session)).hexdigest()[:32]


def _hold(path: Path) -> int:
    """An open and locked file. Raises OSError."""
    while True:
        held = open_file(path, os.O_RDWR | os.O_CREAT | NO_LINK, FILE_MODE)
        try:
            wait_for_lock(held, shared=True)
            if _is_at(held, path):
                return held
        except BaseException:
            os.close(held)
            raise
        os.close(held)  # somebody tidied up between opening and locking


def _is_free(path: Path) -> bool:
    """True if the lock has no holder; a free file is removed."""
    try:
        held = open_file(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        try_lock(held)
        if _is_at(held, path):
            path.unlink()
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def _is_at(held: int, path: Path) -> bool:
    try:
        here, there = os.fstat(held), os.lstat(path)
    except FileNotFoundError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
