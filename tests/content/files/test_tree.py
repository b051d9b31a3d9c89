"""Tables that are read key by key, and problems with their places."""

from __future__ import annotations

import pytest

from signoff.app.content.files.kinds import Flag, Text
from signoff.app.content.files.toml_tree import read_toml
from signoff.app.content.files.tree import TOML, Problem, Problems, SourceLocation, TableReader
from tests.approved import approved

PROSE = approved("files")


def reader_of(text: str) -> TableReader:
    return TableReader(read_toml(text, 10_000), Problems(TOML))


def told(table: TableReader) -> list[str]:
    return [one.words("").strip() for one in table.problems.in_order()]


@pytest.mark.parametrize(
    ("spot", "words"),
    [
        (SourceLocation(), "a: it"),
        (SourceLocation(3), "a line 3: it"),
        (SourceLocation(3, 5), "a line 3, column 5: it"),
    ],
)
def test_a_problem_stands_behind_its_place(spot: SourceLocation, words: str) -> None:
    assert Problem(spot, "it").words("a") == words


def test_a_wrong_or_missing_value_reads_as_the_default() -> None:
    table = reader_of("\na = 1\nb = true")
    assert table.read("a", Text(), "x") == "x"
    assert table.read("b", Flag()) is True
    assert table.read("c", Text(), "y", required=True) == "y"
    PROSE.holds("tree: missing and wrong", "\n".join(told(table)))


def test_keys_that_were_not_read_are_unknown() -> None:
    table = reader_of('name = "a"\nnmae = "b"\n[inner]\nx = 1')
    table.read("name", Text())
    inner = table.table("inner")
    assert inner is not None
    inner.done()
    table.done()
    PROSE.holds("tree: unknown keys", "\n".join(told(table)))


def test_tables_have_their_heading_in_what_is_told() -> None:
    table = reader_of("[[rule]]\nargument = 1\nlist = []\ninner = 2\n[[rule]]\n")
    first, second = table.tables("rule")
    assert first.tables("argument") == first.tables("list") == second.tables("argument") == []
    assert first.table("inner") is first.table("other") is None
    second.wrong("other", "at the table")
    PROSE.holds("tree: under a heading", "\n".join(told(table)))
