"""Rows of a text: of lines in memory, and of one that is looked at block by block."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.content.text import Span, visible
from signoff.app.content.texts.document import raw_pieces
from signoff.app.content.texts.highlight import json_pieces
from signoff.widgets.text_view import line_text
from signoff.widgets.text_view.line_layout import Layout, ListLayout
from signoff.widgets.text_view.line_rows import Rows
from signoff.widgets.text_view.line_source import (
    PlainSource,
    SpanSource,
    StyledSource,
    TextSource,
    split_lines,
)
from signoff.widgets.text_view.line_text import TextLayout
from tests.tiers import examples

CLEAN = st.text(st.sampled_from("ab c{}:1\n\n"), max_size=120)
HOSTILE = st.text(st.sampled_from('ab \t\r\n\n"\\\x1b\u202e漢😀e\u0301\ud800'), max_size=120)
TEXTS = st.one_of(CLEAN, HOSTILE)
WIDTHS = st.one_of(st.none(), st.integers(1, 30))
SOURCES = st.sampled_from(["plain", "raw", "dressed"])


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_text, "BLOCK", 32)


def source_of(text: str, how: str) -> TextSource:
    if how == "raw":
        return TextSource(text, raw_pieces, literal=True)
    return TextSource(text, json_pieces if how == "dressed" else None)


def layout_of(text: str, how: str, width: int | None) -> TextLayout:
    layout = TextLayout(source_of(text, how), width)
    while not layout.is_whole:
        layout.grow(0)
    return layout


def drawn_lines(text: str, how: str) -> list[str]:
    source = source_of(text, how)
    lines = text.split("\n")
    if how == "raw":
        lines = [line + "\n" for line in lines[:-1]] + lines[-1:]
    if lines[-1] == "":
        lines.pop()
    return [source.drawn(line) for line in lines]


def rows_of(layout: Layout) -> list[str]:
    return ["".join(text for text, _ in layout.pieces(row)) for row in range(layout.total)]


def joined(layout: Layout) -> list[str]:
    """The lines that rows add up to."""
    lines: list[str] = []
    for row in range(layout.total):
        if layout.stretch(row).goes_on:
            lines[-1] += layout.text_of(row)
        else:
            lines.append(layout.text_of(row))
    return lines


@examples(300)
@given(TEXTS, SOURCES, st.integers(1, 30))
def test_rows_hold_every_character_once_and_fit(text: str, how: str, width: int) -> None:
    layout = layout_of(text, how, width)
    assert all(cell_len(row) <= max(width, 2) for row in rows_of(layout))
    if all(len(line) <= 16 for line in text.split("\n")):
        assert joined(layout) == drawn_lines(text, how)
    # A line that is looked at in pieces is made safe in pieces.
    assert len(joined(layout)) == len(drawn_lines(text, how))
    assert all(row.isprintable() for row in rows_of(layout))


@given(CLEAN, st.integers(1, 30))
def test_the_rows_are_those_of_lines_in_memory(text: str, width: int) -> None:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    expected = ListLayout(StyledSource([[(line, "")] for line in lines]), width)
    assert rows_of(layout_of(text, "plain", width)) == rows_of(expected)


@given(TEXTS, SOURCES)
def test_unwrapped_lines_are_one_row_each(text: str, how: str) -> None:
    layout = layout_of(text, how, None)
    assert [layout.text_of(row) for row in range(layout.total)] == drawn_lines(text, how)
    for row in range(layout.total):
        pieces, origin, skip = layout.window(row, 0, 200)
        assert (origin, skip) == (0, 0)
        shown = "".join(piece for piece, _ in pieces)
        assert layout.text_of(row).startswith(shown) or shown == layout.text_of(row)
    assert layout.widest() >= max(map(cell_len, rows_of(layout)), default=0)


@given(TEXTS, SOURCES, WIDTHS)
def test_every_position_has_a_row_and_every_row_a_place(
    text: str, how: str, width: int | None
) -> None:
    layout = layout_of(text, how, width)
    before = 0
    for position in range(len(text)):
        row = layout.row_of(position)
        assert row >= before
        before = row
        stretch = layout.stretch(row)
        if text[position] != "\n":
            assert stretch.start <= position < stretch.end
            if width is not None:
                assert stretch.low <= layout.drawn_offset(stretch, position) <= stretch.high
    assert layout.total == 0 or before <= layout.total - 1


def test_what_is_known_does_not_change() -> None:
    text = "abc\x1b def\n" * 200
    layout = TextLayout(source_of(text, "plain"), 5)
    layout.grow(0)
    assert 0 < layout.total < 400
    assert not layout.is_whole
    first = rows_of(layout)
    assert layout.knows(0)
    assert not layout.knows(len(text) - 1)
    assert layout.row_of(len(text) - 1) == layout.total - 1
    while not layout.is_whole:
        layout.grow(0)
    assert rows_of(layout)[: len(first)] == first
    assert layout.total == 400


def test_runs_of_blanks_are_kept_unless_there_is_a_limit() -> None:
    line = "a" + " " * 20 + "b"
    assert layout_of(line, "plain", None).text_of(0) == line
    layout = TextLayout(TextSource(line, max_blanks=3), None)
    layout.grow(1)
    assert layout.text_of(0) == visible(line)


@pytest.mark.slow
def test_memory_stays_far_below_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_text, "BLOCK", 16_384)
    text = "0123456789 abcdefghijkl\n" * 200_000
    source = TextSource(text)
    tracemalloc.start()
    try:
        layout = TextLayout(source, 20)
        layout.grow(60)
        rows = [layout.pieces(row) for row in (0, layout.total // 2, layout.total - 1)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert layout.is_whole
    assert rows
    assert peak < len(text) / 2


LINES = st.lists(st.text(st.sampled_from("ab 漢字é😀e\u0301─"), max_size=30), max_size=8)


@given(LINES, st.integers(1, 20))
def test_rows_of_lines_in_memory_hold_every_character_once_and_fit(
    lines: list[str], width: int
) -> None:
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
