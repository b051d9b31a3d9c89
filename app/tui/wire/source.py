"""Whose wire a screen shows: that of a bench, or that of a file in which one was captured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from ...content.json.jsonio import JsonValue
from ...protocol.wire.frames import FrameLog

if TYPE_CHECKING:
    from ...engine.engine import Bench
    from ...engine.raw_messages import RawMessages
    from ...protocol.server import Server


class WireSource(Protocol):
    """What the screen has to know besides the frames."""

    @property
    def name(self) -> str:
        """Of the server, or of the file; raw."""

    @property
    def log(self) -> FrameLog: ...

    @property
    def is_live(self) -> bool:
        """Whether more may come."""

    @property
    def why_not_sent(self) -> str:
        """Why nothing can be sent from here, in words of our own; empty where it can."""

    @property
    def raw(self) -> RawMessages | None:
        """What sends what a person writes; None where nothing can be sent."""

    @property
    def server(self) -> Server | None:
        """Who gets it; None where nobody does."""

    def schema_of(self, tool: str) -> JsonValue:
        """The input schema of a tool; None where it is not known."""

    def call_words(self, number: int) -> str:
        """Why a call has no frames; empty where it should have some."""


class BenchWire:
    """What goes over the wire of a bench."""

    is_live = True
    why_not_sent = ""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    @property
    def name(self) -> str:
        return self._bench.server.name

    @property
    def raw(self) -> RawMessages:
        return self._bench.raw_messages

    @property
    def server(self) -> Server:
        return self._bench.server

    @property
    def log(self) -> FrameLog:
        return self._bench.link.wire

    def schema_of(self, tool: str) -> JsonValue:
        found = (one.input_schema for one in self._bench.tools if one.name == tool)
        return next(found, None)

    def call_words(self, number: int) -> str:
        call = self._bench.calls.get(number)
        if call is None:
            return f"there is no call {number}"
        return "" if call.sent else f"nothing was sent for call {number}: {call.status}"


class CapturedWire:
    """What went over a wire once."""

    is_live = False
    raw = None
    server = None
    why_not_sent = "this is a file, with no server behind it; signoff replay serves it as one"

    def __init__(self, name: str, log: FrameLog, schemas: Mapping[str, JsonValue]) -> None:
        self.name = name
        self.log = log
        self._schemas = schemas

    def schema_of(self, tool: str) -> JsonValue:
        return self._schemas.get(tool)

    def call_words(self, number: int) -> str:
        return ""
