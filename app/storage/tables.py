"""The tables of the store, step by step from one version to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import sqlite3


def _keep_no_secrets(connection: sqlite3.Connection) -> None:
    # Imported here, since it is taken once in the life of a store.
    from .without_secrets import keep_no_secrets

    keep_no_secrets(connection)


Step: TypeAlias = "str | Callable[[sqlite3.Connection], None]"
"""A statement, or what a statement cannot do; both inside of the transaction of all steps."""

STEPS: tuple[tuple[Step, ...], ...] = (
    (
        "CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), high REAL NOT NULL)",
        "INSERT INTO clock VALUES (1, 0)",
        # AUTOINCREMENT: the number of a revoked approval is never given to another one.
        """CREATE TABLE grants (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            server BLOB NOT NULL,
            server_name BLOB NOT NULL,
            tool BLOB NOT NULL,
            definition BLOB NOT NULL,
            arguments BLOB,
            session BLOB,
            given_at REAL NOT NULL,
            expires_at REAL,
            uses INTEGER NOT NULL DEFAULT 0,
            last_used_at REAL,
            seal TEXT NOT NULL,
            CHECK (session IS NOT NULL OR expires_at IS NOT NULL)
        )""",
        "CREATE INDEX grants_of_tool ON grants (server, tool)",
        """CREATE TABLE servers (
            id INTEGER PRIMARY KEY,
            identity BLOB NOT NULL UNIQUE,
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
    ),
    (
        # A preset is a row with a name. AUTOINCREMENT: what is deleted may still be on a screen.
        """CREATE TABLE arguments (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            server BLOB NOT NULL,
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
            UNIQUE (server, tool, name)
        )""",
    ),
    (
        # Other names, so that a Signoff of before, still running, writes no secret any more.
        "ALTER TABLE grants RENAME COLUMN server TO server_digest",
        "ALTER TABLE grants ADD COLUMN server_shown BLOB NOT NULL DEFAULT x''",
        "ALTER TABLE servers RENAME COLUMN identity TO server_digest",
        "ALTER TABLE arguments RENAME COLUMN server TO server_digest",
        _keep_no_secrets,
    ),
    (
        # What ran when it was approved. The default marks rows of versions that did not know the
        # column; of a server by URL nothing more is known than then.
        "ALTER TABLE grants ADD COLUMN runs BLOB DEFAULT x'00'",
        "UPDATE grants SET runs = NULL WHERE substr(server_shown, 1, 5) = x'687474703a'",
    ),
)
"""What leads from version N to N + 1; `user_version` is how many steps have been taken."""

UNBOUND = b"\x00"
"""In `grants.runs`: an approval that was given without looking at what runs."""

CHECKED_AT_OPENING = ("clock", "grants")
"""Tables small enough to be looked through each time; the others are checked as they are read."""
