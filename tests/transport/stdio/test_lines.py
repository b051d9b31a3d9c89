"""Bytes to lines, whatever the chunks."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.transport.stdio.lines import HEAD, Line, LineReader, Overlong


def lines_of(chunks: list[bytes], limit: int) -> list[Line]:
    reader = LineReader(limit)
    found = [line for chunk in chunks for line in reader.feed(chunk)]
    return found + reader.close()


def cut_at(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.binary(max_size=400).map(lambda data: data.replace(b"0", b"\n")), st.lists(st.integers()))
def test_any_chunking_gives_the_same_lines(data: bytes, places: list[int]) -> None:
    assert lines_of(cut_at(data, places), 20) == lines_of([data], 20)


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line)))
def test_lines_come_out_as_they_went_in(lines: list[bytes]) -> None:
    assert lines_of([b"".join(line + b"\n" for line in lines)], 30) == lines


@given(st.integers(HEAD // 2, 4 * HEAD), st.lists(st.integers(), max_size=8))
def test_an_overlong_line_keeps_its_size_beginning_and_end(size: int, places: list[int]) -> None:
    data = (b"%07d." * (size // 8 + 1) % tuple(range(size // 8 + 1)))[:size]
    overlong, after = lines_of(cut_at(data + b"\nnext\n", places), 100)
    assert overlong == Overlong(size, data[:HEAD], data[-HEAD:])
    assert after == b"next"


def test_a_line_of_the_limit_is_kept_and_one_byte_more_is_not() -> None:
    assert lines_of([b"x" * 10 + b"\n"], 10) == [b"x" * 10]
    assert isinstance(lines_of([b"x" * 11 + b"\n"], 10)[0], Overlong)


def test_the_last_line_needs_no_end() -> None:
    assert lines_of([b"one\ntw", b"o"], 10) == [b"one", b"two"]


@pytest.mark.slow
def test_memory_stays_bounded_by_the_limit_however_small_the_chunks() -> None:
    reader = LineReader(limit=100_000)
    piece = b"ab"
    tracemalloc.start()
    try:
        for _ in range(100_000):
            reader.feed(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 600_000
    assert reader.close() == [Overlong(200_000, piece * (HEAD // 2), piece * (HEAD // 2))]
