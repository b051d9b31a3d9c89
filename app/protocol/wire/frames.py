"""One frame of the wire, kept unmodified and parsed at first use.

`FrameLog` is the ring of frames: bounded, filled by any thread, read by any other.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum
from itertools import islice
from typing import Final, Literal, NamedTuple, Protocol

Sender = Literal["client", "server", "signoff"]
CLIENT: Final[Sender] = "client"
SERVER: Final[Sender] = "server"
SIGNOFF: Final[Sender] = "signoff"
"""Not a sender on the wire: Signoff's own notes on the connection, such as its beginning."""

BEGAN: Final = "connection"
"""The beginning of a note on a new connection, on which the ids start over."""

ENDED: Final = "the server exited"
"""The beginning of a note on the end of a process."""

RAW_KEPT: Final = 256_000
"""Bytes of one message that are kept in memory; a capture has all of it."""


class FrameKind(Enum):
    """Kinds of a frame."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    ANSWER = "response"
    ERROR = "error"
    NOISE = "noise"
    MALFORMED = "malformed"
    HTTP = "http"
    NOTE = "note"


class HttpPart(NamedTuple):
    """HTTP facts around a message; secrets in headers are masked already."""

    words: str
    """`POST /mcp`, or `200 OK`."""
    headers: tuple[tuple[str, str], ...] = ()
    request: str | int | None = None
    """The id of the request that this is about."""
    status: int = 0
    """Of an answer."""


class Frame:
    """One message, line or HTTP response. `signoff.app.protocol.wire.reading` interprets it."""

    __slots__ = (
        "at",
        "call",
        "http",
        "is_masked",
        "number",
        "raw",
        "reading",
        "sender",
        "size",
        "tick",
    )

    def __init__(
        self,
        number: int,
        at: float,
        tick: float,
        sender: Sender,
        raw: bytes,
        size: int,
        call: int = 0,
        http: HttpPart | None = None,
        *,
        is_masked: bool = False,
    ) -> None:
        """`at` is the time of day, `tick` a clock that never goes back; `size` is the full size,
        since `raw` may only be the beginning.
        """
        self.number = number
        self.at = at
        self.tick = tick
        self.sender: Sender = sender
        self.raw = raw
        self.size = size
        self.call = call
        """The number of the engine's call that it is sent for; 0 for none."""
        self.http = http
        self.is_masked = is_masked
        """Whether values were masked when it was saved, so that it is not what was sent."""
        self.reading: object = None
        """What it was read as, once it was looked at."""

    @property
    def is_cut(self) -> bool:
        """True if only the beginning was kept."""
        return self.size > len(self.raw)

    @property
    def is_http_only(self) -> bool:
        """True if it has no message: a status, or a request without a body."""
        return self.http is not None and not self.raw


FRAMES_KEPT: Final = 20_000
BYTES_KEPT: Final = 32_000_000


class Sink(Protocol):
    """Gets every frame whole; no method but `close` may wait for anything."""

    @property
    def trouble(self) -> str:
        """Reason why it takes no more, in words; empty while it does."""

    def take(self, frame: Frame) -> None: ...

    def on_trouble(self, tell: Callable[[str], None]) -> None:
        """Set the callback for the reason of its stop, in words; called once, from any thread."""

    def close(self) -> None:
        """Finish writing; may be called again."""


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
        """Add a frame at the current time; `size` if `raw` is not all of it."""
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
        """Set the callback for the reason of the capture's stop, in words; from any thread."""
        if self.sink is not None:
            self.sink.on_trouble(tell)

    @property
    def trouble(self) -> str:
        """Reason why capturing stopped, in words; empty if it works, or is not requested."""
        return self.sink.trouble if self.sink is not None else ""

    def close(self) -> None:
        """Finish the capture; may take a moment, and be called again."""
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
