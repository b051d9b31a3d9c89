"""Rows of one text of any size: measured block by block, and made safe when drawn.

Beside the text itself there are two numbers for every 16,000 characters. The rows are known from
the beginning onwards, as far as there was time; known rows do not change any more.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from time import perf_counter

from .line_layout import Layout, Stretch
from .line_rows import Rows, is_single
from .line_source import Piece, TextSource, between

BLOCK = 16_384
EXACT_MAX = 1_000_000
"""Characters of lines with wide characters that are broken by cells; later ones by characters."""

_CLEAN, _SINGLE, _EXACT = 1, 2, 4
_KEPT = 16
_BREAK = len(r"\n")


class TextLayout(Layout):
    """Rows of a raw text. A line that is longer than a block is laid out in pieces if wrapped."""

    def __init__(self, source: TextSource, width: int | None) -> None:
        self.source = source
        self.width = None if width is None else Rows.width_for(width)
        self._text = source.plain
        self._known = 0
        self._total = 0
        self._widest = 0
        self._exact_left = EXACT_MAX
        self._starts = array("Q")
        self._first_rows = array("Q")
        self._flags = bytearray()
        self._blocks: dict[int, _Block] = {}
        self._dressed: tuple[int, Sequence[Piece], list[int]] = (-1, (), [])

    @property
    def total(self) -> int:
        return self._total

    @property
    def is_whole(self) -> bool:
        return self._known >= len(self._text)

    def grow(self, seconds: float) -> None:
        until = perf_counter() + seconds
        while self._known < len(self._text):
            self._add_block()
            if perf_counter() > until:
                return

    def knows(self, position: int) -> bool:
        return position < self._known or self.is_whole

    def widest(self) -> int:
        return self._widest

    def stretch(self, row: int) -> Stretch:
        block, index, part = self._find(row)
        low, high = block.bounds(index, part)
        start = block.starts[index]
        goes_on = part > 0 or (start > 0 and self._text[start - 1] != "\n")
        return Stretch(start, block.ends[index], low, high, goes_on, block.is_clean)

    def pieces(self, row: int) -> Sequence[Piece]:
        found = self.stretch(row)
        if found.is_clean and self.source.dress is None:
            return ((self._text[found.start + found.low : found.start + found.high], ""),)
        return between(*self._all_pieces(found), found.low, found.high)

    def window(self, row: int, left: int, width: int) -> tuple[Sequence[Piece], int, int]:
        found = self.stretch(row)
        if found.end - found.start > BLOCK:
            # By characters of the text: what comes before needs not be looked at.
            raw = self._text[found.start + left : min(found.start + left + width, found.end)]
            return self.source.pieces(raw, is_clean=found.is_clean), left, 0
        if found.is_clean and self.source.dress is None:
            text = self._text[found.start : found.end]
            if is_single(text):
                return ((text[left : left + width], ""),), left, 0
            return ((text, ""),), 0, left
        pieces, ends = self._all_pieces(found)
        if all(is_single(text) for text, _ in pieces):
            return between(pieces, ends, left, left + width), left, 0
        return pieces, 0, left

    def row_of(self, position: int) -> int:
        if not self._total:
            return 0
        if not self.knows(position):
            return self._total - 1
        at = max(bisect_right(self._starts, position) - 1, 0)
        block = self._block(at)
        index = max(bisect_right(block.starts, position) - 1, 0)
        first = int(self._first_rows[at]) + block.first_row(index)
        offset = self.drawn_offset(self.stretch(first), position)
        last = block.row_ends[index] - 1
        part = 0
        while block.first_row(index) + part < last and block.bounds(index, part)[1] <= offset:
            part += 1
        return first + part

    def drawn_offset(self, stretch: Stretch, position: int) -> int:
        count = min(max(position - stretch.start, 0), stretch.end - stretch.start)
        if stretch.is_clean or stretch.end - stretch.start > 2 * BLOCK:
            return count
        return len(self.source.drawn(self._text[stretch.start : stretch.start + count]))

    def text_of(self, row: int) -> str:
        if self.width is None:
            found = self.stretch(row)
            raw = self._text[found.start : found.end]
            as_it_is = found.is_clean and not self.source.literal
            return raw if as_it_is else self.source.drawn(raw)
        return "".join(text for text, _ in self.pieces(row))

    def _all_pieces(self, found: Stretch) -> tuple[Sequence[Piece], list[int]]:
        """A stretch in pieces; its rows are asked for in turn."""
        if self._dressed[0] != found.start:
            raw = self._text[found.start : found.end]
            pieces = self.source.pieces(raw, is_clean=found.is_clean)
            ends = list(accumulate(len(text) for text, _ in pieces))
            self._dressed = (found.start, pieces, ends)
        return self._dressed[1], self._dressed[2]

    def _find(self, row: int) -> tuple[_Block, int, int]:
        """Block, stretch in it, row of the stretch."""
        at = bisect_right(self._first_rows, row) - 1
        block = self._block(at)
        inside = row - self._first_rows[at]
        index = bisect_right(block.row_ends, inside)
        return block, index, inside - block.first_row(index)

    def _block(self, at: int) -> _Block:
        block = self._blocks.get(at)
        if block is None:
            while len(self._blocks) >= _KEPT:
                del self._blocks[next(iter(self._blocks))]
            end = self._starts[at + 1] if at + 1 < len(self._starts) else self._known
            block = _Block(self.source, self._starts[at], end, self.width, self._flags[at])
            self._blocks[at] = block
        return block

    def _add_block(self) -> None:
        start, text, width = self._known, self._text, self.width
        end = text.rfind("\n", start, start + BLOCK) + 1
        if not end:
            end = min(start + BLOCK, len(text))
            if end < len(text):
                end = self._end_of_piece(start, end)
        chunk = text[start:end]
        is_clean = self.source.is_clean(chunk)
        flags = (is_clean and _CLEAN) | (is_single(chunk) and _SINGLE)
        if not flags & _SINGLE and self._exact_left > 0:
            flags |= _EXACT
            self._exact_left -= len(chunk)
        self._starts.append(start)
        self._first_rows.append(self._total)
        self._flags.append(flags)
        self._known = end
        lengths = list(map(len, chunk.split("\n")))
        has_break = chunk.endswith("\n")
        if has_break:
            lengths.pop()
        longest = max(lengths)
        extra = _BREAK if self.source.literal else 0
        if width is None:
            self._total += len(lengths)
            self._note_widest(longest + extra, start, end, flags)
        elif not is_clean or not flags & _SINGLE:
            self._total += self._block(len(self._starts) - 1).row_ends[-1]
        elif longest + extra <= width:
            self._total += len(lengths)
        else:
            rows = sum([-(-(length + extra) // width) or 1 for length in lengths])
            if extra and not has_break:
                rows += (-(-lengths[-1] // width) or 1) - (-(-(lengths[-1] + extra) // width))
            self._total += rows

    def _end_of_piece(self, start: int, end: int) -> int:
        """Return the end of a block that begins with a line longer than itself."""
        if self.width is None:
            return self._text.find("\n", end) + 1 or len(self._text)
        # Whole rows, so that a line shows no seams.
        step = self.width if is_single(self._text[start:end]) else max(self.width // 2, 1)
        return start + max((end - start) // step * step, 1)

    def _note_widest(self, longest: int, start: int, end: int, flags: int) -> None:
        is_long = end - start > BLOCK
        if not flags & _CLEAN and not is_long:
            block = self._block(len(self._starts) - 1)
            places = zip(block.starts, block.ends, strict=True)
            longest = max(len(self.source.drawn(self._text[low:high])) for low, high in places)
        self._widest = max(self._widest, longest * (1 if flags & _SINGLE or is_long else 2))


class _Block:
    """The stretches of one block: where each begins and ends in the text, and on which rows."""

    def __init__(
        self, source: TextSource, start: int, end: int, width: int | None, flags: int
    ) -> None:
        text = source.plain
        self.is_clean = bool(flags & _CLEAN)
        self.starts: list[int] = []
        self.ends: list[int] = []
        lengths: list[int] = []
        while start < end:
            stop = text.find("\n", start, end)
            after = end if stop < 0 else stop + 1
            stop = end if stop < 0 else stop
            self.starts.append(start)
            self.ends.append(after if source.literal else stop)
            lengths.append(stop - start + (_BREAK if source.literal and after > stop else 0))
            start = after
        self._width = width
        self._lengths = lengths
        self._rows: Rows | None = None
        if width is None:
            self.row_ends = list(range(1, len(lengths) + 1))
        elif self.is_clean and flags & _SINGLE:
            self.row_ends = list(accumulate(-(-length // width) or 1 for length in lengths))
        else:
            places = zip(self.starts, self.ends, strict=True)
            drawn = [source.drawn(text[low:high]) for low, high in places]
            self._rows = Rows(drawn, width, exact=bool(flags & _EXACT))
            self.row_ends = self._rows.ends()

    def first_row(self, index: int) -> int:
        return self.row_ends[index - 1] if index else 0

    def bounds(self, index: int, part: int) -> tuple[int, int]:
        """The characters drawn on one row of a stretch, from its beginning."""
        if self._rows is not None:
            return self._rows.locate(self.first_row(index) + part)[1:]
        length = self._lengths[index]
        if self._width is None:
            return 0, length
        return part * self._width, min((part + 1) * self._width, length)
