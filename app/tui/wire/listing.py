"""What of the wire is listed: the frames that pass the filter, as they come and fall out."""

from __future__ import annotations

import time
from bisect import bisect_left

from ...protocol.wire.book import AT_ONCE, WireBook
from ...protocol.wire.export import WireFilter
from ...protocol.wire.frames import Frame
from ...protocol.wire.rows import Showing, WireRow, row_of
from .source import WireSource

SIFT_SECONDS = 0.03
"""How long frames are looked through before the rest of the program gets its turn."""
_SIFTED = 200
"""Frames between two looks at the clock."""


class Listing:
    """The frames of one wire that are wanted, oldest first."""

    def __init__(self, source: WireSource, wanted: WireFilter) -> None:
        self._source = source
        self._log = source.log
        self.book = WireBook(self._log)
        self.showing = Showing(self.book, source.schema_of)
        self.wanted = wanted
        self._numbers: list[int] = []
        self._sifted = 0
        """The number up to which it is known whether a frame is wanted."""

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def is_behind(self) -> bool:
        """Whether there is more to take in."""
        return self.book.is_behind or self.is_sifting

    @property
    def is_sifting(self) -> bool:
        """Whether it is not known of all frames yet if they are wanted."""
        return self._sifted < self.book.seen

    def take(self) -> int | None:
        """Take in what came, though not too much at once; returns how many rows fell out at the
        top, None where nothing came at all."""
        self.book.update(AT_ONCE)
        if not self.is_sifting:
            return None
        self._sift()
        gone = bisect_left(self._numbers, self.book.first)
        del self._numbers[:gone]
        return gone

    def apply(self, wanted: WireFilter) -> None:
        """List what passes another filter; where there are many, some of it only by `take`."""
        self.wanted = wanted
        self._numbers, self._sifted = [], 0
        if wanted.is_empty:
            self._numbers = [one.number for one in self.book.frames]
            self._sifted = self.book.seen
        else:
            self._sift()

    def _sift(self) -> None:
        """Look which frames are wanted, for a moment."""
        book, end = self.book, time.perf_counter() + SIFT_SECONDS
        at = max(0, self._sifted + 1 - book.first)
        while at < len(book.frames):
            some = book.frames[at : at + _SIFTED]
            self._numbers += [one.number for one in some if self.wanted.matches(one, book)]
            at += len(some)
            if time.perf_counter() > end:
                break
        self._sifted = book.first + at - 1 if book.frames else book.seen

    def frame_at(self, index: int) -> Frame | None:
        """The frame of a row; None where there is none any more."""
        return self.book.at(self._numbers[index]) if 0 <= index < len(self) else None

    def row_at(self, index: int) -> WireRow | None:
        frame = self.frame_at(index)
        return None if frame is None else row_of(frame, self.book, self.showing)

    def index_of(self, number: int) -> int | None:
        """The row of a frame; None where it is not listed."""
        at = bisect_left(self._numbers, number)
        return at if at < len(self) and self._numbers[at] == number else None

    def frames(self) -> list[Frame]:
        """All that are listed."""
        found = (self.book.at(number) for number in self._numbers)
        return [one for one in found if one is not None]

    @property
    def empty_words(self) -> str:
        """Why there is nothing."""
        number = self.wanted.call
        if not number:
            return "nothing yet" if self.wanted.is_empty else "no message passes the filter"
        if words := self._source.call_words(number):
            return words
        if self.wanted != WireFilter(call=number):
            return f"no message of call {number} passes the filter"
        if not self._source.is_live:
            return f"the file has no message of call {number}"
        return f"no message of call {number} is kept any more"

    @property
    def count_words(self) -> str:
        """How many there are, and how many are not there any more."""
        count, dropped = len(self), self._log.dropped
        words = f"{count:,}" if self.wanted.is_empty else f"{count:,} of {self.book.seen:,}"
        return words + (f" · {dropped:,} older ones fell out" if dropped else "")
