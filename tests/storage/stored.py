"""A store with something in it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signoff.app.approval.grants import Grant, Remember, Scope, new_grant
from signoff.app.approval.snapshot import Snapshot
from signoff.app.content.json.jsonio import JsonValue, digest
from signoff.app.storage.store import Store

NOW = 1_800_000_000.0
"""Some day in 2027, seconds since the epoch."""
SESSION = "this run"
FILE = "store.sqlite3"


def snapshot(
    tool: str = "delete_file",
    definition: str = "d1",
    arguments: str = '{"path": "a"}',
    server: str = "demo server",
) -> Snapshot:
    return Snapshot(server, definition, tool, arguments)


def grant(
    scope: Scope = Scope.UNTIL,
    of: Snapshot | None = None,
    *,
    days: int = 7,
    session: str = SESSION,
    at: float = NOW,
) -> Grant:
    made = new_grant(of or snapshot(), "demo", Remember(scope, days), session, at)
    assert made is not None
    return made


def opened(folder: Path, now: float = NOW) -> Store:
    """A store that can be used."""
    store = Store.open(folder, now)
    assert store.problem == "", store.problem
    return store


def definition(name: str, **more: JsonValue) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def entries(*raws: dict[str, Any]) -> list[tuple[str, str, JsonValue]]:
    """What the history is given, made of raw definitions."""
    return [(raw["name"], digest(raw), raw) for raw in raws]


def file_bytes(folder: Path) -> bytes:
    return (folder / FILE).read_bytes()


def copied(folder: Path, to: Path) -> Path:
    """A copy of a store that nobody has open."""
    shutil.copytree(folder, to)
    return to


def is_whole(folder: Path) -> bool:
    """Whether SQLite finds nothing wrong in the whole file."""
    connection = sqlite3.connect(folder / FILE)
    try:
        checks: Sequence[Any] = connection.execute("PRAGMA integrity_check").fetchall()
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    finally:
        connection.close()
    return checks == [("ok",)] and orphans == []
