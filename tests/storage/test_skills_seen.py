"""The skills of the last look: one row a server, bounded, and its damage is noticed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.storage.skills import SERVERS_MAX, SIZE_MAX, SkillsSeen
from signoff.app.storage.store import Store, StoreError
from tests.storage.stored import FILE, NOW, opened

ENTRY: Any = {"uri": "skill://a/SKILL.md", "odd": "\u202e", "list": [1, None]}
TEXTS = st.dictionaries(st.text(max_size=9), st.text(max_size=20))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "s") as made:
        yield made


def test_the_last_look_at_each_server_is_kept(store: Store) -> None:
    assert store.skills.last("one") is None
    store.skills.record("one", [ENTRY], {"d": "text"}, NOW)
    store.skills.record("two", [], {}, NOW + 1)
    assert store.skills.last("one") == SkillsSeen((ENTRY,), {"d": "text"}, NOW)
    store.skills.record("one", [], {}, NOW + 2)
    assert store.skills.last("one") == SkillsSeen((), {}, NOW + 2)


@given(TEXTS)
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str]
) -> None:
    with opened(tmp_path_factory.mktemp("s") / "s") as store:
        store.skills.record("one", [ENTRY], texts, NOW)
        assert store.skills.last("one") == SkillsSeen((ENTRY,), texts, NOW)


def test_what_is_too_large_is_left_out(store: Store) -> None:
    store.skills.record("one", [ENTRY], {"small": "x", "large": "x" * SIZE_MAX, "late": "x"}, NOW)
    seen = store.skills.last("one")
    assert seen is not None
    assert [*seen.texts] == ["small"]
    store.skills.record("one", ["x" * SIZE_MAX], {}, NOW + 1)
    assert store.skills.last("one") == seen


def test_servers_are_bounded(store: Store) -> None:
    for at in range(SERVERS_MAX + 1):
        store.skills.record(str(at), [], {}, NOW + at)
    assert store.skills.last("0") is None
    assert store.skills.last("1") is not None


@pytest.mark.parametrize("document", [b"{", b"[]", b'{"entries": 1, "texts": {}}', 7])
def test_damage_is_noticed(tmp_path: Path, document: object) -> None:
    with opened(tmp_path / "s") as store:
        store.skills.record("one", [ENTRY], {}, NOW)
    with sqlite3.connect(tmp_path / "s" / FILE) as connection:
        connection.execute("UPDATE skills SET document = ?", [document])
    with opened(tmp_path / "s") as store, pytest.raises(StoreError):
        store.skills.last("one")
