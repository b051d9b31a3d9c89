"""The tables of the store, step by step from one version to the next.

One step rewrites stores that kept servers' command lines and some secrets in clear: of a server
only a digest is kept from then on, names and arguments are masked again. A damaged row ends the
step, and the store stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ..calls.argument_history import document_of
from ..content.json.jsonio import JsonValue
from ..schemas.secrets.commands import mask_identity
from ..schemas.secrets.secrets import mask_text
from .keys import as_key, as_text, seal, server_key

if TYPE_CHECKING:
    import sqlite3


def _keep_no_secrets(connection: sqlite3.Connection) -> None:
    # Imported here, since it is taken once in the life of a store.
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


SCHEMAS_MAX = 5
"""Definitions of a tool, the newest first, that say which of its arguments are secret."""


def keep_no_secrets(connection: sqlite3.Connection) -> None:
    """Rewrite every row that may hold a secret. Raises ValueError for one that is damaged."""
    try:
        _rewrite_arguments(connection)
        _rewrite_grants(connection)
        _rewrite_servers(connection)
    except (AttributeError, TypeError) as problem:
        raise ValueError("a row that cannot be read") from problem


def _rewrite_grants(connection: sqlite3.Connection) -> None:
    rows = connection.execute(
        "SELECT id, seal, server_digest, server_name, tool, definition, arguments, session,"
        " given_at, expires_at FROM grants"
    ).fetchall()
    for number, old_seal, server, name, *rest in rows:
        _insist(old_seal == seal([server, name, *rest]), f"approval {number}")
        identity = as_text(server)
        values = [
            server_key(identity),
            as_key(mask_text(as_text(name))),
            as_key(mask_identity(identity)),
            *rest,
        ]
        connection.execute(
            "UPDATE grants SET server_digest = ?, server_name = ?, server_shown = ?, seal = ?"
            " WHERE id = ?",
            [*values[:3], seal(values), number],
        )


def _rewrite_servers(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT id, server_digest, name FROM servers").fetchall()
    for number, identity, name in rows:
        connection.execute(
            "UPDATE servers SET server_digest = ?, name = ? WHERE id = ?",
            [server_key(as_text(identity)), as_key(mask_text(as_text(name))), number],
        )


def _rewrite_arguments(connection: sqlite3.Connection) -> None:
    """Rewrite each row: the server as digest, secrets by name, look or the tool's schema."""
    rows = connection.execute(
        "SELECT id, seal, server_digest, tool, name, at, size, digest, document, not_kept, outcome,"
        " sent, invalid, times FROM arguments"
    ).fetchall()
    known: dict[tuple[bytes, bytes], list[JsonValue]] = {}
    for number, old_seal, *values in rows:
        _insist(old_seal == seal(values), f"arguments {number}")
        server, tool, _, _, _, _, document, not_kept, *_ = values
        if (server, tool) not in known:
            known[server, tool] = _schemas(connection, server, tool)
        values[0] = server_key(as_text(server))
        if document is not None:
            values[5:8] = _masked(as_text(document), json.loads(not_kept), known[server, tool])
        connection.execute(
            "UPDATE arguments SET server_digest = ?, digest = ?, document = ?, not_kept = ?,"
            " seal = ? WHERE id = ?",
            [values[0], *values[5:8], seal(values), number],
        )


def _masked(text: str, not_kept: list[list[Any]], schemas: list[JsonValue]) -> list[Any]:
    """Digest, document and places of arguments that every schema has been asked about."""
    kept = document_of(text)
    places = [*map(tuple, not_kept), *kept.not_kept]
    for schema in schemas:
        if kept.text is None:
            break
        kept = document_of(kept.text, schema)
        places += kept.not_kept
    return [
        as_key(kept.digest),
        None if kept.text is None else as_key(kept.text),
        json.dumps(list(dict.fromkeys(places))).encode("ascii"),
    ]


def _schemas(connection: sqlite3.Connection, server: bytes, tool: bytes) -> list[JsonValue]:
    rows = connection.execute(
        "SELECT raw FROM versions AS v JOIN servers AS s ON v.server = s.id"
        " JOIN definitions USING (digest) WHERE s.server_digest = ? AND v.tool = ?"
        " ORDER BY v.last_at DESC LIMIT ?",
        [server, tool, SCHEMAS_MAX],
    ).fetchall()
    found = [json.loads(raw) for (raw,) in rows]
    return [one.get("inputSchema") for one in found if isinstance(one, dict)]


def _insist(is_so: bool, what: str) -> None:
    if not is_so:
        raise ValueError(what)
