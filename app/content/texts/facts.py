"""Facts on one value, worded once: cells of a list, labelled lines, or both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Final

from ..frozen import frozen
from .sheet_line import SheetLine, labelled

INDENT: Final = 12
"""Columns for the labels of a value's lines."""


class FactPlace(Enum):
    """Where a fact is shown in a list; with the details of one value all of them are shown."""

    CELL = "a cell of its row"
    BELOW = "a line below its row"
    DETAIL = "nowhere"


@frozen
class Fact:
    """One fact; `words` are safe to show. A label that is empty continues the one before."""

    label: str
    words: str
    place: FactPlace = FactPlace.CELL
    role: str = ""
    short: str = ""
    """Fewer words for a cell; empty for the same."""


def cells(facts: Iterable[Fact]) -> dict[str, str]:
    """The cells of a value's row, each under its heading."""
    return {one.label: one.short or one.words for one in facts if one.place is FactPlace.CELL}


def below(facts: Iterable[Fact]) -> Iterator[SheetLine]:
    """The lines below the row of a value."""
    return lines(one for one in facts if one.place is FactPlace.BELOW)


def lines(facts: Iterable[Fact], indent: int = INDENT) -> Iterator[SheetLine]:
    """All facts, a line each."""
    for one in facts:
        yield labelled(one.label, indent, (one.words, one.role))


def main_lines(facts: Iterable[Fact], indent: int) -> Iterator[SheetLine]:
    """The facts that a list has, a line each, in their shorter words."""
    for one in facts:
        if one.place is not FactPlace.DETAIL:
            yield labelled(one.label, indent, (one.short or one.words, one.role))


def texts(sheet: Sequence[SheetLine]) -> list[str]:
    """Lines without styles."""
    return [f"{line.label:<{line.indent}}{line.plain}" for line in sheet]
