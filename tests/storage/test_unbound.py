"""A store of an older Signoff, whose approvals say nothing of what ran when they were given."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.approval.fingerprint import ServerFingerprint
from signoff.app.approval.grants import DAY, Scope
from signoff.app.storage.store import Store, StoreError
from signoff.app.storage.tables import STEPS
from tests.storage.stored import FILE, NOW, SESSION, grant, opened, snapshot

STDIO = '["stdio", "/home/me", [], ["python3", "server.py"]]'
HTTP = "http:https://example.org/mcp"
OLD_COLUMNS = "server, server_name, tool, definition, arguments, session, given_at, expires_at"


def add_old(connection: sqlite3.Connection, server: str, expires_at: float = NOW + DAY) -> None:
    """An approval as the version before kept it, sealed as it did."""
    given = snapshot(server=server)
    values = [
        *(text.encode() for text in (server, "old", given.tool, given.definition_digest)),
        *(None, None, NOW, expires_at),
    ]
    seal = hashlib.sha256(repr(values).encode("ascii")).hexdigest()
    connection.execute(
        f"INSERT INTO grants ({OLD_COLUMNS}, seal) VALUES (?,?,?,?,?,?,?,?,?)", [*values, seal]
    )


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The folder of a store of version 2 with approvals."""
    folder = tmp_path / "old"
    folder.mkdir(mode=0o700)
    with sqlite3.connect(folder / FILE) as connection:
        for step in STEPS[:2]:
            for statement in step:
                assert isinstance(statement, str)
                connection.execute(statement)
        add_old(connection, STDIO)
        add_old(connection, STDIO.replace("me", "you"), expires_at=NOW + 1)
        add_old(connection, HTTP)
        connection.execute("PRAGMA user_version=2")
        connection.execute("PRAGMA application_id=1399416686")
    connection.close()
    (folder / FILE).chmod(0o600)
    return folder


def test_old_approvals_of_programs_end_and_are_told_of_once(old: Path) -> None:
    with opened(old, NOW + 2) as store:
        assert [one.masked_server for one in store.ended] == [STDIO]
        assert store.grants.find(snapshot(server=STDIO), SESSION, NOW + 2) is None
        assert store.grants.find_lapsed(snapshot(server=STDIO), SESSION, NOW + 2) is None
        assert [one.masked_server for one in store.grants.all(NOW + 2)] == [HTTP]
    with opened(old, NOW + 2) as store:
        assert store.ended == ()


def test_old_approvals_of_urls_go_on(old: Path) -> None:
    with opened(old) as store:
        found = store.grants.find(snapshot(server=HTTP), SESSION, NOW)
        assert found is not None
        assert store.grants.use(found.id, SESSION, NOW)
        renewed = store.grants.give(grant(of=snapshot(server=HTTP), days=30))
        assert renewed.id == found.id


def test_an_older_signoff_that_still_runs_adds_nothing(old: Path) -> None:
    with opened(old) as store:
        store.grants.give(grant(Scope.UNTIL, snapshot(server=STDIO, tool="mine")))
        with sqlite3.connect(old / FILE) as connection, pytest.raises(sqlite3.OperationalError):
            add_old(connection, STDIO)
        connection.close()
        assert store.grants.find(snapshot(server=STDIO), SESSION, NOW) is None
    with Store.open(old, NOW) as store:
        assert store.ended == ()
        assert store.grants.find(snapshot(server=STDIO, tool="mine"), SESSION, NOW) is not None


def test_a_mark_is_no_way_around_the_seal(old: Path) -> None:
    """What ran cannot be taken off an approval without the seal telling."""
    given = snapshot(server=STDIO)
    with opened(old) as store:
        store.grants.give(grant(of=replace(given, runs=ServerFingerprint(target="t"))))
    with sqlite3.connect(old / FILE) as connection:
        connection.execute("UPDATE grants SET runs = NULL")
    connection.close()
    with Store.open(old, NOW) as store:
        assert store.problem == ""
        with pytest.raises(StoreError, match="is damaged"):
            store.grants.find(given, SESSION, NOW)
        assert "damaged" in store.problem
