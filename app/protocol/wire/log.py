"""The ring of what went over the wire: bounded, filled by any thread, read by whoever looks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Final, Protocol

from .frames import RAW_KEPT, SIGNOFF, Frame, HttpPart, Sender

FRAMES_KEPT: Final = 20_000
BYTES_KEPT: Final = 32_000_000


class Sink(Protocol):
    """Gets every frame whole; no method but `close` may wait for anything."""

    @property
    def trouble(self) -> str:
        """Why it takes no more, in words; empty while it does."""

    def take(self, frame: Frame) -> None: ...

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Tell in words, once and from any thread, why it takes no more."""

    def close(self) -> None:
        """Finish with what was taken; may be called again."""


class FrameLog(Protocol):
    """Frames with numbers that rise by one, for one reader."""

    @property
    def count(self) -> int:
        """Frames that ever were."""

    @property
    def dropped(self) -> int:
        """Frames that are not there any more."""

    @property
    def first(self) -> int:
        """The number of the oldest that is there."""

    def since(self, number: int, most: int | None = None) -> list[Frame]:
        """The frames after that number that are there, oldest first, at most so many."""


class WireLog:
    """The newest frames of one server, over all its connections. Taking one in costs microseconds.

    `sink` gets every frame, whatever falls out of the ring.
    """

    def __init__(
        self,
        sink: Sink | None = None,
        *,
        frames: int = FRAMES_KEPT,
        size: int = BYTES_KEPT,
    ) -> None:
        """`frames` and `size` (in bytes) are the most that is kept."""
        self.sink = sink
        self._frames: deque[Frame] = deque()
        self._most, self._most_bytes = frames, size
        self._bytes = 0
        self._count = 0
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Frames that ever were: a mark to redraw by."""
        return self._count

    @property
    def dropped(self) -> int:
        """Frames that fell out of the ring."""
        return self._count - len(self._frames)

    def add(
        self,
        sender: Sender,
        raw: bytes | bytearray,
        call: int = 0,
        http: HttpPart | None = None,
        size: int = 0,
    ) -> None:
        """Take in what went over the wire in this moment; `size` where `raw` is not all of it."""
        size = size or len(raw)
        at, tick = time.time(), time.monotonic()
        kept = raw if len(raw) <= RAW_KEPT else raw[:RAW_KEPT]
        sink = self.sink
        with self._lock:
            self._count = number = self._count + 1
            frame = Frame(number, at, tick, sender, bytes(kept), size, call, http)
            self._frames.append(frame)
            self._bytes += len(frame.raw)
            while len(self._frames) > self._most or self._bytes > self._most_bytes:
                self._bytes -= len(self._frames.popleft().raw)
            if sink is not None:
                whole = frame
                if len(kept) < len(raw):
                    whole = Frame(number, at, tick, sender, bytes(raw), size, call, http)
                # Under the lock, so that a capture has the order of the wire; it only queues.
                sink.take(whole)

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Tell in words, from any thread, why nothing is captured any more."""
        if self.sink is not None:
            self.sink.on_trouble(tell)

    @property
    def trouble(self) -> str:
        """Why nothing is captured any more, in words; empty where it is, or is not to be."""
        return self.sink.trouble if self.sink is not None else ""

    def close(self) -> None:
        """Nothing more will come; may take a moment, and be called again."""
        if self.sink is not None:
            self.sink.close()

    def note(self, words: str) -> None:
        """Something about the connection, in words of our own."""
        self.add(SIGNOFF, words.encode("utf-8", "replace"))

    def since(self, number: int, most: int | None = None) -> list[Frame]:
        """The frames after that number that are still there, oldest first, at most so many."""
        with self._lock:
            wanted = min(self._count - number, len(self._frames))
            found = list(islice(reversed(self._frames), max(0, wanted)))
        found.reverse()
        return found[:most]

    @property
    def first(self) -> int:
        """The number of the oldest frame that is kept."""
        return self._count - len(self._frames) + 1
