"""The side of a proxy on which hosts connect by Streamable HTTP, on this machine alone.

Spec, basic/transports, "Streamable HTTP". Each session of a host has a server process of its own.
2026-07-28 has no sessions: all its requests go to one server, and two open
ones need two ids. A request is answered with an event stream, which has what comes for it before.
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from ...content.json.jsonio import JsonError, JsonValue, parse
from ...content.json.limits import Limits
from ..host import HostPipe
from ..open_requests import Key, key_of_id
from ..protocol import CANCELLED, INITIALIZE, LISTEN, MODERN
from ..stdio.inbound import Message, MessageReader, Unreadable
from ..stdio.lines import LINE_LIMIT, Line
from .bodies import SESSION_ID

PATH: Final = "/mcp"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1", "[::1]")
SESSIONS_MAX: Final = 100
_KEPT_MAX: Final = 1_000
"""Messages that wait for a stream of the host."""
_ALIVE_SECONDS: Final = 5.0
_LIMITS: Final = Limits(size=LINE_LIMIT)
_VERSION: Final = "mcp-protocol-version"
_META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"


@dataclass(eq=False)
class _Stream:
    """An open response: the messages that it is to have; None ends it."""

    messages: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    waits_for: set[Key] = field(default_factory=set)
    """Requests that it answers; it ends with the last response."""
    listens: bool = False
    """Whether it also has what belongs to no request: a GET, or a subscription."""
    is_get: bool = False
    """Whether it answers no request, so that it goes on until one of both sides ends."""


class HttpHost(HostPipe):
    """One session: lines for the server come from POSTs, and what comes back goes to streams."""

    def __init__(self, on_end: Callable[[HttpHost], None]) -> None:
        super().__init__()
        self.id = secrets.token_hex(16)
        self._on_end = on_end
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._streams: list[_Stream] = []
        self._tokens: dict[Key, _Stream] = {}
        self._kept: deque[bytes] = deque(maxlen=_KEPT_MAX)
        self._guard = threading.Lock()
        self._reader = MessageReader()
        self._spread: list[bytes] = []
        """Lines of a message that is not whole yet."""

    def read(self, take: Callable[[Line], None], *, keeps_overlong: bool = False) -> None:
        """Give out lines until the session ends."""
        while (line := self._lines.get()) is not None:
            take(line)

    def _is_reader_gone(self) -> bool:
        return False

    def write(self, *pieces: bytes | bytearray) -> None:
        """Put each line of these whole ones on the stream that it belongs to."""
        for line in b"".join(pieces).splitlines():
            if line.strip():
                self._route(line)

    def post(self, body: bytes, message: JsonValue) -> _Stream | None:
        """Take in a message; returns the stream of its answer, None if it has none.

        Raises ValueError for an id that another open request has.
        """
        messages = message if isinstance(message, list) else [message]
        stream = _Stream()
        for one in messages:
            if isinstance(one, dict) and "method" in one and _is_id(one.get("id")):
                stream.waits_for.add(key_of_id(one["id"]))  # type: ignore[arg-type]
                stream.listens = stream.listens or one["method"] == LISTEN
        # Asked now: the response may have come before this returns.
        has_answer = bool(stream.waits_for)
        with self._guard:
            if has_answer:
                if any(stream.waits_for & other.waits_for for other in self._streams):
                    raise ValueError("another open request has this id")
                self._streams.append(stream)
                for one in messages:
                    if (token := _progress_token(one)) is not None:
                        self._tokens[key_of_id(token)] = stream
        # Between two tokens JSON may have line ends, and a line may not.
        self._lines.put(body.replace(b"\r", b" ").replace(b"\n", b" "))
        return stream if has_answer else None

    def listen(self) -> _Stream:
        """A stream for what belongs to no request."""
        stream = _Stream(listens=True, is_get=True)
        with self._guard:
            self._streams.append(stream)
            for line in self._kept:
                stream.messages.put(line)
            self._kept.clear()
        return stream

    def leave(self, stream: _Stream, *, is_cancelled: bool) -> None:
        """The host reads a stream no more; `is_cancelled`: that cancels its requests."""
        with self._guard:
            with contextlib.suppress(ValueError):
                self._streams.remove(stream)
            for token in [one for one, other in self._tokens.items() if other is stream]:
                del self._tokens[token]
        for _, identity in stream.waits_for if is_cancelled else ():
            params = {"requestId": identity, "reason": "the host closed the stream"}
            told = {"jsonrpc": "2.0", "method": CANCELLED, "params": params}
            self._lines.put(json.dumps(told).encode())

    def end(self) -> None:
        """End the session."""
        self.note_broken()
        self._lines.put(None)
        with self._guard:
            for stream in self._streams:
                stream.messages.put(None)
        self._on_end(self)

    def _route(self, line: bytes) -> None:
        """Put what a line has, or the last of several, on its streams."""
        self._spread.append(line)
        found = self._reader.read(line)
        if not found:
            return
        # Between two tokens JSON may have line ends, and an event may not.
        raw, self._spread = b" ".join(self._spread), []
        bodies = [one.body for one in found if isinstance(one, Message)]
        failed = [one.id for one in found if isinstance(one, Unreadable) and one.id is not None]
        if len(bodies) + len(failed) > 1 and all("method" not in one for one in bodies):
            # A batch of responses: each goes to its own request.
            for body in bodies:
                self._put_message(json.dumps(body).encode("ascii"), body)
            return
        bodies = bodies or [{"id": one} for one in failed]
        if not bodies:
            # Not a message by the specification; a host may take it for one all the same.
            with contextlib.suppress(JsonError):
                value = parse(raw, _LIMITS).value
                bodies = [value] if isinstance(value, dict) else []
        for body in bodies:
            self._put_message(raw, body)

    def _put_message(self, raw: bytes, body: dict[str, JsonValue]) -> None:
        with self._guard:
            stream = self._stream_of(body)
            if stream is None:
                self._kept.append(raw)
                return
            stream.messages.put(raw)
            identity = body.get("id")
            if "method" not in body and _is_id(identity):
                stream.waits_for.discard(key_of_id(identity))  # type: ignore[arg-type]
                if not stream.waits_for and stream in self._streams and not stream.is_get:
                    stream.messages.put(None)
                    self._streams.remove(stream)

    def _stream_of(self, body: dict[str, JsonValue]) -> _Stream | None:
        """The stream that a message belongs to; call it with the guard."""
        identity, params = body.get("id"), body.get("params")
        if "method" not in body and _is_id(identity):
            key = key_of_id(identity)  # type: ignore[arg-type]
            waiting = next((one for one in self._streams if key in one.waits_for), None)
            # A response that belongs to no request is for the host to see, too.
            return waiting or next(iter(self._streams), None)
        token = params.get("progressToken") if isinstance(params, dict) else None
        if _is_id(token) and (found := self._tokens.get(key_of_id(token))):  # type: ignore[arg-type]
            return found
        listening = next((one for one in self._streams if one.listens), None)
        return listening or next(iter(self._streams), None)


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _progress_token(message: JsonValue) -> str | int | None:
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


class HostsServer:
    """Listens on this machine; `begin` is called, in a thread, with each new session."""

    def __init__(self, place: str, port: int, begin: Callable[[HttpHost], None]) -> None:
        """Raises OSError if the port is taken, ValueError for a place that is not this machine."""
        if place not in LOOPBACK:
            raise ValueError("a proxy listens on this machine only: 127.0.0.1 or localhost")
        self._begin = begin
        self._sessions: dict[str, HttpHost] = {}
        self._stateless: HttpHost | None = None
        self._lock = threading.Lock()
        hosts = self

        class Handler(HostHandler):
            hosts_server = hosts

        self._server = ThreadingHTTPServer((place.strip("[]"), port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://{place}:{self._server.server_address[1]}{PATH}"
        threading.Thread(target=self._server.serve_forever, name="hosts", daemon=True).start()

    def close(self) -> None:
        """End all sessions, and listen no more."""
        for one in self.sessions():
            one.end()
        self._server.shutdown()
        self._server.server_close()

    def sessions(self) -> list[HttpHost]:
        """The open ones."""
        with self._lock:
            stateless = [] if self._stateless is None else [self._stateless]
            return [*self._sessions.values(), *stateless]

    def session(self, name: str) -> HttpHost | None:
        """The session of a name."""
        return self._sessions.get(name)

    def of_modern(self) -> HttpHost:
        """What all requests without a session go to."""
        with self._lock:
            if self._stateless is None:
                self._stateless = HttpHost(self._ended)
                self._begin(self._stateless)
            return self._stateless

    def new(self) -> HttpHost | None:
        """A new session; None if there are too many."""
        with self._lock:
            if len(self._sessions) >= SESSIONS_MAX:
                return None
            made = HttpHost(self._ended)
            self._sessions[made.id] = made
        self._begin(made)
        return made

    def _ended(self, host: HttpHost) -> None:
        with self._lock:
            self._sessions.pop(host.id, None)
            if self._stateless is host:
                self._stateless = None


class HostHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hosts_server: HostsServer

    def do_POST(self) -> None:
        """Take a message in, and answer it."""
        if not self._is_allowed():
            return
        length = self.headers.get("content-length", "")
        size = int(length) if length.isdecimal() and len(length) <= len(str(LINE_LIMIT)) else -1
        if not 0 <= size <= LINE_LIMIT:
            self._end(411 if size < 0 else 413)
            return
        body = self.rfile.read(size)
        try:
            message = parse(body, _LIMITS).value
        except JsonError as problem:
            self._error(400, -32700, problem.reason)
            return
        host = self._host_of(message)
        if host is None:
            return
        try:
            stream = host.post(body, message)
        except ValueError as problem:
            self._error(409, -32600, str(problem))
            return
        if stream is None:
            self._end(202)
            return
        is_new = isinstance(message, dict) and message.get("method") == INITIALIZE
        self._answer(host, stream, host.id if is_new else "", is_modern=_is_modern(message))

    def do_GET(self) -> None:
        """Send what belongs to no request, until the host closes the connection."""
        if not self._is_allowed():
            return
        host = self.hosts_server.session(self.headers.get(SESSION_ID, ""))
        if host is None:
            self._end(404 if SESSION_ID in self.headers else 405)
            return
        self._answer(host, host.listen())

    def do_DELETE(self) -> None:
        """End a session."""
        if not self._is_allowed():
            return
        host = self.hosts_server.session(self.headers.get(SESSION_ID, ""))
        if host is not None:
            host.end()
        self._end(404 if host is None else 200)

    def _host_of(self, message: JsonValue) -> HttpHost | None:
        """The session of a message; None after it was refused."""
        name = self.headers.get(SESSION_ID, "")
        if name:
            host = self.hosts_server.session(name)
            if host is None:
                self._error(404, -32600, "the session has ended")
            return host
        if isinstance(message, dict) and message.get("method") == INITIALIZE:
            host = self.hosts_server.new()
            if host is None:
                self._error(503, -32600, f"more than {SESSIONS_MAX} sessions")
            return host
        if self.headers.get(_VERSION) == MODERN or _is_modern(message):
            return self.hosts_server.of_modern()
        self._error(400, -32600, f"{SESSION_ID} is missing")
        return None

    def _answer(
        self, host: HttpHost, stream: _Stream, session: str = "", *, is_modern: bool = False
    ) -> None:
        is_whole = False
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("cache-control", "no-store")
            self.send_header("connection", "close")
            if session:
                self.send_header(SESSION_ID, session)
            self.end_headers()
            self.close_connection = True
            for line in _messages(stream):
                event = (
                    b": alive\n\n" if line is None else b"event: message\ndata: " + line + b"\n\n"
                )
                self.wfile.write(event)
                self.wfile.flush()
            is_whole = True
        host.leave(stream, is_cancelled=is_modern and not is_whole)

    def _is_allowed(self) -> bool:
        """Refuse other paths, and requests that a page in a browser may have made."""
        place = self.headers.get("host", "").rpartition(":")[0] or self.headers.get("host", "")
        origin = self.headers.get("origin")
        from_here = origin is None or origin.partition("://")[2].rpartition(":")[0] in LOOPBACK
        if self.path.partition("?")[0] != PATH:
            self._end(404)
        elif place not in LOOPBACK or not from_here:
            # Spec, basic/transports, "Security Warning": DNS rebinding.
            self._end(403)
        else:
            return True
        return False

    def _end(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()
        self.close_connection = self.close_connection or status >= 400

    def _error(self, status: int, code: int, words: str) -> None:
        error = {"code": code, "message": f"signoff: {words}"}
        data = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the wire has each message."""


def _messages(stream: _Stream) -> Iterator[bytes | None]:
    """The messages of a stream until its end; None now and then, so that a broken one is seen."""
    while True:
        try:
            line = stream.messages.get(timeout=_ALIVE_SECONDS)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        yield line


def _is_modern(message: JsonValue) -> bool:
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and meta.get(_META_VERSION) == MODERN
