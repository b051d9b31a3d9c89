"""The tables of the store."""

from __future__ import annotations

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
