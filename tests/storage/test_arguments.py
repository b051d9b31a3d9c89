"""Arguments of earlier calls on disk: bounded, found by exact keys, and never damaged unnoticed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.argument_history import ArgumentDocument, document_of
from signoff.app.storage import arguments as book_module
from signoff.app.storage.arguments import HISTORY_MAX, PRESETS_MAX, ArgumentBook, Noted
from signoff.app.storage.database import database_of_session
from signoff.app.storage.store import Store, StoreError
from tests.storage.stored import FILE, NOW, is_whole, opened

SERVER, TOOL = "demo server", "delete_file"


def document(**arguments: Any) -> ArgumentDocument:
    return document_of(json.dumps(arguments))


def add(
    book: ArgumentBook,
    at: float = 0.0,
    *,
    server: str = SERVER,
    tool: str = TOOL,
    outcome: str = "ok",
    although_invalid: bool = False,
    times: int = 1,
    of: ArgumentDocument | None = None,
    **arguments: Any,
) -> None:
    noted = Noted(
        tool,
        of or document(**arguments),
        NOW + at,
        outcome=outcome,
        was_sent=outcome == "ok",
        although_invalid=although_invalid,
        times=times,
    )
    book.add(server, [noted])


def test_what_was_called_is_there_next_time(tmp_path: Path) -> None:
    odd = "t\ud800\u202e"
    with opened(tmp_path) as store:
        add(store.arguments, 1, path="a", password="hunter2")
        add(store.arguments, 2, path="b", outcome="denied", although_invalid=True)
        add(store.arguments, 3, tool=odd, path="\udc00")
    assert b"hunter2" not in (tmp_path / FILE).read_bytes()
    with opened(tmp_path) as store:
        newest, older = store.arguments.all(SERVER, TOOL)
        assert newest.arguments() == {"path": "b"}
        assert (newest.outcome, newest.was_sent, newest.although_invalid) == ("denied", False, True)
        assert newest.at == NOW + 2
        assert older.arguments() == {"path": "a"}
        assert older.document.not_kept == (("password",),)
        assert older.was_sent
        (other,) = store.arguments.all(SERVER, odd)
        assert (other.tool, other.arguments()) == (odd, {"path": "\udc00"})
        assert store.arguments.all("another server", TOOL) == ()
    assert is_whole(tmp_path)


def test_the_same_arguments_are_one_row_with_the_newest_outcome(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add(store.arguments, 1, path="a")
        add(store.arguments, 2, path="b")
        add(store.arguments, 3, path="a", outcome="denied")
        add(store.arguments, 4, path="a", although_invalid=True, times=5)
        rows = store.arguments.all(SERVER, TOOL)
        assert [(row.at - NOW, row.times, row.outcome) for row in rows] == [
            (4, 5, "ok"),
            (3, 2, "denied"),
            (2, 1, "ok"),
        ]


def test_fifty_are_kept_of_a_tool_and_presets_besides(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arguments.give_name(SERVER, TOOL, document(path="kept"), "mine", NOW - 1)
        for number in range(HISTORY_MAX + 5):
            add(store.arguments, number, number=number)
        add(store.arguments, 0, tool="other", number=0)
        first, *rows = store.arguments.all(SERVER, TOOL)
        assert (first.name, first.is_preset) == ("mine", True)
        numbers = [(row.arguments() or {})["number"] for row in rows]
        assert numbers == list(range(HISTORY_MAX + 4, 4, -1))
        assert len(store.arguments.all(SERVER, "other")) == 1


def test_all_of_it_has_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "SIZE_MAX", 1_000)
    with opened(tmp_path) as store:
        store.arguments.give_name(SERVER, TOOL, document(text="p" * 300), "mine", NOW)
        for number in range(10):
            add(store.arguments, number, tool=f"tool {number}", text="x" * 200)
        left = [bool(store.arguments.all(SERVER, f"tool {number}")) for number in range(10)]
        assert left == [False] * 7 + [True] * 3
        assert len(store.arguments.all(SERVER, TOOL)) == 1
        monkeypatch.setattr(book_module, "SIZE_MAX", 100)
        add(store.arguments, 20, text="gone at once, since the preset alone is too much")
        assert [row.name for row in store.arguments.all(SERVER, TOOL)] == ["mine"]


def test_presets_are_replaced_by_name_and_sorted(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book = store.arguments
        book.give_name(SERVER, TOOL, document(path="b"), "b", NOW)
        book.give_name(SERVER, TOOL, document(path="a"), "a", NOW)
        book.give_name(SERVER, TOOL, document(path="b2"), "b", NOW, although_invalid=True)
        one, two = book.all(SERVER, TOOL)
        assert (one.name, two.name, two.although_invalid) == ("a", "b", True)
        assert two.arguments() == {"path": "b2"}
        for number in range(PRESETS_MAX - 2):
            book.give_name(SERVER, TOOL, document(), f"n{number}", NOW)
        with pytest.raises(ValueError, match="50 presets already"):
            book.give_name(SERVER, TOOL, document(), "one more", NOW)
        book.give_name(SERVER, TOOL, document(path="b3"), "b", NOW)
        assert len(book.all(SERVER, TOOL)) == PRESETS_MAX


def test_forgetting_one_or_all_but_presets(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        book = store.arguments
        book.give_name(SERVER, TOOL, document(), "mine", NOW)
        for number in range(3):
            add(book, number, number=number)
        add(book, tool="other")
        _, newest, *_ = book.all(SERVER, TOOL)
        assert book.remove(newest.id)
        assert not book.remove(newest.id)
        assert book.clear(SERVER, TOOL) == 2
        assert [row.name for row in book.all(SERVER, TOOL)] == ["mine"]
        assert book.remove(book.all(SERVER, TOOL)[0].id)
        assert len(book.all(SERVER, "other")) == 1


@pytest.mark.parametrize("column", ["document", "not_kept", "outcome", "invalid", "name", "times"])
def test_a_changed_row_is_damage(tmp_path: Path, column: str) -> None:
    with opened(tmp_path) as store:
        add(store.arguments, path="a", password="x")
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute(f"UPDATE arguments SET {column} = CAST('[]' AS BLOB)")
    connection.commit()
    connection.close()
    with opened(tmp_path) as store:
        with pytest.raises(StoreError, match="is damaged"):
            store.arguments.all(SERVER, TOOL)
        assert "arguments 1" in store.problem


def test_a_store_that_cannot_be_used_is_as_good_as_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("no database", encoding="ascii")
    store = Store.open(tmp_path, NOW)
    assert store.problem
    assert store.arguments.all(SERVER, TOOL) == ()
    assert not store.arguments.remove(1)
    assert store.arguments.clear(SERVER, TOOL) == 0
    with pytest.raises(StoreError):
        add(store.arguments)
    with pytest.raises(StoreError):
        store.arguments.give_name(SERVER, TOOL, document(), "mine", NOW)


def test_a_session_has_a_book_of_its_own_in_memory() -> None:
    database = database_of_session()
    book = ArgumentBook(database, is_on_disk=False)
    add(book, path="a")
    (row,) = book.all(SERVER, TOOL)
    assert not row.is_on_disk
    database.close()
    assert book.all(SERVER, TOOL) == ()
