"""What the store keeps of secrets: nothing, also where a store of before kept them in clear."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.grants import Remember, Scope, identity_digest, new_grant
from signoff.app.approval.snapshot import Snapshot
from signoff.app.calls.argument_history import NOT_KEPT, document_of
from signoff.app.content.json.jsonio import canonical, digest
from signoff.app.storage.arguments import Noted
from signoff.app.storage.store import Store
from signoff.app.storage.tables import STEPS
from tests.storage.stored import FILE, NOW, SESSION, opened

ARGV = ["srv", "--token", "hunter2", "postgres://me:hunter3@db/x", "--contraseña=hunter4"]
IDENTITY = json.dumps(["stdio", "/here", ["NAME"], ARGV])
URL = "http:https://me:hunter5@h/mcp"
SCHEMA: Any = {"properties": {"field": {"format": "password"}, "path": {}}}
TOOL: Any = {"name": "tool", "inputSchema": SCHEMA}
ARGUMENTS = {"path": "a", "пароль": "hunter6", "field": "hunter7"}


def bytes_of(folder: Path) -> bytes:
    """Everything that lies in the state folder, as it is on the disk."""
    return b"\n".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def sealed(values: list[Any]) -> str:
    return hashlib.sha256(repr(values).encode("ascii")).hexdigest()


def old_store(folder: Path) -> sqlite3.Connection:
    """A store as version 2 wrote it, with secrets wherever it kept them."""
    folder.chmod(0o700)
    connection = sqlite3.connect(folder / FILE)
    connection.execute("PRAGMA journal_mode=WAL")
    for step in (*STEPS[0], *STEPS[1]):
        connection.execute(str(step))
    server, name = IDENTITY.encode(), b"srv --token hunter2"
    for number, (identity, label) in enumerate(((server, name), (URL.encode(), b"h")), 1):
        given = [identity, label, b"tool", b"d" * 64, None, None, NOW, NOW + 86_400.0]
        connection.execute(
            "INSERT INTO grants (id, server, server_name, tool, definition, arguments, session,"
            " given_at, expires_at, uses, seal) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            [number, *given, 3, sealed(given)],
        )
        connection.execute(
            "INSERT INTO servers VALUES (?, ?, ?, ?, ?)", [number, identity, label, NOW, NOW]
        )
    key = digest(TOOL).encode()
    connection.execute("INSERT INTO definitions VALUES (?, ?)", [key, canonical(TOOL).encode()])
    connection.execute(
        "INSERT INTO versions VALUES (1, ?, ?, ?, ?, NULL)", [b"tool", key, NOW, NOW]
    )
    connection.execute("INSERT INTO listing VALUES (1, 0, ?, ?)", [b"tool", key])
    text = json.dumps({**ARGUMENTS, "token": NOT_KEPT})
    for preset in (None, b"mine"):
        kept = [
            server,
            b"tool",
            preset,
            NOW,
            len(text),
            hashlib.sha256(text.encode()).hexdigest().encode(),
        ]
        kept += [text.encode(), b'[["token"]]', b"ok", 1, 0, 1]
        connection.execute(
            "INSERT INTO arguments (server, tool, name, at, size, digest, document, not_kept,"
            " outcome, sent, invalid, times, seal) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [*kept, sealed(kept)],
        )
    # What was deleted long ago lies in the file, too.
    connection.execute("INSERT INTO servers VALUES (9, ?, 'x', 1, 1)", [b"hunter8" * 900])
    connection.execute("DELETE FROM servers WHERE id = 9")
    connection.execute("PRAGMA user_version=2")
    connection.execute("PRAGMA application_id=0x5369676E")
    connection.commit()
    return connection


def test_an_old_store_is_rid_of_its_secrets(tmp_path: Path) -> None:
    old_store(tmp_path).close()
    assert b"hunter" in bytes_of(tmp_path)
    with opened(tmp_path) as store:
        assert not store.problem
        (first,) = store.ended
        (second,) = store.grants.all(NOW)
        assert first.server_digest == identity_digest(IDENTITY)
        assert json.loads(first.masked_server)[3][:3] == [
            "srv",
            "--token",
            "[masked: 7 characters]",
        ]
        assert first.server_name == "srv --token [masked: 7 characters]"
        assert (first.uses, first.tool, first.expires_at) == (3, "tool", NOW + 86_400)
        assert second.server_digest == identity_digest(URL)
        preset, past = store.arguments.all(IDENTITY, "tool")
        for row in (preset, past):
            assert row.arguments() == {"path": "a"}
            assert sorted(row.document.not_kept) == [("field",), ("token",), ("пароль",)]
        assert preset.name == "mine"
        listed = store.history.last_list(IDENTITY)
        assert listed is not None
        assert [one.tool for one in listed] == ["tool"]
    assert b"hunter" not in bytes_of(tmp_path)


def test_what_was_approved_and_called_before_still_counts(tmp_path: Path) -> None:
    old_store(tmp_path).close()
    with opened(tmp_path) as store:
        snapshot = Snapshot(URL, "d" * 64, "tool", "{}")
        assert store.grants.find(snapshot, SESSION, NOW) is not None
        other = Snapshot(URL.replace("hunter5", "hunter9"), "d" * 64, "tool", "{}")
        assert store.grants.find(other, SESSION, NOW) is None
        document = document_of(json.dumps({**ARGUMENTS, "token": "x"}), SCHEMA)
        noted = Noted("tool", document, NOW, outcome="ok", was_sent=True)
        store.arguments.add(IDENTITY, [noted])
        assert store.history.approved(IDENTITY, "tool", digest(TOOL), NOW)


def test_a_signoff_of_before_that_still_runs_writes_no_secret(tmp_path: Path) -> None:
    running = old_store(tmp_path)
    with opened(tmp_path) as store:
        assert not store.problem
    for statement in (
        "INSERT INTO grants (server) VALUES (x'00')",
        "INSERT OR IGNORE INTO servers (identity, name) VALUES ('hunter2', '')",
        "INSERT INTO arguments (server) VALUES (x'00')",
    ):
        with pytest.raises(sqlite3.OperationalError, match="no column named"):
            running.execute(statement)
    running.close()


@pytest.mark.parametrize("table", ["grants", "arguments"])
def test_a_damaged_row_stops_it_and_nothing_is_changed(tmp_path: Path, table: str) -> None:
    connection = old_store(tmp_path)
    connection.execute(f"UPDATE {table} SET tool = x'61' WHERE id = 1")
    connection.commit()
    connection.close()
    with Store.open(tmp_path, NOW) as store:
        assert "is damaged (a" in store.problem
        assert "signoff grants clear --reset" in store.problem
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert connection.execute("SELECT count(server) FROM grants").fetchone() == (2,)
    connection.close()


def test_nothing_new_is_kept_in_clear(tmp_path: Path) -> None:
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


def test_the_store_is_opened_again_without_the_step(tmp_path: Path) -> None:
    old_store(tmp_path).close()
    with Store.open(tmp_path) as store:
        assert not store.problem
    before = (tmp_path / FILE).read_bytes()
    with Store.open(tmp_path) as store:
        assert len(store.arguments.all(IDENTITY, "tool")) == 2
    assert len((tmp_path / FILE).read_bytes()) == len(before)
