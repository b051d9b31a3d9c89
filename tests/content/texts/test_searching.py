from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.texts import searching
from signoff.app.content.texts.searching import Search, count_words

LETTERS = st.sampled_from("abAB.*[漢İßs")


def searched(text: str, words: str) -> Search:
    search = Search(text, words)
    while not search.is_done:
        search.go_on(1)
    return search


@given(st.text(LETTERS, max_size=60), st.text(LETTERS, min_size=1, max_size=3), st.integers(1, 9))
def test_finds_what_one_look_at_the_whole_finds(text: str, words: str, chunk: int) -> None:
    expected = [one.start() for one in re.finditer(re.escape(words), text, re.IGNORECASE)]
    before, searching.CHUNK = searching.CHUNK, chunk
    try:
        found = list(searched(text, words).found)
    finally:
        searching.CHUNK = before
    assert found == expected


def test_case_is_irrelevant_and_nothing_is_a_pattern() -> None:
    assert list(searched("a.b A.B axb", "A.b").found) == [0, 4]
    assert list(searched("ÄB äb", "äB").found) == [0, 3]
    assert list(searched("(a+)+$ x", "(A+)+$").found) == [0]


def test_steps_go_around() -> None:
    search = searched("x x x", "x")
    assert [search.step(1) for _ in range(4)] == [0, 1, 2, 0]
    assert search.step(-1) == 2
    assert search.at(2) == (4, 5)
    assert searched("x", "y").step(1) is None


def test_the_first_from_a_position() -> None:
    search = searched("x x x", "x")
    assert [search.first_from(position) for position in (0, 1, 4, 5)] == [0, 1, 2, 0]


def test_what_touches_a_range() -> None:
    search = searched("abcabcabc", "abc")
    search.current = 1
    assert search.between(2, 4) == [(0, 3, False), (3, 6, True)]
    assert search.between(3, 6) == [(3, 6, True)]
    assert search.between(9, 20) == []


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [("x x", "x", "2"), ("x", "y", "nothing found"), ("x" * 1_500, "x", "1,500")],
)
def test_the_count_in_words(text: str, words: str, said: str) -> None:
    search = searched(text, words)
    assert count_words(search) == said
    if search.found:
        search.step(1)
        assert count_words(search) == f"1 of {said}"


def test_counting_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_FOUND", 100)
    search = searched("x" * 1_000_000, "x")
    assert search.is_full
    assert count_words(search).endswith("+")
    assert len(search.found) <= 100 + searching.CHUNK


def test_no_words_find_nothing() -> None:
    search = Search("abc", "")
    assert search.is_done
    assert not search.found
