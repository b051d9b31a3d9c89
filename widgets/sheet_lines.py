"""The lines of a sheet, and where they fall on rows of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rich.cells import cell_len, chop_cells

from ..app.content.texts.sheet_line import GUTTER, Piece, SheetLine
from .lines.line_rows import is_single

_GAP: Final = 2
_MEASURED_MAX: Final = 4_096
"""Longer texts with wide characters are broken at half the width, without measuring each."""
_WORD = re.compile("[^ ]* *")


class Row(NamedTuple):
    line: int
    start: int
    end: int
    is_aside: bool


def layout(lines: Sequence[SheetLine], width: int) -> Iterator[Row]:
    if width < 1:
        return
    for index, line in enumerate(lines):
        room = _room(line, width)
        start = 0
        plain = line.plain
        for end in _breaks(plain, room, line.exact):
            yield Row(index, start, end, False)
            start = end
        if line.aside and not shares_row(line, width):
            yield Row(index, 0, 0, True)


def shortened(line: SheetLine, width: int, rows: int, mark: str) -> SheetLine:
    """The line in at most so many rows; where it takes more, it ends with `mark`."""
    taken = list(layout([line], width))
    if len(taken) <= rows:
        return line
    room = _room(line, width)
    last = taken[rows - 1]
    end = last.end
    if not last.is_aside:
        while end > last.start and cell_len(line.plain[last.start : end]) + len(mark) > room:
            end -= 1
    pieces: list[Piece] = []
    for text, role in line.pieces:
        if end > 0:
            pieces.append((text[:end], role))
        end -= len(text)
    return replace(line, pieces=(*pieces, (mark, "noticed")), aside=())


def _room(line: SheetLine, width: int) -> int:
    return max(width - line.indent - (len(GUTTER) if line.gutter else 0) - line.reserve, 1)


def shares_row(line: SheetLine, width: int) -> bool:
    """Whether the aside stands in the line's first row."""
    if line.reserve:
        return True
    return cell_len(line.plain) + _GAP + cells(line.aside) <= _room(line, width)


def cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _breaks(plain: str, width: int, exact: bool) -> Iterator[int]:
    """Where each row of a text ends."""
    if len(plain) * 2 <= width or (len(plain) <= width * 4 and cell_len(plain) <= width):
        yield len(plain)
        return
    if exact:
        yield from _exact_breaks(plain, width, 0)
        return
    used = end = 0
    for match in _WORD.finditer(plain):
        word = match.group()
        if not word:
            break
        cells = cell_len(word.rstrip())
        if used and used + cells > width:
            yield end
            used = 0
        if cells > width:
            *full, rest = _exact_breaks(word, width, end)
            yield from full
            used = cell_len(word[(full[-1] if full else end) - end :])
            end = rest
        else:
            used += cell_len(word)
            end = match.end()
    yield end


def _exact_breaks(plain: str, width: int, offset: int) -> Iterator[int]:
    end = offset + len(plain)
    if is_single(plain):
        yield from range(offset + width, end, width)
    elif len(plain) > _MEASURED_MAX:
        half = max(width // 2, 1)
        yield from range(offset + half, end, half)
    else:
        at = offset
        for chunk in chop_cells(plain, width)[:-1]:
            at += len(chunk)
            yield at
    yield end
