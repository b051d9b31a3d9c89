from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.content.text import Span
from signoff.widgets.text_view.line_rows import Rows
from signoff.widgets.text_view.line_source import PlainSource, SpanSource, StyledSource, split_lines

LINES = st.lists(st.text(st.sampled_from("ab 漢字é😀e\u0301─"), max_size=30), max_size=8)


@given(LINES, st.integers(1, 20))
def test_rows_hold_every_character_once_and_fit(lines: list[str], width: int) -> None:
    rows = Rows(lines, width)
    found = [""] * len(lines)
    for row in range(rows.total):
        line, start, end = rows.locate(row)
        assert len(found[line]) == start
        assert cell_len(lines[line][start:end]) <= max(width, 2)
        found[line] += lines[line][start:end]
    assert found == lines


@given(LINES, st.integers(2, 20))
def test_first_row_is_where_a_line_begins(lines: list[str], width: int) -> None:
    rows = Rows(lines, width)
    for line in range(len(lines)):
        assert rows.locate(rows.first_row(line))[:2] == (line, 0)


def test_without_a_width_each_line_is_a_row() -> None:
    rows = Rows(["a" * 100, "", "漢字"], None)
    assert rows.total == 3
    assert rows.locate(2) == (2, 0, 2)
    assert rows.widest() == 100


@pytest.mark.parametrize("text", ["x" * 100_001, "漢" * 100_001, "é漢" * 50_000])
def test_long_lines_lose_nothing(text: str) -> None:
    rows = Rows([text], 80)
    parts = [rows.locate(row) for row in range(rows.total)]
    assert "".join(text[start:end] for _, start, end in parts) == text
    assert all(cell_len(text[start:end]) <= 80 for _, start, end in parts[:50])


@pytest.mark.parametrize("text", ["x" * 10_000, "漢" * 10_000, "漢x" * 1_000])
def test_window_on_an_unwrapped_line(text: str) -> None:
    rows = Rows([text], None)
    assert rows.widest() >= cell_len(text)
    shown, offset, skip = rows.window(0, 10, 40)
    assert text[offset : offset + len(shown)] == shown
    assert cell_len(shown) - skip >= 40


def test_lines_of_plain_text() -> None:
    assert PlainSource("a\n\n\tb\n").texts == ["a", "", "    b"]
    assert PlainSource("").texts == []


def test_spans_are_split_at_line_breaks() -> None:
    spans = [Span("a\nb", False), Span("␛", True), Span("c\n\nd\n", False)]
    lines = split_lines(spans)
    assert ["".join(span.text for span in line) for line in lines] == ["a", "b␛c", "", "d"]
    source = SpanSource(lines)
    assert source.texts == ["a", "b␛c", "", "d"]
    assert source.between(1, 1, 3) == [("␛", "mark"), ("c", "")]
    assert source.between(0, 0, 1) == [("a", "")]


@given(st.lists(st.tuples(st.text("ab\t", max_size=4), st.just("")), max_size=6), st.data())
def test_between_cuts_pieces_exactly(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    source = StyledSource([pieces])
    text = source.texts[0]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert "".join(piece for piece, _ in source.between(0, start, end)) == text[start:end]


@given(st.text(alphabet="ab -", max_size=120), st.integers(2, 30))
def test_rows_between_words_are_the_line_and_fit(line: str, width: int) -> None:
    rows = Rows([line], width, words=True)
    pieces = [line[low:high] for _, low, high in map(rows.locate, range(rows.total))]
    assert "".join(pieces) == line
    assert all(len(piece) <= width for piece in pieces)


def test_a_row_ends_after_a_word_if_one_ends_in_its_second_half() -> None:
    rows = Rows(["one two three"], 9, words=True)
    assert [rows.locate(row)[1:] for row in range(rows.total)] == [(0, 8), (8, 13)]
    rows = Rows(["read everything"], 10, words=True)
    assert [rows.locate(row)[1:] for row in range(rows.total)] == [(0, 10), (10, 15)]
