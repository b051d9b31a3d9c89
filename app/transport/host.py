"""The host's end of a relay: its pipe, its requests and calls, and what it agreed on."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse
from ..content.json.limits import Limits
from ..content.text import cut, visible
from ..protocol.rpc import READ_METHOD
from .events import Greeting, Reply
from .greeting import GreetingFailed, read_discovery, read_handshake
from .protocol import DISCOVER
from .stdio.lines import LINE_LIMIT, Line, LineReader

_CHUNK: Final = 262_144
LIMITS: Final = Limits(size=LINE_LIMIT)
"""Of one message of a host."""


@frozen
class HostCall:
    """A call that a host makes: the line as it came, without its end, and the message in it."""

    line: bytes
    message: dict[str, JsonValue]

    @property
    def id(self) -> str | int:
        identity = self.message["id"]
        assert isinstance(identity, str | int)
        return identity

    @property
    def method(self) -> str:
        return str(self.message["method"])

    @property
    def params(self) -> dict[str, JsonValue]:
        params = self.message.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def name(self) -> str:
        """The name of the tool or the prompt, or the URI: raw."""
        given = self.params.get("uri" if self.method == READ_METHOD else "name")
        return given if isinstance(given, str) else ""

    @property
    def arguments(self) -> JsonValue:
        return self.params.get("arguments", {})

    @property
    def progress_token(self) -> str | int | None:
        meta = self.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        return token if isinstance(token, str | int) and not isinstance(token, bool) else None

    def with_arguments(self, arguments: Mapping[str, JsonValue]) -> HostCall:
        """The same call with other arguments; all else stays."""
        message = {**self.message, "params": {**self.params, "arguments": dict(arguments)}}
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        return HostCall(line, message)

    def to_compare(self) -> dict[str, JsonValue]:
        """The message as a gate compares it: arguments that were left out are none, and `task`,
        which is how the server runs it and what no approval is about, is left out."""
        params = {name: value for name, value in self.params.items() if name != "task"}
        if self.method != READ_METHOD:
            params["arguments"] = self.arguments
        return {**self.message, "params": params}


@dataclass(slots=True)
class RelayListener:
    """What the calls of a host are reported to; called on the event loop."""

    called: Callable[[HostCall], None] = lambda call: None
    cancelled: Callable[[HostCall], None] = lambda call: None
    """The host took back a call that was not sent yet."""
    host_ended: Callable[[], None] = lambda: None
    """The host writes nothing more."""


class HostPipe:
    """The two ends of a host's pipe; lines are read in a thread."""

    def __init__(self, source: int = 0, target: int = 1) -> None:
        self._source = source
        self._target = target
        self._lock = threading.Lock()
        self.is_broken = False
        """True once the host reads nothing more."""

    def read(self, take: Callable[[Line], None]) -> None:
        """Read until the end of the input."""
        reader = LineReader()
        with contextlib.suppress(OSError):
            while chunk := os.read(self._source, _CHUNK):
                for line in reader.feed(chunk):
                    take(line)
        for line in reader.close():
            take(line)

    def write(self, *pieces: bytes | bytearray) -> None:
        """Write whole lines; waits while the host does not read."""
        with self._lock:
            try:
                for piece in pieces:
                    rest = memoryview(piece)
                    while rest:
                        rest = rest[os.write(self._target, rest) :]
            except OSError:
                self.is_broken = True


class Alters(Protocol):
    """Changes messages on their way, as a test of the host."""

    def to_server(self, line: bytes, message: Mapping[str, Any], host: HostPipe) -> bytes | None:
        """Return the line that the server gets; None for none."""

    def to_host(self, line: bytes, host: HostPipe) -> None:
        """Write what the host gets in the place of a line of the server."""


Key: TypeAlias = tuple[str, str | int]


@dataclass(slots=True)
class HostRequest:
    """A request of the host without a response yet."""

    message: dict[str, JsonValue]
    settle: Callable[[Reply], None] | None = None
    """Takes the response to a call; runs on the event loop."""
    progress: Callable[[JsonValue], None] | None = None
    is_unsent: bool = False
    """It passes as soon as its server is watched."""
    was_refused: bool = False
    """Its gate did not agree: it was not sent, and may be once more."""
    reply: Reply | None = None
    """A response that came before anyone waited for it."""


def read_agreement(method: str, result: dict[str, JsonValue]) -> Greeting:
    """What host and server agreed on, of any revision."""
    if method == DISCOVER and (found := read_discovery(result)) is not None:
        return found
    with contextlib.suppress(GreetingFailed):
        return read_handshake(result)
    info, capabilities = result.get("serverInfo"), result.get("capabilities")
    return Greeting(
        "legacy",
        visible(cut(str(result.get("protocolVersion")), 40).text),
        info if isinstance(info, dict) else {},
        capabilities if isinstance(capabilities, dict) else {},
        "",
        result,
    )


def read_messages(raw: bytes) -> list[JsonValue] | None:
    """The messages of a line: one, or those of a batch; None if it is not JSON."""
    try:
        value = parse(raw, LIMITS).value
    except JsonError:
        return None
    return value if isinstance(value, list) else [value]


def key_of(identity: str | int) -> Key:
    """The key of a request: 1, "1" and true are three ids."""
    return type(identity).__name__, identity
