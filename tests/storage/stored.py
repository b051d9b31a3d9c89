"""A store with something in it."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from signoff.app.approval.grants import Grant, Remember, Scope, new_grant
from signoff.app.approval.snapshot import Snapshot
from signoff.app.calls.argument_history import ArgumentDocument
from signoff.app.content.json.jsonio import JsonValue, digest
from signoff.app.storage.arguments import Noted
from signoff.app.storage.starts import StartConsent
from signoff.app.storage.store import Store, StoreError

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


NOTED = Noted("rm", ArgumentDocument('{"path":"a"}', 12, "d1"), NOW, outcome="ok", was_sent=True)
CONSENT = StartConsent("d1", "mcp.json", "demo", "claude-code", {"command": ["x"]}, "d2", NOW)

SNAPSHOTS = [snapshot(tool) for tool in ("delete_file", "delete_filf", "delete_fil", "rm")]


def fill(folder: Path) -> Path:
    """Make a store with approvals and a history, and close it; returns its folder."""
    with opened(folder) as store:
        store.grants.give(grant(of=SNAPSHOTS[0]))
        store.grants.give(grant(of=SNAPSHOTS[3], days=30))
        tools = [definition(f"tool{number}", description="d" * 300) for number in range(30)]
        store.history.record("demo server", "demo", entries(*tools), NOW)
        _, digest, _ = entries(tools[0])[0]
        store.history.approved("demo server", "tool0", digest, NOW)
        store.arguments.add("demo server", [NOTED])
        store.starts.keep(CONSENT)
        store.recents.note("demo server", "demo", "demo server", ("demo",), "", NOW, "ok")
    return folder


def use_everything(store: Store) -> None:
    """Every method; a failing one ends with StoreError."""
    grants, history, arguments = store.grants, store.history, store.arguments
    actions: list[Callable[[], object]] = [
        lambda: [grants.find(one, SESSION, NOW) for one in SNAPSHOTS],
        lambda: grants.all(NOW),
        lambda: grants.clock_words(NOW),
        lambda: grants.use(1, SESSION, NOW),
        lambda: history.last_list("demo server"),
        lambda: history.definitions("demo server"),
        lambda: history.versions("demo server", "tool1"),
        lambda: history.last_approved("demo server", "tool0"),
        lambda: history.digest_approved("demo server", "tool0"),
        lambda: history.record("demo server", "demo", entries(definition("new")), NOW),
        lambda: grants.void_against("demo server", [("rm", "d2")]),
        lambda: grants.give(grant(of=snapshot("other"))),
        lambda: arguments.all("demo server", "rm"),
        lambda: arguments.add("demo server", [NOTED]),
        lambda: arguments.clear("demo server", "rm"),
        lambda: store.starts.all(),
        lambda: store.starts.latest(CONSENT.file, CONSENT.name),
        lambda: store.starts.use(CONSENT.digest, NOW),
        lambda: store.starts.forget([CONSENT.digest]),
        lambda: store.recents.all(),
        lambda: store.recents.clear(),
        lambda: grants.revoke(1),
        lambda: grants.clear(),
    ]
    for action in actions:
        with contextlib.suppress(StoreError):
            action()


def coverage(one: Grant) -> Grant:
    """An approval without what does not matter to what it covers."""
    return replace(one, id=0, uses=0, last_used_at=None)
