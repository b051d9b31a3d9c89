"""Lines for a terminal of some width: broken between words, with what stands before them kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, chop_cells

from signoff.app.core.texts.sheet_line import GUTTER

_BEHIND_GUTTER: Final = re.compile(r"( {0,16}|[a-z]{1,12} +)┃ {1,40}")
_LABELLED: Final = re.compile(r" *\S+(?: \S+)? {2,}")
_NARROWEST: Final = 12
"""Cells that are left for words, whatever stands before them."""


def wrapped(line: str, width: int | None) -> list[str]:
    """One line as lines of at most `width` cells, or as it is where that is None.

    They are broken between words, and within a word only where it alone is wider than a line. What
    follows stands under the words of the first, so that no text of a server's begins a line: it is
    behind its gutter again, or indented.
    """
    if width is None or cell_len(line) <= width:
        return [line]
    first, after = _margins(line, width)
    return list(_broken(line[len(first) :], first, after, max(width, _NARROWEST)))


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


def _broken(text: str, first: str, after: str, width: int) -> Iterator[str]:
    margin, line = first, ""
    room = width - max(cell_len(first), cell_len(after))
    for gap, word in re.findall(r"( *)([^ ]+)", text):
        joined = f"{line}{gap if line else ''}{word}"
        if cell_len(margin) + cell_len(joined) <= width:
            line = joined
            continue
        if line:
            yield f"{margin}{line}"
            margin = after
        line = word
        if cell_len(word) > room:
            *whole, line = chop_cells(word, room)
            for piece in whole:
                yield f"{margin}{piece}"
                margin = after
    yield f"{margin}{line}"
