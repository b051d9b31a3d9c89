"""Lines for a terminal of some width: broken between words, with what stands before them kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.cells import cell_len, chop_cells

from ..content.texts.sheet_line import GUTTER

_BEHIND_GUTTER: Final = re.compile(r"( {0,16}|[a-z]{1,12} +|[^\w ] )┃ {1,40}")
_LABELLED: Final = re.compile(r" *\S+(?: \S+)? {2,}")
_WORD: Final = re.compile(r"[^ ]+")
_NARROWEST: Final = 12
"""Cells that are left for words, whatever stands before them."""


class Row(NamedTuple):
    """A row of a line: what stands before it, and which part of the line it is."""

    margin: str
    start: int
    end: int


def wrapped(line: str, width: int | None) -> list[str]:
    """One line as lines of at most `width` cells, or as it is where that is None; see `rows`."""
    return [f"{margin}{line[start:end]}" for margin, start, end in rows(line, width)]


def rows(line: str, width: int | None) -> list[Row]:
    """The rows of at most `width` cells that a line makes; one where that is None.

    They are broken between words, and within a word only where it alone is wider than a line. What
    follows stands under the words of the first, so that no text of a server's begins a line: it is
    behind its gutter again, or indented.
    """
    if width is None or cell_len(line) <= width:
        return [Row("", 0, len(line))]
    first, after = _margins(line, width)
    return list(_broken(line, first, after, max(width, _NARROWEST)))


def _margins(line: str, width: int) -> tuple[str, str]:
    """What stands before the words of the first line, and of those after it."""
    if found := _BEHIND_GUTTER.match(line):
        first = found.group()
        gutter = first.replace(found[1], " " * len(found[1]), 1)
        if cell_len(gutter) + _NARROWEST <= width:
            return first, gutter
        short = gutter[: gutter.index(GUTTER)] + GUTTER
        short = short if cell_len(short) + _NARROWEST <= width else GUTTER
        return first, short
    if (found := _LABELLED.match(line)) and cell_len(found.group()) <= width // 2:
        return found.group(), " " * cell_len(found.group())
    blanks = line[: len(line) - len(line.lstrip(" "))]
    return blanks, f"{blanks[: width // 3]}  "


def _broken(line: str, first: str, after: str, width: int) -> Iterator[Row]:
    margin, start, end = first, len(first), len(first)
    room = width - max(cell_len(first), cell_len(after))
    for found in _WORD.finditer(line, len(first)):
        begin = found.start() if start == end else start
        if cell_len(margin) + cell_len(line[begin : found.end()]) <= width:
            start, end = begin, found.end()
            continue
        if start != end:
            yield Row(margin, start, end)
            margin = after
        start, end = found.span()
        if cell_len(found.group()) > room:
            for piece in chop_cells(found.group(), room)[:-1]:
                yield Row(margin, start, start + len(piece))
                margin, start = after, start + len(piece)
    yield Row(margin, start, end)
