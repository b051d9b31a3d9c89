"""Definitions are kept once each, with the last list of every server and their versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue, canonical, digest
from signoff.app.protocol.definitions.lists import Listed, Past
from signoff.app.storage import history as versions
from signoff.app.storage.store import Store
from tests.content.json_values import json_values
from tests.storage.stored import NOW, definition, entries, is_whole, opened

SERVER = "demo server"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "s") as made:
        yield made
    assert is_whole(tmp_path / "s")


def rows(store: Store, table: str) -> int:
    with store._database.reading() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def record(store: Store, *raws: dict[str, Any], at: float = NOW, server: str = SERVER) -> None:
    store.history.record(server, "demo", entries(*raws), at)


def test_a_server_that_was_never_seen_has_no_list(store: Store) -> None:
    assert store.history.last_list(SERVER) is None
    assert store.history.definitions(SERVER) is None
    record(store)
    assert store.history.last_list(SERVER) == ()
    assert store.history.definitions(SERVER) == ()
    assert store.history.last_list("demo serve") is None


def test_a_list_comes_back_in_its_order(store: Store) -> None:
    raws = [definition("b"), definition("a"), definition("c\ud800\0")]
    record(store, *raws)
    listed = tuple(Listed(name, dig, place) for place, (name, dig, _) in enumerate(entries(*raws)))
    assert store.history.last_list(SERVER) == listed
    assert store.history.definitions(SERVER) == tuple(
        Past(raw["name"], digest(raw), raw, NOW) for raw in raws
    )


def test_duplicate_names_are_kept_apart(store: Store) -> None:
    first, second = definition("same"), definition("same", title="other")
    record(store, first, second, first)
    found = store.history.last_list(SERVER)
    assert found is not None
    assert [(one.tool, one.index) for one in found] == [("same", 0), ("same", 1), ("same", 2)]
    assert [one.digest for one in found] == [digest(first), digest(second), digest(first)]
    assert {past.digest for past in store.history.versions(SERVER, "same")} == {
        digest(first),
        digest(second),
    }


def test_the_same_list_again_writes_no_definition(store: Store) -> None:
    raws = [definition(f"tool{number}") for number in range(10)]
    for day in range(5):
        record(store, *raws, at=NOW + day)
    record(store, *raws, server="other server")
    counts = [rows(store, name) for name in ("definitions", "versions", "listing", "servers")]
    assert counts == [10, 20, 20, 2]
    [past] = store.history.versions(SERVER, "tool3")
    assert past.at == NOW + 4


def test_versions_come_newest_first_with_when_they_were_last_listed(store: Store) -> None:
    old, new, newest = (definition("a", title=title) for title in ("1", "2", "3"))
    record(store, old, at=NOW)
    record(store, old, at=NOW + 5)
    record(store, new, at=NOW + 10)
    record(store, newest, at=NOW + 20)
    record(store, newest, at=NOW + 30)
    assert store.history.versions(SERVER, "a") == (
        Past("a", digest(newest), newest, NOW + 30),
        Past("a", digest(new), new, NOW + 10),
        Past("a", digest(old), old, NOW + 5),
    )
    record(store, old, at=NOW + 40)
    found = [(past.raw, past.at) for past in store.history.versions(SERVER, "a")]
    assert found == [(old, NOW + 40), (newest, NOW + 30), (new, NOW + 10)]


def test_a_shorter_list_takes_the_rest_away(store: Store) -> None:
    raws = [definition(name) for name in "abcd"]
    record(store, *raws, at=NOW)
    record(store, raws[2], raws[0], at=NOW + 1)
    listed = store.history.last_list(SERVER)
    assert listed is not None
    assert [one.tool for one in listed] == ["c", "a"]
    [gone] = store.history.versions(SERVER, "b")
    assert gone.at == NOW


def test_the_last_approved_definition(store: Store) -> None:
    old, new = definition("a", title="old"), definition("a", title="new")
    record(store, old)
    assert store.history.last_approved(SERVER, "a") is None
    assert store.history.digest_approved(SERVER, "a") is None
    assert store.history.approved(SERVER, "a", digest(old), NOW + 1)
    assert store.history.digest_approved(SERVER, "a") == digest(old)
    record(store, new, at=NOW + 2)
    assert store.history.last_approved(SERVER, "a") == Past("a", digest(old), old, NOW + 1)
    assert store.history.approved(SERVER, "a", digest(new), NOW + 3)
    assert store.history.last_approved(SERVER, "a") == Past("a", digest(new), new, NOW + 3)
    assert store.history.digest_approved(SERVER, "a") == digest(new)
    assert not store.history.approved(SERVER, "A", digest(new), NOW + 4)
    assert not store.history.approved("other", "a", digest(new), NOW + 4)
    assert not store.history.approved(SERVER, "a", "0" * 64, NOW + 4)


def test_names_are_code_points(store: Store) -> None:
    names = ["e\u0301", "\u00e9", "E\u0301", "\ud800", "\U00010000", "a\0b", "a"]
    record(store, *(definition(name) for name in names))
    for name in names:
        [past] = store.history.versions(SERVER, name)
        assert past.raw == definition(name)


def test_half_a_character_in_an_entry_comes_back(store: Store) -> None:
    raw = definition("a", description="\ud83d half")
    record(store, raw)
    [past] = store.history.definitions(SERVER) or ()
    assert past.raw == raw


@given(st.lists(json_values(), max_size=4))
def test_any_json_is_kept_as_it_came(
    tmp_path_factory: pytest.TempPathFactory, raws: list[JsonValue]
) -> None:
    global _shared
    if _shared is None:
        _shared = opened(tmp_path_factory.mktemp("shared") / "s")
    history = _shared.history
    history.record(SERVER, "demo", [("name", digest(raw), raw) for raw in raws], NOW)
    found = history.definitions(SERVER)
    assert found is not None
    assert [canonical(past.raw) for past in found] == [canonical(raw) for raw in raws]


_shared: Store | None = None


def test_a_digest_of_something_else_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="not the one of its definition"):
        store.history.record(SERVER, "demo", [("a", "0" * 64, definition("a"))], NOW)
    assert store.history.last_list(SERVER) is None


def test_a_tool_keeps_its_newest_versions_and_the_approved_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "VERSIONS_OF_A_TOOL", 5)
    raws = [definition("a", title=str(number)) for number in range(12)]
    for number, raw in enumerate(raws):
        record(store, raw, definition("b"), at=NOW + number)
        if number in (1, 2):
            store.history.approved(SERVER, "a", digest(raw), NOW + number)
    kept = [past.raw for past in store.history.versions(SERVER, "a")]
    assert kept == [raws[11], raws[10], raws[9], raws[8], raws[2]]
    assert rows(store, "definitions") == 6
    assert len(store.history.versions(SERVER, "b")) == 1


def test_in_all_the_oldest_go_and_lists_last(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "DEFINITIONS", 20)
    for number in range(15):
        record(store, definition("a", title=str(number)), at=NOW + number)
    record(store, *(definition(f"b{n}") for n in range(10)), at=NOW + 100, server="two")
    assert rows(store, "versions") <= 20
    assert rows(store, "definitions") == rows(store, "versions")
    newest = [past.at for past in store.history.versions(SERVER, "a")]
    assert newest[0] == NOW + 14
    assert len(newest) < 11

    record(store, *(definition(f"c{n}") for n in range(15)), at=NOW + 200, server="three")
    assert store.history.last_list(SERVER) is None
    assert store.history.last_list("two") is None
    listed = store.history.last_list("three")
    assert listed is not None
    assert len(listed) == 15


def test_the_size_is_bounded_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "SIZE", 1_000_000)
    for number in range(40):
        record(store, definition("a", description=f"{number}" + "x" * 100_000), at=NOW + number)
    found = store.history.versions(SERVER, "a")
    assert 2 <= len(found) < 12
    assert found[0].at == NOW + 39
