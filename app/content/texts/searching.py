"""Search for words in a text of any size, a piece at a time."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from time import perf_counter

CHUNK = 131_072
MAX_FOUND = 1_000_000
"""Places after which counting stops."""

NEEDLE_MAX = 1_000


class Search:
    """The places of some words in a text, whatever their case, in order; they do not overlap.

    `found` grows by `go_on`. Nothing of the words is a pattern.
    """

    def __init__(self, text: str, words: str) -> None:
        self.words = words[:NEEDLE_MAX]
        self.found = array("Q")
        self.current: int | None = None
        """The index in `found` of the one that is looked at."""
        self._text = text
        self._at = 0 if words else len(text)
        self._lowered = self.words.lower()
        self._pattern = re.compile(re.escape(self.words), re.IGNORECASE)

    @property
    def is_done(self) -> bool:
        return self._at >= len(self._text)

    @property
    def is_full(self) -> bool:
        """True if there may be more than are counted."""
        return len(self.found) >= MAX_FOUND

    def go_on(self, seconds: float) -> None:
        """Search for about so long."""
        until = perf_counter() + seconds
        while not self.is_done and perf_counter() < until:
            self._search_chunk()

    def at(self, index: int) -> tuple[int, int]:
        """Beginning and end of one place."""
        start = self.found[index]
        return start, start + len(self.words)

    def first_from(self, position: int) -> int | None:
        """The index of the first place at or after a position, or else of the first one."""
        if not self.found:
            return None
        index = bisect_left(self.found, position)
        return index if index < len(self.found) else 0

    def step(self, by: int) -> int | None:
        """Make the next place the current one, or the one before; around at the ends."""
        if not self.found:
            self.current = None
        elif self.current is None:
            self.current = 0 if by > 0 else len(self.found) - 1
        else:
            self.current = (self.current + by) % len(self.found)
        return self.current

    def between(self, low: int, high: int) -> list[tuple[int, int, bool]]:
        """Beginning, end, whether it is the current one: of those that touch a range."""
        length = len(self.words)
        first = bisect_right(self.found, max(low - length, -1)) if low >= length else 0
        found = []
        for index in range(first, len(self.found)):
            start = self.found[index]
            if start >= high:
                break
            if start + length > low:
                found.append((start, start + length, index == self.current))
        return found

    def _search_chunk(self) -> None:
        start, length = self._at, len(self.words)
        end = min(start + CHUNK, len(self._text))
        # A place may begin in this chunk and end in the next.
        chunk = self._text[start : end + length - 1]
        if chunk.isascii():
            lowered = chunk.lower()
            place = lowered.find(self._lowered)
            while 0 <= place < end - start:
                self.found.append(start + place)
                end = max(end, start + place + length)
                place = lowered.find(self._lowered, place + length)
        else:
            for match in self._pattern.finditer(chunk):
                if match.start() >= end - start:
                    break
                self.found.append(start + match.start())
                end = max(end, start + match.end())
        self._at = len(self._text) if self.is_full else end


def count_words(search: Search) -> str:
    """ "3 of 41", "nothing found", with a + if the search may find more."""
    count = len(search.found)
    more = "" if search.is_done and not search.is_full else "+"
    if not count:
        return "searching …" if more else "nothing found"
    place = "" if search.current is None else f"{search.current + 1:,} of "
    return f"{place}{count:,}{more}"
