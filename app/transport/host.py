"""The host's end of a relay: its pipe, and the calls that it makes, as values."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, parse
from ..content.json.limits import Limits
from ..content.text import cut, visible
from ..platforms.pipes import is_reader_gone, read_some, write_all
from ..protocol.rpc import READ_METHOD
from .events import Greeting, Listing, Reply
from .greeting import GreetingFailed, read_discovery, read_handshake
from .open_requests import OpenRequest
from .protocol import DISCOVER, INITIALIZE
from .stdio.lines import LINE_LIMIT, Line, LineReader, make_spool

_CHUNK: Final = 262_144
_LISTED_MAX: Final = 10_000
"""Tools of a list that are kept."""
_META: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{_META}protocolVersion"
CLIENT_INFO: Final = f"{_META}clientInfo"
CLIENT_CAPABILITIES: Final = f"{_META}clientCapabilities"
TOOLS_LIST: Final = "tools/list"
LIMITS: Final = Limits(size=LINE_LIMIT)
"""Of one message of a host."""


@frozen
class HostCall:
    """A call that a host makes: the line as it came, without its end, and the message in it."""

    line: bytes
    message: dict[str, JsonValue]
    opened: OpenRequest
    """The request that the host waits for; the same one after a change of its arguments."""

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

    @property
    def capabilities(self) -> JsonValue:
        """The capabilities that come with the request since 2026-07-28; None if none do."""
        meta = self.params.get("_meta")
        return meta.get(CLIENT_CAPABILITIES) if isinstance(meta, dict) else None

    def with_arguments(self, arguments: Mapping[str, JsonValue]) -> HostCall:
        """The same call with other arguments; all else stays."""
        message = {**self.message, "params": {**self.params, "arguments": dict(arguments)}}
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        return HostCall(line, message, self.opened)

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
    task_told: Callable[[str, str, Reply], None] = lambda method, identity, reply: None
    """The server sent something about a task: the method, the id of the task, and the response to a
    request of the host, or a result with the params of a notification."""
    host_ended: Callable[[], None] = lambda: None
    """The host writes nothing more."""


class HostPipe:
    """The two ends of a host's pipe; lines are read in a thread."""

    def __init__(self, source: int = 0, target: int = 1) -> None:
        self._source = source
        self._target = target
        self._lock = threading.Lock()
        self._outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._unwritten = 0
        """Lines of Signoff's own that wait, and writes that go on."""
        self._has_writer = False
        self._has_failed = False

    @property
    def is_broken(self) -> bool:
        """True once the host reads nothing more, as far as the system tells."""
        return self._has_failed or self._is_reader_gone()

    @property
    def is_busy(self) -> bool:
        """True while there is something to write."""
        return self._unwritten > 0

    def note_broken(self) -> None:
        """Note that the host reads nothing more."""
        self._has_failed = True

    def _is_reader_gone(self) -> bool:
        return is_reader_gone(self._target)

    def read(self, take: Callable[[Line], None], *, keeps_overlong: bool = False) -> None:
        """Read until the end of the input; an overlong line is kept whole if that is wanted."""
        reader = LineReader(make_spool=make_spool) if keeps_overlong else LineReader()
        with contextlib.suppress(OSError):
            while chunk := read_some(self._source, _CHUNK):
                for line in reader.feed(chunk):
                    take(line)
        for line in reader.close():
            take(line)

    def write(self, *pieces: bytes | bytearray) -> None:
        """Write whole lines; waits while the host does not read."""
        self._count(1)
        with self._lock:
            try:
                for piece in pieces:
                    write_all(self._target, bytes(piece))
            except OSError:
                self._has_failed = True
        self._count(-1)

    def tell(self, line: bytes) -> None:
        """Write a line of Signoff's own, in the order of these calls; returns at once."""
        with self._counting:
            self._unwritten += 1
            self._outbox.put(line)
            if not self._has_writer:
                self._has_writer = True
                threading.Thread(target=self._write_own, name="to-host", daemon=True).start()

    def _write_own(self) -> None:
        while True:
            self.write(self._outbox.get())
            self._count(-1)

    def _count(self, more: int) -> None:
        with self._counting:
            self._unwritten += more


class Alters(Protocol):
    """Changes messages on their way, as a test of the host."""

    def to_server(self, line: bytes, message: Mapping[str, Any], host: HostPipe) -> bytes | None:
        """Return the line that the server gets; None for none."""

    def to_host(self, line: bytes, host: HostPipe) -> None:
        """Write what the host gets in the place of a line of the server."""


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


def client_meta(params: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The facts on its client in each request since 2026-07-28; empty in an earlier revision."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or _VERSION not in meta:
        return {}
    names = (_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES)
    return {name: meta[name] for name in names if name in meta}


def declaring(
    message: dict[str, JsonValue], extensions: Mapping[str, JsonValue]
) -> dict[str, JsonValue] | None:
    """A request of a host with these extensions among its capabilities; None if it stays as it is.

    Of `initialize`, and of the discovery and the list of tools of 2026-07-28, which carry them in
    `_meta`. What the host itself declares of an extension is left as it is.
    """
    method, params = message.get("method"), message.get("params")
    if not extensions or not isinstance(params, dict):
        return None
    if method == INITIALIZE:
        declared = _with_extensions(params.get("capabilities", {}), extensions)
        return declared and {**message, "params": {**params, "capabilities": declared}}
    if method not in (DISCOVER, TOOLS_LIST) or not client_meta(params):
        return None
    meta = params["_meta"]
    assert isinstance(meta, dict)
    declared = _with_extensions(meta.get(CLIENT_CAPABILITIES, {}), extensions)
    if declared is None:
        return None
    return {**message, "params": {**params, "_meta": {**meta, CLIENT_CAPABILITIES: declared}}}


def meta_declaring(
    meta: dict[str, JsonValue], extensions: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """The `_meta` of a request of Signoff's own, with these extensions; empty stays empty."""
    declared = _with_extensions(meta.get(CLIENT_CAPABILITIES, {}), extensions) if meta else None
    return meta if declared is None else {**meta, CLIENT_CAPABILITIES: declared}


def _with_extensions(
    capabilities: JsonValue, extensions: Mapping[str, JsonValue]
) -> dict[str, JsonValue] | None:
    if not isinstance(capabilities, dict):
        return None
    declared = capabilities.get("extensions", {})
    if not isinstance(declared, dict) or extensions.keys() <= declared.keys():
        return None
    return {**capabilities, "extensions": {**extensions, **declared}}


class ListedPages:
    """The list of tools that a host is reading, page by page."""

    def __init__(self) -> None:
        self._entries: list[JsonValue] = []

    def take(self, message: dict[str, JsonValue], result: dict[str, JsonValue]) -> Listing:
        """Take in a page, by its request and its result; returns the list as far as it is known."""
        params, listed = message.get("params"), result.get("tools")
        if not (isinstance(params, dict) and params.get("cursor")):
            self._entries = []
        if isinstance(listed, list):
            self._entries += listed[: _LISTED_MAX - len(self._entries)]
        missing = "the host has not listed the next page" if result.get("nextCursor") else ""
        return Listing(tuple(self._entries), missing=missing)
