"""What the store keeps of secrets: nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from signoff.app.approval.grants import Remember, Scope, new_grant
from signoff.app.approval.snapshot import Snapshot
from signoff.app.calls.argument_history import document_of
from signoff.app.content.json.jsonio import digest
from signoff.app.storage.arguments import Noted
from tests.storage.stored import NOW, SESSION, opened

ARGV = ["srv", "--token", "hunter2", "postgres://me:hunter3@db/x", "--contraseña=hunter4"]
IDENTITY = json.dumps(["stdio", "/here", ["NAME"], ARGV])
SCHEMA: Any = {"properties": {"field": {"format": "password"}, "path": {}}}
TOOL: Any = {"name": "tool", "inputSchema": SCHEMA}
ARGUMENTS = {"path": "a", "пароль": "hunter6", "field": "hunter7"}


def bytes_of(folder: Path) -> bytes:
    """Everything that lies in the state folder, as it is on the disk."""
    return b"\n".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_nothing_is_kept_in_clear(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        snapshot = Snapshot(IDENTITY, "d" * 64, "tool", json.dumps(ARGUMENTS))
        for scope in (Scope.ARGUMENTS, Scope.SESSION, Scope.UNTIL):
            made = new_grant(snapshot, ARGV[3], Remember(scope, 1), SESSION, NOW)
            assert made is not None
            store.grants.give(made)
        store.history.record(IDENTITY, " ".join(ARGV), [("tool", digest(TOOL), TOOL)], NOW)
        document = document_of(json.dumps(ARGUMENTS), SCHEMA)
        noted = Noted("tool", document, NOW, outcome="ok", was_sent=True)
        store.arguments.add(IDENTITY, [noted])
        store.arguments.give_name(IDENTITY, "tool", document, "mine", NOW)
        assert b"hunter" not in bytes_of(tmp_path)
    assert b"hunter" not in bytes_of(tmp_path)


def test_what_is_forgotten_is_overwritten(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        document = document_of(json.dumps({"text": "plain-words" * 500}))
        for number in range(5):
            store.arguments.give_name(IDENTITY, "tool", document, f"p{number}", NOW)
        for row in store.arguments.all(IDENTITY, "tool"):
            store.arguments.remove(row.id)
    assert b"plain-words" not in bytes_of(tmp_path)
