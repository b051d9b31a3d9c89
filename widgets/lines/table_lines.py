"""A table as lines of text: columns as wide as they need to be, numbers on the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size

from ...app.content.texts.tables import MEASURED, Table

_WIDEST: Final = 32
_GAP: Final = "  "


def table_lines(table: Table) -> tuple[str, list[str]]:
    """The header and the rows, laid out; cells that are too long end in an ellipsis."""
    widths, numbers = _widths(table), table.is_number()
    return (
        _laid_out(table.columns, widths, numbers),
        [_laid_out(row, widths, numbers) for row in table.rows],
    )


def _widths(table: Table) -> tuple[int, ...]:
    """Cells for each column, by what the first rows need; numbers need no more than others."""
    shown = [table.columns, *table.rows[:MEASURED]]
    return tuple(
        min(max(max((cell_len(row[index]) for row in shown), default=1), 1), _WIDEST)
        for index in range(len(table.columns))
    )


def _laid_out(cells: Iterable[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    found = []
    for text, width, on_the_right in zip(cells, widths, numbers, strict=False):
        if text.isascii():
            if len(text) > width:
                found.append(f"{text[: width - 1]}…")
            else:
                found.append(text.rjust(width) if on_the_right else text.ljust(width))
            continue
        wide = cell_len(text)
        if wide > width:
            found.append(set_cell_size(text, width - 1) + "…")
        else:
            blanks = " " * (width - wide)
            found.append(blanks + text if on_the_right else text + blanks)
    return _GAP.join(found).rstrip()
