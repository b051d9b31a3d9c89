"""The step from a store of before, which kept servers' command lines and some secrets in clear.

What is kept of a server is a digest from then on, names and arguments are masked anew. A row that
is not as it was written ends the step, and the store stays as it is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..calls.argument_history import document_of
from ..content.json.jsonio import JsonValue
from ..schemas.secrets.commands import mask_identity
from ..schemas.secrets.secrets import mask_text
from .keys import as_key, as_text, seal, server_key

if TYPE_CHECKING:
    import sqlite3

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
    """Of each row: the server, and what is secret by its name, its look, or the tool's schema."""
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
