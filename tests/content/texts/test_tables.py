from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.texts.document import (
    CELL_MAX,
    MAX_CHARACTERS,
    MAX_COLUMNS,
    MAX_ROWS,
    TableRefused,
    TextTable,
    json_table,
    separated_table,
)
from signoff.widgets.text_view.tables import table_lines


def table_of(found: TextTable | TableRefused) -> TextTable:
    assert isinstance(found, TextTable), found
    return found


def test_csv_with_quotes_and_line_breaks() -> None:
    table = table_of(separated_table('a,b\r\n1,"x, ""y"""\r\n2,"two\nlines"\r\n'))
    assert table.columns == ("a", "b")
    assert table.rows == (("1", 'x, "y"'), ("2", "two⏎lines"))
    assert table.notice == ""


@pytest.mark.parametrize(("sign", "given"), [(";", ""), ("\t", "\t"), ("\t", "")])
def test_other_delimiters(sign: str, given: str) -> None:
    table = table_of(separated_table(f"a{sign}b\n1{sign}2,5\n", given))
    assert table.rows == (("1", "2,5"),)


CELLS = st.text(st.characters(blacklist_categories=["C", "Z", "M"]), max_size=10)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=6))
def test_what_a_writer_wrote_is_read(rows: list[list[str]]) -> None:
    width = len(rows[0])
    rows = [["h" * (at + 1) for at in range(width)], *([*row, "", "", ""][:width] for row in rows)]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    assert table_of(separated_table(out.getvalue(), ",")).rows == tuple(map(tuple, rows[1:]))


def test_ragged_rows_are_told() -> None:
    table = table_of(separated_table("a,b\n1\n1,2,3\n"))
    assert table.rows == (("1", ""), ("1", "2"))
    assert "1 row has more cells" in table.notice


def test_limits_are_told() -> None:
    table = table_of(separated_table("a,b\n" + "1,2\n" * (MAX_ROWS + 5)))
    assert len(table.rows) == MAX_ROWS
    assert f"the first {MAX_ROWS:,} rows" in table.notice
    wide = ",".join(map(str, range(MAX_COLUMNS + 1)))
    table = table_of(separated_table(f"{wide}\n{wide}\n"))
    assert len(table.columns) == MAX_COLUMNS
    assert f"{MAX_COLUMNS} of" in table.notice
    table = table_of(separated_table("a,b\n" + ("x" * 400 + ",2\n") * (MAX_CHARACTERS // 400)))
    assert "cut" in table.notice
    assert len(table.rows[0][0]) == CELL_MAX + 1


@pytest.mark.parametrize("text", ["", "a,b\n", 'a,b\n"' + "x" * 200_000])
def test_no_table(text: str) -> None:
    assert isinstance(separated_table(text), TableRefused)


def test_flat_objects() -> None:
    value: JsonValue = [{"a": 1, "b": None}, {"a": "x\u202e", "c": True}]
    table = table_of(json_table(value))
    assert table.columns == ("a", "b", "c")
    assert table.rows == (("1", "null", ""), ("x<U+202E>", "", "true"))


@pytest.mark.parametrize("value", [None, [], {}, [1], [{}], [{"a": [1]}], [{"a": 1}, 2], "x"])
def test_other_values_are_no_tables(value: JsonValue) -> None:
    assert isinstance(json_table(value), TableRefused)


def test_layout() -> None:
    table = table_of(separated_table("name,n\nabc,1\n漢字,22\n" + "x" * 60 + ",333\n"))
    header, rows = table_lines(table)
    assert header == "name" + " " * 28 + "    n"
    assert rows[0] == "abc" + " " * 29 + "    1"
    assert rows[1] == "漢字" + " " * 28 + "   22"
    assert rows[2] == "x" * 31 + "…" + "  333"
