"""The SQLite file under the store and its tables: opened whole or not at all, closed at damage."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..platforms.files import why
from .state_dir import StoreError, private_file, private_file_if_any, private_folder, shown

if TYPE_CHECKING:
    import sqlite3


VERSION = 1
"""The number that a store carries as `user_version`; one of any other number is refused."""

LATER = {
    # Consent to start a server of a configuration file.
    "starts": """CREATE TABLE starts (
        digest TEXT PRIMARY KEY,
        file BLOB NOT NULL,
        name BLOB NOT NULL,
        host TEXT NOT NULL,
        facts BLOB NOT NULL,
        bound_to TEXT NOT NULL,
        given_at REAL NOT NULL,
        used_at REAL NOT NULL,
        seal TEXT NOT NULL
    ) WITHOUT ROWID""",
    "recents": """CREATE TABLE recents (
        server_digest BLOB PRIMARY KEY,
        name BLOB NOT NULL,
        shown BLOB NOT NULL,
        words BLOB,
        at REAL NOT NULL,
        outcome BLOB NOT NULL
    ) WITHOUT ROWID""",
    "skills": """CREATE TABLE skills (
        server_digest BLOB PRIMARY KEY,
        document BLOB NOT NULL,
        at REAL NOT NULL
    ) WITHOUT ROWID""",
    # A skill as it was approved last, for the difference from then.
    "approved_skills": """CREATE TABLE approved_skills (
        server_digest BLOB NOT NULL,
        uri BLOB NOT NULL,
        digest BLOB NOT NULL,
        document BLOB NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (server_digest, uri)
    ) WITHOUT ROWID""",
}
"""Tables that a store is given when it is opened, if it has none of the name."""

TABLES = (
    "CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), high REAL NOT NULL)",
    "INSERT INTO clock VALUES (1, 0)",
    # AUTOINCREMENT: the number of a revoked approval is never given to another one.
    """CREATE TABLE grants (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        server_digest BLOB NOT NULL,
        server_name BLOB NOT NULL,
        server_shown BLOB NOT NULL,
        tool BLOB NOT NULL,
        definition BLOB NOT NULL,
        arguments BLOB,
        session BLOB,
        given_at REAL NOT NULL,
        expires_at REAL,
        runs BLOB,
        uses INTEGER NOT NULL DEFAULT 0,
        last_used_at REAL,
        seal TEXT NOT NULL,
        CHECK (session IS NOT NULL OR expires_at IS NOT NULL)
    )""",
    "CREATE INDEX grants_of_tool ON grants (server_digest, tool)",
    """CREATE TABLE servers (
        id INTEGER PRIMARY KEY,
        server_digest BLOB NOT NULL UNIQUE,
        name BLOB NOT NULL,
        first_at REAL NOT NULL,
        last_at REAL NOT NULL
    )""",
    "CREATE TABLE definitions (digest BLOB NOT NULL UNIQUE, raw BLOB NOT NULL)",
    # For a version that is listed now, `servers.last_at` is when it was last seen.
    """CREATE TABLE versions (
        server INTEGER NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
        tool BLOB NOT NULL,
        digest BLOB NOT NULL REFERENCES definitions (digest),
        first_at REAL NOT NULL,
        last_at REAL NOT NULL,
        approved_at REAL,
        PRIMARY KEY (server, tool, digest)
    ) WITHOUT ROWID""",
    "CREATE INDEX versions_of_definition ON versions (digest)",
    """CREATE TABLE listing (
        server INTEGER NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        tool BLOB NOT NULL,
        digest BLOB NOT NULL,
        PRIMARY KEY (server, place)
    ) WITHOUT ROWID""",
    # A preset is a row with a name. AUTOINCREMENT: a deleted row may still be on a screen.
    """CREATE TABLE arguments (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        server_digest BLOB NOT NULL,
        tool BLOB NOT NULL,
        name BLOB,
        at REAL NOT NULL,
        size INTEGER NOT NULL,
        digest BLOB NOT NULL,
        document BLOB,
        not_kept BLOB NOT NULL,
        outcome BLOB NOT NULL,
        sent INTEGER NOT NULL,
        invalid INTEGER NOT NULL,
        times INTEGER NOT NULL,
        seal TEXT NOT NULL,
        UNIQUE (server_digest, tool, name)
    )""",
    *LATER.values(),
)
"""The statements that make them in an empty file."""

CHECKED_AT_OPENING = ("clock", "grants")
"""Tables small enough to be looked through each time; the others are checked as they are read."""


FILE_NAME = "store.sqlite3"
APPLICATION_ID = 0x5369676E
"""`Sign` in ASCII, in the header of the file."""
BUSY_SECONDS = 0.25
OPENING_SECONDS = 1.0
"""Two Signoffs that start at once make the same file."""
COMPANIONS = ("-wal", "-shm", "-journal")
START_ANEW = "`signoff grants clear --reset` moves it aside and starts a new one"

# Primary result codes of SQLite that do not mean a damaged file (https://sqlite.org/rescode.html).
_PASSING = {
    3: "it may not be accessed",
    5: "another program is using it",
    6: "another program is using it",
    7: "there is not enough memory",
    8: "it cannot be written to",
    9: "interrupted",
    10: "reading or writing failed; the disk may be full or failing",
    13: "the disk is full",
    14: "it cannot be opened",
}
_BUSY, _CORRUPT, _NOT_A_DATABASE = 5, 11, 26
_PAUSE = 0.003


class Database:
    """One connection, usable from any thread. `problem` is why it cannot be used, '' if it can.

    Once damage is found the connection is closed and stays closed; the file is left as it is.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection | None, problem: str = ""
    ) -> None:
        self.path = path
        self.problem = problem
        self._connection = connection
        self._lock = threading.RLock()
        self._patience = OPENING_SECONDS
        self._file = _file_at(path) if connection is not None else None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """For one statement that reads. Raises StoreError."""
        with self._lock, self._in_words() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction, on the disk when the block has been left; undone by any exception.

        Raises StoreError.
        """
        import sqlite3

        with self._lock, self._in_words() as connection:
            try:
                _begin(connection, self._patience)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    @property
    def mark(self) -> tuple[int, int]:
        """Another one once anything was written, here or by another program. Raises StoreError."""
        with self._lock, self._in_words() as connection:
            return connection.total_changes, _number(connection, "data_version")

    def settle(self) -> None:
        """The opening is over: from here on another writer is waited for only briefly."""
        self._patience = BUSY_SECONDS

    def damaged(self, what: str) -> StoreError:
        """Close for good, since `what` was found; returns the error to raise."""
        return self._give_up(f"{shown(self.path)} is damaged ({what}); {START_ANEW}")

    def close(self) -> None:
        """Close the connection; nothing is remembered from here on."""
        self._give_up("the store has been closed")

    def _give_up(self, words: str) -> StoreError:
        with self._lock:
            connection, self._connection = self._connection, None
            self.problem = self.problem or words
            if connection is not None:
                _close(connection)
        return StoreError(words)

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        if self._connection is None:
            raise StoreError(self.problem)
        if _file_at(self.path) != self._file:
            # What was removed or moved aside must not go on to approve anything.
            raise self._give_up(f"{shown(self.path)} was moved or removed while it was in use")
        try:
            yield self._connection
        except sqlite3.Error as problem:
            words, is_final = _words_of(problem, self.path)
            raise self._give_up(words) if is_final else StoreError(words) from None


def open_database(folder: Path) -> Database:
    """Open the store in `folder`, made with the rights of its owner only if it is missing.

    Raises StoreError if it cannot be used, whatever the reason; nothing is repaired or deleted.
    To be settled once it has been tidied.
    """
    import sqlite3

    path = private_file(private_folder(folder) / FILE_NAME)
    _check_companions(path)
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            timeout=OPENING_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as problem:
        raise StoreError(_words_of(problem, path)[0]) from None
    try:
        _prepare(connection, path)
    except BaseException as problem:
        _close(connection)
        if isinstance(problem, sqlite3.Error):
            raise StoreError(_words_of(problem, path)[0]) from None
        raise
    return Database(path, connection)


def database_of_session() -> Database:
    """A database with all tables that is nowhere but in memory. Raises StoreError."""
    import sqlite3

    # A file that is always there and always the same one.
    path = Path(os.devnull)
    try:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for statement in TABLES:
            connection.execute(statement)
    except sqlite3.Error as problem:
        raise StoreError(_words_of(problem, path)[0]) from None
    return Database(path, connection)


def move_aside(folder: Path, now: float) -> Path | None:
    """Keep the store under another name, to be looked into; returns it, None if there was none.

    Raises StoreError. A Signoff that has it open remembers nothing from then on.
    """
    path = private_folder(folder) / FILE_NAME
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    number = 1
    while os.path.lexists(aside := path.with_name(f"store-aside-{stamp}-{number}.sqlite3")):
        number += 1
    try:
        # The file before its log: a database without its log would undo the last revocations.
        for ending in ("", *COMPANIONS):
            if os.path.lexists(f"{path}{ending}"):
                os.rename(f"{path}{ending}", f"{aside}{ending}")
    except OSError as problem:
        raise StoreError(f"{shown(path)} cannot be moved aside: {why(problem)}") from None
    return aside if os.path.lexists(aside) else None


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Deleted content is overwritten.
    for setting in (
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "foreign_keys=ON",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {setting}")
    # In one transaction: another Signoff may be making the tables.
    connection.execute("BEGIN")
    version = _number(connection, "user_version")
    application = _number(connection, "application_id")
    is_empty = version == 0 and _is_empty(connection)
    connection.execute("COMMIT")
    if application != APPLICATION_ID and not (application == 0 and is_empty):
        raise StoreError(f"{shown(path)} is not a store of Signoff; {START_ANEW}")
    if version not in (0, VERSION):
        words = f"is of a newer Signoff (version {version}, this one knows {VERSION})"
        raise StoreError(f"{shown(path)} {words}; {START_ANEW}")
    if version == 0 and not is_empty:
        raise StoreError(f"{shown(path)} is damaged (it has no version); {START_ANEW}")
    _insist(connection, "PRAGMA journal_mode=WAL", OPENING_SECONDS)
    # A power cut must not bring back what has been revoked.
    connection.execute("PRAGMA synchronous=FULL")
    if version:
        _make_later_tables(connection)
    else:
        _make_tables(connection)
    for table in CHECKED_AT_OPENING:
        found = connection.execute(f"PRAGMA quick_check({table})").fetchone()
        if found != ("ok",):
            raise StoreError(f"{shown(path)} is damaged (table {table}); {START_ANEW}")


def _make_tables(connection: sqlite3.Connection) -> None:
    _begin(connection, OPENING_SECONDS)
    # Another Signoff may have been faster.
    if not _number(connection, "user_version"):
        for statement in TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("COMMIT")


def _make_later_tables(connection: sqlite3.Connection) -> None:
    """Make the tables that the store has not: it may be older than they are."""
    if not _missing(connection):
        return
    _begin(connection, OPENING_SECONDS)
    for name in _missing(connection):
        connection.execute(LATER[name])
    connection.execute("COMMIT")


def _missing(connection: sqlite3.Connection) -> list[str]:
    known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    return [name for name in LATER if name not in known]


def _begin(connection: sqlite3.Connection, patience: float) -> None:
    """Begin to write. SQLite itself asks ever more rarely whether others have finished."""
    connection.execute("PRAGMA busy_timeout=0")
    try:
        _insist(connection, "BEGIN IMMEDIATE", patience)
    finally:
        connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")


def _insist(connection: sqlite3.Connection, statement: str, patience: float) -> None:
    """Execute a statement, again and again while another program is in the way, for some seconds.

    SQLite does not wait where two turn on write-ahead logging at once.
    """
    import sqlite3

    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute(statement).fetchone()
        except sqlite3.OperationalError as problem:
            if _code(problem) != _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _check_companions(path: Path) -> None:
    for ending in COMPANIONS:
        companion = path.with_name(path.name + ending)
        try:
            found = private_file_if_any(companion)
        except StoreError:
            if os.path.lexists(companion):
                raise
            continue  # the Signoff that used it has just ended
        if ending == "-wal" and found and _length(found) and not _length(path):
            # SQLite would take the file for a new one and delete the log.
            raise StoreError(
                f"{shown(path)} is damaged (it is empty, its log is not); {START_ANEW}"
            )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _close(connection: sqlite3.Connection) -> None:
    import sqlite3

    with contextlib.suppress(sqlite3.Error):
        connection.close()


def _code(problem: sqlite3.Error) -> int:
    return int(getattr(problem, "sqlite_errorcode", 0)) & 0xFF


def _words_of(problem: sqlite3.Error, path: Path) -> tuple[str, bool]:
    """Describe the error; True if the file must no longer be used."""
    code = _code(problem)
    if code in _PASSING:
        return f"{shown(path)}: {_PASSING[code]}", False
    what = {_CORRUPT: "its pages are inconsistent", _NOT_A_DATABASE: "it is not a database"}
    words = what.get(code) or shown(str(problem))
    return f"{shown(path)} is damaged ({words}); {START_ANEW}", True
