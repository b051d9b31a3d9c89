"""One thing that went over the wire, kept as it came; it is read when somebody looks at it."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, NamedTuple

Sender = Literal["client", "server", "signoff"]
CLIENT: Final[Sender] = "client"
SERVER: Final[Sender] = "server"
SIGNOFF: Final[Sender] = "signoff"
"""Nothing that was sent: what Signoff says of the connection, such as that it began."""

BEGAN: Final = "connection"
"""A note that begins so tells of a new connection, on which ids begin anew."""

ENDED: Final = "the server ended"
"""A note that begins so tells that a process is gone."""

RAW_KEPT: Final = 256_000
"""Bytes of one message that are kept in memory; a capture has all of it."""


class Kind(Enum):
    """What a frame is."""

    REQUEST = "request"
    NOTIFICATION = "notice"
    ANSWER = "answer"
    ERROR = "error"
    NOISE = "noise"
    MALFORMED = "malformed"
    HTTP = "http"
    NOTE = "note"


class HttpPart(NamedTuple):
    """What HTTP says around a message; secrets in headers are masked already."""

    words: str
    """`POST /mcp`, or `200 OK`."""
    headers: tuple[tuple[str, str], ...] = ()
    request: str | int | None = None
    """The id of the request that this is about."""
    status: int = 0
    """Of an answer."""


class Frame:
    """One message, line or HTTP answer. What it means is in `signoff.app.protocol.wire.reading`."""

    __slots__ = ("at", "call", "http", "number", "raw", "reading", "sender", "size", "tick")

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
    ) -> None:
        """`at` is the time of day, `tick` a clock that never goes back; `size` is what came,
        of which `raw` may only be the beginning."""
        self.number = number
        self.at = at
        self.tick = tick
        self.sender: Sender = sender
        self.raw = raw
        self.size = size
        self.call = call
        """The number of the bench's call that it is sent for; 0 for none."""
        self.http = http
        self.reading: object = None
        """What it was read as, once it was looked at."""

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning was kept."""
        return self.size > len(self.raw)

    @property
    def is_http_only(self) -> bool:
        """Whether it has no message: a status, or a request without a body."""
        return self.http is not None and not self.raw
