"""Tables in a text: CSV, TSV, and JSON arrays of flat objects."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import islice

from ..frozen import frozen
from ..json.jsonio import JsonValue
from ..text import cut, visible

MAX_ROWS = 20_000
MAX_COLUMNS = 60
MAX_CHARACTERS = 2_000_000
CELL_MAX = 200
"""Characters of one cell that are kept."""

MEASURED = 500
"""Rows by which columns are judged and laid out."""


@frozen
class Table:
    """Safe cells. `notice` describes the omission, "" if there is none."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notice: str = ""

    def is_number(self) -> tuple[bool, ...]:
        """For each column, True if it holds numbers, which are aligned right."""
        shown = self.rows[:MEASURED]
        return tuple(
            bool(shown) and all(_is_number(row[index]) for row in shown)
            for index in range(len(self.columns))
        )


@frozen
class TableRefused:
    """A text is not a table, for `reason`."""

    reason: str


def separated_table(text: str, delimiter: str = "") -> Table | TableRefused:
    """Read CSV (RFC 4180) or TSV; the first line names the columns.

    A `delimiter` of "" is guessed from the first line. The text is read up to the limits.
    """
    shown = cut(text, MAX_CHARACTERS)
    whole = shown.text.removeprefix("\ufeff")
    if shown.is_cut:
        # The last line may be torn.
        whole = whole[: whole.rfind("\n") + 1] or whole
    first = whole.split("\n", 1)[0]
    sign = delimiter or max(",;\t", key=first.count)
    try:
        reader = csv.reader(whole.splitlines(keepends=True), delimiter=sign)
        rows = [row for row in islice(reader, MAX_ROWS + 2) if row]
    except csv.Error as error:
        return TableRefused(f"not readable as a table: {visible(str(error))}")
    if len(rows) < 2:
        return TableRefused("no rows")
    return _table(rows[0], rows[1:], shown.notice)


def json_table(value: JsonValue) -> Table | TableRefused:
    """A table of an array of objects; none of their members may be an object or an array."""
    if not isinstance(value, list) or not value:
        return TableRefused("not an array of objects")
    columns: dict[str, None] = {}
    for item in value[:MAX_ROWS]:
        if not isinstance(item, dict) or not item:
            return TableRefused("not an array of objects")
        for name, member in item.items():
            if isinstance(member, dict | list):
                return TableRefused("not flat")
            columns.setdefault(name)
        if len(columns) > MAX_COLUMNS:
            return TableRefused(f"more than {MAX_COLUMNS} columns")
    names = list(columns)
    objects = [item for item in value[: MAX_ROWS + 1] if isinstance(item, dict)]
    rows = ([_written(item[name]) if name in item else "" for name in names] for item in objects)
    return _table(names, list(rows), "", total=len(value))


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], notice: str, *, total: int = 0
) -> Table:
    count = min(len(header), MAX_COLUMNS)
    notices = [notice] if notice else []
    if len(header) > MAX_COLUMNS:
        notices.append(f"{MAX_COLUMNS} of {len(header):,} columns")
    if len(rows) > MAX_ROWS:
        of = f" of {total:,}" if total else ""
        notices.append(f"the first {MAX_ROWS:,}{of} rows")
    columns = tuple(_cell(name) or f"column {at + 1}" for at, name in enumerate(header[:count]))
    longer = sum(len(row) > len(header) for row in rows[:MAX_ROWS])
    if longer:
        notices.append(
            f"{longer:,} {'row has' if longer == 1 else 'rows have'} more cells than the header"
        )
    cells = tuple(
        tuple([_cell(value) for value in row[:count]] + [""] * (count - len(row)))
        for row in rows[:MAX_ROWS]
    )
    return Table(columns, cells, "; ".join(notices))


def _cell(text: str) -> str:
    if len(text) <= CELL_MAX and text.isprintable():
        return text
    shown = cut(text, CELL_MAX)
    return visible(shown.text, max_blanks=CELL_MAX) + ("…" if shown.is_cut else "")


def _written(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def _is_number(text: str) -> bool:
    if not text:
        return True
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
