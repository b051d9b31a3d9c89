"""Consents to starts, and recent servers: exact, sealed, bounded, and forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from signoff.app.storage.database import LATER
from signoff.app.storage.starts import RECENTS_MAX, StartConsent
from signoff.app.storage.store import Store, StoreError
from tests.storage.stored import FILE, NOW, opened

ONE = StartConsent("d1", "/a/\ud800.json", "a", "cursor", {"runs": ["x", "y"]}, "b1", NOW, NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "s") as made:
        yield made


def test_a_consent_covers_its_digest_alone(store: Store) -> None:
    store.starts.keep(ONE)
    assert store.starts.use("d1", NOW + 5)
    assert not store.starts.use("d2", NOW)
    assert not store.starts.use("", NOW)
    assert store.starts.all() == (replace(ONE, used_at=NOW + 5),)


def test_the_newest_of_a_name_and_file_is_compared_with(store: Store) -> None:
    newer = replace(ONE, digest="d2", given_at=NOW + 1, used_at=NOW + 1)
    store.starts.keep(newer)
    store.starts.keep(ONE)
    store.starts.keep(replace(ONE, digest="d3", name="b", given_at=NOW + 2))
    assert store.starts.latest(ONE.file, "a") == newer
    assert store.starts.latest("/elsewhere", "a") is None


def test_what_is_forgotten_starts_no_more(store: Store) -> None:
    store.starts.keep(ONE)
    store.starts.keep(replace(ONE, digest="d2"))
    assert store.starts.forget(["d1", "nix"]) == 1
    assert not store.starts.use("d1", NOW)
    assert store.starts.clear() == 1
    assert store.starts.all() == ()


def test_a_changed_row_is_damage_and_no_consent(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.starts.keep(ONE)
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE starts SET digest = 'd9'")
    with Store.open(tmp_path, NOW) as store, pytest.raises(StoreError):
        store.starts.use("d9", NOW)


def test_a_store_that_cannot_be_used_consents_to_nothing(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a store at all" * 100)
    with Store.open(tmp_path, NOW) as store:
        assert not store.starts.use("d1", NOW)
        assert not store.starts.all()
        assert not store.recents.all()
        assert store.starts.clear() == store.recents.clear() == 0
        store.recents.note("i", "n", "s", (), "", NOW, "")
        with pytest.raises(StoreError):
            store.starts.keep(ONE)


def test_a_store_that_has_no_such_tables_is_given_them(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        for name in LATER:
            connection.execute(f"DROP TABLE {name}")
    with opened(tmp_path) as store:
        store.starts.keep(ONE)
        store.recents.note("i", "n", "s", ("demo",), "", NOW, "")
        assert store.starts.use("d1", NOW)
        assert [one.words for one in store.recents.all()] == [("demo",)]


def test_a_recent_server_is_one_row_with_its_last_outcome(store: Store) -> None:
    store.recents.note("one", "n", "shown", ("--", "x"), "/f", NOW, "")
    store.recents.note("two", "m", "other", (), "", NOW + 1, "ended")
    store.recents.note("one", "n", "shown", ("--", "x"), "/f", NOW + 2, "exit code 1")
    assert [(one.name, one.outcome, one.words, one.folder) for one in store.recents.all()] == [
        ("n", "exit code 1", ("--", "x"), "/f"),
        ("m", "ended", (), ""),
    ]
    assert store.recents.forget(store.recents.all()[0].key)
    assert not store.recents.forget(b"nix")
    assert store.recents.clear() == 1


def test_the_oldest_recent_servers_go(store: Store) -> None:
    for number in range(RECENTS_MAX + 5):
        store.recents.note(f"i{number}", str(number), "s", (), "", NOW + number, "")
    names = [one.name for one in store.recents.all()]
    assert names == [str(number) for number in range(RECENTS_MAX + 4, 4, -1)]
